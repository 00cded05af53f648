// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conda packages: NAME-VERSION-BUILD.tar.bz2, and NAME-VERSION-BUILD.conda, a zip of metadata.json
// and two zstd-packed tars (info-..., pkg-...).
// https://docs.conda.io/projects/conda/en/stable/user-guide/concepts/packages.html. Unpacking is
// not ours: the caller passes in a reader of compressed tars (os/archive_library.h).

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"

namespace plumb {

struct CondaName {
  std::string name, version, build;
};
/// `file_name` without folders. Error: malformed.
[[nodiscard]] Result<CondaName> parse_conda_name(std::string_view file_name);

/// info/index.json
struct CondaIndex {
  std::string name, version, build, subdir;      // subdir: "linux-64", "win-64", "noarch"
  std::vector<std::string> depends, constrains;  // "cuda-version >=12.9,<13"
};
/// Errors: malformed, limit.
[[nodiscard]] Result<CondaIndex> parse_conda_index(std::string_view json);

/// Those of `depends` that concern GPU packages, in their order: what gpu_requirements() knows, and
/// conda's own names
/// (__cuda, cudatoolkit, cudnn, libcublas, pytorch ...).
[[nodiscard]] std::vector<std::string> conda_gpu_requirements(
    const std::vector<std::string>& depends);

using VisitMember = std::function<Result<void>(const std::string& name, const Source& member)>;
using ReadTar = std::function<Result<void>(const Source& archive, const VisitMember& visit)>;

/// Visits the regular files of both parts, those of info/ first, each while it is unpacked:
/// `member` lives for the call only and is cheapest read forward. A member with an unsafe name is
/// handed to `fault` instead, and an error of the whole is returned. Which of the two kinds the
/// package is shows in its first bytes.
[[nodiscard]] Result<void> read_conda(const Source& package, const ReadTar& read_tar,
                                      const VisitMember& visit,
                                      const std::function<void(Error)>& fault);

}  // namespace plumb
