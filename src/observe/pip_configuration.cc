// SPDX-License-Identifier: Apache-2.0
// The places and their order: pip's _internal/configuration.py and platformdirs, uv's
// docs/concepts/configuration-files.md, conda's base/constants.py.
#include "observe/pip_configuration.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/secrets.h"
#include "base/text.h"
#include "observe/condarc.h"
#include "observe/host_paths.h"
#include "observe/toml_settings.h"
#include "os/file.h"

namespace plumb {
namespace {

constexpr std::uint64_t kLongestFile = 1 << 20;

/// Options of pip that decide what it installs, from where and where to.
constexpr auto kPipKeys = std::to_array<std::string_view>({"index-url",
                                                           "extra-index-url",
                                                           "trusted-host",
                                                           "proxy",
                                                           "cert",
                                                           "client-cert",
                                                           "no-index",
                                                           "find-links",
                                                           "user",
                                                           "target",
                                                           "prefix",
                                                           "root",
                                                           "timeout",
                                                           "retries",
                                                           "require-virtualenv",
                                                           "break-system-packages",
                                                           "constraint",
                                                           "requirement",
                                                           "only-binary",
                                                           "no-binary",
                                                           "prefer-binary",
                                                           "pre",
                                                           "cache-dir",
                                                           "no-cache-dir",
                                                           "use-feature",
                                                           "use-deprecated",
                                                           "keyring-provider",
                                                           "no-build-isolation",
                                                           "isolated",
                                                           "ignore-installed",
                                                           "upgrade-strategy",
                                                           "python",
                                                           "no-deps",
                                                           "require-hashes"});

constexpr auto kVariables = std::to_array<std::string_view>({"PIP_CONFIG_FILE",
                                                             "UV_DEFAULT_INDEX",
                                                             "UV_INDEX",
                                                             "UV_INDEX_URL",
                                                             "UV_EXTRA_INDEX_URL",
                                                             "UV_FIND_LINKS",
                                                             "UV_NO_INDEX",
                                                             "UV_INDEX_STRATEGY",
                                                             "UV_TORCH_BACKEND",
                                                             "UV_CACHE_DIR",
                                                             "UV_NO_CACHE",
                                                             "UV_CONFIG_FILE",
                                                             "UV_NO_CONFIG",
                                                             "UV_PYTHON",
                                                             "UV_PYTHON_INSTALL_DIR",
                                                             "UV_PYTHON_PREFERENCE",
                                                             "UV_PYTHON_DOWNLOADS",
                                                             "UV_PYTHON_INSTALL_MIRROR",
                                                             "UV_SYSTEM_PYTHON",
                                                             "UV_PROJECT_ENVIRONMENT",
                                                             "UV_BREAK_SYSTEM_PACKAGES",
                                                             "UV_LINK_MODE",
                                                             "UV_OFFLINE",
                                                             "UV_FROZEN",
                                                             "UV_KEYRING_PROVIDER",
                                                             "UV_NATIVE_TLS",
                                                             "UV_SYSTEM_CERTS",
                                                             "UV_INSECURE_HOST",
                                                             "UV_HTTP_TIMEOUT",
                                                             "UV_CONCURRENT_DOWNLOADS",
                                                             "UV_CONSTRAINT",
                                                             "UV_BUILD_CONSTRAINT",
                                                             "UV_OVERRIDE",
                                                             "UV_PRERELEASE",
                                                             "UV_RESOLUTION",
                                                             "UV_EXCLUDE_NEWER",
                                                             "UV_NO_BUILD",
                                                             "UV_NO_BINARY",
                                                             "UV_NO_BUILD_ISOLATION",
                                                             "UV_TOOL_DIR",
                                                             "UV_PUBLISH_URL",
                                                             "UV_PUBLISH_USERNAME",
                                                             "UV_PUBLISH_PASSWORD",
                                                             "UV_PUBLISH_TOKEN",
                                                             "UV_REQUIRE_HASHES",
                                                             "UV_COMPILE_BYTECODE",
                                                             "CONDA_CHANNELS",
                                                             "CONDA_CHANNEL_ALIAS",
                                                             "CONDA_CHANNEL_PRIORITY",
                                                             "CONDA_SSL_VERIFY",
                                                             "CONDA_SOLVER",
                                                             "CONDA_OVERRIDE_CUDA",
                                                             "CONDA_SUBDIR",
                                                             "CONDA_ENVS_PATH"});

constexpr auto kCondaKeys = std::to_array<std::string_view>(
    {"channels", "channel_alias", "channel_priority", "default_channels", "ssl_verify", "envs_dirs",
     "pkgs_dirs", "proxy_servers.http", "proxy_servers.https", "offline", "solver",
     "override_virtual_packages.cuda", "pip_interop_enabled", "pinned_packages"});

class Collector {
 public:
  Collector(const Host& host, const PythonEnvironment* environment)
      : host_(host), environment_(environment) {}

  [[nodiscard]] PipConfiguration collect() {
    add_pip();
    add_uv();
    add_conda();
    add_variables();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string home_below(std::initializer_list<std::string_view> parts) const {
    return host_.home.empty() ? std::string{} : path_below(host_.home, parts);
  }

  /// Empty where there is no such file; a file that cannot be read is an error.
  std::optional<std::string> text_of(const std::string& path) {
    if (path.empty()) {
      return std::nullopt;
    }
    if (may_be_slow(host_, path)) {
      if (!std::exchange(slow_told_, true)) {
        out_.errors.push_back({ErrorCode::unsupported,
                               "lies on a network drive; settings there were not read",
                               path,
                               {}});
      }
      return std::nullopt;
    }
    auto text = read_text_file(path, kLongestFile);
    if (!text) {
      if (text.error().code != ErrorCode::not_found) {
        out_.errors.push_back(Error(text.error()).in(path));
      }
      return std::nullopt;
    }
    return *std::move(text);
  }

  void add_file(ConfiguredTool tool, ConfigurationLevel level, const std::string& path,
                std::vector<Setting> settings) {
    for (Setting& setting : settings) {
      setting.value = masked_value(setting.key, setting.value);
    }
    out_.files.push_back({tool, level, path, std::move(settings)});
  }

  void add_pip_file(ConfigurationLevel level, const std::string& path) {
    const auto text = text_of(path);
    if (!text) {
      return;
    }
    if (pip_reads_none_) {
      out_.unused_files.push_back(path);
      return;
    }
    IniFile ini = parse_pip_ini(*text, path);
    if (ini.errors.empty() && !host_.is_windows() && !is_utf8(*text)) {
      ini.errors.push_back({ErrorCode::malformed, "is not UTF-8", path, {}});
    }
    out_.errors.insert(out_.errors.end(), ini.errors.begin(), ini.errors.end());
    std::erase_if(ini.settings, [](const Setting& setting) {
      const std::string_view key = std::string_view(setting.key).substr(setting.key.rfind('.') + 1);
      return std::ranges::find(kPipKeys, key) == kPipKeys.end();
    });
    add_file(ConfiguredTool::pip, level, path, std::move(ini.settings));
  }

  void add_pip() {
    const auto named = host_.set_variable("PIP_CONFIG_FILE");
    pip_reads_none_ = named && (*named == "/dev/null" || to_lower_ascii(*named) == "nul");
    std::vector<std::string> machine;
    std::vector<std::string> user;
    if (host_.is_windows()) {
      machine.push_back(path_below(program_data(), {"pip", "pip.ini"}));
      user.push_back(home_below({"pip", "pip.ini"}));
      if (const auto roaming = variable_path(host_, "APPDATA")) {
        user.push_back(path_below(*roaming, {"pip", "pip.ini"}));
      }
    } else {
      for (const std::string& folder : xdg_config_folders()) {
        machine.push_back(path_below(folder, {"pip", "pip.conf"}));
      }
      machine.push_back(host_.at("/etc/pip.conf"));
      user.push_back(home_below({".pip", "pip.conf"}));
      user.push_back(user_config_below({"pip", "pip.conf"}));
    }
    for (const std::string& path : machine) {
      add_pip_file(ConfigurationLevel::machine, path);
    }
    const std::string own = named && !pip_reads_none_ ? expanded_path(host_, *named) : "";
    const bool replaces_user = !own.empty() && is_file(own);
    for (const std::string& path : user) {
      if (!replaces_user) {
        add_pip_file(ConfigurationLevel::user, path);
      } else if (is_file(path)) {
        out_.unused_files.push_back(path);
      }
    }
    if (environment_ != nullptr && !environment_->root.empty()) {
      add_pip_file(ConfigurationLevel::environment,
                   join_path(environment_->root,
                             environment_->system == "windows" ? "pip.ini" : "pip.conf"));
    }
    if (!own.empty()) {
      add_pip_file(ConfigurationLevel::named, own);
    }
  }

  /// False if the file is not there or, for a pyproject.toml, has no [tool.uv].
  bool add_uv_file(ConfigurationLevel level, const std::string& path) {
    const auto text = text_of(path);
    if (!text) {
      return false;
    }
    const bool project = file_name(path) == "pyproject.toml";
    if (project && text->find("tool.uv") == std::string::npos) {
      return false;
    }
    auto settings = flatten_toml(*text, path, project ? "tool.uv" : "");
    if (!settings) {
      out_.errors.push_back(settings.error());
      return true;
    }
    if (project && settings->empty()) {
      return false;
    }
    add_file(ConfiguredTool::uv, level, path, *std::move(settings));
    return true;
  }

  void add_uv() {
    std::vector<std::pair<ConfigurationLevel, std::string>> others;
    if (host_.is_windows()) {
      others.emplace_back(ConfigurationLevel::machine,
                          path_below(program_data(), {"uv", "uv.toml"}));
      if (const auto roaming = variable_path(host_, "APPDATA")) {
        others.emplace_back(ConfigurationLevel::user, path_below(*roaming, {"uv", "uv.toml"}));
      }
    } else {
      std::string machine = host_.at("/etc/uv/uv.toml");
      for (const std::string& folder : xdg_config_folders()) {
        if (const std::string path = path_below(folder, {"uv", "uv.toml"}); is_file(path)) {
          machine = path;
          break;
        }
      }
      others.emplace_back(ConfigurationLevel::machine, std::move(machine));
      others.emplace_back(ConfigurationLevel::user, user_config_below({"uv", "uv.toml"}));
    }
    const auto named = variable_path(host_, "UV_CONFIG_FILE");
    if (named || host_.set_variable("UV_NO_CONFIG")) {
      for (const auto& [level, path] : others) {
        if (!path.empty() && is_file(path)) {
          out_.unused_files.push_back(path);
        }
      }
      if (named) {
        add_uv_file(ConfigurationLevel::named, *named);
      }
      return;
    }
    for (const auto& [level, path] : others) {
      add_uv_file(level, path);
    }
    for (const std::string& folder : folders_above(host_, host_.current_folder)) {
      const std::string project = join_path(folder, "pyproject.toml");
      if (add_uv_file(ConfigurationLevel::project, join_path(folder, "uv.toml"))) {
        if (is_file(project)) {
          out_.unused_files.push_back(project);
        }
        return;
      }
      if (add_uv_file(ConfigurationLevel::project, project)) {
        return;
      }
    }
  }

  void add_conda() {
    const bool conda = environment_ != nullptr && environment_->kind == EnvironmentKind::conda;
    for (const std::string& path : condarc_files(host_, conda ? environment_->root : "")) {
      const auto text = text_of(path);
      if (!text) {
        continue;
      }
      Condarc condarc = parse_condarc(*text, path);
      out_.errors.insert(out_.errors.end(), condarc.errors.begin(), condarc.errors.end());
      std::vector<Setting> settings;
      for (const std::string_view key : kCondaKeys) {
        for (const std::string& value : condarc.values[std::string(key)]) {
          settings.push_back({std::string(key), value});
        }
      }
      const bool machine = path.starts_with(host_.at("/etc/")) ||
                           path.starts_with(host_.at("/var/")) ||
                           (host_.is_windows() && path.starts_with(program_data()));
      add_file(ConfiguredTool::conda,
               machine ? ConfigurationLevel::machine : ConfigurationLevel::user, path,
               std::move(settings));
    }
  }

  void add_variable(const std::string& name) {
    if (const auto value = host_.set_variable(name)) {
      out_.variables.push_back({name, masked_value(name, *value)});
    }
  }

  void add_variables() {
    for (const std::string_view key : kPipKeys) {
      std::string name = "PIP_";
      for (const char c : key) {
        name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      }
      add_variable(name);
    }
    for (const std::string_view name : kVariables) {
      add_variable(std::string(name));
    }
  }

  [[nodiscard]] std::string program_data() const {
    return variable_path(host_, "ProgramData").value_or(path_on_host(host_, "C:\\ProgramData"));
  }

  [[nodiscard]] std::vector<std::string> xdg_config_folders() const {
    std::vector<std::string> folders;
    const std::string list = host_.set_variable("XDG_CONFIG_DIRS").value_or("/etc/xdg");
    for (const std::string_view part : split(list, ':')) {
      if (part.starts_with('/')) {
        folders.push_back(path_on_host(host_, part));
      }
    }
    return folders;
  }

  [[nodiscard]] std::string user_config_below(std::initializer_list<std::string_view> parts) const {
    const std::string usual = home_below({".config"});
    const std::string folder = variable_path(host_, "XDG_CONFIG_HOME").value_or(usual);
    return folder.empty() ? folder : path_below(folder, parts);
  }

  const Host& host_;
  const PythonEnvironment* environment_;
  PipConfiguration out_;
  bool pip_reads_none_ = false;
  bool slow_told_ = false;
};

}  // namespace

PipConfiguration observe_pip_configuration(const Host& host, const PythonEnvironment* environment) {
  return Collector(host, environment).collect();
}

}  // namespace plumb
