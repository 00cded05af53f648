#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the GPU targets that plumb finds in libraries with what NVIDIA's cuobjdump lists.

    tools/compare_cuobjdump.py --plumb build/release/plumb [--cuobjdump PATH] LIBRARY|FOLDER...
    tools/compare_cuobjdump.py --plumb ... --listed tests/real/h200/cuobjdump_targets.tsv --root SITE_PACKAGES

Every target of cuobjdump's must be among plumb's, with at least as many images. cuobjdump drops the `f` of a family
target (sm_103f is listed as sm_103) and sees only some sections, so plumb may list more; then the places are shown.
Exits 1 if plumb lacks one.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys


def list_with_cuobjdump(program: str, path: str) -> collections.Counter:
    targets: collections.Counter = collections.Counter()
    for option, prefix in (("-lelf", "sm_"), ("-lptx", "compute_")):
        done = subprocess.run([program, option, path], capture_output=True, text=True, errors="replace", check=False)
        for line in done.stdout.splitlines():
            match = re.search(r"\.sm_(\d+[af]?)\.(?:cubin|ptx)", line)
            if match and re.match(r"(ELF|PTX) file", line.strip()):
                targets[prefix + match.group(1)] += 1
    return targets


def inspect(program: str, paths: list[str]) -> list[dict]:
    done = subprocess.run([program, "inspect", "--json", *paths], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["files"]


def targets_of(file: dict) -> collections.Counter:
    targets: collections.Counter = collections.Counter()
    for kind in ("sass", "ptx"):
        for row in (file["gpu"] or {}).get(kind, []):
            targets[row["target"]] += row["images"]
    return targets


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default="build/release/plumb")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--listed", help="library<TAB>target<TAB>images lines, in place of running cuobjdump")
    parser.add_argument("--root", default="", help="the folder that the names of --listed start from")
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()

    known: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    if arguments.listed:
        for line in pathlib.Path(arguments.listed).read_text(encoding="utf-8").splitlines():
            fields = line.split("\t")
            if not line.startswith("#") and len(fields) == 3 and fields[1] != "-":
                known[str(pathlib.Path(arguments.root) / fields[0])][fields[1]] = int(fields[2])
        paths = sorted(known)
    else:
        paths = arguments.paths
    files = [file for file in inspect(arguments.plumb, paths) if file["gpu"]]
    if not arguments.listed:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            lists = pool.map(lambda file: list_with_cuobjdump(arguments.cuobjdump, file["path"]), files)
            for file, targets in zip(files, lists):
                known[file["path"]] = targets
    lacking = more = 0
    for file in files:
        mine, theirs = targets_of(file), known[file["path"]]
        # sm_103f counts for cuobjdump's sm_103.
        merged = collections.Counter(mine)
        for target, count in mine.items():
            if target.endswith("f"):
                merged[target[:-1]] += count
        lacks = {target: count for target, count in theirs.items() if merged[target] < count}
        extra = sorted(target for target in mine if target not in theirs and target.rstrip("f") not in theirs)
        counts = sum(mine.values()) - sum(theirs.values())
        if lacks:
            lacking += 1
            print(f"LACKS {file['path']}: {lacks}")
        if extra or counts:
            more += 1
            places = ", ".join(f"{place['containers']} in {place['section']} from {place['first_offset']}"
                               for place in file["gpu"]["places"])
            print(f"more  {file['path']}: {counts} more images, targets {' '.join(extra) or '(the same)'}; {places}")
    print(f"{len(files)} libraries with GPU code: plumb lacks something in {lacking}, lists more in {more}")
    return 1 if lacking or not files else 0


if __name__ == "__main__":
    sys.exit(main())
