// SPDX-License-Identifier: Apache-2.0
// Puts the layers together. Each layer is judged by itself; here is decided who waits for whom and
// what leads.

#include "judge/check.h"

#include <algorithm>

#include "judge/check_context.h"
#include "judge/check_words.h"

namespace plumb {
namespace {

int severity_rank(const Finding& finding) {
  return static_cast<int>(finding.severity);
}

/// Findings that say the same of a machine without a card are no news: a CPU build is right there.
bool is_moot_without_card(const Finding& finding) {
  return finding.code == "framework.cpu_build" || finding.code == "framework.platform_dropped";
}

class Assembly {
 public:
  explicit Assembly(const CheckContext& context) : context_(context) {}

  void add(Judged judged) {
    for (Layer& layer : judged.layers) {
      report_.layers.push_back(std::move(layer));
    }
    for (Finding& finding : judged.findings) {
      report_.causes.push_back(std::move(finding));
    }
  }

  [[nodiscard]] const std::string* broken_below() const {
    for (const Layer& layer : report_.layers) {
      if (layer.state == LayerState::broken &&
          (layer.name == "hardware" || layer.name == "driver")) {
        return &layer.name;
      }
    }
    return nullptr;
  }

  void add_framework(JudgedFramework& framework) {
    Layer layer = framework.layer;
    const std::string* below = broken_below();
    const bool no_card = below != nullptr && *below == "hardware";
    if (no_card) {
      std::erase_if(framework.findings, is_moot_without_card);
      if (!framework.gpu_build && framework.findings.empty() && layer.state == LayerState::broken) {
        layer.state = LayerState::absent;
      }
    }
    const bool fine = layer.state == LayerState::ok || layer.state == LayerState::look;
    // A driver that is only too old for some holds only those up.
    const bool held_up = below != nullptr && fine && framework.gpu_build &&
                         (no_card || driver_does_not_run() || framework.shortfall);
    if (held_up) {
      layer.state = LayerState::waits;
      // Without a card, what the build is made for is all that can be said, and worth saying.
      layer.text = no_card ? layer.text : words::waits_for(*below, *framework.facts);
    }
    report_.layers.push_back(std::move(layer));
    for (Finding& finding : framework.findings) {
      report_.causes.push_back(std::move(finding));
    }
  }

  [[nodiscard]] CheckReport finish(const std::vector<JudgedFramework>& frameworks) {
    // Layers come lowest first, so the first error leads.
    std::ranges::stable_sort(report_.causes, {}, severity_rank);
    std::vector<std::string> usable;
    for (const JudgedFramework& framework : frameworks) {
      if (framework.gpu_build && framework.facts->is_framework) {
        usable.push_back(words::framework_name(*framework.facts));
      }
    }
    const bool unknown = std::ranges::any_of(report_.layers, [](const Layer& layer) {
      return layer.state == LayerState::unknown && !layer.extension;
    });
    report_.complete = !unknown;
    if (!report_.causes.empty() && report_.causes.front().severity != Severity::note) {
      report_.verdict = report_.causes.front().summary;
      report_.state = report_.causes.front().severity == Severity::error ? LayerState::broken
                                                                         : LayerState::look;
    } else if (unknown) {
      report_.verdict = words::cannot_finish(usable);
      report_.state = LayerState::unknown;
    } else {
      report_.verdict = words::all_well(usable, context_.cards, context_.cards_named);
      report_.state = LayerState::ok;
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool driver_does_not_run() const {
    return std::ranges::any_of(report_.causes, [](const Finding& finding) {
      return finding.layer == "driver" && finding.severity == Severity::error &&
             finding.code != "driver.too_old";
    });
  }

  const CheckContext& context_;
  CheckReport report_;
};

}  // namespace

CheckReport judge_check(const MachineFacts& machine, const CheckQuestion& question,
                        const Catalog& catalog) {
  const CheckContext context = make_context(machine, question, catalog);
  std::vector<JudgedFramework> frameworks;
  for (const FrameworkFacts& framework : machine.frameworks) {
    frameworks.push_back(judge_framework(context, framework));
  }
  Assembly assembly(context);
  assembly.add(judge_hardware(context));
  assembly.add(judge_driver(context, frameworks));
  assembly.add(judge_toolkits(context));
  assembly.add(judge_python(context));
  for (JudgedFramework& framework : frameworks) {
    assembly.add_framework(framework);
  }
  assembly.add(judge_cudnn(context, frameworks));
  return assembly.finish(frameworks);
}

}  // namespace plumb
