#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `plumb which --of FILE --symbols` against `ldd -r FILE` on programs and libraries of this machine.

compare_symbols.py --plumb PROGRAM [--count N] [--seed S] [FILE...]

Without files, N (200) are drawn from the system's folders. Prints each difference and a count; exits 1 on any.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

FOLDERS = ("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/local/lib", "/usr/libexec")
UNDEFINED = re.compile(r"^undefined symbol: ([^,\s]+)(?:, version (\S+))?\s+\((.+)\)$")
UNVERSIONED = re.compile(r"^symbol (\S+), version (\S+) not defined in file (\S+) with link time reference\s+\((.+)\)$")
NO_VERSION = re.compile(r"^(?:.*: )?(\S+): version `([^']+)' not found \(required by (.+)\)$")


def is_dynamic(path: pathlib.Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return False
    # A program that runs with more rights than its caller is not traced by ldd in the same way.
    return head[:5] == b"\x7fELF\2" and head[18] == 62 and head[16] in (2, 3) and not path.stat().st_mode & 0o6000


def draw(count: int, seed: int) -> list:
    found = []
    for folder in FOLDERS:
        for where, _, names in os.walk(folder):
            found += [pathlib.Path(where) / name for name in names
                      if ".so" in name or where in ("/usr/bin", "/usr/sbin")]
    random.Random(seed).shuffle(found)
    chosen = []
    for path in sorted(found, key=lambda p: random.Random(f"{seed}{p}").random()):
        if len(chosen) == count:
            break
        if path.is_file() and not path.is_symlink() and is_dynamic(path):
            chosen.append(path)
    return chosen


def by_ldd(path: pathlib.Path):
    done = subprocess.run(["ldd", "-r", str(path)], capture_output=True, text=True, errors="replace", check=False)
    text = done.stdout + done.stderr
    if "not a dynamic executable" in text or "statically linked" in text:
        return None
    missing = set()
    for line in text.splitlines():
        line = line.strip()
        if hit := UNDEFINED.match(line):
            missing.add(("symbol", hit[1], hit[2] or "", os.path.realpath(hit[3])))
        elif hit := UNVERSIONED.match(line):
            missing.add(("symbol", hit[1], hit[2], os.path.realpath(hit[4])))
        elif hit := NO_VERSION.match(line):
            missing.add(("version", "", hit[2], os.path.realpath(hit[3])))
    return missing


def by_plumb(plumb: str, path: pathlib.Path):
    done = subprocess.run([plumb, "which", "--of", str(path), "--symbols", "--json"], capture_output=True, text=True,
                          check=False)
    report = json.loads(done.stdout)
    missing = set()
    for entry in report["missing_symbols"]:
        file = os.path.realpath(entry["file"])
        if entry["symbol"] is None:
            missing.add(("version", "", entry["version"], file))
        else:
            missing.add(("symbol", entry["symbol"], entry["version"] or "", file))
    return missing


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    compared = different = symbols = 0
    for path in arguments.files or draw(arguments.count, arguments.seed):
        real = by_ldd(path)
        if real is None:
            continue
        said = by_plumb(arguments.plumb, path)
        compared += 1
        symbols += len(real)
        # Where the library that a version is needed of is missing, ldd tells some of its symbols without the version.
        if {(kind, name, file) for kind, name, version, file in said} == {(kind, name, file) for kind, name, version, file in real} \
                and all(entry[2] == "" for entry in real - said):
            continue
        if said != real:
            different += 1
            print(f"DIFFERS {path}")
            for name, only in (("ldd", real - said), ("plumb", said - real)):
                for entry in sorted(only)[:5]:
                    print(f"  only {name}: {entry}")
    print(f"symbols: {compared} files compared, {symbols} missing symbols in them, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
