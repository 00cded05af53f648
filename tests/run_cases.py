#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the whole-tool cases (tests/README.md describes their format) against a built plumb.

run_cases.py --plumb PROGRAM [--launcher CMD] FOLDER_OR_CASE...

A launcher (Wine) means that the program is a Windows one. Prints one block a failure and a count; exits 1 on failure.
PLUMB_UPDATE_GOLDEN=1 writes what the program said into the case files instead of comparing.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import case_file  # noqa: E402
import case_world  # noqa: E402

TIMEOUT_S = 120
NOBODY = 65534
# What a developer's shell may hold and a case must not see. LANGUAGE and the like change the words, the rest the world.
SCRUBBED = ("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME",
            "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LANGUAGE", "LC_MESSAGES", "LANG", "NO_COLOR", "TERM", "COLUMNS")


class Runner:
    def __init__(self, plumb: str, launcher: str, scratch: pathlib.Path, update: bool):
        self.plumb = str(pathlib.Path(plumb).resolve())
        self.doubles = pathlib.Path(self.plumb).parent / "doubles"  # cmake/tests.cmake builds them there
        self.launcher = [str(pathlib.Path(launcher).resolve())] if launcher else []
        self.system = "windows" if launcher else "linux"
        self.scratch = scratch
        self.update = update
        # For cases that need another user than root: a copy that everybody may run. Made before any other program is
        # started, since one forked meanwhile would hold the file open ("text file busy").
        self.shared_plumb = str(scratch / "plumb")
        if os.geteuid() == 0:
            shutil.copyfile(self.plumb, self.shared_plumb)
            os.chmod(self.shared_plumb, 0o755)

    def environment(self, world: case_world.World) -> dict:
        values = {name: value for name, value in os.environ.items()
                  if name not in SCRUBBED and not name.startswith("PLUMB_")}
        if self.launcher:  # HOME becomes the world, but Wine's prefix stays where wine.sh puts it
            cache = values.get("XDG_CACHE_HOME", values.get("HOME", "/") + "/.cache")
            values.setdefault("WINEPREFIX", cache + "/plumb/wine")
        values.update(LC_ALL="C.UTF-8", HOME=str(world.folder))
        for name, value in world.environment.items():
            value = value.replace("[W]", world.shown_folder(self.system))
            # Wine makes Windows' PATH from its registry and puts WINEPATH before it.
            values["WINEPATH" if self.launcher and name == "PATH" else name] = value
        return values

    def command(self, run: case_file.Run, world: case_world.World) -> tuple:
        program, options = self.plumb, {}
        if world.needs_unprivileged and os.geteuid() == 0:  # root may read everything, so file modes would mean nothing
            program = self.shared_plumb
            options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        words = [word.replace("[W]", world.shown_folder(self.system)) for word in run.arguments]
        return [*self.launcher, program, *words], options

    def run_case(self, path: pathlib.Path) -> tuple:
        """Returns (path, list of failures) or (path, None) if the case is for another system."""
        try:
            case = case_file.parse(path)
            with tempfile.TemporaryDirectory(prefix="case-", dir=self.scratch) as folder:
                world = case_world.build(pathlib.Path(folder), case.world, self.system, self.doubles)
                if self.system not in world.systems:
                    return path, None
                failures = []
                for run in case.runs:
                    command, options = self.command(run, world)
                    done = subprocess.run(command, cwd=folder, env=self.environment(world), input=run.stdin.encode(),
                                          capture_output=True, timeout=TIMEOUT_S, check=False, **options)
                    said = {"stdout": world.normalise(done.stdout, self.system),
                            "stderr": world.normalise(done.stderr, self.system)}
                    failures += case_file.compare(run, done.returncode, said, self.system, self.update)
                world.restore_modes()
            if self.update and case.changed():
                path.write_text(case.text(), encoding="utf-8")
            return path, failures
        except (case_file.CaseError, OSError, subprocess.TimeoutExpired) as fault:
            return path, [str(fault)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    update = os.environ.get("PLUMB_UPDATE_GOLDEN", "") not in ("", "0")
    cases = sorted({case for path in arguments.paths for case in ([path] if path.is_file() else path.rglob("*.case"))})
    with tempfile.TemporaryDirectory(prefix="plumb-cases-") as scratch:
        os.chmod(scratch, 0o755)
        runner = Runner(arguments.plumb, arguments.launcher, pathlib.Path(scratch), update)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = list(pool.map(runner.run_case, cases))
    failed = [(path, failures) for path, failures in results if failures]
    elsewhere = sum(failures is None for _, failures in results)
    for path, failures in failed:
        for failure in failures:
            print(f"FAILED {path}: {failure.rstrip()}\n")
    passed = len(results) - len(failed) - elsewhere
    print(f"cases: {passed} passed, {len(failed)} failed" + (f", {elsewhere} for the other system" if elsewhere else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
