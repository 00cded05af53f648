#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `plumb inspect --json` says of ELF files with readelf and nm.

    tools/compare_elf.py --plumb build/release/plumb /usr/lib /usr/local/cuda/lib64

Takes files and folders; prints each difference and a summary, exits 1 if there was a difference or fewer than
--at-least files. What is compared, and with what:

  class, machine          readelf -hW
  needs (in order), name, rpath, runpath   readelf -dW
  glibc_min               readelf -VW: the highest GLIBC_x.y among the versions needed; GLIBC_ABI_DT_RELR is 2.36
  exports                 readelf --dyn-syms -W, as a multiset: symbols that are defined, of binding global, weak or
                          unique, and visible (default or protected); `name@@VERSION` is the default version,
                          `name@VERSION` another one. Their names alone must also be in nm -D --defined-only.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

MACHINES = {
    "Advanced Micro Devices X86-64": "x86_64", "Intel 80386": "i386", "AArch64": "aarch64", "ARM": "arm",
    "IBM S/390": "s390x", "RISC-V": "riscv64", "LoongArch": "loongarch", "PowerPC": "ppc", "MIPS R3000": "mips",
}


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, check=False, env=dict(os.environ, LC_ALL="C"))
    return done.stdout.decode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    """As plumb prints bytes that are not UTF-8: \\xNN."""
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def read_glibc_floor(versions: str) -> str | None:
    found = []
    for section in re.split(r"^Version ", versions, flags=re.M):
        if section.startswith("needs section"):
            found += [match or "2.36" for match in
                      re.findall(r"Name: GLIBC_(?:([0-9]+(?:\.[0-9]+)*)|ABI_DT_RELR)\s", section)]
    return max(found, key=version_key, default=None)


def read_exports(path: str) -> collections.Counter:
    symbols = collections.Counter()
    # Rows such as `12: 0000000000001139 11 FUNC GLOBAL DEFAULT 13 name@@VERSION`.
    for line in run("readelf", "--dyn-syms", "-W", path).splitlines():
        match = re.match(r" *\d+: [0-9a-f]+ +\S+ +(\S+) +(GLOBAL|WEAK|UNIQUE|<OS specific>: 10) +(DEFAULT|PROTECTED)"
                         r"(?: +\[.*?\])? +(\S+) (.+)$", line)
        if match and match[4] != "UND" and match[1] not in ("SECTION", "FILE"):
            symbols[printable(re.sub(r" \(\d+\)$", "", match[5]))] += 1
    return symbols


def read_names(path: str) -> collections.Counter:
    """Defined dynamic symbols without versions; hidden and internal ones too, which nm does not tell apart."""
    rows = re.findall(r"^[0-9a-f]* +([A-Zui]) (.*)$", run("nm", "-D", "--defined-only", "--without-symbol-versions", path),
                      re.M)
    return collections.Counter(printable(name) for _, name in rows)


def read_reference(path: str) -> dict:
    header = run("readelf", "-hW", path)
    dynamic = run("readelf", "-dW", path)
    elf_class = re.search(r"Class: +ELF(\d\d)", header)[1]
    little = "little endian" in header
    machine = re.search(r"Machine: +(.*)", header)[1].strip()
    if machine == "PowerPC64":
        known = "ppc64le" if little else "ppc64"
    elif (machine, elf_class) == ("Advanced Micro Devices X86-64", "32"):
        known = "x32"
    else:
        known = MACHINES.get(machine, machine)

    def entries(tag: str) -> list[str]:
        return [printable(text) for text in re.findall(rf"^ 0x[0-9a-f]+ \({tag}\) .*\[(.*)\]$", dynamic, re.M)]

    def last(tag: str) -> str | None:
        return (entries(tag) or [None])[-1]
    return {
        "format": "elf" + elf_class, "machine": known, "needs": entries("NEEDED"), "name": last("SONAME"),
        "rpath": last("RPATH"), "runpath": last("RUNPATH"),
        "glibc_min": read_glibc_floor(run("readelf", "-VW", path)), "exports": read_exports(path),
    }


def is_elf(path: pathlib.Path) -> bool:
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return False
    big = head[5:6] == b"\x02"
    return head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "big" if big else "little") != 190  # no cubins


def find_files(roots: list[pathlib.Path], names: str | None) -> list[str]:
    files = []
    for root in roots:
        inside = sorted(root.rglob("*")) if root.is_dir() else [root]
        files += [str(path) for path in inside if (names is None or re.search(names, path.name)) and is_elf(path)]
    return list(dict.fromkeys(files))


def show(value: object) -> str:
    return str(value)[:300]


def compare(path: str, seen: dict, expected: dict) -> list[str]:
    found = []
    for key, value in expected.items():
        if key == "exports":
            listed = collections.Counter(seen["exports"])
            extra, missing = listed - value, value - listed
            if extra or missing:
                found.append(f"{path}: exports: plumb alone {extra.total()} {show(list(extra)[:5])}, "
                             f"readelf alone {missing.total()} {show(list(missing)[:5])}")
            unknown = collections.Counter(name.partition("@")[0] for name in listed.elements()) - read_names(path)
            if unknown:
                found.append(f"{path}: exports: {unknown.total()} unknown to nm: {show(list(unknown)[:5])}")
        elif seen.get(key) != value:
            found.append(f"{path}: {key}: plumb says {show(seen.get(key))}, readelf {show(value)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default="build/release/plumb")
    parser.add_argument("--names", help="only files whose name matches this regular expression")
    parser.add_argument("--at-least", type=int, default=300, help="fewer files than this is a failure")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    paths = find_files(options.paths, options.names)
    differences, compared, totals = 0, 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for begin in range(0, len(paths), 64):
            batch = paths[begin:begin + 64]
            files = {}
            for flags in ([], ["--exports"]):
                said = json.loads(run(*options.plumb.split(), "inspect", "--json", *flags, *batch))
                for file in said["files"]:
                    files.setdefault(file["path"], {}).update(file, **({} if flags else {"count": file["exports"]}))
                for error in said["errors"] if flags else []:
                    print(f"{error['path']}: plumb: {error['code']}: {error['message']}")
            for path, expected in zip(batch, pool.map(read_reference, batch)):
                seen = files.get(printable(path))
                if seen is None:
                    found = [f"{path}: plumb does not list it"]
                else:
                    found = compare(path, seen, expected)
                    if seen["count"] != len(seen["exports"]):
                        found.append(f"{path}: {seen['count']} exports counted, {len(seen['exports'])} named")
                compared += 1
                differences += len(found)
                for line in found:
                    print(line)
                totals["needs"] += len(expected["needs"])
                totals["exports"] += expected["exports"].total()
                for key in ("name", "rpath", "runpath", "glibc_min"):
                    totals[key] += expected[key] is not None
    print(f"{compared} files, {totals['needs']} needed, {totals['name']} sonames, {totals['rpath']} RPATH, "
          f"{totals['runpath']} RUNPATH, {totals['glibc_min']} with a glibc version, {totals['exports']} exports: "
          f"{differences} differences")
    return 1 if differences or compared < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
