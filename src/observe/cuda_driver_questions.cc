// SPDX-License-Identifier: Apache-2.0
// The CUDA driver's questions, each value a line.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "observe/driver_asker.h"
#include "os/cuda_driver_api.h"

namespace plumb {
namespace {

using cuda::Device;
using cuda::Return;

constexpr std::size_t kLongestText = 256;

void ask_text(DriverAsker& ask, Device device, const char* fact, const char* call) {
  std::array<char, kLongestText> text{};
  const Return code =
      ask.call<cuda::DeviceGetText>({call}, text.data(), static_cast<int>(text.size()), device);
  ask.tell_fact(fact, code, std::string(text.begin(), std::ranges::find(text, '\0')));
}

// As NVML writes it.
std::string uuid_text(const cuda::Uuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

void ask_device(DriverAsker& ask, Device device) {
  ask_text(ask, device, "name", "cuDeviceGetName");
  int major = 0;
  int minor = 0;
  Return code = ask.call<cuda::DeviceGetAttribute>({"cuDeviceGetAttribute"}, &major,
                                                   cuda::kComputeCapabilityMajor, device);
  if (code == cuda::kSuccess) {
    code = ask.call<cuda::DeviceGetAttribute>({"cuDeviceGetAttribute"}, &minor,
                                              cuda::kComputeCapabilityMinor, device);
  }
  ask.tell_fact("compute_capability", code, std::to_string(major) + "." + std::to_string(minor));
  std::size_t bytes = 0;
  code = ask.call<cuda::DeviceTotalMem>({"cuDeviceTotalMem_v2"}, &bytes, device);
  ask.tell_fact("memory_total", code, bytes);
  cuda::Uuid uuid{};
  code = ask.call<cuda::DeviceGetUuid>({"cuDeviceGetUuid_v2", "cuDeviceGetUuid"}, &uuid, device);
  ask.tell_fact("uuid", code, uuid_text(uuid));
  ask_text(ask, device, "pci_bus_id", "cuDeviceGetPCIBusId");
}

}  // namespace

void ask_cuda_driver(DriverAsker& ask) {
  int version = 0;
  Return code = ask.call<cuda::DriverGetVersion>({"cuDriverGetVersion"}, &version);
  ask.tell_fact("cuda_driver_version", code, version);
  code = ask.call<cuda::Init>({"cuInit"}, 0U);
  ask.tell_init(code);
  if (code == cuda::kSuccess) {
    int count = 0;
    code = ask.call<cuda::DeviceGetCount>({"cuDeviceGetCount"}, &count);
    ask.tell_fact("device_count", code, count);
    count = code == cuda::kSuccess ? std::min(count, static_cast<int>(kMostDriverDevices)) : 0;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      ask.set_device(static_cast<unsigned>(ordinal));
      Device device = 0;
      code = ask.call<cuda::DeviceGet>({"cuDeviceGet"}, &device, ordinal);
      if (code != cuda::kSuccess) {
        ask.tell_no_handle(code);
        continue;
      }
      ask_device(ask, device);
    }
  }
  ask.tell_done();
}

}  // namespace plumb
