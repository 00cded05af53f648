// SPDX-License-Identifier: Apache-2.0
// The replay of a process: a tree in memory, so that it is the work of the loader and not of the
// disk.

#include <benchmark/benchmark.h>

#include "binary/elf_symbol_index.h"
#include "loader/fake_files_test.h"
#include "loader/linux_process.h"

namespace plumb {
namespace {

/// A program whose 100 libraries need each other, found by RUNPATH behind 20 folders without them.
void start_a_process(benchmark::State& state) {
  test::FakeFiles files;
  std::string runpath;
  for (int i = 0; i < 20; ++i) {
    files.add_folder("/opt/" + std::to_string(i));
    runpath += "/opt/" + std::to_string(i) + ":";
  }
  runpath += "/lib";
  for (int i = 0; i < 100; ++i) {
    test::ElfSpec spec;
    spec.soname = "lib" + std::to_string(i) + ".so";
    spec.runpath = runpath;
    for (int k = 1; k <= 5 && i + k < 100; ++k) {
      spec.needed.push_back("lib" + std::to_string(i + k) + ".so");
    }
    files.add_elf("/lib/lib" + std::to_string(i) + ".so", spec);
  }
  for (auto _ : state) {
    LinuxProcess process(files, usual_linux_settings());
    benchmark::DoNotOptimize(process.start("/lib/lib0.so", LoadMode::trace).object);
  }
}
BENCHMARK(start_a_process);

void look_up_symbols(benchmark::State& state) {
  test::ElfSpec spec;
  spec.soname = "libx.so";
  spec.symbol_count = test::ElfSymbolCount::gnu_hash;
  for (int i = 0; i < 10'000; ++i) {
    spec.symbols.push_back({.name = "_ZN3c104cuda8functionE" + std::to_string(i)});
  }
  const std::string bytes = test::build_elf(spec).bytes;
  const MemorySource source{std::string_view(bytes)};
  const auto elf = read_elf(source, {.exports = ExportDetail::none});
  const auto index = ElfSymbolIndex::read(source, *elf);
  const auto wanted = ElfWantedSymbol::of("_ZN3c104cuda7missingEv", nullptr);
  for (auto _ : state) {
    benchmark::DoNotOptimize(index->defines(wanted));
  }
}
BENCHMARK(look_up_symbols);

}  // namespace
}  // namespace plumb
