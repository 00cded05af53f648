// SPDX-License-Identifier: Apache-2.0
#include "loader/linux_paths.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace plumb {
namespace {

constexpr std::size_t kMostPathElements = 20'000;

/// What stands behind $ORIGIN, $LIB and $PLATFORM.
struct Tokens {
  std::string origin;
  const LinuxSettings& settings;

  /// Empty: the text names a token whose value is not known, so ld.so drops the whole element.
  [[nodiscard]] std::optional<std::string> expand(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '$') {
        out += text[at++];
        continue;
      }
      const auto [value, length] = token(text.substr(at));
      if (length == 0) {
        out += text[at++];
        continue;
      }
      if (value == nullptr || value->empty()) {
        return std::nullopt;
      }
      out += *value;
      at += length;
    }
    return out;
  }

 private:
  [[nodiscard]] std::pair<const std::string*, std::size_t> token(std::string_view text) const {
    const std::array<std::pair<std::string_view, const std::string*>, 3> known = {
        {{"ORIGIN", &origin}, {"LIB", &settings.lib}, {"PLATFORM", &settings.platform}}};
    const bool braced = text.substr(1).starts_with('{');
    const std::string_view rest = text.substr(braced ? 2 : 1);
    for (const auto& [name, value] : known) {
      if (!rest.starts_with(name)) {
        continue;
      }
      const std::string_view after = rest.substr(name.size());
      if (braced) {
        if (after.starts_with('}')) {
          return {value, name.size() + 3};
        }
        continue;
      }
      const bool goes_on =
          !after.empty() &&
          (after[0] == '_' || (after[0] >= '0' && after[0] <= '9') ||
           (after[0] >= 'A' && after[0] <= 'Z') || (after[0] >= 'a' && after[0] <= 'z'));
      if (!goes_on) {
        return {value, name.size() + 1};
      }
    }
    return {nullptr, 0};
  }
};

/// The program's origin is that of the file that runs, links followed; a library's that of the path
/// it was opened by.
std::string origin_of(const LinuxObject& object, FileView& files) {
  const bool runs = object.rule == LoadRule::program && object.elf != nullptr &&
                    object.elf->interpreter.has_value();
  return std::string(folder_of(runs ? files.resolved(object.file) : object.file));
}

}  // namespace

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string path_in(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? folder + std::string(name) : folder + '/' + std::string(name);
}

std::string absolute_path(const LinuxSettings& settings, const std::string& path) {
  return path.starts_with('/') ? path : path_in(settings.current_folder, path);
}

std::vector<std::string> split_list(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size() && parts.size() < kMostPathElements;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::string> expand_tokens(std::string_view text, const LinuxObject& object,
                                         const LinuxSettings& settings, FileView& files) {
  if (text.find('$') == std::string_view::npos) {
    return std::string(text);
  }
  return Tokens{origin_of(object, files), settings}.expand(text);
}

std::vector<LinuxPlace> places_of(std::string_view list, LoadRule rule, const LinuxObject& owner,
                                  const LinuxSettings& settings, FileView& files) {
  std::vector<LinuxPlace> places;
  if (list.empty()) {
    return places;  // an empty list is none; an empty element is the current folder
  }
  const Tokens tokens{origin_of(owner, files), settings};
  const bool variable = rule == LoadRule::library_path;
  std::set<std::string> seen;
  for (const std::string& element : split_list(list, variable ? ":;" : ":")) {
    const auto expanded = tokens.expand(element);
    if (!expanded) {
      continue;
    }
    std::string prefix = *expanded;
    while (prefix.size() > 1 && prefix.ends_with('/')) {
      prefix.pop_back();
    }
    if (!prefix.empty() && prefix != "/") {
      prefix += '/';
    }
    if (!seen.insert(prefix).second) {
      continue;
    }
    std::string folder = prefix.empty() ? settings.current_folder : absolute_path(settings, prefix);
    if (folder.size() > 1 && folder.ends_with('/')) {
      folder.pop_back();
    }
    std::string detail(rule_name(rule));
    if (!variable) {
      detail += " " + element + " of " + owner.file;
    }
    places.push_back({rule, std::move(folder), std::move(prefix), std::move(detail)});
  }
  return places;
}

}  // namespace plumb
