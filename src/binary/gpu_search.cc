// SPDX-License-Identifier: Apache-2.0
#include "binary/gpu_search.h"

#include <algorithm>
#include <array>

namespace plumb {
namespace {

constexpr std::size_t kMaxImages = std::size_t{1} << 21;
constexpr std::size_t kMaxOpen = 256;  // candidates at one time; real files have one, rarely two
constexpr std::uint64_t kFirstChunk = 4096;
constexpr std::uint64_t kChunk = 256 * 1024;  // stays in the second-level cache

std::uint64_t round_up(std::uint64_t offset) {
  return (offset + kFatbinAlignment - 1) / kFatbinAlignment * kFatbinAlignment;
}

// A file is mostly made by one toolkit: the first containers are asked, and then one in 64.
unsigned samples_for(std::size_t containers_before) {
  return containers_before < 4 || containers_before % 64 == 0 ? 1 : 0;
}

std::unexpected<Error> too_many_images() {
  return fail(ErrorCode::limit, "more GPU code images than plumb counts (2097152)");
}

Result<void> append(GpuCode& code, const GpuContainer& container,
                    const std::vector<GpuImage>& images, std::uint16_t place) {
  if (code.images.size() + images.size() > kMaxImages) {
    return too_many_images();
  }
  GpuContainer added = container;
  added.first_image = static_cast<std::uint32_t>(code.images.size());
  added.place = place;
  code.images.insert(code.images.end(), images.begin(), images.end());
  code.containers.push_back(added);
  return {};
}

}  // namespace

bool is_fatbin_section(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {".nv_fatbin", "__nv_relfatbin", ".nv_fatb",
                                                      "__nv_rel"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool is_resource_section(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {".cask_resource", ".cask_re", ".ldata",
                                                      ".lrodata"};
  return std::ranges::find(kNames, name) != kNames.end();
}

Result<void> search_region(const Source& source, const SearchRegion& region, GpuCode& code) {
  if (!fits(region.offset, region.size, source.size())) {
    return fail(ErrorCode::truncated, "section " + region.name + " ends past the end of the file");
  }
  const std::uint64_t end = region.offset + region.size;
  std::uint64_t at = round_up(region.offset);
  const auto place = static_cast<std::uint16_t>(code.places.size());
  code.places.push_back(region.name);
  PagedReader reader(source);
  std::vector<std::byte> chunk;
  std::uint64_t chunk_size = kFirstChunk;
  while (at < end && end - at >= kFatbinHeaderSize) {
    // Look for the next magic, in growing pieces: it usually follows at once.
    const std::uint64_t length = std::min(chunk_size, end - at);
    std::size_t found = 0;
    if (length <= kFirstChunk) {
      PLUMB_ASSIGN(const Bytes bytes, reader.read(at, std::min<std::uint64_t>(
                                                          length, kFirstChunk - at % kFirstChunk)));
      found = find_fatbin_magic(bytes, at);
      if (found == bytes.size()) {
        at = round_up(at + bytes.size());
        chunk_size = std::min(chunk_size * 4, kChunk);
        continue;
      }
    } else {
      chunk.resize(static_cast<std::size_t>(length));
      PLUMB_TRY(source.read(at, chunk));
      found = find_fatbin_magic(chunk, at);
      if (found == chunk.size()) {
        at = round_up(at + length);
        chunk_size = std::min(chunk_size * 4, kChunk);
        continue;
      }
    }
    at += found;
    ContainerParser parser(at, end, samples_for(code.containers.size()));
    while (parser.state() == ContainerParser::State::wanting) {
      if (!fits(parser.want_offset(), parser.want_length(), end)) {
        break;
      }
      PLUMB_ASSIGN(const Bytes wanted, reader.read(parser.want_offset(), parser.want_length()));
      parser.take(wanted);
    }
    if (parser.state() == ContainerParser::State::done) {
      PLUMB_TRY(append(code, parser.container(), parser.images(), place));
      at = round_up(at + parser.container().size);
      chunk_size = kFirstChunk;
    } else {
      at += kFatbinAlignment;
    }
  }
  return {};
}

void StreamSearch::advance(Candidate& candidate, Bytes bytes) {
  const std::uint64_t end = position_ + bytes.size();
  ContainerParser& parser = candidate.parser;
  while (parser.state() == ContainerParser::State::wanting) {
    const std::uint64_t from = parser.want_offset() + candidate.collected.size();
    const std::uint64_t missing = parser.want_length() - candidate.collected.size();
    if (missing > 0) {
      if (from >= end) {
        return;
      }
      const auto piece = bytes.subspan(static_cast<std::size_t>(from - position_),
                                       static_cast<std::size_t>(std::min(missing, end - from)));
      candidate.collected.insert(candidate.collected.end(), piece.begin(), piece.end());
      if (piece.size() < missing) {
        return;
      }
    }
    const std::vector<std::byte> wanted = std::move(candidate.collected);
    candidate.collected.clear();
    parser.take(wanted);
  }
}

void StreamSearch::feed(Bytes bytes) {
  for (Candidate& candidate : open_) {
    advance(candidate, bytes);
  }
  const auto begin_candidate = [this](std::uint64_t offset) -> Candidate* {
    if (open_.size() >= kMaxOpen) {
      harvest();  // many small containers in one piece: those that are done make room
    }
    if (open_.size() >= kMaxOpen) {
      overflow_ = true;
      return nullptr;
    }
    open_.push_back(
        {ContainerParser(offset, size_, samples_for(code_.containers.size() + open_.size())), {}});
    return &open_.back();
  };
  // A magic that straddles two pieces: look at the joint.
  if (!tail_.empty()) {
    std::vector<std::byte> joint = tail_;
    const std::uint64_t joint_offset = position_ - tail_.size();
    joint.insert(
        joint.end(), bytes.begin(),
        bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, bytes.size())));
    const std::size_t found = find_fatbin_magic(joint, joint_offset);
    if (found < tail_.size()) {
      if (Candidate* candidate = begin_candidate(joint_offset + found)) {
        candidate->collected.assign(tail_.begin() + static_cast<std::ptrdiff_t>(found),
                                    tail_.end());
        advance(*candidate, bytes);
      }
    }
  }
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t found = at + find_fatbin_magic(bytes.subspan(at), position_ + at);
    if (found >= bytes.size()) {
      break;
    }
    if (Candidate* candidate = begin_candidate(position_ + found)) {
      advance(*candidate, bytes);
      if (candidate->parser.state() == ContainerParser::State::rejected) {
        open_.pop_back();
      }
    }
    at = found + static_cast<std::size_t>(kFatbinAlignment);
  }
  position_ += bytes.size();
  if (bytes.size() >= 3) {
    tail_.assign(bytes.end() - 3, bytes.end());
  } else {
    tail_.insert(tail_.end(), bytes.begin(), bytes.end());
    if (tail_.size() > 3) {
      tail_.erase(tail_.begin(), tail_.end() - 3);
    }
  }
  harvest();
}

// A done candidate is accepted as soon as no earlier one, which might contain it, is still open:
// candidates begin in file order, so it is enough to look at the front.
void StreamSearch::harvest() {
  std::size_t settled = 0;
  for (; settled < open_.size(); ++settled) {
    const Candidate& candidate = open_[settled];
    if (candidate.parser.state() == ContainerParser::State::wanting) {
      break;
    }
    if (candidate.parser.state() == ContainerParser::State::done &&
        candidate.parser.container().offset >= settled_ && !overflow_) {
      overflow_ = !append(code_, candidate.parser.container(), candidate.parser.images(), 0);
      settled_ = candidate.parser.container().offset + candidate.parser.container().size;
    }
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(settled));
  std::erase_if(open_, [](const Candidate& candidate) {
    return candidate.parser.state() == ContainerParser::State::rejected;
  });
}

Result<GpuCode> StreamSearch::finish() {
  std::erase_if(open_, [](const Candidate& candidate) {  // cut off by the end: no container
    return candidate.parser.state() == ContainerParser::State::wanting;
  });
  harvest();
  if (overflow_) {
    return too_many_images();
  }
  return std::move(code_);
}

void assign_places(GpuCode& code, const std::vector<SearchRegion>& sections) {
  code.places = {""};
  std::vector<std::uint16_t> index_of(sections.size(), 0);
  for (GpuContainer& container : code.containers) {
    container.place = 0;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (container.offset >= sections[i].offset &&
          container.offset - sections[i].offset < sections[i].size) {
        if (index_of[i] == 0 && code.places.size() < 65'000) {
          index_of[i] = static_cast<std::uint16_t>(code.places.size());
          code.places.push_back(sections[i].name);
        }
        container.place = index_of[i];
        break;
      }
    }
  }
}

}  // namespace plumb
