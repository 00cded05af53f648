# SPDX-License-Identifier: Apache-2.0
"""The world of a case: the files and variables that it describes, built in a folder of its own."""
import base64
import dataclasses
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import sys
import zipfile

from case_file import CaseError

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS.parent / "tools"))
import tiny_elf  # noqa: E402
import tiny_pe  # noqa: E402
UNKNOWN_TO_WINDOWS = re.compile(r'[<>:"|?*\\]')  # no file there can be named with one of these
TIME = re.compile(r"(?<![\w.])\d+(?:\.\d+)? (?:ms|s|µs)(?![\w/])")


# The driver's libraries: the variable that names another file to plumb, and the name on each system.
DRIVER_LIBRARIES = {"nvml": ("PLUMB_NVML", {"linux": "libnvidia-ml.so.1", "windows": "nvml.dll"}),
                    "cuda": ("PLUMB_CUDA_DRIVER", {"linux": "libcuda.so.1", "windows": "nvcuda.dll"})}


@dataclasses.dataclass
class World:
    folder: pathlib.Path
    system: str = "linux"  # that the cases are run on
    doubles: pathlib.Path | None = None  # the folder of the built doubles
    environment: dict = dataclasses.field(default_factory=dict)
    systems: set = dataclasses.field(default_factory=lambda: {"linux", "windows"})
    needs_unprivileged: bool = False
    modes: list = dataclasses.field(default_factory=list)

    def shown_folder(self, system: str) -> str:
        """The folder as the program is given it; Wine's drive Z: is the root."""
        return "Z:" + str(self.folder).replace("/", "\\") if system == "windows" else str(self.folder)

    def normalise(self, output: bytes, system: str) -> str:
        """The same text whichever folder, moment and system it came from."""
        text = output.decode("utf-8", "backslashreplace")
        if system == "windows":
            text = text.replace("\r\n", "\n")
        # On Linux too: a Windows machine that is looked at has Windows' paths.
        if text.lstrip()[:1] in ("{", "["):  # JSON writes a backslash twice; single ones belong to its escapes
            text = re.sub(r"\\\\(?!x[0-9a-f]{2}|u\{)", "/", text)
        else:  # \xNN and \u{NNNN} are plumb's own way to show a control character
            text = re.sub(r"\\(?!x[0-9a-f]{2}|u\{)", "/", text)
        if system == "windows":
            text = text.replace("Z:" + str(self.folder), "[W]")
        text = text.replace(str(self.folder), "[W]")
        return TIME.sub("[TIME]", text)

    def restore_modes(self) -> None:
        """So that the folder can be removed."""
        for path, mode in self.modes:
            os.chmod(path, mode)


def build(folder: pathlib.Path, lines: list, system: str = "linux", doubles: pathlib.Path | None = None) -> World:
    """`lines` are (number, text) of the world sections."""
    world = World(folder, system, doubles)
    os.chmod(folder, 0o755)
    modes = []
    position = 0
    while position < len(lines):
        number, line = lines[position]
        position += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = shlex.split(line)
        body = None
        if words[-1].startswith("<<"):
            end = words.pop()[2:]
            body = []
            while position < len(lines) and lines[position][1] != end:
                body.append(lines[position][1])
                position += 1
            if position == len(lines):
                raise CaseError(f"line {number}: no line '{end}' follows")
            position += 1
        try:
            _make(world, modes, words[0], words[1:], body)
        except (ValueError, KeyError):
            raise CaseError(f"line {number}: cannot read: {line}") from None
    for path, mode in modes:  # last, so that nothing above is in their way
        world.modes.append((path, path.stat().st_mode & 0o7777))
        os.chmod(path, mode)
    return world


def _make(world: World, modes: list, verb: str, words: list, body) -> None:
    def place(name: str) -> pathlib.Path:
        raw = re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match.group(1).decode()), name.encode())
        if raw != name.encode() or UNKNOWN_TO_WINDOWS.search(name):
            world.systems &= {"linux"}
        path = world.folder / os.fsdecode(raw)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    if verb in ("file", "hex"):
        (name,) = words
        data = "".join(line + "\n" for line in body or []).encode()
        place(name).write_bytes(_unhex(body or []) if verb == "hex" else data)
    elif verb == "elf":
        name, *settings = words
        place(name).write_bytes(_library(settings))
    elif verb == "pe":
        name, *settings = words
        place(name).write_bytes(_dll(name.rpartition("/")[2], settings))
    elif verb == "size":
        size, name = words
        with place(name).open("ab") as file:
            file.truncate(int(size))
    elif verb == "copy":
        source, name = words
        shutil.copyfile(TESTS / source, place(name))
    elif verb == "double":
        _double(world, *words, script=body or [])
    elif verb in ("zip", "wheel"):
        name, source = words
        _zip(place(name), world.folder / source, verb == "wheel")
    elif verb == "link":
        target, name = words
        place(name).symlink_to(target.replace("[W]", str(world.folder)))
    elif verb == "fifo":
        (name,) = words
        os.mkfifo(place(name))
        world.systems &= {"linux"}
    elif verb == "dir":
        (name,) = words
        place(name).mkdir(parents=True, exist_ok=True)
    elif verb == "mode":
        mode, name = words
        modes.append((world.folder / name, int(mode, 8)))
        world.needs_unprivileged = True
        world.systems &= {"linux"}
    elif verb == "env":
        name, value = " ".join(words).split("=", 1)
        world.environment[name] = value
    elif verb == "only":
        world.systems &= {{"linux": "linux", "windows": "windows"}[word] for word in words}
    else:
        raise ValueError


def _double(world: World, library: str, *variant: str, script: list) -> None:
    """A built double of a driver library, and what it answers."""
    variable, names = DRIVER_LIBRARIES[library]
    built = "_".join([library, *variant]) + {"linux": ".so", "windows": ".dll"}[world.system]
    separator = {"linux": "/", "windows": "\\"}[world.system]
    shutil.copyfile(world.doubles / built, world.folder / names[world.system])
    world.environment[variable] = f"[W]{separator}{names[world.system]}"
    with (world.folder / "script").open("a", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in script)
    world.environment["PLUMB_DOUBLE_SCRIPT"] = f"[W]{separator}script"


def _library(settings: list) -> bytes:
    """A Linux library: soname=X rpath=X runpath=X machine=X; needed=A,B defines=F,G uses=H (strong)."""
    values = {"weak": False}
    for setting in settings:
        key, value = setting.split("=", 1)
        values[key] = value.split(",") if key in ("needed", "defines", "uses") else value
    return tiny_elf.make_library(**values)


def _dll(name: str, settings: list) -> bytes:
    """A DLL: imports=A.dll:f,B.dll:g exports=f,g machine=X."""
    values = dict(setting.split("=", 1) for setting in settings)
    imports = {}
    for entry in filter(None, values.pop("imports", "").split(",")):
        library, function = entry.split(":")
        imports.setdefault(library, []).append(function)
    exports = {export: None for export in filter(None, values.pop("exports", "").split(","))}
    return tiny_pe.build(name, imports=imports, exports=exports or None, **values)


def _unhex(lines: list) -> bytes:
    """Pairs of digits; `00*64` repeats one; `#` begins a comment; "text" stands for its bytes."""
    data = bytearray()
    for line in lines:
        for token in re.findall(r'"[^"]*"|#.*|\S+', line):
            if token.startswith("#"):
                break
            if token.startswith('"'):
                data += token[1:-1].encode()
            else:
                digits, _, count = token.partition("*")
                data += bytes.fromhex(digits) * int(count or 1)
    return bytes(data)


def _zip(path: pathlib.Path, folder: pathlib.Path, with_record: bool) -> None:
    """All files below `folder`, in order of name and without times; a wheel's RECORD is made to fit."""
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
    if with_record:
        (info,) = {name.split("/")[0] for name in files if ".dist-info/" in name}
        rows = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}"
                for name, data in files.items()]
        files[f"{info}/RECORD"] = ("\n".join([*rows, f"{info}/RECORD,,"]) + "\n").encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
