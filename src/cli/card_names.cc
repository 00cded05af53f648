// SPDX-License-Identifier: Apache-2.0
// What people write after --gpu, and what to tell them when it names no card or several.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "cli/command.h"

namespace plumb {
namespace {

constexpr std::size_t kLongestName = 60;  // of a card, in a message

/// "sm_90", "compute_90a", "sm86": how build logs write it.
std::optional<ComputeCapability> parse_target(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  std::string_view digits = lower;
  for (const std::string_view prefix : {"sm_", "sm", "compute_"}) {
    if (digits.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      break;
    }
  }
  if (digits.size() == lower.size()) {
    return std::nullopt;
  }
  if (digits.ends_with('a') || digits.ends_with('f')) {
    digits.remove_suffix(1);
  }
  const auto number = parse_decimal(digits);
  if (!number || digits.size() < 2 || digits.size() > 3) {
    return std::nullopt;
  }
  return ComputeCapability{static_cast<std::uint16_t>(*number / 10),
                           static_cast<std::uint16_t>(*number % 10)};
}

/// "9", "86", "8,6": no name, but a compute capability was meant.
std::optional<std::string> meant_capability(std::string_view name) {
  if (name.empty() || name.find_first_not_of("0123456789.,") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string text(name);
  std::ranges::replace(text, ',', '.');
  if (text.find('.') == std::string::npos) {
    text.insert(text.size() > 1 ? text.size() - 1 : 1, text.size() > 1 ? "." : ".0");
  }
  return text;
}

Error unknown_capability(ComputeCapability cc, const Catalog& catalog) {
  std::vector<std::string> known;
  for (const Architecture& architecture : catalog.architectures()) {
    known.push_back(architecture.cc.text());
  }
  return {ErrorCode::usage,
          "no card of compute capability " + cc.text() + " is known",
          {},
          {"known are " + join(known, " ")}};
}

Error unknown_name(std::string_view name, const Catalog& catalog) {
  if (name.empty()) {
    return {ErrorCode::usage,
            "`--gpu` needs a card's name or a compute capability",
            {},
            {"--gpu \"RTX 4090\"", "--gpu 8.9"}};
  }
  Error error{
      ErrorCode::usage,
      "no NVIDIA card is known by the name `" + shorten_middle(printable(name), kLongestName) + "`",
      {},
      {}};
  if (const auto meant = meant_capability(name)) {
    const auto cc = ComputeCapability::parse(*meant);
    if (cc && catalog.find_architecture(*cc) != nullptr) {
      error.hints.push_back("--gpu " + cc->text() + "   (a compute capability)");
      return error;
    }
  } else {
    for (const GpuModel* closest : catalog.nearest_gpus(name, 3)) {
      error.hints.push_back("did you mean `" + closest->name + "`?");
    }
  }
  error.hints.emplace_back("or give the compute capability itself: --gpu 8.9");
  return error;
}

Error several_cards(std::string_view name, const std::vector<const GpuModel*>& models) {
  Error error{
      ErrorCode::usage, "`" + printable(name) + "` may be several cards; say which one", {}, {}};
  for (const GpuModel* model : models) {
    error.hints.push_back("--gpu \"" + model->name + "\"   (compute capability " +
                          model->cc.text() + ")");
  }
  return error;
}

Result<Card> parse_card(std::string_view name, const Catalog& catalog) {
  auto cc = ComputeCapability::parse(name);
  if (!cc) {
    cc = parse_target(name);
  }
  if (cc) {
    if (catalog.find_architecture(*cc) == nullptr) {
      return std::unexpected(unknown_capability(*cc, catalog));
    }
    return Card{"compute capability " + cc->text(), *cc};
  }
  const std::vector<const GpuModel*> models = catalog.find_gpus(name);
  if (models.empty()) {
    return std::unexpected(unknown_name(name, catalog));
  }
  const bool one_answer = std::ranges::all_of(
      models, [&](const GpuModel* model) { return model->cc == models.front()->cc; });
  if (!one_answer) {
    return std::unexpected(several_cards(name, models));
  }
  return Card{models.front()->name, models.front()->cc};
}

}  // namespace

std::optional<std::vector<Card>> parse_cards(const std::vector<std::string>& names) {
  std::vector<Card> cards;
  for (const std::string& name : names) {
    auto card = parse_card(trim(name), Catalog::builtin());
    if (!card) {
      print_error(card.error());
      return std::nullopt;
    }
    if (std::ranges::find(cards, card->name, &Card::name) == cards.end()) {
      cards.push_back(std::move(*card));
    }
  }
  return cards;
}

}  // namespace plumb
