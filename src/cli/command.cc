// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "base/text.h"

namespace plumb {

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "print one JSON object");
  app.add_flag("-q,--quiet", options.quiet, "print the answer only");
  app.add_flag("-v,--verbose", options.verbose, "print paths whole and every detail");
}

std::optional<std::vector<Card>> parse_cards(const std::vector<std::string>& names) {
  const Catalog& catalog = Catalog::builtin();
  std::vector<Card> cards;
  for (const std::string& name : names) {
    if (const auto cc = ComputeCapability::parse(name)) {
      cards.push_back({"compute capability " + cc->text(), *cc});
      continue;
    }
    const std::vector<const GpuModel*> models = catalog.find_gpus(name);
    if (models.empty()) {
      Error error{ErrorCode::usage,
                  "no NVIDIA card is known by the name `" + printable(name) + "`",
                  {},
                  {}};
      for (const GpuModel* near : catalog.nearest_gpus(name, 3)) {
        error.hints.push_back("did you mean `" + near->name + "`?");
      }
      error.hints.emplace_back("or give the compute capability itself: --gpu 8.9");
      print_error(error);
      return std::nullopt;
    }
    const bool one_answer = std::ranges::all_of(
        models, [&](const GpuModel* model) { return model->cc == models.front()->cc; });
    if (!one_answer) {
      Error error{ErrorCode::usage,
                  "`" + printable(name) + "` may be several cards; say which one",
                  {},
                  {}};
      for (const GpuModel* model : models) {
        error.hints.push_back("--gpu \"" + model->name + "\"   (compute capability " +
                              model->cc.text() + ")");
      }
      print_error(error);
      return std::nullopt;
    }
    cards.push_back({models.front()->name, models.front()->cc});
  }
  return cards;
}

void print_error(const Error& error) {
  std::string text = "error: ";
  if (!error.where.empty()) {
    text += printable(error.where) + ": ";
  }
  text += printable(error.what) + "\n";
  if (!error.hints.empty()) {
    text += "\n";
    for (const std::string& hint : error.hints) {
      text += "hint: " + printable(hint) + "\n";
    }
  }
  write_stream(Stream::err, text);
}

}  // namespace plumb
