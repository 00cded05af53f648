// SPDX-License-Identifier: Apache-2.0
#include "observe/toolkits.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/version.h"
#include "os/file.h"

namespace plumb {
namespace {

/// "#define CUDA_VERSION 13000" -> "13.0"; the line stands near the head of a header of 1 MB.
std::string version_of_header(const std::string& folder) {
  const auto text = read_text_start(join_path(join_path(folder, "include"), "cuda.h"), 20'000);
  constexpr std::string_view kDefine = "#define CUDA_VERSION";
  const std::size_t at = text ? text->find(kDefine) : std::string::npos;
  if (at == std::string::npos) {
    return {};
  }
  const std::string_view line = std::string_view(*text).substr(
      at + kDefine.size(), text->find('\n', at) - at - kDefine.size());
  const auto number = parse_decimal(trim(line));
  return number && *number >= 1000 && *number < 100'000
             ? std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10)
             : std::string{};
}

/// "cuda-12.8" and "v12.8" -> "12.8".
std::string version_of_name(std::string_view name) {
  const std::size_t at = name.find_first_of("0123456789");
  const auto version =
      at == std::string_view::npos ? std::nullopt : Version::parse(name.substr(at));
  return version ? version->text() : std::string{};
}

class Collector {
 public:
  explicit Collector(const Host& host) : host_(host) {}

  void add(const std::string& folder, const std::string& origin) {
    const std::string real = real_path(host_.at(folder));
    const bool has_parts =
        std::ranges::any_of(std::array{"bin", "lib64", "include", "lib"},
                            [&](const char* part) { return is_folder(join_path(real, part)); });
    if (!has_parts || std::ranges::find(seen_, real) != seen_.end()) {
      return;
    }
    seen_.push_back(real);
    std::string version = version_of_header(real);
    if (version.empty()) {
      version = version_of_name(file_name(real));
    }
    found_.push_back({version, folder, origin});
  }

  void add_children(const std::string& folder, std::string_view prefix) {
    const auto entries = list_directory(host_.at(folder));
    if (!entries) {
      return;
    }
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular && entry.name.starts_with(prefix) &&
          !version_of_name(entry.name).empty()) {
        add(join_path(folder, entry.name), folder);
      }
    }
  }

  [[nodiscard]] std::vector<Toolkit> take() {
    std::ranges::stable_sort(found_, std::ranges::greater{}, [](const Toolkit& toolkit) {
      return Version::parse(toolkit.version).value_or(Version{});
    });
    return std::move(found_);
  }

 private:
  const Host& host_;
  std::vector<std::string> seen_;
  std::vector<Toolkit> found_;
};

}  // namespace

std::vector<Toolkit> observe_toolkits(const Host& host) {
  Collector collector(host);
  if (host.is_windows()) {
    const std::string programs =
        host.root.empty()
            ? host.set_variable("ProgramW6432")
                  .value_or(host.set_variable("ProgramFiles").value_or("C:\\Program Files"))
            : "/Program Files";
    collector.add_children(join_path(join_path(programs, "NVIDIA GPU Computing Toolkit"), "CUDA"),
                           "v");
  } else {
    collector.add_children("/usr/local", "cuda-");
    collector.add("/opt/cuda", "/opt");
  }
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const auto folder = host.set_variable(name)) {
      collector.add(*folder, name);
    }
  }
  return collector.take();
}

}  // namespace plumb
