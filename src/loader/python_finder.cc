// SPDX-License-Identifier: Apache-2.0
#include "loader/python_finder.h"

#include <algorithm>

#include "base/text.h"

namespace plumb {
namespace {

/// "312" of "3.12.8"; "" if the version is not known.
std::string version_digits(const std::string& version) {
  const std::vector<std::string_view> parts = split(version, '.');
  return parts.size() < 2 ? std::string{} : std::string(parts[0]) + std::string(parts[1]);
}

/// True for `PREFIX/lib*/python3.12/site-packages`, `PREFIX\Lib\site-packages` and Debian's
/// `PREFIX/lib/python3/dist-packages`.
bool is_site_folder_of(std::string_view folder, std::string_view prefix, char separator) {
  while (prefix.size() > 1 && prefix.back() == separator) {
    prefix.remove_suffix(1);
  }
  if (prefix.empty() || folder.size() <= prefix.size() ||
      to_lower_ascii(folder.substr(0, prefix.size())) != to_lower_ascii(prefix)) {
    return false;
  }
  std::string rest = to_lower_ascii(folder.substr(prefix.size()));
  std::ranges::replace(rest, '\\', '/');
  const std::vector<std::string_view> parts = split(rest, '/');
  std::vector<std::string_view> names;
  std::ranges::copy_if(parts, std::back_inserter(names),
                       [](std::string_view part) { return !part.empty(); });
  if (names.empty() || (names.back() != "site-packages" && names.back() != "dist-packages")) {
    return false;
  }
  // Debian's python3 has /usr/local/lib/... among its own, though its prefix is /usr.
  if (names.front() == "local" && prefix == "/usr") {
    names.erase(names.begin());
  }
  return (names.size() == 3 && names[0].starts_with("lib") && names[1].starts_with("python")) ||
         (names.size() == 2 && names[0] == "lib");
}

bool is_user_site_folder(std::string_view folder) {
  return folder.find("/.local/lib/python") != std::string_view::npos ||
         to_lower_ascii(folder).find("\\appdata\\roaming\\python\\") != std::string::npos;
}

}  // namespace

std::string PythonFinder::join(std::string_view folder, std::string_view name) const {
  std::string path(folder);
  if (path.empty() || path.back() != static_cast<char>(kind_)) {
    path += static_cast<char>(kind_);
  }
  path += name;
  if (kind_ == PathKind::backslashes) {
    std::ranges::replace(path, '/', '\\');
  }
  return path;
}

bool PythonFinder::is_file(const std::string& path) const {
  return files_.entry(path).kind == EntryKind::file;
}

bool PythonFinder::is_folder(const std::string& path) const {
  return files_.entry(path).kind == EntryKind::folder;
}

std::vector<std::string> PythonFinder::package_folders(std::string_view dotted_name) const {
  std::vector<std::string> search = python_.sys_path;
  for (const std::string_view part : split(dotted_name, '.')) {
    std::vector<std::string> found;
    for (const std::string& folder : search) {
      const std::string path = join(folder, part);
      if (is_file(join(path, "__init__.py"))) {
        found = {path};  // a regular package ends the search and hides portions before it
        break;
      }
      if (is_folder(path)) {
        found.push_back(path);
      }
    }
    search = std::move(found);
  }
  return search;
}

bool PythonFinder::has_module_suffix(std::string_view file_name) const {
  const std::size_t dot = file_name.find('.');
  if (dot == std::string_view::npos) {
    return false;
  }
  const std::string suffix = to_lower_ascii(file_name.substr(dot));
  const std::string digits = version_digits(python_.version);
  if (kind_ == PathKind::backslashes) {
    return suffix == ".pyd" || (suffix.starts_with(".cp" + digits) && suffix.ends_with(".pyd"));
  }
  // Free-threaded builds say "cpython-313t".
  return suffix == ".so" || suffix == ".abi3.so" ||
         (suffix.starts_with(".cpython-" + digits) && suffix.ends_with(".so"));
}

std::string PythonFinder::extension_module(const std::string& folder, std::string_view name) const {
  std::string best;
  for (const std::string& path : starting_with(folder, std::string(name) + ".")) {
    const std::string_view file_name =
        std::string_view(path).substr(path.rfind(static_cast<char>(kind_)) + 1);
    // Python tries its own tag, then .abi3.so, then the bare suffix: longest first.
    if (has_module_suffix(file_name) && path.size() > best.size()) {
      best = path;
    }
  }
  return best;
}

std::vector<std::string> PythonFinder::extension_modules(const std::string& folder) const {
  std::vector<std::string> modules;
  for (const std::string& name : files_.list(folder)) {
    if (has_module_suffix(name) && !name.starts_with("lib")) {
      modules.push_back(join(folder, name));
    }
  }
  return modules;
}

std::vector<std::string> PythonFinder::starting_with(const std::string& folder,
                                                     std::string_view prefix,
                                                     std::string_view suffix) const {
  std::vector<std::string> paths;
  for (const std::string& name : files_.list(folder)) {
    const bool fits = kind_ == PathKind::slashes
                          ? name.starts_with(prefix) && name.ends_with(suffix)
                          : to_lower_ascii(name).starts_with(to_lower_ascii(prefix)) &&
                                ends_with_nocase(name, suffix);
    if (fits && name.size() >= prefix.size() + suffix.size()) {
      paths.push_back(join(folder, name));
    }
  }
  return paths;
}

std::vector<std::string> PythonFinder::own_site_folders() const {
  const char separator = static_cast<char>(kind_);
  std::vector<std::string> own;
  std::vector<std::string> users;
  std::vector<std::string> base;
  for (const std::string& folder : python_.sys_path) {
    if (is_site_folder_of(folder, python_.prefix, separator)) {
      own.push_back(folder);
    } else if (is_user_site_folder(folder)) {
      users.push_back(folder);
    } else if (is_site_folder_of(folder, python_.base_prefix, separator)) {
      base.push_back(folder);
    }
  }
  // In a virtual environment the user's folder comes second, without one first (PEP 370).
  if (python_.prefix == python_.base_prefix) {
    users.insert(users.end(), own.begin(), own.end());
    own = std::move(users);
  } else {
    own.insert(own.end(), users.begin(), users.end());
  }
  own.insert(own.end(), base.begin(), base.end());
  return own;
}

std::string PythonFinder::text_constant(const std::string& path, std::string_view name) const {
  constexpr std::uint64_t kMaxSource = 1 << 16;  // version files have some 300 to 3,000 bytes
  const auto source = files_.open(path);
  const auto bytes = source ? read_range(**source, 0, (*source)->size(), kMaxSource)
                            : std::unexpected(source.error());
  if (!bytes) {
    return {};
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view left = line.substr(0, equals);
    if (trim(left.substr(0, left.find(':'))) != name) {
      continue;
    }
    const std::string_view right = trim(line.substr(equals + 1));
    if (right.size() < 2 || (right.front() != '\'' && right.front() != '"')) {
      return {};
    }
    const std::size_t close = right.find(right.front(), 1);
    return close == std::string_view::npos ? std::string{}
                                           : std::string(right.substr(1, close - 1));
  }
  return {};
}

std::string PythonFinder::variable(const std::string& name) const {
  const auto found = python_.variables.find(name);
  return found == python_.variables.end() ? std::string{} : found->second;
}

}  // namespace plumb
