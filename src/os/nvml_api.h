// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of NVML's C interface that plumb asks, declared anew: names, layouts and numbers as in
// nvml.h of API 12 and 13 (CUDA 12.9 and 13.0). The library is loaded by name at run time and any
// function may be missing from it, for each driver has its own. Calls take and give what nvml.h
// says; strings end in a NUL.

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::nvml {

struct DeviceHandle;  // opaque
using Device = DeviceHandle*;
using Return = int;

constexpr Return kSuccess = 0;
constexpr Return kNotSupported = 3;
constexpr Return kInsufficientSize = 7;
constexpr Return kFunctionNotFound = 13;

/// "DRIVER_NOT_LOADED" for 9: nvmlReturn_t without its NVML_ERROR_; "" for a number unknown here.
[[nodiscard]] constexpr std::string_view error_name(Return code) {
  constexpr auto kNames = std::to_array<std::string_view>({"SUCCESS",
                                                           "UNINITIALIZED",
                                                           "INVALID_ARGUMENT",
                                                           "NOT_SUPPORTED",
                                                           "NO_PERMISSION",
                                                           "ALREADY_INITIALIZED",
                                                           "NOT_FOUND",
                                                           "INSUFFICIENT_SIZE",
                                                           "INSUFFICIENT_POWER",
                                                           "DRIVER_NOT_LOADED",
                                                           "TIMEOUT",
                                                           "IRQ_ISSUE",
                                                           "LIBRARY_NOT_FOUND",
                                                           "FUNCTION_NOT_FOUND",
                                                           "CORRUPTED_INFOROM",
                                                           "GPU_IS_LOST",
                                                           "RESET_REQUIRED",
                                                           "OPERATING_SYSTEM",
                                                           "LIB_RM_VERSION_MISMATCH",
                                                           "IN_USE",
                                                           "MEMORY",
                                                           "NO_DATA",
                                                           "VGPU_ECC_NOT_SUPPORTED",
                                                           "INSUFFICIENT_RESOURCES",
                                                           "FREQ_NOT_SUPPORTED",
                                                           "ARGUMENT_VERSION_MISMATCH",
                                                           "DEPRECATED",
                                                           "NOT_READY",
                                                           "GPU_NOT_FOUND",
                                                           "INVALID_STATE",
                                                           "RESET_TYPE_NOT_SUPPORTED"});
  constexpr Return kUnknown = 999;
  if (code == kUnknown) {
    return "UNKNOWN";
  }
  return code >= 0 && static_cast<std::size_t>(code) < kNames.size()
             ? kNames[static_cast<std::size_t>(code)]
             : std::string_view{};
}

constexpr std::size_t kLongestText = 256;  // more than any of nvml.h's buffer sizes (at most 96)

struct PciInfo {  // nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3
  char bus_id_legacy[16];
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t pci_device_id;
  std::uint32_t pci_subsystem_id;
  char bus_id[32];  // "00000000:01:00.0"
};
static_assert(sizeof(PciInfo) == 68);

struct Memory {  // nvmlMemory_t; bytes
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;  // with what is reserved
};

struct MemoryV2 {  // nvmlMemory_v2_t; bytes
  std::uint32_t version;
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t free;
  std::uint64_t used;
};
static_assert(sizeof(MemoryV2) == 40);

/// NVML_STRUCT_VERSION
template <class T>
constexpr std::uint32_t struct_version(std::uint32_t version) {
  return static_cast<std::uint32_t>(sizeof(T)) | version << 24U;
}

struct Bar1Memory {  // nvmlBAR1Memory_t; bytes
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};

struct Utilization {  // nvmlUtilization_t; percent of the last sample's time
  std::uint32_t gpu;
  std::uint32_t memory;
};

struct ProcessInfo {  // nvmlProcessInfo_t of GetComputeRunningProcesses_v2 and _v3
  std::uint32_t pid;
  std::uint64_t used_memory;  // bytes; kNotAvailable under WDDM
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0};  // NVML_VALUE_NOT_AVAILABLE

struct TemperatureV1 {  // nvmlTemperature_v1_t of GetTemperatureV
  std::uint32_t version;
  std::uint32_t sensor;
  std::int32_t temperature;  // degrees Celsius
};
static_assert(sizeof(TemperatureV1) == 12);

enum class Clock : int { graphics = 0, sm = 1, memory = 2, video = 3 };
constexpr int kTemperatureOfGpu = 0;  // NVML_TEMPERATURE_GPU

using NoArguments = Return();
using GetSystemText = Return(char* text, unsigned length);
using GetSystemInt = Return(int* value);
using GetSystemCount = Return(unsigned* value);
using GetHandle = Return(unsigned index, Device* device);
using GetText = Return(Device device, char* text, unsigned length);
using GetShortText = Return(Device device, char* text);  // GSP firmware: 64 bytes
using GetNumber = Return(Device device, unsigned* value);
using GetTwoNumbers = Return(Device device, unsigned* first, unsigned* second);
using GetTwoInts = Return(Device device, int* first, int* second);
using GetBits = Return(Device device, unsigned long long* bits);
using GetOfKind = Return(Device device, int kind, unsigned* value);  // clocks, temperatures
using GetProcesses = Return(Device device, unsigned* count, ProcessInfo* processes);
using GetProcessName = Return(unsigned pid, char* text, unsigned length);
template <class T>
using GetStruct = Return(Device device, T* value);

}  // namespace plumb::nvml
