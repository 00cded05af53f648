# SPDX-License-Identifier: Apache-2.0
# Turns files into one .cc that defines `std::string_view` constants, so that the catalog travels inside the
# program: cmake -DOUT=x.cc -DFILES="a.json;b.json" -P embed.cmake  ->  plumb::embedded::a_json ...
# A C++ string literal is limited only by the compiler; pieces of 8 KB keep g++ fast.
set(text "// Generated from data/ by cmake/embed.cmake.\n#include <string_view>\nnamespace plumb::embedded {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol "${name}")
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR bytes "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," array "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" array "${array}")
  string(APPEND text "static const unsigned char ${symbol}_bytes[] = {${array}0};\n"
    "extern const std::string_view ${symbol};\n"
    "const std::string_view ${symbol}{reinterpret_cast<const char*>(${symbol}_bytes), ${bytes}};\n")
endforeach()
string(APPEND text "}  // namespace plumb::embedded\n")
file(WRITE "${OUT}" "${text}")
