// SPDX-License-Identifier: Apache-2.0
#include "support/fatbin_builder.h"

#include <algorithm>

#include "support/elf_builder.h"

namespace plumb::test {

std::string build_fatbin(const std::vector<FatbinEntry>& entries) {
  std::string all;
  for (const FatbinEntry& entry : entries) {
    const std::size_t stored = (entry.body.size() + 7) / 8 * 8;
    std::string header(64 + entry.extras, '\0');
    poke(header, 0x00, entry.kind, 2);
    poke(header, 0x02, 0x0101, 2);
    poke(header, 0x04, header.size(), 4);
    poke(header, 0x08, stored, 8);
    poke(header, 0x10, entry.unpacked != 0 ? entry.body.size() : 0, 4);
    poke(header, 0x18, entry.isa_minor, 2);
    poke(header, 0x1a, entry.isa_major, 2);
    poke(header, 0x1c, entry.arch, 4);
    poke(header, 0x28, entry.flags, 8);
    poke(header, 0x38, entry.unpacked, 8);
    all += header + entry.body + std::string(stored - entry.body.size(), '\0');
  }
  std::string container(16, '\0');
  poke(container, 0, 0xBA55ED50, 4);
  poke(container, 4, 1, 2);
  poke(container, 6, 16, 2);
  poke(container, 8, all.size(), 8);
  return container + all;
}

std::string simple_fatbin(std::uint16_t sm) {
  return build_fatbin({{.arch = sm, .body = build_cubin({.sm = sm, .size = 6000})}});
}

std::string ptx_text(const std::string& isa, const std::string& target, bool kernel) {
  std::string text = "//\n// made for a test\n//\n.version " + isa + "\n.target " + target +
                     "\n.address_size 64\n";
  return kernel ? text + ".visible .entry k()\n{\n ret;\n}\n" : text;
}

std::string as_lz4(const std::string& bytes) {
  std::string block;
  if (bytes.size() < 15) {
    block += static_cast<char>(bytes.size() << 4);
  } else {
    block += '\xf0';
    std::size_t rest = bytes.size() - 15;
    for (; rest >= 255; rest -= 255) {
      block += '\xff';
    }
    block += static_cast<char>(rest);
  }
  return block + bytes;
}

std::string as_zstd(const std::string& bytes) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x58", 6);  // no content size, a window of 2 MiB
  std::size_t at = 0;
  do {
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 100'000);
    std::string header(3, '\0');
    poke(header, 0, size << 3 | (at + size == bytes.size() ? 1 : 0), 3);
    frame += header + bytes.substr(at, size);
    at += size;
  } while (at < bytes.size());
  return frame;
}

}  // namespace plumb::test
