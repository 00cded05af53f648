#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what plumb says of the corpus with what a real card did with it (results.jsonl).

    python3 check.py --plumb PROGRAM [--launcher WINE.SH] [--programs OUT] [--verbose]

Each file of bin/ is judged whole; each container of a file that holds several is also cut out and
judged alone, so that two slips cannot make up for each other. README.md, "Compare", has the rules.
Needs no card. Prints a line a case; exits with 1 if a prediction was wrong.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent

# What results.jsonl cannot tell: containers that the card refused, or found no kernel in, for another
# reason than their targets. By file; the numbers of its containers.

# Relocatable code not yet linked. The driver loads it (0) and finds the kernel only once its missing
# function is there; the programs prog_rdc* show that it then runs.
UNLINKED = {
    "rdc_fatbin_90_open.fatbin": {0},
    "rdc_fatbin_ptx_90_open.fatbin": {0},
    "rdc_object.o": {0},
    "rdc_archive.a": {0, 1},
    "rdc_linked.so": {0, 1},
    "rdc_linked_80_only.so": {0, 1},
    "rdc_linked_80_ptx.so": {0, 1},
}
# No kernel for any card, and no image for this one: nvcc's link stub.
STUBS = {"so_link_stub.so": {1}}
# LTO IR and nothing else: matter for a link, which the driver does not load.
LTO_ONLY = {"lto_80.fatbin": {0}, "lto_90.fatbin": {0}, "lto_linked.so": {0, 1}}

# Files that an application gets its kernels from by a link: the program made the same way shows what
# becomes of the whole.
PROGRAM_OF = {
    "lto_linked.so": "prog_lto",
    "rdc_linked.so": "prog_rdc",
    "rdc_linked_80_only.so": "prog_rdc_80",
    "rdc_linked_80_ptx.so": "prog_rdc_ptx",
}
# A unit made for one generation alone is asked for by no other card: here the one for 12.0a.
ONE_GENERATION = {"so_three_generations.so": {3}}


def version(text):
    return tuple(int(part) for part in re.findall(r"\d+", text))


# ---- What the card did ---------------------------------------------------------------------------

class Results:
    def __init__(self, path):
        self.files = {}     # file -> container -> pass -> lines
        self.programs = {}  # program -> kernel -> loading -> line
        self.header = None
        for text in path.read_text().splitlines():
            line = json.loads(text)
            if "date" in line:
                self.header = self.header or line
            elif "program" in line:
                kernels = self.programs.setdefault(line["program"], {})
                kernels.setdefault(line["kernel"], {})[line["loading"]] = line
            else:
                containers = self.files.setdefault(line["file"], {})
                if line["container"] is not None:
                    passes = containers.setdefault(line["container"], {"on": [], "off": []})
                    passes[line["jit"]].append(line)

    def container(self, file, number):
        """One of native, jit, too_new, none, aside, lto; or a text starting with `?`."""
        passes = self.files[file][number]
        lines, without_jit = passes["on"], passes["off"]
        if any("died" in line for line in lines + without_jit):
            return "? died"
        loads = {line["load"] for line in lines}
        if loads == {209}:
            if number in STUBS.get(file, ()):
                return "aside"
            return "lto" if number in LTO_ONLY.get(file, ()) else "none"
        if loads == {222}:
            return "too_new"
        if loads != {0}:
            return f"? load {loads}"
        if lines[0]["function"] == 500:
            if number not in UNLINKED.get(file, ()):
                return "aside"
        elif not all(line["function"] == 0 and line["launch"] == 0 and
                     line["value"] in ("ok", "unchanged") for line in lines):
            return "? launch"
        return "native" if {line["load"] for line in without_jit} == {0} else "jit"

    def program(self, name):
        """The same for each kernel of a program. SASS of another major cannot run: that was the JIT."""
        for kernel, by_loading in self.programs[name].items():
            seen = {(line["error"], line["value"], line["image"]) for line in by_loading.values()}
            if len(seen) != 1:
                yield f"? {kernel} differs by CUDA_MODULE_LOADING"
                continue
            error, value, image = seen.pop()
            if error == 0 and value in ("ok", "unchanged"):
                major = self.header["compute_capability"].split(".")[0]
                native = image is None or re.sub(r"\d[af]?$", "", image) == major
                yield "native" if native else "jit"
            else:
                yield {209: "none", 222: "too_new", 500: "aside"}.get(error, f"? error {error}")


# ---- What plumb said -----------------------------------------------------------------------------

class Prediction:
    def __init__(self, entry, header):
        verdicts = entry.get("verdicts") or []
        if len(verdicts) > 1:
            raise ValueError(f"{len(verdicts)} verdicts for one card")
        verdict = verdicts[0] if verdicts else {}
        self.result = verdict.get("result", "none")
        self.containers = (entry.get("gpu") or {}).get("containers", 0)
        self.native, self.jit, self.none = (verdict.get(key, 0) for key in ("native", "jit", "none"))
        self.empty = verdict.get("empty", self.containers)
        self.driver = verdict.get("driver_linux") or ""
        self.driver_is_enough = version(self.driver) <= version(header["driver"])

    def __str__(self):
        text = f"{self.result}, {self.native} native {self.jit} jit {self.none} none"
        return f"{text}, driver {self.driver}" if self.jit and self.driver else text


def inspect(command, folder, names, gpu):
    """plumb's entries by file name. One run; paths relative, so that they hold under Wine too."""
    done = subprocess.run(command + ["inspect", "--json", "--gpu", gpu] + names, cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"check.py: no JSON from plumb (exit code {done.returncode}):\n" +
                 done.stderr.decode(errors="replace"))
    if report["errors"]:
        sys.exit(f"check.py: plumb could not read a file of the corpus: {report['errors']}")
    return {re.split(r"[/\\]", entry["path"])[-1]: entry for entry in report["files"]}


# ---- Comparing -----------------------------------------------------------------------------------

def expected_result(outcomes):
    count = Counter(outcomes)
    if not count["native"] + count["jit"] + count["too_new"]:
        return "none"
    if count["none"]:
        return "partial"
    return "jit" if count["jit"] + count["too_new"] else "native"


def differences(said, outcomes, result, counts_count=True):
    """Why the prediction is wrong; empty if it is right."""
    count = Counter(outcomes)
    if counts_count:
        if said.containers != len(outcomes):
            yield f"{len(outcomes)} containers are there, plumb found {said.containers}"
        if said.native != count["native"]:
            yield f"{count['native']} ran as built"
        if said.jit != count["jit"] + count["too_new"]:
            yield f"{count['jit']} ran after JIT, {count['too_new']} had PTX too new for the driver"
        if not count["none"] <= said.none <= count["none"] + count["lto"]:
            yield f"{count['none']} had nothing for the card"
        if said.native + said.jit + said.none + said.empty != said.containers:
            yield f"native, jit, none and empty ({said.empty}) are not {said.containers} in all"
    if said.jit and said.driver_is_enough != (count["too_new"] == 0):
        yield f"PTX was {'too new' if count['too_new'] else 'known'} to the card's driver"
    if said.result != result:
        yield f"expected {result}"
    yield from (outcome for outcome in outcomes if outcome.startswith("?"))


def container_bytes(path, offset):
    data = path.read_bytes()
    return data[offset:offset + 16 + int.from_bytes(data[offset + 8:offset + 16], "little")]


def cut_containers(results, folder):
    """Writes each container of the files with several; yields its name, file and number."""
    for file, containers in results.files.items():
        for number, passes in containers.items():
            if len(containers) > 1:
                name = f"{file}.{number}.fatbin"
                offset = passes["on"][0]["offset"]
                (folder / name).write_bytes(container_bytes(HERE / "bin" / file, offset))
                yield name, file, number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plumb", required=True, help="the program")
    parser.add_argument("--launcher", help="what starts it, such as cmake/wine.sh")
    parser.add_argument("--programs", type=Path, help="the folder that build.py --programs filled")
    parser.add_argument("--verbose", action="store_true", help="also say what each container did")
    arguments = parser.parse_args()
    command = [arguments.launcher] if arguments.launcher else []
    command = [str(Path(part).resolve()) for part in command + [arguments.plumb]]
    results = Results(HERE / "results.jsonl")
    gpu = results.header["compute_capability"]
    failed = 0
    total = 0

    def report(name, entry, outcomes, result, counts_count=True):
        nonlocal failed, total
        total += 1
        if entry is None:
            said, wrong = "nothing", ["plumb did not list it"]
        else:
            said = Prediction(entry, results.header)
            wrong = list(differences(said, outcomes, result, counts_count))
        failed += bool(wrong)
        detail = f" [{' '.join(outcomes)}]" if arguments.verbose or wrong else ""
        print(f"{'FAIL' if wrong else 'ok  '} {name}: {said}{detail}" +
              (f": {'; '.join(wrong)}" if wrong else ""))

    names = [path.name for path in sorted((HERE / "bin").iterdir())]
    entries = inspect(command, HERE / "bin", names, gpu)
    for name in names:
        if name not in results.files:
            report(name, None, [], "none")
            continue
        outcomes = [results.container(name, number) for number in sorted(results.files[name])]
        if name in PROGRAM_OF:
            result = expected_result(results.program(PROGRAM_OF[name]))
        else:
            result = expected_result(outcome for number, outcome in enumerate(outcomes)
                                     if number not in ONE_GENERATION.get(name, ()))
        report(name, entries.get(name), outcomes, result)

    with tempfile.TemporaryDirectory() as folder:
        cuts = list(cut_containers(results, Path(folder)))
        entries = inspect(command, folder, [name for name, _, _ in cuts], gpu)
        for name, file, number in cuts:
            outcome = results.container(file, number)
            report(name, entries.get(name), [outcome], expected_result([outcome]))

    if arguments.programs:
        names = sorted(name for name in results.programs if (arguments.programs / name).exists())
        entries = inspect(command, arguments.programs, names, gpu)
        for name in names:
            outcomes = list(results.program(name))
            report(name, entries.get(name), outcomes, expected_result(outcomes), counts_count=False)

    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
