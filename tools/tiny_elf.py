# SPDX-License-Identifier: Apache-2.0
"""Shared libraries of a page, written without a compiler: for worlds in which a loader is tried.

A library has a soname, an RPATH, needed names and symbols as asked for, and at fixed places, which
tests/tools/loader_driver.c knows:

  0x200   open_from_here(dlopen, name, flags): calls dlopen, so that this library is the one that asks
  0x220   "PLUMBTNY", then as 32-bit numbers: symbols used, where their names lie (NUL after each)
  0x240   one 64-bit slot a symbol used, which ld.so fills with the address that it chose (0: none)
"""
import struct

CODE_AT, MARK_AT, SLOTS_AT = 0x200, 0x220, 0x240
MAX_USES = 32

DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_RELAENT, DT_STRSZ, DT_SYMENT = 1, 4, 5, 6, 7, 8, 9, 10, 11
DT_SONAME, DT_RPATH, DT_SYMBOLIC, DT_RUNPATH, DT_FLAGS_1 = 14, 15, 16, 29, 0x6FFFFFFB
DF_1_GLOBAL, DF_1_NODELETE, DF_1_NOOPEN, DF_1_NODEFLIB, DF_1_PIE = 0x2, 0x8, 0x40, 0x800, 0x8000000
FLAGS_1 = {"nodefaultlib": DF_1_NODEFLIB, "nodlopen": DF_1_NOOPEN, "global": DF_1_GLOBAL, "pie": DF_1_PIE,
           "nodelete": DF_1_NODELETE}
# sub rsp,8; mov rax,rdi; mov rdi,rsi; mov esi,edx; call rax; add rsp,8; ret - a call and no jump:
# dlopen() tells who asks by the address that it returns to.
OPEN_FROM_HERE = bytes.fromhex("4883ec08 4889f8 4889f7 89d6 ffd0 4883c408 c3")
MACHINES = {"x86_64": (62, True), "aarch64": (183, True), "i386": (3, False), "x32": (62, False), "riscv64": (243, True)}


class Strings:
    def __init__(self):
        self.bytes = bytearray(b"\0")

    def add(self, text: str) -> int:
        at = len(self.bytes)
        self.bytes += text.encode("utf-8", "surrogateescape") + b"\0"
        return at


def sysv_hash(name: bytes) -> int:
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value ^= high >> 24
        value &= ~high
    return value & 0xFFFFFFFF


def make_library(soname=None, rpath=None, runpath=None, needed=(), machine="x86_64", flags=(), defines=(), uses=(),
                 symbolic=False, elf_type=3, weak=True) -> bytes:
    """The file's bytes. What is used is weak, so that a symbol that nobody has is no error, unless told otherwise."""
    assert len(uses) <= MAX_USES
    number, is64 = MACHINES[machine]
    word = "Q" if is64 else "I"
    strings = Strings()
    names = [*uses, *defines]
    symbols = [bytes(24 if is64 else 16)]
    for index, name in enumerate(names):
        at = strings.add(name)
        used = index < len(uses)
        info = ((2 if weak else 1) << 4 | 0) if used else (1 << 4 | 1)  # no type; global object
        value, size, section = (0, 0, 0) if used else (MARK_AT, 1, 1)
        symbols.append(struct.pack("<IBBHQQ", at, info, 0, section, value, size) if is64 else
                       struct.pack("<IIIBBH", at, value, size, info, 0, section))
    dynamic = [(DT_NEEDED, strings.add(name)) for name in needed]
    for tag, value in ((DT_SONAME, soname), (DT_RPATH, rpath), (DT_RUNPATH, runpath)):
        if value is not None:
            dynamic.append((tag, strings.add(value)))
    if symbolic:
        dynamic.append((DT_SYMBOLIC, 0))
    if flags:
        dynamic.append((DT_FLAGS_1, sum(FLAGS_1[flag] for flag in flags)))
    used_names = b"".join(name.encode() + b"\0" for name in uses)

    symbols_at = SLOTS_AT + 8 * MAX_USES
    symbol_bytes = b"".join(symbols)
    relocations_at = symbols_at + len(symbol_bytes)
    relocations = b"".join(struct.pack("<QQq", SLOTS_AT + 8 * i, (i + 1) << 32 | 6, 0) for i in range(len(uses)))
    hash_at = relocations_at + len(relocations)
    chain = [(i + 1) % len(symbols) for i in range(len(symbols))]  # one bucket, every symbol in its chain
    chain[0] = 0
    table = struct.pack(f"<III{len(symbols)}I", 1, len(symbols), 1 if len(symbols) > 1 else 0, *chain)
    names_at = hash_at + len(table)
    strings_at = names_at + len(used_names)
    dynamic_at = (strings_at + len(strings.bytes) + 7) & ~7
    dynamic += [(DT_HASH, hash_at), (DT_STRTAB, strings_at), (DT_SYMTAB, symbols_at), (DT_STRSZ, len(strings.bytes)),
                (DT_SYMENT, 24 if is64 else 16)]
    if uses and is64:
        dynamic += [(DT_RELA, relocations_at), (DT_RELASZ, len(relocations)), (DT_RELAENT, 24)]
    dynamic.append((0, 0))
    dynamic_bytes = b"".join(struct.pack(f"<2{word}", *entry) for entry in dynamic)
    size = dynamic_at + len(dynamic_bytes)

    def segment(kind, flags_, at, length, align):
        if is64:
            return struct.pack("<IIQQQQQQ", kind, flags_, at, at, at, length, length, align)
        return struct.pack("<8I", kind, at, at, at, length, length, flags_, align)

    # PT_GNU_STACK: without it ld.so would make the stack executable.
    segments = [segment(1, 7, 0, size, 0x1000), segment(2, 6, dynamic_at, len(dynamic_bytes), 8),
                segment(0x6474E551, 6, 0, 0, 16)]
    header_size = 64 if is64 else 52
    out = bytearray(size)
    out[:header_size] = b"\x7fELF" + bytes([2 if is64 else 1, 1, 1, 0]) + bytes(8) + struct.pack(
        f"<HHI3{word}IHHHHHH", elf_type, number, 1, 0, header_size, 0, 0, header_size, 56 if is64 else 32, len(segments),
        64 if is64 else 40, 0, 0)
    table_bytes = b"".join(segments)
    out[header_size:header_size + len(table_bytes)] = table_bytes
    out[CODE_AT:CODE_AT + len(OPEN_FROM_HERE)] = OPEN_FROM_HERE
    out[MARK_AT:MARK_AT + 16] = b"PLUMBTNY" + struct.pack("<II", len(uses), names_at)
    for at, part in ((symbols_at, symbol_bytes), (relocations_at, relocations), (hash_at, table), (names_at, used_names),
                     (strings_at, strings.bytes), (dynamic_at, dynamic_bytes)):
        out[at:at + len(part)] = part
    return bytes(out)


def make_damaged(kind: str, **library) -> bytes:
    """A file that is no library for one reason each."""
    good = bytearray(make_library(**library))
    if kind == "empty":
        return b""
    if kind == "short":
        return b"INPUT(libx.so)\n"
    if kind == "garbage":
        return b"/* GNU ld script */ GROUP ( libx.so.1 libx_nonshared.a ) " * 20
    if kind == "header_only":
        return bytes(good[:64])
    if kind == "truncated":
        return bytes(good[:0x180])
    if kind == "big_endian":
        good[5] = 2
    elif kind == "other_system":
        good[7] = 9  # FreeBSD
    elif kind == "object_file":
        struct.pack_into("<H", good, 16, 1)
    elif kind == "core_file":
        struct.pack_into("<H", good, 16, 4)
    elif kind == "version_2":
        struct.pack_into("<I", good, 20, 2)
    elif kind == "wrong_phentsize":
        struct.pack_into("<H", good, 54, 32)
    elif kind == "no_dynamic":
        struct.pack_into("<I", good, 64 + 56, 4)
    elif kind == "no_load":
        struct.pack_into("<I", good, 64, 4)
    elif kind == "no_segments":
        struct.pack_into("<H", good, 56, 0)
    else:
        raise ValueError(kind)
    return bytes(good)


DAMAGED = ("empty", "short", "garbage", "header_only", "big_endian", "other_system", "object_file",
           "core_file", "version_2", "wrong_phentsize", "no_dynamic", "no_load", "no_segments")

ROOM = 8192  # bytes that loader_driver.c keeps free in its string table


def make_program(template: bytes, rpath=None, runpath=None, needed=(), flags=()) -> bytes:
    """A copy of the compiled driver with other dynamic entries. It is linked with -rpath of ROOM letters and spare
    dynamic tags, so all fits in place."""
    out = bytearray(template)
    phoff, = struct.unpack_from("<Q", out, 32)
    phnum, = struct.unpack_from("<H", out, 56)
    loads, dynamic_at, dynamic_size = [], 0, 0
    for i in range(phnum):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", out, phoff + 56 * i)
        if kind == 1:
            loads.append((address, offset, size))
        elif kind == 2:
            dynamic_at, dynamic_size = offset, size
    entries = []
    for at in range(dynamic_at, dynamic_at + dynamic_size, 16):
        tag, value = struct.unpack_from("<QQ", out, at)
        if tag == 0:
            break
        entries.append((tag, value))
    values = dict(entries)
    table = next(offset + values[DT_STRTAB] - address for address, offset, size in loads
                 if address <= values[DT_STRTAB] < address + size)
    room = values.get(DT_RUNPATH, values.get(DT_RPATH))
    assert out[table + room:table + room + ROOM] == b"X" * ROOM
    out[table + room:table + room + ROOM] = bytes(ROOM)
    used = room + 1

    def add(text: str) -> int:
        nonlocal used
        at, raw = used, text.encode("utf-8", "surrogateescape") + b"\0"
        used += len(raw)
        assert used < room + ROOM, "the driver has no room for names as long as these"
        out[table + at:table + at + len(raw)] = raw
        return at

    fresh = [(DT_NEEDED, add(name)) for name in needed]
    fresh += [entry for entry in entries if entry[0] == DT_NEEDED]
    for tag, value in ((DT_RPATH, rpath), (DT_RUNPATH, runpath)):
        if value is not None:
            fresh.append((tag, add(value)))
    flag_bits = sum(FLAGS_1[flag] for flag in flags)
    fresh.append((DT_FLAGS_1, values.get(DT_FLAGS_1, 0) | flag_bits))
    fresh += [entry for entry in entries if entry[0] not in (DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_FLAGS_1)]
    assert (len(fresh) + 1) * 16 <= dynamic_size, "the driver has no room for more dynamic entries"
    raw = b"".join(struct.pack("<QQ", *entry) for entry in fresh)
    out[dynamic_at:dynamic_at + dynamic_size] = raw.ljust(dynamic_size, b"\0")
    return bytes(out)
