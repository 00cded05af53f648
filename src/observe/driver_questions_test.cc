// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_questions.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "observe/fake_host_test.h"
#include "os/environment.h"

namespace plumb {
namespace {

using std::chrono::milliseconds;
using test::FakeHost;
using test::TempFolder;

// Runs the built plumb with the doubles of the driver's libraries; tests/doubles/script.h has the
// script.
class Driver {
 public:
  explicit Driver(std::string_view script, const std::string& nvml = "nvml") {
    options_.program = PLUMB_PROGRAM;
    options_.timeout = milliseconds{60'000};
    options_.environment["PLUMB_DOUBLE_SCRIPT"] = folder_.write("script", script);
    options_.environment["PLUMB_NVML"] = double_of(nvml);
    options_.environment["PLUMB_CUDA_DRIVER"] = double_of("cuda");
    options_.environment["ASAN_OPTIONS"] = "handle_segv=0:detect_leaks=0";
  }
  static std::string double_of(const std::string& name) {
    return real_path(PLUMB_DOUBLES "/" + name + PLUMB_DOUBLE_SUFFIX);
  }
  AskOptions& options() { return options_; }
  [[nodiscard]] NvmlAnswers nvml() {
    options_.which = AskWhich::nvml;
    return ask_driver(this_host(), options_).nvml;
  }
  [[nodiscard]] CudaDriverAnswers cuda() {
    options_.which = AskWhich::cuda;
    return ask_driver(this_host(), options_).cuda;
  }
  [[nodiscard]] DriverAnswers as_needed() {
    options_.which = AskWhich::as_needed;
    return ask_driver(this_host(), options_);
  }
  [[nodiscard]] std::string write(const std::string& bytes) const {
    return folder_.write("lib.so", bytes);
  }

 private:
  TempFolder folder_;
  AskOptions options_;
};

constexpr std::string_view kAll = R"(
nvmlSystemGetDriverVersion = "570.133.07"
nvmlSystemGetNVMLVersion = "12.570.133.07"
nvmlSystemGetCudaDriverVersion_v2 = 12080
nvmlDeviceGetCount_v2 = 1
nvmlDeviceGetName = "NVIDIA GeForce RTX 3090"
nvmlDeviceGetUUID = "GPU-5e1f2a4c-0000-1111-2222-333344445555"
nvmlDeviceGetSerial = "0320517000001"
nvmlDeviceGetPciInfo_v3 = 0x220410de 0x147d10de
nvmlDeviceGetMinorNumber = 3
nvmlDeviceGetCudaComputeCapability = 8 6
nvmlDeviceGetArchitecture = 7
nvmlDeviceGetVbiosVersion = "94.02.42.00.A9"
nvmlDeviceGetGspFirmwareVersion = "570.133.07"
nvmlDeviceGetDriverModel_v2 = 0 2
nvmlDeviceGetPersistenceMode = 1
nvmlDeviceGetDisplayActive = 0
nvmlDeviceGetComputeMode = 3
nvmlDeviceGetVirtualizationMode = 1
nvmlDeviceGetMigMode = 0 1
nvmlDeviceGetEccMode = 1 0
nvmlDeviceGetMemoryInfo_v2 = 25769803776 268435456 25000000000 501356544
nvmlDeviceGetBAR1MemoryInfo = 268435456 200000000 68435456
nvmlDeviceGetTemperatureV = 41
nvmlDeviceGetPowerUsage = 31250
nvmlDeviceGetEnforcedPowerLimit = 350000
nvmlDeviceGetPerformanceState = 8
nvmlDeviceGetCurrPcieLinkGeneration = 1
nvmlDeviceGetMaxPcieLinkGeneration = 4
nvmlDeviceGetCurrPcieLinkWidth = 8
nvmlDeviceGetMaxPcieLinkWidth = 16
nvmlDeviceGetUtilizationRates = 12 3
nvmlDeviceGetClockInfo = 210 211 405 555
nvmlDeviceGetCurrentClocksEventReasons = 0x4
nvmlDeviceGetComputeRunningProcesses_v3 = 2 4711 1048576
nvmlSystemGetProcessName 4711 = "/usr/bin/python3"
)";

struct UnsetFacts {
  std::vector<std::string> names;
  template <class T>
  void operator()(std::string_view name, const Fact<T>& fact) {
    if (!fact) {
      names.emplace_back(name);
    }
  }
  template <class T>
  void operator()(std::string_view /*name*/, const T& /*other*/) {}
};

TEST(DriverQuestions, AllValuesOfNvmlArrive) {
  const NvmlAnswers answers = Driver(kAll).nvml();
  ASSERT_EQ(answers.library.state, AskState::ok) << answers.library.detail;
  EXPECT_EQ(base_name(answers.library.library), "nvml" PLUMB_DOUBLE_SUFFIX);
  EXPECT_EQ(answers.library.last_call, "");
  EXPECT_EQ(answers.driver_version.value, "570.133.07");
  EXPECT_EQ(answers.driver_version.origin, "nvmlSystemGetDriverVersion");
  EXPECT_EQ(answers.nvml_version.value, "12.570.133.07");
  EXPECT_EQ(answers.cuda_driver_version.value, 12080U);
  ASSERT_EQ(answers.devices.size(), 1U);
  const NvmlDevice& device = answers.devices[0];
  UnsetFacts unset;
  fields(unset, device);
  EXPECT_EQ(unset.names, std::vector<std::string>{});
  EXPECT_EQ(device.name.value, "NVIDIA GeForce RTX 3090");
  EXPECT_EQ(device.pci_bus_id.value, "00000000:01:00.0");
  EXPECT_EQ(device.pci_device_id.value, 0x220410deU);
  EXPECT_EQ(device.compute_capability.value, "8.6");
  EXPECT_EQ(device.architecture.value, "Ampere");
  EXPECT_EQ(device.driver_model.value, DriverModel::wddm);
  EXPECT_EQ(device.driver_model_pending.value, DriverModel::mcdm);
  EXPECT_EQ(device.persistence_mode.value, true);
  EXPECT_EQ(device.display_active.value, false);
  EXPECT_EQ(device.compute_mode.value, ComputeMode::exclusive_process);
  EXPECT_EQ(device.virtualization_mode.value, VirtualizationMode::passthrough);
  EXPECT_EQ(device.mig_mode_pending.value, true);
  EXPECT_EQ(device.ecc_mode.value, true);
  EXPECT_EQ(device.memory_total.value, 25769803776U);
  EXPECT_EQ(device.memory_reserved.value, 268435456U);
  EXPECT_EQ(device.memory_free.value, 25000000000U);
  EXPECT_EQ(device.memory_used.value, 501356544U);
  EXPECT_EQ(device.temperature.value, 41);
  EXPECT_EQ(device.pcie_generation.value, 1U);
  EXPECT_EQ(device.pcie_width_max.value, 16U);
  EXPECT_EQ(device.memory_utilization.value, 3U);
  EXPECT_EQ(device.clock_memory.value, 405U);
  EXPECT_EQ(device.clocks_event_reasons.value, 4U);
  ASSERT_EQ(device.compute_processes.value->size(), 2U);
  const ComputeProcess& process = device.compute_processes.value->front();
  EXPECT_EQ(process.pid, 4711U);
  EXPECT_EQ(process.used_memory.value, 1048576U);
  EXPECT_EQ(process.name.value, "/usr/bin/python3");
  EXPECT_FALSE(device.compute_processes.value->back().name);
}

TEST(DriverQuestions, AFailedStartIsNamedAndTheLibrarysOwnVersionIsStillTold) {
  const std::vector<std::pair<int, std::string>> errors = {
      {9, "DRIVER_NOT_LOADED"},        {12, "LIBRARY_NOT_FOUND"}, {17, "OPERATING_SYSTEM"},
      {18, "LIB_RM_VERSION_MISMATCH"}, {999, "UNKNOWN"},          {77, ""}};
  for (const auto& [code, name] : errors) {
    const NvmlAnswers answers = Driver("nvmlInit_v2 = error " + std::to_string(code) +
                                       "\nnvmlSystemGetNVMLVersion = \"12.570.195\"\n")
                                    .nvml();
    EXPECT_EQ(answers.library.state, AskState::init_failed);
    ASSERT_TRUE(answers.library.fault);
    EXPECT_EQ(answers.library.fault->call, "nvmlInit_v2");
    EXPECT_EQ(answers.library.fault->code, code);
    EXPECT_EQ(answers.library.fault->code_name, name);
    EXPECT_EQ(answers.nvml_version.value, "12.570.195");
    EXPECT_TRUE(answers.devices.empty());
  }
}

TEST(DriverQuestions, ALostCardDoesNotHideTheOthers) {
  const NvmlAnswers answers = Driver(
                                  "nvmlDeviceGetCount_v2 = 3\n"
                                  "nvmlDeviceGetHandleByIndex_v2 1 = error 15\n"
                                  "nvmlDeviceGetName = \"NVIDIA T4\"\n"
                                  "nvmlDeviceGetMemoryInfo_v2 2 = error 15\n"
                                  "nvmlDeviceGetMemoryInfo 2 = error 4\n")
                                  .nvml();
  EXPECT_EQ(answers.library.state, AskState::ok);
  ASSERT_EQ(answers.devices.size(), 3U);
  EXPECT_EQ(answers.devices[0].name.value, "NVIDIA T4");
  EXPECT_FALSE(answers.devices[0].fault);
  ASSERT_TRUE(answers.devices[1].fault);
  EXPECT_EQ(answers.devices[1].fault->code_name, "GPU_IS_LOST");
  EXPECT_FALSE(answers.devices[1].name.fault);
  EXPECT_EQ(answers.devices[2].name.value, "NVIDIA T4");
  EXPECT_EQ(answers.devices[2].memory_reserved.fault->what, "GPU_IS_LOST (15)");
  EXPECT_EQ(answers.devices[2].memory_total.fault->code, ErrorCode::no_permission);
  EXPECT_FALSE(answers.devices[2].serial.fault) << "not supported is no fault";
}

TEST(DriverQuestions, OneThatHangsIsEndedAndWhatWasKnownIsKept) {
  Driver driver(
      "nvmlSystemGetDriverVersion = \"570.1\"\n"
      "nvmlDeviceGetCount_v2 = 1\n"
      "nvmlDeviceGetUUID = hang\n");
  driver.options().timeout = milliseconds{1000};
  const auto begin = std::chrono::steady_clock::now();
  const DriverAnswers answers = driver.as_needed();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
  EXPECT_EQ(answers.nvml.library.state, AskState::timed_out);
  EXPECT_EQ(answers.nvml.library.last_call, "nvmlDeviceGetUUID");
  EXPECT_EQ(answers.nvml.library.last_device, 0U);
  EXPECT_EQ(answers.nvml.driver_version.value, "570.1");
  EXPECT_EQ(answers.nvml.devices.size(), 1U);
  EXPECT_EQ(answers.cuda.library.state, AskState::not_tried);
  EXPECT_EQ(answers.cuda.library.detail, "no time was left");
}

TEST(DriverQuestions, ACrashIsNamed) {
  const CudaDriverAnswers answers = Driver("cuDriverGetVersion = 12040\ncuInit = crash\n").cuda();
  EXPECT_EQ(answers.library.state, AskState::crashed);
  EXPECT_EQ(answers.library.detail, system_name() == "windows" ? "0xC0000005" : "SIGSEGV");
  EXPECT_EQ(answers.library.last_call, "cuInit");
  EXPECT_EQ(answers.cuda_driver_version.value, 12040U);
}

TEST(DriverQuestions, AnOldLibraryLacksFunctionsAndNothingElse) {
  const NvmlAnswers answers = Driver(
                                  "nvmlSystemGetDriverVersion = \"390.157\"\n"
                                  "nvmlDeviceGetCount_v2 = 1\n"
                                  "nvmlDeviceGetName = \"Quadro K4000\"\n"
                                  "nvmlDeviceGetMemoryInfo = 3221225472 1048576 3220176896\n",
                                  "nvml_oldest")
                                  .nvml();
  EXPECT_EQ(answers.library.state, AskState::ok);
  EXPECT_FALSE(answers.cuda_driver_version);
  EXPECT_FALSE(answers.cuda_driver_version.fault);
  ASSERT_EQ(answers.devices.size(), 1U);
  EXPECT_EQ(answers.devices[0].name.value, "Quadro K4000");
  EXPECT_EQ(answers.devices[0].memory_total.value, 3221225472U);
  EXPECT_EQ(answers.devices[0].memory_free.value, 3220176896U);
  EXPECT_FALSE(answers.devices[0].compute_processes.fault);
}

TEST(DriverQuestions, NoiseBetweenTheLinesDoesNoHarm) {
  const NvmlAnswers answers =
      Driver(std::string(kAll) + "nvmlInit_v2 = print [{\"x\": 1}, NVRM\x01 says \xFF hello\n")
          .nvml();
  EXPECT_EQ(answers.library.state, AskState::ok);
  EXPECT_EQ(answers.driver_version.value, "570.133.07");
}

TEST(DriverQuestions, ALibraryThatEndsTheProcessGivesNoAnswer) {
  const NvmlAnswers answers = Driver("nvmlInit_v2 = end\n").nvml();
  EXPECT_EQ(answers.library.state, AskState::no_answer);
  EXPECT_EQ(answers.library.last_call, "nvmlInit_v2");
  EXPECT_EQ(answers.library.detail, "the child ended with 5");
}

TEST(DriverQuestions, WhatIsNoLibraryIsTold) {
  Driver driver("");
  driver.options().environment["PLUMB_NVML"] = real_path(driver.write("no library"));
  NvmlAnswers answers = driver.nvml();
  EXPECT_EQ(answers.library.state, AskState::load_failed);
  EXPECT_NE(answers.library.detail, "");
  EXPECT_EQ(base_name(answers.library.library), "lib.so");
  driver.options().environment["PLUMB_NVML"] = "folder/nvml.dll";
  answers = driver.nvml();
  EXPECT_EQ(answers.library.state, AskState::load_failed);
  EXPECT_EQ(answers.library.detail, "the path of a library must be absolute");
}

TEST(DriverQuestions, TheCudaDriverIsAskedWhereNvmlDoesNotSuffice) {
  const std::string cuda =
      "cuDriverGetVersion = 12080\n"
      "cuDeviceGetCount = 2\n"
      "cuDeviceGet 1 = error 101\n"
      "cuDeviceGetName = \"NVIDIA H200\"\n"
      "cuDeviceGetAttribute = 9 0\n"
      "cuDeviceTotalMem_v2 = 150110011392\n"
      "cuDeviceGetUuid = 0x0123456789abcdef 0xfedcba9876543210\n"
      "cuDeviceGetPCIBusId = \"0000:00:06.0\"\n";
  EXPECT_EQ(Driver(std::string(kAll) + cuda).as_needed().cuda.library.state, AskState::not_tried);
  const DriverAnswers answers = Driver("nvmlInit_v2 = error 9\n" + cuda).as_needed();
  EXPECT_EQ(answers.nvml.library.state, AskState::init_failed);
  EXPECT_EQ(answers.cuda.library.state, AskState::ok);
  EXPECT_EQ(answers.cuda.cuda_driver_version.value, 12080U);
  EXPECT_EQ(answers.cuda.device_count.value, 2U);
  ASSERT_EQ(answers.cuda.devices.size(), 2U);
  const CudaDevice& device = answers.cuda.devices[0];
  EXPECT_EQ(device.name.value, "NVIDIA H200");
  EXPECT_EQ(device.compute_capability.value, "9.0");
  EXPECT_EQ(device.memory_total.value, 150110011392U);
  EXPECT_EQ(device.uuid.value, "GPU-01234567-89ab-cdef-fedc-ba9876543210");
  EXPECT_EQ(device.pci_bus_id.value, "0000:00:06.0");
  EXPECT_EQ(answers.cuda.devices[1].fault->code_name, "INVALID_DEVICE");
}

TEST(DriverQuestions, WhyCudaDoesNotStart) {
  const std::vector<std::pair<int, std::string>> errors = {{100, "NO_DEVICE"},
                                                           {803, "SYSTEM_DRIVER_MISMATCH"},
                                                           {804, "COMPAT_NOT_SUPPORTED_ON_DEVICE"},
                                                           {806, "MPS_RPC_FAILURE"},
                                                           {890, ""},
                                                           {999, "UNKNOWN"}};
  for (const auto& [code, name] : errors) {
    const CudaDriverAnswers answers = Driver(
                                          "cuDriverGetVersion = 13000\n"
                                          "cuGetErrorName 806 = \"CUDA_ERROR_MPS_RPC_FAILURE\"\n"
                                          "cuInit = error " +
                                          std::to_string(code) + "\n")
                                          .cuda();
    EXPECT_EQ(answers.library.state, AskState::init_failed);
    EXPECT_EQ(answers.library.fault->code, code);
    EXPECT_EQ(answers.library.fault->code_name, name);
    EXPECT_EQ(answers.cuda_driver_version.value, 13000U);
  }
}

TEST(DriverQuestions, ManyCardsAndProcessesAreBounded) {
  Driver driver(
      "nvmlDeviceGetCount_v2 = 4000000000\n"
      "nvmlDeviceGetComputeRunningProcesses_v3 = 500 1 0\n"
      "nvmlDeviceGetComputeRunningProcesses_v3 1 = 5000 1 0\n");
  const NvmlAnswers answers = driver.nvml();
  EXPECT_EQ(answers.library.state, AskState::ok);
  EXPECT_EQ(answers.device_count.value, 4000000000U);
  ASSERT_EQ(answers.devices.size(), 64U);
  EXPECT_EQ(answers.devices[0].compute_process_count.value, 500U);
  ASSERT_EQ(answers.devices[0].compute_processes.value->size(), 64U);
  EXPECT_FALSE(answers.devices[0].compute_processes.value->front().used_memory);
  EXPECT_EQ(answers.devices[1].compute_process_count.value, 5000U);
  EXPECT_TRUE(answers.devices[1].compute_processes.fault);
}

TEST(DriverQuestions, AMountedSystemIsNotAsked) {
  const FakeHost fake("linux");
  const DriverAnswers answers = ask_driver(fake.host());
  EXPECT_EQ(answers.nvml.library.state, AskState::not_tried);
  EXPECT_EQ(answers.cuda.library.state, AskState::not_tried);
}

TEST(DriverQuestions, AChildThatCannotStartIsNoAnswer) {
  AskOptions options;
  options.program = real_path(PLUMB_DOUBLES) + "/no such program";
  const DriverAnswers answers = ask_driver(this_host(), options);
  EXPECT_EQ(answers.nvml.library.state, AskState::no_answer);
  EXPECT_EQ(answers.nvml.library.detail, "no such file or folder");
}

TEST(DriverQuestions, LibrariesAreTakenFromTheSystemAlone) {
  FakeHost windows("windows");
  windows.host().system_folder = "C:\\Windows\\System32";
  windows.set("ProgramFiles", "D:\\Programs");
  const auto names = driver_library_candidates(windows.host(), DriverLibraryKind::nvml);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(base_name(names[0]), "nvml.dll");
  EXPECT_TRUE(names[0].starts_with("C:\\Windows\\System32"));
  EXPECT_EQ(names[1], "D:\\Programs\\NVIDIA Corporation\\NVSMI\\nvml.dll");
  EXPECT_EQ(driver_library_candidates(windows.host(), DriverLibraryKind::cuda).size(), 1U);
  FakeHost linux_host("linux");
  EXPECT_EQ(driver_library_candidates(linux_host.host(), DriverLibraryKind::nvml),
            std::vector<std::string>{"libnvidia-ml.so.1"});
  linux_host.set("PLUMB_CUDA_DRIVER", "/opt/libcuda.so.1");
  EXPECT_EQ(driver_library_candidates(linux_host.host(), DriverLibraryKind::cuda),
            std::vector<std::string>{"/opt/libcuda.so.1"});
}

}  // namespace
}  // namespace plumb
