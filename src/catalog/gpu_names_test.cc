// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace plumb {
namespace {

std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> result;
  for (const GpuModel* model : Catalog::builtin().find_gpus(text)) {
    result.push_back(model->name);
  }
  return result;
}

std::set<std::string> capabilities(std::string_view text) {
  std::set<std::string> result;
  for (const GpuModel* model : Catalog::builtin().find_gpus(text)) {
    result.insert(model->cc.text());
  }
  return result;
}

using Names = std::vector<std::string>;
using Capabilities = std::set<std::string>;

TEST(FindGpus, TakesAnySpellingOfOneCard) {
  for (const char* text : {"2080 ti", "2080ti", "rtx2080TI", "RTX 2080 Ti", "GeForce RTX 2080 Ti",
                           "NVIDIA GeForce RTX 2080 Ti", "geforce_rtx_2080_ti",
                           "  Nvidia RTX-2080Ti  ", "Geforce 2080 TI"}) {
    EXPECT_EQ(names(text), Names{"GeForce RTX 2080 Ti"}) << text;
  }
  EXPECT_EQ(names("4070tisuper"), Names{"GeForce RTX 4070 Ti SUPER"});
  EXPECT_EQ(names("rtxa6000"), Names{"RTX A6000"});
  EXPECT_EQ(names("GTX1080TI"), Names{"GeForce GTX 1080 Ti"});
  EXPECT_EQ(names("titan xp"), Names{"TITAN Xp"});
  EXPECT_EQ(names("titanv"), Names{"TITAN V"});
  EXPECT_EQ(names("RTX Titan"), Names{"TITAN RTX"});
  EXPECT_EQ(names("gtx 960m"), Names{"GeForce GTX 960M"});
  EXPECT_EQ(names("Tesla T4"), Names{"Tesla T4"});
  EXPECT_EQ(names("t4"), Names{"Tesla T4"});
  EXPECT_EQ(names("4090d"), Names{"GeForce RTX 4090 D"});
  EXPECT_EQ(names("l40s"), Names{"L40S"});
  EXPECT_EQ(names("gb10"), Names{"GB10"});
}

TEST(FindGpus, ExactNameWinsOverLongerOnes) {
  EXPECT_EQ(names("4060"), Names{"GeForce RTX 4060"});
  EXPECT_EQ(names("rtx 3060"), Names{"GeForce RTX 3060"});
  EXPECT_EQ(names("A10"), Names{"A10"});
  EXPECT_EQ(names("h200"), Names{"H200"});
}

TEST(FindGpus, LaptopsAreTheirOwnModels) {
  for (const char* text : {"4060 laptop", "RTX 4060 Mobile", "4060laptop", "rtx 4060 max-q",
                           "NVIDIA GeForce RTX 4060 Laptop GPU", "RTX 4060 (notebook)"}) {
    EXPECT_EQ(names(text), Names{"GeForce RTX 4060 Laptop GPU"}) << text;
  }
  EXPECT_EQ(names("NVIDIA GeForce GTX 1650 with Max-Q Design").empty(), false);
  EXPECT_EQ(capabilities("mx450"), Capabilities{"7.5"}) << "a card that only laptops have";
  EXPECT_TRUE(names("GTX 1080 Ti laptop").empty()) << "there is none";
  EXPECT_EQ(names("RTX PRO 6000 Blackwell Max-Q Workstation Edition"),
            Names{"RTX PRO 6000 Blackwell Max-Q Workstation Edition"})
      << "Max-Q, and no laptop";
}

TEST(FindGpus, BoardWordsMayBeLeftOutOrAdded) {
  EXPECT_EQ(capabilities("A100"), Capabilities{"8.0"});
  EXPECT_EQ(names("A100 80GB PCIe"), Names{"A100 PCIe 80GB"});
  EXPECT_EQ(names("NVIDIA A100-SXM4-80GB"), Names{"A100 SXM4 80GB"});
  EXPECT_EQ(names("A100 SXM 80G"), Names{"A100 SXM4 80GB"});
  EXPECT_EQ(names("H200 SXM"), Names{"H200 SXM 141GB"});
  EXPECT_EQ(names("rtx 3090 24gb"), Names{"GeForce RTX 3090"});
  EXPECT_EQ(names("rtx 3080 12 GB"), Names{"GeForce RTX 3080 12GB"});
  EXPECT_EQ(capabilities("gtx 1060"), Capabilities{"6.1"});
  EXPECT_EQ(capabilities("V100"), Capabilities{"7.0"});
  EXPECT_EQ(capabilities("Tesla V100 32GB"), Capabilities{"7.0"});
}

TEST(FindGpus, NamesOfTheDriverFindTheirModel) {
  EXPECT_EQ(names("NVIDIA PG509-210"), Names{"A100 SXM4 80GB"});
  EXPECT_EQ(names("NVIDIA H100 80GB HBM3"), Names{"H100 SXM5 80GB"});
  EXPECT_EQ(names("NVIDIA H200"), Names{"H200"});
  EXPECT_EQ(names("NVIDIA GB10"), Names{"GB10"});
}

TEST(FindGpus, EveryNameFindsItsOwnCapability) {
  for (const GpuModel& model : Catalog::builtin().gpus()) {
    if (model.unreleased) {
      continue;
    }
    EXPECT_TRUE(capabilities(model.name).contains(model.cc.text())) << model.name;
    EXPECT_TRUE(capabilities("NVIDIA " + model.name).contains(model.cc.text())) << model.name;
    for (const std::string& name : model.driver_names) {
      EXPECT_TRUE(capabilities(name).contains(model.cc.text())) << name;
    }
  }
}

TEST(FindGpus, AsksBackWhereCapabilitiesDiffer) {
  EXPECT_EQ(capabilities("RTX 6000"), (Capabilities{"7.5", "8.9"}));
  EXPECT_EQ(capabilities("Quadro RTX 6000"), Capabilities{"7.5"});
  EXPECT_EQ(capabilities("RTX 6000 Ada"), Capabilities{"8.9"});
  EXPECT_EQ(capabilities("RTX PRO 6000"), Capabilities{"12.0"});
  EXPECT_EQ(capabilities("titan x"), (Capabilities{"5.2", "6.1"}));
  EXPECT_EQ(capabilities("gt 730"), (Capabilities{"3.0", "3.5"}));
  EXPECT_EQ(capabilities("GTX 860M"), (Capabilities{"3.0", "5.0"}));
  EXPECT_GE(capabilities("titan").size(), 2U);
  EXPECT_EQ(capabilities("orin"), Capabilities{"8.7"});
  EXPECT_EQ(capabilities("dgx spark"), Capabilities{"12.1"});
}

TEST(FindGpus, KnowsWhatItDoesNotKnow) {
  for (const char* text :
       {"", " ", "rtx", "geforce", "laptop", "ti", "super", "nvidia gpu", "80gb", "rx 7900 xtx",
        "gtx 2080 ti", "banana", "4060 ti super", "...", "\xff\xfe"}) {
    EXPECT_TRUE(names(text).empty()) << text << ": " << names(text).front();
  }
  EXPECT_TRUE(names(std::string(100'000, 'a')).empty());
}

TEST(NearestGpus, SuggestsWhatWasMeant) {
  const auto nearest = [](std::string_view text) {
    const auto models = Catalog::builtin().nearest_gpus(text, 3);
    return models.empty() ? std::string() : models.front()->name;
  };
  EXPECT_EQ(nearest("gtx 2080 ti"), "GeForce RTX 2080 Ti");
  EXPECT_EQ(nearest("rtx 2080 it"), "GeForce RTX 2080 Ti");
  EXPECT_EQ(nearest("rxt 4090"), "GeForce RTX 4090");
  EXPECT_EQ(nearest("l4os"), "L40S");
  EXPECT_EQ(nearest("pomegranate juice"), "");
  EXPECT_LE(Catalog::builtin().nearest_gpus("4060", 2).size(), 2U);
  EXPECT_TRUE(Catalog::builtin().nearest_gpus("4060", 0).empty());
}

TEST(FindGpuByPci, KnowsTheCardOfADeviceId) {
  const auto name = [](std::uint16_t device) {
    const GpuModel* model = Catalog::builtin().find_gpu_by_pci(device);
    return model == nullptr ? std::string() : model->name + " " + model->cc.text();
  };
  EXPECT_EQ(name(0x2684), "GeForce RTX 4090 8.9");
  EXPECT_EQ(name(0x1e04), "GeForce RTX 2080 Ti 7.5");
  EXPECT_EQ(name(0x2335), "H200 SXM 141GB 9.0");
  EXPECT_EQ(name(0x28e0), "GeForce RTX 4060 Laptop GPU 8.9");
  EXPECT_EQ(name(0x0000), "");
}

}  // namespace
}  // namespace plumb
