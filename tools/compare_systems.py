#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the Windows program (under Wine) against the Linux one: the same JSON for the same inputs, byte for byte.

    tools/compare_systems.py --linux build/release/plumb --windows build/windows/plumb.exe [--gpu 8.9] FILE...

Both run with --exports, one file at a time and in its own folder, so that paths are plain names.
"""
import argparse
import pathlib
import subprocess
import sys


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linux", default=str(root / "build/release/plumb"))
    parser.add_argument("--windows", default=str(root / "build/windows/plumb.exe"))
    parser.add_argument("--launcher", default=str(root / "cmake/wine.sh"))
    parser.add_argument("--gpu", action="append", default=[])
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    cards = [word for card in arguments.gpu for word in ("--gpu", card)]
    differ = total = 0
    for name in arguments.files:
        path = pathlib.Path(name).resolve()
        options = ["inspect", "--json", "--exports", *cards, path.name]
        linux = subprocess.run([str(pathlib.Path(arguments.linux).resolve()), *options], cwd=path.parent, capture_output=True, check=False)
        windows = subprocess.run([arguments.launcher, str(pathlib.Path(arguments.windows).resolve()), *options],
                                 cwd=path.parent, capture_output=True, check=False)
        total += len(linux.stdout)
        if linux.stdout != windows.stdout or linux.returncode != windows.returncode:
            differ += 1
            print(f"differs: {name} (exit codes {linux.returncode}, {windows.returncode}; "
                  f"{len(linux.stdout)} and {len(windows.stdout)} bytes)")
    print(f"{len(arguments.files)} inputs, {total} bytes of JSON: {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
