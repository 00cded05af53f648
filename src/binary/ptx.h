// SPDX-License-Identifier: Apache-2.0
#pragma once
// PTX text files: the three directives at their head (PTX ISA reference, "Directives: .version
// .target").

#include "base/source.h"
#include "binary/gpu_code.h"

namespace plumb {

/// True if the first bytes may start a PTX file: white space and comments, then `.version`.
[[nodiscard]] bool looks_like_ptx(Bytes first_bytes);

/// One image from `.version X.Y` and `.target sm_NN[a|f]`, looked for in the first 64 KiB. Errors:
/// not_binary.
[[nodiscard]] Result<GpuImage> read_ptx(const Source& source);

}  // namespace plumb
