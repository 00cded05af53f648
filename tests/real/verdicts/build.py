#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rebuilds the corpus: bin/* and cases.json, or the real programs.

    python3 build.py                     every case whose toolkit is here, into bin/; writes cases.json
                                         and README.md's tables
    python3 build.py --only NAME...      just these cases
    python3 build.py --programs OUT      the programs and run_on_gpu, into the folder OUT

Toolkits, each the folder that holds bin/nvcc (README.md says where to get them). A missing one
leaves its cases as they are:

    CUDA_11_8   whole toolkit; nvcc refuses new host compilers, so it is told to put up with them
    CUDA_12_9   only bin/ptxas is used
    CUDA_13_0   default /usr/local/cuda
    CUDA_13_1
    CUDA_13_5   a whole toolkit with libnvvm, for link-time optimisation
    CLANG       a clang that takes CUDA 11.8, default clang
"""

import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "src"

TOOLKITS = {
    "11.8": os.environ.get("CUDA_11_8"),
    "12.9": os.environ.get("CUDA_12_9"),
    "13.0": os.environ.get("CUDA_13_0", "/usr/local/cuda"),
    "13.1": os.environ.get("CUDA_13_1"),
    "13.5": os.environ.get("CUDA_13_5"),
}


class Missing(Exception):
    """A toolkit that a case needs is not here."""


# ---- Running the tools ---------------------------------------------------------------------------

def tool(version, name):
    root = TOOLKITS[version]
    path = Path(root or "", "bin", name)
    if not root or not path.exists():
        raise Missing(f"CUDA_{version.replace('.', '_')}")
    return str(path)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}")


def gencodes(images):
    """`sm_90`, `ptx_80` (PTX for compute_80) and `lto_90` as nvcc's -gencode options."""
    options = []
    for image in images.split():
        kind, arch = image.split("_")
        code = f"compute_{arch}" if kind == "ptx" else f"{kind}_{arch}"
        options += ["-gencode", f"arch=compute_{arch},code={code}"]
    return options


def nvcc(version, *options):
    extra = ["-allow-unsupported-compiler"] if version == "11.8" else []
    run(tool(version, "nvcc"), "-Wno-deprecated-gpu-targets", *extra, *options)


# ---- A packer of our own -------------------------------------------------------------------------

def suffix_flag(arch):
    return {"a": 0x100000, "f": 0x200000}.get(arch[-1], 0)


def entry(kind, arch, major, minor, payload):
    """One uncompressed fatbin entry: its header and the payload padded to 8.

    PTX has an option text, empty here, whose offset and length follow the 64 bytes of header;
    cuobjdump refuses PTX without it.
    """
    stored = payload + b"\0" * (-len(payload) % 8)
    number = int(arch.rstrip("af"))
    flags = 0x1 | 0x10 | suffix_flag(arch)  # 64-bit, Linux host
    extra = struct.pack("<IIQ", 0x48, 0, 0) if kind == 1 else b""
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x0101, 64 + len(extra), len(stored), 0,
                       0x40 if extra else 0, minor, major, number, 0, 0, flags, 0,
                       0) + extra + stored


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def ptx_text(isa, arch):
    tag = int(arch.rstrip("af")) + {"a": 1000, "f": 2000}.get(arch[-1], 0)
    text = (SOURCES / "kernel.ptx.in").read_text()
    return text.replace("@ISA@", isa).replace("@TARGET@", f"sm_{arch}").replace("@TAG@", str(tag))


def hand_ptx(isa, arch):
    major, minor = isa.split(".")
    return entry(1, arch, int(major), int(minor), ptx_text(isa, arch).encode() + b"\0")


def hand_sass(version, isa, arch):
    """Assembles kernel.ptx.in with that toolkit's ptxas. The entry's version is its ELF ABI's."""
    Path("hand.ptx").write_text(ptx_text(isa, arch))
    run(tool(version, "ptxas"), f"-arch=sm_{arch}", "-o", "hand.cubin", "hand.ptx")
    cubin = Path("hand.cubin").read_bytes()
    return entry(2, arch, 1, cubin[8], cubin)


# ---- Reading back --------------------------------------------------------------------------------

def containers(path):
    """Offsets of the containers in a file: the same rules as run_on_gpu.c, written again."""
    data = path.read_bytes()
    step = 2 if data.startswith(b"!<arch>\n") else 8
    found, at = [], 0
    while (at := data.find(b"\x50\xed\x55\xba", at)) >= 0:
        end = exact_end(data, at) if at % step == 0 else 0
        if end:
            found.append(at)
        at = end or at + 1
    return found


def exact_end(data, at):
    if at + 16 > len(data):
        return 0
    _, version, header, size = struct.unpack_from("<IHHQ", data, at)
    end = at + 16 + size
    if version != 1 or header != 16 or size == 0 or end > len(data):
        return 0
    at += 16
    while at < end:
        if end - at < 64:
            return 0
        _, version, header, stored = struct.unpack_from("<HHIQ", data, at)
        if version != 0x0101 or header < 64:
            return 0
        at += header + stored
    return end if at == end else 0


# ---- Kinds of case: each returns a function that writes the file -----------------------------------

def fatbin(version, images, *options):
    def build(out):
        nvcc(version, *gencodes(images), *options, "--fatbin", "kernel.cu", "-o", str(out))
    return build, f"nvcc {version}"


def packed(toolkit, *makers):
    def build(out):
        out.write_bytes(container(*[make() for make in makers]))
    return build, toolkit


def composed(version, ptxas, *images):
    """NVIDIA's fatbinary over what another toolkit's ptxas made: (isa, arch, "sm" or "ptx")."""
    def build(out):
        arguments = []
        for i, (isa, arch, kind) in enumerate(images):
            Path(f"{i}.ptx").write_text(ptx_text(isa, arch))
            if kind == "sm":
                run(tool(ptxas, "ptxas"), f"-arch=sm_{arch}", "-o", f"{i}.cubin", f"{i}.ptx")
                arguments.append(f"--image3=kind=elf,sm={arch},file={i}.cubin")
            else:
                arguments.append(f"--image3=kind=ptx,sm={arch},file={i}.ptx")
        run(tool(version, "fatbinary"), "-64", f"--create={out}", *arguments)
    return build, f"ptxas {ptxas}, fatbinary {version}"


def compile_units(units):
    """units: (toolkit, source, images, options...). Returns the object files."""
    objects = []
    for i, (version, source, images, *options) in enumerate(units):
        nvcc(version, *gencodes(images), *options, "-Xcompiler", "-fPIC", "-c", source,
             "-o", f"unit{i}.o")
        objects.append(f"unit{i}.o")
    return objects


# Small on purpose: no padding between segments, no symbols, and cudart left undefined.
LINK = ["-shared", "-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=4096", "-Wl,--build-id=none"]


def shared(*units):
    """A .so of several translation units, linked by g++: one container each, no link stub."""
    def build(out):
        run("g++", *LINK, "-o", str(out), *compile_units(units))
        run("strip", "--strip-all", str(out))
    return build, ", ".join(sorted({f"nvcc {unit[0]}" for unit in units}))


def shared_by_nvcc(version, link_options, *units):
    """The same after nvcc's device link, which adds a container of its own."""
    def build(out):
        objects = compile_units(units)
        nvcc(version, *link_options, "-Xcompiler", "-fPIC", "-dlink", *objects, "-o", "link.o")
        run("g++", *LINK, "-o", str(out), *objects, "link.o")
        run("strip", "--strip-all", str(out))
    return build, f"nvcc {version}"


def object_file(*units):
    def build(out):
        (only,) = compile_units(units)
        shutil.copyfile(only, out)
        run("strip", "--strip-debug", str(out))
    return build, f"nvcc {units[0][0]}"


def archive(*units):
    def build(out):
        objects = compile_units(units)
        for name in objects:
            run("strip", "--strip-debug", name)
        out.unlink(missing_ok=True)
        run("ar", "rcD", str(out), *objects)
    return build, f"nvcc {units[0][0]}"


def shared_by_clang(arches):
    def build(out):
        tool("11.8", "ptxas")
        targets = [f"--cuda-gpu-arch={arch}" for arch in arches.split()]
        run(os.environ.get("CLANG", "clang"), *targets, f"--cuda-path={TOOLKITS['11.8']}",
            "-Wno-unknown-cuda-version", "-nocudainc", "-nocudalib", "-O2", "-fPIC", "-c", "kernel.cu", "-o", "unit.o")
        run("g++", *LINK, "-o", str(out), "unit.o")
        run("strip", "--strip-all", str(out))
    return build, "clang 14 with CUDA 11.8"


def host_only():
    def build(out):
        run("gcc", *LINK, "-fPIC", "-o", str(out), "decoy.c")
        run("strip", "--strip-all", str(out))
    return build, "gcc 12"


# ---- The cases -----------------------------------------------------------------------------------
# name, extension, containers, what, (build, toolkit)

GENERAL = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"


def sass(version, isa, arch):
    return lambda: hand_sass(version, isa, arch)


def ptx(isa, arch):
    return lambda: hand_ptx(isa, arch)


def k(n, version, images, *options):
    return (version, "kernel.cu", images, f"-DN={n}", *options)


CASES = [
    # SASS alone
    ("sass_90", "fatbin", 1, "SASS for 9.0", fatbin("13.0", "sm_90")),
    ("sass_90_t118", "fatbin", 1, "SASS for 9.0 made by an old toolkit (ELF ABI 7)",
     fatbin("11.8", "sm_90")),
    ("sass_90_t129", "fatbin", 1, "SASS for 9.0 of ptxas 12.9 in a container packed by hand",
     packed("ptxas 12.9, packed by build.py", sass("12.9", "8.8", "90"))),
    ("sass_90_t131", "fatbin", 1, "SASS for 9.0 made by 13.1, newer than R580's CUDA 13.0",
     fatbin("13.1", "sm_90")),
    ("sass_90_t135", "fatbin", 1, "SASS for 9.0 made by 13.5, newer than R580's CUDA 13.0",
     fatbin("13.5", "sm_90")),
    ("sass_52_t118", "fatbin", 1, "SASS for 5.2 only", fatbin("11.8", "sm_52")),
    ("sass_70_t118", "fatbin", 1, "SASS for 7.0 only", fatbin("11.8", "sm_70")),
    ("sass_75", "fatbin", 1, "SASS for 7.5 only", fatbin("13.0", "sm_75")),
    ("sass_80", "fatbin", 1, "SASS for 8.0 only", fatbin("13.0", "sm_80")),
    ("sass_86", "fatbin", 1, "SASS for 8.6 only", fatbin("13.0", "sm_86")),
    ("sass_89", "fatbin", 1, "SASS for 8.9 only, the number next below 9.0",
     fatbin("13.0", "sm_89")),
    ("sass_80_86_89", "fatbin", 1, "SASS for the whole of major 8",
     fatbin("13.0", "sm_80 sm_86 sm_89")),
    ("sass_100", "fatbin", 1, "SASS for 10.0 only", fatbin("13.0", "sm_100")),
    ("sass_100a", "fatbin", 1, "SASS for 10.0, arch-specific", fatbin("13.0", "sm_100a")),
    ("sass_100f", "fatbin", 1, "SASS for the 10.0 family", fatbin("13.0", "sm_100f")),
    ("sass_100f_t129", "fatbin", 1, "SASS for the 10.0 family by ptxas 12.9",
     composed("13.0", "12.9", ("8.8", "100f", "sm"))),
    ("sass_103f", "fatbin", 1, "SASS for the 10.3 family", fatbin("13.0", "sm_103f")),
    ("sass_110", "fatbin", 1, "SASS for 11.0 only", fatbin("13.0", "sm_110")),
    ("sass_120", "fatbin", 1, "SASS for 12.0 only", fatbin("13.0", "sm_120")),
    ("sass_120a", "fatbin", 1, "SASS for 12.0, arch-specific", fatbin("13.0", "sm_120a")),
    ("sass_120f", "fatbin", 1, "SASS for the 12.0 family", fatbin("13.0", "sm_120f")),
    ("sass_90a", "fatbin", 1, "SASS for 9.0, arch-specific", fatbin("13.0", "sm_90a")),
    ("sass_90a_t129", "fatbin", 1, "SASS for 9.0, arch-specific, by ptxas 12.9, packed by hand",
     packed("ptxas 12.9, packed by build.py", sass("12.9", "8.8", "90a"))),
    ("sass_90_90a", "fatbin", 1, "SASS for 9.0, plain and arch-specific",
     fatbin("13.0", "sm_90 sm_90a")),
    ("sass_90a_90_order", "fatbin", 1, "the same pair, the arch-specific entry first",
     packed("ptxas 13.0, packed by build.py", sass("13.0", "9.0", "90a"),
            sass("13.0", "9.0", "90"))),
    ("sass_general", "fatbin", 1, "SASS as a wheel of 2026 carries it, 9.0 among it",
     fatbin("13.0", GENERAL)),
    ("sass_general_no90", "fatbin", 1, "SASS for six cards, all but 9.0",
     fatbin("13.0", "sm_75 sm_80 sm_86 sm_89 sm_100 sm_120")),
    ("sass_75_80_90a", "fatbin", 1, "SASS for 7.5 and 8.0, and 9.0 arch-specific only",
     fatbin("13.0", "sm_75 sm_80 sm_90a")),

    # PTX alone
    ("ptx_50_t118", "fatbin", 1, "PTX for compute_50, ISA 7.8", fatbin("11.8", "ptx_50")),
    ("ptx_70_t118", "fatbin", 1, "PTX for compute_70, ISA 7.8", fatbin("11.8", "ptx_70")),
    ("ptx_75", "fatbin", 1, "PTX for compute_75, ISA 9.0", fatbin("13.0", "ptx_75")),
    ("ptx_80", "fatbin", 1, "PTX for compute_80, ISA 9.0", fatbin("13.0", "ptx_80")),
    ("ptx_89", "fatbin", 1, "PTX for compute_89, ISA 9.0", fatbin("13.0", "ptx_89")),
    ("ptx_90", "fatbin", 1, "PTX for compute_90, ISA 9.0", fatbin("13.0", "ptx_90")),
    ("ptx_90_isa88", "fatbin", 1, "PTX for compute_90, ISA 8.8, packed by hand",
     packed("packed by build.py", ptx("8.8", "90"))),
    ("ptx_90a", "fatbin", 1, "PTX for compute_90a", fatbin("13.0", "ptx_90a")),
    ("ptx_100", "fatbin", 1, "PTX for compute_100, newer than the card",
     fatbin("13.0", "ptx_100")),
    ("ptx_100f", "fatbin", 1, "PTX for the family compute_100f", fatbin("13.0", "ptx_100f")),
    ("ptx_103a", "fatbin", 1, "PTX for compute_103a", fatbin("13.0", "ptx_103a")),
    ("ptx_120", "fatbin", 1, "PTX for compute_120, newer than the card",
     fatbin("13.0", "ptx_120")),
    ("ptx_75_90_120", "fatbin", 1, "three PTX images, two of them usable by 9.0",
     fatbin("13.0", "ptx_75 ptx_90 ptx_120")),

    # SASS and PTX
    ("sass_90_ptx_90", "fatbin", 1, "what nvcc -arch=sm_90 makes",
     fatbin("13.0", "sm_90 ptx_90")),
    ("sass_80_ptx_80", "fatbin", 1, "SASS for 8.0 with its PTX", fatbin("13.0", "sm_80 ptx_80")),
    ("sass_86_ptx_86_t118", "fatbin", 1, "SASS for 8.6 with its PTX by an old toolkit",
     fatbin("11.8", "sm_86 ptx_86")),
    ("sass_80_ptx_80_t129", "fatbin", 1, "SASS for 8.0 with PTX ISA 8.8 by ptxas 12.9",
     composed("13.0", "12.9", ("8.8", "80", "sm"), ("8.8", "80", "ptx"))),
    ("sass_100_ptx_90", "fatbin", 1, "SASS for 10.0 with PTX for compute_90",
     fatbin("13.0", "sm_100 ptx_90")),
    ("sass_120_ptx_120", "fatbin", 1, "SASS for 12.0 with its PTX, both newer than the card",
     fatbin("13.0", "sm_120 ptx_120")),
    ("sass_80_ptx_120", "fatbin", 1, "SASS older than the card, PTX newer than the card",
     fatbin("13.0", "sm_80 ptx_120")),
    ("sass_80_ptx_90a", "fatbin", 1, "SASS for 8.0 with PTX for compute_90a",
     fatbin("13.0", "sm_80 ptx_90a")),
    ("sass_90_ptx_75", "fatbin", 1, "SASS for 9.0 beside PTX for compute_75",
     fatbin("13.0", "sm_90 ptx_75")),

    # PTX whose ISA the driver may not know
    ("ptx_80_isa91", "fatbin", 1, "PTX for compute_80 by 13.1, ISA 9.1", fatbin("13.1", "ptx_80")),
    ("ptx_90_isa91", "fatbin", 1, "PTX for compute_90 by 13.1, ISA 9.1", fatbin("13.1", "ptx_90")),
    ("ptx_90_t135", "fatbin", 1, "PTX for compute_90 by 13.5, ISA 9.5", fatbin("13.5", "ptx_90")),
    ("ptx_75_t135", "fatbin", 1, "PTX for compute_75 by 13.5, ISA 9.5", fatbin("13.5", "ptx_75")),
    ("sass_80_ptx_80_isa91", "fatbin", 1, "SASS for 8.0 with PTX by 13.1",
     fatbin("13.1", "sm_80 ptx_80")),
    ("sass_80_ptx_80_t135", "fatbin", 1, "SASS for 8.0 with PTX by 13.5",
     fatbin("13.5", "sm_80 ptx_80")),
    ("sass_90_ptx_90_isa91", "fatbin", 1, "SASS for 9.0 with PTX by 13.1",
     fatbin("13.1", "sm_90 ptx_90")),
    ("sass_90_ptx_90_t135", "fatbin", 1, "SASS for 9.0 with PTX by 13.5",
     fatbin("13.5", "sm_90 ptx_90")),
    ("sass_90a_ptx_120_t135", "fatbin", 1, "SASS for 9.0a; PTX by 13.5 that no 9.0 card can use",
     fatbin("13.5", "sm_90a ptx_120")),
    ("ptx_90_isa91_ptx_80_isa80", "fatbin", 1,
     "two PTX images: the better target in ISA 9.1, an older target in ISA 8.0",
     packed("packed by build.py", ptx("9.1", "90"), ptx("8.0", "80"))),
    ("ptx_80_isa80_ptx_90_isa91", "fatbin", 1, "the same two, the older first",
     packed("packed by build.py", ptx("8.0", "80"), ptx("9.1", "90"))),
    ("ptx_90_isa90_ptx_80_isa91", "fatbin", 1,
     "two PTX images: the better target in ISA 9.0, an older target in ISA 9.1",
     packed("packed by build.py", ptx("9.0", "90"), ptx("9.1", "80"))),

    # LTO
    ("lto_90", "fatbin", 1, "LTO IR for 9.0 alone", fatbin("13.0", "lto_90", "-dc")),
    ("lto_80", "fatbin", 1, "LTO IR for 8.0 alone", fatbin("13.0", "lto_80", "-dc")),
    ("lto_90_sass_90", "fatbin", 1, "LTO IR for 9.0 with relocatable SASS for 9.0",
     fatbin("13.0", "lto_90 sm_90", "-dc")),
    ("lto_90_ptx_80", "fatbin", 1, "LTO IR for 9.0 with relocatable PTX for compute_80",
     fatbin("13.0", "lto_90 ptx_80", "-dc")),
    ("lto_linked", "so", 3, "LTO IR of two units, linked to SASS for 9.0 by nvlink -dlto",
     shared_by_nvcc("13.5", ["-dlto", "-arch=sm_90"],
                    ("13.5", "kernel.cu", "lto_90", "-dc", "-DN=0", "-DCALLS_OTHER"),
                    ("13.5", "other.cu", "lto_90", "-dc"))),

    # Relocatable device code
    ("rdc_fatbin_90", "fatbin", 1, "relocatable SASS for 9.0, complete in itself, not linked",
     fatbin("13.0", "sm_90", "-rdc=true")),
    ("rdc_fatbin_90_open", "fatbin", 1,
     "relocatable SASS for 9.0 that calls a function of another unit, not linked",
     fatbin("13.0", "sm_90", "-rdc=true", "-DCALLS_OTHER")),
    ("rdc_fatbin_ptx_90", "fatbin", 1, "relocatable PTX for compute_90, complete in itself",
     fatbin("13.0", "ptx_90", "-rdc=true")),
    ("rdc_fatbin_ptx_90_open", "fatbin", 1,
     "relocatable PTX for compute_90 that calls a function of another unit",
     fatbin("13.0", "ptx_90", "-rdc=true", "-DCALLS_OTHER")),
    ("rdc_object", "o", 1, "an object file of -rdc=true before any link",
     object_file(k(0, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"))),
    ("rdc_archive", "a", 2, "a static library of two -rdc=true objects",
     archive(k(0, "13.0", "sm_90", "-dc", "-DCALLS_OTHER"),
             ("13.0", "other.cu", "sm_90", "-dc"))),
    ("rdc_linked", "so", 3, "two relocatable units linked by nvcc for 8.0 and 9.0",
     shared_by_nvcc("13.0", gencodes("sm_80 sm_90"),
                    k(0, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"),
                    ("13.0", "other.cu", "sm_80 sm_90", "-dc"))),
    ("rdc_linked_80_only", "so", 3,
     "relocatable units compiled for 8.0 and 9.0, but device-linked for 8.0 alone",
     shared_by_nvcc("13.0", gencodes("sm_80"),
                    k(0, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"),
                    ("13.0", "other.cu", "sm_80 sm_90", "-dc"))),
    ("rdc_linked_80_ptx", "so", 3,
     "relocatable units with SASS for 8.0 and PTX, device-linked for 8.0",
     shared_by_nvcc("13.0", gencodes("sm_80"),
                    k(0, "13.0", "sm_80 ptx_80", "-dc", "-DCALLS_OTHER"),
                    ("13.0", "other.cu", "sm_80 ptx_80", "-dc"))),

    # Images left empty by __CUDA_ARCH__
    ("empty_body_90", "fatbin", 1, "the kernel is there for 9.0, its body compiled out",
     fatbin("13.0", "sm_90", "-DBODY_BELOW=900")),
    ("empty_body_90_t118", "fatbin", 1, "the same by an old toolkit",
     fatbin("11.8", "sm_90", "-DBODY_BELOW=900")),
    ("empty_body_80_90_ptx_80", "fatbin", 1,
     "9.0's body compiled out, whole SASS for 8.0 and PTX for compute_80 beside it",
     fatbin("13.0", "sm_80 sm_90 ptx_80", "-DBODY_BELOW=900")),
    ("empty_body_90_ptx_90", "fatbin", 1, "the body compiled out of SASS and PTX alike",
     fatbin("13.0", "sm_90 ptx_90", "-DBODY_BELOW=900")),
    ("empty_body_ptx_90", "fatbin", 1, "PTX whose kernel's body is compiled out",
     fatbin("13.0", "ptx_90", "-DBODY_BELOW=900")),
    ("no_kernel_90", "fatbin", 1, "the whole kernel compiled out for 9.0",
     fatbin("13.0", "sm_90", "-DKERNEL_BELOW=900")),
    ("no_kernel_90_t118", "fatbin", 1, "the same by an old toolkit",
     fatbin("11.8", "sm_90", "-DKERNEL_BELOW=900")),
    ("no_kernel_90_sass_80", "fatbin", 1, "no kernel for 9.0, a whole one for 8.0",
     fatbin("13.0", "sm_80 sm_90", "-DKERNEL_BELOW=900")),
    ("no_kernel_90_ptx_80", "fatbin", 1, "no kernel for 9.0, a whole one in PTX for compute_80",
     fatbin("13.0", "sm_90 ptx_80", "-DKERNEL_BELOW=900")),
    ("no_kernel_ptx_90_ptx_80", "fatbin", 1,
     "PTX for compute_90 without a kernel, PTX for compute_80 with it",
     fatbin("13.0", "ptx_90 ptx_80", "-DKERNEL_BELOW=900")),
    ("no_kernel_90a_sass_90", "fatbin", 1, "no kernel for 9.0a, a whole one for plain 9.0",
     fatbin("13.0", "sm_90 sm_90a", "-DKERNEL_NOT_90A")),
    ("empty_body_90a_sass_90", "fatbin", 1, "9.0a's body compiled out, a whole one for plain 9.0",
     fatbin("13.0", "sm_90 sm_90a", "-DBODY_NOT_90A")),
    ("only_90a_as_90", "fatbin", 1,
     "code that needs 9.0a compiled for plain 9.0, so its body is gone",
     fatbin("13.0", "sm_80 sm_90", "-DBODY_ONLY_90A")),
    ("only_90a_as_90a", "fatbin", 1, "the same source compiled for 9.0a",
     fatbin("13.0", "sm_80 sm_90a", "-DBODY_ONLY_90A")),
    ("no_kernel_others", "fatbin", 1, "empty images for 7.5 and 8.0, hand-packed before 9.0's",
     packed("nvcc 13.0, packed by build.py",
            lambda: empty_cubin("75"), lambda: empty_cubin("80"), sass("13.0", "9.0", "90"))),
    ("data_only_90", "fatbin", 1, "device data for 9.0, no kernel in the source",
     fatbin("13.0", "sm_90", "-DNO_KERNEL")),

    # Several containers
    ("so_both", "so", 2, "two units, both with 9.0",
     shared(k(0, "13.0", "sm_80 sm_90"), k(1, "13.0", "sm_80 sm_90"))),
    ("so_one_lacks", "so", 2, "two units, the second without 9.0",
     shared(k(0, "13.0", "sm_80 sm_90"), k(1, "13.0", "sm_80"))),
    ("so_first_lacks", "so", 2, "two units, the first without 9.0",
     shared(k(0, "13.0", "sm_80"), k(1, "13.0", "sm_90"))),
    ("so_one_by_ptx", "so", 2, "two units, the second by PTX only",
     shared(k(0, "13.0", "sm_90"), k(1, "13.0", "sm_80 ptx_80"))),
    ("so_ptx_partial", "so", 2, "two units for 8.0, only the first with PTX",
     shared(k(0, "13.0", "sm_80 ptx_80"), k(1, "13.0", "sm_80"))),
    ("so_isa_partial", "so", 2, "two units for 8.0 with PTX, the second compiled by 13.1",
     shared(k(0, "13.0", "sm_80 ptx_80"), k(1, "13.1", "sm_80 ptx_80"))),
    ("so_three_generations", "so", 4,
     "as ONNX Runtime is built: general units, one for 9.0a and one for 12.0a alone",
     shared(k(0, "13.0", "sm_75 sm_80 sm_90"), k(1, "13.0", "sm_75 sm_80 sm_90"),
            k(2, "13.0", "sm_90a"), k(3, "13.0", "sm_120a"))),
    ("so_90a_only_unit", "so", 2, "general unit for 7.5 to 8.6 and a unit for 9.0a alone",
     shared(k(0, "13.0", "sm_75 sm_80 sm_86"), k(1, "13.0", "sm_90a"))),
    ("so_empty_beside", "so", 2, "a good unit and one whose images are all empty",
     shared(k(0, "13.0", "sm_80 sm_90"), k(1, "13.0", "sm_80 sm_90", "-DKERNEL_BELOW=1"))),
    ("so_all_empty", "so", 2, "two units whose images are all empty",
     shared(k(0, "13.0", "sm_90", "-DKERNEL_BELOW=1"),
            k(1, "13.0", "sm_90", "-DKERNEL_BELOW=1"))),
    ("so_90_emptied", "so", 2, "two units with 9.0 in the list, the second empty for it",
     shared(k(0, "13.0", "sm_80 sm_90"), k(1, "13.0", "sm_80 sm_90", "-DKERNEL_BELOW=900"))),
    ("so_link_stub", "so", 2, "a unit for 9.0 linked by nvcc without -arch: its stub says 7.5",
     shared_by_nvcc("13.0", [], k(0, "13.0", "sm_90"))),
    ("so_link_stub_90", "so", 2, "a unit for 8.0 linked by nvcc with -arch=sm_90: the stub says 9.0",
     shared_by_nvcc("13.0", ["-arch=sm_90"], k(0, "13.0", "sm_80"))),
    ("so_t118", "so", 2, "two units by an old toolkit: 8.6 with PTX, and 9.0",
     shared(k(0, "11.8", "sm_86 ptx_86"), k(1, "11.8", "sm_90"))),
    ("archive_mixed", "a", 2, "a static library whose second member lacks 9.0",
     archive(k(0, "13.0", "sm_90"), k(1, "13.0", "sm_80"))),
    ("clang_sm80", "so", 1, "clang's SASS and PTX for 8.0", shared_by_clang("sm_80")),
    ("host_only", "so", 0, "no GPU code; the container's magic three times by chance", host_only()),

    # Compression
    ("pack_zstd_balance", "fatbin", 1, "--compress-mode=balance",
     fatbin("13.0", "sm_80 sm_90 ptx_90", "--compress-mode=balance")),
    ("pack_zstd_size", "fatbin", 1, "--compress-mode=size: SASS and PTX in zstd",
     fatbin("13.0", "sm_80 sm_90 ptx_90", "--compress-mode=size")),
    ("pack_lz4_speed", "fatbin", 1, "--compress-mode=speed: PTX in LZ4",
     fatbin("13.0", "sm_80 sm_90 ptx_90", "--compress-mode=speed")),
    ("pack_none", "fatbin", 1, "--compress-mode=none",
     fatbin("13.0", "sm_80 sm_90 ptx_90", "--compress-mode=none")),
    ("pack_zstd_size_ptx_80", "fatbin", 1, "JIT from zstd, SASS for 8.0 in zstd",
     fatbin("13.0", "sm_80 ptx_80", "--compress-mode=size")),
    ("pack_lz4_speed_ptx_80", "fatbin", 1, "JIT from LZ4",
     fatbin("13.0", "sm_80 ptx_80", "--compress-mode=speed")),
    ("pack_lz4_all_t118", "fatbin", 1, "the old toolkit's -compress-all: everything in LZ4",
     fatbin("11.8", "sm_80 sm_90 ptx_80", "-Xfatbin", "-compress-all")),
    ("pack_zstd_size_no90", "fatbin", 1, "all in zstd, nothing for the card",
     fatbin("13.0", "sm_80 sm_120", "--compress-mode=size")),

    # Debug and options
    ("debug_90", "fatbin", 1, "-G: SASS for 9.0 with its PTX",
     fatbin("13.0", "sm_90 ptx_90", "-G")),
    ("debug_ptx_80", "fatbin", 1, "-G: PTX for compute_80 alone", fatbin("13.0", "ptx_80", "-G")),
    ("debug_empty_body_90", "fatbin", 1,
     "-G with the body compiled out: a big cubin that does nothing",
     fatbin("13.0", "sm_90", "-G", "-DBODY_BELOW=900")),
    ("debug_no_kernel_90", "fatbin", 1, "-G with the whole kernel compiled out",
     fatbin("13.0", "sm_90", "-G", "-DKERNEL_BELOW=900")),
    ("lineinfo_90", "fatbin", 1, "-lineinfo: SASS for 9.0 with its PTX",
     fatbin("13.0", "sm_90 ptx_90", "-lineinfo")),
    ("maxrregcount_ptx_80", "fatbin", 1, "PTX with an option text in the entry's header",
     fatbin("13.0", "sm_80 ptx_80", "-maxrregcount=32")),
]


def empty_cubin(arch):
    nvcc("13.0", f"-arch=sm_{arch}", "-cubin", "-DKERNEL_BELOW=1", "kernel.cu", "-o", "empty.cubin")
    cubin = Path("empty.cubin").read_bytes()
    return entry(2, arch, 1, cubin[8], cubin)


# ---- The programs --------------------------------------------------------------------------------
# name: (toolkit of main.cu and link, what, images of main.cu and of the device link, units)

PROGRAMS = {
    "prog_ok": ("13.0", "two units with 9.0", "sm_80 sm_90", [
        k(0, "13.0", "sm_80 sm_90"), k(1, "13.0", "sm_80 sm_90")]),
    "prog_one_lacks": ("13.0", "the second unit lacks 9.0", "sm_80 sm_90", [
        k(0, "13.0", "sm_80 sm_90"), k(1, "13.0", "sm_80")]),
    "prog_none": ("13.0", "no unit has anything for 9.0", "sm_80", [
        k(0, "13.0", "sm_80"), k(1, "13.0", "sm_86 ptx_100")]),
    "prog_jit": ("13.0", "both units by JIT", "sm_80", [
        k(0, "13.0", "sm_80 ptx_80"), k(1, "13.0", "ptx_75")]),
    "prog_jit_partial": ("13.0", "the first by JIT, the second not at all", "sm_80", [
        k(0, "13.0", "sm_80 ptx_80"), k(1, "13.0", "sm_80")]),
    "prog_isa91": ("13.1", "by 13.1: SASS for 9.0, then PTX of ISA 9.1 only", "sm_80 sm_90", [
        k(0, "13.1", "sm_90"), k(1, "13.1", "sm_80 ptx_80")]),
    "prog_t135": ("13.5", "by 13.5 and its cudart: SASS for 9.0, then PTX only", "sm_80 sm_90", [
        k(0, "13.5", "sm_90"), k(1, "13.5", "sm_80 ptx_80")]),
    "prog_90a": ("13.0", "units for 9.0a, 12.0a, and 8.0 alone", "sm_90", [
        k(0, "13.0", "sm_90a"), k(1, "13.0", "sm_120a"), k(2, "13.0", "sm_80")]),
    "prog_empty": ("13.0", "body compiled out; whole kernel compiled out with PTX beside it; good",
                   "sm_90", [
                       k(0, "13.0", "sm_80 sm_90 ptx_80", "-DBODY_BELOW=900"),
                       k(1, "13.0", "sm_80 sm_90 sm_100 ptx_80", "-DKERNEL_NOT_90"),
                       k(2, "13.0", "sm_90")]),
    "prog_rdc": ("13.0", "relocatable, linked for 8.0 and 9.0", "sm_80 sm_90", [
        k(0, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"),
        k(1, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"),
        ("13.0", "other.cu", "sm_80 sm_90", "-dc")]),
    "prog_rdc_80": ("13.0", "relocatable, compiled for 8.0 and 9.0, linked for 8.0 alone", "sm_80", [
        k(0, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"),
        k(1, "13.0", "sm_80 sm_90", "-dc", "-DCALLS_OTHER"),
        ("13.0", "other.cu", "sm_80 sm_90", "-dc")]),
    "prog_rdc_ptx": ("13.0", "relocatable with PTX, linked for 8.0 alone", "sm_80", [
        k(0, "13.0", "sm_80 ptx_80", "-dc", "-DCALLS_OTHER"),
        k(1, "13.0", "sm_80 ptx_80", "-dc", "-DCALLS_OTHER"),
        ("13.0", "other.cu", "sm_80 ptx_80", "-dc")]),
    "prog_lto": ("13.5", "LTO IR linked to SASS for 9.0", "lto_90", [
        k(0, "13.5", "lto_90", "-dc", "-DCALLS_OTHER"),
        k(1, "13.5", "lto_90", "-dc", "-DCALLS_OTHER"),
        ("13.5", "other.cu", "lto_90", "-dc")]),
    "prog_t118": ("11.8", "by 11.8 with libcudart.so.11.0 beside it: 8.6 with PTX, and 9.0", "sm_86",
                  [k(0, "11.8", "sm_86 ptx_86"), k(1, "11.8", "sm_90")]),
}


def build_program(name, out):
    version, _, images, units = PROGRAMS[name]
    kernels = sum(unit[1] == "kernel.cu" for unit in units)
    relocatable = any("-dc" in unit for unit in units)
    main = (version, "main.cu", images, f'-DPROGRAM=\\"{name}\\"', f"-DKERNELS={kernels}")
    if relocatable:
        main += ("-dc",)
    units = [(*unit, "-DADDRESS") if unit[1] == "kernel.cu" else unit for unit in units]
    objects = compile_units([main, *units])
    link = gencodes(images)
    if "lto_90" in images:
        link = ["-dlto", "-arch=sm_90"]
    if version == "11.8":
        # Debian's package has only the shared runtime: it travels beside the program.
        runtime = Path(TOOLKITS[version], "lib64", "libcudart.so.11.0")
        shutil.copyfile(runtime, out / "libcudart.so.11.0")
        run("g++", "-o", str(out / name), *objects, str(out / "libcudart.so.11.0"),
            "-Wl,-rpath,$ORIGIN")
    else:
        nvcc(version, *link, "-cudart", "static", "-o", str(out / name), *objects)
    run("strip", "--strip-all", str(out / name))


# ---- README's tables -----------------------------------------------------------------------------

def write_tables(rows):
    cases = ["| case | containers | toolkit | what |", "|---|---|---|---|"]
    cases += [f"| `{Path(row['file']).name}` | {row['containers']} | {row['toolkit']} "
              f"| {row['what']} |" for row in rows]
    programs = ["| program | toolkit | what |", "|---|---|---|"]
    programs += [f"| `{name}` | nvcc {version} | {what} |"
                 for name, (version, what, *_) in PROGRAMS.items()]
    text = (HERE / "README.md").read_text()
    for mark, lines in (("cases", cases), ("programs", programs)):
        start = f"<!-- {mark}: written by build.py -->\n"
        before, rest = text.split(start)
        _, after = rest.split("<!-- end -->", 1)
        text = before + start + "\n" + "\n".join(lines) + "\n\n<!-- end -->" + after
    (HERE / "README.md").write_text(text)


# ---- Main ----------------------------------------------------------------------------------------

def in_scratch(function, *arguments):
    """Runs it in a fresh folder with the sources, so that no path of this machine gets inside."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="verdicts-") as scratch:
        for source in SOURCES.iterdir():
            shutil.copyfile(source, Path(scratch, source.name))
        os.chdir(scratch)
        try:
            return function(*arguments)
        finally:
            os.chdir(before)


def build_cases(only):
    (HERE / "bin").mkdir(exist_ok=True)
    rows, failed = [], []
    for name, extension, count, what, (build, toolkit) in CASES:
        out = HERE / "bin" / f"{name}.{extension}"
        try:
            if not only or name in only:
                in_scratch(build, out)
        except Missing as missing:
            print(f"{name}: kept as it is, {missing} is not set", file=sys.stderr)
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(name)
        if out.exists():
            found = len(containers(out))
            if found != count:
                print(f"{name}: {found} containers, {count} meant", file=sys.stderr)
                failed.append(name)
            rows.append({"name": name, "file": f"bin/{out.name}", "what": what, "toolkit": toolkit,
                         "containers": found})
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    (HERE / "cases.json").write_text(f"[\n{lines}\n]\n")
    write_tables(rows)
    print(f"{len(rows)} cases, {len(failed)} failed")
    return failed


def build_programs(out):
    out.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in PROGRAMS:
        try:
            in_scratch(build_program, name, out)
        except Missing as missing:
            print(f"{name}: left out, {missing} is not set", file=sys.stderr)
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(name)
    run("gcc", "-std=c11", "-O1", "-Wall", "-o", str(out / "run_on_gpu"),
        str(HERE / "run_on_gpu.c"), "-ldl")
    size = sum(path.stat().st_size for path in out.iterdir() if path.is_file())
    print(f"{len(PROGRAMS) - len(failed)} programs, {size / 1e6:.1f} MB")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--programs", type=Path, metavar="OUT")
    arguments = parser.parse_args()
    if arguments.programs:
        failed = build_programs(arguments.programs.resolve())
    else:
        failed = build_cases(arguments.only)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
