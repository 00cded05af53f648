// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a plain value names its parts, once, for all that walk over it: writing a snapshot, reading
// one, redacting it. Beside each struct stands
//
//   void fields(auto& visit, Is<Card> auto& card) {
//     visit("name", card.name);
//     visit("memory", card.memory);
//   }
//
// and beside each enum whose enumerators count from 0
//
//   constexpr auto enum_names(Bus) { return std::to_array<std::string_view>({"pci", "usb"}); }
//
// Names are a contract: a snapshot written today is read by every later plumb. A part may be added;
// one that is missing in a snapshot keeps its default. Parts are bool, numbers, std::string, enums,
// Fact<T>, Error, structs with fields(), and std::optional, std::vector and std::map<std::string,
// T> of these.

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace plumb {

/// T or const T.
template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

}  // namespace plumb
