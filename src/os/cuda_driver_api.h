// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of the CUDA driver's C interface that plumb asks, declared anew as in cuda.h (CUDA 11 to
// 13). None of these calls makes a context, so none takes memory of a card. The library is loaded
// by name at run time and any function may be missing from it.

#include <cstddef>
#include <string_view>

namespace plumb::cuda {

using Return = int;  // CUresult
using Device = int;

constexpr Return kSuccess = 0;
constexpr Return kNotSupported = 801;
constexpr Return kFunctionNotFound = 500;  // CUDA_ERROR_NOT_FOUND: given for a missing function

constexpr int kComputeCapabilityMajor = 75;  // CUdevice_attribute
constexpr int kComputeCapabilityMinor = 76;

struct Uuid {  // CUuuid
  char bytes[16];
};

using Init = Return(unsigned flags);
using DriverGetVersion = Return(int* version);
using GetErrorName = Return(Return error, const char** name);
using DeviceGet = Return(Device* device, int ordinal);
using DeviceGetCount = Return(int* count);
using DeviceGetText = Return(char* text, int length, Device device);  // name, PCI bus id
using DeviceGetAttribute = Return(int* value, int attribute, Device device);
using DeviceTotalMem = Return(std::size_t* bytes, Device device);
using DeviceGetUuid = Return(Uuid* uuid, Device device);

/// The names of the results that asking can end in, without CUDA_ERROR_; the driver itself knows
/// the others (cuGetErrorName). "" for a number unknown here.
[[nodiscard]] constexpr std::string_view error_name(Return code) {
  switch (code) {
    case 0:
      return "SUCCESS";
    case 1:
      return "INVALID_VALUE";
    case 2:
      return "OUT_OF_MEMORY";
    case 3:
      return "NOT_INITIALIZED";
    case 34:
      return "STUB_LIBRARY";
    case 36:
      return "CALL_REQUIRES_NEWER_DRIVER";
    case 46:
      return "DEVICE_UNAVAILABLE";
    case 100:
      return "NO_DEVICE";
    case 101:
      return "INVALID_DEVICE";
    case 102:
      return "DEVICE_NOT_LICENSED";
    case 214:
      return "ECC_UNCORRECTABLE";
    case 304:
      return "OPERATING_SYSTEM";
    case 500:
      return "NOT_FOUND";
    case 800:
      return "NOT_PERMITTED";
    case 801:
      return "NOT_SUPPORTED";
    case 802:
      return "SYSTEM_NOT_READY";
    case 803:
      return "SYSTEM_DRIVER_MISMATCH";
    case 804:
      return "COMPAT_NOT_SUPPORTED_ON_DEVICE";
    case 999:
      return "UNKNOWN";
    default:
      return {};
  }
}

}  // namespace plumb::cuda
