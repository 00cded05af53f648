# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the Linux loader: their worlds, what ld.so does in them, and random ones.

A scenario is JSON (tests/loader/*.json). `[W]` stands for the world's folder, `[LIB]` and `[PLATFORM]` for what ld.so puts for
$LIB and $PLATFORM on this machine, in every text.

  about      what the case shows
  files      path, and kind: "library" (left out), "link" (target), "folder", "fifo", or a damaged one of tiny_elf.DAMAGED;
             a library has soname, rpath, runpath, needed, machine, flags (nodefaultlib ...), defines, uses, symbolic,
             weak (left out: true; false: what it uses must be there)
  program    path ("program"), run (another path by which it is started), rpath, runpath, needed, flags
  environment LD_LIBRARY_PATH, LD_PRELOAD
  cwd        folder below the world
  steps      open (name), flags (global, no_load, deep_bind), caller (path of a library; left out: the program)
  expect     lines that ld.so's answer has; `expect_not`: lines that it has not. What proves that the case
             shows what it says: the replay is compared with all that ld.so said anyway.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tiny_elf  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOADER = "/lib64/ld-linux-x86-64.so.2"
# Before libc is there, ld.so knows few of the system's errors by their words.
EARLY_ERRORS = {20: "Not a directory", 21: "Is a directory", 40: "Too many levels of symbolic links"}
LETTERS = {"global": "g", "no_load": "n", "deep_bind": "d"}


def read_settings() -> dict:
    """What this machine's ld.so has built in, asked of itself."""
    said = subprocess.run([LOADER, "--list-diagnostics"], capture_output=True, text=True, check=True, env={}).stdout
    values = dict(re.findall(r'^([a-z_.\[\]0-9x]+)="?(.*?)"?$', said, re.M))
    folders = [value.rstrip("/") for key, value in values.items() if key.startswith("path.system_dirs[")]
    with tempfile.TemporaryDirectory() as folder:
        traced = subprocess.run(["/bin/true"], capture_output=True, text=True, check=True,
                                env={"LD_DEBUG": "libs", "LD_LIBRARY_PATH": folder}).stderr
        path = re.search(r"search path=(\S+)\s+\(LD_LIBRARY_PATH\)", traced)[1]
        subfolders = [element[len(folder) + 1:] for element in path.split(":") if element != folder]
    return {"machine": "x86_64", "default_folders": folders, "hwcaps": subfolders, "lib": values["dl_dst_lib"],
            "platform": values["dl_platform"], "loader": LOADER, "cache": "/etc/ld.so.cache",
            "preload_file": "/etc/ld.so.preload"}


def compile_driver(folder: str) -> bytes:
    out = os.path.join(folder, "driver")
    subprocess.run(["gcc", "-O1", "-fPIE", "-pie", "-o", out, str(ROOT / "tests/tools/loader_driver.c"),
                    "-Wl,--spare-dynamic-tags=80", "-Wl,--export-dynamic-symbol=s0", "-ldl",
                    "-Wl,-rpath," + "X" * tiny_elf.ROOM], check=True)
    return pathlib.Path(out).read_bytes()


def fill(value, words: dict):
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(word, text)
        return value
    if isinstance(value, list):
        return [fill(one, words) for one in value]
    if isinstance(value, dict):
        return {key: fill(one, words) for key, one in value.items()}
    return value


def make_world(scenario: dict, world: str, driver: bytes, settings: dict) -> dict:
    """Writes the files; gives the scenario with its placeholders filled in."""
    scenario = fill(scenario, {"[W]": world, "[LIB]": settings["lib"], "[PLATFORM]": settings["platform"]})
    os.makedirs(world)
    for file in scenario.get("files", []):
        path = os.path.join(world, file["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        kind = file.get("kind", "library")
        library = {key: value for key, value in file.items() if key not in ("path", "kind", "target")}
        if kind == "link":
            os.symlink(file["target"], path)
        elif kind == "folder":
            os.makedirs(path, exist_ok=True)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "hard_link":
            os.link(os.path.join(world, file["target"]), path)
        else:
            raw = tiny_elf.make_library(**library) if kind == "library" else tiny_elf.make_damaged(kind, **library)
            with open(path, "wb") as out:
                out.write(raw)
    program = dict(scenario.get("program", {}))
    path = os.path.join(world, program.pop("path", "program"))
    program.pop("run", None)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(tiny_elf.make_program(driver, **program))
    os.chmod(path, 0o755)
    os.makedirs(os.path.join(world, scenario.get("cwd", ".")), exist_ok=True)
    return scenario


def program_path(scenario: dict, world: str) -> str:
    program = scenario.get("program", {})
    return os.path.join(world, program.get("run", program.get("path", "program")))


def run_real(scenario: dict, world: str) -> list[str]:
    """What ld.so did, as lines."""
    program = program_path(scenario, world)
    arguments = []
    for step in scenario.get("steps", []):
        caller = step.get("caller", "")
        arguments += [os.path.join(world, caller) if caller else "",
                      "".join(LETTERS[flag] for flag in step.get("flags", [])), step["open"]]
    done = subprocess.run([program, *arguments], cwd=os.path.join(world, scenario.get("cwd", ".")),
                          env=scenario.get("environment", {}), capture_output=True, check=False, timeout=20)
    out = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    said = done.stderr.decode("utf-8", "surrogateescape").splitlines()
    lines = []
    fault = None
    for line in said:
        start = f"{program}: "
        line = re.sub(r": symbol lookup error: .*: undefined symbol: .*", ": undefined symbol", line)
        preload = re.match(r"ERROR: ld\.so: (object .* from .* cannot be preloaded .*)", line)
        if preload:
            lines.append("note " + preload[1])
        elif line.startswith(start + "error while loading shared libraries: "):
            fault = line[len(start + "error while loading shared libraries: "):]
            for number, words in EARLY_ERRORS.items():
                fault = re.sub(f": Error {number}$", f": {words}", fault)
        elif line.startswith(start):
            fault = line[len(start):]
        else:
            fault = line
    # Where nothing at all could be tried, the system's words are those of an error long past, or none.
    out = [re.sub(r"^(fail .*: cannot open shared object file)$", r"\1: No such file or directory", line) for line in out]
    # Of several symbols that are missing, ld.so names the first that it relocates.
    out = [re.sub(r"^fail .*: undefined symbol: .*", "fail undefined symbol", line) for line in out]
    if fault is not None:
        fault = re.sub("(: cannot open shared object file)$", r"\1: No such file or directory", fault)
        return lines + ["start fail " + fault]
    if done.returncode != 0:
        return lines + out + [f"exit {done.returncode}"]
    return lines + out


class Generator:
    """Random scenarios: few names, many folders, so that names meet."""

    NAMES = ["liba.so.1", "libb.so.1", "libc1.so", "libd.so.2", "libe.so", "libf.so.1", "libg.so"]
    FOLDERS = ["lib", "opt/a", "opt/b", "work", "site/pkg/lib"]
    SYMBOLS = ["s0", "s1", "s2", "s3", "s4"]
    ODD = ["[W]/bin/program", "program", "libc.so.6", "ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2",
           "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/x86_64-linux-gnu/libm.so.6",
           "/lib/x86_64-linux-gnu/../x86_64-linux-gnu/libc.so.6", "[W]/work", "$LIB", "${PLATFORM}/liba.so.1",
           "[W]/$PLATFORM/liba.so.1", "[W]/$LIB/libb.so.1", "libnowhere.so.9", "[W]/opt/a/" + "x" * 300, "/", "."]
    SYSTEM = ["libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"]

    def __init__(self, seed, subfolders):
        self.random = random.Random(seed)
        self.subfolders = subfolders

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def some(self, values, low, high):
        count = min(self.random.randint(low, high), len(values))
        return self.random.sample(values, count)

    def element(self, at: str) -> str:
        """One element of a search path, for a file in folder `at`."""
        folder = self.random.choice(self.FOLDERS)
        up = "/".join([".."] * (at.count("/") + 1))
        return self.random.choices([
            "$ORIGIN", "${ORIGIN}", f"$ORIGIN/{up}/{folder}", f"${{ORIGIN}}/{up}/{folder}", f"[W]/{folder}", f"[W]/{folder}/",
            f"[W]/{folder}/./", f"[W]/opt/../{folder}", "", ".", f"../{folder}", "[W]/missing", "[W]/$LIB", "[W]/${PLATFORM}",
            "[W]/linked", f"[W]//{folder}", "$ORIGINAL", "[W]/$UNKNOWN", "[W]/file", "../file", "/", "[W]"],
            [10, 5, 24, 12, 24, 3, 1, 2, 1, 1, 2, 3, 2, 1, 3, 1, 0.5, 0.3, 0.5, 0.5, 0.2, 0.5])[0]

    def path(self, at: str, separator=":") -> str:
        return separator.join(self.element(at) for _ in range(self.random.choices([1, 2, 3, 5], [2, 4, 5, 3])[0]))

    def tags(self, at: str, usual: float) -> dict:
        out = {}
        if self.chance(usual):
            out[self.random.choice(["rpath", "runpath"])] = self.path(at)
        if self.chance(0.03):
            out["rpath"], out["runpath"] = self.path(at), self.path(at)
        return out

    def needed_names(self, low, high) -> list[str]:
        names = self.some(self.NAMES[:5] if self.chance(0.5) else self.NAMES, low, high)
        if self.chance(0.15):
            names.insert(self.random.randint(0, len(names)), self.random.choice(self.SYSTEM))
        if self.chance(0.02):
            names.append("libnowhere.so.9")
        if self.chance(0.04):
            names.append(f"$ORIGIN/../lib/{self.random.choice(self.NAMES)}")
        if self.chance(0.03):
            names.append(f"[W]/{self.random.choice(self.FOLDERS)}/{self.random.choice(self.NAMES)}")
        if self.chance(0.03) and names:
            names.append(names[0])
        return names

    def library(self, name: str, folder: str) -> dict:
        out = {"path": f"{folder}/{name}"}
        if self.chance(0.7):
            out["soname"] = name
        elif self.chance(0.4):
            out["soname"] = self.random.choice(self.NAMES)
        out |= self.tags(folder, 0.65)
        needed = self.needed_names(0, self.random.choice([0, 1, 1, 2, 2]))
        if needed:
            out["needed"] = needed
        if self.chance(0.04):
            out["flags"] = ["nodefaultlib"]
        if self.chance(0.02):
            out.setdefault("flags", []).append(self.random.choice(["nodlopen", "pie", "global", "nodelete"]))
        out["defines"] = self.some(self.SYMBOLS, 0, 3)
        out["uses"] = self.some(self.SYMBOLS, 0, 3)
        if self.chance(0.1):
            out["weak"] = False
        if self.chance(0.12):
            out["symbolic"] = True
        return out

    def file(self, name: str, folder: str) -> dict:
        kind = self.random.choices(
            ["library", "i386", "aarch64", "link", "dangling", "loop", "folder", "damaged", "hwcaps", "x32", "hard"],
            [60, 3, 3, 8, 2, 0.7, 1, 2.5, 7, 0.5, 2])[0]
        path = f"{folder}/{name}"
        if kind == "library":
            return self.library(name, folder)
        if kind in ("i386", "aarch64", "x32"):
            return self.library(name, folder) | {"machine": kind, "uses": []}
        if kind == "link":
            return {"path": path, "kind": "link",
                    "target": f"[W]/{self.random.choice(self.FOLDERS)}/{self.random.choice(self.NAMES)}"}
        if kind == "hard":
            return {"path": path, "kind": "hard_link", "target": ""}
        if kind == "dangling":
            return {"path": path, "kind": "link", "target": "nothing/here.so"}
        if kind == "loop":
            return {"path": path, "kind": "link", "target": name}
        if kind == "folder":
            return {"path": path, "kind": "folder"}
        if kind == "damaged":
            return {"path": path, "kind": self.random.choice(tiny_elf.DAMAGED), "soname": name}
        sub = self.random.choice(self.subfolders)
        return self.library(name, f"{folder}/{sub}")

    def environment(self) -> dict:
        out = {}
        if self.chance(0.7):
            separators = [":"] * 8 + [";"]
            elements = [self.random.choice([f"[W]/{self.random.choice(self.FOLDERS)}", self.element("bin")])
                        for _ in range(self.random.choice([1, 1, 2, 3, 8]))]
            text = elements[0]
            for element in elements[1:]:
                text += self.random.choice(separators) + element
            out["LD_LIBRARY_PATH"] = text
        if self.chance(0.15):
            names = [self.random.choice([self.random.choice(self.NAMES),
                                         f"[W]/{self.random.choice(self.FOLDERS)}/{self.random.choice(self.NAMES)}",
                                         f"../lib/{self.random.choice(self.NAMES)}", "$ORIGIN/../lib/liba.so.1"])
                     for _ in range(self.random.choice([1, 1, 2]))]
            out["LD_PRELOAD"] = self.random.choice([":", " "]).join(names)
        return out

    def step(self, libraries: list[str], opened_before: list[str]) -> dict:
        name = self.random.choice(self.NAMES)
        folder = self.random.choice(self.FOLDERS)
        existing = self.random.choice(libraries) if libraries else f"lib/{name}"
        opened = self.random.choices([name, f"[W]/{existing}", f"../{folder}/{name}", f"$ORIGIN/../{folder}/{name}",
                                      self.random.choice(self.SYSTEM), f"[W]/{folder}/{name}", "", f"./{name}",
                                      self.random.choice(self.ODD)],
                                     [8, 12, 1.5, 1.5, 0.7, 2, 0.3, 1, 0.7])[0]
        out = {"open": opened}
        flags = []
        if self.chance(0.35):
            flags.append("global")
        if self.chance(0.08):
            flags.append("no_load")
        if self.chance(0.1):
            flags.append("deep_bind")
        if flags:
            out["flags"] = flags
        if opened_before and self.chance(0.4):
            out["caller"] = self.random.choice(opened_before)
        elif libraries and self.chance(0.06):
            out["caller"] = self.random.choice(libraries)
        if opened == f"[W]/{existing}":
            opened_before.append(existing)
        return out

    def scenario(self) -> dict:
        files, taken = [], set()
        libraries = []
        for name in self.NAMES:
            for folder in self.some(self.FOLDERS, 1, self.random.choice([1, 2, 3, 4, 5])):
                file = self.file(name, folder)
                if file["path"] in taken:
                    continue
                if file.get("kind") == "hard_link":
                    if not libraries:
                        continue
                    file["target"] = self.random.choice(libraries)
                taken.add(file["path"])
                files.append(file)
                if file.get("kind", "library") == "library" and file.get("machine") is None:
                    libraries.append(file["path"])
        if self.chance(0.3):
            files.append({"path": "linked", "kind": "link", "target": self.random.choice(self.FOLDERS)})
        if self.chance(0.1):
            files.append({"path": "file", "kind": "garbage"})
        for folder in ("[LIB]", "[PLATFORM]"):
            if self.chance(0.1):
                files.append(self.library(self.random.choice(self.NAMES), folder))
        program = {"path": "bin/program", "needed": self.needed_names(0, self.random.choice([0, 1, 2])),
                   **self.tags("bin", 0.8)}
        if self.chance(0.1):
            files.append({"path": "started", "kind": "link", "target": "bin/program"})
            program["run"] = "started"
        if self.chance(0.02):
            program["flags"] = ["nodefaultlib"]
        opened_before = []
        return {"files": files, "program": program, "environment": self.environment(), "cwd": "work",
                "steps": [self.step(libraries, opened_before) for _ in range(self.random.randint(2, 8))]}


def clean(folder: str):
    shutil.rmtree(folder, ignore_errors=True)


def load_case(path) -> dict:
    with open(path, encoding="utf-8") as file:
        return json.load(file)
