// SPDX-License-Identifier: Apache-2.0
// Which commands put the right build in the place of the wrong one.

#include <algorithm>

#include "base/text.h"
#include "catalog/framework_builds.h"
#include "judge/check_context.h"
#include "judge/check_words.h"

namespace plumb {
namespace {

/// "3.12" of "3.12.8".
std::string python_of(const CheckContext& context) {
  const auto& python = context.machine.python;
  if (!python || !python.value->python_version) {
    return {};
  }
  const std::string& version = *python.value->python_version.value;
  const std::size_t dot = version.find('.');
  return version.substr(0, dot == std::string::npos ? dot : version.find('.', dot + 1));
}

/// What else of the family is installed, and must come from the same index.
std::vector<std::string> companions(const CheckContext& context, const FrameworkFacts& framework) {
  std::vector<std::string> names;
  if (framework.name == "torch") {
    for (const Distribution& distribution : context.machine.distributions) {
      if (distribution.normalized == "torchvision" || distribution.normalized == "torchaudio") {
        names.push_back(distribution.normalized);
      }
    }
  }
  return names;
}

std::vector<std::string> installed_names(const FrameworkFacts& framework) {
  std::vector<std::string> names;
  for (const std::string& package : framework.packages) {
    names.push_back(package.substr(0, package.find(' ')));
  }
  return names;
}

std::string catalog_package(const FrameworkFacts& framework) {
  return framework.name == "paddle" ? "paddlepaddle-gpu" : framework.name;
}

/// Frameworks whose GPU build has one name for all cards; the catalog has no rows for them.
std::string plain_command(const CheckContext& context, const FrameworkFacts& framework,
                          const std::optional<Version>& driver) {
  constexpr std::uint32_t kFirstOfCuda13 = 580;
  const std::string& system = context.machine.python.value->system;
  if (framework.name == "onnxruntime") {
    return "onnxruntime-gpu";
  }
  if (framework.name == "jax" && system == "linux") {
    const bool old_driver = driver && driver->major() < kFirstOfCuda13;
    return old_driver ? "\"jax[cuda12]\"" : "\"jax[cuda13]\"";
  }
  return {};
}

}  // namespace

std::string pip_command(const CheckContext& context) {
  const auto& python = context.machine.python;
  if (!python) {
    return "pip";
  }
  const PythonEnvironment& environment = *python.value;
  const bool active = environment.found_by != FoundBy::option &&
                      environment.found_by != FoundBy::dot_venv && environment.path_python.empty();
  if (active || environment.interpreter.empty()) {
    return "pip";
  }
  const bool blank = environment.interpreter.find(' ') != std::string::npos;
  return (blank ? "\"" + environment.interpreter + "\"" : environment.interpreter) + " -m pip";
}

std::vector<Step> fitting_build_steps(const CheckContext& context, const FrameworkFacts& framework,
                                      const std::optional<Version>& driver) {
  const std::string pip = pip_command(context);
  const std::vector<std::string> others = companions(context, framework);
  const std::string also = others.empty() ? "" : " " + join(others, " ");
  const std::string uninstall = pip + " uninstall " + join(installed_names(framework), " ") + also;
  const std::string plain = plain_command(context, framework, driver);
  if (!plain.empty()) {
    const std::string remove = framework.name == "jax" ? "" : uninstall;
    std::vector<Step> steps;
    if (!remove.empty()) {
      steps.push_back({remove, "", true});
    }
    steps.push_back({pip + " install " + plain, "", true});
    return steps;
  }
  const std::optional<Card> card =
      context.cards.empty() ? std::nullopt : std::optional(context.cards.front());
  BuildWish wish;
  wish.package = catalog_package(framework);
  wish.system = context.machine.python.value->system;
  if (card) {
    wish.card = card->cc;
  }
  wish.driver = driver;
  wish.python = python_of(context);
  wish.version = framework.version.substr(0, framework.version.find('+'));
  const auto choice = choose_build(wish, context.catalog);
  // The very build that is installed is no advice.
  const bool is_installed = choice && choice->build->version == wish.version && framework.cuda &&
                            *framework.cuda.value == choice->build->cuda;
  if (!choice || is_installed) {
    return {};
  }
  std::string arguments = choice->build->pip_arguments();
  const std::size_t after_spec = arguments.find(' ');
  arguments.insert(std::min(after_spec, arguments.size()), also);
  return {{uninstall, "", true},
          {pip + " install " + arguments,
           words::build_note(choice->build->driver, choice->serves_by, choice->by_ptx,
                             choice->build->verified, card),
           true}};
}

}  // namespace plumb
