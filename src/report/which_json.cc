// SPDX-License-Identifier: Apache-2.0
#include "report/json_values.h"
#include "report/which_report.h"

namespace plumb {
namespace {

Json choice_json(const LibraryChoice& choice) {
  Json losers = Json::array();
  for (const LibraryLoser& loser : choice.losers) {
    losers.push_back({{"path", clean(loser.path)},
                      {"version", or_null(loser.version)},
                      {"why", clean(loser.why)}});
  }
  Json json = {{"library", clean(choice.library)}};
  json["chosen"] = choice.found ? Json{{"path", clean(choice.path)},
                                       {"rule", clean(choice.rule)},
                                       {"version", or_null(choice.version)},
                                       {"opened_as", clean(choice.opened_as)},
                                       {"detail", or_null(choice.detail)}}
                                : Json(nullptr);
  json["losers"] = std::move(losers);
  json["needed_by"] = clean_list(choice.needed_by);
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
  json["failures"] = clean_list(report.failures);
  Json errors = Json::array();
  for (const Error& error : report.errors) {
    errors.push_back(error_json(error));
  }
  json["errors"] = std::move(errors);
  return json.dump(2) + "\n";
}

}  // namespace plumb
