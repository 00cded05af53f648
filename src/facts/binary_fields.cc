// SPDX-License-Identifier: Apache-2.0
#include "facts/binary_fields.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostContainers = 1'000'000;
constexpr std::size_t kMostImages = 4'000'000;
constexpr std::size_t kMostPlaces = 60'000;
constexpr std::array<std::string_view, 4> kPrefixes = {"compute_", "sm_", "lto_", "other_"};

std::string image_text(const GpuImage& image) {
  std::string text(kPrefixes[static_cast<std::size_t>(image.kind)]);
  text += std::to_string(image.target.sm);
  if (image.target.suffix != 0) {
    text += image.target.suffix;
  }
  if (image.empty) {
    text += " empty";
  }
  if (image.isa_major != 0) {
    text += " isa=" + std::to_string(image.isa_major) + "." + std::to_string(image.isa_minor);
  }
  if (image.toolkit != 0) {
    text += " cuda=" + std::to_string(image.toolkit);
  }
  return text;
}

template <class Number>
bool take_number(std::string_view text, Number& number) {
  const auto value = parse_decimal(text);
  if (!value || *value > std::numeric_limits<Number>::max()) {
    return false;
  }
  number = static_cast<Number>(*value);
  return true;
}

std::optional<GpuImage> image_of(std::string_view text) {
  GpuImage image;
  bool first = true;
  for (const std::string_view part : split(text, ' ')) {
    if (first) {
      first = false;
      const auto prefix = std::ranges::find_if(
          kPrefixes, [&](std::string_view each) { return part.starts_with(each); });
      if (prefix == kPrefixes.end()) {
        return std::nullopt;
      }
      image.kind = static_cast<ImageKind>(prefix - kPrefixes.begin());
      std::string_view target = part.substr(prefix->size());
      if (!target.empty() && (target.back() < '0' || target.back() > '9')) {
        image.target.suffix = target.back();
        target.remove_suffix(1);
      }
      if (!take_number(target, image.target.sm)) {
        return std::nullopt;
      }
    } else if (part == "empty") {
      image.empty = true;
    } else if (part.starts_with("isa=")) {
      const std::string_view isa = part.substr(4);
      const std::size_t dot = std::min(isa.find('.'), isa.size());
      if (dot == isa.size() || !take_number(isa.substr(0, dot), image.isa_major) ||
          !take_number(isa.substr(dot + 1), image.isa_minor)) {
        return std::nullopt;
      }
    } else if (part.starts_with("cuda=") && !take_number(part.substr(5), image.toolkit)) {
      return std::nullopt;
    }
  }
  return image;
}

}  // namespace

std::vector<ContainerGroup> grouped_containers(const GpuCode& code) {
  std::vector<ContainerGroup> groups;
  std::map<std::pair<std::uint16_t, std::vector<std::string>>, std::size_t> known;  // into groups
  for (const GpuContainer& container : code.containers) {
    std::vector<std::string> images;
    for (std::uint32_t i = 0; i < container.image_count; ++i) {
      images.push_back(image_text(code.images[container.first_image + i]));
    }
    const auto [it, is_new] = known.emplace(std::pair{container.place, images}, groups.size());
    if (is_new) {
      const bool named = container.place < code.places.size();
      groups.push_back(
          {0, named ? code.places[container.place] : std::string{}, std::move(images)});
    }
    ++groups[it->second].count;
  }
  return groups;
}

GpuCode code_of_groups(const std::vector<ContainerGroup>& groups) {
  GpuCode code;
  for (const ContainerGroup& group : groups) {
    auto place = std::ranges::find(code.places, group.section);
    if (place == code.places.end()) {
      if (code.places.size() >= kMostPlaces) {
        return code;
      }
      place = code.places.insert(code.places.end(), group.section);
    }
    std::vector<GpuImage> images;
    for (const std::string& text : group.images) {
      if (const auto image = image_of(text)) {
        images.push_back(*image);
      }
    }
    for (std::uint64_t i = 0; i < group.count; ++i) {
      if (code.containers.size() >= kMostContainers ||
          code.images.size() + images.size() > kMostImages) {
        return code;
      }
      GpuContainer container;
      container.first_image = static_cast<std::uint32_t>(code.images.size());
      container.image_count = static_cast<std::uint32_t>(images.size());
      container.place = static_cast<std::uint16_t>(place - code.places.begin());
      code.images.insert(code.images.end(), images.begin(), images.end());
      code.containers.push_back(container);
    }
  }
  return code;
}

}  // namespace plumb
