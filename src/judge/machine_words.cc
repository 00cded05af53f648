// SPDX-License-Identifier: Apache-2.0
// What is said of the card and of Python. driver_words.cc and framework_words.cc have the rest.

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"
#include "judge/check_words.h"

namespace plumb::words {
namespace {

std::string hex4(std::uint16_t number) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04x", static_cast<unsigned>(number));
  return text.data();
}

std::string kind_text(const PythonEnvironment& environment) {
  switch (environment.kind) {
    case EnvironmentKind::venv:
      return environment.found_by == FoundBy::dot_venv ? " (venv, not activated)" : " (venv)";
    case EnvironmentKind::conda:
      return " (conda)";
    case EnvironmentKind::store:
      return " (Microsoft Store)";
    case EnvironmentKind::system:
    case EnvironmentKind::folder:
      break;
  }
  return "";
}

std::string found_text(const PythonEnvironment& environment) {
  switch (environment.found_by) {
    case FoundBy::option:
      return "named by --env";
    case FoundBy::virtual_env:
      return "named by VIRTUAL_ENV";
    case FoundBy::conda_prefix:
      return "named by CONDA_PREFIX";
    case FoundBy::dot_venv:
      return "a .venv in this folder or above";
    case FoundBy::path:
      break;
  }
  return "the first python on PATH";
}

}  // namespace

std::string short_card(const Card& card) {
  std::string_view name = card.name;
  if (name.starts_with("compute capability")) {
    return "card of " + card.name;
  }
  if (name.starts_with("GeForce ")) {
    name.remove_prefix(8);
  }
  return std::string(name);
}

std::string card_and_cc(const Card& card) {
  return card.name.starts_with("compute capability")
             ? short_card(card)
             : short_card(card) + " (" + card.cc.text() + ")";
}

std::string whole_card(const Card& card, std::size_t count) {
  const std::string times = count > 1 ? std::to_string(count) + " × " : "";
  return times + "NVIDIA " + card.name + ", compute capability " + card.cc.text();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string short_path(std::string_view path) {
  const auto last_of = [](std::string_view text) {
    return text.substr(text.find_last_of("/\\") + 1);
  };
  const std::string_view name = last_of(path);
  if (name.empty() || name.size() + 1 >= path.size()) {
    return std::string(path);
  }
  const std::string_view above = path.substr(0, path.size() - name.size() - 1);
  return std::string(last_of(above) == "envs" ? path.substr(above.size() - 4) : name);
}

std::string environment_name(const PythonEnvironment& environment) {
  return environment.kind == EnvironmentKind::system ? environment.root
                                                     : short_path(environment.root);
}

std::string named_card(const Card& card) {
  return card.name.starts_with("compute capability")
             ? "a " + short_card(card) + ", named by --gpu"
             : card.name + ", compute capability " + card.cc.text() + ", named by --gpu";
}

std::string unknown_card(const SeenCard& card) {
  return "NVIDIA device 10de:" + hex4(card.device) +
         ", not in plumb's tables; `--gpu` names it for plumb";
}

std::string bus_unreadable(const Error& error) {
  return "the PCI bus could not be read: " + error.what;
}

std::string no_pci_in_wsl() {
  return "WSL does not show which card it is; `--gpu NAME` tells plumb";
}

std::string driver_without_card() {
  return "a driver is loaded, but the PCI bus shows no NVIDIA card; `--gpu NAME` tells plumb";
}

std::string none_found() {
  return "no NVIDIA card";
}

Finding gpu_absent(const MachineFacts& machine) {
  Finding finding;
  finding.code = "gpu.absent";
  finding.layer = "hardware";
  finding.certainty = machine.system.container_mark.empty() ? Certainty::proven : Certainty::likely;
  finding.summary = "there is no NVIDIA card on this machine";
  finding.why = "The PCI bus shows no display device of NVIDIA, and no driver of NVIDIA is loaded.";
  finding.evidence.push_back(
      {"no device of vendor 10de in class display",
       machine.system.name == "windows" ? "configuration manager" : "/sys/bus/pci/devices"});
  if (!machine.system.container_mark.empty()) {
    finding.evidence.push_back(
        {"this is a container, which may hide the host's bus", machine.system.container_mark});
  }
  finding.next.push_back(
      {"plumb check --gpu \"RTX 4090\"", "judges this environment for a card that you name", true});
  return finding;
}

std::string python_ok(const PythonEnvironment& environment) {
  const std::string version =
      environment.python_version ? *environment.python_version.value : "version not told";
  if (environment.kind == EnvironmentKind::folder) {
    return "a folder of packages, " + short_path(environment.root);
  }
  return version + "  " + environment_name(environment) + kind_text(environment);
}

std::string python_detail(const PythonEnvironment& environment) {
  std::string text = environment.root + ", " + found_text(environment);
  for (const std::string& site : environment.site_packages) {
    text += "\n" + site;
  }
  return text;
}

Finding python_absent(const MachineFacts& machine) {
  Finding finding;
  finding.code = "python.absent";
  finding.layer = "python";
  finding.certainty = Certainty::proven;
  if (machine.store_stub) {
    finding.summary = "there is no Python: `python` here only opens the Microsoft Store";
    finding.why = "Windows puts an entry named python.exe on PATH that is no Python.";
  } else {
    finding.summary = "no Python environment was found";
    finding.why =
        "No environment is active, this folder has no .venv, and PATH has neither python nor "
        "python3.";
  }
  finding.evidence.push_back(
      {"VIRTUAL_ENV, CONDA_PREFIX, .venv and PATH were looked at, in this order", ""});
  finding.next.push_back(
      {"plumb check --env PATH", "where PATH is the environment's folder", true});
  return finding;
}

Finding environment_unreadable(const Error& error) {
  Finding finding;
  finding.code = "python.absent";
  finding.layer = "python";
  finding.summary = "`" + error.where + "` is no Python environment";
  finding.why =
      error.code == ErrorCode::not_found
          ? "There is no such folder."
          : "It has no pyvenv.cfg, no conda-meta and no lib/pythonX.Y: " + error.what + ".";
  finding.evidence.push_back({error.where, "--env"});
  return finding;
}

Finding wrong_environment(const PythonEnvironment& environment) {
  Finding finding;
  finding.code = "python.wrong_env";
  finding.layer = "python";
  finding.severity = Severity::warning;
  finding.certainty = Certainty::likely;
  finding.summary = "`python` starts another environment than the one that is active";
  finding.why = "The active one is " + environment_name(environment) + "; `python` on PATH is " +
                environment.path_python + ".";
  finding.evidence.push_back({environment.root, environment.found_by == FoundBy::virtual_env
                                                    ? "VIRTUAL_ENV"
                                                    : "CONDA_PREFIX"});
  finding.evidence.push_back({environment.path_python, "PATH"});
  finding.next.push_back({"open a new terminal and activate one environment only", "", false});
  return finding;
}

Finding no_framework(const MachineFacts& machine) {
  Finding finding;
  finding.code = "framework.absent";
  finding.layer = "python";
  finding.severity = Severity::warning;
  const PythonEnvironment& environment = *machine.python.value;
  finding.summary = "no GPU framework is installed in " + environment_name(environment);
  finding.why = "Of " + std::to_string(machine.distributions.size()) +
                " packages none is PyTorch, PaddlePaddle, TensorFlow, ONNX Runtime, JAX or CuPy.";
  for (const std::string& site : environment.site_packages) {
    finding.evidence.push_back({site, found_text(environment)});
  }
  finding.next.push_back({"plumb check --env PATH", "if you meant another environment", true});
  return finding;
}

}  // namespace plumb::words
