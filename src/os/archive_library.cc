// SPDX-License-Identifier: Apache-2.0
// libarchive by name: libarchive.so.13 on Linux; Windows 10 and later bring it as archiveint.dll
// for their `tar`. Only the tar format and the bzip2 and zstd filters are switched on. Where a
// filter is not built in (Windows 10's has neither), libarchive would run an external program: it
// says so with ARCHIVE_WARN, and plumb does without.
#include "os/archive_library.h"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "os/environment.h"
#include "os/shared_library.h"

struct archive;
struct archive_entry;

namespace plumb {
namespace {

constexpr int kOk = 0;
constexpr int kEnd = 1;
constexpr int kWarn = -20;
constexpr unsigned kRegular = 0100000;  // AE_IFREG

constexpr std::size_t kInput = 256 << 10;
constexpr std::uint64_t kBlock = 256 << 10;
constexpr std::uint64_t kPinnedBlocks = 16;  // headers, dynamic symbols: asked for again and again
constexpr std::size_t kCachedBlocks = 96;
constexpr std::uint64_t kAgainFactor = 8;  // what going back may unpack again, in archives
constexpr std::uint64_t kAgainSlack = 1u << 30;
constexpr std::uint64_t kMaxMembers = 250'000;
constexpr std::size_t kMaxName = 4096;
constexpr std::uint64_t kBombSize = 1u << 30;
constexpr std::uint64_t kBombRatio = 200;

using ReadCallback = std::int64_t(archive*, void* client, const void** buffer);
using PlainCallback = int(archive*, void* client);

struct Library {
  archive* (*read_new)() = nullptr;
  int (*read_free)(archive*) = nullptr;
  int (*support_tar)(archive*) = nullptr;
  int (*support_bzip2)(archive*) = nullptr;
  int (*support_zstd)(archive*) = nullptr;
  int (*open)(archive*, void* client, PlainCallback*, ReadCallback*, PlainCallback*) = nullptr;
  int (*next_header)(archive*, archive_entry**) = nullptr;
  std::int64_t (*read_data)(archive*, void*, std::size_t) = nullptr;
  const char* (*error_string)(archive*) = nullptr;
  const char* (*pathname_utf8)(archive_entry*) = nullptr;
  const char* (*pathname)(archive_entry*) = nullptr;
  const char* (*hardlink)(archive_entry*) = nullptr;
  std::int64_t (*size)(archive_entry*) = nullptr;
  unsigned (*filetype)(archive_entry*) = nullptr;
};

std::optional<Library> load_library() {
  for (const char* name : {"libarchive.so.13", "archiveint.dll"}) {
    const auto file = SharedLibrary::load(name);
    Library it;
    if (file && file->find("archive_read_new", it.read_new) &&
        file->find("archive_read_free", it.read_free) &&
        file->find("archive_read_support_format_tar", it.support_tar) &&
        file->find("archive_read_support_filter_bzip2", it.support_bzip2) &&
        file->find("archive_read_support_filter_zstd", it.support_zstd) &&
        file->find("archive_read_open", it.open) &&
        file->find("archive_read_next_header", it.next_header) &&
        file->find("archive_read_data", it.read_data) &&
        file->find("archive_error_string", it.error_string) &&
        file->find("archive_entry_pathname_utf8", it.pathname_utf8) &&
        file->find("archive_entry_pathname", it.pathname) &&
        file->find("archive_entry_hardlink", it.hardlink) &&
        file->find("archive_entry_size", it.size) &&
        file->find("archive_entry_filetype", it.filetype)) {
      return it;
    }
  }
  return std::nullopt;
}

std::unexpected<Error> unsupported() {
  Error error{ErrorCode::unsupported,
              "compressed tar archives need the system's libarchive, with bzip2 and zstd",
              {},
              {}};
  if (system_name() == "linux") {
    error.hints.emplace_back("sudo apt install libarchive13");
  }
  error.hints.emplace_back("cph extract PACKAGE.conda");
  return std::unexpected(std::move(error));
}

/// One pass over the archive.
class Stream {
 public:
  Stream(const Library& library, const Source& source) : library_(library), source_(source) {}

  [[nodiscard]] Result<void> start() {
    handle_ = {library_.read_new(), library_.read_free};
    offset_ = 0;
    members_ = 0;
    passed_ = 0;
    if (handle_ == nullptr) {
      return fail(ErrorCode::internal, "libarchive could not start");
    }
    const bool bzip2 = library_.support_bzip2(handle_.get()) == kOk;
    const bool zstd = library_.support_zstd(handle_.get()) == kOk;
    const auto head = read_range(source_, 0, std::min<std::uint64_t>(4, source_.size()), 4);
    const bool is_bzip2 = head && as_text(*head).starts_with("BZh");
    if (is_bzip2 ? !bzip2 : !zstd) {
      return unsupported();
    }
    if (!is_bzip2 && !(head && as_text(*head).starts_with("\x28\xb5\x2f\xfd"))) {
      return fail(ErrorCode::malformed, "neither a bzip2 nor a zstd archive");
    }
    library_.support_tar(handle_.get());
    return check(library_.open(handle_.get(), this, nullptr, &Stream::fill, nullptr));
  }

  /// The next entry of any kind; null at the end.
  [[nodiscard]] Result<archive_entry*> next() {
    if (lost_) {
      return std::unexpected(*lost_);
    }
    archive_entry* entry = nullptr;
    const int code = library_.next_header(handle_.get(), &entry);
    if (code == kEnd) {
      return nullptr;
    }
    PLUMB_TRY(check(code));
    ++members_;
    passed_ += static_cast<std::uint64_t>(std::max<std::int64_t>(library_.size(entry), 0));
    return entry;
  }

  /// Data of the entry that next() gave last; whole, or an error.
  [[nodiscard]] Result<void> read(std::span<std::byte> out) {
    while (!out.empty()) {
      const std::int64_t length = library_.read_data(handle_.get(), out.data(), out.size());
      if (length <= 0) {
        PLUMB_TRY(check(length < 0 ? static_cast<int>(length) : kOk));
        return fail(ErrorCode::truncated, "the member ends too soon");
      }
      out = out.subspan(std::min(out.size(), static_cast<std::size_t>(length)));
    }
    return {};
  }

  /// To the beginning of the data of the `number`th entry (counted by next()), again. If that
  /// fails, next() fails, too.
  [[nodiscard]] Result<void> restart(std::uint64_t number) {
    again_ += passed_;
    if (again_ > kAgainSlack + kAgainFactor * passed_) {
      return fail(ErrorCode::limit, "reading this archive means going back in it too often");
    }
    auto done = start();
    while (done && members_ < number) {
      const auto entry = next();
      if (!entry) {
        done = std::unexpected(entry.error());
      } else if (*entry == nullptr) {
        done = fail(ErrorCode::changed, "the archive changed while it was read");
      }
    }
    if (!done) {
      lost_ = done.error();
    }
    return done;
  }

  [[nodiscard]] std::uint64_t members() const { return members_; }
  [[nodiscard]] std::uint64_t passed() const { return passed_; }

 private:
  [[nodiscard]] Result<void> check(int code) {
    if (code >= kWarn) {
      return {};
    }
    if (source_error_) {
      return std::unexpected(*std::exchange(source_error_, std::nullopt));
    }
    const char* text = library_.error_string(handle_.get());
    return fail(ErrorCode::malformed,
                "the archive is broken: " + printable(text == nullptr ? "no details" : text));
  }

  static std::int64_t fill(archive*, void* client, const void** buffer) {
    auto& self = *static_cast<Stream*>(client);
    const std::uint64_t length =
        std::min<std::uint64_t>(kInput, self.source_.size() - self.offset_);
    self.input_.resize(static_cast<std::size_t>(length));
    if (auto done = self.source_.read(self.offset_, self.input_); !done) {
      self.source_error_ = std::move(done).error();
      return -1;
    }
    self.offset_ += length;
    *buffer = self.input_.data();
    return static_cast<std::int64_t>(length);
  }

  const Library& library_;
  const Source& source_;
  std::unique_ptr<archive, int (*)(archive*)> handle_{nullptr, nullptr};
  std::vector<std::byte> input_;
  std::uint64_t offset_ = 0;
  std::uint64_t members_ = 0;
  std::uint64_t passed_ = 0;  // bytes of the members up to this one, it included
  std::uint64_t again_ = 0;   // the same, of all times of going back
  std::optional<Error> source_error_;
  std::optional<Error> lost_;  // the place in the archive, and why
};

/// The data of the entry at which the stream stands, in blocks: the first ones and the last used
/// ones are kept.
class TarMember final : public Source {
 public:
  TarMember(Stream& stream, std::uint64_t size)
      : stream_(stream), number_(stream.members()), size_(size) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }

  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (!fits(offset, out.size(), size_)) {
      return fail(ErrorCode::truncated, "needs " + std::to_string(out.size()) +
                                            " bytes at offset " + std::to_string(offset) +
                                            ", but the member has " + std::to_string(size_));
    }
    while (!out.empty()) {
      PLUMB_ASSIGN(const Bytes block, find_block(offset / kBlock));
      const Bytes rest = block.subspan(static_cast<std::size_t>(offset % kBlock));
      const std::size_t length = std::min(rest.size(), out.size());
      std::ranges::copy(rest.first(length), out.begin());
      out = out.subspan(length);
      offset += length;
    }
    return {};
  }

 private:
  struct Block {
    std::uint64_t index;
    std::vector<std::byte> bytes;
  };

  [[nodiscard]] Result<Bytes> find_block(std::uint64_t index) const {
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
      if (block->index == index) {
        blocks_.splice(blocks_.begin(), blocks_, block);
        return Bytes(blocks_.front().bytes);
      }
    }
    if (index < next_) {
      PLUMB_TRY(stream_.restart(number_));
      next_ = 0;
    }
    while (next_ <= index) {
      const std::uint64_t length = std::min(kBlock, size_ - next_ * kBlock);
      Block block{next_, std::vector<std::byte>(static_cast<std::size_t>(length))};
      PLUMB_TRY(stream_.read(block.bytes));
      ++next_;
      keep(std::move(block));
    }
    return Bytes(blocks_.front().bytes);
  }

  void keep(Block block) const {
    std::erase_if(blocks_, [&](const Block& other) { return other.index == block.index; });
    if (blocks_.size() == kCachedBlocks) {
      const auto oldest = std::find_if(blocks_.rbegin(), blocks_.rend(), [](const Block& other) {
        return other.index >= kPinnedBlocks;
      });
      blocks_.erase(std::prev(oldest.base()));
    }
    blocks_.push_front(std::move(block));
  }

  Stream& stream_;
  std::uint64_t number_;
  std::uint64_t size_;
  mutable std::uint64_t next_ = 0;   // block in the stream
  mutable std::list<Block> blocks_;  // last used first
};

}  // namespace

Result<void> read_archive(
    const Source& archive,
    const std::function<Result<void>(const std::string& name, const Source& member)>& visit) {
  static const std::optional<Library> library = load_library();
  if (!library) {
    return unsupported();
  }
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  Stream stream(*library, archive);
  PLUMB_TRY(stream.start());
  while (true) {
    PLUMB_ASSIGN(archive_entry* const entry, stream.next());
    if (entry == nullptr) {
      return {};
    }
    if (stream.members() > kMaxMembers) {
      return fail(ErrorCode::limit, "the archive has more members than plumb reads");
    }
    // Each size is below 2^63 and the sum is checked each time, so it cannot wrap.
    const std::uint64_t total = stream.passed();
    if (total > kBombSize && total / kBombRatio > archive.size()) {
      return fail(ErrorCode::limit, "the archive of " + human_bytes(archive.size()) +
                                        " would unpack to " + human_bytes(total) + " or more");
    }
    const std::int64_t size = std::max<std::int64_t>(library->size(entry), 0);
    if (library->filetype(entry) != kRegular || library->hardlink(entry) != nullptr) {
      continue;
    }
    const char* text = library->pathname_utf8(entry);
    text = text == nullptr ? library->pathname(entry) : text;
    const std::string name = text == nullptr ? "" : text;
    if (name.empty() || name.size() > kMaxName) {
      return fail(ErrorCode::malformed, "a member of the archive has no usable name");
    }
    const TarMember member(stream, static_cast<std::uint64_t>(size));
    PLUMB_TRY(visit(name, member));
  }
}

}  // namespace plumb
