// SPDX-License-Identifier: Apache-2.0
// Judging and printing: what follows once the bytes are read.

#include <benchmark/benchmark.h>

#include <initializer_list>

#include "judge/inspection_judgement.h"
#include "report/inspect_json.h"

namespace plumb {
namespace {

/// As many containers as the largest library has (cuFFT), of six targets each.
Inspection large_inspection() {
  InspectedFile file;
  file.facts.path = "libx.so";
  file.facts.gpu.places = {".nv_fatbin"};
  for (std::uint32_t i = 0; i < 24'000; ++i) {
    file.facts.gpu.containers.push_back(
        {.offset = i * 4096ULL, .size = 4096, .first_image = i * 6, .image_count = 6, .place = 0});
    for (const std::uint16_t sm : std::initializer_list<std::uint16_t>{75, 80, 86, 90, 100, 120}) {
      file.facts.gpu.images.push_back({.kind = ImageKind::cubin, .target = {sm, 0}});
    }
  }
  Inspection inspection;
  inspection.files.push_back(std::move(file));
  return inspection;
}

void judge_one_card(benchmark::State& state) {
  const Inspection inspection = large_inspection();
  const std::vector<Card> cards = {{"compute capability 8.9", {8, 9}}};
  for (auto _ : state) {
    JudgedInspection judged = judge_inspection(inspection, cards, Catalog::builtin());
    benchmark::DoNotOptimize(judged);
  }
}
BENCHMARK(judge_one_card)->Unit(benchmark::kMillisecond);

void find_a_card_by_name(benchmark::State& state) {
  for (auto _ : state) {
    auto models = Catalog::builtin().find_gpus("rtx 2080ti");
    benchmark::DoNotOptimize(models);
  }
}
BENCHMARK(find_a_card_by_name)->Unit(benchmark::kMicrosecond);

void print_json(benchmark::State& state) {
  const Inspection inspection = large_inspection();
  JudgedInspection judged = judge_inspection(inspection, {}, Catalog::builtin());
  for (auto _ : state) {
    std::string text = inspect_json(judged, ExportDetail::count);
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(print_json)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumb
