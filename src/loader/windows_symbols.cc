// SPDX-License-Identifier: Apache-2.0
// A forwarder names a module, not a file: it is what a LoadLibrary of that name would give in this
// process. Modules that forwarders lead to and that are not loaded yet are looked for in the
// default order; for a DLL of System32 there first, as its own imports are known DLLs.
#include "loader/windows_symbols.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "binary/pe_export_table.h"
#include "loader/windows_paths.h"

namespace plumb {
namespace {

// Windows' own chains have at most 3 links (kernel32, an API set, kernelbase, ntdll).
constexpr int kMaxForwarders = 16;
constexpr std::uint64_t kMaxKept = 96U << 20;

/// A DLL whose exports are looked at; without `table`, one that can only be trusted.
struct Exporter {
  std::string file;
  std::shared_ptr<const PeExportTable> table;
};

enum class Answer { there, missing, unknown };

class Checker {
 public:
  Checker(const WindowsProcess& process, SymbolCheck& out) : process_(process), out_(out) {}

  void check(const WindowsObject& object, bool delayed) {
    const auto source = process_.files().open(object.file);
    if (!source) {
      out_.errors.push_back(Error(source.error()).in(object.file));
      return;
    }
    const auto file = read_pe(**source, {ExportDetail::count, /*import_functions=*/true});
    if (!file) {
      out_.errors.push_back(Error(file.error()).in(object.file));
      return;
    }
    check_functions(object, file->imported_functions, file->imports, false);
    if (delayed) {
      check_functions(object, file->delay_imported_functions, file->delay_imports, true);
    }
  }

 private:
  void check_functions(const WindowsObject& object,
                       const std::vector<PeImportedFunction>& functions,
                       const std::vector<std::string>& libraries, bool delayed) {
    std::vector<std::optional<Exporter>> exporters(libraries.size());
    std::vector<bool> asked(libraries.size());
    for (const PeImportedFunction& function : functions) {
      if (function.library >= libraries.size()) {
        continue;
      }
      const std::string& library = libraries[function.library];
      if (!asked[function.library]) {
        asked[function.library] = true;
        exporters[function.library] = exporter_for(object, library, function.library, delayed);
      }
      const auto& exporter = exporters[function.library];
      if (!exporter) {
        continue;  // the DLL itself is missing: the load says so
      }
      ++out_.looked_up;
      const std::uint16_t ordinal = function.ordinal.value_or(0);
      if (find(*exporter, function.ordinal ? std::string() : function.name, ordinal,
               function.hint) == Answer::missing) {
        MissingSymbol& missing = out_.missing.emplace_back();
        missing.symbol = function.ordinal ? "#" + std::to_string(ordinal) : function.name;
        missing.file = object.file;
        missing.expected_in = library;
      }
    }
  }

  std::optional<Exporter> exporter_for(const WindowsObject& object, const std::string& library,
                                       std::size_t index, bool delayed) {
    if (!delayed) {
      if (index >= object.needs.size() || !object.needs[index].object) {
        return std::nullopt;
      }
      return exporter(process_.objects()[*object.needs[index].object]);
    }
    return module_of(library, object.file);
  }

  Exporter exporter(const WindowsObject& object) {
    return object.file.empty() || object.pe == nullptr ? Exporter{}
                                                       : exporter(object.file, *object.pe);
  }

  Exporter exporter(const std::string& file, const PeFile& pe) {
    Exporter out{file, nullptr};
    if (const auto known = tables_.find(file); known != tables_.end()) {
      out.table = known->second;
      return out;
    }
    const auto source = process_.files().open(file);
    auto table = source ? PeExportTable::read(**source, pe)
                        : Result<PeExportTable>(std::unexpected(source.error()));
    if (table) {
      kept_ += table->kept_bytes();
      out.table = std::make_shared<const PeExportTable>(*std::move(table));
    } else {
      out_.errors.push_back(Error(table.error()).in(file));
    }
    if (kept_ > kMaxKept) {
      tables_.clear();
      kept_ = out.table ? out.table->kept_bytes() : 0;
    }
    tables_[file] = out.table;
    return out;
  }

  /// The module that a bare name means here; empty if there is none.
  std::optional<Exporter> module_of(const std::string& name, const std::string& asker) {
    std::string wanted = name;
    if (const auto host = process_.host_of_api_set(name, windows_base_name(asker))) {
      if (host->empty()) {
        return std::nullopt;
      }
      wanted = *host;
    } else if (is_api_set_name(name) && !process_.knows_api_sets()) {
      return Exporter{};
    }
    if (const auto loaded = process_.find_loaded(wanted)) {
      return exporter(process_.objects()[*loaded]);
    }
    const std::string& system = process_.settings().system_folder;
    const std::string key = to_lower_ascii(wanted);
    const bool by_system = wanted != name ||
                           to_lower_ascii(windows_folder_of(asker)) == to_lower_ascii(system) ||
                           std::ranges::find(process_.settings().known_dlls, key) !=
                               process_.settings().known_dlls.end();
    auto [known, is_new] = searched_.try_emplace(key + (by_system ? "|system" : ""));
    if (is_new) {
      known->second = search(wanted, by_system ? system : std::string());
    }
    if (known->second.empty()) {
      const auto& provided = process_.settings().provided;
      const bool trusted =
          !process_.has_system() && std::ranges::find(provided, key) != provided.end();
      return trusted ? std::optional(Exporter{}) : std::nullopt;
    }
    const auto pe = process_.files().pe(known->second);
    return pe && (*pe)->machine == process_.settings().machine
               ? std::optional(exporter(known->second, **pe))
               : std::nullopt;
  }

  std::string search(const std::string& name, const std::string& first) {
    std::vector<std::string> folders;
    if (!first.empty()) {
      folders.push_back(first);
    }
    for (const WindowsPlace& place : process_.places(0, "")) {
      folders.push_back(place.folder);
    }
    for (const std::string& folder : folders) {
      std::string file = join_windows_path(folder, name);
      if (process_.files().entry(file).kind == EntryKind::file) {
        return file;
      }
    }
    return "";
  }

  Answer find(Exporter from, std::string name, std::uint16_t ordinal, std::uint16_t hint) {
    for (int link = 0; link < kMaxForwarders; ++link) {
      if (!from.table) {
        return Answer::unknown;
      }
      const auto found =
          name.empty() ? from.table->find_ordinal(ordinal) : from.table->find(name, hint);
      if (!found) {
        return Answer::missing;
      }
      if (found->forwarder.empty()) {
        return Answer::there;
      }
      const auto forwarder = parse_forwarder(found->forwarder);
      auto next = forwarder ? module_of(forwarder->module, from.file) : std::nullopt;
      if (!next) {
        return Answer::missing;
      }
      from = *std::move(next);
      name = forwarder->name;
      ordinal = forwarder->ordinal;
      hint = 0;
    }
    return Answer::missing;  // in circles
  }

  const WindowsProcess& process_;
  SymbolCheck& out_;
  std::map<std::string, std::shared_ptr<const PeExportTable>> tables_;
  std::map<std::string, std::string> searched_;
  std::uint64_t kept_ = 0;
};

}  // namespace

SymbolCheck check_procedures(const WindowsProcess& process, std::span<const std::size_t> objects,
                             bool delayed) {
  SymbolCheck out;
  Checker checker(process, out);
  for (const std::size_t index : objects) {
    const WindowsObject& object = process.objects()[index];
    if (!object.file.empty() && object.pe != nullptr) {
      checker.check(object, delayed);
    }
  }
  return out;
}

}  // namespace plumb
