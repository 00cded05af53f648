// SPDX-License-Identifier: Apache-2.0
// Readers: a binary's tables, a wheel's members as they unpack, packed heads of images.

#include <benchmark/benchmark.h>

#include <string>

#include "binary/binary_reader.h"
#include "binary/lz4_block.h"
#include "binary/member_source.h"
#include "binary/zstd_frame.h"
#include "support/elf_builder.h"
#include "support/fatbin_builder.h"
#include "support/zip_builder.h"

namespace plumb {
namespace {

void read_library(benchmark::State& state) {
  test::ElfSpec spec;
  spec.soname = "libx.so.1";
  spec.needed = {"libc.so.6", "libcudart.so.13"};
  for (int i = 0; i < 10'000; ++i) {
    spec.symbols.push_back({.name = "symbol_" + std::to_string(i)});
  }
  spec.sections = {{".nv_fatbin", test::simple_fatbin(90)}};
  const std::string bytes = test::build_elf(spec).bytes;
  const MemorySource source{std::string_view(bytes)};
  const ReadOptions options{.exports =
                                state.range(0) != 0 ? ExportDetail::names : ExportDetail::count};
  for (auto _ : state) {
    auto read = read_binary(source, options);
    benchmark::DoNotOptimize(read);
  }
}
BENCHMARK(read_library)->ArgName("names")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void drain_member(benchmark::State& state) {
  const std::string text = test::sample_text(std::size_t{16} << 20);
  const test::ZipFile zip = test::build_zip({{"x.so", text}});
  const MemorySource source{std::string_view(zip.bytes)};
  const auto directory = read_zip_directory(source);
  for (auto _ : state) {
    auto member = MemberSource::open(source, directory->entries.front());
    auto done = (*member)->drain([](Bytes) -> Result<void> { return {}; });
    benchmark::DoNotOptimize(done);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
BENCHMARK(drain_member)->Unit(benchmark::kMillisecond);

void unpack_head(benchmark::State& state) {
  const std::string body(6000, 'x');
  const std::string packed = state.range(0) != 0 ? test::as_zstd(body) : test::as_lz4(body);
  const Bytes bytes = std::as_bytes(std::span(packed));
  for (auto _ : state) {
    auto head = state.range(0) != 0 ? decode_zstd_prefix(bytes, body.size())
                                    : decode_lz4_prefix(bytes, body.size());
    benchmark::DoNotOptimize(head);
  }
}
BENCHMARK(unpack_head)->ArgName("zstd")->Arg(0)->Arg(1);

}  // namespace
}  // namespace plumb
