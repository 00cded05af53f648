// SPDX-License-Identifier: Apache-2.0
#include "report/inspect_text.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/text.h"
#include "report/inspect_words.h"

namespace plumb {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kLabel = 10;

std::string shown_name(std::string_view path) {
  return printable(base_name(path));
}

std::string format_text(const BinaryFacts& facts) {
  switch (facts.format) {
    case Format::elf64:
    case Format::elf32:
      return "ELF, " + printable(facts.machine);
    case Format::pe32_plus:
    case Format::pe32:
      return "Windows " + std::string(facts.format == Format::pe32 ? "32-bit, " : "") +
             printable(facts.machine);
    case Format::ar:
      return "static archive, " + printable(facts.machine);
    case Format::fatbin:
      return "fatbin";
    case Format::cubin:
      return "cubin";
    case Format::ptx:
      return "PTX text";
    case Format::wheel:
    case Format::conda:
      break;
  }
  return std::string(format_name(facts.format));
}

class Writer {
 public:
  Writer(const JudgedInspection& judged, const InspectTextOptions& options)
      : judged_(judged), options_(options) {
    for (const InspectError& error : judged.inspection->errors) {
      if (error.error.code == ErrorCode::mismatch) {  // read, but not what RECORD promised
        continue;
      }
      faulty_.insert({error.archive, error.path});
      faulty_.insert({"", error.archive.empty() ? error.path : error.archive});
    }
  }

  std::string write() {
    const std::vector<JudgedFile>& files = judged_.files;
    if (options_.quiet) {
      for (const JudgedFile& file : files) {
        if (file.file->package || file.file->facts.archive.empty()) {
          text_ += answer_line(file) + "\n";
        }
      }
      return in_charset(text_, options_.style);
    }
    std::vector<const JudgedFile*> loose;
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].file->package) {
        text_ += blocks++ > 0 ? "\n" : "";
        write_package(i);
        i += files[i].file->member_count;
      } else {
        loose.push_back(&files[i]);
      }
    }
    if (!loose.empty()) {
      text_ += blocks > 0 ? "\n" : "";
      if (loose.size() == 1 || (loose.size() <= 3 && judged_.inspection->files_seen <= 3)) {
        for (const JudgedFile* file : loose) {
          text_ += file == loose.front() ? "" : "\n";
          write_binary(*file);
        }
      } else {
        write_table(loose);
      }
    }
    if (files.empty() && judged_.inspection->errors.empty()) {
      const std::uint64_t seen = judged_.inspection->files_seen;
      text_ += seen == 0
                   ? "no files there\n"
                   : "no binaries among " + grouped(seen) + (seen == 1 ? " file\n" : " files\n");
    }
    return in_charset(text_, options_.style);
  }

 private:
  void row(std::string_view label, std::string_view value) {
    if (!value.empty()) {
      text_ += labelled(label, value, kIndent, kLabel, options_.style);
    }
  }

  /// False if an error is told about it: what was not found may be in the part that was not read.
  bool read_whole(const JudgedFile& judged) const {
    return !faulty_.contains({judged.file->facts.archive, judged.file->facts.path});
  }

  std::string list_text(const std::vector<std::string>& names, std::size_t most) const {
    std::vector<std::string> shown;
    for (const std::string& name : names) {
      if (!options_.verbose && shown.size() == most && names.size() > most + 1) {
        shown.push_back("and " + grouped(names.size() - most) + " more (--verbose)");
        break;
      }
      shown.push_back(printable(name));
    }
    return join(shown, ", ");
  }

  /// One line that says all: for --quiet.
  std::string answer_line(const JudgedFile& file) const {
    std::string line = printable(file.file->facts.path) + ": ";
    if (file.verdicts.empty() || !file.file->facts.gpu.has_kernels()) {
      const std::string origin = origin_text(file, is_windows_file(*file.file));
      if (!file.file->facts.gpu.has_kernels()) {
        return line + (read_whole(file) ? "no GPU code" : "no GPU code in the part that was read");
      }
      return line + (origin.empty() ? "GPU code" : "GPU code, " + origin);
    }
    std::vector<std::string> answers;
    for (const Verdict& verdict : file.verdicts) {
      answers.push_back(card_text(verdict.card) + " " + result_text(verdict.result));
    }
    return line + join(answers, "; ");
  }

  void write_verdict_head(const Verdict& verdict) {
    text_ +=
        "\n" + std::string(kIndent, ' ') + bold(card_text(verdict.card) + ": ", options_.style) +
        coloured(result_mark(verdict.result), result_text(verdict.result), options_.style) + "\n";
  }

  void write_modules_row(std::string_view name, std::size_t width, const Verdict& verdict,
                         const GpuCode& code, bool windows) {
    const std::string first = mark(result_mark(verdict.result), options_.style) + " ";
    const std::size_t gap = width > 0 ? 2 : 0;
    text_ += labelled(first + pad_right(name, width), modules_text(verdict, code, windows),
                      2 * kIndent, mark_width(options_.style) + 1 + width + gap, options_.style);
  }

  void write_gpu_rows(const JudgedFile& judged) {
    const GpuCode& code = judged.file->facts.gpu;
    if (code.none()) {
      row("GPU code", read_whole(judged) ? "none" : "none in the part that was read");
      return;
    }
    const GpuTargets targets = sum_up(code);
    std::vector<std::string> places;
    for (const PlaceCount& place : targets.places) {
      std::string text =
          grouped(place.containers) + (place.containers == 1 ? " module" : " modules");
      if (!place.name.empty()) {
        text += " in " + printable(place.name);
      }
      if (options_.verbose) {
        text += " from offset " + std::to_string(place.first_offset);
      }
      places.push_back(std::move(text));
    }
    row("GPU code", join(places, ", "));
    const std::string sass = targets_text(targets.sass);
    row("", sass.empty() ? "" : "as built: " + sass);
    const std::string empty = empty_targets_text(targets.sass);
    row("", empty.empty() ? "" : "empty, serving nobody: " + empty);
    std::vector<std::string> isas;
    for (const auto& [target, count] : targets.ptx) {
      for (const auto& [major, minor] : count.isas) {
        const std::string isa = std::to_string(major) + "." + std::to_string(minor);
        if (std::ranges::find(isas, isa) == isas.end()) {
          isas.push_back(isa);
        }
      }
    }
    const std::string ptx = targets_text(targets.ptx);
    row("", ptx.empty()
                ? "no PTX: nothing can be compiled for newer cards"
                : "PTX, compiled for newer cards: " + ptx + " (PTX ISA " + join(isas, ", ") + ")");
    const std::string lto = targets_text(targets.lto);
    row("", lto.empty() ? "" : "LTO, for linking only: " + lto);
  }

  void write_binary(const JudgedFile& judged) {
    const BinaryFacts& facts = judged.file->facts;
    const bool windows = is_windows_file(*judged.file);
    text_ +=
        bold(options_.verbose ? printable(facts.path) : shown_name(facts.path), options_.style) +
        "   " + format_text(facts) + "   " + human_bytes(facts.size) + "\n";
    const std::string origin = origin_text(judged, windows);
    if (!origin.empty()) {
      text_ += origin + "\n";
    }
    if (judged_.cards > 0 && !facts.gpu.has_kernels() && read_whole(judged)) {
      text_ += "\n" + std::string(kIndent, ' ') + "no kernels of its own: any card will do\n";
    }
    for (const Verdict& verdict : judged.verdicts) {
      if (!facts.gpu.has_kernels()) {
        break;
      }
      write_verdict_head(verdict);
      write_modules_row("", 0, verdict, facts.gpu, windows);
    }
    text_ += "\n";
    write_gpu_rows(judged);
    row("runtime", facts.cudart == Cudart::shared    ? "libcudart, shared"
                   : facts.cudart == Cudart::static_ ? "libcudart, linked in"
                                                     : "");
    std::vector<std::string> versions;
    for (const auto& [library, version] : facts.versions) {
      versions.push_back(printable(library) + " " + printable(version));
    }
    row("version", join(versions, ", "));
    if (const auto found = facts.version_resource.find("FileVersion");
        found != facts.version_resource.end()) {
      row("resource", "FileVersion " + printable(found->second));
    }
    row("name", facts.name ? printable(*facts.name) : "");
    row("needs", list_text(facts.needs, 12));
    row("delayed", list_text(facts.delay_needs, 12));
    row("RPATH", folders_text(facts.rpath));
    row("RUNPATH", folders_text(facts.runpath));
    row("glibc", facts.glibc_min ? *facts.glibc_min + " or newer" : "");
    row("exports",
        facts.export_count == 0
            ? ""
            : grouped(facts.export_count) + (facts.export_count == 1 ? " symbol" : " symbols"));
    if (options_.exports == ExportDetail::names) {
      for (const std::string& name : facts.exports) {
        text_ += std::string(2 * kIndent, ' ') + printable(name) + "\n";
      }
    }
    if (judged.need && options_.verbose) {
      row("driver", judged.need->why);
    }
  }

  static std::string folders_text(const std::optional<std::string>& path) {
    std::vector<std::string> folders;
    if (path) {
      for (const std::string_view folder : split(*path, ':')) {
        folders.push_back(printable(folder));
      }
    }
    return join(folders, ", ");
  }

  static std::string tags_text(const PackageFacts& package) {
    std::set<std::string> pythons;
    std::set<std::string> platforms;
    for (const std::string& tag : package.tags) {
      const std::vector<std::string_view> parts = split(tag, '-');
      if (parts.size() == 3) {
        pythons.insert(std::string(parts[0]));
        platforms.insert(std::string(parts[2]));
      } else {
        platforms.insert(tag);  // conda's: "linux-64"
      }
    }
    const std::string python = join({pythons.begin(), pythons.end()}, " ");
    const std::string platform = join({platforms.begin(), platforms.end()}, " ");
    return printable(python.empty() ? platform : python + ", " + platform);
  }

  void write_package(std::size_t index) {
    const JudgedFile& judged = judged_.files[index];
    const PackageFacts& package = *judged.file->package;
    const bool windows = is_windows_file(*judged.file);
    const std::span members =
        std::span(judged_.files).subspan(index + 1, judged.file->member_count);
    const std::string tags = tags_text(package);
    text_ += bold(printable(package.name) + " " + printable(package.version), options_.style) +
             (tags.empty() ? "" : "   " + tags) + "   " + human_bytes(judged.file->facts.size) +
             "\n";
    const std::string origin = origin_text(judged, windows);
    if (!origin.empty()) {
      text_ += origin + "\n";
    } else if (judged.file->facts.gpu.none() && read_whole(judged)) {
      // Its requirements name GPU packages, but none for this system.
      const bool cpu_build = !members.empty() && !package.gpu_requires.empty() &&
                             std::ranges::none_of(package.gpu_requires, [&](const auto& line) {
                               return requirement_applies(line, windows);
                             });
      text_ += cpu_build ? "holds no GPU code: a CPU build\n" : "holds no GPU code\n";
    }
    std::vector<const JudgedFile*> with_code;
    std::size_t width = 0;
    for (const JudgedFile& member : members) {
      if (!member.file->facts.gpu.none()) {
        with_code.push_back(&member);
        width = std::max(width, display_width(shown_name(member.file->facts.path)));
      }
    }
    width = std::min<std::size_t>(width, 36);
    // Most modules first, then in the package's order.
    std::ranges::sort(with_code, [](const JudgedFile* a, const JudgedFile* b) {
      const auto key = [](const JudgedFile* file) {
        return file->file->facts.gpu.containers.size();
      };
      return key(a) != key(b) ? key(a) > key(b) : a < b;
    });
    for (std::size_t card = 0; card < judged.verdicts.size(); ++card) {
      write_verdict_head(judged.verdicts[card]);
      const std::size_t most = options_.verbose ? with_code.size() : 12;
      for (std::size_t i = 0; i < std::min(most, with_code.size()); ++i) {
        const JudgedFile& member = *with_code[i];
        write_modules_row(shorten_middle(shown_name(member.file->facts.path), width), width,
                          member.verdicts[card], member.file->facts.gpu, windows);
      }
      if (with_code.size() > most) {
        text_ += std::string(2 * kIndent, ' ') + "and " + grouped(with_code.size() - most) +
                 " more (--verbose)\n";
      }
    }
    text_ += "\n";
    if (judged.verdicts.empty() && !(judged.file->facts.gpu.none() && read_whole(judged))) {
      write_gpu_rows(judged);
    }
    row("holds", grouped(members.size()) + (members.size() == 1 ? " binary, " : " binaries, ") +
                     human_bytes(package.unpacked_size) + " unpacked");
    row("brings", list_text(bundled_versions(members), 12));
    std::vector<std::string> requirements;
    for (const std::string& requirement : package.gpu_requires) {
      if (requirement_applies(requirement, windows)) {
        requirements.push_back(requirement_text(requirement));
      }
    }
    row("needs", list_text(requirements, 16));
    row("python", package.requires_python.empty() ? "" : printable(package.requires_python));
    for (const std::string& warning : package.warnings) {
      row("note", printable(warning));
    }
    if (package.verified_members.value_or(0) > 0) {
      row("verified", grouped(*package.verified_members) +
                          (*package.verified_members == 1 ? " member agrees" : " members agree") +
                          " with RECORD");
    }
    if (options_.verbose) {
      for (const JudgedFile& member : members) {
        text_ += "\n";
        write_binary(member);
      }
    }
  }

  /// NVIDIA's libraries inside the package, with versions where the bytes tell.
  static std::vector<std::string> bundled_versions(std::span<const JudgedFile> members) {
    std::vector<std::string> names;
    for (const JudgedFile& member : members) {
      if (!is_nvidia_redistributable(member.file->facts)) {
        continue;
      }
      std::string name = shown_name(member.file->facts.path);
      if (!member.file->facts.versions.empty()) {
        name += " " + printable(member.file->facts.versions.begin()->second);
      }
      names.push_back(std::move(name));
    }
    return names;
  }

  static std::string table_targets(const GpuCode& code) {
    const GpuTargets targets = sum_up(code);
    std::string holds = targets_text(targets.sass);
    const std::string ptx = targets_text(targets.ptx);
    holds += ptx.empty() ? "" : (holds.empty() ? "PTX " : "\nPTX ") + ptx;
    return holds.empty() && !code.none() ? "empty" : holds;
  }

  /// Aligned, then the last column, wrapped in the room that is left.
  void write_rows(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::string>& last) {
    const std::vector<std::string> lines =
        aligned_rows(rows, 2, {Align::left, Align::right, Align::right, Align::left});
    std::size_t width = 0;
    for (const std::string& line : lines) {
      width = std::max(width, visible_width(line));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (last.empty()) {
        text_ += lines[i] + "\n";
        continue;
      }
      std::string cell = last[i];
      const std::size_t line_break = cell.find('\n');  // before the PTX, if both do not fit in one
      if (line_break != std::string::npos && width + 3 + cell.size() <= options_.style.columns) {
        cell.replace(line_break, 1, "  ");
      }
      text_ += labelled(lines[i], cell, 0, width + 2, options_.style);
    }
  }

  void write_table(const std::vector<const JudgedFile*>& files) {
    std::vector<std::vector<std::string>> rows = {{"file", "size", "modules"}};
    std::size_t plain = 0;
    const std::size_t width = options_.verbose ? 1000 : 44;
    std::vector<std::string> paths;
    for (const JudgedFile* judged : files) {
      paths.push_back(printable(judged->file->facts.path));
    }
    const std::string folder = common_folder(paths);
    std::vector<std::string> holdings = {"GPU code"};
    for (const JudgedFile* judged : files) {
      const BinaryFacts& facts = judged->file->facts;
      if (facts.gpu.none() && !options_.verbose) {
        ++plain;
        continue;
      }
      rows.push_back({shorten_middle(printable(facts.path).substr(folder.size()), width),
                      human_bytes(facts.size),
                      facts.gpu.none() ? "" : grouped(facts.gpu.containers.size())});
      holdings.push_back(judged->verdicts.empty() ? table_targets(facts.gpu) : "");
      for (const Verdict& verdict : judged->verdicts) {
        if (rows.front().size() < 3 + judged->verdicts.size()) {
          rows.front().push_back(card_text(verdict.card));
        }
        rows.back().push_back(facts.gpu.has_kernels()
                                  ? mark(result_mark(verdict.result), options_.style) + " " +
                                        short_result_text(verdict.result)
                                  : mark(Mark::not_needed, options_.style) + " no kernels");
      }
    }
    if (rows.size() > 1) {
      text_ += folder.empty() ? "" : folder + "\n\n";
      write_rows(rows, rows.front().size() > 3 ? std::vector<std::string>{} : holdings);
      text_ += "\n";
    }
    text_ += grouped(files.size()) + (files.size() == 1 ? " binary" : " binaries");
    if (plain > 0) {
      text_ += ", " + grouped(plain) + " of them without GPU code";
    }
    text_ += "; " + human_bytes(judged_.inspection->bytes_seen) + " in " +
             grouped(judged_.inspection->files_seen) + " files looked at in " +
             std::to_string(options_.elapsed_ms) + " ms\n";
  }

  const JudgedInspection& judged_;
  const InspectTextOptions& options_;
  std::set<std::pair<std::string, std::string>> faulty_;  // archive and path that errors name
  std::string text_;
};

}  // namespace

std::string inspect_text(const JudgedInspection& judged, const InspectTextOptions& options) {
  return Writer(judged, options).write();
}

}  // namespace plumb
