// SPDX-License-Identifier: Apache-2.0
#include "binary/pe.h"

#include <gtest/gtest.h>

#include <string>

#include "support/pe_builder.h"
#include "support/zip_builder.h"

namespace plumb {
namespace {

using test::build_pe;
using test::PeBytes;
using test::PeDescription;
using test::put16;
using test::put32;

constexpr std::uint32_t kVersionType = 16;
constexpr std::uint32_t kManifestType = 24;

PeDescription everything() {
  PeDescription pe;
  pe.dll_name = "torch_cuda.dll";
  pe.exports = {{.name = "launch"}, {.name = "alloc", .forwarder = "NTDLL.RtlAllocateHeap"}};
  pe.imports = {{"KERNEL32.dll", {{.name = "Sleep", .hint = 7}, {.ordinal = 12}}},
                {"cudart64_13.dll", {{.name = "cudaMalloc"}}}};
  pe.delay_imports = {{"nvcuda.dll", {{.name = "cuInit"}}}};
  pe.resources = {
      {kVersionType, 1, 0x0409,
       test::build_version_info({.tables = {{"040904b0", {{u"ProductName", u"PyTorch"}}}}})},
      {kManifestType, 2, 0x0409, "<assembly/>"}};
  pe.sections = {{".nv_fatb", "fatbin bytes"}};
  return pe;
}

Result<PeFile> read(const std::string& bytes, const PeOptions& options = {}) {
  return read_pe(MemorySource(std::string_view(bytes)), options);
}

PeFile must_read(const std::string& bytes, const PeOptions& options = {}) {
  auto file = read(bytes, options);
  EXPECT_TRUE(file) << file.error().what;
  return file ? *std::move(file) : PeFile{};
}

std::vector<ErrorCode> codes(const PeFile& file) {
  std::vector<ErrorCode> all;
  for (const Error& fault : file.faults) {
    all.push_back(fault.code);
  }
  return all;
}

TEST(Pe, TellsWhatALoaderWouldSee) {
  const PeFile file =
      must_read(build_pe(everything()).bytes, {ExportDetail::names, /*import_functions=*/true});
  EXPECT_TRUE(file.faults.empty());
  EXPECT_TRUE(file.plus);
  EXPECT_TRUE(file.is_dll);
  EXPECT_FALSE(file.is_clr);
  EXPECT_EQ(file.machine, "x86_64");
  EXPECT_EQ(file.hybrid, "");
  EXPECT_EQ(file.image_base, 0x180000000U);
  EXPECT_EQ(file.subsystem, 3);
  EXPECT_EQ(file.timestamp, 0x65000000U);
  EXPECT_EQ(file.dll_name, "torch_cuda.dll");
  EXPECT_EQ(file.imports, (std::vector<std::string>{"KERNEL32.dll", "cudart64_13.dll"}));
  EXPECT_EQ(file.delay_imports, std::vector<std::string>{"nvcuda.dll"});
  ASSERT_EQ(file.imported_functions.size(), 3U);
  EXPECT_EQ(file.imported_functions[0].name, "Sleep");
  EXPECT_EQ(file.imported_functions[0].hint, 7);
  EXPECT_EQ(file.imported_functions[1].ordinal, 12);
  EXPECT_EQ(file.imported_functions[2].library, 1U);
  EXPECT_EQ(file.imported_functions[2].name, "cudaMalloc");
  ASSERT_EQ(file.delay_imported_functions.size(), 1U);
  EXPECT_EQ(file.delay_imported_functions[0].name, "cuInit");
  EXPECT_EQ(file.file_version, "1.2.3.4");
  EXPECT_EQ(file.product_version, "5.6.7.8");
  EXPECT_EQ(file.version_resource.at("ProductName"), "PyTorch");
  EXPECT_EQ(file.manifest, "<assembly/>");
  ASSERT_EQ(file.sections.size(), 2U);
  EXPECT_EQ(file.sections[1].name, ".nv_fatb");
}

TEST(Pe, ReadsThirtyTwoBitImagesAndOldDelayTables) {
  PeDescription pe = everything();
  pe.plus = false;
  pe.machine = 0x014c;
  pe.image_base = 0x10000000;
  pe.delay_by_address = true;
  const PeFile file = must_read(build_pe(pe).bytes, {ExportDetail::count, true});
  EXPECT_TRUE(file.faults.empty());
  EXPECT_FALSE(file.plus);
  EXPECT_EQ(file.machine, "i386");
  EXPECT_EQ(file.image_base, 0x10000000U);
  EXPECT_EQ(file.imports.size(), 2U);
  EXPECT_EQ(file.imported_functions[1].ordinal, 12);
  EXPECT_EQ(file.delay_imports, std::vector<std::string>{"nvcuda.dll"});
  EXPECT_EQ(file.delay_imported_functions.at(0).name, "cuInit");
}

TEST(Pe, NamesMachines) {
  PeDescription pe;
  const auto machine = [&pe](std::uint16_t number) {
    pe.machine = number;
    return must_read(build_pe(pe).bytes);
  };
  EXPECT_EQ(machine(0xaa64).machine, "aarch64");
  EXPECT_EQ(machine(0x01c4).machine, "arm");
  EXPECT_EQ(machine(0x01f0).machine, "machine 0x01f0");
  pe.chpe_metadata = 0x180001000;
  EXPECT_EQ(machine(0x8664).hybrid, "arm64ec");
  EXPECT_EQ(machine(0xaa64).hybrid, "arm64x");
}

TEST(Pe, CountsExportsAsObjdumpDoes) {
  PeDescription pe;
  pe.dll_name = "a.dll";
  pe.export_base = 10;
  pe.exports = {{.name = "zeta"}, test::kExportHole, {}, {.name = "alpha"}};
  pe.exports.push_back({.name = "fwd", .forwarder = "OTHER.#3"});
  const PeFile counted = must_read(build_pe(pe).bytes);
  EXPECT_EQ(counted.export_count, 4U);  // the hole is none, the nameless one is
  EXPECT_TRUE(counted.exports.empty());

  const PeFile named = must_read(build_pe(pe).bytes, {.exports = ExportDetail::names});
  ASSERT_EQ(named.exports.size(), 4U);
  EXPECT_EQ(named.exports[0].name, "alpha");
  EXPECT_EQ(named.exports[0].ordinal, 13U);
  EXPECT_EQ(named.exports[1].forwarder, "OTHER.#3");
  EXPECT_EQ(named.exports[2].name, "zeta");
  EXPECT_EQ(named.exports[3].name, "");
  EXPECT_EQ(named.exports[3].ordinal, 12U);
}

TEST(Pe, FindsExportsByName) {
  PeDescription pe;
  pe.dll_name = "cufft64_12.dll";
  pe.exports = {{.name = "fwd", .forwarder = "OTHER.x"}};
  for (int i = 0; i < 100; ++i) {
    const std::string name = "function" + std::to_string(i);
    pe.exports.push_back({.name = name, .bytes = "<" + name + ">"});
  }
  const PeBytes built = build_pe(pe);
  const MemorySource source{std::string_view(built.bytes)};
  const auto file = read_pe(source, {});
  ASSERT_TRUE(file);
  constexpr std::array<std::string_view, 4> kNames{"function7", "function99", "fwd", "absent"};
  const auto found = find_pe_exports(source, *file, kNames);
  ASSERT_EQ(found.size(), 2U);  // a forwarder's code is elsewhere
  EXPECT_EQ(built.bytes.substr(found.at("function7"), 11), "<function7>");
  EXPECT_EQ(built.bytes.substr(found.at("function99"), 12), "<function99>");
}

TEST(Pe, ChoosesTheLanguageOfTheVersionResource) {
  PeDescription pe;
  const auto info = [](std::u16string product) {
    return test::build_version_info(
        {.tables = {{"040704b0", {{u"ProductName", u"Deutsch"}}},
                    {"040904E4", {{u"ProductName", std::move(product)}}}}});
  };
  pe.resources = {{kVersionType, 1, 0x0411, info(u"Japanese")},
                  {kVersionType, 1, 0x0409, info(u"caf\u00e9 \u4e2d \U0001f600 \xd800")}};
  const PeFile file = must_read(build_pe(pe).bytes);
  EXPECT_TRUE(file.faults.empty());
  EXPECT_EQ(file.version_resource.at("ProductName"), "caf\u00e9 \u4e2d \U0001f600 \ufffd");
}

TEST(Pe, ReadsManifestsInUtf16AndOfPrograms) {
  PeDescription pe;
  pe.dll = false;
  pe.resources = {{kManifestType, 2, 0x0409, "for a DLL"},
                  {kManifestType, 1, 0x0409, std::string("\xff\xfe<\0a\0>\0", 8)}};
  EXPECT_EQ(must_read(build_pe(pe).bytes).manifest, "<a>");
  pe.dll = true;
  EXPECT_EQ(must_read(build_pe(pe).bytes).manifest, "for a DLL");
}

TEST(Pe, TurnsAddressesIntoFileOffsets) {
  PeDescription pe;
  pe.sections = {{".data", std::string(0x200, 'd'), 0x1800}, {".last", "last"}};
  const PeBytes built = build_pe(pe);
  const PeFile file = must_read(built.bytes);
  const PeSection& data = file.sections[1];
  EXPECT_EQ(rva_to_offset(file, 0), 0U);  // headers
  EXPECT_EQ(rva_to_offset(file, data.rva), data.offset);
  EXPECT_EQ(rva_to_offset(file, data.rva + 0x1ff), data.offset + 0x1ff);
  EXPECT_EQ(rva_to_offset(file, data.rva + 0x200), std::nullopt);  // zeros, not in the file
  EXPECT_EQ(rva_to_offset(file, 0xfffffff0), std::nullopt);
  EXPECT_EQ(built.bytes.substr(*va_to_offset(file, file.image_base + file.sections[2].rva), 4),
            "last");
  EXPECT_EQ(va_to_offset(file, file.image_base - 1), std::nullopt);
  EXPECT_EQ(va_to_offset(file, ~0ULL), std::nullopt);
}

TEST(Pe, TakesTheFirstOfOverlappingSections) {
  PeDescription pe;
  pe.sections = {{".a", "aaaa"}, {".b", "bbbb"}};
  PeBytes built = build_pe(pe);
  const std::uint32_t rva = must_read(built.bytes).sections[1].rva;
  put32(built.bytes, built.at["sections"] + 2 * 40 + 12, rva);
  const PeFile file = must_read(built.bytes);
  EXPECT_EQ(rva_to_offset(file, rva), file.sections[1].offset);
}

TEST(Pe, LooksUpLongSectionNames) {
  PeDescription pe;
  pe.sections = {{"/4", "x"}, {"/999", "y"}};
  PeBytes built = build_pe(pe);
  put32(built.bytes, built.at["coff"] + 8, static_cast<std::uint32_t>(built.bytes.size()));
  built.bytes += std::string(4, '\0') + ".debug_aranges" + std::string(1, '\0');
  const PeFile file = must_read(built.bytes);
  EXPECT_EQ(file.sections[1].name, ".debug_aranges");
  EXPECT_EQ(file.sections[2].name, "/999");  // points nowhere: stays as it is
}

TEST(Pe, ReadsATableThatEndsInZeroFilledMemory) {
  std::string descriptor(20, '\0');
  put32(descriptor, 12, 0x80);  // the name "PE", in the headers
  put32(descriptor, 16, 0x80);
  PeDescription pe;
  pe.sections = {{".idata", descriptor, 0x1000}};
  PeBytes built = build_pe(pe);
  put32(built.bytes, built.at["sections"] + 40 + 16, 20);  // the file has the one descriptor only
  const std::uint32_t rva = must_read(built.bytes).sections[1].rva;
  put32(built.bytes, built.at["directories"] + 8, rva);
  const PeFile file = must_read(built.bytes);
  EXPECT_TRUE(file.faults.empty());
  EXPECT_EQ(file.imports, std::vector<std::string>{"PE"});
}

TEST(Pe, SaysWhyAFileIsNone) {
  EXPECT_FALSE(looks_like_pe({}));
  EXPECT_TRUE(looks_like_pe(std::as_bytes(std::span("MZ", 2))));
  EXPECT_EQ(read("").error().code, ErrorCode::truncated);
  EXPECT_EQ(read("MZ").error().code, ErrorCode::truncated);
  EXPECT_EQ(read(std::string(64, 'x')).error().code, ErrorCode::not_binary);

  PeBytes built = build_pe({});
  std::string other = built.bytes;
  other.replace(0x80, 2, "NE");
  EXPECT_EQ(read(other).error().code, ErrorCode::not_binary);
  other = built.bytes;
  put32(other, 0x3c, 0x7fffffff);
  EXPECT_EQ(read(other).error().code, ErrorCode::truncated);
  other = built.bytes;
  put16(other, built.at["optional"], 0x107);
  EXPECT_EQ(read(other).error().code, ErrorCode::unsupported);
  put16(other, built.at["optional"], 0x999);
  EXPECT_EQ(read(other).error().code, ErrorCode::malformed);
  other = built.bytes;
  put16(other, built.at["coff"] + 16, 20);  // an optional header of 20 bytes
  EXPECT_EQ(read(other).error().code, ErrorCode::malformed);
  other = built.bytes;
  put16(other, built.at["coff"] + 2, 0xffff);
  EXPECT_EQ(read(other).error().code, ErrorCode::limit);
  put16(other, built.at["coff"] + 2, 1024);
  EXPECT_EQ(read(other).error().code, ErrorCode::truncated);
}

TEST(Pe, ReadsAnyPrefixWithoutPretendingItIsWhole) {
  const PeBytes built = build_pe(everything());
  for (std::size_t length = 0; length < built.bytes.size(); ++length) {
    const auto file = read(built.bytes.substr(0, length), {ExportDetail::names, true});
    EXPECT_TRUE(!file || !file->faults.empty()) << length;
  }
}

TEST(Pe, SurvivesEveryDamagedByte) {
  const PeBytes built = build_pe(everything());
  for (std::size_t i = 0; i < built.bytes.size(); ++i) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = built.bytes;
      bytes[i] = value;
      const MemorySource source{std::string_view(bytes)};
      const auto file = read_pe(source, {ExportDetail::names, true});
      if (!file) {
        EXPECT_FALSE(file.error().what.empty());
        continue;
      }
      constexpr std::array<std::string_view, 1> kName{"launch"};
      static_cast<void>(find_pe_exports(source, *file, kName));
    }
  }
}

/// The description with one directory's address overwritten.
std::string with_directory(std::size_t index, std::uint32_t rva) {
  PeBytes built = build_pe(everything());
  put32(built.bytes, built.at["directories"] + 8 * index, rva);
  return built.bytes;
}

TEST(Pe, KeepsTheOtherPartsWhenOneIsDamaged) {
  constexpr std::uint32_t kNowhere = 0x7f000000;
  const PeFile no_resources = must_read(with_directory(2, kNowhere));
  EXPECT_EQ(no_resources.imports.size(), 2U);
  EXPECT_EQ(no_resources.export_count, 2U);
  ASSERT_EQ(no_resources.faults.size(), 2U);  // the version resource and the manifest
  EXPECT_EQ(no_resources.faults[0].what,
            "reading the version resource: 16 bytes at RVA 2130706432 are in no section");

  const PeFile no_imports = must_read(with_directory(1, kNowhere));
  EXPECT_EQ(codes(no_imports), std::vector{ErrorCode::malformed});
  EXPECT_EQ(no_imports.delay_imports.size(), 1U);
  EXPECT_EQ(no_imports.version_resource.size(), 1U);
  EXPECT_EQ(codes(must_read(with_directory(13, kNowhere))), std::vector{ErrorCode::malformed});
  EXPECT_EQ(codes(must_read(with_directory(0, kNowhere))), std::vector{ErrorCode::malformed});
  EXPECT_EQ(codes(must_read(with_directory(0, 0xfffffff8))), std::vector{ErrorCode::malformed});
}

TEST(Pe, SaysThatSectionsArePastTheEnd) {
  PeBytes built = build_pe(everything());
  put32(built.bytes, built.at["sections"] + 40 + 16, 0x40000000);
  const PeFile file = must_read(built.bytes);
  ASSERT_EQ(codes(file), std::vector{ErrorCode::truncated});
  EXPECT_EQ(file.faults[0].what, "section `.nv_fatb` ends past the end of the file");
  EXPECT_EQ(file.imports.size(), 2U);
}

TEST(Pe, KeepsDllNamesWhenFunctionsOfOneAreDamaged) {
  PeBytes built = build_pe(everything());
  put32(built.bytes, built.at["import_names"], 0x7f000000);  // the first function of KERNEL32.dll
  const PeFile file = must_read(built.bytes, {ExportDetail::count, true});
  EXPECT_EQ(file.imports, (std::vector<std::string>{"KERNEL32.dll", "cudart64_13.dll"}));
  ASSERT_EQ(file.imported_functions.size(), 1U);
  EXPECT_EQ(file.imported_functions[0].name, "cudaMalloc");
  EXPECT_EQ(codes(file), std::vector{ErrorCode::malformed});
}

TEST(Pe, BoundsNamesWithoutAnEnd) {
  PeDescription pe;
  pe.sections = {{".names", std::string(8192, 'n')}};
  pe.imports = {{"a.dll"}};
  PeBytes built = build_pe(pe);
  const std::uint32_t names = must_read(built.bytes).sections[1].rva;
  put32(built.bytes, built.at["imports"] + 12, names);
  EXPECT_EQ(codes(must_read(built.bytes)), std::vector{ErrorCode::malformed});
  put32(built.bytes, built.at["imports"] + 12, names + 8000);  // ends with its section
  EXPECT_EQ(codes(must_read(built.bytes)), std::vector{ErrorCode::malformed});
}

/// A section that holds `count` copies of `record`, as the only content of directory `index`.
std::string with_long_table(std::size_t index, const std::string& record, std::size_t count) {
  PeDescription pe;
  std::string table;
  for (std::size_t i = 0; i < count; ++i) {
    table += record;
  }
  pe.sections = {{".many", std::move(table)}};
  PeBytes built = build_pe(pe);
  const std::uint32_t rva = must_read(built.bytes).sections[1].rva;
  put32(built.bytes, built.at["directories"] + 8 * index, rva);
  return built.bytes;
}

TEST(Pe, LimitsLongImportTables) {
  std::string descriptor(20, '\0');
  put32(descriptor, 12, 0x80);  // "PE", in the headers
  put32(descriptor, 16, 0x80);
  const PeFile imports = must_read(with_long_table(1, descriptor, 1'000'000));
  EXPECT_EQ(codes(imports), std::vector{ErrorCode::limit});
  EXPECT_EQ(imports.imports.size(), 4096U);

  std::string delayed(32, '\0');
  put32(delayed, 0, 1);
  put32(delayed, 4, 0x80);
  EXPECT_EQ(codes(must_read(with_long_table(13, delayed, 1'000'000))),
            std::vector{ErrorCode::limit});

  // One DLL with a million functions: the table of thunks is the descriptor table's own section,
  // all of it ordinals.
  PeDescription pe;
  pe.imports = {{"a.dll"}};
  pe.sections = {{".thunks", std::string(8'000'000, '\xff')}};
  PeBytes built = build_pe(pe);
  put32(built.bytes, built.at["imports"], must_read(built.bytes).sections[1].rva);
  const PeFile functions = must_read(built.bytes, {ExportDetail::count, true});
  EXPECT_EQ(codes(functions), std::vector{ErrorCode::limit});
  EXPECT_EQ(functions.imports.size(), 1U);
}

TEST(Pe, LimitsExports) {
  PeBytes built = build_pe(everything());
  put32(built.bytes, built.at["exports"] + 20, 0xffffffff);
  const PeFile file = must_read(built.bytes);
  EXPECT_EQ(codes(file), std::vector{ErrorCode::limit});
  EXPECT_EQ(file.dll_name, "torch_cuda.dll");

  built = build_pe(everything());
  put32(built.bytes, built.at["exports"] + 24, 60'000);  // more names than the section holds
  const PeFile names = must_read(built.bytes, {.exports = ExportDetail::names});
  EXPECT_EQ(codes(names), std::vector{ErrorCode::malformed});
  EXPECT_EQ(names.export_count, 2U);

  built = build_pe(everything());
  put16(built.bytes, built.at["export_ordinals"], 500);  // a name for an entry that is not there
  EXPECT_EQ(codes(must_read(built.bytes, {.exports = ExportDetail::names})),
            std::vector{ErrorCode::malformed});
}

TEST(Pe, EndsInResourceTreesThatPointBack) {
  PeBytes built = build_pe(everything());
  const std::size_t root = built.at["resources"];
  for (const std::size_t entry : {std::size_t{0}, std::size_t{1}}) {
    put32(built.bytes, root + 20 + 8 * entry, 0x80000000U);  // each type's names are the types
  }
  put32(built.bytes, root + 16, 16);
  EXPECT_EQ(codes(must_read(built.bytes)), (std::vector{ErrorCode::loop, ErrorCode::loop}));

  built = build_pe(everything());
  put32(built.bytes, built.at["resource_leaf"] + 4, 0x10000000);
  EXPECT_EQ(codes(must_read(built.bytes)), std::vector{ErrorCode::limit});

  built = build_pe(everything());
  put32(built.bytes, built.at["resources"] + 20, 0x10);  // a leaf where names belong
  EXPECT_EQ(codes(must_read(built.bytes)), std::vector{ErrorCode::malformed});
}

TEST(Pe, KeepsWhatABrokenVersionResourceStillSays) {
  PeBytes built = build_pe(everything());
  const std::size_t data = built.at["resource_data"];
  const std::size_t string_file_info = data + 40 + 52;
  put16(built.bytes, string_file_info, 0xfff0);
  const PeFile file = must_read(built.bytes);
  EXPECT_EQ(codes(file), std::vector{ErrorCode::malformed});
  EXPECT_EQ(file.file_version, "1.2.3.4");
  EXPECT_TRUE(file.version_resource.empty());
  EXPECT_EQ(file.manifest, "<assembly/>");
}

/// Counts what is read, for the promise that headers cost some pages whatever the file's size.
class CountingSource final : public Source {
 public:
  explicit CountingSource(const std::string& bytes) : bytes_(std::string_view(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    read_ += out.size();
    return bytes_.read(offset, out);
  }
  [[nodiscard]] std::uint64_t bytes_read() const { return read_; }

 private:
  MemorySource bytes_;
  mutable std::uint64_t read_ = 0;
};

TEST(Pe, ReadsSomePagesOfALargeFile) {
  PeDescription pe = everything();
  pe.sections.push_back({".nv_fatb", std::string(20'000'000, 'g')});
  const PeBytes built = build_pe(pe);
  const CountingSource source(built.bytes);
  ASSERT_TRUE(read_pe(source, {}));
  EXPECT_LT(source.bytes_read(), 100'000U);
}

}  // namespace
}  // namespace plumb
