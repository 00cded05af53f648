// SPDX-License-Identifier: Apache-2.0
#include <windows.h>
// clang-format off: shellapi.h needs what windows.h declares
#include <shellapi.h>
// clang-format on

#include <array>
#include <memory>
#include <string_view>

#include "os/environment.h"
#include "os/wide.h"

namespace plumb {

std::optional<std::string> get_environment(const std::string& name) {
  const std::wstring wide_name = to_wide(name);
  std::wstring value(256, L'\0');
  while (true) {
    ::SetLastError(ERROR_SUCCESS);
    const DWORD length = ::GetEnvironmentVariableW(wide_name.c_str(), value.data(),
                                                   static_cast<DWORD>(value.size()));
    if (length == 0 && ::GetLastError() != ERROR_SUCCESS) {
      return std::nullopt;
    }
    if (length < value.size()) {
      return from_wide(std::wstring_view(value).substr(0, length));
    }
    value.resize(length);  // the size needed, with the final NUL
  }
}

std::vector<std::string> environment_names() {
  const auto release = [](wchar_t* block) { ::FreeEnvironmentStringsW(block); };
  const std::unique_ptr<wchar_t, decltype(release)> block(::GetEnvironmentStringsW(), release);
  std::vector<std::string> names;
  for (const wchar_t* entry = block.get(); entry != nullptr && *entry != L'\0';) {
    const std::wstring_view text = entry;
    if (const std::size_t end = text.find(L'='); end != std::wstring_view::npos && end > 0) {
      names.push_back(from_wide(text.substr(0, end)));
    }
    entry += text.size() + 1;
  }
  return names;
}

std::vector<std::string> split_path_list(std::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ';' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string user_language() {
  std::array<wchar_t, LOCALE_NAME_MAX_LENGTH> name{};
  const LCID language = MAKELCID(::GetUserDefaultUILanguage(), SORT_DEFAULT);
  const int length = ::LCIDToLocaleName(language, name.data(), static_cast<int>(name.size()), 0);
  return length > 1 ? from_wide(name.data()) : "en";
}

std::string_view system_name() {
  return "windows";
}

std::string_view machine_name() {
  return "x86_64";
}

std::string system_folder() {
  std::array<wchar_t, MAX_PATH> folder{};
  const UINT length = ::GetSystemDirectoryW(folder.data(), static_cast<UINT>(folder.size()));
  return length < folder.size() ? from_wide({folder.data(), length}) : std::string{};
}

std::string home_folder() {
  return get_environment("USERPROFILE").value_or("");
}

std::vector<std::string> command_line(int argc, char** argv) {
  int count = 0;
  const auto release = [](wchar_t** words) { ::LocalFree(words); };
  const std::unique_ptr<wchar_t*, decltype(release)> words(
      ::CommandLineToArgvW(::GetCommandLineW(), &count), release);
  if (!words) {
    return {argv, argv + argc};
  }
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) {
    arguments.push_back(from_wide(words.get()[i]));
  }
  return arguments;
}

}  // namespace plumb
