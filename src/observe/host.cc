// SPDX-License-Identifier: Apache-2.0
#include "observe/host.h"

#include <algorithm>

#include "base/source.h"
#include "os/environment.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr const char* kRegistryExport = "registry.reg";
constexpr std::uint64_t kLargestExport = 256 << 20;

}  // namespace

std::string Host::at(std::string_view absolute) const {
  if (root.empty()) {
    return std::string(absolute);
  }
  std::string relative(
      absolute.substr(std::min(absolute.find_first_not_of("/\\"), absolute.size())));
  std::ranges::replace(relative, '/', path_separator());
  return join_path(root, relative);
}

std::optional<std::string> Host::set_variable(const std::string& name) const {
  auto value = variable ? variable(name) : std::nullopt;
  return value && !value->empty() ? value : std::nullopt;
}

Host this_host() {
  Host host;
  host.system = system_name();
  host.machine = machine_name();
  host.variable = get_environment;
  host.variable_names = environment_names;
  host.home = home_folder();
  host.current_folder = real_path(".");
  host.system_folder = system_folder();
  host.registry = system_registry();
  return host;
}

Host mounted_host(const std::string& root) {
  Host host;
  host.machine = machine_name();
  host.root = root;
  host.variable = [](const std::string&) { return std::optional<std::string>(); };
  const std::string system32 = join_path(join_path(root, "Windows"), "System32");
  host.system = is_folder(system32) ? "windows" : "linux";
  if (host.is_windows()) {
    host.system_folder = system32;
    if (const auto text = read_text_file(join_path(root, kRegistryExport), kLargestExport)) {
      host.registry = registry_of_export(*text);
    }
  } else {
    host.variable = [](const std::string& name) {
      return name == "PATH" ? std::optional<std::string>("/usr/local/bin:/usr/bin:/bin")
                            : std::nullopt;
    };
  }
  return host;
}

Result<std::string> read_text_start(const std::string& path, std::uint64_t limit) {
  PLUMB_ASSIGN(auto file, open_file(path));
  const std::uint64_t length = std::min(file->size(), limit);
  std::string text(static_cast<std::size_t>(length), '\0');
  PLUMB_TRY(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

bool is_folder(const std::string& path) {
  const auto status = file_status(path);
  return status && status->kind == FileKind::directory;
}

bool is_file(const std::string& path) {
  const auto status = file_status(path);
  return status && status->kind == FileKind::regular;
}

}  // namespace plumb
