#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sum_tests.py BUILD_FOLDER... - adds up the last ctest runs of these folders: "N passed, N failed, N skipped".

Counts what a person calls a test: GoogleTest's single tests and the case files, not the programs that hold them; any
other ctest entry is one. A run that did not happen (the build failed) is one failure. Exits 1 if anything failed.
"""
import pathlib
import re
import sys

GTEST = re.compile(r"^\[  (PASSED |FAILED |SKIPPED) \] (\d+) tests?[.,]", re.MULTILINE)
CASES = re.compile(r"^cases: (\d+) passed, (\d+) failed", re.MULTILINE)
ENTRY = re.compile(r"^\d+/\d+ Testing: ", re.MULTILINE)


def count_entry(block: str) -> tuple:
    """(passed, failed, skipped) of one ctest entry, from its part of LastTest.log."""
    entry_passed = re.search(r"^Test Passed\.$", block, re.MULTILINE) is not None
    if cases := CASES.search(block):
        passed, failed, skipped = int(cases.group(1)), int(cases.group(2)), 0
    elif found := dict(GTEST.findall(block)):
        passed, failed, skipped = (int(found.get(word, 0)) for word in ("PASSED ", "FAILED ", "SKIPPED"))
    else:
        passed, failed, skipped = int(entry_passed), 0, 0
    # A crash or a time limit leaves no count behind, but is a failure all the same.
    return passed, max(failed, 0 if entry_passed else 1), skipped


def main() -> int:
    total = [0, 0, 0]
    for folder in sys.argv[1:]:
        log = pathlib.Path(folder) / "Testing" / "Temporary" / "LastTest.log"
        if not log.exists():
            print(f"{folder}: its tests did not run", file=sys.stderr)
            total[1] += 1
            continue
        text = log.read_text(encoding="utf-8", errors="replace")
        starts = [match.start() for match in ENTRY.finditer(text)] + [len(text)]
        for begin, end in zip(starts, starts[1:]):
            total = [a + b for a, b in zip(total, count_entry(text[begin:end]))]
    sys.stderr.flush()
    print(f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
