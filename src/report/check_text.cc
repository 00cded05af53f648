// SPDX-License-Identifier: Apache-2.0
#include "report/check_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kLabelWidth = 7;  // "why", "seen", "do", "not"
constexpr std::size_t kLongestName = 20;

Mark mark_of(LayerState state) {
  switch (state) {
    case LayerState::ok:
      return Mark::right;
    case LayerState::look:
      return Mark::look;
    case LayerState::broken:
      return Mark::broken;
    case LayerState::unknown:
      return Mark::unreadable;
    case LayerState::absent:
      return Mark::not_needed;
    case LayerState::waits:
      break;
  }
  return Mark::waits;
}

Mark mark_of(Severity severity) {
  return severity == Severity::error     ? Mark::broken
         : severity == Severity::warning ? Mark::look
                                         : Mark::not_needed;
}

class Writer {
 public:
  Writer(const CheckReport& report, const CheckTextOptions& options)
      : report_(report), options_(options), style_(options.style) {}

  [[nodiscard]] std::string write() {
    out_ = mark(mark_of(report_.state), style_) + " " + bold(printable(report_.verdict), style_) +
           "\n";
    if (!options_.quiet) {
      out_ += "\n";
      write_layers();
      // The answer tells the first cause; that something is worth knowing it does not tell.
      const bool leads =
          !report_.causes.empty() && report_.causes.front().severity != Severity::note;
      if (leads) {
        out_ += "\n";
        write_cause(report_.causes.front());
      }
      write_others(leads ? 1 : 0);
      out_ += "\n  " + dim(printable(options_.how), style_) + "\n";
    }
    return in_charset(out_, style_);
  }

 private:
  void write_layers() {
    std::vector<std::string> fitting;  // extensions with which all is well
    std::size_t width = 0;
    for (const Layer& layer : report_.layers) {
      width = std::max(width, std::min(display_width(layer.name), kLongestName));
    }
    for (const Layer& layer : report_.layers) {
      if (layer.extension && layer.state == LayerState::ok && !options_.verbose) {
        fitting.push_back(layer.name);
        continue;
      }
      write_layer(layer, width);
    }
    if (!fitting.empty()) {
      write_layer({"others", LayerState::ok, join(fitting, ", "), {}, true}, width);
    }
  }

  void write_layer(const Layer& layer, std::size_t width) {
    const std::string name =
        pad_right(shorten_middle(printable(layer.name), kLongestName), width) + "   ";
    const bool waits = layer.state == LayerState::waits;
    const std::string first =
        (waits ? dim(name, style_) : name) + mark(mark_of(layer.state), style_) + " ";
    const std::size_t label_width = width + 3 + mark_width(style_) + 1;
    write_labelled(first, printable(layer.text), kIndent, label_width, waits);
    if (options_.verbose) {
      for (const std::string_view line : split(layer.detail, '\n')) {
        if (!line.empty()) {
          out_ += std::string(kIndent + label_width, ' ') + dim(printable(line), style_) + "\n";
        }
      }
    }
  }

  /// Like labelled(), with the text dim where asked.
  void write_labelled(const std::string& first, const std::string& text, std::size_t indent,
                      std::size_t label_width, bool is_dim) {
    std::string block = labelled(first, text, indent, label_width, style_);
    if (is_dim && style_.colour) {
      std::string dimmed;
      for (const std::string_view line : split(block, '\n')) {
        dimmed += line.empty() ? "" : dim(line, style_) + "\n";
      }
      block = dimmed;
    }
    out_ += block;
  }

  void write_cause(const Finding& finding) {
    if (!finding.why.empty()) {
      out_ += labelled("why", printable(finding.why), kIndent, kLabelWidth, style_);
    }
    write_evidence(finding);
    write_steps(finding);
    if (!finding.in_vain.empty()) {
      out_ += labelled("not", printable(finding.in_vain), kIndent, kLabelWidth, style_);
    }
    out_ += "\n  " +
            dim(printable(finding.code) + " · " + std::string(certainty_name(finding.certainty)),
                style_) +
            "\n";
  }

  void write_evidence(const Finding& finding) {
    bool first = true;
    for (const Evidence& evidence : finding.evidence) {
      std::string text = printable(evidence.text);
      if (!evidence.origin.empty()) {
        text += "   (" + printable(shown_path(evidence.origin)) + ")";
      }
      out_ += labelled(first ? "seen" : "", text, kIndent, kLabelWidth, style_);
      first = false;
    }
  }

  void write_steps(const Finding& finding) {
    const bool numbered = finding.next.size() > 1;
    for (std::size_t i = 0; i < finding.next.size(); ++i) {
      const Step& step = finding.next[i];
      const std::string label = i == 0 ? "do" : "";
      const std::string number = numbered ? std::to_string(i + 1) + "  " : "";
      if (step.is_command) {
        // Whole, however long: it is there to be copied.
        out_ += std::string(kIndent, ' ') + pad_right(label, kLabelWidth) + number +
                printable(step.text) + "\n";
      } else {
        out_ += labelled(pad_right(label, kLabelWidth) + number, printable(step.text), kIndent,
                         kLabelWidth + number.size(), style_);
      }
      if (!step.note.empty()) {
        out_ += labelled("", "(" + printable(step.note) + ")", kIndent, kLabelWidth + number.size(),
                         style_);
      }
    }
  }

  void write_others(std::size_t first) {
    if (report_.causes.size() <= first) {
      return;
    }
    out_ += "\n  Also\n";
    for (std::size_t i = first; i < report_.causes.size(); ++i) {
      const Finding& finding = report_.causes[i];
      out_ += labelled(mark(mark_of(finding.severity), style_),
                       printable(finding.summary + " (" + finding.code + ")"), kIndent,
                       mark_width(style_) + 1, style_);
      if (!finding.next.empty() && finding.next.back().is_command) {
        out_ += std::string(kIndent + mark_width(style_) + 1, ' ') +
                dim(printable(finding.next.back().text), style_) + "\n";
      }
    }
  }

  /// From the environment's own name on; whole with --verbose.
  [[nodiscard]] std::string shown_path(const std::string& path) const {
    const std::string& root = options_.root;
    if (options_.verbose || root.empty() || !path.starts_with(root)) {
      return path;
    }
    const std::size_t name = root.find_last_of("/\\");
    return name == std::string::npos ? path : path.substr(name + 1);
  }

  const CheckReport& report_;
  const CheckTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string check_text(const CheckReport& report, const CheckTextOptions& options) {
  return Writer(report, options).write();
}

}  // namespace plumb
