// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/which_report.h"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

Json clean(std::string_view text) {
  return printable(text);
}

Json or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : clean(text);
}

Json choice_json(const LibraryChoice& choice) {
  Json losers = Json::array();
  for (const LibraryLoser& loser : choice.losers) {
    losers.push_back({{"path", clean(loser.path)},
                      {"version", or_null(loser.version)},
                      {"why", clean(loser.why)}});
  }
  Json needed_by = Json::array();
  for (const std::string& file : choice.needed_by) {
    needed_by.push_back(clean(file));
  }
  Json json = {{"library", clean(choice.library)}};
  json["chosen"] = choice.found ? Json{{"path", clean(choice.path)},
                                       {"rule", clean(choice.rule)},
                                       {"version", or_null(choice.version)},
                                       {"opened_as", clean(choice.opened_as)},
                                       {"detail", or_null(choice.detail)}}
                                : Json(nullptr);
  json["losers"] = std::move(losers);
  json["needed_by"] = std::move(needed_by);
  json["for"] = or_null(choice.framework);
  json["optional"] = choice.optional || choice.delayed;
  json["reason"] = or_null(choice.fault);
  return json;
}

Json symbol_json(const ShownSymbol& symbol) {
  return {{"symbol", or_null(symbol.symbol)},
          {"version", or_null(symbol.version)},
          {"file", clean(symbol.file)},
          {"demangled", or_null(symbol.demangled)},
          {"expected_in", or_null(symbol.expected_in)},
          {"also_in", or_null(symbol.also_in)}};
}

}  // namespace

std::string which_json(const WhichReport& report) {
  Json results = Json::array();
  for (const LibraryChoice& choice : report.results) {
    results.push_back(choice_json(choice));
  }
  Json json = {{"schema", 1}, {"results", std::move(results)}};
  if (report.with_symbols) {
    Json missing = Json::array();
    for (const ShownSymbol& symbol : report.missing_symbols) {
      missing.push_back(symbol_json(symbol));
    }
    json["missing_symbols"] = std::move(missing);
    json["symbols_looked_up"] = report.symbols_looked_up;
  }
  Json failures = Json::array();
  for (const std::string& failure : report.failures) {
    failures.push_back(clean(failure));
  }
  json["failures"] = std::move(failures);
  Json errors = Json::array();
  for (const Error& error : report.errors) {
    errors.push_back({{"path", clean(error.where)},
                      {"code", std::string(error_code_name(error.code))},
                      {"message", clean(error.what)}});
  }
  json["errors"] = std::move(errors);
  return json.dump(2) + "\n";
}

}  // namespace plumb
