// SPDX-License-Identifier: Apache-2.0
#pragma once
// The account of a framework's import as it goes on, the same for both systems: each library that
// is asked for, who asks, and what became of it.

#include <optional>
#include <string>
#include <string_view>

#include "loader/framework_loading.h"
#include "loader/python_finder.h"

namespace plumb {

enum class Wanted : bool { optional, required };

class FrameworkImport {
 public:
  FrameworkImport(const FrameworkImport&) = delete;
  FrameworkImport& operator=(const FrameworkImport&) = delete;
  virtual ~FrameworkImport() = default;

  /// `import` of the extension module at `path`.
  virtual bool import_module(const std::string& path, Wanted wanted) = 0;
  /// The same for a module of the framework's site-packages: folder "torch", name "_C". What is not
  /// there fails as Python says it.
  bool import_module(const std::string& folder, std::string_view name, Wanted wanted);

  /// The latest request failed and something else was found or is tried for it.
  void forget_last_request();
  /// Import fails for another reason than a library's.
  void fail_import(std::string fault, std::string missing, std::string wanted_by);

  /// A path below the framework's site-packages.
  [[nodiscard]] std::string in_site(std::string_view relative) const;
  void first_use() { moment_ = LoadMoment::first_use; }
  [[nodiscard]] bool failed() const { return load_.failed; }
  [[nodiscard]] PythonFinder& finder() { return finder_; }
  [[nodiscard]] const PythonPlace& python() const { return python_; }
  [[nodiscard]] const FrameworkToLoad& framework() const { return framework_; }
  [[nodiscard]] FrameworkLoad take() { return std::move(load_); }

 protected:
  FrameworkImport(FileView& files, const PythonPlace& python, const FrameworkToLoad& framework,
                  PathKind paths)
      : finder_(files, python, paths), python_(python), framework_(framework) {}

  /// Notes what a load led to; a required one that fails at import fails that.
  template <class Loaded>
  bool note(const std::string& name, const Loaded& loaded, std::string asked_by, Wanted wanted) {
    LibraryRequest request;
    request.name = name;
    request.moment = moment_;
    request.object = loaded.object;
    request.optional = wanted == Wanted::optional;
    request.asked_by = std::move(asked_by);
    if (!loaded.object) {
      request.fault = loaded.fault;
      request.missing = loaded.missing;
      request.wanted_by = loaded.wanted_by;
    }
    load_.requests.push_back(std::move(request));
    if (!loaded.object && wanted == Wanted::required && moment_ == LoadMoment::import) {
      fail_import(loaded.fault, loaded.missing, loaded.wanted_by);
    }
    return loaded.object.has_value();
  }

  PythonFinder finder_;
  const PythonPlace& python_;
  const FrameworkToLoad& framework_;
  FrameworkLoad load_;
  LoadMoment moment_ = LoadMoment::import;
};

}  // namespace plumb
