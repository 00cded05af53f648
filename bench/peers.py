#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times plumb against other readers of the same files, in the same run.

    bench/peers.py --plumb build/release/plumb [--cuobjdump PATH] [--runs 5] libtorch_cuda.so torch-2.14.1-....whl

For a library: `cuobjdump -lelf`, `readelf -dW`, and a walk over `.nv_fatbin` in Python. For a wheel: `unzip -t`.
What is not installed is left out. cuobjdump comes with the CUDA toolkit, or from PyPI (nvidia-cuda-cuobjdump).
Prints the least wall time of all runs, warm, and how many times plumb's that is; for plumb also its peak memory.
"""
import argparse
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time


def timed(command: list[str], runs: int) -> tuple[float, int] | None:
    """Least seconds and most memory (KB) of the runs; None if it is not there or failed."""
    if shutil.which(command[0]) is None:
        return None
    least, most = float("inf"), 0
    for _ in range(runs):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        least = min(least, time.perf_counter() - start)
        most = max(most, usage.ru_maxrss)
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            return None
    return least, most


def walk_in_python(path: str) -> int:
    """Entry headers of the containers of .nv_fatbin, as a script would read them."""
    with open(path, "rb") as file:
        header = file.read(64)
        if header[:4] != b"\x7fELF" or header[4] != 2:
            return 0
        table, = struct.unpack_from("<Q", header, 40)
        count, names_index = struct.unpack_from("<HH", header, 60)
        file.seek(table)
        sections = [struct.unpack_from("<IIQQQQ", raw) for raw in
                    (file.read(64) for _ in range(count))]
        file.seek(sections[names_index][4])
        names = file.read(sections[names_index][5])
        images = 0
        for name, _, _, _, offset, size in sections:
            if not names[name:].startswith(b".nv_fatbin\0"):
                continue
            at = offset
            while at < offset + size:
                file.seek(at)
                magic, _, _, length = struct.unpack("<IHHQ", file.read(16))
                if magic != 0xBA55ED50:
                    break
                end = at + 16 + length
                at += 16
                while at < end:
                    file.seek(at)
                    entry = file.read(64)
                    header_size, = struct.unpack_from("<I", entry, 4)
                    stored, = struct.unpack_from("<Q", entry, 8)
                    at += header_size + stored
                    images += 1
        return images


def timed_python(path: str, runs: int) -> float | None:
    least = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        if walk_in_python(path) == 0:
            return None
        least = min(least, time.perf_counter() - start)
    return least


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default="build/release/plumb")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    start_up = timed([arguments.plumb, "--version"], 20)
    if start_up is None:
        parser.error(f"cannot run {arguments.plumb}")
    print(f"plumb --version   {start_up[0] * 1000:.1f} ms")
    for path in arguments.files:
        print(f"\n{pathlib.Path(path).name}   {pathlib.Path(path).stat().st_size / 1e6:.1f} MB")
        wheel = path.endswith(".whl")
        mine = timed([arguments.plumb, "inspect", "--quiet", path], arguments.runs)
        if mine is None:
            print("  plumb failed")
            continue
        print(f"  {'plumb inspect':24} {mine[0] * 1000:10.1f} ms   peak memory {mine[1] / 1000:.0f} MB")
        others: list[tuple[str, float | None]] = []
        if wheel:
            verified = timed([arguments.plumb, "inspect", "--quiet", "--verify", path], 1)
            others.append(("plumb inspect --verify", verified and verified[0]))
            unzipped = timed(["unzip", "-t", path], 1)
            others.append(("unzip -t", unzipped and unzipped[0]))
        else:
            listed = timed([arguments.cuobjdump, "-lelf", path], 1)
            others.append(("cuobjdump -lelf", listed and listed[0]))
            read = timed(["readelf", "-dW", path], arguments.runs)
            others.append(("readelf -dW", read and read[0]))
            others.append(("Python, .nv_fatbin only", timed_python(path, arguments.runs)))
        for name, seconds in others:
            if seconds is None:
                print(f"  {name:24} {'–':>10}")
            else:
                print(f"  {name:24} {seconds * 1000:10.1f} ms   {seconds / mine[0]:.2f} times plumb's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
