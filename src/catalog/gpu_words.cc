// SPDX-License-Identifier: Apache-2.0
#include "catalog/gpu_words.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace plumb {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& set, std::string_view word) {
  return std::ranges::find(set, word) != set.end();
}

constexpr std::array<std::string_view, 14> kNoise = {
    "nvidia",     "corporation", "gpu", "gpus", "card", "graphics", "edition",
    "generation", "gen",         "tm",  "with", "the",  "design",   "r"};
constexpr std::array<std::string_view, 3> kSeries = {"rtx", "gtx", "gt"};
constexpr std::array<std::string_view, 3> kBrands = {"geforce", "quadro", "tesla"};
constexpr std::array<std::string_view, 3> kLaptop = {"laptop", "mobile", "notebook"};
constexpr std::array<std::string_view, 28> kQualifiers = {
    "ada",    "lovelace", "ampere", "blackwell",   "hopper", "kepler", "maxwell",
    "pascal", "turing",   "volta",  "workstation", "server", "sff",    "embedded",
    "oem",    "refresh",  "lhr",    "lite",        "hash",   "rate",   "mac",
    "gddr5",  "gddr6",    "gddr6x", "active",      "dgxs",   "fhhl",   "lc"};
// Glued to the front of a name or to its end: "rtxa6000", "titanxp", "4070tisuper", "a100sxm4".
constexpr std::array<std::string_view, 8> kFronts = {"nvidia", "geforce", "quadro", "tesla",
                                                     "titan",  "rtx",     "gtx",    "gt"};
constexpr std::array<std::string_view, 14> kEnds = {"laptop", "mobile", "notebook", "maxq", "super",
                                                    "ti",     "oem",    "pcie",     "sxm",  "sxm2",
                                                    "sxm4",   "sxm5",   "nvl",      "ada"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// "80gb", "80g", "80gib" -> "80gb"; anything else stays.
std::string memory_word(std::string_view token) {
  constexpr std::size_t kMostDigits = 3;
  const std::size_t digits = std::min(token.find_first_not_of("0123456789"), token.size());
  const std::string_view unit = token.substr(digits);
  if (digits > 0 && digits <= kMostDigits && (unit == "gb" || unit == "g" || unit == "gib")) {
    return std::string(token.substr(0, digits)) + "gb";
  }
  return std::string(token);
}

/// Letters and digits of any case, everything else a gap; "Max-Q" and "Rev. A" become one word.
Words raw_tokens(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  std::string clean;
  for (const char c : to_lower_ascii(text.substr(0, kLongest))) {
    clean += is_digit(c) || (c >= 'a' && c <= 'z') ? c : ' ';
  }
  Words tokens;
  for (const std::string_view token : split(clean, ' ')) {
    if (token.empty()) {
      continue;
    }
    const bool joins = !tokens.empty() && ((tokens.back() == "max" && token == "q") ||
                                           (tokens.back() == "rev" && token.size() == 1) ||
                                           (all_digits(tokens.back()) && token == "gb"));
    if (joins) {
      tokens.back() += token;
    } else {
      tokens.emplace_back(token);
    }
  }
  return tokens;
}

/// "rtx2080ti" -> rtx 2080 ti; "a100", "960m", "h200" stay whole.
void unglue(std::string token, Words& out) {
  if (contains(kFronts, token)) {
    out.push_back(std::move(token));  // "gtx" is not "gt" and "x"
    return;
  }
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view front : kFronts) {
      if (token.size() > front.size() && token.starts_with(front)) {
        out.emplace_back(front);
        token.erase(0, front.size());
        again = !contains(kFronts, token);
        break;
      }
    }
  }
  Words ends;
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view end : kEnds) {
      const std::size_t rest = token.size() - std::min(end.size(), token.size());
      // "4070tisuper": what stays must still hold a number, or it was a word of its own.
      if (rest > 1 && token.ends_with(end) &&
          std::ranges::any_of(token.substr(0, rest), is_digit)) {
        ends.emplace_back(end);
        token.erase(rest);
        again = true;
        break;
      }
    }
  }
  constexpr std::size_t kModelDigits = 4;
  if (token.size() == kModelDigits + 1 && token.back() == 'd' &&
      all_digits(std::string_view(token).substr(0, kModelDigits))) {
    ends.emplace_back("d");  // 4090D, 5090D
    token.pop_back();
  }
  out.push_back(memory_word(token));
  out.insert(out.end(), ends.rbegin(), ends.rend());
}

void sort_once(Words& words) {
  std::ranges::sort(words);
  const auto [first, last] = std::ranges::unique(words);
  words.erase(first, last);
}

}  // namespace

bool is_board_word(std::string_view word) {
  return (word.size() > 2 && word.ends_with("gb") && all_digits(word.substr(0, word.size() - 2))) ||
         word == "pcie" || word == "pci" || word == "nvl" || word == "nvlink" || word == "ac" ||
         word.starts_with("sxm") || word.starts_with("hbm");
}

GpuWords parse_gpu_words(std::string_view text) {
  Words tokens;
  for (std::string& token : raw_tokens(text)) {
    unglue(std::move(token), tokens);
  }
  GpuWords words;
  for (const std::string& token : tokens) {
    const bool spells = !contains(kLaptop, token) && !contains(kBrands, token) &&
                        !contains(kNoise, token) && token != "maxq";
    words.spelled += spells ? token : "";
    if (contains(kLaptop, token)) {
      words.laptop = true;
    } else if (token == "maxq") {
      words.max_q = true;
    } else if (contains(kBrands, token)) {
      words.brands.push_back(token);
    } else if (contains(kSeries, token)) {
      words.series.push_back(token);
    } else if (is_board_word(token) || contains(kQualifiers, token) ||
               (token.size() == 4 && token.starts_with("rev"))) {
      words.qualifiers.push_back(token);
    } else if (!contains(kNoise, token)) {
      words.essential.push_back(token);
    }
  }
  for (Words* list : {&words.essential, &words.qualifiers, &words.series, &words.brands}) {
    sort_once(*list);
  }
  return words;
}

}  // namespace plumb
