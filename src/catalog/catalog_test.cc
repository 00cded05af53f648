// SPDX-License-Identifier: Apache-2.0
// The schema of data/*.json, checked on the texts as they are compiled in. The program reads a
// faulty row as empty; here it fails the build.

#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "catalog/embedded.h"

namespace plumb {
namespace {

using Json = nlohmann::json;

enum class Field {
  text,
  texts,
  version,
  versions,
  capability,
  capabilities,
  number,
  numbers,
  flag,
  map
};

struct Column {
  Field type;
  bool required = false;
  bool nullable = false;
};

struct Table {
  const char* name;
  std::string_view text;
  std::map<std::string, Column> columns;  // besides source, sources, unverified, note
  std::vector<std::string> key;           // no two rows have the same
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"architectures",
       embedded::architectures_json,
       {{"cc", {Field::capability, true}},
        {"name", {Field::text, true, true}},
        {"first_cuda", {Field::version, true, true}},
        {"last_cuda", {Field::version, true, true}},
        {"tegra", {Field::flag}},
        {"sass_runs_on", {Field::capabilities, true}},
        {"family", {Field::capabilities}},
        {"suffixes", {Field::map}},
        {"last_driver_branch", {Field::number}},
        {"chips", {Field::texts}}},
       {"cc"}},
      {"cuda_libraries",
       embedded::cuda_libraries_json,
       {{"file", {Field::text, true}},
        {"system", {Field::text, true}},
        {"library", {Field::text, true}},
        {"first_cuda", {Field::version, true}},
        {"last_cuda", {Field::version, true}}},
       {"file"}},
      {"cuda_toolkits",
       embedded::cuda_toolkits_json,
       {{"cuda", {Field::version, true}},
        {"released", {Field::text, false, true}},
        {"full_linux", {Field::version, true}},
        {"full_windows", {Field::version, true}},
        {"min_linux", {Field::version, true}},
        {"min_windows", {Field::version, true}},
        {"min_windows_other", {Field::version}}},
       {"cuda"}},
      {"drivers",
       embedded::drivers_json,
       {{"branch", {Field::number, true}},
        {"newest_cuda", {Field::version, true}},
        {"windows", {Field::numbers}},
        {"type", {Field::text}},
        {"latest_linux", {Field::version}},
        {"latest_windows", {Field::version}},
        {"eol_linux", {Field::text}},
        {"eol_windows", {Field::text}}},
       {"branch"}},
      {"frameworks",
       embedded::frameworks_json,
       {{"package", {Field::text, true}},
        {"version", {Field::text, true}},
        {"system", {Field::text, true}},
        {"variant", {Field::text, true}},
        {"cuda", {Field::version}},
        {"spec", {Field::text, true}},
        {"index_option", {Field::text}},
        {"index", {Field::text}},
        {"pypi", {Field::flag}},
        {"released", {Field::text}},
        {"python", {Field::texts}},
        {"driver", {Field::version}},
        {"cudnn", {Field::text}},
        {"min_cc_stated", {Field::text}},
        {"sass", {Field::texts}},
        {"ptx", {Field::texts}}},
       {"package", "version", "system", "variant"}},
      {"gpus",
       embedded::gpus_json,
       {{"name", {Field::text, true}},
        {"driver_names", {Field::texts}},
        {"cc", {Field::capability, true}},
        {"architecture", {Field::text, true}},
        {"chips", {Field::texts}},
        {"class", {Field::text, true}},
        {"laptop", {Field::flag}},
        {"unreleased", {Field::flag}},
        {"memory_gb", {Field::numbers}},
        {"pci", {Field::texts}},
        {"basis", {Field::text, true}}},
       {"name", "cc"}},
      {"indexes",
       embedded::indexes_json,
       {{"id", {Field::text, true}},
        {"kind", {Field::text, true}},
        {"url", {Field::text, true}},
        {"option", {Field::text}},
        {"variants", {Field::texts}},
        {"carries", {Field::texts, true}},
        {"alternative", {Field::text}}},
       {"id"}},
      {"ptx_isa",
       embedded::ptx_isa_json,
       {{"isa", {Field::version, true}}, {"cuda", {Field::version, true}}},
       {"isa"}},
  };
  return all;
}

Json parse(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

bool is_text(const Json& value) {
  return value.is_string() && !value.get<std::string>().empty();
}

template <class Test>
bool each(const Json& value, Test test) {
  if (!value.is_array() || value.empty()) {
    return false;
  }
  return std::all_of(value.begin(), value.end(), test);
}

bool is_version(const Json& value) {
  return value.is_string() && Version::parse(value.get<std::string>()).has_value();
}

bool is_capability(const Json& value) {
  return value.is_string() && ComputeCapability::parse(value.get<std::string>()).has_value();
}

bool has_type(const Json& value, Field type) {
  switch (type) {
    case Field::text:
      return is_text(value);
    case Field::texts:
      return each(value, is_text);
    case Field::version:
      return is_version(value);
    case Field::versions:
      return each(value, is_version);
    case Field::capability:
      return is_capability(value);
    case Field::capabilities:
      return each(value, is_capability);
    case Field::number:
      return value.is_number_unsigned();
    case Field::numbers:
      return each(value, [](const Json& number) { return number.is_number(); });
    case Field::flag:
      return value.is_boolean();
    case Field::map:
      return value.is_object() && !value.empty();
  }
  return false;
}

Version version(const Json& row, const char* field) {
  const auto parsed = Version::parse(row.value(field, std::string()));
  EXPECT_TRUE(parsed.has_value()) << row.dump();
  return parsed.value_or(Version());
}

ComputeCapability capability(const std::string& text) {
  return ComputeCapability::parse(text).value_or(ComputeCapability{});
}

const Json& rows(std::string_view text) {
  static std::map<std::string_view, Json> parsed;
  auto found = parsed.find(text);
  if (found == parsed.end()) {
    found = parsed.emplace(text, parse(text)["rows"]).first;
  }
  return found->second;
}

TEST(Data, EveryTableHasItsHead) {
  const std::set<std::string> known = {"what",     "fields",  "field_sources",
                                       "left_out", "sources", "rows"};
  for (const Table& table : tables()) {
    const Json json = parse(table.text);
    ASSERT_TRUE(json.is_object()) << table.name;
    for (const auto& [key, value] : json.items()) {
      EXPECT_TRUE(known.contains(key)) << table.name << ": " << key;
    }
    EXPECT_TRUE(is_text(json["what"])) << table.name;
    EXPECT_TRUE(json["sources"].is_array() && json["rows"].is_array()) << table.name;
    EXPECT_FALSE(json["rows"].empty()) << table.name;
  }
}

TEST(Data, EveryRowHasItsColumns) {
  const std::set<std::string> always = {"source", "sources", "unverified", "note"};
  for (const Table& table : tables()) {
    std::set<std::string> keys;
    for (const Json& row : rows(table.text)) {
      for (const auto& [name, column] : table.columns) {
        if (!row.contains(name)) {
          EXPECT_FALSE(column.required) << table.name << " lacks " << name << ": " << row.dump();
        } else if (!row[name].is_null() || !column.nullable) {
          EXPECT_TRUE(has_type(row[name], column.type))
              << table.name << ", " << name << ": " << row.dump();
        }
      }
      for (const auto& [name, value] : row.items()) {
        EXPECT_TRUE(table.columns.contains(name) || always.contains(name))
            << table.name << " has no column " << name;
      }
      std::string key;
      for (const std::string& part : table.key) {
        key += row[part].is_string() ? row[part].get<std::string>() : row[part].dump();
        key += '|';
      }
      EXPECT_TRUE(keys.insert(key).second) << table.name << " has twice: " << key;
    }
  }
}

TEST(Data, EveryRowHasASourceThatResolves) {
  for (const Table& table : tables()) {
    const Json json = parse(table.text);
    std::set<std::string> known;
    for (const Json& source : json["sources"]) {
      EXPECT_TRUE(is_text(source["id"]) && is_text(source["url"]) && is_text(source["seen"]))
          << table.name << ": " << source.dump();
      EXPECT_TRUE(known.insert(source["id"].get<std::string>()).second)
          << table.name << ": " << source["id"];
    }
    std::set<std::string> used;
    if (json.contains("field_sources")) {
      for (const auto& [field, source] : json["field_sources"].items()) {
        used.insert(source.get<std::string>());
      }
    }
    for (const Json& row : json["rows"]) {
      ASSERT_TRUE(row.contains("source") && is_text(row["source"]))
          << table.name << ": " << row.dump();
      used.insert(row["source"].get<std::string>());
      if (row.contains("sources")) {
        for (const auto& [field, source] : row["sources"].items()) {
          EXPECT_TRUE(row.contains(field) || field == "dates") << table.name << ": " << row.dump();
          used.insert(source.get<std::string>());
        }
      }
    }
    EXPECT_EQ(used, known) << table.name << ": sources used and sources listed";
  }
}

TEST(Data, HintsAreMarked) {
  for (const Table& table : tables()) {
    for (const Json& row : rows(table.text)) {
      const bool marked = row.contains("unverified");
      if (marked) {
        EXPECT_TRUE(has_type(row["unverified"], Field::texts)) << row.dump();
        for (const Json& field : row["unverified"]) {
          EXPECT_TRUE(row.contains(field.get<std::string>())) << table.name << ": " << row.dump();
        }
      }
      EXPECT_TRUE(marked || row["source"] != "unverified") << table.name << ": " << row.dump();
    }
  }
}

TEST(Data, DriversRiseWithTheToolkit) {
  std::optional<Json> before;
  for (const Json& row : rows(embedded::cuda_toolkits_json)) {
    for (const char* system : {"linux", "windows"}) {
      const std::string full = std::string("full_") + system;
      const std::string min = std::string("min_") + system;
      EXPECT_LE(version(row, min.c_str()).major(), version(row, full.c_str()).major() + 1)
          << row.dump();
      if (before) {
        EXPECT_GT(version(row, full.c_str()), version(*before, full.c_str())) << row.dump();
        EXPECT_GE(version(row, min.c_str()), version(*before, min.c_str())) << row.dump();
        EXPECT_GT(version(row, "cuda"), version(*before, "cuda")) << row.dump();
      }
    }
    EXPECT_LE(version(row, "min_linux"), version(row, "full_linux")) << row.dump();
    before = row;
  }
}

TEST(Data, PtxIsaRisesWithTheToolkit) {
  std::optional<Json> before;
  for (const Json& row : rows(embedded::ptx_isa_json)) {
    if (before) {
      EXPECT_GT(version(row, "isa"), version(*before, "isa")) << row.dump();
    }
    before = row;
    if (version(row, "cuda").major() >= 9) {
      EXPECT_NE(Catalog::builtin().find_cuda(row["cuda"].get<std::string>()), nullptr)
          << row.dump();
    }
  }
}

TEST(Data, NewerBranchesTakeNewerCuda) {
  std::optional<Json> before;
  std::uint32_t windows_end = 0;
  for (const Json& row : rows(embedded::drivers_json)) {
    if (before) {
      EXPECT_GT(row["branch"], (*before)["branch"]);
      EXPECT_GE(version(row, "newest_cuda"), version(*before, "newest_cuda")) << row.dump();
    }
    before = row;
    if (row.contains("windows")) {
      ASSERT_EQ(row["windows"].size(), 2U);
      EXPECT_GE(row["windows"][0], row["branch"]) << row.dump();
      EXPECT_GT(row["windows"][0], windows_end) << row.dump();
      EXPECT_GE(row["windows"][1], row["windows"][0]) << row.dump();
      windows_end = row["windows"][1].get<std::uint32_t>();
    }
  }
}

TEST(Data, ArchitecturesAreConsistent) {
  for (const Json& row : rows(embedded::architectures_json)) {
    const ComputeCapability cc = capability(row["cc"].get<std::string>());
    if (row["first_cuda"].is_string() && row["last_cuda"].is_string()) {
      EXPECT_LE(version(row, "first_cuda"), version(row, "last_cuda")) << row.dump();
    }
    EXPECT_EQ(row["sass_runs_on"].front(), row["cc"]) << row.dump();
    for (const char* field : {"sass_runs_on", "family"}) {
      for (const Json& text : row.value(field, Json::array())) {
        const ComputeCapability card = capability(text.get<std::string>());
        EXPECT_EQ(card.major, cc.major) << row.dump();
        EXPECT_GE(card.minor, cc.minor) << row.dump();
        EXPECT_NE(Catalog::builtin().find_architecture(card), nullptr) << row.dump();
      }
    }
    if (row.value("tegra", false)) {
      EXPECT_EQ(row["sass_runs_on"].size(), 1U) << row.dump();
    }
  }
}

TEST(Data, EveryGpuHasItsArchitecture) {
  std::map<std::uint16_t, ComputeCapability> devices;
  for (const GpuModel& model : Catalog::builtin().gpus()) {
    const Architecture* architecture = Catalog::builtin().find_architecture(model.cc);
    ASSERT_NE(architecture, nullptr) << model.name;
    EXPECT_EQ(architecture->name, model.architecture) << model.name;
    for (const std::uint16_t device : model.pci_devices) {
      const auto [known, is_new] = devices.emplace(device, model.cc);
      EXPECT_TRUE(is_new || known->second == model.cc) << model.name << " " << device;
    }
  }
  const std::regex hex("[0-9a-f]{4}");
  const std::set<std::string> classes = {"geforce", "workstation", "data centre",
                                         "titan",   "jetson",      "mining"};
  for (const Json& row : rows(embedded::gpus_json)) {
    EXPECT_TRUE(classes.contains(row["class"].get<std::string>())) << row.dump();
    for (const Json& device : row.value("pci", Json::array())) {
      EXPECT_TRUE(std::regex_match(device.get<std::string>(), hex)) << row.dump();
    }
  }
}

TEST(Data, LibrariesNameKnownToolkits) {
  for (const Json& row : rows(embedded::cuda_libraries_json)) {
    EXPECT_LE(version(row, "first_cuda"), version(row, "last_cuda")) << row.dump();
    EXPECT_EQ(version(row, "first_cuda").major(), version(row, "last_cuda").major()) << row.dump();
    for (const char* field : {"first_cuda", "last_cuda"}) {
      EXPECT_NE(Catalog::builtin().find_cuda(row[field].get<std::string>()), nullptr) << row.dump();
    }
    const std::string file = row["file"].get<std::string>();
    EXPECT_EQ(row["system"] == "windows", file.ends_with(".dll")) << row.dump();
  }
}

TEST(Data, FrameworkBuildsCanBeAskedFor) {
  const std::regex python("[23]\\.[0-9]+t?");
  const std::regex target("[0-9]+\\.[0-9]+[af]?");
  for (const Json& row : rows(embedded::frameworks_json)) {
    EXPECT_TRUE(row["system"] == "linux" || row["system"] == "windows") << row.dump();
    EXPECT_TRUE(row["spec"].get<std::string>().starts_with(row["package"].get<std::string>()))
        << row.dump();
    EXPECT_EQ(row.contains("index"), row.contains("index_option")) << row.dump();
    EXPECT_TRUE(row.contains("index") || row.value("pypi", false)) << row.dump();
    EXPECT_TRUE(!row.contains("index") || row["index"].get<std::string>().starts_with("https://"));
    EXPECT_EQ(row.contains("cuda"), row["variant"] != "cpu") << row.dump();
    if (row.contains("cuda")) {
      EXPECT_NE(Catalog::builtin().find_cuda(row["cuda"].get<std::string>()), nullptr)
          << row.dump();
    }
    for (const Json& text : row.value("python", Json::array())) {
      EXPECT_TRUE(std::regex_match(text.get<std::string>(), python)) << row.dump();
    }
    for (const char* field : {"sass", "ptx"}) {
      for (const Json& text : row.value(field, Json::array())) {
        EXPECT_TRUE(std::regex_match(text.get<std::string>(), target)) << row.dump();
      }
    }
  }
}

TEST(Data, IndexesAreAddresses) {
  for (const Json& row : rows(embedded::indexes_json)) {
    const bool channel = row["kind"] == "conda channel";
    EXPECT_TRUE(channel || row["url"].get<std::string>().starts_with("https://")) << row.dump();
  }
}

}  // namespace
}  // namespace plumb
