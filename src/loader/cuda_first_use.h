// SPDX-License-Identifier: Apache-2.0
#pragma once
// What CUDA's own libraries open by themselves when a framework first computes on a GPU: the
// driver, cuDNN's parts.

#include "loader/linux_import.h"
#include "loader/windows_import.h"

namespace plumb {

/// Which of cuDNN's parts a convolution takes. `graph`: cuDNN's graph interface alone (PyTorch).
/// `graph_and_ops`: tensors are described by the older interface (XLA).
enum class CudnnUse : unsigned char { graph, graph_and_ops };

/// The CUDA runtime opens the driver at its first call.
void open_driver(LinuxImport& import);

/// cudnnGetVersion(): the shim opens the part that answers.
void open_cudnn_graph(LinuxImport& import);

/// The compiler NVRTC opens its built-in functions by name when it compiles.
void open_nvrtc_builtins(LinuxImport& import);

/// A convolution.
void open_cudnn_parts(LinuxImport& import, CudnnUse use);

/// The same on Windows: parts lie beside the shim and are loaded by bare names.
void open_cudnn_parts(WindowsImport& import);

}  // namespace plumb
