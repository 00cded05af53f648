// SPDX-License-Identifier: Apache-2.0
#include "support/zip_builder.h"

#include <zlib.h>

namespace plumb::test {
namespace {

void append(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

void overwrite(std::string& bytes, std::size_t offset, std::uint64_t value, int width) {
  std::string field;
  append(field, value, width);
  bytes.replace(offset, field.size(), field);
}

struct Packed {
  std::uint32_t crc;
  std::string bytes;
};

/// The part that local and central headers share: version, flags, method, time, date, CRC-32 and
/// sizes.
void append_common(std::string& bytes, const ZipMember& member, const Packed& packed,
                   bool with_sizes) {
  append(bytes, member.zip64 ? 45 : 20, 2);
  append(bytes, member.descriptor ? 8 : 0, 2);
  append(bytes, member.deflated ? 8 : 0, 2);
  append(bytes, 0x5a21'0000, 4);
  append(bytes, with_sizes ? packed.crc : 0, 4);
  for (const std::size_t size : {packed.bytes.size(), member.data.size()}) {
    append(bytes, !with_sizes ? 0 : member.zip64 ? 0xffffffff : size, 4);
  }
  append(bytes, member.name.size(), 2);
}

}  // namespace

std::string deflate_raw(std::string_view data, int level) {
  z_stream zlib{};
  deflateInit2(&zlib, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, static_cast<uLong>(data.size())), '\0');
  zlib.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data.data()));
  zlib.avail_in = static_cast<uInt>(data.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(out.size() - zlib.avail_out);
  deflateEnd(&zlib);
  return out;
}

std::string sample_text(std::size_t size, std::uint32_t seed) {
  std::string text;
  text.reserve(size + 16);
  std::uint64_t state = seed;
  while (text.size() < size) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::string word = std::to_string(state >> 44);
    text += word;
    text += ' ';
    if ((state >> 40) % 3 == 0) {
      text += word;
    }
  }
  text.resize(size);
  return text;
}

void put16(std::string& bytes, std::size_t offset, std::uint16_t value) {
  overwrite(bytes, offset, value, 2);
}
void put32(std::string& bytes, std::size_t offset, std::uint32_t value) {
  overwrite(bytes, offset, value, 4);
}
void put64(std::string& bytes, std::size_t offset, std::uint64_t value) {
  overwrite(bytes, offset, value, 8);
}

ZipFile build_zip(const std::vector<ZipMember>& members, const ZipOptions& options) {
  ZipFile zip;
  std::string& bytes = zip.bytes;
  bytes = options.prefix;
  const std::size_t base = bytes.size();
  std::vector<Packed> all;
  for (const ZipMember& member : members) {
    Packed packed;
    packed.crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(member.data.data()), member.data.size()));
    packed.bytes = member.deflated ? deflate_raw(member.data) : member.data;
    zip.local.push_back(bytes.size());
    append(bytes, 0x04034b50, 4);
    append_common(bytes, member, packed, !member.descriptor);
    append(bytes, member.zip64 ? 20 : 0, 2);
    bytes += member.name;
    if (member.zip64) {
      append(bytes, 1, 2);
      append(bytes, 16, 2);
      append(bytes, member.data.size(), 8);
      append(bytes, packed.bytes.size(), 8);
    }
    zip.data.push_back(bytes.size());
    bytes += packed.bytes;
    if (member.descriptor) {
      append(bytes, 0x08074b50, 4);
      append(bytes, packed.crc, 4);
      append(bytes, packed.bytes.size(), 4);
      append(bytes, member.data.size(), 4);
    }
    all.push_back(std::move(packed));
  }
  const std::size_t directory = bytes.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    zip.central.push_back(bytes.size());
    append(bytes, 0x02014b50, 4);
    append(bytes, 0x031e, 2);
    append_common(bytes, members[i], all[i], true);
    append(bytes, members[i].zip64 ? 28 : 0, 2);
    append(bytes, 0, 6);           // comment, disk, internal attributes
    append(bytes, 0x81a40000, 4);  // a regular file
    append(bytes, members[i].zip64 ? 0xffffffff : zip.local[i] - base, 4);
    bytes += members[i].name;
    if (members[i].zip64) {
      append(bytes, 1, 2);
      append(bytes, 24, 2);
      append(bytes, members[i].data.size(), 8);
      append(bytes, all[i].bytes.size(), 8);
      append(bytes, zip.local[i] - base, 8);
    }
  }
  const std::size_t directory_size = bytes.size() - directory;
  if (options.zip64_end) {
    zip.end64 = bytes.size();
    append(bytes, 0x06064b50, 4);
    append(bytes, 44, 8);
    append(bytes, 45, 2);
    append(bytes, 45, 2);
    append(bytes, 0, 8);  // disks
    append(bytes, members.size(), 8);
    append(bytes, members.size(), 8);
    append(bytes, directory_size, 8);
    append(bytes, directory - base, 8);
    append(bytes, 0x07064b50, 4);
    append(bytes, 0, 4);
    append(bytes, zip.end64 - base, 8);
    append(bytes, 1, 4);
  }
  zip.end = bytes.size();
  append(bytes, 0x06054b50, 4);
  append(bytes, 0, 4);  // disks
  append(bytes, options.zip64_end ? 0xffff : members.size(), 2);
  append(bytes, options.zip64_end ? 0xffff : members.size(), 2);
  append(bytes, options.zip64_end ? 0xffffffff : directory_size, 4);
  append(bytes, options.zip64_end ? 0xffffffff : directory - base, 4);
  append(bytes, options.comment.size(), 2);
  bytes += options.comment;
  return zip;
}

}  // namespace plumb::test
