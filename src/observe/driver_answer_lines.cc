// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_answer_lines.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "observe/driver_asker.h"
#include "os/cuda_driver_api.h"
#include "os/nvml_api.h"

namespace plumb {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = 1U << 16U;
constexpr std::size_t kLongestText = 4096;

std::string text_of(const json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end() || !at->is_string()) {
    return {};
  }
  return at->get_ref<const std::string&>().substr(0, kLongestText);
}

std::optional<std::int64_t> number_of(const json& value) {
  if (!value.is_number_integer()) {
    return std::nullopt;
  }
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> number_of(const json& line, const char* key) {
  const auto at = line.find(key);
  return at == line.end() ? std::nullopt : number_of(*at);
}

std::optional<CallFault> fault_of(const json& line, const char* key) {
  const auto code = number_of(line, "code");
  if (!code || *code == 0 || !std::in_range<int>(*code)) {
    return std::nullopt;
  }
  return CallFault{text_of(line, key), static_cast<int>(*code), text_of(line, "name")};
}

// Each reads one type of value; false if it is of another shape.

bool read(const json& value, std::string& out) {
  if (!value.is_string()) {
    return false;
  }
  out = value.get_ref<const std::string&>().substr(0, kLongestText);
  return true;
}

bool read(const json& value, bool& out) {
  const auto number = number_of(value);
  out = number == 1;
  return number == 0 || number == 1;
}

bool read(const json& value, std::uint64_t& out) {
  if (!value.is_number_unsigned()) {
    return false;
  }
  out = value.get<std::uint64_t>();
  return true;
}

template <class T>
  requires std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t>
bool read(const json& value, T& out) {
  const auto number = number_of(value);
  if (!number || !std::in_range<T>(*number)) {
    return false;
  }
  out = static_cast<T>(*number);
  return true;
}

template <class T>
  requires std::is_enum_v<T>
bool read(const json& value, T& out) {
  const auto number = number_of(value);
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(std::size(enum_names(out)))) {
    return false;
  }
  out = static_cast<T>(*number);
  return true;
}

bool read(const json& value, std::vector<ComputeProcess>& out) {
  if (!value.is_array()) {
    return false;
  }
  for (const json& entry : value) {
    ComputeProcess process;
    const auto pid = entry.is_object() ? entry.find("pid") : entry.end();
    if (out.size() == kMostComputeProcesses || pid == entry.end() || !read(*pid, process.pid)) {
      return out.size() == kMostComputeProcesses;
    }
    const std::string memory_origin = "nvmlDeviceGetComputeRunningProcesses";
    process.used_memory = Fact<std::uint64_t>::absent(memory_origin);
    std::uint64_t memory = 0;
    if (const auto at = entry.find("used_memory"); at != entry.end() && read(*at, memory)) {
      process.used_memory = Fact<std::uint64_t>::present(memory, memory_origin);
    }
    const std::string name = text_of(entry, "name");
    process.name = name.empty() ? Fact<std::string>::absent("nvmlSystemGetProcessName")
                                : Fact<std::string>::present(name, "nvmlSystemGetProcessName");
    out.push_back(std::move(process));
  }
  return true;
}

ErrorCode error_code_of(int code, bool nvml) {
  constexpr int kNvmlNoPermission = 4;
  constexpr int kCudaNotPermitted = 800;
  return code == (nvml ? kNvmlNoPermission : kCudaNotPermitted) ? ErrorCode::no_permission
                                                                : ErrorCode::io;
}

bool means_absent(int code, bool nvml) {
  return nvml ? code == nvml::kNotSupported || code == nvml::kFunctionNotFound
              : code == cuda::kNotSupported || code == cuda::kFunctionNotFound;
}

template <class T>
Fact<T> fact_of(const json& line, bool nvml) {
  const std::string origin = text_of(line, "call");
  if (const auto fault = fault_of(line, "call")) {
    if (means_absent(fault->code, nvml)) {
      return Fact<T>::absent(origin);
    }
    const std::string number = std::to_string(fault->code);
    const std::string name =
        fault->code_name.empty() ? "error " + number : fault->code_name + " (" + number + ")";
    return Fact<T>::unreadable({error_code_of(fault->code, nvml), name, origin, {}}, origin);
  }
  T value{};
  const auto at = line.find("value");
  if (at == line.end() || !read(*at, value)) {
    const std::string shown =
        at == line.end() ? "nothing"
                         : at->dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60);
    return Fact<T>::unreadable({ErrorCode::unsupported, "the answer is " + shown, origin, {}},
                               origin);
  }
  return Fact<T>::present(std::move(value), origin);
}

// Sets the one fact of that name.
struct FactSetter {
  const json& line;
  std::string wanted;
  bool nvml;

  template <class T>
  void operator()(std::string_view name, Fact<T>& fact) {
    if (name == wanted) {
      fact = fact_of<T>(line, nvml);
    }
  }
  template <class T>
  void operator()(std::string_view /*name*/, T& /*other*/) {}
};

// NVML's number as people call it; one that is new stays a number.
void name_architecture(json& line) {
  constexpr std::array<std::string_view, 14> kNames{
      "",       "",    "Kepler", "Maxwell",   "Pascal", "Volta", "Turing",
      "Ampere", "Ada", "Hopper", "Blackwell", "",       "",      "Rubin"};  // NVML_DEVICE_ARCH_*
  const auto number = number_of(line, "value");
  if (text_of(line, "fact") != "architecture" || !number) {
    return;
  }
  const bool known = std::cmp_less(*number, kNames.size()) && *number >= 0 &&
                     !kNames[static_cast<std::size_t>(*number)].empty();
  line["value"] =
      known ? std::string(kNames[static_cast<std::size_t>(*number)]) : std::to_string(*number);
}

// The object that ends the line: a library's own words, without a line's end, may stand before it.
json object_of(std::string_view line) {
  constexpr int kMostTries = 8;
  std::size_t at = line.find("{\"");
  for (int i = 0; i < kMostTries && at != std::string_view::npos; ++i) {
    json object = json::parse(line.substr(at), nullptr, false);
    if (object.is_object()) {
      return object;
    }
    at = line.find("{\"", at + 1);
  }
  return nullptr;
}

template <class Answers>
class LineReader {
 public:
  explicit LineReader(bool nvml) : nvml_(nvml) {}

  Answers read_all(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      if (line.size() <= kLongestLine) {
        if (json object = object_of(line); object.is_object()) {
          read_line(object);
        }
      }
    }
    AskedLibrary& library = answers_.library;
    if (library.state != AskState::load_failed) {
      library.state = !done_          ? AskState::no_answer
                      : library.fault ? AskState::init_failed
                                      : AskState::ok;
    }
    return std::move(answers_);
  }

 private:
  using Device = typename decltype(Answers::devices)::value_type;

  void read_line(json& line) {
    AskedLibrary& library = answers_.library;
    if (line.contains("begin")) {
      library.last_call = text_of(line, "begin");
      const auto device = number_of(line, "device");
      library.last_device = device && std::in_range<std::uint32_t>(*device)
                                ? std::optional(static_cast<std::uint32_t>(*device))
                                : std::nullopt;
      return;
    }
    library.last_call.clear();
    library.last_device.reset();
    if (line.contains("loaded")) {
      library.library = text_of(line, "loaded");
    } else if (line.contains("load_failed")) {
      library.state = AskState::load_failed;
      library.library = text_of(line, "library");
      library.detail = text_of(line, "load_failed");
    } else if (line.contains("init")) {
      library.fault = fault_of(line, "init");
    } else if (line.contains("done")) {
      done_ = true;
    } else if (line.contains("no_handle")) {
      if (Device* device = device_of(line)) {
        device->fault = fault_of(line, "no_handle");
      }
    } else {
      read_fact(line);
    }
  }

  void read_fact(json& line) {
    name_architecture(line);
    FactSetter setter{line, text_of(line, "fact"), nvml_};
    if (!line.contains("device")) {
      fields(setter, answers_);
    } else if (Device* device = device_of(line)) {
      fields(setter, *device);
    }
  }

  // Devices come in order, each a new one or the last.
  Device* device_of(const json& line) {
    const auto index = number_of(line, "device");
    auto& devices = answers_.devices;
    if (!index || *index < 0 || *index >= std::int64_t{kMostDriverDevices}) {
      return nullptr;
    }
    const auto at = std::ranges::find(devices, static_cast<std::uint32_t>(*index), &Device::index);
    if (at != devices.end()) {
      return &*at;
    }
    devices.emplace_back().index = static_cast<std::uint32_t>(*index);
    return &devices.back();
  }

  bool nvml_;
  bool done_ = false;
  Answers answers_;
};

}  // namespace

NvmlAnswers parse_nvml_lines(std::string_view text) {
  return LineReader<NvmlAnswers>(true).read_all(text);
}

CudaDriverAnswers parse_cuda_driver_lines(std::string_view text) {
  return LineReader<CudaDriverAnswers>(false).read_all(text);
}

}  // namespace plumb
