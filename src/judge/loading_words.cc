// SPDX-License-Identifier: Apache-2.0
// What is said of faults that the loader would find.

#include "base/text.h"
#include "binary/nvidia_names.h"
#include "judge/check_words.h"

namespace plumb::words {
namespace {

constexpr std::size_t kLongestName = 100;

std::string symbol_text(const LoadFault& fault) {
  std::string text = fault.demangled.empty() ? fault.symbol : fault.demangled;
  if (text.size() > kLongestName) {
    text = shorten_middle(text, kLongestName);
  }
  return text;
}

/// "libcudnn.so.8 does not have", "no library of torch 2.14.1 has".
std::string lacking(const LoadFault& fault, const std::string& base) {
  if (!fault.library.empty()) {
    return base_name(fault.library) + " does not have";
  }
  return base.empty() ? "none of them has" : "no library of " + base + " has";
}

Finding finding_of(const FrameworkFacts& framework, const LoadFault& fault, const char* code,
                   std::string summary) {
  Finding finding;
  finding.code = code;
  finding.layer = framework.name;
  finding.severity = framework.is_framework ? Severity::error : Severity::warning;
  finding.summary = std::move(summary);
  finding.evidence.push_back({fault.loader_text, framework.site});
  if (framework.load_faults.size() > 1) {
    std::vector<std::string> others;
    for (std::size_t i = 1; i < framework.load_faults.size() && i < 4; ++i) {
      others.push_back(base_name(framework.load_faults[i].file));
    }
    finding.evidence.push_back({"cannot be loaded either: " + listed(others), framework.site});
  }
  return finding;
}

}  // namespace

Finding does_not_fit(const FrameworkFacts& framework, const LoadFault& fault, const Unfit& told,
                     std::vector<Step> steps) {
  const std::string name = framework_name(framework);
  const std::string file = base_name(fault.file);
  Finding finding = finding_of(framework, fault, "framework.version_conflict",
                               name + " does not fit " + told.base);
  if (fault.kind == LoadFaultKind::library) {
    if (!told.cuda.empty() && told.cuda != told.base_cuda) {
      finding.summary =
          name + " was built for CUDA " + told.cuda + " and does not fit " + told.base;
    }
    finding.why = "Its " + file + " needs " + fault.library + "; " + told.base + " brings " +
                  base_name(fault.present) + ".";
  } else if (fault.kind == LoadFaultKind::version) {
    finding.why = "Its " + file + " needs version " + fault.version + " of " +
                  base_name(fault.library) + ", which the one that is there does not have.";
  } else {
    finding.why =
        "Its " + file + " wants " + symbol_text(fault) + ", which " + lacking(fault, told.base);
    finding.why += fault.more == 0 ? "." : ", and " + std::to_string(fault.more) + " more.";
  }
  if (!told.asks_for.empty()) {
    finding.evidence.push_back({"its package asks for " + told.asks_for, framework.site});
  }
  finding.next = std::move(steps);
  finding.in_vain = "Another driver or CUDA Toolkit does not make them fit.";
  return finding;
}

Finding part_missing(const FrameworkFacts& framework, const LoadFault& fault,
                     const std::string& pip) {
  Finding finding = finding_of(
      framework, fault, "framework.corrupt_install",
      framework_name(framework) + " is damaged: its " + base_name(fault.library) + " is missing");
  finding.why = "A file of its own package is not there, so it cannot be imported.";
  finding.next.push_back(
      {pip + " install --force-reinstall --no-deps " + framework.package, "", true});
  return finding;
}

Finding cannot_load(const FrameworkFacts& framework, const LoadFault& fault, bool optional_part,
                    std::vector<Step> steps) {
  const std::string name = framework_name(framework);
  const std::string file = base_name(fault.file);
  if (fault.kind == LoadFaultKind::library) {
    const bool cudnn = library_stem(fault.library).starts_with("cudnn");
    Finding finding =
        finding_of(framework, fault,
                   cudnn                            ? "cudnn.missing"
                   : is_cuda_library(fault.library) ? "runtime.library_missing"
                                                    : "loader.dependency_missing",
                   name + " cannot load: " + base_name(fault.library) + " is missing");
    finding.why = file + " needs it, and it lies nowhere that the loader looks.";
    if (optional_part) {
      finding.severity = Severity::note;
      finding.summary = "a part of " + name + ", " + file + ", lacks " + base_name(fault.library);
      finding.why = "The rest of it loads; only what uses that part will fail.";
    }
    finding.next = std::move(steps);
    return finding;
  }
  if (fault.kind == LoadFaultKind::version) {
    Finding finding = finding_of(framework, fault, "os.version",
                                 name + " cannot load: this system's " + base_name(fault.library) +
                                     " is older than " + fault.version);
    finding.why = file + " was built for a newer system.";
    finding.next = std::move(steps);
    return finding;
  }
  Finding finding = finding_of(framework, fault, "framework.version_conflict",
                               name + " cannot load: its libraries do not fit each other");
  finding.why = file + " wants " + symbol_text(fault) + ", which " + lacking(fault, "");
  finding.why += fault.more == 0 ? "." : ", and " + std::to_string(fault.more) + " more.";
  finding.next = std::move(steps);
  return finding;
}

std::string load_fault_text(const FrameworkFacts& framework, const LoadFault& fault) {
  if (fault.own_part) {
    return framework_version(framework) + "  damaged: " + base_name(fault.library) + " is missing";
  }
  std::string text = framework_version(framework) + "  cannot load " + base_name(fault.file) + ": ";
  if (fault.kind == LoadFaultKind::library) {
    return text + base_name(fault.library) + " is missing";
  }
  return text + (fault.kind == LoadFaultKind::version ? "version " + fault.version : "a symbol") +
         " is missing";
}

}  // namespace plumb::words
