// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "catalog/table.h"

namespace plumb {
namespace {

std::vector<GpuModel> load_gpus() {
  std::vector<GpuModel> result;
  result.reserve(640);
  for_each_row(embedded::gpus_json, [&result](const Row& row) {
    const auto cc = ComputeCapability::parse(row.text("cc"));
    if (!cc) {
      return;
    }
    GpuModel model{.name = row.text("name"),
                   .cc = *cc,
                   .architecture = row.text("architecture"),
                   .kind = row.text("class"),
                   .laptop = row.flag("laptop"),
                   .unreleased = row.flag("unreleased"),
                   .driver_names = row.texts("driver_names"),
                   .pci_devices = {}};
    for (const std::string& text : row.texts("pci")) {
      std::uint16_t device = 0;
      const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), device, 16);
      if (fault == std::errc() && end == text.data() + text.size()) {
        model.pci_devices.push_back(device);
      }
    }
    result.push_back(std::move(model));
  });
  return result;
}

}  // namespace

const std::vector<GpuModel>& Catalog::gpus() const {
  static const std::vector<GpuModel> table = load_gpus();
  return table;
}

const GpuModel* Catalog::find_gpu_by_pci(std::uint16_t device) const {
  for (const GpuModel& model : gpus()) {
    if (std::ranges::find(model.pci_devices, device) != model.pci_devices.end()) {
      return &model;
    }
  }
  return nullptr;
}

}  // namespace plumb
