// SPDX-License-Identifier: Apache-2.0
// From what a person writes to the models meant. A name is taken apart into words (gpu_words.h);
// then essential words must be the same, and qualifiers decide between the variants of a card:
// "A100" means all A100s, "A100 80GB PCIe" one of them.

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/gpu_words.h"

namespace plumb {
namespace {

struct Indexed {
  const GpuModel* model = nullptr;
  GpuWords words;                      // of the model's name
  std::vector<GpuWords> driver_words;  // of the names that drivers print
};

std::vector<Indexed> build_index(const std::vector<GpuModel>& models) {
  std::vector<Indexed> index;
  index.reserve(models.size());
  for (const GpuModel& model : models) {
    if (model.unreleased) {
      continue;
    }
    Indexed entry{&model, parse_gpu_words(model.name), {}};
    if (!model.laptop && entry.words.max_q) {
      entry.words.qualifiers.emplace_back("maxq");  // a Max-Q workstation card is no laptop
    }
    for (const std::string& name : model.driver_names) {
      entry.driver_words.push_back(parse_gpu_words(name));
    }
    index.push_back(std::move(entry));
  }
  return index;
}

const std::vector<Indexed>& gpu_index(const Catalog& catalog) {
  static const std::vector<Indexed> index = build_index(catalog.gpus());
  return index;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// "sxm" asks for any of sxm2, sxm4, sxm5.
bool has_qualifier(const std::vector<std::string>& words, std::string_view word) {
  return has(words, word) || (word == "sxm" && std::ranges::any_of(words, [](const auto& other) {
                                return other.starts_with("sxm");
                              }));
}

bool brand_fits(const std::string& brand, const Indexed& entry) {
  if (has(entry.words.brands, brand)) {
    return true;
  }
  const std::string& kind = entry.model->kind;
  return (brand == "geforce" && (kind == "geforce" || kind == "titan")) ||
         (brand == "quadro" && kind == "workstation") ||
         (brand == "tesla" && kind == "data centre");
}

bool series_fits(const std::string& series, const Indexed& entry) {
  return entry.words.series.empty() || has(entry.words.series, series);
}

/// What asked and the model's name do not share; empty if they are different cards.
std::optional<int> distance(const GpuWords& asked, const GpuWords& own, const Indexed& entry) {
  const GpuModel& model = *entry.model;
  if (asked.essential != own.essential || (asked.laptop && !model.laptop) ||
      (asked.max_q && !model.laptop && !has(own.qualifiers, "maxq")) ||
      !std::ranges::all_of(asked.brands, [&](const auto& b) { return brand_fits(b, entry); }) ||
      !std::ranges::all_of(asked.series, [&](const auto& s) { return series_fits(s, entry); })) {
    return std::nullopt;
  }
  constexpr int kUnasked = 1;    // the model's name says more than was asked
  constexpr int kUnmatched = 8;  // asked for, and the model's name does not have it
  int sum = model.laptop && !asked.laptop && !asked.max_q ? kUnasked : 0;
  for (const std::string& word : own.qualifiers) {
    sum += has(asked.qualifiers, word) || (word.starts_with("sxm") && has(asked.qualifiers, "sxm"))
               ? 0
               : kUnasked;
  }
  const std::string architecture = to_lower_ascii(model.architecture);
  for (const std::string& word : asked.qualifiers) {
    if (has_qualifier(own.qualifiers, word) || architecture.find(word) != std::string::npos) {
      continue;
    }
    if (!is_board_word(word)) {
      return std::nullopt;
    }
    sum += kUnmatched;
  }
  return sum;
}

struct Match {
  const Indexed* entry = nullptr;
  int distance = 0;
};

std::vector<Match> same_card(const std::vector<Indexed>& index, const GpuWords& asked) {
  std::vector<Match> matches;
  for (const Indexed& entry : index) {
    std::optional<int> best = distance(asked, entry.words, entry);
    if (best == 0) {
      matches.push_back({&entry, 0});
      continue;
    }
    // The driver's own name for it is as good as exact, but yields to a model of that very name.
    for (const GpuWords& words : entry.driver_words) {
      if (distance(asked, words, entry) == 0) {
        best = best ? std::min(*best, 1) : 1;
      }
    }
    if (best) {
      matches.push_back({&entry, *best});
    }
  }
  return matches;
}

/// Nearest first; equal ones in the order of the table. (libstdc++ 12's stable_sort makes clang
/// warn.)
void sort_matches(std::vector<Match>& matches) {
  std::ranges::sort(matches, {},
                    [](const Match& match) { return std::tuple(match.distance, match.entry); });
}

/// Keeps the models whose name has the brand as a word: "Quadro RTX 6000" is not "RTX 6000 Ada".
void prefer_literal_brand(std::vector<Match>& matches, const GpuWords& asked) {
  const auto literal = [&asked](const Match& match) {
    return std::ranges::all_of(asked.brands,
                               [&](const auto& b) { return has(match.entry->words.brands, b); });
  };
  if (std::ranges::any_of(matches, literal)) {
    std::erase_if(matches, [&](const Match& match) { return !literal(match); });
  }
}

/// Models whose names hold all the words asked for, and more: "titan", "orin", "dgx spark".
std::vector<Match> longer_names(const std::vector<Indexed>& index, const GpuWords& asked) {
  constexpr std::size_t kShortest = 3;
  const auto telling = [](const std::string& word) {
    return word.size() >= kShortest && word != "super" && word != "max" && word != "pro";
  };
  std::vector<Match> matches;
  if (!std::ranges::any_of(asked.essential, telling)) {
    return matches;
  }
  for (const Indexed& entry : index) {
    const auto& own = entry.words;
    const bool all = std::ranges::all_of(
        asked.essential, [&](const auto& word) { return has(own.essential, word); });
    if (all && (!asked.laptop || entry.model->laptop) &&
        std::ranges::all_of(
            asked.qualifiers,
            [&](const auto& word) { return has_qualifier(own.qualifiers, word); }) &&
        std::ranges::all_of(asked.brands, [&](const auto& b) { return brand_fits(b, entry); }) &&
        std::ranges::all_of(asked.series, [&](const auto& s) { return series_fits(s, entry); })) {
      matches.push_back({&entry, static_cast<int>(own.essential.size() - asked.essential.size())});
    }
  }
  return matches;
}

/// Levenshtein's distance, with neighbours swapped counting once; `most` + 1 for anything above.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) {
    return most + 1;
  }
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] =
          std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return std::min(last[b.size()], most + 1);
}

}  // namespace

std::vector<const GpuModel*> Catalog::find_gpus(std::string_view text) const {
  const GpuWords asked = parse_gpu_words(text);
  if (asked.essential.empty()) {
    return {};
  }
  const auto& index = gpu_index(*this);
  std::vector<Match> matches = same_card(index, asked);
  if (matches.empty()) {
    matches = longer_names(index, asked);
  }
  prefer_literal_brand(matches, asked);
  sort_matches(matches);
  std::vector<const GpuModel*> result;
  for (const Match& match : matches) {
    const bool another_cc = std::ranges::none_of(
        result, [&](const GpuModel* other) { return other->cc == match.entry->model->cc; });
    if (match.distance == matches.front().distance || another_cc) {
      result.push_back(match.entry->model);
    }
  }
  return result;
}

std::vector<const GpuModel*> Catalog::nearest_gpus(std::string_view text, std::size_t count) const {
  constexpr std::size_t kLongest = 48;
  const GpuWords asked = parse_gpu_words(text);
  const std::string bare = join(asked.essential, " ");
  if (bare.empty() || asked.spelled.size() > kLongest) {
    return {};
  }
  const std::size_t most = std::max<std::size_t>(2, bare.size() / 3);
  std::vector<Match> near;
  for (const Indexed& entry : gpu_index(*this)) {
    const std::size_t distance =
        std::min(edit_distance(asked.spelled, entry.words.spelled, most),
                 edit_distance(bare, join(entry.words.essential, " "), most));
    if (distance <= most) {
      near.push_back({&entry, static_cast<int>(distance)});
    }
  }
  sort_matches(near);
  std::vector<const GpuModel*> result;
  for (const Match& match : near) {
    const bool shown = std::ranges::any_of(result, [&match](const GpuModel* model) {
      return model->name == match.entry->model->name;
    });
    if (!shown && result.size() < count) {
      result.push_back(match.entry->model);
    }
  }
  return result;
}

}  // namespace plumb
