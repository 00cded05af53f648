// SPDX-License-Identifier: Apache-2.0
#include "judge/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "judge/gpu_code_notation_test.h"

namespace plumb {
namespace {

Verdict judge(std::string_view text, ComputeCapability cc, bool self_dispatching = false) {
  return judge_gpu_code(gpu_code(text), Card{"", cc}, Catalog::builtin(), self_dispatching);
}

std::string result(std::string_view text, ComputeCapability cc) {
  const Verdict verdict = judge(text, cc);
  return std::string(verdict_name(verdict.result)) + " " + verdict.rule;
}

std::string by(std::string_view text, ComputeCapability cc) {
  return join(judge(text, cc).by, " ");
}

/// "native jit none, empty aside"
std::string counts(std::string_view text, ComputeCapability cc) {
  const Verdict verdict = judge(text, cc);
  return std::to_string(verdict.counts.native) + " " + std::to_string(verdict.counts.jit) + " " +
         std::to_string(verdict.counts.none) + ", " + std::to_string(verdict.empty);
}

TEST(JudgeGpuCode, SassRunsOnItsMajorFromItsMinorOn) {
  EXPECT_EQ(result("75 80 86", {8, 6}), "native sass.same");
  EXPECT_EQ(result("75 80 86", {8, 9}), "native sass.same_major");
  EXPECT_EQ(by("75 80 86", {8, 9}), "sm_86") << "the highest that runs";
  EXPECT_EQ(result("75 80 89", {8, 6}), "native sass.same_major");
  EXPECT_EQ(by("75 80 89", {8, 6}), "sm_80");
  EXPECT_EQ(result("75 80 89", {9, 0}), "none none.no_target");
  EXPECT_EQ(result("86", {8, 0}), "none none.no_target");
  EXPECT_EQ(result("80", {8, 7}), "none none.no_target") << "Jetson Orin runs its own SASS alone";
  EXPECT_EQ(result("87", {8, 9}), "none none.no_target");
}

TEST(JudgeGpuCode, ArchSpecificRunsOnItsCapabilityAlone) {
  EXPECT_EQ(result("80 90a", {9, 0}), "native sass.arch_specific");
  EXPECT_EQ(result("120a", {12, 0}), "native sass.arch_specific");
  EXPECT_EQ(result("120a", {12, 1}), "none none.no_target");
  EXPECT_EQ(result("100a", {10, 3}), "none none.no_target");
  EXPECT_EQ(result("P90a", {9, 0}), "jit ptx.jit");
  EXPECT_EQ(by("P90a", {9, 0}), "compute_90a");
  EXPECT_EQ(result("P90a", {10, 0}), "none none.no_target") << "a-PTX does not move either";
}

TEST(JudgeGpuCode, FamilyTargetsRunInTheirFamily) {
  EXPECT_EQ(result("100f", {10, 0}), "native sass.family");
  EXPECT_EQ(result("100f", {10, 3}), "native sass.family");
  EXPECT_EQ(result("103f", {10, 0}), "none none.no_target");
  EXPECT_EQ(result("100f", {12, 0}), "none none.no_target");
  EXPECT_EQ(result("120f", {12, 1}), "native sass.family");
  EXPECT_EQ(result("P100f", {10, 3}), "jit ptx.jit");
  EXPECT_EQ(result("P100f", {12, 0}), "none none.no_target");
  EXPECT_EQ(result("P100f", {9, 0}), "none none.no_target");
}

TEST(JudgeGpuCode, PtxIsCompiledForTheSameAndNewerCapabilities) {
  EXPECT_EQ(result("P80", {8, 0}), "jit ptx.jit");
  EXPECT_EQ(result("P80", {12, 1}), "jit ptx.jit");
  EXPECT_EQ(result("P80", {8, 7}), "jit ptx.jit") << "Tegra compiles it, too";
  EXPECT_EQ(result("P90", {8, 9}), "none none.no_target");
  EXPECT_EQ(by("P75 P90 P120", {9, 0}), "compute_90") << "the driver takes the highest";
  EXPECT_EQ(result("75 80 P80", {9, 0}), "jit ptx.jit");
  EXPECT_EQ(result("90 P75", {9, 0}), "native sass.same") << "SASS before PTX";
}

TEST(JudgeGpuCode, LinkTimeCodeIsNotLoaded) {
  EXPECT_EQ(result("L80 L90", {9, 0}), "none none.only_lto");
  EXPECT_EQ(result("80 L90", {9, 0}), "none none.no_target");
  EXPECT_EQ(result("L80 | L80 | 90", {9, 0}), "native sass.same") << "what the link made decides";
}

TEST(JudgeGpuCode, NothingToJudge) {
  EXPECT_EQ(result("", {9, 0}), "none none.no_code");
  EXPECT_EQ(result("75-", {7, 5}), "none none.only_empty");
  EXPECT_EQ(result("75- | 75-", {9, 0}), "none none.only_empty");
}

TEST(JudgeGpuCode, ContainersOfEmptyImagesAreSetAside) {
  EXPECT_EQ(result("90 | 75-", {9, 0}), "native sass.same") << "nvcc's link stub asks for nothing";
  EXPECT_EQ(counts("90 | 75-", {9, 0}), "1 0 0, 1");
  EXPECT_EQ(result("90 | 75-", {7, 5}), "none none.only_empty") << "though 7.5 is listed";
  EXPECT_EQ(counts("90 | 75-", {7, 5}), "0 0 1, 1");
}

TEST(JudgeGpuCode, TheDriverTakesTheBestImageEvenIfItIsEmpty) {
  EXPECT_EQ(result("90 90a-", {9, 0}), "none none.only_empty") << "not the plain one beside it";
  EXPECT_EQ(result("90- P80", {9, 0}), "none none.only_empty") << "SASS before PTX, empty or not";
  EXPECT_EQ(counts("75 80 90a- | 75 80 90", {9, 0}), "1 0 0, 1");
  EXPECT_EQ(result("75 80 90a- | 75 80 90", {9, 0}), "native sass.same");
  EXPECT_EQ(result("75 80 90a-", {8, 0}), "native sass.same") << "others do not mind";
}

TEST(JudgeGpuCode, GeneralContainersDecide) {
  // As ONNX Runtime is built: general sources and some for one generation alone.
  constexpr std::string_view kCode = "210* 75 80 86 89 90a 120a | 292* 90a | 9* 120a";
  EXPECT_EQ(result(kCode, {8, 9}), "native sass.same");
  EXPECT_EQ(result(kCode, {9, 0}), "native sass.arch_specific");
  EXPECT_EQ(result(kCode, {10, 0}), "none none.no_target");
  EXPECT_EQ(result(kCode, {12, 0}), "native sass.arch_specific");
  EXPECT_EQ(result(kCode, {12, 1}), "none none.no_target");
  EXPECT_EQ(counts(kCode, {9, 0}), "502 0 9, 0") << "counted over all";
  EXPECT_EQ(judge(kCode, {9, 0}).general, (ContainerCounts{210, 0, 0}));
  EXPECT_EQ(result("75 80 86 | 90a", {9, 0}), "partial partial")
      << "half of two majors is one: both count";
}

TEST(JudgeGpuCode, SomeServedSomeNot) {
  EXPECT_EQ(result("75 80 90 | 80 90", {7, 5}), "partial partial");
  EXPECT_EQ(result("75 P75 | 75", {9, 0}), "partial partial");
  EXPECT_EQ(result("75 80 | 75 P75", {8, 0}), "jit ptx.jit") << "one by JIT makes it jit";
  EXPECT_EQ(by("75 80 | 75 P75", {8, 0}), "sm_80 compute_75");
}

TEST(JudgeGpuCode, RelocatableUnitsDecideNotTheirLink) {
  EXPECT_EQ(result("@rel 80 90 | @rel 80 90 | 80", {9, 0}), "native sass.same");
  EXPECT_EQ(counts("@rel 80 90 | @rel 80 90 | 80", {9, 0}), "2 0 1, 0");
  EXPECT_EQ(result("@rel 80 P80 | @rel 80 P80 | 80", {9, 0}), "jit ptx.jit");
  EXPECT_EQ(result("@rel L90 | @rel L90 | 90", {9, 0}), "native sass.same");
  EXPECT_EQ(result("@rel L90 | 80", {9, 0}), "none none.no_target");
  EXPECT_EQ(result("@rel 80 90 | 80 | 80", {9, 0}), "partial partial")
      << "several others are sources compiled as a whole";
  EXPECT_EQ(result("@rel 35 70 90 P80 | 35 70 90 | 9* 61 75 86", {8, 9}), "jit ptx.jit")
      << "the link is told from such sources by its targets";
}

TEST(JudgeGpuCode, ListedTakesEmptyImagesForCode) {
  const Verdict verdict =
      judge("290* 90a- | 173* 75 80 86 89 120a | 38* 80 86 89 120a P120", {9, 0});
  EXPECT_EQ(verdict.listed, (ContainerCounts{290, 0, 211}));
  EXPECT_EQ(verdict.counts, (ContainerCounts{0, 0, 211}));
  EXPECT_EQ(verdict.empty, 290U);
  EXPECT_EQ(verdict.result, VerdictResult::none) << "although \"90a\" stands in the file";
}

TEST(JudgeGpuCode, JitNeedsADriverThatKnowsThePtx) {
  const auto drivers = [](std::string_view text, ComputeCapability cc) {
    const Verdict verdict = judge(text, cc);
    return verdict.driver_linux + " " + verdict.driver_windows;
  };
  EXPECT_EQ(drivers("P80:8.7", {9, 0}), "570.26 570.65");
  EXPECT_EQ(drivers("P80:9.1", {9, 0}), "590.44.01 590");
  EXPECT_EQ(drivers("P80:7.0", {8, 0}), "450.51.05 451.48");
  EXPECT_EQ(drivers("P80:7.0", {12, 0}), "570.26 570.65") << "one that knows the card";
  EXPECT_EQ(drivers("P80:7.0 | P80:8.7", {9, 0}), "570.26 570.65") << "all modules must start";
  EXPECT_EQ(drivers("P80:8.0 P90:9.1", {9, 0}), "590.44.01 590")
      << "the driver takes compute_90 and fails, though 8.0 lies beside it (seen on an H200)";
  EXPECT_EQ(drivers("P90:9.0 P80:9.1", {9, 0}), "580.65.06 580");
  EXPECT_EQ(drivers("90 P80:9.1", {9, 0}), " ") << "SASS serves";
  EXPECT_EQ(drivers("P80:9.9", {9, 0}), "620 620") << "newer than the table: at least its newest";
  EXPECT_EQ(drivers("80", {9, 0}), " ");
}

TEST(JudgeGpuCode, LibrariesThatDispatchNeedAnyUsableCode) {
  const auto dispatched = [](std::string_view text, ComputeCapability cc) {
    const Verdict verdict = judge(text, cc, true);
    return std::string(verdict_name(verdict.result)) + " " + verdict.rule + " " +
           join(verdict.by, " ");
  };
  EXPECT_EQ(dispatched("75 | 80 | 90 | P120:8.7", {8, 9}), "native self_dispatching sm_80");
  EXPECT_EQ(dispatched("75 | 80 | P90:8.7", {9, 0}), "jit self_dispatching compute_90");
  EXPECT_EQ(dispatched("75 | 80 | 90", {12, 0}), "none none.no_target ");
  EXPECT_EQ(dispatched("75 | 90-", {9, 0}), "none none.only_empty ");
  EXPECT_EQ(dispatched("90 90a-", {9, 0}), "native self_dispatching sm_90");
}

TEST(JudgeGpuCode, HostileTargetsAreHarmless) {
  GpuCode code = gpu_code("75 80");
  code.images[0].target.sm = 65535;
  code.images[1].target.suffix = 'z';
  code.containers[0].image_count = 0xffffffff;
  code.containers[0].place = 0xffff;
  const Verdict verdict = judge_gpu_code(code, Card{"", {8, 0}}, Catalog::builtin());
  EXPECT_EQ(verdict.result, VerdictResult::none);
}

// ---- Properties, over random code
// ----------------------------------------------------------------

const std::vector<std::string>& pool() {
  static const std::vector<std::string> images = {
      "61",  "70",   "75",   "80",      "86",   "89",        "90",       "90a",
      "100", "100a", "100f", "103a",    "120",  "120a",      "120f",     "75-",
      "80-", "90a-", "P75",  "P80:9.1", "P90a", "P100f:9.0", "P120:8.7", "L80"};
  return images;
}

constexpr ComputeCapability kCards[] = {{6, 1}, {7, 5},  {8, 0},  {8, 7}, {8, 9},
                                        {9, 0}, {10, 3}, {12, 0}, {12, 1}};

std::vector<std::vector<std::string>> random_containers(std::mt19937& random) {
  std::vector<std::vector<std::string>> containers(1 + random() % 4);
  for (auto& container : containers) {
    container.resize(1 + random() % 5);
    for (auto& image : container) {
      image = pool()[random() % pool().size()];
    }
  }
  return containers;
}

std::string text_of(const std::vector<std::vector<std::string>>& containers) {
  std::vector<std::string> parts;
  for (const auto& container : containers) {
    parts.push_back(join(container, " "));
  }
  return join(parts, " | ");
}

std::string everything(const Verdict& verdict) {
  const auto& c = verdict.counts;
  const auto& g = verdict.general;
  std::string text(verdict_name(verdict.result));
  for (const std::uint32_t number :
       {c.native, c.jit, c.none, g.native, g.jit, g.none, verdict.listed.native, verdict.listed.jit,
        verdict.listed.none, verdict.empty}) {
    text += " " + std::to_string(number);
  }
  return text + " " + join(verdict.by, ",") + " " + verdict.rule + " " + verdict.driver_linux;
}

TEST(JudgeGpuCodeProperties, OrderDoesNotMatter) {
  std::mt19937 random(1);
  for (int round = 0; round < 600; ++round) {
    auto containers = random_containers(random);
    const std::string text = text_of(containers);
    std::ranges::shuffle(containers, random);
    for (auto& container : containers) {
      std::ranges::shuffle(container, random);
    }
    for (const ComputeCapability card : kCards) {
      ASSERT_EQ(everything(judge(text, card)), everything(judge(text_of(containers), card)))
          << text << "\n"
          << text_of(containers) << "\n"
          << card.text();
    }
  }
}

TEST(JudgeGpuCodeProperties, CountsAddUp) {
  std::mt19937 random(2);
  for (int round = 0; round < 600; ++round) {
    const auto containers = random_containers(random);
    for (const ComputeCapability card : kCards) {
      const Verdict verdict = judge(text_of(containers), card);
      const auto& c = verdict.counts;
      EXPECT_EQ(c.native + c.jit + c.none + verdict.empty, containers.size());
      const auto& l = verdict.listed;
      EXPECT_EQ(l.native + l.jit + l.none, containers.size());
      EXPECT_LE(verdict.general.native, c.native);
      EXPECT_GE(l.native, c.native) << "a lister of targets sees no less";
      EXPECT_EQ(verdict.by.empty(), verdict.result == VerdictResult::none);
      EXPECT_FALSE(verdict.rule.empty());
    }
  }
}

/// In one container, more code serves more cards, unless it is empty and preferred.
TEST(JudgeGpuCodeProperties, MoreCodeIsNotWorse) {
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    auto containers = random_containers(random);
    containers.resize(1);
    const std::string before = text_of(containers);
    const std::string added = pool()[random() % pool().size()];
    if (added.ends_with('-')) {
      continue;
    }
    containers[0].push_back(added);
    for (const ComputeCapability card : kCards) {
      EXPECT_LE(judge(text_of(containers), card).result, judge(before, card).result)
          << before << " and " << added << " on " << card.text();
    }
  }
}

TEST(JudgeGpuCodeProperties, AStubChangesNothing) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    const std::string text = text_of(random_containers(random));
    for (const ComputeCapability card : kCards) {
      const Verdict without = judge(text, card);
      const Verdict with = judge(text + " | 52-", card);
      EXPECT_EQ(with.result, without.result) << text;
      EXPECT_EQ(with.counts, without.counts) << text;
      EXPECT_EQ(with.empty, without.empty + 1) << text;
    }
  }
}

}  // namespace
}  // namespace plumb
