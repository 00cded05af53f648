# SPDX-License-Identifier: Apache-2.0
"""DLLs of a few kilobytes, written without a compiler: for worlds in which a Windows loader is tried.

A DLL has imports (by name or ordinal), exports and forwarders as asked for, a manifest perhaps, and no code to run: it has
no entry point, and its exported functions are single RET instructions.
"""
import struct

MACHINES = {"x86_64": (0x8664, True), "aarch64": (0xAA64, True), "i386": (0x14C, False)}
SECTION_RVA, FILE_ALIGNMENT, SECTION_ALIGNMENT = 0x1000, 0x200, 0x1000


class Image:
    """The one section, which grows at its end."""

    def __init__(self):
        self.bytes = bytearray()

    def add(self, data: bytes, align: int = 8) -> int:
        """Returns the RVA."""
        self.bytes += bytes(-len(self.bytes) % align)
        rva = SECTION_RVA + len(self.bytes)
        self.bytes += data
        return rva

    def text(self, text: str) -> int:
        return self.add(text.encode() + b"\0", 1)

    def put(self, rva: int, data: bytes) -> None:
        self.bytes[rva - SECTION_RVA:rva - SECTION_RVA + len(data)] = data


def add_thunks(image: Image, plus: bool, functions: list) -> tuple[int, int]:
    entries = []
    for function in functions:
        if isinstance(function, int):
            entries.append(function | (1 << 63 if plus else 1 << 31))
        else:
            entries.append(image.add(b"\0\0" + function.encode() + b"\0", 2))
    data = b"".join(struct.pack("<Q" if plus else "<I", entry) for entry in [*entries, 0])
    return image.add(data), image.add(data)


def add_imports(image: Image, plus: bool, imports: dict) -> tuple[int, int]:
    rows = b""
    for dll, functions in imports.items():
        names, addresses = add_thunks(image, plus, functions)
        rows += struct.pack("<5I", names, 0, 0, image.text(dll), addresses)
    return image.add(rows + bytes(20)), len(rows) + 20


def add_delay_imports(image: Image, plus: bool, imports: dict) -> tuple[int, int]:
    rows = b""
    for dll, functions in imports.items():
        names, addresses = add_thunks(image, plus, functions)
        rows += struct.pack("<8I", 1, image.text(dll), image.add(bytes(8)), addresses, names, 0, 0, 0)
    return image.add(rows + bytes(32)), len(rows) + 32


def add_exports(image: Image, dll: str, exports: dict) -> tuple[int, int]:
    """`exports`: name -> forwarder, or None. The directory's texts lie inside it, as forwarders must."""
    names = sorted(exports, key=str.encode)
    code = image.add(b"\xc3" + bytes(15), 16)
    start = image.add(bytes(40))
    addresses = image.add(b"".join(struct.pack("<I", code) for _ in names), 4)
    pointers = image.add(bytes(4 * len(names)), 4)
    ordinals = image.add(b"".join(struct.pack("<H", i) for i in range(len(names))), 2)
    name = image.text(dll)
    for i, export in enumerate(names):
        image.put(pointers + 4 * i, struct.pack("<I", image.text(export)))
        if exports[export]:
            image.put(addresses + 4 * i, struct.pack("<I", image.text(exports[export])))
    image.put(start, struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, name, 1, len(names), len(names), addresses, pointers, ordinals))
    return start, SECTION_RVA + len(image.bytes) - start


def add_manifest(image: Image, manifest: str, number: int) -> tuple[int, int]:
    data = manifest.encode()
    text = image.add(data)
    rows = b""
    for level, name in enumerate((24, number, 0x409)):
        target = (0x80000000 if level < 2 else 0) | 24 * (level + 1)
        rows += struct.pack("<IIHHHH", 0, 0, 0, 0, 0, 1) + struct.pack("<II", name, target)
    return image.add(rows + struct.pack("<IIII", text, len(data), 0, 0)), len(rows) + 16


def build(name: str, machine: str = "x86_64", imports: dict | None = None, delay_imports: dict | None = None,
          exports: dict | None = None, manifest: str = "", dll: bool = True) -> bytes:
    number, plus = MACHINES[machine]
    image = Image()
    directories = [(0, 0)] * 16
    directories[0] = add_exports(image, name, {"f": None} if exports is None else exports)
    if imports:
        directories[1] = add_imports(image, plus, imports)
    if manifest:
        directories[2] = add_manifest(image, manifest, 2 if dll else 1)
    if delay_imports:
        directories[13] = add_delay_imports(image, plus, delay_imports)
    size = len(image.bytes)
    raw = size + -size % FILE_ALIGNMENT
    image_size = SECTION_RVA + size + -size % SECTION_ALIGNMENT
    optional = struct.pack("<HBBIIIII", 0x20B if plus else 0x10B, 14, 0, raw, 0, 0, 0, SECTION_RVA)
    optional += struct.pack("<Q", 0x180000000) if plus else struct.pack("<II", SECTION_RVA, 0x10000000)
    optional += struct.pack("<IIHHHHHHIIIIHH", SECTION_ALIGNMENT, FILE_ALIGNMENT, 6, 0, 0, 0, 6, 0, 0, image_size, 0x400, 0,
                            3, 0x160)
    optional += struct.pack("<4Q" if plus else "<4I", 0x100000, 0x1000, 0x100000, 0x1000) + struct.pack("<II", 0, 16)
    optional += b"".join(struct.pack("<II", *directory) for directory in directories)
    headers = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0"
    headers += struct.pack("<HHIIIHH", number, 1, 0, 0, 0, len(optional), 0x2022 if dll else 0x22) + optional
    headers += struct.pack("<8sIIIIIIHHI", b".rdata", size, SECTION_RVA, raw, 0x400, 0, 0, 0, 0, 0xE0000060)
    return headers + bytes(0x400 - len(headers)) + bytes(image.bytes) + bytes(raw - size)


def export_names(data: bytes) -> tuple[list[str], int, int]:
    """Names that a DLL exports, its first ordinal and the number of its entries."""
    pe = struct.unpack_from("<I", data, 60)[0]
    sections, optional_size = struct.unpack_from("<HxxxxxxxxxxxxH", data, pe + 6)
    plus = struct.unpack_from("<H", data, pe + 24)[0] == 0x20B
    directory = struct.unpack_from("<I", data, pe + 24 + (112 if plus else 96))[0]
    table = [struct.unpack_from("<IIII", data, pe + 24 + optional_size + 40 * i + 8) for i in range(sections)]

    def at(rva: int) -> int:
        for virtual_size, start, raw_size, offset in table:
            if start <= rva < start + max(virtual_size, raw_size):
                return rva - start + offset
        raise ValueError("an address in no section")

    if not directory:
        return [], 0, 0
    base, count, name_count, _, names = struct.unpack_from("<5I", data, at(directory) + 16)
    found = []
    for i in range(name_count):
        start = at(struct.unpack_from("<I", data, at(names) + 4 * i)[0])
        found.append(data[start:data.index(b"\0", start)].decode("latin-1"))
    return found, base, count
