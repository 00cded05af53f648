// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of a machine that is here: the running one, or a system mounted in a folder. Answers
// are kept, so a replay asks the disk once for each path.
//
// Paths of the machine looked at and of this one:
//   here            machine looked at
//   /usr/lib/x      Linux, running          /usr/lib/x
//   ROOT/usr/lib/x  Linux, mounted at ROOT  /usr/lib/x
//   C:\\x           Windows, running        C:\\x
//   ROOT/x          Windows, mounted        C:\\x
//   /x              Windows, running Linux  Z:\\x      an environment of the other system that lies
//   C:\\x           Linux, running Windows  /C:/x      here: its paths need some name

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "loader/file_view.h"
#include "observe/host.h"

namespace plumb {

class RealFiles final : public FileView {
 public:
  /// `system` is of the machine looked at: "linux" or "windows".
  RealFiles(const Host& host, std::string_view system);

  [[nodiscard]] FileEntry entry(const std::string& path) override;
  [[nodiscard]] std::string resolved(const std::string& path) override;
  [[nodiscard]] std::vector<std::string> list(const std::string& folder) override;
  [[nodiscard]] Result<const ElfFile*> elf(const std::string& path) override;
  [[nodiscard]] Result<const PeFile*> pe(const std::string& path) override;
  [[nodiscard]] Result<std::shared_ptr<const Source>> open(const std::string& path) override;

  /// The path to open here; "" if no file here can be meant (another drive).
  [[nodiscard]] std::string here(const std::string& path);
  /// The path on the machine looked at.
  [[nodiscard]] std::string there(const std::string& path_here) const;

 private:
  template <class File, class Read>
  [[nodiscard]] Result<const File*> read_once(const std::string& path,
                                              std::unordered_map<std::string, Result<File>>& kept,
                                              Read read);
  [[nodiscard]] std::string follow_in_root(const std::string& path);
  [[nodiscard]] std::string match_case(const std::string& folder, const std::string& relative);

  std::string root_;        // links followed
  std::string root_given_;  // as given, absolute
  bool windows_tree_;
  bool windows_here_;
  std::unordered_map<std::string, FileEntry> entries_;
  std::unordered_map<std::string, std::string> followed_;
  std::unordered_map<std::string, std::string> resolved_;
  /// Folder here -> (name in lower case -> name), for trees whose names match whatever their case.
  std::unordered_map<std::string, std::map<std::string, std::string>> names_;
  std::unordered_map<std::string, Result<ElfFile>> elf_;
  std::unordered_map<std::string, Result<PeFile>> pe_;
};

}  // namespace plumb
