#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `plumb which --symbols` against what loading really did: an extension beside a framework, packages from PyPI.

    tools/compare_imports.py build --envs FOLDER --uv UV     # NEEDS THE NETWORK, some 25 GB; Linux, x86-64, python3.11
    tools/compare_imports.py record --envs FOLDER            # loads each module in a process of its own
    tools/compare_imports.py compare --envs FOLDER --plumb build/release/plumb

tests/real/pairs/pairs.json has the pairs and what `record` saw; tests/real/pairs/README.md says what its keys mean. `--only
NAME` (part of a name, several) takes some pairs. `compare` loads nothing: for each module it asks `plumb which --of MODULE
--env E --for FRAMEWORK --symbols --json` and wants the same answer and, where loading failed, the same name in it: the
library that is not found, the first undefined symbol, the version. Exits 1 if one differs.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
PAIRS = TREE / "tests/real/pairs/pairs.json"

# Imports what is imported first, once, and opens what the extension's own code opens before; then each module, as import and ctypes
# do, in a fork of that process. At last, in one more fork, all of them again and again until no more will come: what a
# package's modules do that stand on each other.
LOAD = """
import ctypes, importlib, json, os, sys
imports, before, modules = json.loads(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])

def load(name):
    try:
        ctypes.CDLL(name)
    except OSError as error:
        return str(error)

def load_all():
    said = {name: "" for name in modules}
    while True:
        left = {name: load(name) for name, fault in said.items() if fault is not None}
        said.update(left)
        if all(left.values()):
            return said

def in_fork(work):
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(out, json.dumps(work()).encode())
        os._exit(0)
    os.close(out)
    with os.fdopen(into, "rb") as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if text else "the process ended with status %d" % status

for name in imports:
    importlib.import_module(name)
for name in before:
    ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
each = {name: in_fork(lambda: load(name)) for name in modules}
sys.stdout.flush()
print("\\n" + json.dumps([each, in_fork(load_all)]))
"""
IMPORT = """
import importlib, json, sys
said = None
try:
    importlib.import_module(sys.argv[1])
except BaseException as error:
    said = type(error).__name__ + ": " + str(error)
sys.stdout.flush()
print("\\n" + json.dumps(said))
"""

# ONNX Runtime opens its CUDA provider when a session asks for it, and says in its log what the loader said.
SESSION = """
import importlib, os, sys, tempfile
for name in sys.argv[1:]:
    module = importlib.import_module(name)
log = tempfile.TemporaryFile()
answer = os.dup(1)
for stream in (1, 2):
    os.dup2(log.fileno(), stream)
tensor = bytes([10, 1]) + b"x" + bytes([18, 10, 10, 8, 8, 1, 18, 4, 10, 2, 8, 1])
node = bytes([10, 1]) + b"x" + bytes([18, 1]) + b"y" + bytes([34, 8]) + b"Identity"
graph = bytes([10, len(node)]) + node + bytes([18, 1]) + b"g"
for field in (90, 98):  # the input x and the output y
    graph += bytes([field, len(tensor)]) + (tensor if field == 90 else tensor.replace(b"x", b"y"))
model = bytes([8, 8, 58, len(graph)]) + graph + bytes([66, 2, 16, 13])
import json, re
try:
    module.InferenceSession(model, providers=["CUDAExecutionProvider"])
    raised = ""
except Exception as error:
    raised = str(error)
sys.stdout.flush()
log.seek(0)
text = log.read().decode("utf-8", "replace") + raised
said = re.search(r"Failed to load library \\S+ with error: ([^\\n\\x1b]*)", text)
if not said and "core/providers/cuda/" not in text:  # where the provider complains that there is no GPU
    raise SystemExit("neither loaded nor failed: " + text)
os.write(answer, json.dumps(said and said[1].strip()).encode())
"""


def site_of(envs: pathlib.Path, pair: dict) -> pathlib.Path:
    return envs / pair["name"] / "lib" / ("python" + pair["python"]) / "site-packages"


def python_of(envs: pathlib.Path, pair: dict) -> pathlib.Path:
    return envs / pair["name"] / "bin" / "python"


def build(envs: pathlib.Path, pair: dict, uv: str) -> None:
    """Wheels are linked out of uv's cache: a second environment with the same framework costs no space."""
    if python_of(envs, pair).exists() and not pair.get("rebuild"):
        return
    settings = dict(os.environ, UV_PYTHON_DOWNLOADS="never")
    subprocess.run([uv, "venv", "-q", "--clear", "-p", pair["python"], str(envs / pair["name"])], check=True, env=settings)
    for packages in pair["install"]:
        subprocess.run([uv, "pip", "install", "-q", "-p", str(python_of(envs, pair)), *packages], check=True, env=settings)


def modules_of(envs: pathlib.Path, pair: dict) -> list[str]:
    site = site_of(envs, pair)
    found = []
    for pattern in pair["modules"]:
        hits = sorted(str(path.relative_to(site)) for path in site.glob(pattern))
        if not hits:
            raise SystemExit(f"{pair['name']}: no file is called {pattern}")
        found += [hit for hit in hits if hit not in found]
    return found


def variables_of(envs: pathlib.Path, pair: dict) -> dict[str, str]:
    return {name: value.replace("[site]", str(site_of(envs, pair)))
            for name, value in pair.get("variables", {}).items()}


def ask_child(python: pathlib.Path, more: dict[str, str], program: str, *arguments: str):
    """The value that the last line of its output is."""
    variables = {name: value for name, value in os.environ.items()
                 if name in ("PATH", "HOME", "TMPDIR", "LANG", "OPENBLAS_CORETYPE")}
    variables.update(PYTHONDONTWRITEBYTECODE="1", TF_CPP_MIN_LOG_LEVEL="3", **more)
    child = subprocess.run([str(python), "-c", program, *arguments], env=variables, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, cwd="/", timeout=900)
    lines = child.stdout.decode("utf-8", "replace").strip().splitlines()
    if not lines or child.returncode < 0:
        raise SystemExit(f"{python}: ended with {child.returncode}: {child.stderr.decode('utf-8', 'replace')[-600:]}")
    return json.loads(lines[-1])


def load_modules(python, variables, pair, site, names, clean):
    """What each said, and those that never came."""
    before = json.dumps([str(site / name) for name in pair.get("before", [])])
    each, together = ask_child(python, variables, LOAD, json.dumps(pair["imports"]), before, json.dumps([str(site / name) for name in names]))
    modules = {name: clean(each[str(site / name)]) for name in names}
    if isinstance(together, str):  # modules that were never meant for one process ended it
        together = each
    never = [name for name in names if together[str(site / name)]]
    return modules, never


def record(envs: pathlib.Path, pair: dict) -> None:
    site, python, variables = site_of(envs, pair), python_of(envs, pair), variables_of(envs, pair)

    def clean(text: str | None) -> str | None:
        return text and text.replace(str(site.resolve()), "[site]").replace(str(site), "[site]")[:2000]

    names = modules_of(envs, pair)
    if "session" in pair:
        said = clean(ask_child(python, variables, SESSION, *pair["imports"]))
        modules = {names[0]: said}
        never = names if said else []
    else:
        modules, never = load_modules(python, variables, pair, site, names, clean)
    packages = {}
    for info in sorted(site.glob("*.dist-info")):
        name, version = info.name.removesuffix(".dist-info").rsplit("-", 1)
        packages[name] = version
    pair["measured"] = {
        "date": datetime.date.today().isoformat(),
        "python": subprocess.run([str(python), "-c", "import platform; print(platform.python_version())"],
                                 check=True, capture_output=True, text=True).stdout.strip(),
        "packages": packages,
        "modules": modules,
        "never": never,
        "import": clean(ask_child(python, variables, IMPORT, pair.get("package", pair["extension"].replace("-", "_")))),
    }


def named_by_loader(said: str) -> tuple[str, str]:
    """What a message of ld.so is about: ("symbol", NAME), ("version", "NAME FILE") or ("library", NAME)."""
    if hit := re.search(r"undefined symbol: (\S+?)(, version (\S+))?$", said):
        return "symbol", hit[1]
    if hit := re.search(r"(\S+): version `([^']+)' not found", said):
        return "version", hit[2]
    if hit := re.search(r"^(\S+): cannot open shared object file", said):
        return "library", hit[1]
    return "other", said


def ask_plumb(plumb: str, envs: pathlib.Path, pair: dict, *arguments: str) -> tuple[int, dict]:
    run = subprocess.run([plumb, "which", *arguments, "--env", str(envs / pair["name"]), "--symbols", "--json"],
                         capture_output=True, env={**os.environ, **variables_of(envs, pair)})
    if not run.stdout:
        return run.returncode, {"failures": [], "results": [], "missing_symbols": [],
                                "said": run.stderr.decode("utf-8", "replace").strip()}
    return run.returncode, json.loads(run.stdout)


def names_of_plumb(answer: dict) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {"symbol": set(), "version": set(), "library": set(), "other": set()}
    for missing in answer.get("missing_symbols", []):
        names["symbol"].add(missing["symbol"])
        names["version"].add(missing.get("version") or "")
    for result in answer.get("results", []):
        if result["chosen"] is None:
            names["library"].add(result["library"])
    for failure in answer.get("failures", []):
        text = failure if isinstance(failure, str) else json.dumps(failure)
        for line in text.splitlines():
            kind, name = named_by_loader(re.sub(r"^[\w-]+: (?=\S+: )", "", line))
            names[kind].add(name)
    return names


def compare_module(plumb: str, envs: pathlib.Path, pair: dict, module: str, said: str | None) -> str | None:
    """The difference, None if there is none."""
    imports = [word for name in pair["imports"] for word in ("--for", name)]
    code, answer = ask_plumb(plumb, envs, pair, "--of", str(site_of(envs, pair) / module), *imports)
    if code not in (0, 1):
        return f"plumb exits {code}: {answer.get('said') or answer.get('errors')}"
    if (code == 1) != (said is not None):
        return f"loading {'failed: ' + said if said else 'worked'}; plumb: {json.dumps(answer)[:600]}"
    if said:
        kind, name = named_by_loader(said)
        if name not in names_of_plumb(answer)[kind]:
            return f"loading failed: {said}; plumb names {json.dumps({k: sorted(v) for k, v in names_of_plumb(answer).items()})[:600]}"
    return None


def compare(plumb: str, envs: pathlib.Path, pair: dict, verbose: bool) -> bool:
    measured = pair.get("measured")
    if measured is None:
        print(f"??   {pair['name']}: nothing is recorded")
        return False
    differences = []
    for module, said in measured["modules"].items():
        difference = compare_module(plumb, envs, pair, module, said)
        if difference:
            differences.append(f"{module}: {difference}")
    failed = bool(measured["never"])
    names = [*(name for name in pair["imports"] if name != pair["extension"]), pair["extension"]]
    code, answer = ask_plumb(plumb, envs, pair, "--all", *[word for name in names for word in ("--for", name)])
    if code not in (0, 1):
        differences.append(f"--for {pair['extension']}: plumb exits {code}: {answer.get('said') or answer.get('errors')}")
    else:
        own = str(site_of(envs, pair)) + "/"
        folders = {own + module.split("/")[0] for module in measured["modules"]}
        lost = [result["library"] for result in answer["results"] if result["chosen"] is None
                and not result.get("optional")
                and any(user.startswith(folder) for user in result["needed_by"] for folder in folders)]
        if bool(answer["failures"] or answer["missing_symbols"] or lost) != failed:
            differences.append(f"--for {pair['extension']}: loading {'fails' if failed else 'works'}; plumb: failures "
                               f"{json.dumps(answer['failures'])[:400]} missing {json.dumps(answer['missing_symbols'])[:300]} {lost}")
    print(f"{'ok  ' if not differences else 'DIFF'} {pair['name']}: {len(measured['modules'])} modules, "
          f"{sum(said is not None for said in measured['modules'].values())} fail to load")
    for difference in differences:
        print("     " + difference)
    if verbose:
        for module, said in measured["modules"].items():
            print(f"     {module}: {said or 'loads'}")
    return not differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "record", "compare"])
    parser.add_argument("--envs", type=pathlib.Path, required=True)
    parser.add_argument("--uv", default="uv")
    parser.add_argument("--plumb", default=str(TREE / "build/release/plumb"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if arguments.what == "build":
        print("installs packages from PyPI: needs the network", file=sys.stderr)

    pairs = json.loads(PAIRS.read_text())
    chosen = [pair for pair in pairs["pairs"]
              if not arguments.only or any(part in pair["name"] for part in arguments.only)]
    envs = arguments.envs.absolute()
    same = 0
    for pair in chosen:
        if arguments.what == "build":
            build(envs, pair, arguments.uv)
        elif arguments.what == "record":
            record(envs, pair)
            fails = [name for name, said in pair["measured"]["modules"].items() if said]
            print(f"{pair['name']}: {len(fails)} of {len(pair['measured']['modules'])} fail, "
                  f"{len(pair['measured']['never'])} ever; import: "
                  f"{(pair['measured']['import'] or 'works').splitlines()[0]}", flush=True)
            for name in fails:
                print(f"     {name}: {pair['measured']['modules'][name].splitlines()[-1]}", flush=True)
            PAIRS.write_text(json.dumps(pairs, indent=1, ensure_ascii=False) + "\n")
        else:
            same += compare(arguments.plumb, envs, pair, arguments.verbose)
    if arguments.what == "compare":
        print(f"{same} passed, {len(chosen) - same} failed")
        return 0 if same == len(chosen) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
