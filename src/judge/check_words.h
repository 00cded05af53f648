// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every sentence that `check` says, in functions that take what varies: rules decide, these word.
// English; another language is another set of these functions. Internal to judge/.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/check.h"
#include "judge/finding.h"

namespace plumb::words {

/// "RTX 4060 Ti"; "card of compute capability 8.9".
[[nodiscard]] std::string short_card(const Card& card);
/// "RTX 4060 Ti (8.9)"
[[nodiscard]] std::string card_and_cc(const Card& card);
/// "NVIDIA GeForce RTX 4060 Ti, compute capability 8.9"
[[nodiscard]] std::string whole_card(const Card& card, std::size_t count);
/// "a, b and c"
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
/// The last folder of a path, with the one above it where that is "envs".
[[nodiscard]] std::string short_path(std::string_view path);
/// ".venv", "envs/ml"; whole for an installation.
[[nodiscard]] std::string environment_name(const PythonEnvironment& environment);

// hardware
[[nodiscard]] std::string named_card(const Card& card);
[[nodiscard]] std::string unknown_card(const SeenCard& card);
[[nodiscard]] std::string bus_unreadable(const Error& error);
[[nodiscard]] std::string no_pci_in_wsl();
[[nodiscard]] std::string driver_without_card();
[[nodiscard]] std::string none_found();
[[nodiscard]] Finding gpu_absent(const MachineFacts& machine);

// driver
[[nodiscard]] std::string driver_ok(const std::string& version,
                                    const std::optional<std::string>& cuda);
[[nodiscard]] std::string driver_not_here();
[[nodiscard]] std::string no_driver_needed();
[[nodiscard]] std::string cannot_compile_ptx(const Card& card);
[[nodiscard]] std::string need_sentence(const FrameworkFacts& framework, const std::string& why);
[[nodiscard]] std::string driver_version_unknown(const std::string& where);
[[nodiscard]] Finding driver_absent(const MachineFacts& machine, const SeenCard* card,
                                    const std::string& least);
[[nodiscard]] Finding driver_not_loaded(const MachineFacts& machine, const SeenCard& card);
[[nodiscard]] Finding driver_incomplete(const MachineFacts& machine);
[[nodiscard]] Finding library_mismatch(const MachineFacts& machine);
[[nodiscard]] Finding device_problem(const SeenCard& card);
[[nodiscard]] Finding wsl_without_gpu(const MachineFacts& machine);
[[nodiscard]] Finding wsl_foreign_driver(const MachineFacts& machine);
[[nodiscard]] Finding container_without_gpu(const MachineFacts& machine);
[[nodiscard]] Finding card_dropped(const Card& card, const MachineFacts& machine,
                                   std::uint32_t last_branch);
struct TooOld {
  std::string driver;  // the one that is there
  std::string least;
  std::string why;                           // of the most demanding one
  std::vector<std::string> frameworks;       // "torch 2.14.1"
  std::optional<std::uint32_t> last_branch;  // newer drivers no longer know the card
};
[[nodiscard]] Finding driver_too_old(const TooOld& told, const MachineFacts& machine,
                                     std::vector<Step> other_builds);
[[nodiscard]] std::string too_old_text(const std::string& driver, const std::string& least);
/// What stands in the driver's line for a finding.
[[nodiscard]] std::string driver_fault(const Finding& finding);

// toolkit
[[nodiscard]] std::string no_toolkit();
[[nodiscard]] std::string toolkits(const std::vector<Toolkit>& all,
                                   const std::vector<std::string>& users);

// python
[[nodiscard]] std::string python_ok(const PythonEnvironment& environment);
[[nodiscard]] std::string python_detail(const PythonEnvironment& environment);
[[nodiscard]] Finding python_absent(const MachineFacts& machine);
[[nodiscard]] Finding environment_unreadable(const Error& error);
[[nodiscard]] Finding wrong_environment(const PythonEnvironment& environment);
[[nodiscard]] Finding no_framework(const MachineFacts& machine);

// frameworks
/// "torch 2.14.1"
[[nodiscard]] std::string framework_name(const FrameworkFacts& framework);
/// "2.14.1+cu130", "2.6.2 (CUDA 11.8)"
[[nodiscard]] std::string framework_version(const FrameworkFacts& framework);
[[nodiscard]] std::string served(const FrameworkFacts& framework, const Verdict& verdict);
[[nodiscard]] std::string no_own_code(const FrameworkFacts& framework);
[[nodiscard]] std::string gpu_build_without_card(const FrameworkFacts& framework,
                                                 const std::string& targets);
[[nodiscard]] std::string waits_for(const std::string& layer, const FrameworkFacts& framework);
[[nodiscard]] std::string cpu_build_text(const FrameworkFacts& framework);
[[nodiscard]] std::string direct_ml(const FrameworkFacts& framework);
[[nodiscard]] std::string cannot_tell(const FrameworkFacts& framework);
[[nodiscard]] Finding cpu_build(const FrameworkFacts& framework, const std::string& system,
                                std::vector<Step> steps);
[[nodiscard]] Finding platform_dropped(const FrameworkFacts& framework, const std::string& last,
                                       const std::string& pip);
[[nodiscard]] Finding other_maker(const FrameworkFacts& framework, std::vector<Step> steps);
[[nodiscard]] Finding gpu_part_missing(const FrameworkFacts& framework, const std::string& pip);
[[nodiscard]] Finding duplicate_install(const FrameworkFacts& framework, bool works,
                                        std::vector<Step> steps);
/// How the build's targets lie to the card: they decide the code.
enum class Age { card_newer, card_older, between };
struct NoCode {
  std::string library;                // that was judged
  std::vector<std::string> unserved;  // in part: these hold nothing for the card
  std::string targets;                // "5.0 6.0 7.0"
  std::string ptx;                    // "9.0", or ""
  Age age = Age::between;
  // Of the main library, where it serves the card in part: modules with code for it, and all that
  // decide.
  std::uint32_t served = 0;
  std::uint32_t modules = 0;
  [[nodiscard]] bool mostly_unserved() const { return modules > 0 && served < modules / 2; }
};
[[nodiscard]] Finding no_code_for_card(const FrameworkFacts& framework, const Card& card,
                                       const NoCode& told, std::vector<Step> steps);
[[nodiscard]] Finding code_in_part(const FrameworkFacts& framework, const Card& card,
                                   const NoCode& told, std::vector<Step> steps);
[[nodiscard]] std::string no_code_text(const FrameworkFacts& framework, const Card& card,
                                       const NoCode& told);
[[nodiscard]] std::string in_part_text(const FrameworkFacts& framework, const Card& card,
                                       const NoCode& told);
[[nodiscard]] Finding library_missing(const FrameworkFacts& framework,
                                      const std::vector<std::string>& names, const std::string& by,
                                      std::vector<Step> steps);
[[nodiscard]] Finding cudnn_missing(const FrameworkFacts& framework, const std::string& name,
                                    const std::string& by, std::vector<Step> steps);
/// An extension that does not fit the framework that it extends. `base`: "torch 2.14.1"; `cuda`:
/// what the missing library belongs to, "12", and what the framework brings, "13"; "" = not so.
struct Unfit {
  std::string base;
  std::string asks_for;  // what its package requires: "torch==2.10.0"; "" = nothing exact
  std::string cuda;
  std::string base_cuda;
};
[[nodiscard]] Finding does_not_fit(const FrameworkFacts& framework, const LoadFault& fault,
                                   const Unfit& told, std::vector<Step> steps);
/// A file of its own package is not there.
[[nodiscard]] Finding part_missing(const FrameworkFacts& framework, const LoadFault& fault,
                                   const std::string& pip);
/// Any other fault at loading; `optional_part`: of a part beside others that load.
[[nodiscard]] Finding cannot_load(const FrameworkFacts& framework, const LoadFault& fault,
                                  bool optional_part, std::vector<Step> steps);
/// What stands in its line.
[[nodiscard]] std::string load_fault_text(const FrameworkFacts& framework, const LoadFault& fault);
[[nodiscard]] std::string missing_text(const FrameworkFacts& framework, std::size_t count);
[[nodiscard]] std::string cudnn_ok(const std::string& version, const std::string& from);
[[nodiscard]] std::string cudnn_gone(const std::string& name);
[[nodiscard]] std::string build_note(const std::string& driver, const std::string& serves_by,
                                     bool by_ptx, bool verified, const std::optional<Card>& card);

// the answer
[[nodiscard]] std::string all_well(const std::vector<std::string>& frameworks,
                                   const std::vector<Card>& cards, bool named);
[[nodiscard]] std::string cannot_finish(const std::vector<std::string>& frameworks);

}  // namespace plumb::words
