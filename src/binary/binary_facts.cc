// SPDX-License-Identifier: Apache-2.0
#include "binary/binary_facts.h"

namespace plumb {

std::string_view format_name(Format format) {
  switch (format) {
    case Format::elf64:
      return "elf64";
    case Format::elf32:
      return "elf32";
    case Format::pe32_plus:
      return "pe32+";
    case Format::pe32:
      return "pe32";
    case Format::ar:
      return "ar";
    case Format::fatbin:
      return "fatbin";
    case Format::cubin:
      return "cubin";
    case Format::ptx:
      return "ptx";
    case Format::wheel:
      return "wheel";
    case Format::conda:
      break;
  }
  return "conda";
}

}  // namespace plumb
