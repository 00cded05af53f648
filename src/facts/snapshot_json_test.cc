// SPDX-License-Identifier: Apache-2.0
#include "facts/snapshot_json.h"

#include <gtest/gtest.h>

#include "facts/json_text.h"

namespace plumb {
namespace {

Snapshot sample() {
  Snapshot snapshot;
  snapshot.plumb = "0.1.0";
  snapshot.taken = "2026-12-01T16:20:05Z";
  snapshot.machine.system = {"linux", "x86_64", "debian", false, "/.dockerenv"};
  snapshot.machine.cards.push_back({0x2335, 0x10de, 0x18bf, 0x030200, "0000:00:06.0", "nvidia", 0,
                                    "/sys/bus/pci/devices/0000:00:06.0"});
  snapshot.machine.driver.version = Fact<std::string>::present("580.95.05", "/proc/x");
  snapshot.machine.driver.library = Fact<std::string>::absent("/usr/lib");
  snapshot.machine.driver.module_version = Fact<std::string>::unreadable(
      {ErrorCode::no_permission, "denied", "/sys/y", {"sudo"}}, "/sys/y");
  FrameworkFacts torch;
  torch.name = "torch";
  torch.is_framework = true;
  BinaryFacts library;
  library.path = "torch/lib/libtorch_cuda.so";
  library.versions = {{"cudnn", "9.1"}};
  library.glibc_min = "2.28";
  library.cudart = Cudart::shared;
  library.gpu.places = {".nv_fatbin", "__nv_relfatbin"};
  for (std::uint32_t i = 0; i < 3; ++i) {
    library.gpu.containers.push_back({0, 0, i * 2, 2, static_cast<std::uint16_t>(i == 2 ? 1 : 0)});
    library.gpu.images.push_back({ImageKind::cubin, {90, 'a'}, false, 0, 0, 130});
    library.gpu.images.push_back({ImageKind::ptx, {90, 0}, true, 8, 5, 0});
  }
  torch.libraries.push_back(library);
  LoadFault& fault = torch.load_faults.emplace_back();
  fault.kind = LoadFaultKind::symbol;
  fault.file = "a.so";
  snapshot.machine.frameworks.push_back(torch);
  ProcessLibraries process;
  process.framework = "torch";
  LibraryChoice& choice = process.choices.emplace_back();
  choice.library = "libcudnn.so.9";
  choice.found = true;
  process.cuda_choices = 1;
  snapshot.processes.push_back(process);
  return snapshot;
}

TEST(SnapshotJson, ReadsBackWhatItWrote) {
  const Json json = snapshot_json(sample());
  const auto snapshot = parse_snapshot(json.dump());
  ASSERT_TRUE(snapshot) << snapshot.error().what;
  EXPECT_EQ(snapshot_json(*snapshot), json);
  const DriverFacts& driver = snapshot->machine.driver;
  EXPECT_EQ(driver.version.value, "580.95.05");
  EXPECT_FALSE(driver.library.value || driver.library.fault);
  ASSERT_TRUE(driver.module_version.fault);
  EXPECT_EQ(driver.module_version.fault->code, ErrorCode::no_permission);
  const GpuCode& gpu = snapshot->machine.frameworks.at(0).libraries.at(0).gpu;
  ASSERT_EQ(gpu.containers.size(), 3U);
  EXPECT_EQ(gpu.places.at(gpu.containers[2].place), "__nv_relfatbin");
  EXPECT_EQ(gpu.images[0].target, (Target{90, 'a'}));
  EXPECT_TRUE(gpu.images[1].empty);
  EXPECT_EQ(gpu.images[1].isa_minor, 5);
}

TEST(JsonText, IsWhatTheLibraryWrites) {
  const Json json = {{"text", "a\"b\\c\n\t\x01 \xe4\xb8\xad"},
                     {"none", nullptr},
                     {"list", {1, -2, true, 0.5}},
                     {"empty", Json::array()},
                     {"object", Json::object()}};
  EXPECT_EQ(json_text(json), json.dump(1));
  EXPECT_EQ(json_text(snapshot_json(sample())), snapshot_json(sample()).dump(1));
}

TEST(SnapshotJson, ContainersOfOneContentStandThereOnce) {
  const Json json = snapshot_json(sample());
  const Json& groups = json["machine"]["frameworks"][0]["libraries"][0]["gpu_code"];
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0]["count"], 2);
  EXPECT_EQ(groups[0]["images"], (Json{"sm_90a cuda=130", "compute_90 empty isa=8.5"}));
}

TEST(SnapshotJson, ANameThatIsNoTextDoesNotBreakIt) {
  Snapshot snapshot = sample();
  snapshot.machine.cards[0].location = "caf\xe9";
  const auto again = parse_snapshot(snapshot_json(snapshot).dump());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->machine.cards[0].location, "caf\\xe9");
}

std::string fault_of(const std::string& text) {
  const auto snapshot = parse_snapshot(text);
  return snapshot ? "none" : snapshot.error().what;
}

TEST(SnapshotJson, AWrongFileIsToldInOneSentence) {
  EXPECT_EQ(fault_of(""), "is not JSON");
  EXPECT_EQ(fault_of("{"), "is not JSON");
  EXPECT_EQ(fault_of("[1]"), "is no snapshot: `plumb snapshot -o FILE` makes one");
  EXPECT_EQ(fault_of(R"({"schema":1,"files":[]})"),
            "is no snapshot: `plumb snapshot -o FILE` makes one");
  EXPECT_EQ(fault_of(R"({"schema":2,"machine":{}})"),
            "is of another form (schema 2) than this plumb reads (1)");
  EXPECT_EQ(fault_of(R"({"schema":1,"machine":{"cards":[{"device":1},{"device":"x"}]}})"),
            "machine.cards.1.device: a whole number is expected");
  EXPECT_EQ(fault_of(R"({"schema":1,"machine":{"cards":[{"device":70000}]}})"),
            "machine.cards.0.device: a smaller number is expected");
  EXPECT_EQ(fault_of(R"({"schema":1,"machine":{"cards":[{"device":-1}]}})"),
            "machine.cards.0.device: a number that is not so low is expected");
  EXPECT_EQ(fault_of(R"({"schema":1,"machine":{"python":{"value":{"kind":"magic"}}}})"),
            "machine.python.value.kind: another word than \"magic\" is expected");
  EXPECT_EQ(fault_of(std::string(100'000, '[')), "is nested too deep for a snapshot");
}

TEST(SnapshotJson, PartsThatAnOlderPlumbDidNotWriteKeepTheirDefaults) {
  const auto snapshot = parse_snapshot(R"({"schema":1,"machine":{"new":1},"other":[null]})");
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(snapshot->machine.cards.empty());
}

}  // namespace
}  // namespace plumb
