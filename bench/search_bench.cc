// SPDX-License-Identifier: Apache-2.0
// Finding GPU code: the walk over containers, the search of data that holds none, and the same for
// bytes that come by.

#include <benchmark/benchmark.h>

#include <string>

#include "binary/gpu_search.h"
#include "support/fatbin_builder.h"

namespace plumb {
namespace {

/// As in a library of many sources: each container has code for six targets, of 32 KB each.
std::string many_containers(std::size_t count) {
  std::vector<test::FatbinEntry> entries;
  for (const std::uint32_t arch : {75U, 80U, 86U, 90U, 100U, 120U}) {
    test::FatbinEntry entry;
    entry.arch = arch;
    entry.body = std::string(32 * 1024, 'x');
    entries.push_back(entry);
  }
  const std::string one = test::build_fatbin(entries);
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    all += one;
  }
  return all;
}

void walk_containers(benchmark::State& state) {
  const std::string bytes = many_containers(256);
  const MemorySource source{std::string_view(bytes)};
  for (auto _ : state) {
    GpuCode code;
    auto done = search_region(source, {"", 0, bytes.size()}, code);
    benchmark::DoNotOptimize(done);
  }
  state.counters["containers"] =
      benchmark::Counter(256, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(walk_containers);

void search_without_hits(benchmark::State& state) {
  const std::string bytes(std::size_t{64} << 20, 'x');
  const MemorySource source{std::string_view(bytes)};
  for (auto _ : state) {
    GpuCode code;
    auto done = search_region(source, {"", 0, bytes.size()}, code);
    benchmark::DoNotOptimize(done);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(search_without_hits)->Unit(benchmark::kMillisecond);

void stream_containers(benchmark::State& state) {
  const std::string bytes = many_containers(256);
  constexpr std::size_t kPiece = 256 * 1024;
  for (auto _ : state) {
    StreamSearch stream(bytes.size());
    const Bytes all = std::as_bytes(std::span(bytes));
    for (std::size_t at = 0; at < all.size(); at += kPiece) {
      stream.feed(all.subspan(at, std::min(kPiece, all.size() - at)));
    }
    auto code = stream.finish();
    benchmark::DoNotOptimize(code);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(stream_containers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumb
