// SPDX-License-Identifier: Apache-2.0
#pragma once
// Each framework's own rule, for load_framework().

#include "loader/linux_import.h"
#include "loader/windows_import.h"

namespace plumb {

void load_torch(LinuxImport& import);
void load_torch(WindowsImport& import);
void load_paddle(LinuxImport& import);
void load_paddle(WindowsImport& import);
void load_tensorflow(LinuxImport& import);
void load_tensorflow(WindowsImport& import);
void load_jax(LinuxImport& import);
void load_onnxruntime(LinuxImport& import);
void load_onnxruntime(WindowsImport& import);
void load_cupy(LinuxImport& import);
void load_cupy(WindowsImport& import);
void load_ctranslate2(LinuxImport& import);
void load_ctranslate2(WindowsImport& import);
void load_bitsandbytes(LinuxImport& import);
void load_bitsandbytes(WindowsImport& import);

}  // namespace plumb
