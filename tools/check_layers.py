#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder of src/ includes from one it must not know (docs/architecture.md has the picture).

Also: every source file has its SPDX line, platform headers stay in their *_posix.cc / *_linux.cc / *_win32.cc
files, and no platform #if stands anywhere else.
"""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "base": [],
    "os": ["base"],
    "binary": ["base"],
    "facts": ["base", "binary"],
    "catalog": ["base"],
    "loader": ["base", "binary", "facts"],
    "judge": ["base", "binary", "facts", "catalog"],
    "observe": ["base", "os", "binary", "facts", "loader"],
    "report": ["base", "binary", "facts", "catalog", "loader", "judge"],
    "cli": ["base", "os", "binary", "facts", "catalog", "loader", "judge", "observe", "report"],
}
PLATFORM = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*(_WIN32|__linux__|__unix__|_MSC_VER|__MINGW)")
PLATFORM_HEADER = re.compile(r"#include <(windows\.h|unistd\.h|fcntl\.h|sys/|dirent\.h|dlfcn\.h|winver|cfgmgr)")
PAIR = re.compile(r"_(posix|linux|win32)(_test)?\.cc$")


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    faults = []
    for path in sorted([*root.glob("src/**/*.h"), *root.glob("src/**/*.cc"), *root.glob("tests/**/*.cc"),
                        *root.glob("tests/**/*.h"), *root.glob("fuzz/*.cc"), *root.glob("bench/*.cc")]):
        name = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        if not lines or "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
            faults.append(f"{name}:1: the first line must be the SPDX line")
        if not name.startswith("src/"):
            continue
        folder = path.relative_to(root / "src").parts[0]
        if folder not in MAY_INCLUDE:
            faults.append(f"{name}:1: folder src/{folder} is not in tools/check_layers.py")
            continue
        for number, line in enumerate(lines, 1):
            include = re.match(r'\s*#include "([^"/]+)/', line)
            if include:
                other = include.group(1)
                test_support = other == "support" and name.endswith(("_test.cc", "_test.h"))
                if other != folder and other not in MAY_INCLUDE[folder] and not test_support:
                    faults.append(f"{name}:{number}: src/{folder} must not include from {other}/")
            if not PAIR.search(name) and (PLATFORM.search(line) or PLATFORM_HEADER.search(line)):
                faults.append(f"{name}:{number}: platform code belongs in a _posix.cc / _win32.cc pair")
    print("\n".join(faults) if faults else "include directions, SPDX lines and platform pairs hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
