// SPDX-License-Identifier: Apache-2.0
#pragma once
// The child's side of asking a driver library: calls it and tells each step as one line of JSON
// before the next, so that what was known before a hang or crash is known. The lines, read by
// driver_answer_lines.h:
//
//   {"loaded": "/usr/lib/libcuda.so.1"}            the library was loaded
//   {"load_failed": "loader's text", "library": "libcuda.so.1"}
//   {"begin": "nvmlInit_v2"}                       the call is made now; "device" as below
//   {"init": "nvmlInit_v2", "code": 18, "name": "LIB_RM_VERSION_MISMATCH"}
//   {"fact": "driver_version", "call": "nvmlSystemGetDriverVersion", "code": 0, "value": "570.1"}
//   {"fact": "name", "device": 0, "call": ..., "code": 15, "name": "GPU_IS_LOST"}
//   {"no_handle": "nvmlDeviceGetHandleByIndex_v2", "device": 1, "code": 15, "name": ...}
//   {"done": true}

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "observe/driver_questions.h"
#include "os/cuda_driver_api.h"
#include "os/nvml_api.h"
#include "os/shared_library.h"

namespace plumb {

constexpr unsigned kMostDriverDevices = 64;     // that are asked
constexpr unsigned kMostComputeProcesses = 64;  // that are told

/// The line's text; what is no UTF-8 in it is told with U+FFFD in its place.
[[nodiscard]] inline std::string driver_line(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class DriverAsker {
 public:
  /// `nvml`: the codes are NVML's, else the CUDA driver's.
  DriverAsker(SharedLibrary library, WriteLine write, bool nvml)
      : library_(library), write_(std::move(write)), nvml_(nvml) {}

  /// Calls the first of `names` that the library has; none is the error FUNCTION_NOT_FOUND or
  /// NOT_FOUND.
  template <class F, class... Arguments>
  int call(std::initializer_list<const char*> names, Arguments... arguments) {
    call_ = *names.begin();
    for (const char* name : names) {
      F* function = nullptr;
      if (library_.find(name, function)) {
        call_ = name;
        nlohmann::json line = {{"begin", name}};
        add_device(line);
        tell(line);
        return function(arguments...);
      }
    }
    return nvml_ ? nvml::kFunctionNotFound : cuda::kFunctionNotFound;
  }

  [[nodiscard]] const std::string& last_call() const { return call_; }
  /// What follows is about this device.
  void set_device(unsigned device) { device_ = device; }

  /// The last call's result, as the value of a fact (facts/driver_answers.h has the names).
  void tell_fact(const char* fact, int code, nlohmann::json value) {
    tell_fact_of(call_, fact, code, std::move(value));
  }
  void tell_fact_of(const std::string& call, const char* fact, int code, nlohmann::json value) {
    nlohmann::json line = {{"fact", fact}, {"call", call}};
    if (code == 0) {
      line["value"] = std::move(value);
    }
    tell_result(std::move(line), code);
  }
  void tell_init(int code) { tell_result({{"init", call_}}, code); }
  void tell_no_handle(int code) { tell_result({{"no_handle", call_}}, code); }
  void tell_done() { tell({{"done", true}}); }

 private:
  void tell_result(nlohmann::json line, int code) {
    line["code"] = code;
    if (code != 0) {
      line["name"] = error_name(code);
    }
    add_device(line);
    tell(line);
  }
  [[nodiscard]] std::string error_name(int code) const {
    std::string name(nvml_ ? nvml::error_name(code) : cuda::error_name(code));
    const char* told = nullptr;
    cuda::GetErrorName* name_of = nullptr;
    if (name.empty() && !nvml_ && library_.find("cuGetErrorName", name_of) &&
        name_of(code, &told) == cuda::kSuccess && told != nullptr) {
      constexpr std::string_view kPrefix = "CUDA_ERROR_";
      name = told;
      name.erase(0, name.starts_with(kPrefix) ? kPrefix.size() : 0);
    }
    return name;
  }
  void add_device(nlohmann::json& line) const {
    if (device_) {
      line["device"] = *device_;
    }
  }
  void tell(const nlohmann::json& line) const { write_(driver_line(line)); }

  SharedLibrary library_;
  WriteLine write_;
  bool nvml_;
  std::string call_;
  std::optional<unsigned> device_;
};

/// All of NVML's questions, and all of the CUDA driver's. No context is made.
void ask_nvml(DriverAsker& ask);
void ask_cuda_driver(DriverAsker& ask);

}  // namespace plumb
