// SPDX-License-Identifier: Apache-2.0
#include "report/check_json.h"

#include <array>
#include <cstdio>

#include "report/gpu_targets.h"
#include "report/json_values.h"

namespace plumb {
namespace {

/// Present, absent (null) or unreadable (with an error), each with where it was looked for.
Json fact_json(const Fact<std::string>& fact) {
  Json json = {{"value", fact ? clean(*fact.value) : Json(nullptr)},
               {"origin", or_null(fact.origin)}};
  if (fact.fault) {
    json["error"] = error_json(*fact.fault);
  }
  return json;
}

std::string_view kind_name(EnvironmentKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"venv", "conda", "system", "store", "folder"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view found_name(FoundBy found_by) {
  constexpr std::array<std::string_view, 5> kNames = {"--env", "VIRTUAL_ENV", "CONDA_PREFIX",
                                                      ".venv", "PATH"};
  return kNames[static_cast<std::size_t>(found_by)];
}

Json cards_json(const MachineFacts& machine, const Catalog& catalog) {
  Json list = Json::array();
  for (const SeenCard& card : machine.cards) {
    std::array<char, 16> pci{};
    std::snprintf(pci.data(), pci.size(), "10de:%04x", static_cast<unsigned>(card.device));
    const GpuModel* model = catalog.find_gpu_by_pci(card.device);
    list.push_back({{"pci", pci.data()},
                    {"name", model != nullptr ? Json(model->name) : Json(nullptr)},
                    {"cc", model != nullptr ? Json(model->cc.text()) : Json(nullptr)},
                    {"location", clean(card.location)},
                    {"driver", or_null(card.driver)},
                    {"problem", card.problem},
                    {"origin", or_null(card.origin)}});
  }
  return list;
}

Json driver_json(const DriverFacts& driver) {
  return {{"version", fact_json(driver.version)},
          {"module_version", fact_json(driver.module_version)},
          {"open_module", driver.open_module},
          {"library", fact_json(driver.library)},
          {"library_version", fact_json(driver.library_version)},
          {"library_is_compat", driver.library_is_compat},
          {"device_nodes", clean_list(driver.device_nodes)}};
}

Json python_json(const MachineFacts& machine) {
  if (!machine.python) {
    Json json = {{"root", nullptr}, {"store_stub", machine.store_stub}};
    if (machine.python.fault) {
      json["error"] = error_json(*machine.python.fault);
    }
    return json;
  }
  const PythonEnvironment& environment = *machine.python.value;
  return {{"root", clean(environment.root)},
          {"kind", kind_name(environment.kind)},
          {"found_by", found_name(environment.found_by)},
          {"system", environment.system},
          {"interpreter", or_null(environment.interpreter)},
          {"version", fact_json(environment.python_version)},
          {"site_packages", clean_list(environment.site_packages)},
          {"path_python", or_null(environment.path_python)},
          {"store_stub", machine.store_stub}};
}

Json targets_json(const std::map<Target, TargetCount>& table, ImageKind kind) {
  Json list = Json::array();
  for (const auto& [target, count] : table) {
    if (count.images > count.empty) {
      list.push_back(target_name(kind, target));
    }
  }
  return list;
}

Json framework_json(const FrameworkFacts& framework) {
  Json libraries = Json::array();
  for (const BinaryFacts& library : framework.libraries) {
    const GpuTargets targets = sum_up(library.gpu);
    libraries.push_back({{"path", clean(library.path)},
                         {"size", library.size},
                         {"containers", library.gpu.containers.size()},
                         {"sass", targets_json(targets.sass, ImageKind::cubin)},
                         {"ptx", targets_json(targets.ptx, ImageKind::ptx)}});
  }
  Json needs = Json::array();
  for (const NeededLibrary& need : framework.needs) {
    needs.push_back(
        {{"name", clean(need.name)}, {"found", or_null(need.found)}, {"by", clean_list(need.by)}});
  }
  Json faults = Json::array();
  for (const LoadFault& fault : framework.load_faults) {
    faults.push_back({{"file", clean(fault.file)},
                      {"library", or_null(fault.library)},
                      {"symbol", or_null(fault.symbol)},
                      {"demangled", or_null(fault.demangled)},
                      {"version", or_null(fault.version)},
                      {"loader_says", clean(fault.loader_text)},
                      {"present", or_null(fault.present)}});
  }
  return {{"name", clean(framework.name)},
          {"package", clean(framework.package)},
          {"version", clean(framework.version)},
          {"extension", !framework.is_framework},
          {"packages", clean_list(framework.packages)},
          {"overlapping", clean_list(framework.overlapping)},
          {"cuda", fact_json(framework.cuda)},
          {"cudnn", fact_json(framework.cudnn)},
          {"other_gpu", or_null(framework.other_gpu)},
          {"site", clean(framework.site)},
          {"libraries_seen", framework.libraries_seen},
          {"libraries_unreadable", framework.libraries_unreadable},
          {"libraries", std::move(libraries)},
          {"needs", std::move(needs)},
          {"load_faults", std::move(faults)}};
}

Json machine_json(const MachineFacts& machine, const Catalog& catalog) {
  const SystemFacts& system = machine.system;
  Json toolkits = Json::array();
  for (const Toolkit& toolkit : machine.toolkits) {
    toolkits.push_back({{"version", or_null(toolkit.version)},
                        {"path", clean(toolkit.path)},
                        {"origin", clean(toolkit.origin)}});
  }
  Json packages = Json::array();
  for (const Distribution& distribution : machine.distributions) {
    if (distribution.gpu_project) {
      packages.push_back({{"name", clean(distribution.name)},
                          {"version", clean(distribution.version)},
                          {"info", clean(distribution.info)},
                          {"site", clean(distribution.site)}});
    }
  }
  Json conda = Json::array();
  for (const CondaPackage& package : machine.conda_packages) {
    conda.push_back({{"name", clean(package.name)},
                     {"version", clean(package.version)},
                     {"build", clean(package.build)}});
  }
  Json frameworks = Json::array();
  for (const FrameworkFacts& framework : machine.frameworks) {
    frameworks.push_back(framework_json(framework));
  }
  return {{"system",
           {{"name", system.name},
            {"machine", system.machine},
            {"distribution", or_null(system.distribution)},
            {"wsl", system.wsl},
            {"container", or_null(system.container_mark)}}},
          {"cards", cards_json(machine, catalog)},
          {"driver", driver_json(machine.driver)},
          {"toolkits", std::move(toolkits)},
          {"python", python_json(machine)},
          {"packages_seen", machine.distributions.size()},
          {"packages", std::move(packages)},
          {"conda_packages", std::move(conda)},
          {"frameworks", std::move(frameworks)}};
}

Json finding_json(const Finding& finding) {
  Json evidence = Json::array();
  for (const Evidence& seen : finding.evidence) {
    evidence.push_back({{"text", clean(seen.text)}, {"origin", or_null(seen.origin)}});
  }
  Json next = Json::array();
  for (const Step& step : finding.next) {
    next.push_back({{"text", clean(step.text)},
                    {"is_command", step.is_command},
                    {"note", or_null(step.note)}});
  }
  return {{"code", finding.code},
          {"layer", clean(finding.layer)},
          {"severity", severity_name(finding.severity)},
          {"certainty", certainty_name(finding.certainty)},
          {"summary", clean(finding.summary)},
          {"why", clean(finding.why)},
          {"evidence", std::move(evidence)},
          {"next", std::move(next)},
          {"in_vain", or_null(finding.in_vain)},
          {"fix", nullptr}};
}

}  // namespace

std::string check_json(const CheckReport& report, const MachineFacts& machine,
                       const Catalog& catalog) {
  Json layers = Json::array();
  for (const Layer& layer : report.layers) {
    layers.push_back({{"layer", clean(layer.name)},
                      {"state", layer_state_name(layer.state)},
                      {"says", clean(layer.text)},
                      {"waits", layer.state == LayerState::waits}});
  }
  Json causes = Json::array();
  for (const Finding& finding : report.causes) {
    causes.push_back(finding_json(finding));
  }
  Json errors = Json::array();
  for (const Error& error : machine.errors) {
    errors.push_back(error_json(error));
  }
  const Json json = {{"schema", 1},
                     {"verdict", clean(report.verdict)},
                     {"state", layer_state_name(report.state)},
                     {"complete", report.complete},
                     {"layers", std::move(layers)},
                     {"causes", std::move(causes)},
                     {"machine", machine_json(machine, catalog)},
                     {"errors", std::move(errors)}};
  return json.dump(2) + "\n";
}

}  // namespace plumb
