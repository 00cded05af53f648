// SPDX-License-Identifier: Apache-2.0
// Imports (directory 1) and delay imports (directory 13). Both are tables of descriptors that end
// with an empty one; the directory's size is not looked at, as in Windows' loader.

#include <string>
#include <utility>
#include <vector>

#include "binary/pe_image.h"

namespace plumb::pe {
namespace {

constexpr std::uint32_t kImportDescriptor = 20;
constexpr std::uint32_t kDelayDescriptor = 32;

/// The functions of one DLL: pointer-sized entries up to a zero, each an ordinal (top bit set) or
/// the RVA of a 16-bit hint and a name. `base` is what addresses are counted from: 0, or the image
/// base in old delay tables.
Result<void> read_thunks(PeImage& image, std::uint64_t table, std::uint64_t base,
                         std::uint32_t library, std::vector<PeImportedFunction>& out) {
  const bool plus = image.file().plus;
  const std::uint64_t step = plus ? 8 : 4;
  const std::uint64_t ordinal_flag = plus ? 1ULL << 63 : 1ULL << 31;
  for (std::uint64_t at = table;; at += step) {
    std::uint64_t thunk = 0;
    if (plus) {
      PLUMB_ASSIGN(thunk, image.read_u64(at));
    } else {
      PLUMB_ASSIGN(thunk, image.read_u32(at));
    }
    if (thunk == 0) {
      return {};
    }
    if (out.size() >= kMaxImportedFunctions) {
      return fail(ErrorCode::limit,
                  "more than " + std::to_string(kMaxImportedFunctions) + " imported functions");
    }
    PeImportedFunction function;
    function.library = library;
    if ((thunk & ordinal_flag) != 0) {
      function.ordinal = static_cast<std::uint16_t>(thunk & 0xffffU);
    } else {
      if (thunk < base) {
        return fail(ErrorCode::malformed, "an imported name lies below the image base");
      }
      PLUMB_ASSIGN(const auto hint, image.read(thunk - base, 2));
      function.hint = load_le<std::uint16_t>(hint);
      PLUMB_ASSIGN(function.name, image.read_name(thunk - base + 2));
    }
    out.push_back(std::move(function));
  }
}

std::unexpected<Error> too_many_libraries() {
  return fail(ErrorCode::limit, "more than " + std::to_string(kMaxLibraries) + " imported DLLs");
}

/// Every DLL is wanted even where the functions of one of them cannot be read: the first fault is
/// kept and reading goes on with the next descriptor.
void keep_first(Result<void>& kept, Result<void> next) {
  if (kept && !next) {
    kept = std::move(next);
  }
}

}  // namespace

Result<void> read_imports(PeImage& image, bool functions, PeFile& out) {
  const std::uint64_t table = image.directory(kImportDirectory).rva;
  Result<void> result;
  for (std::uint64_t at = table; table != 0; at += kImportDescriptor) {
    PLUMB_ASSIGN(const auto descriptor, image.read(at, kImportDescriptor));
    const auto names = load_le<std::uint32_t>(descriptor, 0);
    const auto dll = load_le<std::uint32_t>(descriptor, 12);
    const auto addresses = load_le<std::uint32_t>(descriptor, 16);
    if (dll == 0 || addresses == 0) {
      break;
    }
    if (out.imports.size() >= kMaxLibraries) {
      return too_many_libraries();
    }
    PLUMB_ASSIGN(std::string name, image.read_name(dll));
    out.imports.push_back(std::move(name));
    if (functions) {
      // Borland's linker wrote no name table: before loading, the address table is one.
      const auto library = static_cast<std::uint32_t>(out.imports.size() - 1);
      keep_first(result, read_thunks(image, names != 0 ? names : addresses, 0, library,
                                     out.imported_functions));
    }
  }
  return result;
}

Result<void> read_delay_imports(PeImage& image, bool functions, PeFile& out) {
  const std::uint64_t table = image.directory(kDelayImportDirectory).rva;
  Result<void> result;
  for (std::uint64_t at = table; table != 0; at += kDelayDescriptor) {
    PLUMB_ASSIGN(const auto descriptor, image.read(at, kDelayDescriptor));
    const auto attributes = load_le<std::uint32_t>(descriptor, 0);
    const auto dll = load_le<std::uint32_t>(descriptor, 4);
    const auto names = load_le<std::uint32_t>(descriptor, 16);
    if (dll == 0) {
      break;
    }
    if (out.delay_imports.size() >= kMaxLibraries) {
      return too_many_libraries();
    }
    // Attribute bit 0: the fields are RVAs. Without it (Visual C++ 6, 32-bit only) they are
    // addresses.
    const std::uint64_t base = (attributes & 1U) != 0 ? 0 : image.file().image_base;
    if (dll < base) {
      return fail(ErrorCode::malformed, "a DLL's name lies below the image base");
    }
    PLUMB_ASSIGN(std::string name, image.read_name(dll - base));
    out.delay_imports.push_back(std::move(name));
    if (functions && names >= base && names != 0) {
      const auto library = static_cast<std::uint32_t>(out.delay_imports.size() - 1);
      keep_first(result,
                 read_thunks(image, names - base, base, library, out.delay_imported_functions));
    }
  }
  return result;
}

}  // namespace plumb::pe
