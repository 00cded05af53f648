// SPDX-License-Identifier: Apache-2.0
// What is said of frameworks, and the answer itself.

#include <algorithm>

#include "base/text.h"
#include "judge/check_words.h"

namespace plumb::words {
namespace {

constexpr const char* kToolkitInVain = "Installing another CUDA Toolkit changes nothing here.";

Finding framework_finding(const FrameworkFacts& framework, const char* code, std::string summary,
                          std::string why) {
  Finding finding;
  finding.code = code;
  finding.layer = framework.name;
  finding.severity = framework.is_framework ? Severity::error : Severity::warning;
  finding.summary = std::move(summary);
  finding.why = std::move(why);
  return finding;
}

/// "8.6" of "sm_86", "9.0a" of "sm_90a".
std::string cc_of_target(std::string_view target) {
  std::string_view digits = target.substr(std::min(target.find('_') + 1, target.size()));
  std::string suffix;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    suffix = digits.back();
    digits.remove_suffix(1);
  }
  return digits.size() < 2
             ? std::string(digits)
             : std::string(digits.substr(0, digits.size() - 1)) + "." + digits.back() + suffix;
}

std::string modules(std::uint32_t count) {
  return count == 1   ? "the module holds"
         : count == 2 ? "both modules hold"
                      : "all " + std::to_string(count) + " modules hold";
}

std::string span(const NoCode& told) {
  return told.targets.empty() ? "no card by itself" : told.targets;
}

Evidence code_evidence(const FrameworkFacts& framework, const NoCode& told) {
  return {told.library + ": code for " + (told.targets.empty() ? "no card" : told.targets) +
              (told.ptx.empty() ? ", no PTX" : ", PTX " + told.ptx),
          framework.site};
}

const char* arch_code(Age age) {
  return age == Age::card_newer   ? "gpu.arch_too_new"
         : age == Age::card_older ? "gpu.arch_too_old"
                                  : "framework.wrong_cuda_build";
}

}  // namespace

std::string framework_name(const FrameworkFacts& framework) {
  return framework.name + " " + framework.version.substr(0, framework.version.find('+'));
}

std::string framework_version(const FrameworkFacts& framework) {
  return framework.version.find('+') == std::string::npos && framework.cuda
             ? framework.version + " (CUDA " + *framework.cuda.value + ")"
             : framework.version;
}

std::string served(const FrameworkFacts& framework, const Verdict& verdict) {
  const std::string cc = verdict.card.cc.text();
  const ContainerCounts& counts = verdict.general;
  const std::string all = modules(counts.native + counts.jit);
  std::string text = framework_version(framework) + "  ";
  if (verdict.result == VerdictResult::jit) {
    const std::string ptx = verdict.by.empty() ? "" : " " + cc_of_target(verdict.by.back());
    const std::string total = std::to_string(counts.native + counts.jit);
    return text +
           (counts.native == 0
                ? "no code for " + cc + " itself; compiled"
                : std::to_string(counts.jit) + " of " + total + " modules are compiled") +
           " from PTX" + ptx + " at first start (JIT)";
  }
  text += all + " code for ";
  const std::string by = verdict.by.size() == 1 ? cc_of_target(verdict.by.front()) : cc;
  return text + (by.starts_with(cc) ? by : by + ", which " + cc + " runs as built");
}

std::string no_own_code(const FrameworkFacts& framework) {
  return framework_version(framework) +
         "  uses CUDA; its code is made at run time or by NVIDIA's libraries";
}

std::string gpu_build_without_card(const FrameworkFacts& framework, const std::string& targets) {
  return framework_version(framework) +
         (targets.empty() ? "  a GPU build" : "  a GPU build, for " + targets);
}

std::string waits_for(const std::string& layer, const FrameworkFacts& framework) {
  return "waits for the " + layer + " (" + framework_version(framework) + ")";
}

std::string cpu_build_text(const FrameworkFacts& framework) {
  return framework.version + "  holds no GPU code";
}

std::string direct_ml(const FrameworkFacts& framework) {
  return framework.version + "  uses DirectML, not CUDA";
}

std::string cannot_tell(const FrameworkFacts& framework) {
  return framework.version + (framework.libraries_unreadable > 0
                                  ? "  some of its libraries could not be read"
                                  : "  none of its libraries was found");
}

namespace {

Evidence no_gpu_part(const FrameworkFacts& framework) {
  return {framework.libraries_seen == 1
              ? "its only library holds no GPU code and asks for no CUDA"
              : "none of its " + std::to_string(framework.libraries_seen) +
                    " libraries holds GPU code or asks for CUDA",
          framework.site};
}

}  // namespace

Finding cpu_build(const FrameworkFacts& framework, const std::string& system,
                  std::vector<Step> steps) {
  Finding finding =
      framework_finding(framework, "framework.cpu_build",
                        framework_name(framework) + " cannot use the GPU: it is the CPU build", "");
  if (framework.name == "torch" && system == "windows") {
    finding.why = "On Windows, `pip install torch` takes the CPU build: PyPI has no other.";
  } else if (framework.name == "jax") {
    finding.why = "JAX uses a GPU only through its plugin, jax-cuda12-plugin or jax-cuda13-plugin.";
  } else {
    finding.why =
        "The package " + framework.package + " that is installed here has no part for CUDA.";
  }
  if (!framework.cuda.origin.empty() && !framework.cuda) {
    finding.evidence.push_back({framework.cuda.origin + ": cuda = None", framework.site});
  }
  finding.evidence.push_back(no_gpu_part(framework));
  finding.next = std::move(steps);
  finding.in_vain = kToolkitInVain;
  return finding;
}

Finding platform_dropped(const FrameworkFacts& framework, const std::string& last,
                         const std::string& pip) {
  Finding finding = framework_finding(
      framework, "framework.platform_dropped",
      framework_name(framework) + " cannot use the GPU: for Windows it has CPU builds only",
      "TensorFlow " + last + " was the last with a GPU build for Windows.");
  finding.evidence.push_back(no_gpu_part(framework));
  finding.next.push_back(
      {"wsl --install", "then, in WSL: pip install \"tensorflow[and-cuda]\"", true});
  finding.next.push_back({pip + " install tensorflow==" + last,
                          "or stay on Windows with the old version: Python 3.10 or older", true});
  finding.in_vain = kToolkitInVain;
  return finding;
}

Finding other_maker(const FrameworkFacts& framework, std::vector<Step> steps) {
  Finding finding = framework_finding(framework, "framework.wrong_cuda_build",
                                      framework_name(framework) +
                                          " cannot use an NVIDIA card: it is the build for " +
                                          framework.other_gpu,
                                      "That build is made for cards of another maker.");
  finding.evidence.push_back({framework.other_gpu, framework.cuda.origin});
  finding.next = std::move(steps);
  return finding;
}

Finding gpu_part_missing(const FrameworkFacts& framework, const std::string& pip) {
  Finding finding = framework_finding(
      framework, "framework.corrupt_install",
      framework_name(framework) + " is damaged: its libraries for CUDA are missing",
      "It was built for CUDA " + framework.cuda.value.value_or("") +
          ", but no library with GPU code is there.");
  finding.certainty = Certainty::likely;
  finding.evidence.push_back({"CUDA " + framework.cuda.value.value_or(""), framework.cuda.origin});
  finding.evidence.push_back(
      {std::to_string(framework.libraries_seen) + " libraries, none with GPU code",
       framework.site});
  finding.next.push_back(
      {pip + " install --force-reinstall --no-deps " + framework.package, "", true});
  return finding;
}

Finding duplicate_install(const FrameworkFacts& framework, bool works, std::vector<Step> steps) {
  Finding finding = framework_finding(
      framework, "framework.duplicate_install",
      listed(framework.overlapping) + " are installed into the same folder",
      works ? "The one installed last has overwritten files of the other; removing either breaks "
              "both."
            : "The one without GPU was installed last and has overwritten the other.");
  finding.severity = works ? Severity::warning : Severity::error;
  finding.evidence.push_back({"both own the same library files", framework.site});
  finding.next = std::move(steps);
  return finding;
}

Finding no_code_for_card(const FrameworkFacts& framework, const Card& card, const NoCode& told,
                         std::vector<Step> steps) {
  Finding finding = framework_finding(
      framework, arch_code(told.age),
      framework_name(framework) + " holds no code for the " + card_and_cc(card), "");
  finding.why = "This build was made for " + span(told);
  if (told.age == Age::card_newer) {
    finding.why += told.ptx.empty() ? " and carries no PTX that the driver could compile for " +
                                          card.cc.text() + "."
                                    : "; its PTX does not serve " + card.cc.text() + " either.";
  } else {
    finding.why += told.age == Age::card_older ? ": the card is older than all of them."
                                               : ": nothing in it runs on " + card.cc.text() + ".";
  }
  finding.evidence.push_back(code_evidence(framework, told));
  finding.next = std::move(steps);
  finding.in_vain = "Another driver or CUDA Toolkit adds no code to this build.";
  return finding;
}

Finding code_in_part(const FrameworkFacts& framework, const Card& card, const NoCode& told,
                     std::vector<Step> steps) {
  const bool hardly = told.mostly_unserved();
  Finding finding =
      framework_finding(framework, arch_code(told.age),
                        framework_name(framework) + " serves the " + card_and_cc(card) +
                            (hardly ? " hardly at all" : " only in part"),
                        "");
  if (!hardly) {
    finding.severity = Severity::warning;
  }
  if (told.modules > 0) {
    finding.why = std::to_string(told.modules - told.served) + " of " +
                  std::to_string(told.modules) + " modules in " + told.library +
                  " hold nothing for it.";
  }
  if (!told.unserved.empty()) {
    finding.why += finding.why.empty() ? "" : " ";
    finding.why += listed(told.unserved) +
                   (told.unserved.size() > 1 ? " hold nothing for it." : " holds nothing for it.");
  }
  finding.why += " What needs those parts will say \"no kernel image is available\"";
  finding.why += hardly ? "." : "; the rest works.";
  finding.evidence.push_back(code_evidence(framework, told));
  finding.next = std::move(steps);
  return finding;
}

std::string no_code_text(const FrameworkFacts& framework, const Card& card, const NoCode& told) {
  return framework_version(framework) + "  no code for " + card.cc.text() + ", only for " +
         span(told);
}

std::string in_part_text(const FrameworkFacts& framework, const Card& card, const NoCode& told) {
  if (told.modules > 0) {
    return framework_version(framework) + "  code for " + card.cc.text() + " in only " +
           std::to_string(told.served) + " of " + std::to_string(told.modules) + " modules";
  }
  return framework_version(framework) + "  serves " + card.cc.text() + " in part" +
         (told.unserved.empty() ? "" : ": not " + listed(told.unserved));
}

Finding library_missing(const FrameworkFacts& framework, const std::vector<std::string>& names,
                        const std::string& by, std::vector<Step> steps) {
  Finding finding = framework_finding(
      framework, "runtime.library_missing",
      framework_name(framework) + " cannot load: " +
          (names.size() == 1 ? names.front() + " is missing"
                             : std::to_string(names.size()) + " CUDA libraries are missing"),
      by + " asks for what lies neither in this environment nor where the system looks.");
  finding.certainty = Certainty::likely;
  constexpr std::size_t kShown = 4;
  std::vector<std::string> some(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
  if (names.size() > kShown) {
    some.push_back(std::to_string(names.size() - kShown) + " more");
  }
  finding.evidence.push_back({"not found: " + listed(some), framework.site});
  finding.next = std::move(steps);
  return finding;
}

Finding cudnn_missing(const FrameworkFacts& framework, const std::string& name,
                      const std::string& by, std::vector<Step> steps) {
  Finding finding = library_missing(framework, {name}, by, std::move(steps));
  finding.code = "cudnn.missing";
  finding.layer = "cuDNN";
  finding.summary = framework_name(framework) + " cannot load: cuDNN (" + name + ") is missing";
  return finding;
}

std::string missing_text(const FrameworkFacts& framework, std::size_t count) {
  return framework_version(framework) + "  cannot load: " + std::to_string(count) +
         (count == 1 ? " CUDA library is missing" : " CUDA libraries are missing");
}

std::string cudnn_ok(const std::string& version, const std::string& from) {
  return version.empty() ? "from " + from : version + "  from " + from;
}

std::string cudnn_gone(const std::string& name) {
  return name + " was not found";
}

std::string build_note(const std::string& driver, const std::string& serves_by, bool by_ptx,
                       bool verified, const std::optional<Card>& card) {
  std::vector<std::string> parts;
  if (!driver.empty()) {
    parts.push_back("runs on driver " + driver + " and newer");
  }
  if (card && !serves_by.empty()) {
    const std::string cc = card->cc.text();
    parts.push_back(by_ptx            ? "has PTX " + serves_by + " to compile for your " + cc
                    : serves_by == cc ? "has code for your " + cc
                                      : "has " + serves_by + " for your " + cc);
  }
  if (!verified) {
    parts.push_back("not confirmed by plumb's makers");
  }
  return join(parts, "; ");
}

std::string all_well(const std::vector<std::string>& frameworks, const std::vector<Card>& cards,
                     bool named) {
  std::vector<std::string> names;
  for (const Card& card : cards) {
    names.push_back("the " + short_card(card));
  }
  return listed(frameworks) + (named ? " can use " : " will use ") + listed(names);
}

std::string cannot_finish(const std::vector<std::string>& frameworks) {
  return frameworks.empty()
             ? "something that the answer needs could not be read"
             : "nothing wrong with " + listed(frameworks) + ", but the answer is not complete";
}

}  // namespace plumb::words
