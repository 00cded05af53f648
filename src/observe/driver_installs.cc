// SPDX-License-Identifier: Apache-2.0
#include "observe/driver_installs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/source.h"
#include "base/text.h"
#include "observe/host_files.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kTail = 2 << 20;
constexpr std::size_t kMostInstalls = 100;
constexpr std::string_view kHead = ">>>  [";
constexpr std::string_view kStart = ">>>  ";
constexpr std::string_view kEnd = "<<<  ";

/// "PCI\\VEN_10DE&DEV_2484&..." of "[Device Install (Hardware initiated) - PCI\\VEN_10DE&...]".
std::string card_of_head(std::string_view line) {
  const std::string lower = to_lower_ascii(line);
  const std::size_t at = lower.find("pci\\ven_10de");
  if (at == std::string::npos || lower.find("install") == std::string::npos) {
    return {};
  }
  const std::string_view id = line.substr(at);
  return std::string(id.substr(0, id.find(']')));
}

/// "2026/09/09 12:00:00.000" of ">>>  Section start 2026/09/09 12:00:00.000"; in older logs the
/// time comes first, with a colon.
std::string time_of(std::string_view line) {
  const std::size_t at = std::min(line.find_first_of("0123456789"), line.size());
  std::string_view time = line.substr(at);
  time = trim(time.substr(0, time.find_first_not_of("0123456789/ :.")));
  return std::string(time.substr(0, time.find_last_of("0123456789") + 1));
}

/// What follows "Name  - " in "     dvi:      Name  - value".
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = trim(line.substr(at + name.size()));
  return rest.starts_with("- ") ? std::optional(trim(rest.substr(2))) : std::nullopt;
}

void read_line(std::string_view line, DriverInstall& install) {
  if (line.starts_with(kStart)) {
    if (line.find("ection start") != std::string_view::npos) {
      install.time = time_of(line);
    }
  } else if (line.starts_with(kEnd)) {
    constexpr std::string_view kStatus = "[Exit status: ";
    if (const std::size_t at = line.find(kStatus); at != std::string_view::npos) {
      const std::string_view status = line.substr(at + kStatus.size());
      install.status = status.substr(0, status.find(']'));
    }
  } else if (const auto inf = value_of(line, "InfFile")) {
    install.inf = *inf;  // candidates come first, the one taken last
  } else if (const auto provider = value_of(line, "Provider")) {
    install.provider = *provider;
  } else if (const auto version = value_of(line, "Driver Version")) {
    install.version = version->substr(version->find(',') + 1);
  }
}

}  // namespace

std::vector<DriverInstall> parse_setup_log(std::string_view text) {
  std::vector<DriverInstall> installs;
  std::optional<DriverInstall> current;
  const auto finish = [&] {
    if (current) {
      if (installs.size() >= kMostInstalls) {
        installs.erase(installs.begin());
      }
      installs.push_back(*std::exchange(current, std::nullopt));
    }
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.starts_with(kHead)) {
      finish();
      if (std::string card = card_of_head(line); !card.empty()) {
        current.emplace();
        current->device = std::move(card);
      }
    } else if (current) {
      read_line(line, *current);
      if (!current->status.empty()) {
        finish();
      }
    }
  }
  finish();
  return installs;
}

Fact<std::vector<DriverInstall>> observe_driver_installs(const Host& host) {
  using Installs = std::vector<DriverInstall>;
  const std::string windows(parent_path(host.system_folder));
  const std::string path = join_path(join_path(windows, "INF"), "setupapi.dev.log");
  const auto file = open_file(path);
  if (!file) {
    return fact_of_error<Installs>(file.error(), path);
  }
  const std::uint64_t length = std::min((*file)->size(), kTail);
  const auto bytes = read_range(**file, (*file)->size() - length, length, kTail);
  if (!bytes) {
    return Fact<Installs>::unreadable(bytes.error(), path);
  }
  Installs installs = parse_setup_log(as_text(*bytes));
  std::ranges::reverse(installs);
  return Fact<Installs>::present(std::move(installs), path);
}

}  // namespace plumb
