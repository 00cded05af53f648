// SPDX-License-Identifier: Apache-2.0
#include "observe/process_variables.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/secrets.h"
#include "base/text.h"
#include "observe/text_fact.h"
#include "os/disk_space.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestValue = 4096;
constexpr std::size_t kMostVariables = 500;
constexpr const char* kMask = "***";

const std::string kSettings = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Internet Settings";
const std::string kSettingsPolicy =
    "HKLM\\SOFTWARE\\Policies\\Microsoft\\Windows\\CurrentVersion\\Internet Settings";

const std::vector<std::string>& gpu_names() {
  static const std::vector<std::string> names = {"CUDA_CACHE_DISABLE",
                                                 "CUDA_CACHE_PATH",
                                                 "CUDA_DEVICE_MAX_CONNECTIONS",
                                                 "CUDA_DEVICE_ORDER",
                                                 "CUDA_DISABLE_PTX_JIT",
                                                 "CUDA_FORCE_PTX_JIT",
                                                 "CUDA_HOME",
                                                 "CUDA_LAUNCH_BLOCKING",
                                                 "CUDA_MODULE_LOADING",
                                                 "CUDA_MPS_PIPE_DIRECTORY",
                                                 "CUDA_PATH",
                                                 "CUDA_VISIBLE_DEVICES",
                                                 "CUDNN_PATH",
                                                 "GPU_DEVICE_ORDINAL",
                                                 "HF_DATASETS_OFFLINE",
                                                 "HF_ENDPOINT",
                                                 "HF_HOME",
                                                 "HF_HUB_CACHE",
                                                 "HF_HUB_OFFLINE",
                                                 "HF_TOKEN",
                                                 "JAX_PLATFORMS",
                                                 "JAX_PLATFORM_NAME",
                                                 "KMP_DUPLICATE_LIB_OK",
                                                 "MKL_NUM_THREADS",
                                                 "MKL_THREADING_LAYER",
                                                 "NCCL_DEBUG",
                                                 "NCCL_IB_DISABLE",
                                                 "NCCL_P2P_DISABLE",
                                                 "NCCL_SHM_DISABLE",
                                                 "NCCL_SOCKET_IFNAME",
                                                 "NVIDIA_TF32_OVERRIDE",
                                                 "OMP_NUM_THREADS",
                                                 "OPENBLAS_NUM_THREADS",
                                                 "PYTORCH_ALLOC_CONF",
                                                 "PYTORCH_CUDA_ALLOC_CONF",
                                                 "ROCR_VISIBLE_DEVICES",
                                                 "TF_CPP_MIN_LOG_LEVEL",
                                                 "TF_ENABLE_ONEDNN_OPTS",
                                                 "TF_FORCE_GPU_ALLOW_GROWTH",
                                                 "TF_GPU_ALLOCATOR",
                                                 "TF_XLA_FLAGS",
                                                 "TORCH_CUDA_ARCH_LIST",
                                                 "TORCH_HOME",
                                                 "TRANSFORMERS_OFFLINE",
                                                 "TRITON_PTXAS_PATH",
                                                 "XLA_FLAGS",
                                                 "XLA_PYTHON_CLIENT_ALLOCATOR",
                                                 "XLA_PYTHON_CLIENT_MEM_FRACTION",
                                                 "XLA_PYTHON_CLIENT_PREALLOCATE"};
  return names;
}

/// Not within a character.
std::string cut(std::string_view text, std::size_t length) {
  if (text.size() > length) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80) {
      --length;
    }
    text = text.substr(0, length);
  }
  return std::string(text);
}

Variable proxy_variable(const std::string& name, const std::string& value) {
  std::string masked = mask_secrets(value);
  const bool changed = masked != value || masked.size() > kLongestValue;
  return {name, cut(masked, kLongestValue), changed};
}

Fact<std::string> without_credentials(const Fact<std::string>& text) {
  return converted<std::string>(
      text, [](const std::string& value) { return std::optional(mask_secrets(value)); });
}

void observe_internet_settings(const Host& host, ProxyFacts& proxies) {
  const auto per_user = registry_number(*host.registry, kSettingsPolicy, "ProxySettingsPerUser");
  const std::string key = (per_user && *per_user.value == 0 ? "HKLM\\" : "HKCU\\") + kSettings;
  proxies.enabled = converted<bool>(registry_number(*host.registry, key, "ProxyEnable"),
                                    [](std::uint64_t value) { return std::optional(value != 0); });
  proxies.server = without_credentials(registry_text(*host.registry, key, "ProxyServer"));
  proxies.exceptions = without_credentials(registry_text(*host.registry, key, "ProxyOverride"));
  proxies.script = without_credentials(registry_text(*host.registry, key, "AutoConfigURL"));
}

/// What lies on the network is not touched and counts as there: a wrong alarm would be worse.
bool is_there(const Host& host, const MountTable& mounts, const std::string& path) {
  if (path.starts_with("\\\\") || (host.root.empty() && is_on_network(path)) ||
      (path.starts_with('/') && find_place(host, mounts, path).on_network)) {
    return true;
  }
  std::string here = path;
  if (!host.root.empty() && host.is_windows()) {
    std::ranges::replace(here, '\\', '/');
    here.erase(0, here.size() > 1 && here[1] == ':' ? 2 : 0);
  }
  const auto status = file_status(host.at(here));
  return !status || status->kind != FileKind::missing;
}

}  // namespace

Variable masked_variable(const std::string& name, const std::string& value) {
  if (is_secret_name(name) && !value.empty()) {
    return {name, kMask, true};
  }
  if (value.find("://") != std::string::npos) {
    return proxy_variable(name, value);
  }
  return {name, cut(value, kLongestValue), value.size() > kLongestValue};
}

std::vector<Variable> variables_of(const Host& host, const std::vector<std::string>& names,
                                   const std::vector<std::string>& prefixes) {
  if (!host.variable) {
    return {};
  }
  std::set<std::string> wanted;
  if (host.variable_names) {
    for (const std::string& name : host.variable_names()) {
      std::string compared = name;
      if (host.is_windows()) {
        std::ranges::transform(compared, compared.begin(), [](char c) {
          return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        });
      }
      const bool hit = std::ranges::find(names, compared) != names.end() ||
                       std::ranges::any_of(prefixes, [&](const std::string& prefix) {
                         return compared.starts_with(prefix);
                       });
      if (hit) {
        wanted.insert(name);
      }
    }
  } else {
    wanted.insert(names.begin(), names.end());
  }
  std::vector<Variable> variables;
  for (const std::string& name : wanted) {
    const auto value = host.variable(name);
    if (value && variables.size() < kMostVariables) {
      variables.push_back(masked_variable(name, *value));
    }
  }
  return variables;
}

std::vector<Variable> observe_program_variables(const Host& host) {
  return variables_of(
      host, gpu_names(),
      {"CUDNN_", "FLAGS_", "HF_", "JAX_", "KMP_", "NCCL_", "OMP_", "PYTORCH_", "TF_CPP_",
       "TF_CUDNN_", "TF_FORCE_", "TF_GPU_", "TF_XLA_", "TORCH_", "TRITON_", "XLA_"});
}

ProxyFacts observe_proxies(const Host& host, const MountTable& mounts) {
  ProxyFacts proxies;
  std::vector<std::string> names;
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"}) {
    names.emplace_back(name);
    if (!host.is_windows()) {  // where both are one
      names.push_back(to_lower_ascii(name));
    }
  }
  for (const std::string& name : names) {
    if (const auto value = host.variable ? host.variable(name) : std::nullopt) {
      proxies.variables.push_back(proxy_variable(name, *value));
    }
  }
  for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"}) {
    if (const auto path = host.set_variable(name)) {
      proxies.certificates.push_back(
          {name, cut(*path, kLongestValue), is_there(host, mounts, *path)});
    }
  }
  if (host.is_windows()) {
    observe_internet_settings(host, proxies);
  }
  return proxies;
}

}  // namespace plumb
