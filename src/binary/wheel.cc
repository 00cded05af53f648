// SPDX-License-Identifier: Apache-2.0
#include "binary/wheel.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kMaxTags = 4096;
constexpr std::size_t kMaxHeaderBytes = 4u << 20;
constexpr std::size_t kMaxHeaders = 20'000;

std::vector<std::string> split_set(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '.')) {
    parts.emplace_back(part);
  }
  return parts;
}

/// Calls `field(name in lower case, value)` for each header, as Python's email.parser reads them:
/// lines that begin with a blank go on with the value before, the first empty line ends it all.
/// False: a line was no header, where Python (and so pip) stops, too.
Result<bool> for_each_header(
    std::string_view text,
    const std::function<void(std::string_view name, std::string value)>& field) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::string name;
  std::string value;
  std::size_t count = 0;
  std::size_t bytes = 0;
  bool whole = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      break;
    }
    bytes += line.size();
    if (bytes > kMaxHeaderBytes || ++count > kMaxHeaders) {
      return fail(ErrorCode::limit, "the metadata has more headers than plumb reads");
    }
    if (line.front() == ' ' || line.front() == '\t') {
      if (name.empty()) {
        whole = false;
        break;
      }
      value += ' ';
      value += trim(line);
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos ||
        !std::ranges::all_of(line.substr(0, colon), [](char c) { return c > ' ' && c < '\x7f'; })) {
      whole = false;
      break;
    }
    if (!name.empty()) {
      field(name, std::move(value));
    }
    name = to_lower_ascii(line.substr(0, colon));
    value = trim(line.substr(colon + 1));
  }
  if (!name.empty()) {
    field(name, std::move(value));
  }
  return whole;
}

/// A header that may stand only once: the first counts, as for pip.
void set_once(std::string& field, std::string value) {
  if (field.empty()) {
    field = std::move(value);
  }
}

bool matches(std::string_view project, std::string_view pattern) {
  if (pattern.ends_with('*')) {
    return project.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return project == pattern;
}

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

/// "1.0-RC1", "1.0.rc1" and "1.0rc1" are one version: separators beside letters do not count (PEP
/// 440 has more such rules, which writers of wheels do not need).
std::string comparable_version(std::string_view version) {
  const std::string text = to_lower_ascii(trim(version));
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator = text[i] == '-' || text[i] == '_' || text[i] == '.';
    const bool beside_letter =
        (i + 1 < text.size() && is_letter(text[i + 1])) || (i > 0 && is_letter(text[i - 1]));
    if (!separator) {
      plain += text[i];
    } else if (!beside_letter) {
      plain += '.';
    }
  }
  return plain;
}

}  // namespace

std::vector<std::string> WheelName::tags() const {
  std::vector<std::string> all;
  for (const std::string& python : pythons) {
    for (const std::string& abi : abis) {
      for (const std::string& platform : platforms) {
        all.push_back(python + "-" + abi + "-" + platform);
      }
    }
  }
  return all;
}

Result<WheelName> parse_wheel_name(std::string_view file_name) {
  if (!ends_with_nocase(file_name, ".whl")) {
    return fail(ErrorCode::malformed, "the file name does not end in .whl");
  }
  if (file_name.size() > 1024) {
    return fail(ErrorCode::malformed, "the wheel's file name is too long");
  }
  file_name.remove_suffix(4);
  const auto parts = split(file_name, '-');
  if ((parts.size() != 5 && parts.size() != 6) ||
      std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); })) {
    return fail(ErrorCode::malformed, "the file name is not NAME-VERSION-PYTHON-ABI-PLATFORM.whl");
  }
  WheelName name;
  name.name = parts[0];
  name.version = parts[1];
  if (parts.size() == 6) {
    name.build = parts[2];
    if (name.build.front() < '0' || name.build.front() > '9') {
      return fail(ErrorCode::malformed, "the build tag in the wheel's file name has no number");
    }
  }
  name.pythons = split_set(parts[parts.size() - 3]);
  name.abis = split_set(parts[parts.size() - 2]);
  name.platforms = split_set(parts[parts.size() - 1]);
  for (const auto* set : {&name.pythons, &name.abis, &name.platforms}) {
    if (std::ranges::any_of(*set, [](const std::string& part) { return part.empty(); })) {
      return fail(ErrorCode::malformed, "the wheel's file name holds an empty tag");
    }
  }
  if (name.pythons.size() * name.abis.size() * name.platforms.size() > kMaxTags) {
    return fail(ErrorCode::limit, "the wheel's file name stands for too many tags");
  }
  return name;
}

Result<WheelMetadata> parse_metadata(std::string_view text) {
  WheelMetadata metadata;
  PLUMB_ASSIGN(const bool whole,
               for_each_header(text, [&](std::string_view name, std::string value) {
                 if (name == "name") {
                   set_once(metadata.name, std::move(value));
                 } else if (name == "version") {
                   set_once(metadata.version, std::move(value));
                 } else if (name == "requires-dist") {
                   metadata.requires_dist.push_back(std::move(value));
                 } else if (name == "requires-python") {
                   set_once(metadata.requires_python, std::move(value));
                 } else if (name == "summary") {
                   set_once(metadata.summary, std::move(value));
                 } else if (name == "provides-extra") {
                   metadata.provides_extra.push_back(std::move(value));
                 } else if (name == "metadata-version") {
                   set_once(metadata.metadata_version, std::move(value));
                 }
               }));
  if (metadata.name.empty() || metadata.version.empty()) {
    return fail(ErrorCode::malformed,
                "the metadata has no " + std::string(metadata.name.empty() ? "Name" : "Version"));
  }
  if (!whole) {
    metadata.warnings.emplace_back("METADATA holds a line that is no header: pip reads no further");
  }
  return metadata;
}

Result<WheelFile> parse_wheel_file(std::string_view text) {
  WheelFile file;
  PLUMB_TRY(for_each_header(text, [&](std::string_view name, std::string value) {
    if (name == "wheel-version") {
      set_once(file.wheel_version, std::move(value));
    } else if (name == "generator") {
      set_once(file.generator, std::move(value));
    } else if (name == "build") {
      set_once(file.build, std::move(value));
    } else if (name == "root-is-purelib") {
      file.root_is_purelib = to_lower_ascii(value) == "true";
    } else if (name == "tag") {
      file.tags.push_back(std::move(value));
    }
  }));
  if (file.wheel_version.empty()) {
    return fail(ErrorCode::malformed, "the WHEEL file has no Wheel-Version");
  }
  return file;
}

void compare_with_file_name(WheelMetadata& metadata, const WheelName& name) {
  const auto warn = [&](std::string_view field, std::string_view in_name, std::string_view inside) {
    metadata.warnings.push_back("the file name says " + std::string(field) + " " +
                                std::string(in_name) + ", the wheel's metadata says " +
                                std::string(inside));
  };
  if (normalize_project_name(metadata.name) != normalize_project_name(name.name)) {
    warn("name", name.name, metadata.name);
  }
  if (comparable_version(metadata.version) != comparable_version(name.version)) {
    warn("version", name.version, metadata.version);
  }
  if (metadata.tags.empty()) {
    return;
  }
  std::vector<std::string> inside;
  for (const std::string& tag : metadata.tags) {
    // A tag may be a compressed set itself; read it as the end of a file name.
    const auto parsed = parse_wheel_name("x-0-" + tag + ".whl");
    const auto tags = parsed ? parsed->tags() : std::vector<std::string>{tag};
    if (inside.size() + tags.size() > kMaxTags) {
      break;
    }
    inside.insert(inside.end(), tags.begin(), tags.end());
  }
  std::vector<std::string> outside = name.tags();
  std::ranges::sort(inside);
  std::ranges::sort(outside);
  inside.erase(std::ranges::unique(inside).begin(), inside.end());
  outside.erase(std::ranges::unique(outside).begin(), outside.end());
  if (inside != outside) {
    warn("tags", join(outside, " "), join(inside, " "));
  }
}

Result<std::string> find_dist_info(const ZipDirectory& directory) {
  std::string_view found;
  for (const ZipEntry& entry : directory.entries) {
    const std::string_view name = entry.name;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos || !name.substr(0, slash).ends_with(".dist-info")) {
      continue;
    }
    const std::string_view folder = name.substr(0, slash);
    if (!found.empty() && folder != found) {
      return fail(ErrorCode::malformed, "the wheel has more than one .dist-info folder");
    }
    found = folder;
  }
  if (found.empty()) {
    return fail(ErrorCode::not_found, "the archive has no .dist-info folder: it is no wheel");
  }
  return std::string(found);
}

std::string normalize_project_name(std::string_view name) {
  std::string normal;
  for (const char c : to_lower_ascii(trim(name))) {
    if (c != '-' && c != '_' && c != '.') {
      normal += c;
    } else if (!normal.ends_with('-')) {
      normal += '-';
    }
  }
  return normal;
}

std::string requirement_name(std::string_view requirement) {
  requirement = trim(requirement);
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const auto end = std::ranges::find_if_not(requirement, in_name);
  const auto length = static_cast<std::size_t>(end - requirement.begin());
  if (length == 0 || (end != requirement.end() &&
                      std::string_view(" \t[(<>=!~;@").find(*end) == std::string_view::npos)) {
    return {};
  }
  return normalize_project_name(requirement.substr(0, length));
}

std::vector<std::string> gpu_requirements(const std::vector<std::string>& requires_dist,
                                          std::span<const std::string_view> projects) {
  std::vector<std::string> found;
  for (const std::string& requirement : requires_dist) {
    const std::string name = requirement_name(requirement);
    if (!name.empty() && std::ranges::any_of(projects, [&](std::string_view pattern) {
          return matches(name, pattern);
        })) {
      found.push_back(requirement);
    }
  }
  return found;
}

std::vector<std::string> gpu_requirements(const std::vector<std::string>& requires_dist) {
  return gpu_requirements(requires_dist, kGpuProjects);
}

std::vector<std::string> gpu_requirements(const WheelMetadata& metadata) {
  std::vector<std::string> found = gpu_requirements(metadata.requires_dist);
  std::erase_if(found, [own = normalize_project_name(metadata.name)](const std::string& line) {
    return requirement_name(line) == own;
  });
  return found;
}

}  // namespace plumb
