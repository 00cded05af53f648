// SPDX-License-Identifier: Apache-2.0
// Rules on what the loader would find: an extension that was built for another framework or another
// CUDA, a library that is not there, a system that is too old.

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "binary/nvidia_names.h"
#include "judge/check_context.h"
#include "judge/check_words.h"

namespace plumb {
namespace {

/// Symbol versions of the C and C++ runtimes: it is the system that is too old, not a framework
/// that is another.
bool is_system_version(std::string_view version) {
  constexpr std::array<std::string_view, 4> kPrefixes = {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"};
  return std::ranges::any_of(
      kPrefixes, [version](std::string_view prefix) { return version.starts_with(prefix); });
}

const FrameworkFacts* base_of(const CheckContext& context, const FrameworkFacts& framework) {
  for (const std::string& base : framework.bases) {
    const auto& all = context.machine.frameworks;
    const auto hit = std::ranges::find(all, base, &FrameworkFacts::name);
    if (hit != all.end()) {
      return &*hit;
    }
  }
  return nullptr;
}

/// "torch==2.10.0" of the packages's own requirements; "" if it names no exact version.
std::string exact_requirement(const CheckContext& context, const FrameworkFacts& framework,
                              const FrameworkFacts& base) {
  const auto& all = context.machine.distributions;
  const auto own = std::ranges::find(all, framework.package, &Distribution::name);
  if (own == all.end()) {
    return {};
  }
  for (const std::string& line : own->requires_dist) {
    const std::string whole = line.substr(0, line.find(';'));
    std::string plain;
    std::ranges::copy_if(whole, std::back_inserter(plain),
                         [](char c) { return c != ' ' && c != '(' && c != ')'; });
    if (plain.starts_with(base.package + "==")) {
      return plain;
    }
  }
  return {};
}

std::vector<Step> fitting_steps(const CheckContext& context, const FrameworkFacts& framework,
                                const FrameworkFacts& base, const std::string& asks_for) {
  const std::string pip = pip_command(context);
  std::vector<Step> steps = {{pip + " install --upgrade " + framework.package,
                              "brings the release for " + words::framework_name(base), true}};
  if (!asks_for.empty()) {
    steps.push_back({pip + " install " + asks_for, "or the release that it was made for", true});
  }
  return steps;
}

}  // namespace

std::optional<Finding> judge_loading(const CheckContext& context, const FrameworkFacts& framework) {
  if (framework.load_faults.empty()) {
    return std::nullopt;
  }
  const LoadFault& fault = framework.load_faults.front();
  const FrameworkFacts* base = base_of(context, framework);
  const bool system = fault.kind == LoadFaultKind::version && is_system_version(fault.version);
  const bool foreign_library = fault.kind == LoadFaultKind::library && fault.present.empty();
  if (fault.own_part) {
    return words::part_missing(framework, fault, pip_command(context));
  }
  if (base == nullptr || system || foreign_library) {
    std::vector<Step> steps;
    if (fault.kind != LoadFaultKind::library && !system) {
      steps.push_back({pip_command(context) + " install --force-reinstall --no-deps " +
                           framework.package +
                           "==" + framework.version.substr(0, framework.version.find('+')),
                       "", true});
    }
    // Packages bring modules for libraries that a system may have or not (FFmpeg 4, 5, 6): where
    // others of them load, what lacks is a part that is seldom used.
    const bool optional_part = foreign_library && framework.modules_loaded > 0 &&
                               !framework.is_framework && !is_cuda_library(fault.library);
    return words::cannot_load(framework, fault, optional_part, std::move(steps));
  }
  words::Unfit told;
  told.base = words::framework_name(*base);
  told.asks_for = exact_requirement(context, framework, *base);
  if (fault.kind == LoadFaultKind::library) {
    told.cuda = context.catalog.cuda_of_library(fault.library).value_or("");
    told.base_cuda = context.catalog.cuda_of_library(fault.present).value_or("");
  }
  auto steps = fitting_steps(context, framework, *base, told.asks_for);
  return words::does_not_fit(framework, fault, told, std::move(steps));
}

}  // namespace plumb
