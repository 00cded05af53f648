// SPDX-License-Identifier: Apache-2.0
// NVIDIA's container toolkit on the host: config.toml (api/config/v1 of nvidia-container-toolkit),
// Docker's daemon.json, containerd's config.toml and the specs of the Container Device Interface.
// YAML is not parsed: the names of driver libraries in it carry all that matters here.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "observe/container_state.h"
#include "observe/ini_lines.h"
#include "observe/text_fact.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSpecs = 32;
constexpr std::uint64_t kLargestSpec = 8 << 20;

void read_config(const Host& host, ContainerToolkit& toolkit) {
  std::vector<std::string> places;
  if (auto path = host.set_variable("NVIDIA_CTK_CONFIG_FILE_PATH")) {
    places.push_back(*std::move(path));
  }
  if (const auto folder = host.set_variable("XDG_CONFIG_HOME")) {
    places.push_back(*folder + "/nvidia-container-runtime/config.toml");
  }
  places.emplace_back("/etc/nvidia-container-runtime/config.toml");
  toolkit.mode = Fact<std::string>::absent(places.back());
  toolkit.no_cgroups = Fact<bool>::absent(places.back());
  for (const std::string& path : places) {
    const auto text = read_text_file(host.at(path));
    if (!text && text.error().code == ErrorCode::not_found) {
      continue;
    }
    if (!text) {
      toolkit.mode = Fact<std::string>::unreadable(text.error(), path);
      toolkit.no_cgroups = Fact<bool>::unreadable(text.error(), path);
      return;
    }
    const auto settings = parse_ini_lines(*text);
    if (auto mode = find_setting(settings, "nvidia-container-runtime", "mode")) {
      toolkit.mode = Fact<std::string>::present(*std::move(mode), path);
    }
    if (const auto value = find_setting(settings, "nvidia-container-cli", "no-cgroups")) {
      toolkit.no_cgroups = Fact<bool>::present(*value == "true", path);
    }
    return;
  }
}

void read_docker(const Host& host, ContainerToolkit& toolkit) {
  const std::string path = "/etc/docker/daemon.json";
  using nlohmann::json;
  const auto read = fact_of_file<json>(host, path, [](std::string_view text) {
    json parsed = json::parse(text, nullptr, false, true);
    return parsed.is_object() ? std::optional(std::move(parsed)) : std::nullopt;
  });
  if (!read) {
    toolkit.docker_has_nvidia = {{}, path, read.fault};
    toolkit.docker_default = {{}, path, read.fault};
    return;
  }
  const json& settings = *read.value;
  const auto runtimes = settings.find("runtimes");
  toolkit.docker_has_nvidia = Fact<bool>::present(
      runtimes != settings.end() && runtimes->is_object() && runtimes->contains("nvidia"), path);
  const auto chosen = settings.find("default-runtime");
  toolkit.docker_default = chosen != settings.end() && chosen->is_string()
                               ? Fact<std::string>::present(chosen->get<std::string>(), path)
                               : Fact<std::string>::absent(path);
}

/// "kind: nvidia.com/gpu" or "\"kind\": \"nvidia.com/gpu\"": the first of them is the spec's own.
std::string kind_of_spec(std::string_view text) {
  const std::size_t at = text.find("kind");
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = text.substr(at + 4, 200);
  rest = rest.substr(std::min(rest.find_first_not_of("\": \t"), rest.size()));
  return std::string(rest.substr(0, rest.find_first_of("\"', \t\r\n")));
}

void read_specs(const Host& host, const std::string& folder, ContainerToolkit& toolkit) {
  const auto entries = list_directory(host.at(folder));
  if (!entries) {
    if (entries.error().code != ErrorCode::not_found) {
      toolkit.faults.push_back(Error(entries.error()).in(folder));
    }
    return;
  }
  const Fact<std::string> loaded = fact_of_line(host, "/sys/module/nvidia/version");
  for (const DirectoryEntry& entry : *entries) {
    const bool is_spec = entry.name.ends_with(".yaml") || entry.name.ends_with(".yml") ||
                         entry.name.ends_with(".json");
    if (!is_spec || toolkit.cdi.size() + toolkit.faults.size() >= kMostSpecs) {
      continue;
    }
    CdiSpec spec;
    spec.origin = folder + "/" + entry.name;
    const auto text = read_text_file(host.at(spec.origin), kLargestSpec);
    if (!text) {
      toolkit.faults.push_back(Error(text.error()).in(spec.origin));
      continue;
    }
    spec.kind = kind_of_spec(*text);
    spec.driver_versions = driver_versions_in(*text);
    spec.stale =
        loaded && !spec.driver_versions.empty() &&
        std::ranges::find(spec.driver_versions, *loaded.value) == spec.driver_versions.end();
    toolkit.cdi.push_back(std::move(spec));
  }
}

}  // namespace

ContainerToolkit observe_container_toolkit(const Host& host) {
  ContainerToolkit toolkit;
  read_config(host, toolkit);
  read_docker(host, toolkit);
  toolkit.containerd_has_nvidia =
      fact_of_file<bool>(host, "/etc/containerd/config.toml", [](std::string_view text) {
        return std::optional(std::ranges::any_of(split(text, '\n'), [](std::string_view line) {
          return trim(line).starts_with('[') &&
                 line.find("runtimes.nvidia") != std::string_view::npos;
        }));
      });
  for (const char* program : {"/usr/bin/nvidia-ctk", "/usr/bin/nvidia-container-cli",
                              "/usr/bin/nvidia-container-runtime", "/usr/bin/nvidia-cdi-hook"}) {
    if (is_file(host.at(program))) {
      toolkit.programs.emplace_back(program);
    }
  }
  read_specs(host, "/etc/cdi", toolkit);
  // /var/run is a link to /run nearly everywhere.
  read_specs(host, is_folder(host.at("/run/cdi")) ? "/run/cdi" : "/var/run/cdi", toolkit);
  return toolkit;
}

}  // namespace plumb
