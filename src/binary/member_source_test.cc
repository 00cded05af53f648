// SPDX-License-Identifier: Apache-2.0
#include "binary/member_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "binary/inflate.h"
#include "support/zip_builder.h"

namespace plumb {
namespace {

using test::build_zip;
using test::put16;
using test::put32;
using test::sample_text;

/// An archive in memory with one member opened.
struct Opened {
  explicit Opened(std::string archive_bytes, std::size_t index = 0)
      : bytes(std::move(archive_bytes)), source(std::string_view(bytes)) {
    const auto directory = read_zip_directory(source);
    EXPECT_TRUE(directory);
    auto opened = MemberSource::open(source, directory->entries.at(index));
    if (opened) {
      member = std::move(*opened);
    } else {
      error = opened.error();
    }
  }

  Result<std::string> drain() {
    std::string all;
    auto done = member->drain([&](Bytes piece) -> Result<void> {
      all += as_text(piece);
      return {};
    });
    if (!done) {
      return std::unexpected(done.error());
    }
    return all;
  }
  /// The error's name from opening or draining; "" if all is well.
  std::string code() {
    if (!member) {
      return std::string(error_code_name(error.code));
    }
    const auto all = drain();
    EXPECT_TRUE(all || all.error().where == "m") << all.error().where;
    return all ? "" : std::string(error_code_name(all.error().code));
  }
  std::string read(std::uint64_t offset, std::size_t length) {
    std::string text(length, '\0');
    const auto done = member->read(offset, std::as_writable_bytes(std::span(text)));
    return done ? text : std::string(error_code_name(done.error().code));
  }

  std::string bytes;
  MemorySource source;
  std::unique_ptr<MemberSource> member;
  Error error;
};

TEST(MemberSource, GivesBackWhatWasPacked) {
  for (const std::size_t size : {0, 1, 255, 65536, 262144, 262145, 1000000}) {
    for (const bool deflated : {true, false}) {
      for (const bool zip64 : {true, false}) {
        const std::string text = sample_text(size);
        Opened opened(build_zip({{"m", text, deflated, zip64, !zip64}}).bytes);
        ASSERT_TRUE(opened.member) << opened.error.what;
        EXPECT_EQ(opened.member->size(), size);
        const auto all = opened.drain();
        ASSERT_TRUE(all) << all.error().what;
        EXPECT_TRUE(*all == text) << size;
        EXPECT_TRUE(*opened.drain() == text) << "a second time";
      }
    }
  }
}

TEST(MemberSource, ReadsAnywhereBeforeAndAfterDraining) {
  const std::string text = sample_text(9'000'000);
  const auto zip = build_zip({{"m", text}});
  std::mt19937 random(7);
  for (const bool drained : {false, true}) {
    Opened opened(zip.bytes);
    if (drained) {
      ASSERT_TRUE(opened.drain());
    }
    for (int i = 0; i < 200; ++i) {
      const std::size_t offset = random() % text.size();
      const std::size_t most = i % 10 == 0 ? 3'000'000 : i % 3 == 0 ? 200'000 : 64;
      const std::size_t length = std::min(text.size() - offset, random() % most);
      ASSERT_TRUE(opened.read(offset, length) == text.substr(offset, length))
          << offset << " " << length;
    }
    EXPECT_EQ(opened.read(text.size(), 0), "");
    EXPECT_EQ(opened.read(text.size() - 1, 2), "truncated");
    EXPECT_EQ(opened.read(~std::uint64_t{0}, 2), "truncated");
    EXPECT_TRUE(*opened.drain() == text) << "after random reads";
  }
}

TEST(MemberSource, RefusesALocalHeaderThatDisagrees) {
  const auto honest = build_zip({{"m", sample_text(1000)}, {"n", "x"}});
  const auto code = [&](auto patch) {
    auto zip = honest;
    patch(zip.bytes, zip.local[0]);
    return Opened(zip.bytes).code();
  };
  EXPECT_EQ(code([](auto& bytes, auto at) { put32(bytes, at, 0); }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { bytes[at + 30] = 'x'; }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { put16(bytes, at + 26, 0); }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { put16(bytes, at + 8, 0); }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { put16(bytes, at + 6, 1); }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { put32(bytes, at + 14, 5); }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { put32(bytes, at + 18, 5); }), "malformed");
  EXPECT_EQ(code([](auto& bytes, auto at) { put32(bytes, at + 22, 5); }), "malformed");
  // An extra field that pushes the member's bytes into the next member.
  EXPECT_EQ(code([](auto& bytes, auto at) { put16(bytes, at + 28, 40); }), "malformed");
  EXPECT_EQ(code([](auto&, auto) {}), "");
}

TEST(MemberSource, NoticesBytesThatAreNotWhatTheDirectoryPromises) {
  const auto code = [](bool deflated, auto patch) {
    auto zip = build_zip({{"m", sample_text(100'000), deflated}});
    patch(zip);
    return Opened(zip.bytes).code();
  };
  const auto both = [](std::size_t local, std::size_t central, std::uint32_t value) {
    return [=](test::ZipFile& zip) {
      put32(zip.bytes, zip.local[0] + local, value);
      put32(zip.bytes, zip.central[0] + central, value);
    };
  };
  EXPECT_EQ(code(true, both(14, 16, 1)), "mismatch");        // CRC-32
  EXPECT_EQ(code(false, both(14, 16, 1)), "mismatch");       // CRC-32
  EXPECT_EQ(code(true, both(22, 24, 99'999)), "mismatch");   // too small a size
  EXPECT_EQ(code(true, both(22, 24, 100'001)), "mismatch");  // too large a size
  EXPECT_EQ(code(true, both(18, 20, 1000)), "truncated");    // compressed size
  EXPECT_EQ(code(true, [](auto& zip) { zip.bytes[zip.data[0]] |= 6; }), "malformed");
  EXPECT_EQ(code(false, [](auto& zip) { zip.bytes[zip.data[0] + 500] ^= 1; }), "mismatch");
}

TEST(MemberSource, NoticesBytesAfterTheCompressedData) {
  auto zip = build_zip({{"m", test::deflate_raw("text") + "more", false}});
  for (const std::size_t at : {zip.local[0] - 2, zip.central[0]}) {
    put16(zip.bytes, at + 10, kZipDeflated);
    put32(zip.bytes, at + 24, 4);
  }
  const std::uint32_t crc = crc32(0, std::as_bytes(std::span("text", 4)));
  put32(zip.bytes, zip.local[0] + 14, crc);
  put32(zip.bytes, zip.central[0] + 16, crc);
  EXPECT_EQ(Opened(zip.bytes).code(), "malformed");
}

TEST(MemberSource, AnErrorOfTheConsumerEndsTheDrain) {
  Opened opened(build_zip({{"m", sample_text(1'000'000)}}).bytes);
  int calls = 0;
  const auto done = opened.member->drain([&](Bytes) -> Result<void> {
    ++calls;
    return fail(ErrorCode::limit, "enough");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "enough");
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(*opened.drain() == sample_text(1'000'000));
}

TEST(MemberSource, JumpingAboutForeverIsRefused) {
  const std::string text = sample_text(6'000'000);
  Opened opened(build_zip({{"m", text}}).bytes);
  ASSERT_TRUE(opened.drain());
  std::mt19937 random(3);
  std::string last;
  for (int i = 0; i < 3000 && last != "limit"; ++i) {
    last = opened.read(random() % (text.size() - 8), 8);
  }
  EXPECT_EQ(last, "limit");
}

TEST(MemberSource, MembersOfOneArchiveUnpackInParallel) {
  std::vector<test::ZipMember> members;
  for (std::uint32_t i = 0; i < 8; ++i) {
    members.push_back({"m" + std::to_string(i), sample_text(500'000, i + 1)});
  }
  const auto zip = build_zip(members);
  const MemorySource source{std::string_view(zip.bytes)};
  const auto directory = read_zip_directory(source);
  ASSERT_TRUE(directory);
  std::atomic<int> good = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < members.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto member = MemberSource::open(source, directory->entries[i]);
      good += (*member)->drain([](Bytes) -> Result<void> { return {}; }) ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(good, 8);
}

TEST(Inflater, TakesAnyPiecesAndGoesBackToAnySavedState) {
  const std::string text = sample_text(300'000) + std::string(200'000, 'a') + sample_text(50'000);
  std::mt19937 random(11);
  for (const int level : {0, 1, 9}) {
    const std::string packed = test::deflate_raw(text, level);
    Inflater inflater;
    struct Saved {
      std::size_t in, out;
      Inflater::Checkpoint state;
    };
    std::vector<Saved> saved;
    std::string out;
    std::size_t in = 0;
    const auto run = [&](std::size_t piece) {
      for (int idle = 0; !inflater.finished() && idle < 4;) {
        std::string buffer(1 + random() % piece, '\0');
        const std::size_t length = std::min(packed.size() - in, random() % piece);
        const auto step = inflater.step(std::as_bytes(std::span(packed).subspan(in, length)),
                                        std::as_writable_bytes(std::span(buffer)));
        ASSERT_TRUE(step) << step.error().what;
        in += step->consumed;
        out.append(buffer, 0, step->produced);
        idle = step->produced == 0 && in == packed.size() ? idle + 1 : 0;
        if (random() % 8 == 0 && saved.size() < 200) {
          saved.push_back({in, out.size(), inflater.save()});
          EXPECT_LE(saved.back().state.memory(), Inflater::kCheckpointSize + (34 << 10));
        }
      }
      EXPECT_TRUE(inflater.finished());
      EXPECT_TRUE(out == text);
      EXPECT_EQ(in - inflater.overread(), packed.size());
    };
    for (const std::size_t piece : {20u, 500u, 70'000u}) {
      saved.clear();
      Inflater fresh;
      inflater.restore(fresh.save());
      out.clear();
      in = 0;
      run(piece);
      const std::vector<Saved> states = std::move(saved);
      for (std::size_t i = 0; i < states.size(); i += 1 + states.size() / 5) {
        inflater.restore(states[i].state);
        in = states[i].in;
        out = text.substr(0, states[i].out);
        run(piece);
      }
    }
  }
}

TEST(Crc32, GoesOnFromTheLastResult) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(0, bytes), 0xcbf43926u);
  EXPECT_EQ(crc32(crc32(0, bytes.first(4)), bytes.subspan(4)), 0xcbf43926u);
  EXPECT_EQ(crc32(0, {}), 0u);
}

}  // namespace
}  // namespace plumb
