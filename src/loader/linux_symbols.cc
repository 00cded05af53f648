// SPDX-License-Identifier: Apache-2.0
// An object is relocated when it is loaded, so what it sees is what was there then: the global
// scope of that moment, and the list of the dlopen() that brought it. What came later does not
// count.
#include "loader/linux_symbols.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "binary/elf_symbol_index.h"

namespace plumb {
namespace {

class Checker {
 public:
  explicit Checker(const LinuxProcess& process) : process_(process) {}

  void check(std::size_t index) {
    const LinuxObject& object = process_.objects()[index];
    if (object.elf == nullptr || object.stand_in) {
      return;
    }
    check_versions(object);
    const ElfSymbolIndex* own = symbols_of(index);
    if (own == nullptr) {
      return;
    }
    auto undefined = own->undefined();
    if (!undefined) {
      result_.errors.push_back(std::move(undefined).error().in(object.file));
      return;
    }
    std::vector<ElfUndefinedSymbol> missing;
    const std::vector<std::size_t> scope = scope_of(index);
    for (ElfUndefinedSymbol& symbol : *undefined) {
      ++result_.looked_up;
      if (!symbol.weak && !is_defined(scope, symbol.wanted)) {
        missing.push_back(std::move(symbol));
      }
    }
    if (missing.empty()) {
      return;
    }
    const auto relocated = relocations_of(object);
    for (const ElfUndefinedSymbol& symbol : missing) {
      if (relocated && !relocated->contains(symbol.index)) {
        continue;
      }
      const ElfVersion* version = symbol.wanted.version;
      result_.missing.push_back({std::string(symbol.wanted.name),
                                 version != nullptr ? version->name : std::string{},
                                 object.file,
                                 version != nullptr ? version->library : std::string{},
                                 {},
                                 false});
    }
  }

  SymbolCheck take() { return std::move(result_); }

 private:
  /// Each version that is needed of a library must be one that it defines. A library without any
  /// definition is taken as it is, and a needed library that is missing is another fault.
  void check_versions(const LinuxObject& object) {
    for (const ElfVersionNeed& need : object.elf->version_needs) {
      const LinuxObject* library = loaded_as(need.library);
      if (library == nullptr || library->elf == nullptr ||
          library->elf->version_definitions.empty()) {
        continue;
      }
      const auto& defined = library->elf->version_definitions;
      for (const std::string& version : need.versions) {
        if (std::ranges::find(defined, version) == defined.end() &&
            std::ranges::find(need.weak, version) == need.weak.end()) {
          result_.missing.push_back({{}, version, object.file, library->file, {}, true});
        }
      }
    }
  }

  const LinuxObject* loaded_as(const std::string& name) {
    const auto [known, is_new] = by_name_.try_emplace(name, nullptr);
    if (is_new) {
      for (const LinuxObject& object : process_.objects()) {
        if (std::ranges::find(object.names, name) != object.names.end() ||
            (object.elf != nullptr && object.elf->soname == name)) {
          known->second = &object;
          break;
        }
      }
    }
    return known->second;
  }

  std::vector<std::size_t> scope_of(std::size_t index) const {
    const LinuxObject& object = process_.objects()[index];
    std::vector<std::size_t> scope;
    std::set<std::size_t> seen;
    const auto add = [&](std::size_t member) {
      if (seen.insert(member).second) {
        scope.push_back(member);
      }
    };
    const auto add_own = [&] {
      if (!object.scopes.empty()) {
        std::ranges::for_each(process_.objects()[object.scopes.front()].search_list, add);
      }
    };
    if (object.elf->symbolic && !object.deep_bind) {  // as measured
      add(index);
    }
    if (object.deep_bind) {
      add_own();
    }
    const auto& global = process_.global_scope();
    std::for_each(global.begin(),
                  global.begin() +
                      static_cast<std::ptrdiff_t>(std::min(object.global_at_load, global.size())),
                  add);
    add_own();
    return scope;
  }

  /// What a library that cannot be read may define is not called missing: its error is told.
  bool is_defined(const std::vector<std::size_t>& scope, const ElfWantedSymbol& wanted) {
    return std::ranges::any_of(scope, [&](std::size_t member) {
      const LinuxObject& object = process_.objects()[member];
      if (object.stand_in) {
        return wanted.name.starts_with("Py") || wanted.name.starts_with("_Py");
      }
      const ElfSymbolIndex* symbols = symbols_of(member);
      return symbols != nullptr ? symbols->defines(wanted) : object.elf != nullptr;
    });
  }

  /// Null for what has none or cannot be read; a file that cannot be read is told once.
  const ElfSymbolIndex* symbols_of(std::size_t index) {
    const auto [known, is_new] = symbols_.try_emplace(index);
    if (is_new && process_.objects()[index].elf != nullptr) {
      const LinuxObject& object = process_.objects()[index];
      const auto source = process_.files().open(object.file);
      auto read = source ? ElfSymbolIndex::read(**source, *object.elf)
                         : Result<ElfSymbolIndex>(std::unexpected(source.error()));
      if (read) {
        known->second = std::make_unique<ElfSymbolIndex>(*std::move(read));
      } else {
        result_.errors.push_back(
            std::move(read).error().while_doing("reading the dynamic symbols").in(object.file));
      }
    }
    return known->second.get();
  }

  std::optional<std::set<std::uint32_t>> relocations_of(const LinuxObject& object) {
    const auto source = process_.files().open(object.file);
    auto indices = source ? ElfSymbolIndex::relocated(**source, *object.elf)
                          : Result<std::set<std::uint32_t>>(std::unexpected(source.error()));
    if (!indices) {
      result_.errors.push_back(
          std::move(indices).error().while_doing("reading the relocations").in(object.file));
      return std::nullopt;
    }
    return *std::move(indices);
  }

  const LinuxProcess& process_;
  SymbolCheck result_;
  std::map<std::size_t, std::unique_ptr<ElfSymbolIndex>> symbols_;
  std::map<std::string, const LinuxObject*> by_name_;
};

}  // namespace

SymbolCheck check_symbols(const LinuxProcess& process, std::span<const std::size_t> objects) {
  Checker checker(process);
  for (const std::size_t object : objects) {
    checker.check(object);
  }
  return checker.take();
}

}  // namespace plumb
