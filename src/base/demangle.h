// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of C++ symbols as people write them.

#include <string>
#include <string_view>

namespace plumb {

/// "_ZN3c104cuda9SetDeviceEa" -> "c10::cuda::SetDevice(signed char)" (Itanium ABI, by the
/// compiler's own runtime); "?get@Device@c10@@QEBAXXZ" -> "c10::Device::get" (MSVC: the qualified
/// name only, where it holds no template). Everything else, and what cannot be read, is given back
/// unchanged.
[[nodiscard]] std::string demangle(std::string_view symbol);

}  // namespace plumb
