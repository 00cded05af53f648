// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "report/which_report.h"

namespace plumb {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kLabelWidth = 9;  // "because"
constexpr std::size_t kMostNeeders = 3;
constexpr std::size_t kMostSymbols = 20;

class Writer {
 public:
  Writer(const WhichReport& report, const WhichTextOptions& options)
      : report_(report), options_(options), style_(options.style) {}

  std::string write() {
    if (options_.quiet) {
      for (const LibraryChoice& choice : report_.results) {
        if (choice.found) {
          out_ += printable(choice.path) + "\n";
        }
      }
      return out_;
    }
    if (!report_.subject.empty()) {
      write_tree();
    } else if (report_.asked_all) {
      write_list();
    } else {
      for (const LibraryChoice& choice : report_.results) {
        out_ += out_.empty() ? "" : "\n";
        write_one(choice);
      }
    }
    write_failures();
    write_symbols();
    return in_charset(out_, style_);
  }

 private:
  static std::string version_of(const LibraryChoice& choice) {
    return choice.version.empty() ? "version not told" : choice.version;
  }

  void label(std::string_view name, const std::string& text) {
    out_ += labelled(name, printable(text), kIndent, kLabelWidth, style_);
  }

  void write_one(const LibraryChoice& choice) {
    const std::string name = printable(choice.library);
    const std::string whom =
        choice.framework.empty() ? std::string{} : "   for " + printable(choice.framework);
    if (choice.found) {
      out_ += bold(name, style_) + "   " + printable(version_of(choice)) + "   " +
              printable(choice.path) + dim(whom, style_) + "\n\n";
    } else {
      out_ += mark(choice.optional ? Mark::look : Mark::broken, style_) + " " +
              bold(name + " is not found", style_) + dim(whom, style_) + "\n\n";
    }
    write_needers(choice);
    if (choice.found) {
      label("because", choice.detail.empty() ? choice.rule : choice.detail);
    } else if (!choice.fault.empty()) {
      label("why", choice.fault);
    }
    write_losers(choice);
  }

  void write_needers(const LibraryChoice& choice) {
    const std::size_t shown = options_.verbose ? choice.needed_by.size()
                                               : std::min(choice.needed_by.size(), kMostNeeders);
    for (std::size_t i = 0; i < shown; ++i) {
      label(i == 0 ? "asked by" : "", choice.needed_by[i]);
    }
    if (shown < choice.needed_by.size()) {
      label("", "and " + std::to_string(choice.needed_by.size() - shown) + " more");
    }
  }

  void write_losers(const LibraryChoice& choice) {
    bool first = true;
    for (const LibraryLoser& loser : choice.losers) {
      out_ += std::string(kIndent, ' ') +
              pad_right(first ? (choice.found ? "not" : "there is") : "", kLabelWidth) +
              (loser.version.empty() ? std::string{} : printable(loser.version) + "   ") +
              printable(loser.path) + "\n";
      out_ += labelled("", printable(loser.why), kIndent, kLabelWidth + 2, style_);
      first = false;
    }
  }

  void write_list() {
    std::string framework;
    std::size_t name_width = 0;
    std::size_t version_width = 0;
    for (const LibraryChoice& choice : report_.results) {
      name_width = std::max(name_width, display_width(printable(choice.library)));
      version_width = std::max(version_width, display_width(printable(choice.version)));
    }
    bool first = true;
    for (const LibraryChoice& choice : report_.results) {
      if (first || choice.framework != framework) {
        framework = choice.framework;
        out_ += (first ? "" : "\n") + bold(printable(framework), style_) + "\n";
      }
      first = false;
      out_ += std::string(kIndent, ' ') +
              mark(choice.found ? Mark::right : (choice.optional ? Mark::not_needed : Mark::broken),
                   style_) +
              " " + pad_right(printable(choice.library), name_width) + "  " +
              pad_right(printable(choice.version), version_width) + "  ";
      if (choice.found) {
        out_ += printable(choice.path) + "  " + dim(printable(choice.rule), style_) + "\n";
      } else {
        out_ += choice.optional ? "not there; " + printable(framework) + " goes on without it\n"
                                : "not found\n";
      }
      const bool differs = std::ranges::any_of(choice.losers, [&](const LibraryLoser& loser) {
        return loser.version != choice.version || !choice.found;
      });
      if (differs || options_.verbose) {
        for (const LibraryLoser& loser : choice.losers) {
          out_ +=
              std::string(kIndent + mark_width(style_) + 3, ' ') +
              dim("not " +
                      (loser.version.empty() ? std::string{} : printable(loser.version) + "  ") +
                      printable(loser.path) + ": " + printable(loser.why),
                  style_) +
              "\n";
        }
      }
    }
    if (report_.results.empty()) {
      out_ += "no CUDA library is loaded\n";
    }
  }

  void write_tree() {
    out_ += bold(printable(report_.subject), style_) + "\n";
    for (const LibraryChoice& choice : report_.results) {
      const std::string indent((choice.depth + 1) * 2, ' ');
      out_ += indent + printable(choice.library);
      if (choice.found) {
        // A part of Windows that lies in no file here has no path.
        out_ += (choice.path.empty() ? std::string{} : " => " + printable(choice.path)) + "  " +
                dim(printable(choice.rule), style_) + "\n";
        continue;
      }
      if (choice.delayed) {
        out_ += "  " + dim("not found; looked up only when it is first called", style_) + "\n";
        continue;
      }
      out_ += "  " + mark(Mark::broken, style_) + " " + printable(choice.fault) + "\n";
      for (const LibraryLoser& loser : choice.losers) {
        out_ += indent + "  there is " + printable(loser.path) + ": " + printable(loser.why) + "\n";
      }
    }
    if (report_.results.empty() && report_.errors.empty()) {
      out_ += "  needs no library\n";
    }
  }

  void write_failures() {
    for (const std::string& failure : report_.failures) {
      out_ += "\n" + mark(Mark::broken, style_) + " " + printable(failure) + "\n";
    }
  }

  void write_symbols() {
    if (!report_.with_symbols) {
      return;
    }
    out_ += "\n";
    if (report_.missing_symbols.empty() && !report_.errors.empty()) {
      out_ += mark(Mark::unreadable, style_) + " none missing of " +
              std::to_string(report_.symbols_looked_up) + " symbols, but not all could be read\n";
      return;
    }
    if (report_.missing_symbols.empty()) {
      out_ += mark(Mark::right, style_) + " all " + std::to_string(report_.symbols_looked_up) +
              " symbols are there\n";
      return;
    }
    out_ += mark(Mark::broken, style_) + " " + std::to_string(report_.missing_symbols.size()) +
            " missing of " + std::to_string(report_.symbols_looked_up) + " symbols\n";
    const std::size_t shown = options_.verbose
                                  ? report_.missing_symbols.size()
                                  : std::min(report_.missing_symbols.size(), kMostSymbols);
    std::string file;
    for (std::size_t i = 0; i < shown; ++i) {
      const ShownSymbol& symbol = report_.missing_symbols[i];
      if (symbol.file != file) {
        file = symbol.file;
        out_ += "\n  " + printable(file) + " wants\n";
      }
      std::string text;
      if (symbol.whole_version) {
        text = "version " + printable(symbol.version) + " of " + printable(symbol.expected_in) +
               ", which has no such version";
      } else {
        text = printable(symbol.demangled.empty() ? symbol.symbol : symbol.demangled);
        if (!symbol.version.empty()) {
          text += "   (" + printable(symbol.version) + ")";
        }
        if (!symbol.expected_in.empty()) {
          text += "   from " + printable(symbol.expected_in);
        }
      }
      out_ += labelled("", text, 4, 0, style_);
      if (!symbol.also_in.empty()) {
        out_ += labelled("", "is in " + printable(symbol.also_in), 6, 0, style_);
      }
    }
    if (shown < report_.missing_symbols.size()) {
      out_ += "    and " + std::to_string(report_.missing_symbols.size() - shown) +
              " more; --verbose shows all\n";
    }
  }

  const WhichReport& report_;
  const WhichTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string which_text(const WhichReport& report, const WhichTextOptions& options) {
  return Writer(report, options).write();
}

}  // namespace plumb
