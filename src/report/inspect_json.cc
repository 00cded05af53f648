// SPDX-License-Identifier: Apache-2.0
#include "report/inspect_json.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/gpu_targets.h"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& value) {
  return printable(value);
}

Json text_or_null(const std::string& value) {
  return value.empty() ? Json(nullptr) : text(value);
}

Json text_or_null(const std::optional<std::string>& value) {
  return value ? text(*value) : Json(nullptr);
}

Json texts(const std::vector<std::string>& values) {
  Json array = Json::array();
  for (const std::string& value : values) {
    array.push_back(text(value));
  }
  return array;
}

Json text_map(const std::map<std::string, std::string>& values) {
  Json object = Json::object();
  for (const auto& [key, value] : values) {
    object[printable(key)] = text(value);
  }
  return object;
}

Json gpu_json(const JudgedFile& judged) {
  const GpuCode& code = judged.file->facts.gpu;
  if (code.none()) {
    return nullptr;
  }
  const GpuTargets targets = sum_up(code);
  Json sass = Json::array();
  for (const auto& [target, count] : targets.sass) {
    sass.push_back({{"target", target_name(ImageKind::cubin, target)},
                    {"images", count.images},
                    {"empty", count.empty}});
  }
  Json ptx = Json::array();
  for (const auto& [target, count] : targets.ptx) {
    Json isas = Json::array();
    for (const auto& [major, minor] : count.isas) {
      isas.push_back(std::to_string(major) + "." + std::to_string(minor));
    }
    ptx.push_back({{"target", target_name(ImageKind::ptx, target)},
                   {"isa", isas},
                   {"images", count.images},
                   {"empty", count.empty}});
  }
  Json lto = Json::array();
  for (const auto& [target, count] : targets.lto) {
    lto.push_back({{"target", target_name(ImageKind::lto, target)}, {"images", count.images}});
  }
  Json places = Json::array();
  if (!judged.file->package) {  // a package's code lies in its members
    for (const PlaceCount& place : targets.places) {
      places.push_back({{"section", text_or_null(place.name)},
                        {"containers", place.containers},
                        {"first_offset", place.first_offset}});
    }
  }
  return {{"sass", sass},
          {"ptx", ptx},
          {"lto", lto},
          {"containers", code.containers.size()},
          {"built_with", text_or_null(judged.built_with)},
          {"places", places}};
}

Json counts_json(const ContainerCounts& counts) {
  return {{"native", counts.native}, {"jit", counts.jit}, {"none", counts.none}};
}

Json verdicts_json(const JudgedFile& judged) {
  Json array = Json::array();
  const Format format = judged.file->facts.format;
  bool windows = format == Format::pe32 || format == Format::pe32_plus;
  if (judged.file->package) {
    for (const std::string& tag : judged.file->package->tags) {
      windows = windows || tag.ends_with("-win_amd64") || tag.ends_with("-win32") ||
                tag.ends_with("-win_arm64");
    }
  }
  for (std::size_t i = 0; i < judged.verdicts.size(); ++i) {
    const Verdict& verdict = judged.verdicts[i];
    Json object = {
        {"gpu", text(verdict.card.name)},
        {"cc", verdict.card.cc.text()},
        {"result", verdict_name(verdict.result)},
        {"native", verdict.counts.native},
        {"jit", verdict.counts.jit},
        {"none", verdict.counts.none},
        {"by", texts(verdict.by)},
        {"driver", text_or_null(windows ? verdict.driver_windows : verdict.driver_linux)},
        {"rule", verdict.rule},
        {"driver_linux", text_or_null(verdict.driver_linux)},
        {"driver_windows", text_or_null(verdict.driver_windows)},
        {"empty", verdict.empty},
        {"general", counts_json(verdict.general)},
        {"listed", counts_json(verdict.listed)}};
    if (judged.file->package) {
      object["library"] = text(verdict.library);
      object["unserved"] = texts(judged.unserved[i]);
    }
    array.push_back(std::move(object));
  }
  return array;
}

Json need_json(const std::optional<DriverNeed>& need) {
  if (!need) {
    return nullptr;
  }
  return {{"linux", text_or_null(need->linux_driver)},
          {"windows", text_or_null(need->windows_driver)},
          {"why", need->why}};
}

Json package_json(const JudgedFile& judged) {
  const PackageFacts& package = *judged.file->package;
  return {{"path", text(judged.file->facts.path)},
          {"format", format_name(judged.file->facts.format)},
          {"name", text(package.name)},
          {"version", text(package.version)},
          {"size", judged.file->facts.size},
          {"unpacked_size", package.unpacked_size},
          {"tags", texts(package.tags)},
          {"requires", texts(package.gpu_requires)},
          {"requires_python", text_or_null(package.requires_python)},
          {"warnings", texts(package.warnings)},
          {"verified_members",
           package.verified_members ? Json(*package.verified_members) : Json(nullptr)},
          {"members", judged.file->member_count},
          {"gpu", gpu_json(judged)},
          {"needs_driver", need_json(judged.need)}};
}

Json binary_json(const JudgedFile& judged, ExportDetail exports) {
  const BinaryFacts& facts = judged.file->facts;
  Json object = {{"path", text(facts.path)}};
  if (!facts.archive.empty()) {
    object["in"] = text(facts.archive);
  }
  object["format"] = format_name(facts.format);
  object["machine"] = text_or_null(facts.machine);
  object["size"] = facts.size;
  object["name"] = text_or_null(facts.name);
  object["needs"] = texts(facts.needs);
  object["delay_needs"] = texts(facts.delay_needs);
  object["rpath"] = text_or_null(facts.rpath);
  object["runpath"] = text_or_null(facts.runpath);
  object["exports"] =
      exports == ExportDetail::names ? texts(facts.exports) : Json(facts.export_count);
  object["glibc_min"] = text_or_null(facts.glibc_min);
  object["versions"] = text_map(facts.versions);
  object["version_resource"] = text_map(facts.version_resource);
  object["cudart"] = facts.cudart == Cudart::none     ? Json(nullptr)
                     : facts.cudart == Cudart::shared ? Json("shared")
                                                      : Json("static");
  object["gpu"] = gpu_json(judged);
  object["needs_driver"] = need_json(judged.need);
  return object;
}

}  // namespace

std::string inspect_json(const JudgedInspection& judged, ExportDetail exports) {
  Json files = Json::array();
  for (const JudgedFile& file : judged.files) {
    Json object = file.file->package ? package_json(file) : binary_json(file, exports);
    if (judged.cards > 0) {
      object["verdicts"] = verdicts_json(file);
    }
    files.push_back(std::move(object));
  }
  Json errors = Json::array();
  for (const InspectError& error : judged.inspection->errors) {
    Json object = {{"path", text(error.path)}};
    if (!error.archive.empty()) {
      object["in"] = text(error.archive);
    }
    object["code"] = error_code_name(error.error.code);
    object["message"] = text(error.error.what);
    errors.push_back(std::move(object));
  }
  const Json all = {{"schema", 1},
                    {"files", std::move(files)},
                    {"errors", std::move(errors)},
                    {"complete", judged.inspection->complete}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plumb
