// SPDX-License-Identifier: Apache-2.0
#include "binary/gpu_search.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace plumb {
namespace {

constexpr std::size_t kMaxImages = std::size_t{1} << 21;
constexpr std::size_t kMaxContainers = std::size_t{1} << 20;  // cuFFT has 23,984
constexpr std::size_t kMaxPlaces = 65'000;
constexpr std::size_t kMaxOpen = 32;  // candidates at one time; real files have one, rarely two
constexpr std::uint64_t kFirstChunk = 4096;
constexpr std::uint64_t kChunk = 256 * 1024;  // stays in the second-level cache

std::uint64_t round_up(std::uint64_t offset) {
  return (offset + kFatbinAlignment - 1) / kFatbinAlignment * kFatbinAlignment;
}

// A file is mostly made by one toolkit: the first containers are asked, and then one in 64.
unsigned samples_for(std::size_t containers_before) {
  return containers_before < 4 || containers_before % 64 == 0 ? 1 : 0;
}

Error too_many(std::string_view what) {
  return {ErrorCode::limit, "more " + std::string(what) + " than plumb counts", {}, {}};
}

Error false_containers() {
  return {ErrorCode::limit, "too many beginnings of GPU code containers that are none", {}, {}};
}

// A container that turns out to be none costs a walk for nothing. Where such are made to lie in
// each other, walks would take the square of the file's size.
std::uint64_t false_steps_for(std::uint64_t size) {
  return 1024 + size / 64;
}

Result<void> append(GpuCode& code, const GpuContainer& container,
                    const std::vector<GpuImage>& images, std::uint16_t place) {
  if (code.images.size() + images.size() > kMaxImages) {
    return std::unexpected(too_many("GPU code images"));
  }
  if (code.containers.size() >= kMaxContainers) {
    return std::unexpected(too_many("GPU code containers"));
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
  if (region.size > kMaxSearched) {
    return fail(ErrorCode::limit, "more data than plumb searches for GPU code (16 GiB)");
  }
  const std::uint64_t end = region.offset + region.size;
  std::uint64_t at = round_up(region.offset);
  if (code.places.size() < kMaxPlaces) {
    code.places.push_back(region.name);
  }
  const auto place = static_cast<std::uint16_t>(code.places.size() - 1);
  PagedReader reader(source);
  std::vector<std::byte> chunk;
  std::uint64_t chunk_size = kFirstChunk;
  std::uint64_t false_steps = false_steps_for(region.size);
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
        chunk_size = bytes.size() < kFirstChunk ? kFirstChunk : 4 * kFirstChunk;
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
    if (end - at < kFatbinHeaderSize) {
      break;
    }
    ContainerParser parser(at, end, samples_for(code.containers.size()));
    std::uint64_t steps = 0;
    for (; parser.state() == ContainerParser::State::wanting; ++steps) {
      PLUMB_ASSIGN(const Bytes wanted, reader.read(parser.want_offset(), parser.want_length()));
      parser.take(wanted);
    }
    if (parser.state() == ContainerParser::State::done) {
      PLUMB_TRY(append(code, parser.container(), parser.images(), place));
      at = round_up(at + parser.container().size);
    } else if (steps > false_steps) {
      return std::unexpected(false_containers());
    } else {
      false_steps -= steps;
      at += kFatbinAlignment;
    }
    chunk_size = kFirstChunk;
  }
  return {};
}

StreamSearch::StreamSearch(std::uint64_t size) : size_(size), false_steps_(false_steps_for(size)) {}

void StreamSearch::advance(Candidate& candidate, Bytes bytes) {
  const std::uint64_t end = position_ + bytes.size();
  ContainerParser& parser = candidate.parser;
  for (; parser.state() == ContainerParser::State::wanting; ++candidate.steps) {
    const std::uint64_t from = parser.want_offset() + candidate.collected.size();
    const std::uint64_t missing = parser.want_length() - candidate.collected.size();
    if (missing > 0) {
      if (from >= end) {
        return;
      }
      const auto piece = bytes.subspan(static_cast<std::size_t>(from - position_),
                                       static_cast<std::size_t>(std::min(missing, end - from)));
      if (candidate.collected.empty() && piece.size() == missing) {  // all in one piece: no copy
        parser.take(piece);
        continue;
      }
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

bool StreamSearch::settle(Candidate& candidate) {
  if (candidate.parser.state() == ContainerParser::State::done) {
    ready_images_ += candidate.parser.images().size();
    if (ready_.size() >= kMaxContainers || ready_images_ > kMaxImages) {
      fault_ = too_many("GPU code images");
      return true;
    }
    ready_.push_back({candidate.parser.container(), candidate.parser.images()});
  }
  if (candidate.parser.state() == ContainerParser::State::rejected) {
    if (candidate.steps > false_steps_) {
      fault_ = false_containers();
    }
    false_steps_ -= std::min(candidate.steps, false_steps_);
  }
  return candidate.parser.state() != ContainerParser::State::wanting;
}

/// `before`: the magic's first bytes, if they came with the previous piece.
void StreamSearch::begin(std::uint64_t offset, Bytes before, Bytes bytes) {
  const unsigned samples = samples_for(code_.containers.size() + ready_.size());
  Candidate candidate{ContainerParser(offset, size_, samples), {before.begin(), before.end()}, 0};
  advance(candidate, bytes);
  if (settle(candidate)) {
    return;
  }
  if (open_.size() < kMaxOpen) {
    open_.push_back(std::move(candidate));
  } else {
    fault_ = false_containers();
  }
}

void StreamSearch::feed(Bytes bytes) {
  if (fault_) {
    return;
  }
  std::erase_if(open_, [&](Candidate& candidate) {
    advance(candidate, bytes);
    return settle(candidate);
  });
  // A magic that straddles two pieces: look at the joint.
  std::vector<std::byte> joint = tail_;
  joint.insert(joint.end(), bytes.begin(),
               bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, bytes.size())));
  const std::uint64_t joint_offset = position_ - tail_.size();
  if (const std::size_t found = find_fatbin_magic(joint, joint_offset); found < tail_.size()) {
    begin(joint_offset + found, Bytes(tail_).subspan(found), bytes);
  }
  std::size_t at = 0;
  while (at < bytes.size() && !fault_) {
    at += find_fatbin_magic(bytes.subspan(at), position_ + at);
    if (at < bytes.size()) {
      begin(position_ + at, {}, bytes);
      at += static_cast<std::size_t>(kFatbinAlignment);
    }
  }
  position_ += bytes.size();
  const Bytes last = bytes.last(std::min<std::size_t>(3, bytes.size()));
  tail_.insert(tail_.end(), last.begin(), last.end());
  tail_.erase(tail_.begin(),
              tail_.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, tail_.size())));
  harvest();
}

// What is ready is accepted as soon as nothing is open that began before it and might contain it.
void StreamSearch::harvest() {
  std::ranges::sort(ready_, {}, [](const Ready& ready) { return ready.container.offset; });
  auto next = ready_.begin();
  for (; next != ready_.end() && !fault_; ++next) {
    if (!open_.empty() && open_.front().parser.offset() < next->container.offset) {
      break;
    }
    ready_images_ -= next->images.size();
    if (next->container.offset >= settled_) {
      if (auto appended = append(code_, next->container, next->images, 0); !appended) {
        fault_ = std::move(appended).error();
      }
      settled_ = next->container.offset + next->container.size;
    }
  }
  ready_.erase(ready_.begin(), next);
}

Result<GpuCode> StreamSearch::finish() {
  open_.clear();  // cut off by the end: no containers
  harvest();
  if (fault_) {
    return std::unexpected(*fault_);
  }
  return std::move(code_);
}

void assign_places(GpuCode& code, const std::vector<SearchRegion>& sections) {
  code.places = {""};
  // Sections by offset; of two that overlap (in hostile files) the later one gives way.
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(sections[i].offset, i); });
  std::vector<std::uint16_t> place_of(sections.size(), 0);
  auto next = order.begin();
  for (GpuContainer& container : code.containers) {  // in file order, too
    const auto ends_before = [&](std::size_t i) {
      return sections[i].offset <= container.offset &&
             container.offset - sections[i].offset >= sections[i].size;
    };
    next = std::find_if_not(next, order.end(), ends_before);
    container.place = 0;
    if (next == order.end() || sections[*next].offset > container.offset) {
      continue;
    }
    std::uint16_t& place = place_of[*next];
    if (place == 0 && code.places.size() < kMaxPlaces) {
      place = static_cast<std::uint16_t>(code.places.size());
      code.places.push_back(sections[*next].name);
    }
    container.place = place;
  }
}

}  // namespace plumb
