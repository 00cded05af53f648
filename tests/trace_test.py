#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the default run does to a machine, by the system calls that it makes (strace).

`plumb snapshot` and `plumb check` look at the running machine. They must not start a program, open a GPU's device, load
a driver's library, write anything but the file asked for, or read a file of sysfs that wakes a sleeping card. Exit
code 77 (skipped) where strace is missing or may not trace.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CALL = re.compile(r'^\d+ +(\w+)\((.*)$')
OPENED = re.compile(r'"((?:[^"\\]|\\.)*)"')
DEVICE = re.compile(r"^/dev/(nvidia|dxg|dri|kfd)")
DRIVER = re.compile(r"/(libcuda|libnvidia-[a-z]+|nvcuda)\b[^>]*>")
WAKES = re.compile(r"/(current_link_speed|current_link_width|max_link_width|config|resource\d.*|rom)$")


def faults_of(trace: str, output: str) -> list:
    faults, states_read = [], set()
    programs = 0
    for line in trace.splitlines():
        call = CALL.match(line)
        if not call:
            continue
        name, arguments = call.groups()
        path = OPENED.search(arguments)
        path = path.group(1) if path else ""
        if name == "execve":
            programs += 1
        elif name in ("open", "openat", "openat2"):
            if DEVICE.match(path):
                faults.append(f"opens a device: {line}")
            if re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", arguments) and not path.startswith(output):
                faults.append(f"opens for writing: {line}")
            folder = path.rpartition("/")[0]
            if path.endswith("/power/runtime_status"):
                states_read.add(folder.rpartition("/")[0])
            if path.startswith("/sys/") and WAKES.search(path) and (
                    folder not in states_read or path.endswith("/config") or path.endswith("/rom")):
                faults.append(f"may wake a card: {line}")
        elif name == "mmap" and "PROT_EXEC" in arguments and DRIVER.search(arguments):
            faults.append(f"loads a driver's library: {line}")
        elif name in ("connect", "unlink", "unlinkat", "mkdir", "mkdirat", "symlink", "chmod", "kill"):
            faults.append(f"changes or reaches something: {line}")
    if programs != 1:
        faults.append(f"starts programs: {programs - 1}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--env", help="the Python environment to look at")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch) / "trace"
        strace = ["strace", "-f", "-y", "-s", "4096", "-o", str(trace)]
        if not shutil.which("strace") or subprocess.run([*strace, "true"], capture_output=True).returncode != 0:
            print("strace cannot trace here: skipped")
            return 77
        environment = ["--env", arguments.env] if arguments.env else []
        output = str(pathlib.Path(scratch) / "snapshot.json")
        faults = []
        for command in (["snapshot", "-q", "-o", output], ["check"]):
            run = subprocess.run([*strace, arguments.plumb, *command, *environment], capture_output=True, text=True)
            if run.returncode not in (0, 1, 3):
                faults.append(f"plumb {command[0]} ends with {run.returncode}: {run.stderr}")
            text = trace.read_text(errors="surrogateescape")
            found = faults_of(text, output)
            faults += [f"plumb {command[0]}: {fault}" for fault in found]
            print(f"plumb {command[0]}: {len(text.splitlines())} system calls, {len(found)} faults")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
