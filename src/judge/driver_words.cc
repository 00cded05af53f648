// SPDX-License-Identifier: Apache-2.0
// What is said of the driver and of toolkits.

#include <algorithm>

#include "judge/check_words.h"

namespace plumb::words {
namespace {

constexpr const char* kToolkitInVain = "Installing another CUDA Toolkit changes nothing here.";
constexpr const char* kNvidiaPage = "https://www.nvidia.com/drivers";

Finding driver_finding(const char* code, std::string summary, std::string why) {
  Finding finding;
  finding.code = code;
  finding.layer = "driver";
  finding.summary = std::move(summary);
  finding.why = std::move(why);
  return finding;
}

/// How to get a driver of at least `least` ("" = any) on this machine.
std::vector<Step> install_steps(const MachineFacts& machine, const std::string& least) {
  const std::string version = least.empty() ? "" : " " + least + " or newer";
  if (machine.system.wsl) {
    return {{"install NVIDIA's driver" + version + " in Windows, from " + kNvidiaPage,
             "none in Linux: WSL uses Windows'", false},
            {"wsl --shutdown", "in Windows; then open this terminal anew", true}};
  }
  if (machine.system.name == "windows") {
    return {{"install NVIDIA's driver" + version + " from " + kNvidiaPage, "", false}};
  }
  if (!machine.system.container_mark.empty()) {
    return {
        {"install NVIDIA's driver" + version + " on the host, not in this container", "", false}};
  }
  const std::string note = least.empty() ? "" : "needed is" + version;
  const std::string& distribution = machine.system.distribution;
  if (distribution == "ubuntu" || distribution == "linuxmint" || distribution == "pop") {
    return {{"sudo ubuntu-drivers install", note, true}, {"sudo reboot", "", true}};
  }
  if (distribution == "debian") {
    return {
        {"sudo apt install nvidia-driver", note.empty() ? "from the non-free section" : note, true},
        {"sudo reboot", "", true}};
  }
  if (distribution == "fedora") {
    return {{"sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda",
             note.empty() ? "from RPM Fusion" : note, true},
            {"sudo reboot", "", true}};
  }
  if (distribution == "arch" || distribution == "manjaro") {
    return {{"sudo pacman -S nvidia-open nvidia-utils", note, true}, {"sudo reboot", "", true}};
  }
  return {{"install NVIDIA's driver" + version + " as your distribution packages it", "", false},
          {"restart the machine", "", false}};
}

Evidence card_evidence(const SeenCard& card) {
  return {card.driver.empty() ? "card " + card.location + ": no driver bound"
                              : "card " + card.location + ": driver " + card.driver,
          card.origin};
}

struct Problem {
  std::uint32_t code;
  const char* fault_code;
  const char* meaning;
  const char* step;
};

constexpr Problem kProblems[] = {
    {10, "driver.not_loaded", "the card could not start", "restart the machine"},
    {14, "driver.not_loaded", "the card works only after a restart", "restart the machine"},
    {22, "driver.not_loaded", "the card is disabled", "enable it in Device Manager"},
    {28, "driver.absent", "no driver is installed for the card", nullptr},
    {29, "driver.not_loaded", "the firmware has disabled the card", "enable it in the BIOS setup"},
    {31, "driver.not_loaded", "Windows could not load the driver", nullptr},
    {37, "driver.not_loaded", "the driver failed while it started", nullptr},
    {39, "driver.not_loaded", "the driver's file is damaged or missing", nullptr},
    {43, "driver.not_loaded", "the driver has stopped the card after an error", nullptr},
    {48, "driver.not_loaded", "Windows blocks this driver", nullptr},
    {52, "driver.not_loaded", "the driver is not signed", nullptr},
    {54, "driver.not_loaded", "the card is being reset", "restart the machine"}};

}  // namespace

std::string driver_ok(const std::string& version, const std::optional<std::string>& cuda) {
  return cuda ? version + ", takes programs up to CUDA " + *cuda : version;
}

std::string driver_not_here() {
  return "none on this machine; not judged";
}

std::string no_driver_needed() {
  return "none; without a card there is nothing for it to do";
}

std::string cannot_compile_ptx(const Card& card) {
  return "The driver must compile PTX for " + card.cc.text() + ", and this one cannot";
}

std::string need_sentence(const FrameworkFacts& framework, const std::string& why) {
  return framework.name + " is " + why;
}

std::string driver_version_unknown(const std::string& where) {
  return where + " is there, but no file tells its version";
}

std::string too_old_text(const std::string& driver, const std::string& least) {
  return driver + ", older than the " + least + " that is needed";
}

Finding driver_absent(const MachineFacts& machine, const SeenCard* card, const std::string& least) {
  Finding finding = driver_finding("driver.absent", "NVIDIA's driver is not installed", "");
  if (machine.system.wsl) {
    finding.why = "WSL uses the driver of Windows, and Windows brings none for CUDA.";
    finding.evidence.push_back({"no libcuda.so.1 in /usr/lib/wsl/lib", "/usr/lib/wsl/lib"});
  } else if (card != nullptr) {
    const bool free_driver = card->driver == "nouveau" || card->driver == "nova";
    finding.why = free_driver ? "The card runs with " + card->driver +
                                    ", which shows pictures but cannot run CUDA."
                              : "The card is there, and no driver of NVIDIA is.";
    finding.evidence.push_back(card_evidence(*card));
    finding.evidence.push_back(
        {machine.system.name == "windows" ? "no nvcuda.dll" : "no libcuda.so.1",
         machine.driver.library.origin});
  }
  finding.next = install_steps(machine, least);
  finding.in_vain = "The CUDA Toolkit and the frameworks bring no driver.";
  return finding;
}

Finding driver_not_loaded(const MachineFacts& machine, const SeenCard& card) {
  Finding finding =
      driver_finding("driver.not_loaded", "NVIDIA's driver is installed but not loaded", "");
  finding.certainty = Certainty::proven;
  finding.evidence.push_back(card_evidence(card));
  if (machine.driver.library) {
    finding.evidence.push_back({"libcuda.so.1 is installed", *machine.driver.library.value});
  }
  finding.evidence.push_back({"no kernel module nvidia", "/proc/driver/nvidia/version"});
  if (card.driver == "nouveau" || card.driver == "nova") {
    finding.summary = card.driver + " holds the card, so NVIDIA's driver cannot";
    finding.why =
        "NVIDIA's driver is installed, but the kernel gave the card to " + card.driver + ".";
    finding.next.push_back({"echo blacklist " + card.driver + " | sudo tee /etc/modprobe.d/no-" +
                                card.driver + ".conf",
                            "", true});
    finding.next.push_back({"sudo update-initramfs -u && sudo reboot",
                            "other distributions: dracut --force, mkinitcpio -P", true});
  } else if (card.driver == "vfio-pci" || card.driver == "pci-stub") {
    finding.summary = "the card is set aside for a virtual machine";
    finding.why = "It is bound to " + card.driver + ", so this system cannot use it.";
    finding.next.push_back({"take the card out of the options of vfio-pci and restart", "", false});
  } else {
    finding.why =
        "The kernel module is not built for this kernel, was refused, or was never loaded.";
    finding.next.push_back({"sudo modprobe nvidia", "its message says which of the three", true});
  }
  return finding;
}

Finding driver_incomplete(const MachineFacts& machine) {
  Finding finding = driver_finding(
      "driver.incomplete", "half of the driver is missing: there is no libcuda.so.1",
      "The kernel module is loaded; the library that CUDA programs ask for is not installed.");
  finding.evidence.push_back({"kernel module " + machine.driver.module_version.value.value_or(""),
                              machine.driver.module_version.origin});
  finding.evidence.push_back({"no libcuda.so.1", "ld.so.cache and the usual folders"});
  const std::string branch = machine.driver.module_version.value.value_or("").substr(0, 3);
  const std::string& distribution = machine.system.distribution;
  if (distribution == "ubuntu") {
    finding.next.push_back({"sudo apt install libnvidia-compute-" + branch, "", true});
  } else if (distribution == "debian") {
    finding.next.push_back({"sudo apt install libcuda1", "", true});
  } else {
    finding.next.push_back({"install the CUDA part of the driver package, of version " +
                                machine.driver.module_version.value.value_or(""),
                            "", false});
  }
  finding.in_vain = kToolkitInVain;
  return finding;
}

Finding library_mismatch(const MachineFacts& machine) {
  const DriverFacts& driver = machine.driver;
  const std::string module = driver.module_version.value.value_or("");
  const std::string library = driver.library_version.value.value_or("");
  Finding finding = driver_finding(
      "driver.library_mismatch",
      "the driver does not run: kernel module " + module + ", libraries " + library, "");
  finding.evidence.push_back({"kernel module " + module, driver.module_version.origin});
  finding.evidence.push_back({"libraries " + library, driver.library.value.value_or("")});
  if (machine.system.container_mark.empty()) {
    finding.why = "It was updated since the last start; the old module is still loaded.";
    finding.next.push_back({"restart the machine", "", false});
  } else {
    finding.why =
        "The container holds libraries of its own, of another version than the host's module.";
    finding.next.push_back({"remove NVIDIA's driver packages from the image",
                            "the container runtime puts the host's libraries in", false});
  }
  finding.in_vain = "Reinstalling a framework or the CUDA Toolkit changes nothing here.";
  return finding;
}

Finding device_problem(const SeenCard& card) {
  const auto known = std::ranges::find(kProblems, card.problem, &Problem::code);
  const bool is_known = known != std::end(kProblems);
  const std::string number = std::to_string(card.problem);
  Finding finding = driver_finding(
      is_known ? known->fault_code : "driver.not_loaded",
      is_known ? known->meaning : "the card does not work: Windows reports problem " + number,
      "Windows' Device Manager shows the card with code " + number + ".");
  finding.evidence.push_back(
      {"problem code " + number, card.origin.empty() ? card.location : card.origin});
  if (is_known && known->step != nullptr) {
    finding.next.push_back({known->step, "", false});
  } else {
    finding.next.push_back({std::string("install NVIDIA's driver from ") + kNvidiaPage,
                            "with \"clean installation\" chosen", false});
  }
  finding.in_vain = kToolkitInVain;
  return finding;
}

Finding wsl_without_gpu(const MachineFacts& machine) {
  Finding finding =
      driver_finding("driver.wsl", "this WSL has no GPU: /dev/dxg is missing",
                     "It is WSL 1, or /etc/wsl.conf says `[gpu] enabled=false`, or the "
                     "Windows driver is too old for WSL.");
  finding.certainty = machine.system.container_mark.empty() ? Certainty::proven : Certainty::likely;
  finding.evidence.push_back({"no /dev/dxg", "/dev"});
  finding.next.push_back({"wsl --list --verbose", "in Windows: VERSION must be 2", true});
  finding.next.push_back({"wsl --update", "in Windows", true});
  finding.in_vain = "A Linux driver inside WSL makes it worse.";
  return finding;
}

Finding wsl_foreign_driver(const MachineFacts& machine) {
  Finding finding = driver_finding(
      "driver.wsl", "a Linux driver inside WSL is in the way of the Windows one",
      "Programs find its libcuda.so.1 first; it needs a kernel module that WSL does not have.");
  finding.certainty = Certainty::likely;
  finding.evidence.push_back(
      {"libcuda.so.1 of driver " + machine.driver.library_version.value.value_or(""),
       machine.driver.library.value.value_or("")});
  finding.next.push_back({"sudo apt purge 'libnvidia-compute-*' 'nvidia-driver-*'", "", true});
  finding.next.push_back({"wsl --shutdown", "in Windows; then open this terminal anew", true});
  return finding;
}

Finding container_without_gpu(const MachineFacts& machine) {
  Finding finding = driver_finding(
      "container.no_gpu_runtime", "the container was started without the GPU",
      "The host has a card with a driver; its device files or libcuda.so.1 were not put in here.");
  finding.certainty = Certainty::proven;
  finding.evidence.push_back({"this is a container", machine.system.container_mark});
  finding.evidence.push_back(
      {"kernel module " + machine.driver.module_version.value.value_or("nvidia"),
       machine.driver.module_version.origin});
  finding.evidence.push_back(
      {machine.driver.library ? "libcuda.so.1 is here" : "no libcuda.so.1", ""});
  const bool has_node = std::ranges::find(machine.driver.device_nodes, "/dev/nvidiactl") !=
                        machine.driver.device_nodes.end();
  finding.evidence.push_back({has_node ? "/dev/nvidiactl is here" : "no /dev/nvidiactl", "/dev"});
  finding.next.push_back(
      {"docker run --gpus all IMAGE", "podman: --device nvidia.com/gpu=all", true});
  finding.in_vain = "Installing a driver or a CUDA Toolkit in the container changes nothing.";
  return finding;
}

Finding card_dropped(const Card& card, const MachineFacts& machine, std::uint32_t last_branch) {
  const std::string branch = std::to_string(last_branch);
  const std::string version = machine.driver.version.value.value_or("");
  Finding finding = driver_finding(
      "gpu.arch_too_old", "driver " + version + " no longer knows the " + short_card(card),
      "R" + branch + " is the last branch for cards of compute capability " + card.cc.text() + ".");
  finding.evidence.push_back({"driver " + version, machine.driver.version.origin});
  finding.next = install_steps(machine, "");
  finding.next.front() = {"install NVIDIA's driver of branch " + branch, "not a newer one", false};
  return finding;
}

Finding driver_too_old(const TooOld& told, const MachineFacts& machine,
                       std::vector<Step> other_builds) {
  Finding finding = driver_finding(
      "driver.too_old",
      "the driver " + told.driver + " is too old for " + listed(told.frameworks) + ", which " +
          (told.frameworks.size() > 1 ? "need " : "needs ") + told.least + " or newer",
      told.why + ".");
  finding.evidence.push_back({"driver " + told.driver, machine.driver.version.origin});
  if (told.last_branch) {
    finding.why += " R" + std::to_string(*told.last_branch) + " is the last branch for this card.";
  } else {
    finding.next = install_steps(machine, told.least);
  }
  if (!other_builds.empty() && !finding.next.empty()) {
    std::string& note = other_builds.front().note;
    note = note.empty() ? "or keep this driver" : "or keep this driver; " + note;
  }
  std::ranges::move(other_builds, std::back_inserter(finding.next));
  finding.in_vain = kToolkitInVain;
  return finding;
}

std::string driver_fault(const Finding& finding) {
  return finding.code == "driver.library_mismatch" ? finding.why.substr(0, finding.why.size() - 1)
                                                   : finding.summary;
}

std::string no_toolkit() {
  return "none; not needed to run";
}

std::string toolkits(const std::vector<Toolkit>& all, const std::vector<std::string>& users) {
  std::vector<std::string> names;
  for (const Toolkit& toolkit : all) {
    names.push_back((toolkit.version.empty() ? "one" : toolkit.version) + " in " + toolkit.path);
  }
  return listed(names) + (users.empty() ? "; not needed by what is here"
                                        : "; " + listed(users) + " may take libraries from it");
}

}  // namespace plumb::words
