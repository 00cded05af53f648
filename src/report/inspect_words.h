// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phrases of the inspect report: how targets, verdicts and driver needs are said.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "judge/inspection_judgement.h"
#include "report/gpu_targets.h"
#include "report/text_style.h"

namespace plumb {

/// 1,885
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "9.0a" for {90, 'a'}: people know cards by compute capability.
[[nodiscard]] std::string capability_text(Target target);

/// "7.5 8.0 9.0a": targets that have code; those that are only empty are left out.
[[nodiscard]] std::string targets_text(const std::map<Target, TargetCount>& table);
/// "5.2": targets whose images are all empty.
[[nodiscard]] std::string empty_targets_text(const std::map<Target, TargetCount>& table);

/// "RTX 2080 Ti (7.5)", or "compute capability 7.5".
[[nodiscard]] std::string card_text(const Card& card);

/// "runs as built", "runs, compiled at first start", "partly", "cannot run".
[[nodiscard]] std::string result_text(VerdictResult result);
/// For a column of many: "as built", "JIT", "partly", "cannot run".
[[nodiscard]] std::string short_result_text(VerdictResult result);
[[nodiscard]] Mark result_mark(VerdictResult result);

/// "475 of 475 modules, as built (sm_75)"; "0 of 65 modules; holds 8.0 8.6, no PTX".
[[nodiscard]] std::string modules_text(const Verdict& verdict, const GpuCode& code, bool windows);

/// "built with CUDA 13.0; needs driver 580.65.06 or newer", or the part that is known; "" if
/// nothing is.
[[nodiscard]] std::string origin_text(const JudgedFile& judged, bool windows);

/// "nvidia-cudnn-cu13==9.24.0.43; platform_system == 'Linux'" -> "nvidia-cudnn-cu13==9.24.0.43";
/// one that only an extra asks for gets " (only with [cuda])".
[[nodiscard]] std::string requirement_text(std::string_view requirement);

/// False if its marker asks for another system: `platform_system == "Linux"` in a Windows wheel.
/// Markers with "or", and those that ask for other things, count as fulfilled.
[[nodiscard]] bool requirement_applies(std::string_view requirement, bool windows);

/// The folder that all paths share, with its separator; "" if there is none.
[[nodiscard]] std::string common_folder(const std::vector<std::string>& paths);

/// True for PE files and for wheels whose tags are Windows'.
[[nodiscard]] bool is_windows_file(const InspectedFile& file);

}  // namespace plumb
