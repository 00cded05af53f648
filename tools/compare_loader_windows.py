#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds plumb's replay of the Windows loader against Wine's.

    tools/compare_loader_windows.py --replay build/release/windows_loader_replay [--random 60] [--dlls 50]

Layouts (tools/windows_layouts.py, and random ones) are folders of tiny DLLs on Wine's drive C:. A small program,
tests/tools/windows_loader_driver.c, does in each what its script says with LoadLibraryExW, AddDllDirectory, SetDllDirectoryW,
and prints which modules came from where, or GetLastError(); the replay reads the same script and prints what it foretells.
With --dlls, procedures that exist and some that do not are asked of that many of the prefix's own DLLs with GetProcAddress.

Where Wine does something else than Windows the layout holds Windows' answer and its source, and that is compared.
Prints each difference and counts; exits 1 if there is one. Needs Wine and MinGW-w64.
"""
import argparse
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tiny_pe  # noqa: E402
import windows_layouts  # noqa: E402

TREE = pathlib.Path(__file__).resolve().parent.parent
COMPILER = "x86_64-w64-mingw32-gcc-posix"


class Wine:
    def __init__(self, prefix: str, scratch: str):
        self.prefix = pathlib.Path(prefix)
        self.drive = self.prefix / "drive_c"
        self.environment = dict(os.environ, WINEPREFIX=prefix)
        self.program = pathlib.Path(scratch) / "driver.exe"
        self.needing = pathlib.Path(scratch) / "needing.exe"
        source = str(TREE / "tests/tools/windows_loader_driver.c")
        subprocess.run([COMPILER, "-O1", "-s", "-o", str(self.program), source], check=True)
        library = pathlib.Path(scratch) / "libdep.a"
        definition = pathlib.Path(scratch) / "dep.def"
        definition.write_text("LIBRARY dep.dll\nEXPORTS\nf\n")
        subprocess.run(["x86_64-w64-mingw32-dlltool", "-d", str(definition), "-l", str(library)], check=True)
        subprocess.run([COMPILER, "-O1", "-s", "-DNEEDS_DEP", "-o", str(self.needing), source, str(library)], check=True)
        subprocess.run([str(TREE / "cmake/wine.sh"), "cmd", "/c", "ver"], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL, timeout=300)

    def run(self, program: pathlib.Path, folder: pathlib.Path, script: str) -> list[str]:
        done = subprocess.run([str(TREE / "cmake/wine.sh"), str(program)], env=self.environment, cwd=folder,
                              input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
        lines = done.stdout.decode("utf-8", "replace").replace("\r", "").splitlines()
        if not lines:
            return ["start failed"]
        return lines[:-1] if lines[-1] == "end" else [*lines, f"died with {done.returncode}"]


def write(wine: Wine, world: pathlib.Path, layout: dict) -> None:
    for name in ("app", "cwd", *layout.get("folders", [])):
        (world / name).mkdir(parents=True, exist_ok=True)
    for path, what in layout["files"].items():
        file = world / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(what, bytes):
            file.write_bytes(what)
        elif isinstance(what, str):
            os.symlink(what, file)
        else:
            what = dict(what)
            cut = what.pop("cut", None)
            for key in ("imports", "delay_imports"):
                if isinstance(what.get(key), list):
                    what[key] = {name: ["f"] for name in what[key]}
            file.write_bytes(tiny_pe.build(file.name, **what)[:cut])
    shutil.copy(wine.needing if layout.get("needs_dep") else wine.program, world / "app/driver.exe")


def comparable(lines: list[str]) -> list[str]:
    """Steps in order, what each brought sorted; without Wine's own modules and the program."""
    out, brought = [], []
    for line in [*(line.lower() for line in lines), ""]:
        if line.startswith("new "):
            if (not line.startswith("new c:\\windows\\") or "\\winsxs\\" in line) and not line.endswith("\\app\\driver.exe"):
                brought.append(line)
            continue
        # What came is printed after the step that brought it.
        out += sorted(brought)
        brought = []
        out.append("start failed" if line.startswith("start failed") else line)
    return out[:-1]


def key(name: str) -> str:
    """A module's name as loaders compare it."""
    base = name.replace("/", "\\").rpartition("\\")[2].lower()
    return base if "." in base else base + ".dll"


def names_that_reach_circles(layout: dict) -> set[str]:
    graph = {}
    for path, what in layout["files"].items():
        imports = what.get("imports", []) if isinstance(what, dict) else []
        graph.setdefault(key(path), set()).update(key(name) for name in imports)

    def reached(name: str) -> set[str]:
        seen, rest = set(), list(graph.get(name, ()))
        while rest:
            one = rest.pop()
            if one not in seen:
                seen.add(one)
                rest += graph.get(one, ())
        return seen

    circles = {name for name in graph if name in reached(name)}
    return {name for name in graph if name in circles or reached(name) & circles}


def as_far_as_wine_is_windows(layout: dict, real: list[str], foretold: list[str]) -> tuple[list[str], list[str]]:
    """Two habits of Wine (windows_layouts.py, missing-then-there and loaded-two-latest) show in random layouts too. What a failed
    load left behind changes all that follows, so nothing is compared after it: modules that are listed still, or, where
    imports go in a circle, some that are not and yet are found by name. Of several loaded modules of one name Wine takes the
    one that it saw last: any of them will do."""
    brought = set()
    real, foretold = list(real), list(foretold)
    circular = names_that_reach_circles(layout)
    loads = iter([line.split(" ", 2)[2] for line in layout["script"] if line.startswith("load ")])
    for i, line in enumerate(real):
        word, _, path = line.partition(" ")
        if word == "new":
            if i and real[i - 1].startswith("error "):
                return real[:i], foretold[:i]
            brought.add(path)
        elif word == "error":
            if key(next(loads, "")) in circular:
                return real[:i + 1], foretold[:i + 1]
        elif word == "loaded":
            next(loads, None)
            other = foretold[i].partition(" ")[2] if i < len(foretold) else ""
            if {path, other} <= brought and key(path) == key(other):
                foretold[i] = line
    return real, foretold


class Comparison:
    def __init__(self, wine: Wine, replay: str):
        self.wine = wine
        # A Windows program reads the same folder, through Wine.
        launch = [str(TREE / "cmake/wine.sh")] if replay.endswith(".exe") else []
        self.replay = subprocess.Popen([*launch, replay, str(wine.drive)], env=wine.environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.compared = self.explained = self.steps = 0
        self.differences = []

    def ask(self, lines: list[str]) -> list[str]:
        self.replay.stdin.write("".join(line + "\n" for line in [*lines, "end"]).encode())
        self.replay.stdin.flush()
        answer = []
        for line in self.replay.stdout:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if text == "end":
                return answer
            answer.append(text)
        raise SystemExit("the replay ended in the middle")

    def layout(self, name: str, layout: dict) -> None:
        world = self.wine.drive / "w" / name
        shutil.rmtree(world, ignore_errors=True)
        write(self.wine, world, layout)
        root = "C:\\w\\" + name
        script = [line.replace("{W}", root) for line in layout["script"]]
        path = layout.get("path", "").replace("{W}", root)
        commands = "".join(line + "\n" for line in [f"path {path}", *script])
        real = self.wine.run(world / "app/driver.exe", world / "cwd", commands)
        if real == ["start failed"] and not layout.get("needs_dep"):  # a busy machine: Wine gives up at times
            real = self.wine.run(world / "app/driver.exe", world / "cwd", commands)
        real = comparable(real)
        foretold = comparable(self.ask([f"start {root}\\app\\driver.exe|{root}\\cwd|{path}", *script]))
        self.steps += len(script)
        truth = real
        if "windows" in layout:
            truth = [line.replace("{W}", root).lower() for line in layout["windows"]]
            self.explained += 1
            if truth == real:
                print(f"{name}: Wine does here what Windows does: the note can go")
        else:
            truth, foretold = as_far_as_wine_is_windows(layout, truth, foretold)
        self.compared += 1
        if foretold != truth:
            self.differences.append(name)
            print(f"--- {name}: {layout.get('what', '')}")
            print("".join(f"    script    {line}\n" for line in script), end="")
            print("".join(f"    real      {line}\n" for line in truth), end="")
            print("".join(f"    foretold  {line}\n" for line in foretold), end="")
        shutil.rmtree(world, ignore_errors=True)

    def procedures(self, dll: pathlib.Path, chance: random.Random) -> int:
        """One DLL's procedures, those that are there and made-up ones; returns how many were asked."""
        names, base, count = tiny_pe.export_names(dll.read_bytes())
        names = [name for name in names if name.isprintable() and " " not in name]
        if not names:
            return 0
        some = chance.sample(names, min(150, len(names)))
        made_up = [name + "_" for name in some[:20]] + [name.swapcase() for name in some[:20]] + ["A", "zzzz", "_"]
        ordinals = sorted({base, base + count - 1, base + count, base + count + 7,
                           *(chance.randrange(base, base + count + 3) for _ in range(20))})
        functions = list(dict.fromkeys([*some, *made_up])) + [n for n in ordinals if 0 < n < 65536]
        world = self.wine.drive / "w/procedures"
        (world / "app").mkdir(parents=True, exist_ok=True)
        (world / "app/asks.dll").write_bytes(tiny_pe.build("asks.dll", imports={dll.name: functions}))
        shutil.copy(self.wine.program, world / "app/driver.exe")
        asked = "".join(f"procedure {dll.name} {'#' + str(f) if isinstance(f, int) else f}\n" for f in functions)
        real = [line for line in self.wine.run(world / "app/driver.exe", world, asked) if not line.startswith("new ")]
        if all(line.startswith("missing ") for line in real):
            return 0  # a DLL that this Wine cannot load (a tablet's, without a display)
        root = "C:\\w\\procedures"
        foretold = self.ask([f"start {root}\\app\\driver.exe|{root}|", "load 0 asks.dll", f"check {dll.name}"])
        foretold = [line for line in foretold if not line.startswith(("new ", "loaded "))]
        if sorted(real) != sorted(foretold):
            self.differences.append(dll.name)
            print(f"--- {dll.name}: only real {sorted(set(real) - set(foretold))[:20]}, "
                  f"only foretold {sorted(set(foretold) - set(real))[:20]}")
        return len(functions)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replay", required=True)
    parser.add_argument("--prefix", default=os.environ.get("WINEPREFIX"), help="a Wine prefix; default: a new one")
    parser.add_argument("--random", type=int, default=0, help="random layouts besides")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dlls", type=int, default=0, help="procedures of so many of the prefix's DLLs")
    parser.add_argument("names", nargs="*", help="only these layouts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plumb-windows-", ignore_cleanup_errors=True) as scratch:
        wine = Wine(os.path.abspath(options.prefix or os.path.join(scratch, "prefix")), scratch)
        comparison = Comparison(wine, options.replay)
        layouts = dict(windows_layouts.LAYOUTS)
        for i in range(options.random):
            layouts[f"random-{options.seed}-{i}"] = windows_layouts.random_layout(random.Random(f"{options.seed}-{i}"))
        for name, layout in layouts.items():
            if not options.names or name in options.names:
                comparison.layout(name, layout)
        asked = dlls = 0
        if options.dlls:
            chance = random.Random(options.seed)
            files = sorted((wine.drive / "windows/system32").glob("*.dll"))
            chance.shuffle(files)
            for file in files:
                if dlls == options.dlls:
                    break
                try:
                    one = comparison.procedures(file, chance)
                except (ValueError, struct.error):
                    continue
                asked += one
                dlls += one != 0
        print(f"{comparison.compared} layouts, {comparison.steps} steps, {comparison.explained} of them by Windows' "
              f"documentation; {dlls} DLLs, {asked} procedures: {len(comparison.differences)} differences")
        return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
