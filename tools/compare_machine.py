#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a snapshot of this machine against what other programs print about it, value by value.

    tools/compare_machine.py --plumb build/release/plumb --python .venv/bin/python [--saved FOLDER] > table.md

Peers: `python -m torch.utils.collect_env`, `nvidia-smi -q -x`, `pip list`, `conda list`, `nvcc -V`; each that is there. With
--saved FOLDER what they printed is read from collect_env.txt, smi.xml, pip.json, conda.json, nvcc.txt and the snapshot from
snapshot.json (made with --no-redact --deep), so a machine can be compared that is elsewhere. Values that both state must
be equal; exit code 1 if one is not. Values that change by themselves (clocks, temperature, memory in use) are left out.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ABSENT = {"", "N/A", "[N/A]", "Not Supported", "None", "Could not collect", "Requested functionality has been deprecated"}


def value(fact):
    return fact.get("value") if isinstance(fact, dict) else fact


class Table:
    def __init__(self):
        self.rows, self.differ = [], 0

    def add(self, peer: str, name: str, theirs, ours, note: str = ""):
        """A value that one side does not state is no row."""
        if theirs is None or ours is None or str(theirs).strip() in ABSENT:
            return
        same = str(theirs).strip().lower() == str(ours).strip().lower()
        self.differ += 0 if same or note else 1
        self.rows.append((peer, name, theirs, ours, "yes" if same else note or "**NO**"))

    def print(self):
        print("| peer | value | theirs | plumb | equal |\n|---|---|---|---|---|")
        for row in self.rows:
            print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
        print(f"\n{len(self.rows)} values, {self.differ} unexplained differences")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def compare_packages(table: Table, peer: str, listed: list, installed: dict):
    theirs = {normal(each["name"]): each["version"] for each in listed}
    for name in sorted(set(theirs) & set(installed)):
        if theirs[name] != installed[name]:
            table.add(peer, name, theirs[name], installed[name])
    for name in sorted(set(theirs) ^ set(installed)):
        table.add(peer, name, theirs.get(name, "not listed"), installed.get(name, "not listed"))
    table.add(peer, "packages with equal versions", len(theirs), sum(theirs[n] == installed.get(n) for n in theirs))


def compare_collect_env(table: Table, text: str, snapshot: dict):
    machine = snapshot["machine"]
    lines = dict(re.findall(r"^([A-Z][^:\n]*): (.*)$", text, re.M))
    torch = next((f for f in machine["frameworks"] if f["name"] == "torch"), {})
    system = machine.get("system_state", {})
    table.add("collect_env", "PyTorch version", lines.get("PyTorch version"), torch.get("version"))
    table.add("collect_env", "CUDA used to build PyTorch", lines.get("CUDA used to build PyTorch"), value(torch.get("cuda")))
    table.add("collect_env", "Python version", lines.get("Python version", "").split(" ")[0],
              value((machine["python"]["value"] or {}).get("python_version")))
    table.add("collect_env", "Nvidia driver version", lines.get("Nvidia driver version"), value(machine["driver"]["version"]))
    libc = re.match(r"glibc-(.*)", lines.get("Libc version", ""))
    table.add("collect_env", "Libc version", libc and libc[1], value(find(system, "glibc_version", "glibc", "libc_version")))
    table.add("collect_env", "OS", re.sub(r" \(.*", "", lines.get("OS", "")), value(find(system, "pretty_name")))
    table.add("collect_env", "CPU model", first(re.findall(r"^Model name: +(.*)$", text, re.M)), value(find(system, "cpu_model", "model", "model_name")))
    table.add("collect_env", "CPU(s)", first(re.findall(r"^CPU\(s\): +(\d+)", text, re.M)), value(find(system, "logical_cpus", "logical", "logical_count", "cpus")))
    installed = {d["normalized"]: d["version"] for d in machine["distributions"]}
    for name, version in re.findall(r"^\[pip3?\] (\S+)==(\S+)$", text, re.M):
        table.add("collect_env", f"[pip3] {name}", version, installed.get(normal(name), "not listed"))
    known = {choice["path"] for process in snapshot["processes"] for choice in process["choices"]} | {
        loser["path"] for process in snapshot["processes"] for choice in process["choices"] for loser in choice["losers"]}
    for copy in machine.get("cuda", {}).get("libraries", []):
        known |= {copy.get("path")} | set(copy.get("names", []))
    for path in re.findall(r"^(/\S*cudnn\S*)$", text, re.M):
        table.add("collect_env", "cuDNN file", path, path if path in known else "not listed")


def find(part, *names):
    """The first of these keys at any depth: probes group their values as they like."""
    if isinstance(part, dict):
        for name in names:
            if name in part:
                return part[name]
        for child in part.values():
            hit = find(child, *names)
            if hit is not None:
                return hit
    return None


def first(items):
    return items[0] if items else None


def words(text):
    return {"Enabled": "True", "Disabled": "False", "Yes": "True", "No": "False"}.get(text, text)


def mebibytes(count):
    return None if count is None else f"{count // (1 << 20)} MiB"


def compare_smi(table: Table, root: xml.etree.ElementTree.Element, machine: dict):
    answers = machine.get("driver_answers") or {}
    nvml = answers.get("nvml", {})
    table.add("nvidia-smi", "driver version", root.findtext("driver_version"), value(machine["driver"]["version"]))
    table.add("nvidia-smi", "driver version (NVML)", root.findtext("driver_version"), value(nvml.get("driver_version")))
    cuda = value(nvml.get("cuda_driver_version"))
    table.add("nvidia-smi", "CUDA version", root.findtext("cuda_version"), cuda and f"{cuda // 1000}.{cuda % 1000 // 10}")
    table.add("nvidia-smi", "cards", root.findtext("attached_gpus"), len(machine["cards"]))
    by_location = {card["location"].lower(): card for card in machine.get("hardware", {}).get("devices", [])}
    by_module = {card["location"].lower(): card
                 for card in ((machine.get("driver_state") or {}).get("linux") or {}).get("cards", [])}
    for gpu in root.findall("gpu"):
        location = gpu.get("id").lower()[4:]
        card, module = by_location.get(location, {}), by_module.get(location, {})
        device = next((d for d in nvml.get("devices", []) if str(value(d["pci_bus_id"])).lower()[4:] == location), {})
        ids = gpu.findtext("pci/pci_device_id")
        table.add("nvidia-smi", f"{location} PCI ids", ids,
                  card and f"{card['device']:04X}{card['vendor']:04X}")
        table.add("nvidia-smi", f"{location} subsystem", gpu.findtext("pci/pci_sub_system_id"),
                  card and f"{card['subsystem_device']:04X}{card['subsystem_vendor']:04X}")
        link = gpu.find("pci/pci_gpu_link_info")
        if link is not None and card:
            generation, width = link.find("pcie_gen"), link.find("link_widths")
            table.add("nvidia-smi", f"{location} link generation (sysfs)", generation.findtext("current_link_gen"), value(card["link"]["generation"]))
            table.add("nvidia-smi", f"{location} link width (sysfs)", width.findtext("current_link_width").rstrip("x"), value(card["link"]["width"]))
            table.add("nvidia-smi", f"{location} most generation (sysfs)", generation.findtext("max_device_link_gen"), value(card["link"]["most_generation"]))
        table.add("nvidia-smi", f"{location} BAR1 (sysfs)", gpu.findtext("bar1_memory_usage/total"), mebibytes(value(card.get("window_bytes"))))
        for name, path in (("model", "product_name"), ("uuid", "uuid"), ("video_bios", "vbios_version"),
                           ("minor", "minor_number"), ("firmware", "gsp_firmware_version")):
            table.add("nvidia-smi", f"{location} {name} (/proc)", gpu.findtext(path), value(module.get(name)))
        for name, path in (("name", "product_name"), ("uuid", "uuid"), ("serial", "serial"), ("minor_number", "minor_number"),
                           ("vbios_version", "vbios_version"), ("gsp_firmware_version", "gsp_firmware_version"),
                           ("architecture", "product_architecture"), ("compute_mode", "compute_mode"),
                           ("persistence_mode", "persistence_mode"), ("display_active", "display_active"),
                           ("mig_mode", "mig_mode/current_mig"), ("mig_mode_pending", "mig_mode/pending_mig"),
                           ("ecc_mode", "ecc_mode/current_ecc"), ("ecc_mode_pending", "ecc_mode/pending_ecc"),
                           ("pcie_generation_max", "pci/pci_gpu_link_info/pcie_gen/max_link_gen"),
                           ("compute_capability", "cuda_compute_capability")):
            table.add("nvidia-smi", f"{location} {name} (NVML)", words(gpu.findtext(path)), value(device.get(name)))
        table.add("nvidia-smi", f"{location} virtualization (NVML)", gpu.findtext("gpu_virtualization_mode/virtualization_mode", "").replace("-", ""),
                  value(device.get("virtualization_mode")))
        for name, path in (("memory_total", "fb_memory_usage/total"), ("bar1_total", "bar1_memory_usage/total")):
            table.add("nvidia-smi", f"{location} {name} (NVML)", gpu.findtext(path), mebibytes(value(device.get(name))))
        limit = value(device.get("power_limit"))
        table.add("nvidia-smi", f"{location} power limit (NVML)", gpu.findtext("gpu_power_readings/current_power_limit"),
                  limit and f"{limit / 1000:.2f} W")


def compare_nvcc(table: Table, text: str, machine: dict):
    release = first(re.findall(r"\bV(\d+\.\d+\.\d+)", text))
    toolkits = machine.get("cuda", {}).get("toolkits", [])
    known = {json.dumps(value(part)) for toolkit in toolkits for part in toolkit.values()}
    hit = any(release and release in text for text in known)
    table.add("nvcc -V", "release", release, release if hit else ", ".join(sorted(known))[:200] if toolkits else None)


def output_of(command: list) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb")
    parser.add_argument("--python")
    parser.add_argument("--saved", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.saved:
        read = lambda name: (arguments.saved / name).read_text() if (arguments.saved / name).exists() else ""  # noqa: E731
        snapshot = json.loads(read("snapshot.json"))
        collected, smi, pip, conda, nvcc = (read(n) for n in ("collect_env.txt", "smi.xml", "pip.json", "conda.json", "nvcc.txt"))
    else:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            subprocess.run([arguments.plumb, "snapshot", "-q", "--no-redact", "--deep", "-o", file.name, "--env", arguments.python], check=True)
            snapshot = json.loads(pathlib.Path(file.name).read_text())
        collected = output_of([arguments.python, "-m", "torch.utils.collect_env"])
        smi = output_of(["nvidia-smi", "-q", "-x"])
        pip = output_of([arguments.python, "-m", "pip", "list", "--format", "json"]) or output_of(
            ["uv", "pip", "list", "--format", "json", "--python", arguments.python])
        conda, nvcc = output_of(["conda", "list", "--json"]), output_of(["nvcc", "-V"])
    table = Table()
    machine = snapshot["machine"]
    if collected:
        compare_collect_env(table, collected, snapshot)
    if smi:
        compare_smi(table, xml.etree.ElementTree.fromstring(smi), machine)
    if pip:
        compare_packages(table, "pip list", json.loads(pip), {d["normalized"]: d["version"] for d in machine["distributions"]})
    if conda and machine["conda_packages"]:
        compare_packages(table, "conda list", json.loads(conda), {p["name"]: p["version"] for p in machine["conda_packages"]})
    if nvcc:
        compare_nvcc(table, nvcc, machine)
    table.print()
    return 1 if table.differ else 0


if __name__ == "__main__":
    sys.exit(main())
