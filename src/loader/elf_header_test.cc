// SPDX-License-Identifier: Apache-2.0
#include "loader/elf_header.h"

#include <gtest/gtest.h>

#include <string>

namespace plumb {
namespace {

using Kind = ElfHeaderVerdict::Kind;

/// The header of an x86_64 shared library.
std::string header() {
  std::string bytes(kElfHeaderSize, '\0');
  bytes.replace(0, 8,
                std::string("\x7f"
                            "ELF\x02\x01\x01\0",
                            8));
  bytes[16] = 3;   // ET_DYN
  bytes[18] = 62;  // x86_64
  bytes[20] = 1;
  bytes[54] = 56;
  return bytes;
}

ElfHeaderVerdict judge(const std::string& bytes, std::string_view machine = "x86_64") {
  return judge_elf_header(std::as_bytes(std::span(bytes)), machine);
}

std::string words_with(std::size_t at, char value) {
  std::string bytes = header();
  bytes[at] = value;
  return judge(bytes).words;
}

TEST(ElfHeader, AnotherClassOrMachineIsPassedOver) {
  EXPECT_EQ(judge(header()).kind, Kind::right);
  EXPECT_EQ(judge(header(), "aarch64").kind, Kind::other_machine);
  EXPECT_EQ(judge(header(), "i386").kind, Kind::other_class);
  EXPECT_EQ(judge(header(), "i386").words, "wrong ELF class: ELFCLASS64");
  EXPECT_EQ(words_with(4, 1), "wrong ELF class: ELFCLASS32");
}

TEST(ElfHeader, WhatIsWrongIsSaidInTheWordsOfLdSo) {
  EXPECT_EQ(judge("").words, "file too short");
  EXPECT_EQ(judge(header().substr(0, 63)).words, "file too short");
  EXPECT_EQ(judge("GROUP ( libx.so.1 )" + std::string(60, ' ')).words, "invalid ELF header");
  EXPECT_EQ(words_with(5, 2), "ELF file data encoding not little-endian");
  EXPECT_EQ(words_with(6, 0), "ELF file version ident does not match current one");
  EXPECT_EQ(words_with(7, 9), "ELF file OS ABI invalid");
  EXPECT_EQ(words_with(7, 3), "");  // GNU
  EXPECT_EQ(words_with(16, 1), "only ET_DYN and ET_EXEC can be loaded");
  EXPECT_EQ(words_with(20, 2), "ELF file version does not match current one");
  EXPECT_EQ(words_with(54, 32), "ELF file's phentsize not the expected size");
}

}  // namespace
}  // namespace plumb
