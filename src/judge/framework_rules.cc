// SPDX-License-Identifier: Apache-2.0
// Rules on one framework: is it a build for NVIDIA cards, does its code run on the card, can it
// find the CUDA libraries that it asks for, which driver does it need. What its own libraries hold
// decides; what its version file says is only quoted.

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "binary/nvidia_names.h"
#include "catalog/framework_builds.h"
#include "judge/check_context.h"
#include "judge/check_words.h"

namespace plumb {
namespace {

struct Held {
  std::set<Target> sass;
  std::set<Target> ptx;
};

/// The targets that a library was made for: those of at least half as many containers as the
/// commonest one. A few modules for one card alone (sm_90a) do not serve that card.
Held held_by(const BinaryFacts& facts) {
  std::map<Target, std::size_t> sass;
  std::map<Target, std::size_t> ptx;
  std::size_t most = 0;
  for (const GpuImage& image : facts.gpu.images) {
    if (!image.empty && image.kind == ImageKind::cubin) {
      most = std::max(most, ++sass[image.target]);
    } else if (image.kind == ImageKind::ptx) {
      most = std::max(most, ++ptx[image.target]);
    }
  }
  Held held;
  const auto take = [most](const std::map<Target, std::size_t>& counts, std::set<Target>& out) {
    for (const auto& [target, count] : counts) {
      if (count * 2 >= most) {
        out.insert(target);
      }
    }
  };
  take(sass, held.sass);
  take(ptx, held.ptx);
  return held;
}

std::string target_list(const std::set<Target>& targets) {
  std::vector<std::string> names;
  for (const Target& target : targets) {
    std::string name = std::to_string(target.sm / 10) + "." + std::to_string(target.sm % 10);
    if (target.suffix != 0) {
      name += target.suffix;
    }
    names.push_back(std::move(name));
  }
  return join(names, " ");
}

words::Age age_of(const Held& held, ComputeCapability card) {
  const auto number = static_cast<std::uint16_t>(card.major * 10 + card.minor);
  std::set<Target> all = held.sass;
  all.insert(held.ptx.begin(), held.ptx.end());
  if (all.empty()) {
    return words::Age::between;
  }
  return number > all.rbegin()->sm  ? words::Age::card_newer
         : number < all.begin()->sm ? words::Age::card_older
                                    : words::Age::between;
}

const BinaryFacts* library_at(const FrameworkFacts& framework, const std::string& path) {
  const auto hit = std::ranges::find(framework.libraries, path, &BinaryFacts::path);
  return hit == framework.libraries.end() ? nullptr : &*hit;
}

/// Worst first: a later card may only make it worse.
void worsen(Layer& layer, LayerState state, const std::string& text) {
  const auto rank = [](LayerState s) {
    return s == LayerState::broken    ? 3
           : s == LayerState::unknown ? 2
           : s == LayerState::look    ? 1
                                      : 0;
  };
  if (layer.text.empty() || rank(state) > rank(layer.state)) {
    layer.state = state;
    layer.text = text;
  }
}

class FrameworkJudge {
 public:
  FrameworkJudge(const CheckContext& context, const FrameworkFacts& framework)
      : context_(context), framework_(framework) {
    result_.facts = &framework;
    result_.layer.name = framework.name;
    result_.layer.extension = !framework.is_framework;
    for (const std::string& package : framework.packages) {
      result_.layer.detail += (result_.layer.detail.empty() ? "" : "\n") + package;
    }
    result_.layer.detail += "\n" + framework.site;
  }

  [[nodiscard]] JudgedFramework judge() {
    if (!framework_.is_framework && framework_.libraries.empty()) {
      // An extension without CUDA: all that matters is whether it fits its framework.
      if (!context_.environment_is_here || !judge_loads()) {
        worsen(result_.layer, LayerState::ok, framework_.version);
      }
      return std::move(result_);
    }
    judge_build();
    if (result_.gpu_build) {
      for (const Card& card : context_.cards) {
        judge_card(card);
      }
      if (context_.cards.empty()) {
        judge_without_card();
      }
      if (context_.environment_is_here) {
        // Of an extension the first fault tells the cause; of a framework all that it lacks does.
        if (framework_.is_framework || !judge_loads()) {
          judge_libraries();
        }
        if (framework_.is_framework && result_.layer.state != LayerState::broken) {
          judge_loads();
        }
      }
      judge_need();
    }
    return std::move(result_);
  }

 private:
  void add(Finding finding) { result_.findings.push_back(std::move(finding)); }

  [[nodiscard]] std::vector<Step> other_builds() const {
    return fitting_build_steps(context_, framework_, context_.driver);
  }

  /// Made for NVIDIA cards? Sets gpu_build, or the layer and what is wrong.
  void judge_build() {
    Layer& layer = result_.layer;
    const std::string& system = context_.machine.python.value->system;
    const bool works = !framework_.libraries.empty();
    if (!framework_.overlapping.empty()) {
      add(words::duplicate_install(framework_, works, other_builds()));
      worsen(layer, works ? LayerState::look : LayerState::broken, result_.findings.back().summary);
    }
    if (works) {
      result_.gpu_build = true;
      return;
    }
    if (!framework_.overlapping.empty()) {
      return;
    }
    if (!framework_.other_gpu.empty()) {
      add(words::other_maker(framework_, other_builds()));
      worsen(layer, LayerState::broken, framework_.version + "  for " + framework_.other_gpu);
      return;
    }
    if (std::ranges::any_of(framework_.packages, [](const std::string& package) {
          return package.find("directml") != std::string::npos;
        })) {
      worsen(layer, LayerState::ok, words::direct_ml(framework_));
      return;
    }
    if (framework_.libraries_unreadable > 0 || framework_.libraries_seen == 0) {
      worsen(layer, LayerState::unknown, words::cannot_tell(framework_));
      return;
    }
    if (framework_.cuda) {
      add(words::gpu_part_missing(framework_, pip_command(context_)));
      worsen(layer, LayerState::broken, result_.findings.back().summary);
      return;
    }
    const std::string last = newest_gpu_version("tensorflow", "windows");
    if (framework_.name == "tensorflow" && system == "windows") {
      add(words::platform_dropped(framework_, last, pip_command(context_)));
    } else {
      add(words::cpu_build(framework_, system, other_builds()));
    }
    worsen(layer, LayerState::broken, words::cpu_build_text(framework_));
  }

  [[nodiscard]] std::optional<WheelVerdict> verdict_for(const Card& card) const {
    std::vector<const BinaryFacts*> members;
    for (const BinaryFacts& library : framework_.libraries) {
      members.push_back(&library);
    }
    return judge_wheel(members, card, context_.catalog);
  }

  void judge_card(const Card& card) {
    const auto wheel = verdict_for(card);
    if (!wheel) {
      worsen(result_.layer, LayerState::ok, words::no_own_code(framework_));
      return;
    }
    result_.main_library = wheel->main_library;
    const BinaryFacts* main = library_at(framework_, wheel->main_library);
    const Verdict& verdict = wheel->verdict;
    words::NoCode told;
    told.library = wheel->main_library;
    told.unserved = wheel->unserved;
    if (verdict.general.none > 0) {
      told.served = verdict.general.native + verdict.general.jit;
      told.modules = told.served + verdict.general.none;
    }
    // In part by another library: that one's targets tell why.
    const BinaryFacts* blamed = told.unserved.empty() || told.modules > 0
                                    ? main
                                    : library_at(framework_, told.unserved.front());
    const Held held = blamed != nullptr ? held_by(*blamed) : Held{};
    if (!told.unserved.empty() && told.modules == 0) {
      told.library = told.unserved.front();
    }
    told.targets = target_list(held.sass);
    told.ptx = target_list(held.ptx);
    told.age = age_of(held, card.cc);
    switch (verdict.result) {
      case VerdictResult::none:
        add(words::no_code_for_card(framework_, card, told, other_builds()));
        worsen(result_.layer, LayerState::broken, words::no_code_text(framework_, card, told));
        return;
      case VerdictResult::partial:
        add(words::code_in_part(framework_, card, told, other_builds()));
        worsen(result_.layer, told.mostly_unserved() ? LayerState::broken : LayerState::look,
               words::in_part_text(framework_, card, told));
        return;
      case VerdictResult::jit: {
        const std::string& least = context_.pick(verdict.driver_linux, verdict.driver_windows);
        if (is_older(context_.driver, least)) {
          result_.shortfall = Shortfall{least, words::cannot_compile_ptx(card)};
        }
        worsen(result_.layer, LayerState::look, words::served(framework_, verdict));
        return;
      }
      case VerdictResult::native:
        worsen(result_.layer, LayerState::ok, words::served(framework_, verdict));
        return;
    }
  }

  void judge_without_card() {
    std::set<Target> targets;
    const BinaryFacts* largest = nullptr;
    for (const BinaryFacts& library : framework_.libraries) {
      if (largest == nullptr || library.gpu.containers.size() > largest->gpu.containers.size()) {
        largest = &library;
      }
    }
    if (largest != nullptr) {
      targets = held_by(*largest).sass;
      result_.main_library = largest->path;
    }
    worsen(result_.layer, LayerState::ok,
           words::gpu_build_without_card(framework_, target_list(targets)));
  }

  /// Only what the main library asks for is sure to be needed: others are parts that are loaded
  /// when somebody uses them (ONNX Runtime's TensorRT provider).
  void judge_libraries() {
    std::vector<std::string> missing;
    const NeededLibrary* cudnn = nullptr;
    std::string by;
    for (const NeededLibrary& need : framework_.needs) {
      const bool of_main = result_.main_library.empty() ||
                           std::ranges::find(need.by, result_.main_library) != need.by.end();
      if (!need.found.empty() || !of_main) {
        continue;
      }
      by = result_.main_library.empty() ? need.by.front() : result_.main_library;
      if (library_stem(need.name).starts_with("cudnn")) {
        cudnn = &need;
      }
      missing.push_back(need.name);
    }
    if (missing.empty()) {
      return;
    }
    std::vector<Step> steps = completing_steps();
    if (cudnn != nullptr && missing.size() == 1) {
      add(words::cudnn_missing(framework_, cudnn->name, by, std::move(steps)));
    } else {
      add(words::library_missing(framework_, missing, by, std::move(steps)));
    }
    worsen(result_.layer, LayerState::broken, words::missing_text(framework_, missing.size()));
  }

  /// True if there was a fault.
  bool judge_loads() {
    auto finding = judge_loading(context_, framework_);
    if (!finding) {
      return false;
    }
    const Severity severity = finding->severity;
    add(*std::move(finding));
    if (severity != Severity::note) {
      worsen(result_.layer, severity == Severity::error ? LayerState::broken : LayerState::look,
             words::load_fault_text(framework_, framework_.load_faults.front()));
    }
    return true;
  }

  /// pip installs what an installed package lacks; extras must be named.
  [[nodiscard]] std::vector<Step> completing_steps() const {
    const auto owner =
        std::ranges::find(context_.machine.distributions, framework_.package, &Distribution::name);
    std::string extras;
    if (owner != context_.machine.distributions.end()) {
      for (const char* extra : {"cuda", "cudnn", "and-cuda", "with-cuda"}) {
        const bool offered =
            std::ranges::any_of(owner->requires_dist, [extra](const std::string& line) {
              const std::string quoted = std::string("\"") + extra + "\"";
              return line.find(quoted) != std::string::npos;
            });
        if (offered) {
          extras += (extras.empty() ? "" : ",") + std::string(extra);
        }
      }
    }
    const std::string version = framework_.version.substr(0, framework_.version.find('+'));
    std::string spec = framework_.package;
    spec += extras.empty() ? "==" + version : "[" + extras + "]==" + version;
    return {{pip_command(context_) + " install \"" + spec + "\"",
             "brings the packages of NVIDIA that it lacks", true}};
  }

  void judge_need() {
    const BinaryFacts* main = library_at(framework_, result_.main_library);
    std::optional<DriverNeed> need;
    for (const BinaryFacts& library : framework_.libraries) {
      if (main != nullptr && &library != main) {
        continue;
      }
      const auto its = driver_need(library, context_.catalog);
      if (its && (!need || is_older(Version::parse(need->linux_driver), its->linux_driver))) {
        need = its;
      }
    }
    if (!need) {
      return;
    }
    const std::string& least = context_.pick(need->linux_driver, need->windows_driver);
    const bool asks_more =
        !result_.shortfall || is_older(Version::parse(result_.shortfall->driver), least);
    if (is_older(context_.driver, least) && asks_more) {
      result_.shortfall = Shortfall{least, words::need_sentence(framework_, need->why)};
    }
  }

  const CheckContext& context_;
  const FrameworkFacts& framework_;
  JudgedFramework result_;
};

/// The wheel of NVIDIA's that brought a library, by the folder it lies in.
const Distribution* cudnn_package(const MachineFacts& machine) {
  const auto hit =
      std::ranges::find_if(machine.distributions, [](const Distribution& distribution) {
        return distribution.normalized.starts_with("nvidia-cudnn");
      });
  return hit == machine.distributions.end() ? nullptr : &*hit;
}

}  // namespace

JudgedFramework judge_framework(const CheckContext& context, const FrameworkFacts& framework) {
  return FrameworkJudge(context, framework).judge();
}

Judged judge_cudnn(const CheckContext& context, const std::vector<JudgedFramework>& frameworks) {
  Judged judged;
  const NeededLibrary* shown = nullptr;
  for (const JudgedFramework& framework : frameworks) {
    for (const NeededLibrary& need : framework.facts->needs) {
      if (library_stem(need.name) == "cudnn" && framework.facts->is_framework &&
          (shown == nullptr || need.found.empty())) {
        shown = &need;
      }
    }
  }
  if (shown == nullptr || !context.environment_is_here) {
    return judged;
  }
  Layer layer{"cuDNN", LayerState::ok, {}, shown->found, false};
  if (shown->found.empty()) {
    layer.state = LayerState::broken;
    layer.text = words::cudnn_gone(shown->name);
  } else {
    const Distribution* package = cudnn_package(context.machine);
    const bool of_wheel = package != nullptr && shown->found.find("nvidia") != std::string::npos &&
                          shown->found.starts_with(package->site);
    layer.text =
        words::cudnn_ok(of_wheel ? package->version : "", of_wheel ? package->name : shown->found);
  }
  judged.layers.push_back(std::move(layer));
  return judged;
}

}  // namespace plumb
