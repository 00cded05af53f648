// SPDX-License-Identifier: Apache-2.0
#pragma once
// GPU code as short text, for tests: containers are parted by `|`, images by blanks.
//
//   75 90a 100f    SASS          90a-      SASS without a kernel
//   P80 P90:9.1    PTX of ISA 8.0, of ISA 9.1        L80  LTO
//   12* 75 80      twelve such containers            @rel 80   in the section of relocatable code

#include <charconv>
#include <string>
#include <string_view>

#include "base/text.h"
#include "binary/gpu_code.h"

namespace plumb {

inline unsigned leading_number(std::string_view& text) {
  unsigned number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

inline GpuImage parse_image(std::string_view text) {
  GpuImage image;
  image.kind = text.starts_with('P')   ? ImageKind::ptx
               : text.starts_with('L') ? ImageKind::lto
                                       : ImageKind::cubin;
  if (image.kind != ImageKind::cubin) {
    text.remove_prefix(1);
  }
  image.target.sm = static_cast<std::uint16_t>(leading_number(text));
  if (text.starts_with('a') || text.starts_with('f')) {
    image.target.suffix = text.front();
    text.remove_prefix(1);
  }
  if (image.kind == ImageKind::ptx) {
    image.isa_major = 8;
  }
  if (text.starts_with(':')) {
    text.remove_prefix(1);
    image.isa_major = static_cast<std::uint8_t>(leading_number(text));
    text.remove_prefix(1);
    image.isa_minor = static_cast<std::uint8_t>(leading_number(text));
  }
  image.empty = text == "-";
  return image;
}

inline GpuCode gpu_code(std::string_view text) {
  GpuCode code;
  code.places = {".nv_fatbin", "__nv_relfatbin"};
  for (const std::string_view part : split(text, '|')) {
    GpuContainer container;
    std::vector<GpuImage> images;
    unsigned times = 1;
    bool any = false;
    for (std::string_view word : split(part, ' ')) {
      if (word == "@rel") {
        container.place = 1;
      } else if (word.ends_with('*')) {
        times = leading_number(word);
      } else if (!word.empty()) {
        images.push_back(parse_image(word));
      }
      any = any || !word.empty();
    }
    for (unsigned i = 0; any && i < times; ++i) {
      container.first_image = static_cast<std::uint32_t>(code.images.size());
      container.image_count = static_cast<std::uint32_t>(images.size());
      code.images.insert(code.images.end(), images.begin(), images.end());
      code.containers.push_back(container);
    }
  }
  return code;
}

}  // namespace plumb
