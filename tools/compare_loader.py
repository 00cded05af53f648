#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds plumb's replay of the Linux loader against the real ld.so of this machine.

    tools/compare_loader.py --replay build/release/loader_replay tests/loader --random 2000
    tools/compare_loader.py --replay build/release/loader_replay --trace 500

Cases (tests/loader/*.json) and random scenarios (--random, --seed) are worlds of tiny libraries that a small program opens
step by step; tools/loader_scenario.py has the format. Compared after the start and after each step: success or
ld.so's message, the libraries that are loaded, in order, and the library to which each symbol of each new one is bound.
--trace holds the trees of as many of the system's programs and libraries (and of FOLDERs given by --in) against ldd.
Prints each difference and counts; exits 1 if there is one.
"""
import argparse
import difflib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import loader_scenario  # noqa: E402


class Replay:
    """The replay's answers, from one process."""

    def __init__(self, program: str):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request: dict) -> list[str]:
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            text = line.decode("utf-8", "surrogateescape").rstrip("\n")
            if text == "end":
                return lines
            lines.append(text)
        raise SystemExit("the replay ended in the middle")


def without_loader(lines: list[str]) -> list[str]:
    """Without what says nothing about the search: where ld.so and the kernel's vdso stand, which are in every process, and
    which of several folders' errors was the last when a bare name was looked for in vain."""
    lines = [re.sub(r"^((start )?fail [^/]*: cannot open shared object file): Not a directory$",
                    r"\1: No such file or directory", line) for line in lines]
    return [line for line in lines if not re.match(r"map (linux-vdso\.so\.1|.*/ld-linux[^/]*)$", line)]


class Comparison:
    def __init__(self, replay: Replay, show: int):
        self.replay = replay
        self.show = show
        self.settings = loader_scenario.read_settings()
        self.folder = tempfile.mkdtemp(prefix="plumb-loader-")
        self.driver = loader_scenario.compile_driver(self.folder)
        self.compared = self.steps = self.different = self.crashed = 0

    def differs(self, name: str, real: list[str], replayed: list[str], world="", scenario=None):
        self.different += 1
        if self.different > self.show:
            return
        print(f"== {name}: the real loader (-) and the replay (+)")
        for line in list(difflib.unified_diff(real, replayed, lineterm="", n=3))[2:]:
            print("  " + line.replace(world, "[W]") if world else "  " + line)
        if scenario:
            print("  " + json.dumps(scenario))

    def check(self, name: str, scenario: dict) -> bool:
        world = f"{self.folder}/w"
        filled = loader_scenario.make_world(scenario, world, self.driver, self.settings)
        try:
            real = without_loader(loader_scenario.run_real(filled, world))
            if real and real[-1].startswith("exit "):
                self.crashed += 1
                return True
            replayed = without_loader(self.replay.ask({"world": world, "scenario": filled}))
        finally:
            loader_scenario.clean(world)
        self.compared += 1
        self.steps += sum(line.startswith("step ") for line in real)
        same = real == replayed
        if not same:
            self.differs(name, real, replayed, world, scenario)
        for line in filled.get("expect", []):
            if line not in real:
                self.different += 1
                print(f"== {name}: the real loader does not say `{line}`\n  " + "\n  ".join(real).replace(world, "[W]"))
                same = False
        for line in filled.get("expect_not", []):
            if line in real:
                self.different += 1
                print(f"== {name}: the real loader says `{line}`")
                same = False
        return same

    def check_settings(self):
        told = json.loads("".join(self.replay.ask({"settings": True})))
        real = {key: self.settings[key] for key in told}
        if told != real:
            self.differs("settings", [f"{key} {real[key]}" for key in real], [f"{key} {told[key]}" for key in told])

    def check_trace(self, path: str) -> bool:
        """ldd's list against the replay's: the libraries that came, in order, and the names that led to nothing. False: ldd
        has nothing to say of the file."""
        done = subprocess.run(["ldd", path], capture_output=True, check=False, cwd="/",
                              env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        said = done.stdout.decode("utf-8", "surrogateescape")
        if done.returncode != 0 or "statically linked" in said or "not a dynamic executable" in said:
            return False
        real, missing = ["map "], set()
        for line in said.splitlines():
            match = re.match(r"\t(.*) => not found$", line)
            if match:
                missing.add(match[1])
                continue
            match = re.match(r"\t(?:.* => )?(.*) \(0x[0-9a-f]+\)$", line)
            if match:
                real.append("map " + match[1])
        real += [f"missing {name}" for name in sorted(missing)]
        replayed = self.replay.ask({"trace": path})
        self.compared += 1
        if without_loader(real) != without_loader(replayed):
            self.differs(path, without_loader(real), without_loader(replayed))
        return True


def is_dynamic(path: str) -> bool:
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(6) == b"\x7fELF\x02\x01"
    except OSError:
        return False


def system_files(more: list[str]) -> list[list[str]]:
    """Programs, libraries, and the files of each further folder, each in an order that is always the same."""
    def below(folder):
        return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)

    groups = [below("/usr/bin") + below("/usr/sbin"), below("/usr/lib")] + [below(folder) for folder in more]
    groups = [[path for path in group if is_dynamic(path)] for group in groups]
    for group in groups:
        random.Random(1).shuffle(group)
    return groups


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="case files, or folders of them")
    parser.add_argument("--replay", required=True, help="the built loader_replay")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random scenarios")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first random scenario")
    parser.add_argument("--trace", type=int, default=0, metavar="N", help="N files of the system against ldd")
    parser.add_argument("--in", dest="folders", action="append", default=[], metavar="FOLDER", help="with --trace: more files")
    parser.add_argument("--show", type=int, default=10, help="differences that are printed in full")
    arguments = parser.parse_args()
    comparison = Comparison(Replay(arguments.replay), arguments.show)
    try:
        comparison.check_settings()
        cases = []
        for place in map(pathlib.Path, arguments.cases):
            cases += sorted(place.glob("*.json")) if place.is_dir() else [place]
        for case in cases:
            comparison.check(case.name, loader_scenario.load_case(case))
        for number in range(arguments.first, arguments.first + arguments.random):
            generator = loader_scenario.Generator(f"{arguments.seed}-{number}", comparison.settings["hwcaps"])
            comparison.check(f"random {arguments.seed} {number}", generator.scenario())
        if arguments.trace:
            groups = system_files(arguments.folders)
            wanted = arguments.trace
            while wanted and any(groups):
                for group in filter(None, groups):
                    if wanted and comparison.check_trace(group.pop()):
                        wanted -= 1
    finally:
        loader_scenario.clean(comparison.folder)
    crashed = f", {comparison.crashed} that killed ld.so left out" if comparison.crashed else ""
    print(f"{comparison.compared} compared ({comparison.steps} dlopen steps){crashed}: {comparison.different} differences")
    return 1 if comparison.different or not comparison.compared else 0


if __name__ == "__main__":
    sys.exit(main())
