#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `plumb inspect --json` says of Windows DLLs with objdump -p, name by name.

    tools/compare_pe.py --plumb build/release/plumb /usr/lib/x86_64-linux-gnu/wine/x86_64-windows

Takes files and folders; prints each difference and a summary, exits 1 if there was a difference or fewer than
--at-least files. objdump does not list delay imports: those are read here, from the headers that it prints.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".dll", ".exe", ".pyd", ".node", ".drv", ".ocx", ".sys", ".cpl", ".acm", ".ax"}


def objdump(program: str, *arguments: str) -> str:
    done = subprocess.run([program, *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "surrogateescape")


def read_delay_imports(path: pathlib.Path, private: str, headers: str) -> list[str]:
    directory = re.search(r"^Entry d ([0-9a-f]+) [0-9a-f]+ Delay Import", private, re.M)
    table = int(directory.group(1), 16) if directory else 0
    if not table:
        return []
    base = int(re.search(r"^ImageBase\s+([0-9a-f]+)", private, re.M).group(1), 16)
    sections = [(int(vma, 16) - base, int(size, 16), int(offset, 16)) for size, vma, offset in re.findall(
        r"^\s*\d+ \S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+2", headers, re.M)]
    with path.open("rb") as file:
        def read(rva: int, length: int) -> bytes:
            for start, size, offset in sections:
                if start <= rva < start + size:
                    file.seek(offset + rva - start)
                    return file.read(length)
            raise ValueError(f"{path}: RVA {rva:#x} is in no section")
        names = []
        while True:
            descriptor = read(table, 32)
            relative = descriptor[0] & 1
            name = int.from_bytes(descriptor[4:8], "little")
            if name == 0:
                return names
            text = read(name if relative else name - base, 4096)
            names.append(text[:text.index(0)].decode("utf-8", "surrogateescape"))
            table += 32


def read_reference(program: str, path: pathlib.Path) -> dict:
    private = objdump(program, "-p", str(path))
    exports, count = [], 0
    table = private.split("\nExport Address Table -- Ordinal Base", 1)
    if len(table) == 2:
        addresses, _, names = table[1].partition("[Ordinal/Name Pointer] Table")
        rows = re.findall(r"^\t\[ *(\d+)\] \+base\[ *(\d+)\]", addresses, re.M)
        named = re.findall(r"^\t\[ *(\d+)\](?: \+base\[ *\d+\])?\s+(?:[0-9a-f]{4} )?(\S.*)$", names, re.M)
        count = len(rows)
        with_name = {index for index, _ in named}
        exports = [name for _, name in named] + [f"#{ordinal}" for index, ordinal in rows if index not in with_name]
    name = re.search(r"^Name \t+[0-9a-f]+ (.+)$", private, re.M)
    return {
        "needs": re.findall(r"^\tDLL Name: (.*)$", private, re.M),
        "delay_needs": read_delay_imports(path, private, objdump(program, "-h", str(path))),
        "name": name.group(1) if name else None,
        "export_count": count,
        "exports": sorted(exports),
    }


def run_plumb(plumb: list[str], paths: list[pathlib.Path], *flags: str) -> dict[str, dict]:
    done = subprocess.run([*plumb, "inspect", "--json", *flags, *map(str, paths)], capture_output=True, check=False)
    return {file["path"]: file for file in json.loads(done.stdout)["files"]}


def find_files(roots: list[pathlib.Path]) -> list[pathlib.Path]:
    files = []
    for root in roots:
        inside = sorted(root.rglob("*")) if root.is_dir() else [root]
        files += [path for path in inside if path.suffix.lower() in SUFFIXES and path.is_file()]
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default="build/release/plumb")
    parser.add_argument("--objdump", default="x86_64-w64-mingw32-objdump")
    parser.add_argument("--at-least", type=int, default=50, help="fewer files than this is a failure")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    paths = find_files(options.paths)
    differences, compared, totals = 0, 0, collections.Counter()
    for begin in range(0, len(paths), 64):
        batch = paths[begin:begin + 64]
        counted = run_plumb(options.plumb.split(), batch)
        named = run_plumb(options.plumb.split(), batch, "--exports")
        for path in batch:
            expected = read_reference(options.objdump, path)
            if str(path) not in counted or str(path) not in named:
                print(f"{path}: plumb does not list it")
                differences += 1
                continue
            compared += 1
            seen = dict(counted[str(path)], export_count=counted[str(path)]["exports"],
                        exports=sorted(named[str(path)]["exports"]))
            for key, value in expected.items():
                totals[key] += value if isinstance(value, int) else 0 if value is None else \
                    1 if isinstance(value, str) else len(value)
                if seen.get(key) != value:
                    differences += 1
                    print(f"{path}: {key}: plumb says {str(seen.get(key))[:300]}, objdump {str(value)[:300]}")
    print(f"{compared} files, {totals['needs']} imports, {totals['delay_needs']} delay imports, "
          f"{totals['export_count']} exports, {totals['name']} names: {differences} differences")
    return 1 if differences or compared < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
