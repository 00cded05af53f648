// SPDX-License-Identifier: Apache-2.0
// The configuration manager knows every device and asks no driver, so nothing is woken. A working
// display adapter is in class Display; an NVIDIA card in compute-only mode may be in class
// ComputeAccelerator; a card without a driver is in no class and is only found among all PCI
// devices. Of those only NVIDIA's are asked for their base class: each question is a call to a
// service, and a machine has a hundred PCI devices.
#include "os/pci_devices.h"

#include <windows.h>
// clang-format off: these need what windows.h declares; initguid.h defines the keys that devpkey.h and pciprop.h name
#include <initguid.h>
#include <cfgmgr32.h>
#include <devpkey.h>
#include <pciprop.h>
// clang-format on

#include <algorithm>
#include <array>
#include <span>

#include "base/source.h"
#include "os/pci_ids.h"
#include "os/system_error.h"
#include "os/wide.h"

namespace plumb {
namespace {

constexpr std::uint16_t kNvidia = 0x10de;
constexpr std::uint32_t kDisplayBaseClass = 0x03;
constexpr wchar_t kDisplayClass[] = L"{4d36e968-e325-11ce-bfc1-08002be10318}";
constexpr wchar_t kComputeClass[] = L"{f01a9d53-3ff6-48d2-9f97-c8a7004be10c}";

std::vector<std::string> split_multi_string(std::wstring_view text) {
  std::vector<std::string> parts;
  while (!text.empty() && text.front() != L'\0') {
    const std::size_t end = std::min(text.find(L'\0'), text.size());
    parts.push_back(from_wide(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Instance ids of the devices that are present, of one class or one enumerator.
Result<std::vector<std::string>> list_instance_ids(const wchar_t* filter, ULONG kind) {
  const ULONG flags = kind | CM_GETIDLIST_FILTER_PRESENT;
  std::wstring list;
  for (int attempt = 0; attempt < 16; ++attempt) {  // a device may appear between the two calls
    ULONG length = 0;
    CONFIGRET status = ::CM_Get_Device_ID_List_SizeW(&length, filter, flags);
    if (status == CR_SUCCESS) {
      list.assign(std::size_t{length} + 1, L'\0');
      status = ::CM_Get_Device_ID_ListW(filter, list.data(), length, flags);
    }
    if (status == CR_SUCCESS) {
      return split_multi_string(list);
    }
    // A class or bus that this Windows does not have (or Wine, which has none).
    if (status == CR_NO_SUCH_DEVNODE || status == CR_NO_SUCH_VALUE ||
        status == CR_NO_SUCH_REGISTRY_KEY || status == CR_CALL_NOT_IMPLEMENTED) {
      return std::vector<std::string>{};
    }
    if (status != CR_BUFFER_SMALL) {
      return fail(ErrorCode::io,
                  "the configuration manager reports error " + std::to_string(status));
    }
  }
  return fail(ErrorCode::io, "the list of devices keeps changing");
}

/// The bytes of a property; empty if it is missing or of another type.
std::vector<std::byte> read_property(DEVINST node, const DEVPROPKEY& key, DEVPROPTYPE wanted) {
  DEVPROPTYPE type = 0;
  std::vector<std::byte> bytes(512);
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto length = static_cast<ULONG>(bytes.size());
    const CONFIGRET status = ::CM_Get_DevNode_PropertyW(
        node, &key, &type, reinterpret_cast<PBYTE>(bytes.data()), &length, 0);
    if (status == CR_SUCCESS && type == wanted && length <= bytes.size()) {
      bytes.resize(length);
      return bytes;
    }
    if (status != CR_BUFFER_SMALL || length > (1U << 20U)) {
      break;
    }
    bytes.resize(length);
  }
  return {};
}

std::wstring wide_property(DEVINST node, const DEVPROPKEY& key, DEVPROPTYPE wanted) {
  const std::vector<std::byte> bytes = read_property(node, key, wanted);
  std::wstring text(bytes.size() / sizeof(wchar_t), L'\0');
  std::ranges::copy_n(bytes.begin(), static_cast<std::ptrdiff_t>(text.size() * sizeof(wchar_t)),
                      std::as_writable_bytes(std::span(text)).begin());
  return text;
}

std::optional<std::uint32_t> number_property(DEVINST node, const DEVPROPKEY& key) {
  const std::vector<std::byte> bytes = read_property(node, key, DEVPROP_TYPE_UINT32);
  return bytes.size() == 4 ? std::optional(load_le<std::uint32_t>(bytes)) : std::nullopt;
}

std::optional<std::uint32_t> class_code_of(DEVINST node) {
  if (const auto base = number_property(node, DEVPKEY_PciDevice_BaseClass)) {
    const std::uint32_t sub = number_property(node, DEVPKEY_PciDevice_SubClass).value_or(0);
    const std::uint32_t interface_byte =
        number_property(node, DEVPKEY_PciDevice_ProgIf).value_or(0);
    return ((*base & 0xffU) << 16U) | ((sub & 0xffU) << 8U) | (interface_byte & 0xffU);
  }
  for (const std::string& id : split_multi_string(
           wide_property(node, DEVPKEY_Device_CompatibleIds, DEVPROP_TYPE_STRING_LIST))) {
    if (const auto code = parse_pci_class(id)) {
      return code;
    }
  }
  return std::nullopt;
}

/// Completes a device by what the system knows of it; false if it is gone or is no display device.
bool describe(PciDevice& device) {
  std::wstring id = to_wide(device.location);
  DEVINST node = 0;
  if (::CM_Locate_DevNodeW(&node, id.data(), CM_LOCATE_DEVNODE_NORMAL) != CR_SUCCESS) {
    return false;
  }
  const auto class_code = class_code_of(node);
  if (!class_code || *class_code >> 16U != kDisplayBaseClass) {
    return false;
  }
  device.class_code = *class_code;
  const std::wstring service = wide_property(node, DEVPKEY_Device_Service, DEVPROP_TYPE_STRING);
  device.driver = from_wide(service.c_str());  // up to the NUL that the property ends with
  ULONG status = 0;
  ULONG problem = 0;
  if (::CM_Get_DevNode_Status(&status, &problem, node, 0) == CR_SUCCESS &&
      (status & DN_HAS_PROBLEM) != 0) {
    device.problem = problem;
  }
  device.link_generation = number_property(node, DEVPKEY_PciDevice_CurrentLinkSpeed);
  device.link_width = number_property(node, DEVPKEY_PciDevice_CurrentLinkWidth);
  device.most_link_generation = number_property(node, DEVPKEY_PciDevice_MaxLinkSpeed);
  device.most_link_width = number_property(node, DEVPKEY_PciDevice_MaxLinkWidth);
  device.numa_node = number_property(node, DEVPKEY_Device_Numa_Node);
  device.origin = "configuration manager";
  return true;
}

}  // namespace

Result<std::vector<PciDevice>> list_display_devices(const std::string& /*root*/) {
  struct Filter {
    const wchar_t* name;
    ULONG kind;
    bool nvidia_only;
  };
  constexpr std::array kFilters{Filter{kDisplayClass, CM_GETIDLIST_FILTER_CLASS, false},
                                Filter{kComputeClass, CM_GETIDLIST_FILTER_CLASS, false},
                                Filter{L"PCI", CM_GETIDLIST_FILTER_ENUMERATOR, true}};
  std::vector<PciDevice> devices;
  for (const Filter& filter : kFilters) {
    PLUMB_ASSIGN(const std::vector<std::string> ids, list_instance_ids(filter.name, filter.kind));
    for (const std::string& id : ids) {
      auto device = parse_pci_instance_id(id);
      if (!device || (filter.nvidia_only && device->vendor != kNvidia) ||
          std::ranges::find(devices, id, &PciDevice::location) != devices.end()) {
        continue;
      }
      if (describe(*device)) {
        devices.push_back(std::move(*device));
      }
    }
  }
  std::ranges::sort(devices, {}, &PciDevice::location);
  return devices;
}

}  // namespace plumb
