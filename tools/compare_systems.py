#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the Windows program (under Wine) against the Linux one: the same JSON for the same inputs, byte for byte.

    tools/compare_systems.py --linux build/release/plumb --windows build/windows/plumb.exe [--gpu 8.9] FILE...
    tools/compare_systems.py --trees [N]

Files go through `inspect --exports`, one at a time and in their own folder, so that paths are plain names. With --trees
`which --of FILE --symbols --root TREE` is asked for the worlds of tests/loader, N random ones of Linux (100) and all layouts
of tools/windows_layouts.py.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))


class Pair:
    def __init__(self, arguments):
        self.linux = [str(pathlib.Path(arguments.linux).resolve())]
        self.windows = [arguments.launcher, str(pathlib.Path(arguments.windows).resolve())]
        self.asked = self.differ = self.bytes = 0

    def ask(self, options: list, folder: pathlib.Path, shown: str) -> None:
        linux, windows = (subprocess.run([*program, *options], cwd=folder, capture_output=True, check=False)
                          for program in (self.linux, self.windows))
        self.asked += 1
        self.bytes += len(linux.stdout)
        if linux.stdout != windows.stdout or linux.returncode != windows.returncode:
            self.differ += 1
            print(f"differs: {shown} (exit codes {linux.returncode}, {windows.returncode}; "
                  f"{len(linux.stdout)} and {len(windows.stdout)} bytes)")


def linux_trees(scratch: pathlib.Path, count: int):
    """Yields (tree, files in it). Absolute paths in a world are the mounted system's own."""
    import loader_scenario
    settings = {"lib": "lib/x86_64-linux-gnu", "platform": "x86_64"}
    driver = loader_scenario.compile_driver(str(scratch))
    generator = loader_scenario.Generator(1, ["glibc-hwcaps/x86-64-v2"])
    cases = [loader_scenario.load_case(path) for path in sorted((ROOT / "tests/loader").glob("*.json"))]
    for number, scenario in enumerate(cases + [generator.scenario() for _ in range(count)]):
        tree = scratch / f"linux{number}"
        # Windows follows links itself: of what a mounted system's links mean only the relative ones are the same there.
        scenario = loader_scenario.fill(scenario, {"[W]": ""})
        scenario["files"] = [file for file in scenario.get("files", []) if file.get("kind") not in ("fifo", "link")]
        try:
            loader_scenario.make_world(scenario, str(tree), driver, settings)
        except OSError:
            continue  # a hard link to what was left out
        yield tree, [path for path in tree.rglob("*") if path.is_file()]


def windows_trees(scratch: pathlib.Path):
    import tiny_pe
    import windows_layouts
    for number, layout in enumerate(windows_layouts.LAYOUTS.values()):
        tree = scratch / f"windows{number}"
        (tree / "Windows/System32").mkdir(parents=True)
        files = []
        for path, what in layout["files"].items():
            if isinstance(what, str):
                continue
            file = tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(what, bytes):
                what = dict(what)
                cut = what.pop("cut", None)
                for key in ("imports", "delay_imports"):
                    if isinstance(what.get(key), list):
                        what[key] = {name: ["f"] for name in what[key]}
                what = tiny_pe.build(file.name, **what)[:cut]
            file.write_bytes(what)
            files.append(file)
        yield tree, files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linux", default=str(ROOT / "build/release/plumb"))
    parser.add_argument("--windows", default=str(ROOT / "build/windows/plumb.exe"))
    parser.add_argument("--launcher", default=str(ROOT / "cmake/wine.sh"))
    parser.add_argument("--gpu", action="append", default=[])
    parser.add_argument("--trees", nargs="?", type=int, const=100)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    pair = Pair(arguments)
    cards = [word for card in arguments.gpu for word in ("--gpu", card)]
    for name in arguments.files:
        path = pathlib.Path(name).resolve()
        pair.ask(["inspect", "--json", "--exports", *cards, path.name], path.parent, name)
    if arguments.trees is not None:
        chance = random.Random(1)
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            for trees in (linux_trees(scratch, arguments.trees), windows_trees(scratch)):
                for tree, files in trees:
                    for file in chance.sample(sorted(files), min(2, len(files))):
                        relative = os.path.relpath(file, scratch)
                        pair.ask(["which", "--json", "--symbols", "--root", tree.name, "--of", relative], scratch, relative)
    print(f"{pair.asked} inputs, {pair.bytes} bytes of JSON: {pair.differ} differ")
    return 1 if pair.differ else 0


if __name__ == "__main__":
    sys.exit(main())
