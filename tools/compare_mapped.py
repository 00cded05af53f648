#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `plumb which --all --for ... --json` against what real processes had mapped (tests/real/h200/mapped).

    tools/compare_mapped.py --plumb build/release/plumb                  # on the machine of the captures
    tools/compare_mapped.py --plumb build/release/plumb --replay SITE    # anywhere, as root

--replay makes that machine's tree out of SITE, a site-packages folder with the same wheels (hard links, so it must lie on
the same disk as --work), with stand-ins of a page for the driver, the toolkit, other copies and Python, and runs plumb in
it with chroot. Not compared: copies of other libraries than CUDA's.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tiny_elf

HERE = pathlib.Path(__file__).resolve().parent.parent
CAPTURES = HERE / "tests/real/h200/mapped"
PARENT = "/opt/torch/.venv"
CHILD = "/tmp/child"
CUDA = "/usr/local/cuda-13.0/targets/x86_64-linux/lib"
SITE = "lib/python3.12/site-packages"
SYSTEM = "/usr/lib/x86_64-linux-gnu"
FAMILY = re.compile(r"^lib(cu|nv|nccl)")
COPIED = re.compile(r"^lib(cudnn|cudart|nvrtc|nvJitLink|cublas|cublasLt|cusparse|cufft)[._]")
HOST_LIBRARIES = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libgcc_s.so.1",
                  "libstdc++.so.6", "libz.so.1", "ld-linux-x86-64.so.2"]


def tags_of(path):
    """soname, needed, runpath, rpath of a real library."""
    text = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=True).stdout
    one = {key: re.search(rf"\({key}\).*\[(.*)\]", text) for key in ("SONAME", "RUNPATH", "RPATH")}
    return {"soname": one["SONAME"] and one["SONAME"][1], "needed": re.findall(r"\(NEEDED\).*\[(.*)\]", text),
            "runpath": one["RUNPATH"] and one["RUNPATH"][1], "rpath": one["RPATH"] and one["RPATH"][1]}


class Tree:
    def __init__(self, root: pathlib.Path):
        self.root = root

    def at(self, path: str) -> pathlib.Path:
        full = self.root / path.lstrip("/")
        full.parent.mkdir(parents=True, exist_ok=True)
        return full

    def write(self, path, data):
        self.at(path).write_bytes(data if isinstance(data, bytes) else data.encode())

    def link(self, path, target):
        if not self.at(path).is_symlink():
            self.at(path).symlink_to(target)

    def stand_in(self, path, like=None, **tags):
        self.write(path, tiny_elf.make_library(**(tags_of(like) if like else tags)))


def make_tree(root: pathlib.Path, site: pathlib.Path, plumb: pathlib.Path):
    tree = Tree(root)
    for folder in ("usr/lib", "usr/lib64", "usr/bin", "tmp", "etc"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name in ("lib", "lib64", "bin"):
        tree.link("/" + name, "usr/" + name)
    for name in HOST_LIBRARIES:
        source = next(p for p in (pathlib.Path("/lib/x86_64-linux-gnu") / name, pathlib.Path("/lib64") / name) if p.exists())
        shutil.copy(source.resolve(), tree.at(f"{SYSTEM}/{name}"))
    tree.link("/usr/lib64/ld-linux-x86-64.so.2", f"{SYSTEM}/ld-linux-x86-64.so.2")
    shutil.copy(plumb, tree.at("/plumb"))
    for path in re.findall(r"=> (/\S+)", subprocess.run(["ldd", str(plumb)], capture_output=True, text=True, check=True).stdout):
        if not tree.at(f"{SYSTEM}/{os.path.basename(path)}").exists():
            shutil.copy(path, tree.at(f"{SYSTEM}/{os.path.basename(path)}"))

    # Python and the environment
    shutil.copy("/bin/true", tree.at("/usr/bin/python3.12"))
    tree.stand_in("/usr/lib/python3.12/lib-dynload/_ctypes.cpython-312-x86_64-linux-gnu.so", needed=["libc.so.6"])
    tree.write("/usr/lib/python3.12/os.py", "")
    for place in ("/usr/local/lib/python3.12/dist-packages", "/usr/lib/python3/dist-packages"):
        (root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
    tree.at(f"{PARENT}/{SITE}")
    subprocess.run(["cp", "-al", str(site), str(tree.at(f"{PARENT}/{SITE}"))], check=True)
    for prefix, system in ((PARENT, "false"), (CHILD, "true")):
        tree.write(f"{prefix}/pyvenv.cfg", f"home = /usr/bin\nversion_info = 3.12.3\ninclude-system-site-packages = {system}\n")
        tree.link(f"{prefix}/bin/python3", "/usr/bin/python3.12")
    wheels = root / f"{PARENT}/{SITE}".lstrip("/") / "nvidia"
    cu13, cudnn = wheels / "cu13/lib", wheels / "cudnn/lib"

    # the driver, the toolkit, the system's cuDNN and NCCL
    for name, version in (("libcuda.so.1", "580.159.04"), ("libnvidia-ml.so.1", "580.159.04")):
        base = name.rsplit(".", 1)[0]
        tree.stand_in(f"/usr/local/nvidia/lib64/{base}.{version}", soname=name, needed=["libc.so.6"])
        tree.link(f"/usr/local/nvidia/lib64/{name}", f"{base}.{version}")
    tree.link("/usr/local/cuda", "cuda-13.0")
    tree.link("/usr/local/cuda-13.0/lib64", "targets/x86_64-linux/lib")
    versions = {"libcublas": "13.1.0.3", "libcublasLt": "13.1.0.3", "libcudart": "13.0.96", "libcufft": "12.0.0.61",
                "libcurand": "10.4.0.35", "libcusolver": "12.0.4.66", "libcusparse": "12.6.3.3", "libnvJitLink": "13.0.88",
                "libnvrtc": "13.0.88", "libnvrtc-builtins": "13.0.88", "libcufile": "1.15.1", "libcupti": "2025.3.1"}
    for file in sorted(cu13.iterdir()):
        stem = file.name.split(".so.")[0]
        if stem in versions and not file.is_symlink():
            real = f"{stem}.so.{versions[stem]}"
            if stem == "libnvrtc":  # its version is read from its bytes
                os.link(file, tree.at(f"{CUDA}/{real}.copy"))
                shutil.copy(tree.at(f"{CUDA}/{real}.copy"), tree.at(f"{CUDA}/{real}"))
                tree.at(f"{CUDA}/{real}.copy").unlink()
            else:
                tree.stand_in(f"{CUDA}/{real}", like=file)
            tree.link(f"{CUDA}/{file.name}", real)
    for file in sorted(cudnn.glob("libcudnn*.so.9")):
        tree.stand_in(f"{SYSTEM}/{file.name}.14.0", soname=file.name, needed=["libc.so.6"])
        tree.link(f"{SYSTEM}/{file.name}", f"{file.name}.14.0")
    tree.stand_in(f"{SYSTEM}/libnccl.so.2.28.3", soname="libnccl.so.2", needed=["libc.so.6"])
    tree.link(f"{SYSTEM}/libnccl.so.2", "libnccl.so.2.28.3")
    tree.write("/etc/ld.so.conf", "\n".join(["/usr/local/cuda/targets/x86_64-linux/lib", "/usr/local/nvidia/lib64",
                                            "/usr/local/lib", SYSTEM]) + "\n")
    subprocess.run(["ldconfig", "-r", str(root)], check=True, capture_output=True)

    # other copies
    for file in [*cu13.iterdir(), *cudnn.iterdir()]:
        if COPIED.match(file.name):
            tree.stand_in(f"/tmp/real/{file.name}", like=file)
            tree.link(f"/tmp/copy/{file.name}", "/" + str(file.relative_to(root)))


def make_child(root: pathlib.Path, kind: str):
    """child: its own cuDNN; childcu: links to the parent's nvidia/cu13."""
    tree = Tree(root)
    site = f"{CHILD}/{SITE}"
    shutil.rmtree(root / site.lstrip("/"), ignore_errors=True)
    tree.write(f"{site}/parent.pth", f"{PARENT}/{SITE}\n")
    if kind == "child":
        source = root / f"{PARENT}/{SITE}/nvidia/cudnn/lib".lstrip("/")
        for file in source.iterdir():
            tree.stand_in(f"{site}/nvidia/cudnn/lib/{file.name}", like=file)
    elif kind == "childcu":
        for file in (root / f"{PARENT}/{SITE}/nvidia/cu13/lib".lstrip("/")).iterdir():
            tree.link(f"{site}/nvidia/cu13/lib/{file.name}", f"{PARENT}/{SITE}/nvidia/cu13/lib/{file.name}")


def predicted(command, capture):
    words = [*command, "which", "--all", "--json", "--env", capture["environment"]]
    for framework in capture["frameworks"]:
        words += ["--for", framework]
    environment = dict(os.environ, LD_LIBRARY_PATH=capture["library_path"], CUDA_HOME="/usr/local/cuda")
    environment.pop("VIRTUAL_ENV", None)
    run = subprocess.run(words, capture_output=True, text=True, env=environment)
    try:
        report = json.loads(run.stdout)
    except json.JSONDecodeError:
        sys.exit(f"plumb failed: {run.stderr or run.stdout}")
    return {row["chosen"]["path"] for row in report["results"]
            if row["chosen"] and FAMILY.match(os.path.basename(row["chosen"]["path"]))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, type=pathlib.Path)
    parser.add_argument("--replay", type=pathlib.Path, metavar="SITE")
    parser.add_argument("--work", type=pathlib.Path, default=HERE / "build/mapped")
    parser.add_argument("names", nargs="*", help="captures, by name; else all")
    arguments = parser.parse_args()
    command = [str(arguments.plumb.resolve())]
    root = pathlib.Path("/")
    if arguments.replay:
        root = arguments.work.resolve()
        if not (root / "plumb").exists():
            make_tree(root, arguments.replay.resolve(), arguments.plumb.resolve())
        shutil.copy(arguments.plumb, root / "plumb")
        command = ["chroot", str(root), "/plumb"]
    differences = 0
    for path in sorted(CAPTURES.glob("*.json")):
        if arguments.names and path.stem not in arguments.names:
            continue
        capture = json.loads(path.read_text())
        kind = path.stem.split("_")[0]
        if arguments.replay and kind.startswith("child"):
            make_child(root, kind)
        got, want = predicted(command, capture), set(capture["mapped"])
        differences += len(got ^ want)
        print(f"{path.stem:15} {len(want):3} mapped, {len(got & want):3} the same")
        for file in sorted(want - got):
            print(f"    mapped, not predicted: {file}")
        for file in sorted(got - want):
            print(f"    predicted, not mapped: {file}")
    print(f"{differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
