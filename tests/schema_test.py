#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/snapshot.schema.json is what the program prints; PLUMB_UPDATE_GOLDEN=1 writes it anew."""
import argparse
import os
import pathlib
import subprocess
import sys


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    arguments = parser.parse_args()
    kept = pathlib.Path(__file__).resolve().parent.parent / "docs" / "snapshot.schema.json"
    printed = subprocess.run([arguments.plumb, "snapshot", "--schema"], check=True, capture_output=True).stdout
    if os.environ.get("PLUMB_UPDATE_GOLDEN"):
        kept.write_bytes(printed)
    if kept.read_bytes() != printed:
        print("docs/snapshot.schema.json is not what `plumb snapshot --schema` prints:\n"
              "  plumb snapshot --schema > docs/snapshot.schema.json")
        return 1
    print("docs/snapshot.schema.json is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
