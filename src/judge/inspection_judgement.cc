// SPDX-License-Identifier: Apache-2.0
#include "judge/inspection_judgement.h"

#include <algorithm>

namespace plumb {
namespace {

void judge_package(JudgedFile& judged, const std::vector<InspectedFile>& files, std::size_t first,
                   std::size_t count, const std::vector<Card>& cards, const Catalog& catalog) {
  std::vector<const BinaryFacts*> members;
  for (std::size_t i = first; i < first + count; ++i) {
    members.push_back(&files[i].facts);
  }
  for (const Card& card : cards) {
    if (auto verdict = judge_wheel(members, card, catalog)) {
      judged.verdicts.push_back(std::move(verdict->verdict));
      judged.unserved.push_back(std::move(verdict->unserved));
    }
  }
  // The package needs what the most demanding of its members needs; the main library is not known
  // without a card.
  const BinaryFacts* main = nullptr;
  for (const BinaryFacts* member : members) {
    if (!member->gpu.none() &&
        (main == nullptr || member->gpu.containers.size() > main->gpu.containers.size())) {
      main = member;
    }
  }
  if (main != nullptr) {
    judged.need = driver_need(*main, catalog);
    judged.built_with = built_with(*main, catalog);
  }
}

}  // namespace

JudgedInspection judge_inspection(const Inspection& inspection, const std::vector<Card>& cards,
                                  const Catalog& catalog) {
  JudgedInspection result;
  result.inspection = &inspection;
  result.cards = cards.size();
  for (std::size_t i = 0; i < inspection.files.size(); ++i) {
    const InspectedFile& file = inspection.files[i];
    JudgedFile judged;
    judged.file = &file;
    if (file.package) {
      const std::size_t count =
          std::min<std::size_t>(file.member_count, inspection.files.size() - i - 1);
      judge_package(judged, inspection.files, i + 1, count, cards, catalog);
    } else {
      judged.built_with = built_with(file.facts, catalog);
      judged.need = driver_need(file.facts, catalog);
      if (!file.facts.gpu.none()) {
        for (const Card& card : cards) {
          judged.verdicts.push_back(
              judge_gpu_code(file.facts.gpu, card, catalog, is_nvidia_redistributable(file.facts)));
        }
      }
    }
    result.files.push_back(std::move(judged));
  }
  return result;
}

}  // namespace plumb
