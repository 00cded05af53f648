// SPDX-License-Identifier: Apache-2.0
#include "support/pe_builder.h"

#include <algorithm>

#include "support/zip_builder.h"

// The image has the headers (0x400 bytes), then `.rdata` with all tables, then the description's
// own sections. Sections are 0x1000-aligned in memory and 0x200-aligned in the file.

namespace plumb::test {
namespace {

constexpr std::uint32_t kHeaders = 0x400;
constexpr std::uint32_t kRva = 0x1000;  // of .rdata
constexpr std::size_t kDosHeader = 0x80;

std::size_t align(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

void append16(std::string& out, std::uint16_t value) {
  out.append(2, '\0');
  put16(out, out.size() - 2, value);
}

void append32(std::string& out, std::uint32_t value) {
  out.append(4, '\0');
  put32(out, out.size() - 4, value);
}

/// The growing `.rdata`.
class Tables {
 public:
  explicit Tables(const PeDescription& description) : description_(description) {}

  std::string bytes;
  std::map<std::string, std::size_t> at;                                   // offsets into `bytes`
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> directories;  // index -> offset, size

  /// Zeros to be filled in; returns their offset.
  std::size_t reserve(std::size_t size) {
    bytes.resize(align(bytes.size(), 8));
    bytes.append(size, '\0');
    return bytes.size() - size;
  }

  static std::uint32_t rva(std::size_t offset) { return static_cast<std::uint32_t>(kRva + offset); }

  std::uint32_t add_text(const std::string& text) {
    bytes += text;
    bytes.push_back('\0');
    return rva(bytes.size() - text.size() - 1);
  }

  void put_pointer(std::size_t offset, std::uint64_t value) {
    if (description_.plus) {
      put64(bytes, offset, value);
    } else {
      put32(bytes, offset, static_cast<std::uint32_t>(value));
    }
  }

  /// A table of thunks for `functions`; returns its offset.
  std::size_t add_thunks(const std::vector<PeFunction>& functions, std::uint32_t base) {
    const std::size_t step = description_.plus ? 8 : 4;
    const std::size_t table = reserve(step * (functions.size() + 1));
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const PeFunction& function = functions[i];
      std::uint64_t thunk = 0;
      if (function.ordinal) {
        thunk = (description_.plus ? 1ULL << 63 : 1ULL << 31) | *function.ordinal;
      } else {
        const std::size_t hint = reserve(2);
        put16(bytes, hint, function.hint);
        add_text(function.name);
        thunk = base + rva(hint);
      }
      put_pointer(table + i * step, thunk);
    }
    return table;
  }

  void add_imports() {
    const auto& imports = description_.imports;
    if (imports.empty()) {
      return;
    }
    const std::size_t table = reserve(20 * (imports.size() + 1));
    at["imports"] = table;
    directories[1] = {table, 20 * (imports.size() + 1)};
    for (std::size_t i = 0; i < imports.size(); ++i) {
      const std::size_t descriptor = table + 20 * i;
      const std::size_t names = add_thunks(imports[i].functions, 0);
      const std::size_t addresses = add_thunks(imports[i].functions, 0);
      at.emplace("import_names", names);
      put32(bytes, descriptor, rva(names));
      put32(bytes, descriptor + 16, rva(addresses));
      const std::uint32_t name = add_text(imports[i].name);
      put32(bytes, descriptor + 12, name);
    }
  }

  void add_delay_imports() {
    const auto& imports = description_.delay_imports;
    if (imports.empty()) {
      return;
    }
    const bool by_address = description_.delay_by_address;
    const auto base =
        by_address ? static_cast<std::uint32_t>(description_.image_base) : std::uint32_t{0};
    const std::size_t table = reserve(32 * (imports.size() + 1));
    at["delay_imports"] = table;
    directories[13] = {table, 32 * (imports.size() + 1)};
    for (std::size_t i = 0; i < imports.size(); ++i) {
      const std::size_t descriptor = table + 32 * i;
      const std::size_t names = add_thunks(imports[i].functions, base);
      put32(bytes, descriptor, by_address ? 0 : 1);
      put32(bytes, descriptor + 16, base + rva(names));
      const std::uint32_t name = add_text(imports[i].name);
      put32(bytes, descriptor + 4, base + name);
    }
  }

  void add_exports() {
    const auto& exports = description_.exports;
    if (exports.empty() && description_.dll_name.empty()) {
      return;
    }
    std::vector<std::pair<std::string, std::size_t>> names;  // sorted, as the loader wants them
    std::vector<std::uint32_t> code;
    for (std::size_t i = 0; i < exports.size(); ++i) {
      code.push_back(exports[i].bytes.empty() ? 0 : rva(bytes.size()));
      bytes += exports[i].bytes;
      if (!exports[i].name.empty()) {
        names.emplace_back(exports[i].name, i);
      }
    }
    std::ranges::sort(names);
    const std::size_t table = reserve(40);
    const std::size_t addresses = reserve(4 * exports.size());
    const std::size_t name_table = reserve(4 * names.size());
    const std::size_t ordinals = reserve(2 * names.size());
    at["exports"] = table;
    at["export_addresses"] = addresses;
    at["export_names"] = name_table;
    at["export_ordinals"] = ordinals;
    put32(bytes, table + 12, add_text(description_.dll_name));
    put32(bytes, table + 16, description_.export_base);
    put32(bytes, table + 20, static_cast<std::uint32_t>(exports.size()));
    put32(bytes, table + 24, static_cast<std::uint32_t>(names.size()));
    put32(bytes, table + 28, rva(addresses));
    put32(bytes, table + 32, rva(name_table));
    put32(bytes, table + 36, rva(ordinals));
    for (std::size_t i = 0; i < exports.size(); ++i) {
      const bool forwarded = !exports[i].forwarder.empty();
      put32(bytes, addresses + 4 * i, forwarded ? add_text(exports[i].forwarder) : code[i]);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      put32(bytes, name_table + 4 * i, add_text(names[i].first));
      put16(bytes, ordinals + 2 * i, static_cast<std::uint16_t>(names[i].second));
    }
    directories[0] = {table, bytes.size() - table};
  }

  /// One directory table with `entries` of (id, offset from the root); returns its offset from the
  /// root.
  void put_level(std::size_t offset,
                 const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries) {
    put16(bytes, offset + 14, static_cast<std::uint16_t>(entries.size()));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      put32(bytes, offset + 16 + 8 * i, entries[i].first);
      put32(bytes, offset + 20 + 8 * i, entries[i].second);
    }
  }

  void add_resources() {
    using Leaves = std::map<std::uint32_t, const PeResource*>;
    std::map<std::uint32_t, std::map<std::uint32_t, Leaves>> tree;  // type -> name -> language
    for (const PeResource& resource : description_.resources) {
      tree[resource.type][resource.name][resource.language] = &resource;
    }
    if (tree.empty()) {
      return;
    }
    constexpr std::uint32_t kTable = 0x80000000U;
    const std::size_t root = reserve(16 + 8 * tree.size());
    at["resources"] = root;
    const auto from_root = [root](std::size_t offset) {
      return static_cast<std::uint32_t>(offset - root);
    };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> types;
    for (const auto& [type, by_name] : tree) {
      const std::size_t names_at = reserve(16 + 8 * by_name.size());
      types.emplace_back(type, kTable | from_root(names_at));
      std::vector<std::pair<std::uint32_t, std::uint32_t>> names;
      for (const auto& [name, leaves] : by_name) {
        const std::size_t languages_at = reserve(16 + 8 * leaves.size());
        names.emplace_back(name, kTable | from_root(languages_at));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> languages;
        for (const auto& [language, resource] : leaves) {
          const std::size_t leaf = reserve(16);
          const std::size_t data = reserve(resource->data.size());
          bytes.replace(data, resource->data.size(), resource->data);
          put32(bytes, leaf, rva(data));
          put32(bytes, leaf + 4, static_cast<std::uint32_t>(resource->data.size()));
          languages.emplace_back(language, from_root(leaf));
          at.emplace("resource_leaf", leaf);
          at.emplace("resource_data", data);
        }
        put_level(languages_at, languages);
      }
      put_level(names_at, names);
    }
    put_level(root, types);
    directories[2] = {root, bytes.size() - root};
  }

  void add_load_configuration() {
    if (description_.chpe_metadata == 0) {
      return;
    }
    constexpr std::size_t kSize = 0xd0;
    const std::size_t table = reserve(kSize);
    put32(bytes, table, kSize);
    put64(bytes, table + 0xc8, description_.chpe_metadata);
    directories[10] = {table, kSize};
  }

 private:
  const PeDescription& description_;
};

void put_section(std::string& out, std::size_t header, const std::string& name, std::uint32_t rva,
                 const std::string& bytes, std::uint32_t virtual_size) {
  out.replace(header, std::min<std::size_t>(name.size(), 8), name.substr(0, 8));
  put32(out, header + 8,
        virtual_size != 0 ? virtual_size : static_cast<std::uint32_t>(bytes.size()));
  put32(out, header + 12, rva);
  out.resize(align(out.size(), 0x200));
  put32(out, header + 16, static_cast<std::uint32_t>(align(bytes.size(), 0x200)));
  put32(out, header + 20, bytes.empty() ? 0 : static_cast<std::uint32_t>(out.size()));
  put32(out, header + 36, 0x40000040);  // initialised data, readable
  out += bytes;
  out.resize(align(out.size(), 0x200));
}

/// A node of VS_VERSIONINFO; see src/binary/pe_version_info.cc.
std::string version_node(const std::u16string& key, const std::string& value,
                         std::uint16_t value_length, const std::vector<std::string>& children) {
  std::string node(4, '\0');
  append16(node, 1);
  for (const char16_t unit : key + u'\0') {
    append16(node, unit);
  }
  node.resize(align(node.size(), 4));
  node += value;
  for (const std::string& child : children) {
    node.resize(align(node.size(), 4));
    node += child;
  }
  put16(node, 0, static_cast<std::uint16_t>(node.size()));
  put16(node, 2, value_length);
  return node;
}

}  // namespace

std::string build_version_info(const PeVersion& version) {
  std::string fixed;
  append32(fixed, 0xfeef04bd);
  append32(fixed, 0x10000);
  for (const auto& numbers : {version.file, version.product}) {
    append32(fixed, (std::uint32_t{numbers[0]} << 16) | numbers[1]);
    append32(fixed, (std::uint32_t{numbers[2]} << 16) | numbers[3]);
  }
  fixed.resize(52);
  std::vector<std::string> tables;
  for (const PeStrings& table : version.tables) {
    std::vector<std::string> strings;
    for (const auto& [key, value] : table.strings) {
      std::string text;
      for (const char16_t unit : value + u'\0') {
        append16(text, unit);
      }
      strings.push_back(version_node(key, text, static_cast<std::uint16_t>(value.size() + 1), {}));
    }
    tables.push_back(
        version_node(std::u16string(table.table.begin(), table.table.end()), "", 0, strings));
  }
  return version_node(u"VS_VERSION_INFO", fixed, 52,
                      {version_node(u"StringFileInfo", "", 0, tables)});
}

PeBytes build_pe(const PeDescription& description) {
  Tables tables(description);
  tables.bytes.assign(16, '\0');  // so that no table is at the section's start
  tables.add_imports();
  tables.add_delay_imports();
  tables.add_exports();
  tables.add_resources();
  tables.add_load_configuration();

  PeBytes out;
  std::string& bytes = out.bytes;
  bytes.resize(kHeaders);
  bytes.replace(0, 2, "MZ");
  put32(bytes, 0x3c, kDosHeader);
  bytes.replace(kDosHeader, 2, "PE");
  const std::size_t coff = kDosHeader + 4;
  const std::size_t optional = coff + 20;
  const std::size_t fixed = description.plus ? 112 : 96;
  const std::size_t directories = optional + fixed;
  const std::size_t sections = directories + 128;
  out.at = {
      {"coff", coff}, {"optional", optional}, {"directories", directories}, {"sections", sections}};
  put16(bytes, coff, description.machine);
  put16(bytes, coff + 2, static_cast<std::uint16_t>(description.sections.size() + 1));
  put32(bytes, coff + 4, 0x65000000);
  put16(bytes, coff + 16, static_cast<std::uint16_t>(fixed + 128));
  put16(bytes, coff + 18, description.dll ? 0x2022 : 0x22);
  put16(bytes, optional, description.plus ? 0x20b : 0x10b);
  if (description.plus) {
    put64(bytes, optional + 24, description.image_base);
  } else {
    put32(bytes, optional + 28, static_cast<std::uint32_t>(description.image_base));
  }
  put32(bytes, optional + 32, 0x1000);
  put32(bytes, optional + 36, 0x200);
  put32(bytes, optional + 60, kHeaders);
  put16(bytes, optional + 68, 3);
  put32(bytes, directories - 4, 16);
  for (const auto& [index, place] : tables.directories) {
    put32(bytes, directories + 8 * index, Tables::rva(place.first));
    put32(bytes, directories + 8 * index + 4, static_cast<std::uint32_t>(place.second));
  }
  for (const auto& [name, offset] : tables.at) {
    out.at[name] = kHeaders + offset;
  }
  std::size_t rva = kRva;
  std::size_t header = sections;
  const auto add = [&](const std::string& name, const std::string& data,
                       std::uint32_t virtual_size) {
    put_section(bytes, header, name, static_cast<std::uint32_t>(rva), data, virtual_size);
    rva += align(std::max<std::size_t>({data.size(), virtual_size, 1}), 0x1000);
    header += 40;
  };
  add(".rdata", tables.bytes, 0);
  for (const PeExtraSection& section : description.sections) {
    add(section.name, section.bytes, section.virtual_size);
  }
  return out;
}

}  // namespace plumb::test
