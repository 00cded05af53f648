// SPDX-License-Identifier: Apache-2.0
#include "report/inspect_words.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

std::string first_words(const std::vector<std::string>& words, std::size_t count) {
  std::vector<std::string> some(
      words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size())));
  std::string text = join(some, " ");
  return words.size() > count ? text + " …" : text;
}

std::string holdings_text(const GpuCode& code) {
  const GpuTargets targets = sum_up(code);
  const std::string sass = targets_text(targets.sass);
  const std::string ptx = targets_text(targets.ptx);
  std::string text = sass.empty() ? "holds no code that runs as built" : "holds " + sass;
  text += ptx.empty() ? ", no PTX" : ", PTX " + ptx;
  return text;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

std::string capability_text(Target target) {
  std::string text = std::to_string(target.sm / 10) + "." + std::to_string(target.sm % 10);
  if (target.suffix != 0) {
    text += target.suffix;
  }
  return text;
}

std::string targets_text(const std::map<Target, TargetCount>& table) {
  std::vector<std::string> words;
  for (const auto& [target, count] : table) {
    if (count.images > count.empty) {
      words.push_back(capability_text(target));
    }
  }
  return join(words, " ");
}

std::string empty_targets_text(const std::map<Target, TargetCount>& table) {
  std::vector<std::string> words;
  for (const auto& [target, count] : table) {
    if (count.images == count.empty) {
      words.push_back(capability_text(target));
    }
  }
  return join(words, " ");
}

std::string card_text(const Card& card) {
  std::string_view name = card.name;
  if (name.starts_with("compute capability")) {
    return std::string(name);
  }
  if (name.starts_with("GeForce ")) {
    name.remove_prefix(8);
  }
  return printable(name) + " (" + card.cc.text() + ")";
}

std::string result_text(VerdictResult result) {
  switch (result) {
    case VerdictResult::native:
      return "runs as built";
    case VerdictResult::jit:
      return "runs, compiled at first start (JIT)";
    case VerdictResult::partial:
      return "partly";
    case VerdictResult::none:
      break;
  }
  return "cannot run";
}

std::string short_result_text(VerdictResult result) {
  switch (result) {
    case VerdictResult::native:
      return "as built";
    case VerdictResult::jit:
      return "JIT";
    case VerdictResult::partial:
    case VerdictResult::none:
      break;
  }
  return result_text(result);
}

Mark result_mark(VerdictResult result) {
  switch (result) {
    case VerdictResult::native:
      return Mark::right;
    case VerdictResult::jit:
    case VerdictResult::partial:
      return Mark::look;
    case VerdictResult::none:
      break;
  }
  return Mark::broken;
}

std::string modules_text(const Verdict& verdict, const GpuCode& code, bool windows) {
  const ContainerCounts& counts = verdict.general;
  const std::uint64_t total = std::uint64_t{counts.native} + counts.jit + counts.none;
  const std::uint64_t served = std::uint64_t{counts.native} + counts.jit;
  if (verdict.rule == "none.only_lto") {
    return "link-time code (LTO) alone, which no driver loads";
  }
  if (total == 0) {
    return (verdict.rule == "none.only_empty" ? "what was built for it holds no kernel; "
                                              : "no module with code for every card; ") +
           holdings_text(code);
  }
  std::string text =
      grouped(served) + " of " + grouped(total) + (total == 1 ? " module" : " modules");
  if (served == 0) {
    return text + "; " + holdings_text(code);
  }
  const std::string by = verdict.by.empty() ? "" : " (" + first_words(verdict.by, 4) + ")";
  if (counts.jit == 0) {
    text += ", as built" + by;
  } else {
    text += counts.native == 0 ? ", compiled at first start"
                               : ", " + grouped(counts.jit) + " of them compiled at first start";
    text += by;
    const std::string& driver = windows ? verdict.driver_windows : verdict.driver_linux;
    if (!driver.empty()) {
      text += "; needs driver " + driver + " or newer";
    }
  }
  if (counts.none > 0) {
    text += "; the rest holds nothing for it";
  }
  return text;
}

std::string origin_text(const JudgedFile& judged, bool windows) {
  std::string text;
  if (judged.built_with) {
    text = "built with CUDA " + printable(*judged.built_with);
  }
  if (judged.need) {
    const std::string& driver = windows ? judged.need->windows_driver : judged.need->linux_driver;
    if (!driver.empty()) {
      text += text.empty() ? "" : "; ";
      text += "needs driver " + driver + " or newer";
    }
  }
  return text;
}

std::string requirement_text(std::string_view requirement) {
  const std::size_t semicolon = requirement.find(';');
  std::string text = printable(trim(requirement.substr(0, semicolon)));
  if (semicolon == std::string_view::npos) {
    return text;
  }
  const std::string_view marker = requirement.substr(semicolon + 1);
  const std::size_t extra = marker.find("extra");
  const std::size_t open =
      extra == std::string_view::npos ? extra : marker.find_first_of("'\"", extra);
  if (open != std::string_view::npos) {
    const std::size_t close = marker.find(marker[open], open + 1);
    text += " (only with [" + printable(marker.substr(open + 1, close - open - 1)) + "])";
  }
  return text;
}

bool requirement_applies(std::string_view requirement, bool windows) {
  const std::size_t semicolon = requirement.find(';');
  const std::string marker = semicolon == std::string_view::npos
                                 ? std::string()
                                 : to_lower_ascii(requirement.substr(semicolon + 1));
  if (marker.find(" or ") != std::string::npos) {
    return true;
  }
  for (const std::string_view variable : {"platform_system", "sys_platform"}) {
    const std::size_t at = marker.find(variable);
    if (at == std::string::npos) {
      continue;
    }
    const std::string_view rest = trim(std::string_view(marker).substr(at + variable.size()));
    const std::string_view value = trim(rest.substr(std::min<std::size_t>(2, rest.size())));
    const bool names_ours = value.substr(0, 4) == (windows ? "\"win" : "\"lin") ||
                            value.substr(0, 4) == (windows ? "'win" : "'lin");
    if ((rest.starts_with("==") && !names_ours) || (rest.starts_with("!=") && names_ours)) {
      return false;
    }
  }
  return true;
}

std::string common_folder(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return {};
  }
  std::string_view shared = paths.front();
  for (const std::string& path : paths) {
    const auto [end, other] = std::ranges::mismatch(shared, path);
    shared = shared.substr(0, static_cast<std::size_t>(end - shared.begin()));
  }
  return std::string(shared.substr(0, shared.find_last_of("/\\") + 1));
}

bool is_windows_file(const InspectedFile& file) {
  if (file.package) {
    return std::ranges::any_of(file.package->tags, [](const std::string& tag) {
      return tag.find("-win") != std::string::npos;
    });
  }
  return file.facts.format == Format::pe32 || file.facts.format == Format::pe32_plus;
}

}  // namespace plumb
