// SPDX-License-Identifier: Apache-2.0
#include "support/elf_builder.h"

#include <algorithm>
#include <iterator>

namespace plumb::test {
namespace {

/// Integers in one byte order, appended.
class Writer {
 public:
  Writer(bool is64, bool big_endian) : is64_(is64), big_endian_(big_endian) {}
  void number(std::uint64_t value, std::size_t width) {
    bytes_.resize(bytes_.size() + width);
    poke(bytes_, bytes_.size() - width, value, width, big_endian_);
  }
  void u8(std::uint64_t value) { number(value, 1); }
  void u16(std::uint64_t value) { number(value, 2); }
  void u32(std::uint64_t value) { number(value, 4); }
  void word(std::uint64_t value) { number(value, is64_ ? 8 : 4); }
  void text(std::string_view value) { bytes_ += value; }
  void align(std::size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, '\0');
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  bool is64_, big_endian_;
  std::string bytes_;
};

/// NUL-terminated strings, each once.
class StringTable {
 public:
  std::size_t add(const std::string& text) {
    const auto [place, added] = places_.try_emplace(text, bytes_.size());
    if (added) {
      bytes_ += text + '\0';
    }
    return place->second;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, std::size_t> places_;
};

struct Part {
  std::string name;
  std::uint32_t type;
  std::uint64_t flags;
  std::uint64_t entry_size;
  std::size_t link;
  std::string data;
  std::size_t at = 0;
};

class Builder {
 public:
  explicit Builder(const ElfSpec& spec) : spec_(spec) {}
  ElfImage build();

 private:
  [[nodiscard]] Writer writer() const { return {spec_.is64, spec_.big_endian}; }
  void number_versions();
  [[nodiscard]] std::uint16_t version_index(const ElfSymbolSpec& symbol) const;
  [[nodiscard]] std::string symbols();
  [[nodiscard]] std::string versions() const;
  [[nodiscard]] std::string needs();
  [[nodiscard]] std::string definitions();
  [[nodiscard]] std::string hash() const;
  [[nodiscard]] std::string dynamic();
  [[nodiscard]] std::string note() const;
  [[nodiscard]] std::string program_headers(std::size_t loaded) const;
  [[nodiscard]] std::string section_headers();
  Part* part(std::string_view name);

  const ElfSpec& spec_;
  StringTable strings_, section_names_;
  std::map<std::string, std::uint16_t> version_numbers_;
  std::vector<ElfSymbolSpec> ordered_;
  std::vector<Part> parts_;
};

Part* Builder::part(std::string_view name) {
  const auto found = std::ranges::find(parts_, name, &Part::name);
  return found == parts_.end() ? nullptr : &*found;
}

void Builder::number_versions() {
  std::uint16_t next = 2;
  for (const std::string& name : spec_.version_definitions) {
    version_numbers_[name] = next++;
  }
  for (const ElfNeedSpec& need : spec_.version_needs) {
    for (const std::string& name : need.versions) {
      version_numbers_[name] = next++;
    }
  }
}

std::uint16_t Builder::version_index(const ElfSymbolSpec& symbol) const {
  if (symbol.version.empty()) {
    return 1;
  }
  const auto index = version_numbers_.at(symbol.version);
  return static_cast<std::uint16_t>(symbol.default_version ? index : index | 0x8000);
}

std::string Builder::symbols() {
  Writer out = writer();
  const auto write = [&](const ElfSymbolSpec& symbol) {
    const auto name = symbol.name.empty() ? 0 : strings_.add(symbol.name);
    const auto info = static_cast<std::uint64_t>(symbol.binding << 4 | symbol.type);
    out.u32(name);
    if (!spec_.is64) {
      out.word(symbol.value);
      out.word(symbol.size);
    }
    out.u8(info);
    out.u8(symbol.visibility);
    out.u16(symbol.defined ? 1 : 0);
    if (spec_.is64) {
      out.word(symbol.value);
      out.word(symbol.size);
    }
  };
  write({.name = "", .defined = false, .binding = 0, .type = 0, .value = 0, .size = 0});
  std::ranges::for_each(ordered_, write);
  return out.take();
}

std::string Builder::versions() const {
  Writer out = writer();
  out.u16(0);
  for (const ElfSymbolSpec& symbol : ordered_) {
    out.u16(version_index(symbol));
  }
  return out.take();
}

std::string Builder::needs() {
  Writer out = writer();
  for (std::size_t i = 0; i < spec_.version_needs.size(); ++i) {
    const ElfNeedSpec& need = spec_.version_needs[i];
    const std::size_t count = need.versions.size();
    out.u16(1);
    out.u16(count);
    out.u32(strings_.add(need.library));
    out.u32(16);
    out.u32(i + 1 < spec_.version_needs.size() ? 16 + 16 * count : 0);
    for (std::size_t j = 0; j < count; ++j) {
      out.u32(0);
      out.u16(0);
      out.u16(version_numbers_.at(need.versions[j]));
      out.u32(strings_.add(need.versions[j]));
      out.u32(j + 1 < count ? 16 : 0);
    }
  }
  return out.take();
}

std::string Builder::definitions() {
  Writer out = writer();
  for (std::size_t i = 0; i < spec_.version_definitions.size(); ++i) {
    const std::string& name = spec_.version_definitions[i];
    out.u16(1);
    out.u16(0);
    out.u16(version_numbers_.at(name));
    out.u16(1);
    out.u32(0);
    out.u32(20);
    out.u32(i + 1 < spec_.version_definitions.size() ? 28 : 0);
    out.u32(strings_.add(name));
    out.u32(0);
  }
  return out.take();
}

// Lookup by hash is nobody's business here: the numbers only have the shape that tells the count.
std::string Builder::hash() const {
  Writer out = writer();
  const std::size_t count = ordered_.size() + 1;
  if (spec_.symbol_count == ElfSymbolCount::sysv_hash) {
    out.u32(1);
    out.u32(count);
    for (std::size_t i = 0; i < 1 + count; ++i) {
      out.u32(0);
    }
    return out.take();
  }
  const auto undefined =
      static_cast<std::size_t>(std::ranges::count(ordered_, false, &ElfSymbolSpec::defined));
  const std::size_t first = 1 + undefined;
  out.u32(1);
  out.u32(first);
  out.u32(1);
  out.u32(6);
  out.word(~std::uint64_t{0});
  out.u32(first < count ? first : 0);
  for (std::size_t i = first; i < count; ++i) {
    out.u32(0x1000 + 2 * i + (i + 1 == count ? 1 : 0));
  }
  return out.take();
}

// Its size must not depend on addresses, which are known only after all sizes are.
std::string Builder::dynamic() {
  Writer out = writer();
  const auto entry = [&out](std::uint64_t tag, std::uint64_t value) {
    out.word(tag);
    out.word(value);
  };
  const auto address = [&](std::uint64_t tag, std::string_view name) {
    if (const Part* found = part(name)) {
      entry(tag, kElfBase + found->at);
    }
  };
  for (const std::string& name : spec_.needed) {
    entry(1, strings_.add(name));
  }
  const auto text = [&](std::uint64_t tag, const std::optional<std::string>& value) {
    if (value) {
      entry(tag, strings_.add(*value));
    }
  };
  text(14, spec_.soname);
  text(15, spec_.rpath);
  text(29, spec_.runpath);
  if (spec_.symbolic) {
    entry(16, 0);
  }
  if (spec_.flags_1 != 0) {
    entry(0x6ffffffb, spec_.flags_1);
  }
  address(5, "dynstr");
  entry(10, strings_.bytes().size());
  address(6, "dynsym");
  address(spec_.symbol_count == ElfSymbolCount::sysv_hash ? 4 : 0x6ffffef5, "hash");
  address(0x6ffffff0, "versym");
  address(0x6ffffffc, "verdef");
  address(0x6ffffffe, "verneed");
  if (!spec_.version_definitions.empty()) {
    entry(0x6ffffffd, spec_.version_definitions.size());
  }
  if (!spec_.version_needs.empty()) {
    entry(0x6fffffff, spec_.version_needs.size());
  }
  entry(0, 0);
  return out.take();
}

std::string Builder::note() const {
  Writer out = writer();
  out.u32(4);
  out.u32(spec_.build_id.size());
  out.u32(3);
  out.text(std::string_view("GNU\0", 4));
  out.text(spec_.build_id);
  out.align(4);
  return out.take();
}

std::string Builder::program_headers(std::size_t loaded) const {
  Writer out = writer();
  const auto segment = [&](std::uint32_t type, std::size_t at, std::size_t size) {
    out.u32(type);
    if (spec_.is64) {
      out.u32(4);
    }
    out.word(at);
    out.word(kElfBase + at);
    out.word(kElfBase + at);
    out.word(size);
    out.word(size);
    if (!spec_.is64) {
      out.u32(4);
    }
    out.word(8);
  };
  segment(1, 0, loaded);
  for (const Part& part : parts_) {
    const std::uint32_t type = part.name == "dynamic"  ? 2
                               : part.name == "interp" ? 3
                               : part.name == "note"   ? 4
                                                       : 0;
    if (type != 0) {
      segment(type, part.at, part.data.size());
    }
  }
  return out.take();
}

std::string Builder::section_headers() {
  Writer out = writer();
  const auto header = [&](std::size_t name, const Part& part, std::uint64_t size,
                          std::uint64_t link) {
    out.u32(name);
    out.u32(part.type);
    out.word(part.flags);
    out.word((part.flags & 2) != 0 ? kElfBase + part.at : 0);
    out.word(part.at);
    out.word(size);
    out.u32(link);
    out.u32(0);
    out.word(1);
    out.word(part.entry_size);
  };
  const std::size_t count = parts_.size() + 1;
  const bool zero = spec_.count_in_section_zero;
  header(0, {"", 0, 0, 0, 0, "", 0}, zero ? count : 0, zero ? count - 1 : 0);
  for (const Part& part : parts_) {
    header(section_names_.add(part.name), part, part.data.size(), part.link);
  }
  return out.take();
}

ElfImage Builder::build() {
  for (const bool defined : {false, true}) {
    std::ranges::copy_if(spec_.symbols, std::back_inserter(ordered_),
                         [&](const auto& symbol) { return symbol.defined == defined; });
  }
  number_versions();
  const bool has_dynamic = spec_.soname || spec_.rpath || spec_.runpath || !spec_.needed.empty() ||
                           !spec_.symbols.empty() || !spec_.version_needs.empty();
  const std::size_t symbol_size = spec_.is64 ? 24 : 16;
  if (spec_.interpreter) {
    parts_.push_back({"interp", 1, 2, 0, 0, *spec_.interpreter + '\0'});
  }
  if (!spec_.build_id.empty()) {
    parts_.push_back({"note", 7, 2, 0, 0, note()});
  }
  if (has_dynamic) {
    parts_.push_back({"dynsym", 11, 2, symbol_size, 0, symbols()});
    if (spec_.symbol_count == ElfSymbolCount::none) {
      parts_.back().type = 1;
    }
    if (!version_numbers_.empty()) {
      parts_.push_back({"versym", 0x6fffffff, 2, 2, 0, versions()});
    }
    if (!spec_.version_needs.empty()) {
      parts_.push_back({"verneed", 0x6ffffffe, 2, 0, 0, needs()});
    }
    if (!spec_.version_definitions.empty()) {
      parts_.push_back({"verdef", 0x6ffffffd, 2, 0, 0, definitions()});
    }
    if (spec_.symbol_count == ElfSymbolCount::sysv_hash ||
        spec_.symbol_count == ElfSymbolCount::gnu_hash) {
      parts_.push_back({"hash", 5, 2, 4, 0, hash()});
    }
    parts_.push_back({"dynstr", 3, 2, 0, 0, ""});
    parts_.push_back({"dynamic", 6, 3, spec_.is64 ? 16U : 8U, 0, ""});
    static_cast<void>(dynamic());  // fills the string table
    part("dynstr")->data = strings_.bytes();
    part("dynamic")->data = dynamic();
  }
  const std::size_t loader_parts = parts_.size();
  for (const ElfSectionSpec& section : spec_.sections) {
    parts_.push_back({section.name, section.type, section.flags, 0, 0, section.data});
  }
  parts_.push_back({"shstrtab", 3, 0, 0, 0, ""});
  static_cast<void>(section_headers());
  part("shstrtab")->data = section_names_.bytes();

  const std::size_t header_size = spec_.is64 ? 64 : 52;
  std::size_t at = header_size + program_headers(0).size();
  std::size_t loaded = at;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    at = (at + 7) / 8 * 8;
    parts_[i].at = at;
    at += parts_[i].data.size();
    loaded = i < loader_parts ? at : loaded;
  }
  if (has_dynamic) {
    part("dynamic")->data = dynamic();
  }

  Writer out = writer();
  out.text(
      "\x7f"
      "ELF");
  out.u8(spec_.is64 ? 2 : 1);
  out.u8(spec_.big_endian ? 2 : 1);
  out.u8(1);
  out.align(16);
  out.u16(spec_.type);
  out.u16(spec_.machine);
  out.u32(1);
  out.word(0);
  out.word(header_size);
  const std::size_t table = (at + 7) / 8 * 8;
  out.word(spec_.section_headers ? table : 0);
  out.u32(0);
  out.u16(header_size);
  out.u16(spec_.is64 ? 56 : 32);
  out.u16(program_headers(0).size() / (spec_.is64 ? 56 : 32));
  const std::size_t count = parts_.size() + 1;
  const bool named = spec_.section_headers;
  out.u16(named ? (spec_.is64 ? 64 : 40) : 0);
  out.u16(named && !spec_.count_in_section_zero ? count : 0);
  out.u16(!named ? 0 : spec_.count_in_section_zero ? 0xffff : count - 1);
  out.text(program_headers(loaded));
  ElfImage image;
  image.at["phdr"] = header_size;
  for (const Part& part : parts_) {
    out.align(8);
    image.at[part.name] = part.at;
    out.text(part.data);
  }
  if (spec_.section_headers) {
    out.align(8);
    image.at["shdr"] = out.size();
    image.section_count = count;
    out.text(section_headers());
  }
  image.bytes = out.take();
  return image;
}

}  // namespace

void poke(std::string& bytes, std::size_t offset, std::uint64_t value, std::size_t width,
          bool big_endian) {
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t place = big_endian ? width - 1 - i : i;
    bytes.at(offset + place) = static_cast<char>(value >> (8 * i) & 0xff);
  }
}

ElfImage build_elf(const ElfSpec& spec) {
  return Builder(spec).build();
}

std::string build_cubin(const CubinSpec& spec) {
  const auto note = [](std::string desc) {
    Writer out(true, false);
    out.u32(12);
    out.u32(desc.size());
    out.u32(1000);
    out.text(std::string_view("NVIDIA Corp\0", 12));
    out.text(desc);
    out.align(4);
    return out.take();
  };
  ElfSpec elf;
  elf.machine = 190;
  elf.type = 2;
  if (spec.kernel) {
    elf.sections.push_back({".text.k", std::string(128, '\x18'), 6, 1});
  }
  if (spec.abi == 8) {
    std::string desc(8, '\0');
    poke(desc, 0, 2, 2);
    poke(desc, 2, spec.sm, 2);
    poke(desc, 4, spec.toolkit, 4);
    elf.sections.push_back({".note.nv.cuinfo", note(desc), 0, 7});
  }
  if (!spec.option.empty()) {
    elf.sections.push_back({".note.nv.tkinfo", note(spec.option), 0, 7});
  }
  std::string bytes = build_elf(elf).bytes;
  const bool v8 = spec.abi == 8;
  poke(bytes, 7, v8 ? 0x41 : 0x33, 1);
  poke(bytes, 8, spec.abi, 1);
  poke(bytes, 0x14, v8 ? 1 : spec.toolkit, 4);
  const std::uint64_t sm = spec.sm;
  poke(bytes, 0x30,
       v8 ? 0x06000004U | sm << 8 | (spec.arch_specific ? 8U : 0U)
          : sm << 16 | 0x500U | sm | (spec.arch_specific ? 0x800U : 0U),
       4);
  bytes.resize(std::max(bytes.size(), spec.size), '\0');
  return bytes;
}

}  // namespace plumb::test
