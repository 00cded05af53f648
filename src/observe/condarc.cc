// SPDX-License-Identifier: Apache-2.0
// The places are those of conda's base/constants.py, SEARCH_PATH.
#include "observe/condarc.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "observe/host_paths.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestFile = 1 << 20;
constexpr std::size_t kMostValues = 1000;

/// Without a comment at the end and without quotes.
std::string scalar(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
    const std::size_t end = text.find(text.front(), 1);
    if (end != std::string_view::npos) {
      return std::string(text.substr(1, end - 1));
    }
  }
  const std::size_t comment = text.find(" #");
  text = trim(text.substr(0, comment));
  return text.starts_with('#') ? std::string{} : std::string(text);
}

std::vector<std::string> inline_list(std::string_view text) {
  std::vector<std::string> values;
  text = trim(text);
  text.remove_prefix(1);
  text = text.substr(0, text.rfind(']'));
  for (const std::string_view part : split(text, ',')) {
    if (std::string value = scalar(part); !value.empty()) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

/// "key: value" -> position of the colon; npos if the line is none.
std::size_t key_end(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    if (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t') {
      return at;
    }
  }
  return std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  void line(std::string_view raw) {
    ++number_;
    if (raw.ends_with('\r')) {
      raw.remove_suffix(1);
    }
    const std::string_view text = trim(raw);
    if (text.empty() || text.starts_with('#') || text == "---" || text == "...") {
      return;
    }
    const std::size_t indent = raw.find_first_not_of(' ');
    if (raw[indent] == '\t') {
      fault("is indented by a tab, which YAML forbids");
      return;
    }
    if (text == "-" || text.starts_with("- ")) {
      if (key_.empty()) {
        fault("is an entry of no key");
      } else {
        add(scalar(text.substr(1)));
      }
      return;
    }
    const std::size_t colon = key_end(text);
    if (colon == std::string_view::npos) {
      if (indent == 0) {
        fault("is neither `key: value` nor an entry of a list");
      }
      return;  // goes on from the line above
    }
    const std::string name = scalar(text.substr(0, colon));
    if (indent == 0) {
      top_ = name;
      key_ = name;
    } else {
      key_ = top_ + "." + name;
    }
    const std::string_view rest = trim(text.substr(colon + 1));
    if (rest.starts_with('[')) {
      for (std::string& value : inline_list(rest)) {
        add(std::move(value));
      }
    } else if (std::string value = scalar(rest); !value.empty()) {
      add(std::move(value));
    }
  }

  [[nodiscard]] Condarc take() { return std::move(out_); }

 private:
  void add(std::string value) {
    if (count_ < kMostValues) {
      ++count_;
      out_.values[key_].push_back(std::move(value));
    }
  }

  void fault(std::string what) {
    if (out_.errors.empty()) {  // what follows is the same fault
      out_.errors.push_back(
          {ErrorCode::malformed, std::move(what), path_ + ":" + std::to_string(number_), {}});
    }
  }

  const std::string& path_;
  Condarc out_;
  std::string top_;
  std::string key_;
  std::size_t number_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<std::string> condarc_files(const Host& host, const std::string& prefix) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& path) {
    if (!may_be_slow(host, path) && is_file(path) &&
        std::ranges::find(files, path) == files.end()) {
      files.push_back(path);
    }
  };
  const auto add_folder = [&](const std::string& folder) {
    add(join_path(folder, ".condarc"));
    add(join_path(folder, "condarc"));
    const std::string parts = join_path(folder, "condarc.d");
    const auto entries = list_directory(parts);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
      if (entry.name.ends_with(".yml") || entry.name.ends_with(".yaml")) {
        add(join_path(parts, entry.name));
      }
    }
  };
  if (host.is_windows()) {
    add_folder(join_path(
        variable_path(host, "ProgramData").value_or(path_on_host(host, "C:\\ProgramData")),
        "conda"));
  } else {
    add_folder(host.at("/etc/conda"));
    add_folder(host.at("/var/lib/conda"));
  }
  if (const auto root = variable_path(host, "CONDA_ROOT")) {
    add_folder(*root);
  }
  if (const auto folder = variable_path(host, "XDG_CONFIG_HOME")) {
    add_folder(join_path(*folder, "conda"));
  }
  if (!host.home.empty()) {
    add_folder(path_below(host.home, {".config", "conda"}));
    add_folder(join_path(host.home, ".conda"));
    add(join_path(host.home, ".condarc"));
  }
  if (!prefix.empty()) {
    add_folder(prefix);
  } else if (const auto active = variable_path(host, "CONDA_PREFIX")) {
    add_folder(*active);
  }
  for (const char* name : {"CONDARC", "MAMBARC"}) {
    if (const auto named = variable_path(host, name)) {
      add(*named);
    }
  }
  return files;
}

Condarc parse_condarc(std::string_view text, const std::string& path) {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  Reader reader(path);
  for (const std::string_view line : split(text, '\n')) {
    reader.line(line);
  }
  return reader.take();
}

std::vector<std::string> condarc_list(const Host& host, const std::string& key) {
  std::vector<std::string> values;
  std::vector<std::string> files = condarc_files(host);
  std::ranges::reverse(files);
  for (const std::string& file : files) {
    const auto text = read_text_file(file, kLongestFile);
    if (text) {
      const Condarc condarc = parse_condarc(*text, file);
      if (const auto hit = condarc.values.find(key); hit != condarc.values.end()) {
        values.insert(values.end(), hit->second.begin(), hit->second.end());
      }
    }
  }
  return values;
}

}  // namespace plumb
