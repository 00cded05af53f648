// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tree of files that lives in memory, for tests of the replay: of Linux or of Windows, whichever
// the tests run on. Parent folders come by themselves; links may lead anywhere, in circles too.

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "loader/file_view.h"
#include "support/elf_builder.h"
#include "support/pe_builder.h"

namespace plumb::test {

enum class FakeSystem { linux_like, windows_like };

class FakeFiles final : public FileView {
 public:
  explicit FakeFiles(FakeSystem system = FakeSystem::linux_like)
      : windows_(system == FakeSystem::windows_like) {}

  void add_file(const std::string& path, std::string bytes) {
    put(path, EntryKind::file).bytes = std::make_shared<const std::string>(std::move(bytes));
  }
  void add_elf(const std::string& path, const ElfSpec& spec = {}) {
    add_file(path, build_elf(spec).bytes);
  }
  void add_pe(const std::string& path, const PeDescription& description = {}) {
    add_file(path, build_pe(description).bytes);
  }
  void add_folder(const std::string& path) { put(path, EntryKind::folder); }
  void add_link(const std::string& path, std::string target) {
    Node& node = put(path, EntryKind::file);
    node.is_link = true;
    node.target = std::move(target);
  }
  void add_special(const std::string& path) { put(path, EntryKind::special); }
  /// What is there cannot be read, nor what lies below it.
  void deny(const std::string& path) { put(path, EntryKind::denied); }
  void remove(const std::string& path) { nodes_.erase(key(parts_of(path))); }

  /// How often a path was asked for: a replay must not be quadratic.
  [[nodiscard]] std::size_t lookups() const { return lookups_; }

  [[nodiscard]] FileEntry entry(const std::string& path) override {
    ++lookups_;
    const std::optional<Parts> real = follow(path);
    if (!real) {
      return {};
    }
    if (real->empty()) {
      return {EntryKind::folder, "/"};
    }
    const Node* node = find(*real);
    return node == nullptr ? FileEntry{} : FileEntry{node->kind, key(*real)};
  }

  [[nodiscard]] std::string resolved(const std::string& path) override {
    const std::optional<Parts> real = follow(path);
    if (!real || (!real->empty() && find(*real) == nullptr)) {
      return path;
    }
    std::string out;
    Parts so_far;
    for (const std::string& part : *real) {
      so_far.push_back(part);
      out += (windows_ && out.empty() ? "" : separator()) + find(so_far)->name;
    }
    return out.empty() ? separator() : out;
  }

  [[nodiscard]] std::vector<std::string> list(const std::string& folder) override {
    const std::optional<Parts> real = follow(folder);
    std::vector<std::string> names;
    if (!real) {
      return names;
    }
    for (const auto& [path, node] : nodes_) {
      if (node.parent == key(*real)) {
        names.push_back(node.name);
      }
    }
    std::ranges::sort(names);
    return names;
  }

  [[nodiscard]] Result<const ElfFile*> elf(const std::string& path) override {
    return header(path, elfs_, [](const Source& source) { return read_elf(source, {}); });
  }
  [[nodiscard]] Result<const PeFile*> pe(const std::string& path) override {
    return header(path, pes_, [](const Source& source) { return read_pe(source, {}); });
  }

  [[nodiscard]] Result<std::shared_ptr<const Source>> open(const std::string& path) override {
    const std::optional<Parts> real = follow(path);
    const Node* node = real ? find(*real) : nullptr;
    if (node == nullptr) {
      return fail(ErrorCode::not_found, "no such file");
    }
    if (node->kind != EntryKind::file) {
      return fail(
          node->kind == EntryKind::denied ? ErrorCode::no_permission : ErrorCode::special_file,
          "not a file that can be read");
    }
    return std::make_shared<const OwnedSource>(node->bytes);
  }

 private:
  using Parts = std::vector<std::string>;

  struct Node {
    EntryKind kind = EntryKind::none;
    std::string name;    // as it was written
    std::string parent;  // key
    std::shared_ptr<const std::string> bytes = std::make_shared<const std::string>();
    bool is_link = false;
    std::string target;
  };

  static Node new_node(EntryKind kind, std::string name, std::string parent) {
    Node node;
    node.kind = kind;
    node.name = std::move(name);
    node.parent = std::move(parent);
    return node;
  }

  class OwnedSource final : public Source {
   public:
    explicit OwnedSource(std::shared_ptr<const std::string> bytes)
        : bytes_(std::move(bytes)), source_(std::string_view(*bytes_)) {}
    [[nodiscard]] std::uint64_t size() const override { return source_.size(); }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
      return source_.read(offset, out);
    }

   private:
    std::shared_ptr<const std::string> bytes_;
    MemorySource source_;
  };

  template <class File, class Read>
  Result<const File*> header(const std::string& path,
                             std::map<std::string, std::unique_ptr<Result<File>>>& kept,
                             const Read& read) {
    auto& slot = kept[entry(path).identity + "|" + path];
    if (!slot) {
      const auto source = open(path);
      slot = source ? std::make_unique<Result<File>>(read(**source))
                    : std::make_unique<Result<File>>(std::unexpected(source.error()));
    }
    if (!*slot) {
      return std::unexpected(slot->error());
    }
    return &**slot;
  }

  [[nodiscard]] std::string separator() const { return windows_ ? "\\" : "/"; }

  [[nodiscard]] Parts parts_of(std::string_view path) const {
    std::string text(path);
    if (windows_) {
      std::ranges::replace(text, '/', '\\');
      if (text.starts_with("\\\\?\\")) {
        text.erase(0, 4);
      }
    }
    Parts parts;
    for (const std::string_view part : split(text, windows_ ? '\\' : '/')) {
      if (!part.empty() && part != ".") {
        parts.emplace_back(part);
      }
    }
    return parts;
  }

  [[nodiscard]] std::string key(const Parts& parts) const {
    const std::string text = join(parts, separator());
    return windows_ ? to_lower_ascii(text) : "/" + text;
  }

  [[nodiscard]] const Node* find(const Parts& parts) const {
    const auto found = nodes_.find(key(parts));
    return found == nodes_.end() ? nullptr : &found->second;
  }

  Node& put(const std::string& path, EntryKind kind) {
    const Parts parts = parts_of(path);
    Parts parent;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      make(parent, parts[i], EntryKind::folder);
      parent.push_back(parts[i]);
    }
    Node& node = make(parent, parts.back(), kind);
    node = new_node(kind, parts.back(), key(parent));
    return node;
  }

  Node& make(const Parts& parent, const std::string& name, EntryKind kind) {
    Parts whole = parent;
    whole.push_back(name);
    return nodes_.try_emplace(key(whole), new_node(kind, name, key(parent))).first->second;
  }

  /// The parts of the path that links lead to; empty where they lead in circles, through a file or
  /// to nothing.
  [[nodiscard]] std::optional<Parts> follow(const std::string& path) const {
    constexpr int kMaxLinks = 40;
    const bool absolute = windows_ ? path.size() >= 2 : path.starts_with('/');
    if (!absolute) {
      return std::nullopt;
    }
    const Parts asked = parts_of(path);
    std::deque<std::string> rest(asked.begin(), asked.end());
    Parts real;
    int links = 0;
    while (!rest.empty()) {
      const std::string part = rest.front();
      rest.pop_front();
      if (part == "..") {
        if (!real.empty()) {
          real.pop_back();
        }
        continue;
      }
      real.push_back(part);
      const Node* node = find(real);
      if (node == nullptr || (!rest.empty() && !node->is_link && node->kind != EntryKind::folder)) {
        return std::nullopt;
      }
      if (node->is_link) {
        if (++links > kMaxLinks) {
          return std::nullopt;
        }
        real.pop_back();
        if (windows_ ? node->target.find(':') != std::string::npos
                     : node->target.starts_with('/')) {
          real.clear();
        }
        const Parts target = parts_of(node->target);
        rest.insert(rest.begin(), target.begin(), target.end());
      }
    }
    return real;
  }

  bool windows_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, std::unique_ptr<Result<ElfFile>>> elfs_;
  std::map<std::string, std::unique_ptr<Result<PeFile>>> pes_;
  std::size_t lookups_ = 0;
};

}  // namespace plumb::test
