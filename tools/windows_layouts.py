# SPDX-License-Identifier: Apache-2.0
"""Layouts in which tools/compare_loader_windows.py tries a Windows loader.

    what      what it is about
    files     path -> a tiny DLL (tiny_pe.build's arguments; "cut": so many bytes of it), bytes, or a link's target
    folders   empty ones; app and cwd, the current folder, are always there
    path      PATH; {W} is the layout's folder
    script    tests/tools/windows_loader_driver.c has the commands
    windows   Windows' answer where Wine gives another; the source stands in `what`
"""
import random

ALTERED, DLL_DIR, APP, USER, SYSTEM, DEFAULT = 0x8, 0x100, 0x200, 0x400, 0x800, 0x1000
DLL = {}


def needs(*names: str) -> dict:
    return {"imports": list(names)}


def load(name: str, flags: int = 0) -> str:
    return f"load {flags:x} {name}"


def layout(what: str, files: dict, *script: str, **more) -> dict:
    return {"what": what, "files": files, "script": list(script), **more}


EVERYWHERE = {f"{folder}/x.dll": DLL for folder in ("app", "cwd", "p1", "p2", "added", "set")}
PATH = "{W}\\p1;{W}\\p2"
CONTROLS = "Microsoft.Windows.Common-Controls"
CRT_MANIFEST = ("<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'><dependency><dependentAssembly>"
                "<assemblyIdentity type='win32' name='Tiny.CRT' version='1.0.0.0' processorArchitecture='amd64'/>"
                "</dependentAssembly></dependency></assembly>")
TINY_CRT = (b"<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'><assemblyIdentity type='win32' "
            b"name='Tiny.CRT' version='1.0.0.0' processorArchitecture='amd64'/><file name='dep.dll'/></assembly>")


def without(*folders: str) -> dict:
    return {path: what for path, what in EVERYWHERE.items() if path.split("/")[0] not in folders}


LAYOUTS = {
    "order-app": layout("the application's folder first", EVERYWHERE, load("x.dll"), path=PATH),
    "order-cwd": layout("then the current folder", without("app"), load("x.dll"), path=PATH),
    "order-path": layout("then PATH", without("app", "cwd"), load("x.dll"), path=PATH),
    "order-path-2": layout("PATH in order", without("app", "cwd", "p1"), load("x.dll"), path=PATH),
    "order-none": layout("nowhere", without("app", "cwd", "p1", "p2"), load("x.dll"), path=PATH),
    "set": layout("SetDllDirectory comes after the application's folder", without("app"), "set {W}\\set", load("x.dll"),
                  path=PATH),
    "set-app": layout("... not before", EVERYWHERE, "set {W}\\set", load("x.dll")),
    "set-no-cwd": layout("... and takes the current folder out", without("app", "set"), "set {W}\\set", load("x.dll"),
                         path=PATH),
    "set-and-back": layout("... until it is taken back", without("app"), "set {W}\\set", "set", load("x.dll"), path=PATH),
    "set-relative": layout("a relative one", without("app"), "set ..\\set", load("x.dll")),
    "default-dirs": layout("search flags see neither PATH nor the current folder", without("app"), load("x.dll", DEFAULT),
                           path=PATH),
    "default-dirs-app": layout("... but the application's", EVERYWHERE, load("x.dll", DEFAULT)),
    "added": layout("AddDllDirectory counts with the flag", without("app"), "add {W}\\added", load("x.dll", DEFAULT)),
    "added-plain": layout("... and not without", without("app", "cwd"), "add {W}\\added", load("x.dll"), path=PATH),
    "added-two": layout("of two added folders", {"a/x.dll": DLL, "b/x.dll": DLL}, "add {W}\\a", "add {W}\\b",
                        load("x.dll", DEFAULT)),
    "added-three": layout("of three, where the last has none", {"a/x.dll": DLL, "b/x.dll": DLL, "c/y.dll": DLL}, "add {W}\\a",
                          "add {W}\\b", "add {W}\\c", load("x.dll", USER)),
    "added-and-set": layout("an added folder and SetDllDirectory's", {"a/x.dll": DLL, "set/x.dll": DLL}, "set {W}\\set",
                            "add {W}\\a", load("x.dll", DEFAULT)),
    "set-with-flags": layout("SetDllDirectory's counts for search flags", {"set/x.dll": DLL}, "set {W}\\set",
                             load("x.dll", DEFAULT), load("x.dll", APP), load("x.dll", USER)),
    "only-system": layout("System32 alone", EVERYWHERE, load("x.dll", SYSTEM), load("version.dll", SYSTEM)),
    "only-app": layout("the application's alone", EVERYWHERE, load("x.dll", APP), load("version.dll", APP)),
    "only-user": layout("added ones alone", EVERYWHERE, load("x.dll", USER), "add {W}\\added", load("x.dll", USER)),
    "python": layout("Python's way: a module and what lies beside it", {"site/ext.pyd": needs("dep.dll"), "site/dep.dll": DLL},
                     load("{W}\\site\\ext.pyd", DLL_DIR | DEFAULT)),
    "python-no-dir": layout("without the flag for its folder", {"site/ext.pyd": needs("dep.dll"), "site/dep.dll": DLL},
                            load("{W}\\site\\ext.pyd", DEFAULT)),
    "python-first": layout("its folder comes before the application's",
                           {"site/ext.pyd": needs("dep.dll"), "site/dep.dll": DLL, "app/dep.dll": DLL},
                           load("{W}\\site\\ext.pyd", DLL_DIR | DEFAULT)),
    "python-deep": layout("the folder is that of the first, not of its imports",
                          {"site/ext.pyd": needs("a.dll"), "added/a.dll": needs("b.dll"), "added/b.dll": DLL,
                           "site/b.dll": DLL}, "add {W}\\added", load("{W}\\site\\ext.pyd", DLL_DIR | DEFAULT)),
    "altered": layout("altered search", {"site/x.dll": needs("dep.dll"), "site/dep.dll": DLL, "app/dep.dll": DLL},
                      load("{W}\\site\\x.dll", ALTERED)),
    "altered-no-app": layout("... takes the application's folder out", {"site/x.dll": needs("dep.dll"), "app/dep.dll": DLL},
                             load("{W}\\site\\x.dll", ALTERED)),
    "altered-path": layout("... but not PATH", {"site/x.dll": needs("dep.dll"), "p1/dep.dll": DLL},
                           load("{W}\\site\\x.dll", ALTERED), path=PATH),
    "altered-set": layout("... nor SetDllDirectory's", {"site/x.dll": needs("dep.dll"), "p1/dep.dll": DLL, "set/dep.dll": DLL},
                          "set {W}\\set", load("{W}\\site\\x.dll", ALTERED), path=PATH),
    "altered-bare": layout("altered search of a bare name", EVERYWHERE, load("x.dll", ALTERED)),
    "plain-path": layout("a path alone does not help its imports", {"site/x.dll": needs("dep.dll"), "site/dep.dll": DLL},
                         load("{W}\\site\\x.dll")),
    "plain-path-app": layout("they are the application's", {"site/x.dll": needs("dep.dll"), "site/dep.dll": DLL,
                                                            "app/dep.dll": DLL}, load("{W}\\site\\x.dll")),
    "loaded": layout("a loaded name ends the search", {"a/x.dll": DLL, "app/x.dll": DLL}, load("{W}\\a\\x.dll"), load("x.dll"),
                     load("X")),
    "loaded-import": layout("... for imports too", {"a/dep.dll": DLL, "app/dep.dll": DLL, "app/x.dll": needs("DEP.dll")},
                            load("{W}\\a\\dep.dll"), load("x.dll")),
    "loaded-two": layout("of two of one name, the first loaded", {"a/x.dll": DLL, "b/x.dll": DLL, "app/y.dll": needs("x.dll")},
                         load("{W}\\b\\x.dll"), load("{W}\\a\\x.dll"), load("y.dll"), load("{W}\\b\\x.dll")),
    "loaded-two-latest": layout("... even where another was asked for since (Microsoft, LoadLibraryW: \"the function returns a "
                                "handle to the module that was loaded first\"; Wine: the one that it saw last, cached_modref in "
                                "dlls/ntdll/loader.c says)",
                                {"a/x.dll": DLL, "b/x.dll": DLL}, load("{W}\\b\\x.dll"), load("{W}\\a\\x.dll"), load("x.dll"),
                                windows=["loaded {W}\\b\\x.dll", "new {W}\\b\\x.dll", "loaded {W}\\a\\x.dll",
                                         "new {W}\\a\\x.dll", "loaded {W}\\b\\x.dll"]),
    "loaded-flags": layout("whatever the flags", {"a/x.dll": DLL}, load("{W}\\a\\x.dll"), load("x.dll", SYSTEM)),
    "spelling": layout("one file, many spellings", {"a/x.dll": DLL}, load("{W}\\a\\x.dll"), load("{W}\\A\\X.DLL"),
                       load("{W}/a/x.dll"), load("{W}\\app\\..\\a\\.\\x.dll"), load("\\\\?\\{W}\\a\\x.dll")),
    "relative": layout("a relative path", {"cwd/sub/x.dll": DLL, "app/sub/y.dll": DLL, "p1/sub/z.dll": DLL},
                       load("sub\\x.dll"), load("sub/y.dll"), load("sub\\z.dll"), path=PATH),
    "relative-loaded": layout("a relative path is not a loaded name", {"cwd/sub/x.dll": DLL, "a/x.dll": DLL},
                              load("{W}\\a\\x.dll"), load("sub\\x.dll"), load("nowhere\\x.dll")),
    "dot": layout("from the current folder", {"cwd/x.dll": DLL, "p1/y.dll": DLL}, load(".\\x.dll"), load("..\\p1\\y.dll")),
    "relative-flags": layout("a relative path and search flags", {"cwd/sub/x.dll": DLL, "app/sub/y.dll": DLL},
                             load("sub\\x.dll", DEFAULT), load("sub\\y.dll", DEFAULT)),
    "no-extension": layout("\".dll\" is added", {"app/x.dll": DLL, "app/y": DLL, "app/z.1": DLL, "app/z.1.dll": DLL}, load("x"),
                           load("y"), load("z.1")),
    "trailing-dot": layout("a dot at the end: no extension", {"app/y": DLL, "app/x.dll": DLL, "app/x": DLL}, load("y."),
                           load("x."), load("{W}\\app\\x.")),
    "import-no-extension": layout("... in imports too", {"app/x.dll": needs("dep"), "app/dep.dll": DLL, "app/dep": DLL},
                                  load("x.dll")),
    "empty-name": layout("no name", {}, load("")),
    "blank-end": layout("blanks at the end", {"app/x.dll": DLL}, load("x.dll  ")),
    "missing-path": layout("a path to nowhere", {}, load("{W}\\nowhere\\x.dll"), load("{W}\\app\\x.dll"), load("Q:\\x.dll")),
    "missing-deep": layout("a dependency's dependency", {"app/x.dll": needs("a.dll"), "app/a.dll": needs("b.dll")},
                           load("x.dll"), load("a.dll")),
    "missing-then-there": layout("what failed leaves nothing behind (Microsoft, FreeLibrary: a module whose count is zero is "
                                 "unmapped; Wine: \"dlls loaded by this dll before the failed one\" stay, as a note in "
                                 "dlls/ntdll/loader.c says)",
                                 {"a/x.dll": needs("y.dll", "gone.dll"), "a/y.dll": DLL, "app/y.dll": DLL},
                                 load("{W}\\a\\x.dll", ALTERED), load("y.dll"),
                                 windows=["error 126", "loaded {W}\\app\\y.dll", "new {W}\\app\\y.dll"]),
    "cycle": layout("circles", {"app/a.dll": needs("b.dll"), "app/b.dll": needs("c.dll", "a.dll"),
                                "app/c.dll": needs("a.dll", "c.dll")}, load("b.dll")),
    "diamond": layout("one twice", {"app/a.dll": needs("b.dll", "c.dll"), "app/b.dll": needs("d.dll"),
                                    "app/c.dll": needs("D.DLL", "d"), "app/d.dll": DLL}, load("a.dll")),
    "chain": layout("a long chain", {f"app/c{i}.dll": needs(f"c{i + 1}.dll") if i < 99 else DLL for i in range(100)},
                    load("c0.dll")),
    "delayed": layout("delay imports wait", {"app/x.dll": {"delay_imports": ["gone.dll"]}}, load("x.dll")),
    "flags-clash": layout("flags that exclude each other", EVERYWHERE, load("{W}\\app\\x.dll", ALTERED | DEFAULT)),
    "dll-dir-bare": layout("its folder is asked for without a path", EVERYWHERE, load("x.dll", DLL_DIR | DEFAULT),
                           load(".\\x.dll", DLL_DIR), load("{W}\\app\\x.dll", DLL_DIR)),
    "cut": layout("cut off in the headers", {"app/x.dll": {"cut": 300}, "p1/x.dll": DLL, "app/y.dll": needs("x.dll")},
                  load("x.dll"), load("{W}\\app\\x.dll"), path=PATH),
    "cut-section": layout("cut off in a section: ERROR_BAD_EXE_FORMAT, for Windows maps all of an image or nothing "
                          "(Microsoft, System Error Codes 193; Wine fills what is missing with zeros)",
                          {"app/x.dll": {"cut": 1100}, "p1/x.dll": DLL}, load("x.dll"), path=PATH, windows=["error 193"]),
    "garbage": layout("no DLL at all", {"app/x.dll": b"hello, this is not a DLL\n" * 100, "p1/x.dll": DLL}, load("x.dll"),
                      path=PATH),
    "folder": layout("a folder of that name", {"p1/x.dll": DLL}, load("x.dll"), folders=["app/x.dll"], path=PATH),
    "path-odd": layout("PATH: empty, relative and unexpanded elements, both slashes",
                       {"cwd/rel/x.dll": DLL, "a/y.dll": DLL, "a b/z.dll": DLL}, load("x.dll"), load("y.dll"), load("z.dll"),
                       path=";;%SystemRoot%\\..\\a;rel;{W}/a/;{W}\\a b;"),
    "path-changed": layout("a changed PATH is seen at once", {"p1/x.dll": DLL, "p2/y.dll": DLL}, load("y.dll"),
                           "path {W}\\p2", load("y.dll"), load("x.dll"), path="{W}\\p1"),
    "path-long": layout("10,000 elements", {"p1/x.dll": DLL}, load("x.dll"),
                        path=";".join(f"Q:\\{i}" for i in range(2000)) + ";{W}\\p1"),
    "unicode": layout("names in Chinese", {"\u5e93/\u6a21\u5757.dll": needs("\u4f9d\u8d56.dll"), "\u5e93/\u4f9d\u8d56.dll": DLL},
                      load("{W}\\\u5e93\\\u6a21\u5757.dll")),
    "blanks": layout("blanks in names", {"a b/x y.dll": needs("z.dll"), "a b/z.dll": DLL}, load("{W}\\a b\\x y.dll", ALTERED)),
    "deep": layout("a path of over 260 characters", {"/".join(["d" * 100] * 3) + "/x.dll": needs("dep.dll"),
                                                     "/".join(["d" * 100] * 3) + "/dep.dll": DLL},
                   load("\\\\?\\{W}\\" + "\\".join(["d" * 100] * 3) + "\\x.dll"), path=""),
    "link": layout("a link to a DLL", {"a/real.dll": DLL, "app/x.dll": "../a/real.dll"}, load("x.dll"), load("real.dll"),
                   load("{W}\\a\\real.dll")),
    "link-dangling": layout("a link to nothing is skipped", {"app/x.dll": "nowhere", "p1/x.dll": DLL}, load("x.dll"), path=PATH),
    "api-set": layout("API sets", {"app/x.dll": needs("api-ms-win-crt-runtime-l1-1-0.dll", "API-MS-Win-Core-File-L1-2-0")},
                      load("x.dll"), load("api-ms-win-core-heap-l1-1-0.dll"), load("api-ms-win-crt-heap-l1-1-9"),
                      load("api-ms-win-made-up-l1-1-0.dll"), load("ext-ms-made-up-l1-1-0.dll")),
    "api-set-file": layout("an unknown API set is a file like others", {"app/api-ms-win-made-up-l1-1-0.dll": DLL,
                                                                        "app/x.dll": needs("api-ms-win-made-up-l1-1-0.dll")},
                           load("x.dll")),
    "api-set-known-file": layout("a known one never is", {"app/api-ms-win-crt-heap-l1-1-0.dll": DLL},
                                 load("api-ms-win-crt-heap-l1-1-0.dll")),
    "assembly": layout("a private assembly beside a DLL", {"site/x.dll": {"imports": ["dep.dll"], "manifest": CRT_MANIFEST},
                                                           "site/Tiny.CRT/Tiny.CRT.manifest": TINY_CRT,
                                                           "site/Tiny.CRT/dep.dll": DLL, "app/dep.dll": DLL},
                       load("{W}\\site\\x.dll")),
    "assembly-shared": layout("one of WinSxS", {"site/x.dll": {"imports": {"comctl32.dll": ["InitCommonControlsEx"]},
                                                               "manifest": CRT_MANIFEST.replace("Tiny.CRT", CONTROLS)
                                                               .replace("1.0.0.0", "6.0.0.0").replace(
                                                                   "/></dep", " publicKeyToken='6595b64144ccf1df'/></dep")}},
                              load("{W}\\site\\x.dll")),
    "assembly-missing": layout("one that is nowhere: ERROR_SXS_CANT_GEN_ACTCTX (Microsoft, System Error Codes 14001; Wine loads "
                               "the DLL without it, \"failed to create actctx\" is a warning there)",
                               {"site/x.dll": {"imports": ["dep.dll"], "manifest": CRT_MANIFEST}, "app/dep.dll": DLL},
                               load("{W}\\site\\x.dll"), load("dep.dll"),
                               windows=["error 14001", "loaded {W}\\app\\dep.dll", "new {W}\\app\\dep.dll"]),
    "assembly-flat": layout("its manifest beside the DLL", {"site/x.dll": {"imports": ["dep.dll"], "manifest": CRT_MANIFEST},
                                                            "site/Tiny.CRT.manifest": TINY_CRT, "site/dep.dll": DLL,
                                                            "app/dep.dll": DLL}, load("{W}\\site\\x.dll")),
    "assembly-loaded": layout("an assembly comes before loaded names",
                              {"site/x.dll": {"imports": ["dep.dll"], "manifest": CRT_MANIFEST},
                               "site/Tiny.CRT/Tiny.CRT.manifest": TINY_CRT, "site/Tiny.CRT/dep.dll": DLL, "app/dep.dll": DLL},
                              load("dep.dll"), load("{W}\\site\\x.dll"), load("dep.dll")),
    "program": layout("the program's own imports, one of which lacks something", {"app/dep.dll": needs("a.dll"),
                                                                                  "cwd/b.dll": DLL}, needs_dep=True),
    "program-cwd": layout("the program's own imports, from the current folder", {"cwd/dep.dll": DLL}, load("dep.dll"),
                          needs_dep=True),
    "program-app": layout("the program's own imports, from its folder", {"app/dep.dll": needs("a.dll"), "app/a.dll": DLL},
                          load("a.dll"), needs_dep=True),
    "program-missing": layout("the program's own imports, missing", {}, needs_dep=True),
    # Windows: "the loader stops at the first file of that name"; Wine's search_dll_file() goes on past other machines.
    "machine": layout("a DLL of another machine ends the search: ERROR_BAD_EXE_FORMAT (Microsoft, System Error Codes 193; Wine "
                      "goes on to the next folder, dlls/ntdll/loader.c search_dll_file)",
                      {"app/x.dll": {"machine": "i386"}, "p1/x.dll": DLL}, load("x.dll"), path=PATH, windows=["error 193"]),
    "machine-path": layout("... given by its path", {"app/x.dll": {"machine": "i386"}, "app/y.dll": {"machine": "aarch64"}},
                           load("{W}\\app\\x.dll"), load("{W}\\app\\y.dll"), load("x.dll")),
    "machine-import": layout("... of an import: the same error (Wine's fixup_imports says 126 for whatever an import lacks)",
                             {"app/x.dll": needs("dep.dll"), "app/dep.dll": {"machine": "i386"}}, load("x.dll"),
                             windows=["error 193"]),
}


def random_layout(chance: random.Random) -> dict:
    """Ten DLLs in seven folders, some of them twice, and a script of a dozen steps."""
    folders = ["app", "cwd", "p1", "p2", "added", "site", "site/sub"]
    names = [f"m{i}.dll" for i in range(10)]
    files = {}
    for number, name in enumerate(names):
        for folder in chance.sample(folders, chance.choice((1, 1, 1, 2, 2, 3))):
            # Later ones only, and now and then any: circles.
            others = names[number + 1:] if chance.random() < 0.9 else names
            wanted = chance.sample(others, min(len(others), chance.choice((0, 0, 1, 1, 2))))
            if chance.random() < 0.04:
                wanted.append("gone.dll")
            spelled = [chance.choice((n, n, n.upper(), n[:-4])) for n in wanted]
            files[f"{folder}/{name}"] = needs(*spelled) if spelled else DLL
    script = []
    flags = (0, 0, 0, ALTERED, ALTERED, DEFAULT, DEFAULT, DLL_DIR | DEFAULT, DLL_DIR | DEFAULT, DLL_DIR | SYSTEM, APP, USER,
             APP | USER)
    for _ in range(chance.randrange(4, 14)):
        kind = chance.random()
        if kind < 0.08:
            script.append("add {W}\\" + chance.choice(folders).replace("/", "\\"))
        elif kind < 0.14:
            script.append(chance.choice(("set", "set {W}\\p2", "set {W}\\site")))
        elif kind < 0.2:
            script.append("path " + chance.choice(("", "{W}\\p2;{W}\\site", "{W}\\site\\sub", PATH)))
        elif kind < 0.6:
            flag = chance.choice([flag for flag in flags if not flag & DLL_DIR])
            name = chance.choice(names)
            script.append(load(chance.choice((name, name, name.upper(), name[:-4])), flag))
        else:
            path = chance.choice(sorted(files)) if chance.random() < 0.9 else "p1/" + chance.choice(names)
            script.append(load("{W}\\" + path.replace("/", chance.choice("\\\\/")), chance.choice(flags)))
    return {"what": "random", "files": files, "script": script, "folders": folders, "path": chance.choice((PATH, "", "{W}\\p2"))}
