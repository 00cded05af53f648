#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests run_cases.py with a program that stands in for plumb."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).resolve().parent / "run_cases.py"
# Says its arguments, working folder's files, standard input and two variables; `fail` exits with 3.
STAND_IN = """#!/usr/bin/env python3
import json, os, sys, time
word = sys.argv[1] if len(sys.argv) > 1 else ""
if word == "json":
    print(json.dumps({"files": [{"path": os.getcwd() + "/a", "n": 2, "ok": True}], "gpu": None, "names": ["x", "y"]}))
elif word == "read":
    try:
        print(open(sys.argv[2], "rb").read().hex())
    except OSError as fault:
        print(fault.strerror, file=sys.stderr)
        sys.exit(3)
elif word == "where":
    print("it took 38 ms in", os.getcwd() + "/x", os.environ.get("HOME") == os.getcwd(), os.environ.get("V", "-"))
elif word == "list":
    print(" ".join(sorted(map(repr, os.listdir(sys.argv[2].encode())))))
elif word == "echo":
    print("|".join(sys.argv[2:]))
    print(sys.stdin.read(), end="")
"""


class RunCases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.plumb = self.root / "plumb"
        self.plumb.write_text(STAND_IN)
        self.plumb.chmod(0o755)
        (self.root / "cases").mkdir()

    def run_case(self, text: str, update: bool = False):
        case = self.root / "cases" / "one.case"
        case.write_text(text)
        environment = dict(os.environ, VIRTUAL_ENV="/must/not/be/seen", PLUMB_UPDATE_GOLDEN="1" if update else "")
        done = subprocess.run([sys.executable, RUNNER, "--plumb", self.plumb, self.root / "cases"],
                              env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout, case.read_text()

    def assert_passes(self, text: str):
        code, output, _ = self.run_case(text)
        self.assertEqual((code, output), (0, "cases: 1 passed, 0 failed\n"))

    def assert_fails(self, text: str, *parts: str):
        code, output, _ = self.run_case(text)
        self.assertEqual(code, 1)
        self.assertIn("cases: 0 passed, 1 failed\n", output)
        for part in parts:
            self.assertIn(part, output)

    def test_arguments_and_placeholders(self):
        self.assert_passes("# why\n\n== run\necho 'a b' [W]/c\n\n== stdout\na b|[W]/c\n\n")
        self.assert_passes("== world\nenv V=[W]/v\n== run\nwhere\n== stdout\nit took [TIME] in [W]/x True [W]/v\n")
        self.assert_passes("== run echo a\n== stdin\none\ntwo\n== stdout\na\none\ntwo\n")

    def test_world(self):
        self.assert_passes("== world\nfile d/t <<END\nx\nEND\nhex h <<E\n7f \"ELF\" 00*3 # magic\nE\nlink d/t l\ndir e\n"
                           "size 10 s\nfifo p\nfile 'b\\xff' <<E\nE\n== run\nlist .\n== stdout\n"
                           "b'b\\xff' b'd' b'e' b'h' b'l' b'p' b's'\n"
                           "== run\nread h\n== stdout\n7f454c46000000\n== run\nread l\n== stdout\n780a\n")

    def test_wheel_has_a_record(self):
        self.assert_passes("== world\nfile w/a.dist-info/METADATA <<END\nName: a\nEND\nwheel a.whl w\n== run\nread a.whl\n"
                           "== stdout contains\n612e646973742d696e666f2f5245434f5244\n")

    def test_unreadable_even_for_root(self):
        self.assert_passes("== world\nfile s <<E\nx\nE\nmode 000 s\n== run\nread s\n== exit 3\n== stderr\nPermission denied\n")

    def test_expectations_fail(self):
        self.assert_fails("== run\necho a\n== stdout\nb\n", "line 3: stdout differs", "-b", "+a")
        self.assert_fails("== run\nread none\n", "exit code 3, expected 0", "No such file")
        self.assert_fails("== run\necho a\n== exit 1\n", "exit code 0, expected 1")
        self.assert_fails("== run\necho a\n== stdout contains\na\nbb\n", "does not contain: bb")

    def test_json(self):
        self.assert_passes("== run\njson\n== json files.0.path = \"[W]/a\"\n== json\nfiles.length = 1\ngpu = null\n"
                           "files.0.ok = true\nnames contains \"y\"\nnames.-1 = \"y\"\nfiles.0.error absent\n")
        self.assert_fails("== run\njson\n== json files.0.n = 3\n", "it is: 2")
        self.assert_fails("== run\njson\n== json files.0.ok = 1\n", "it is: true")
        self.assert_fails("== run\njson\n== json nothing = null\n", "it is: not there")
        self.assert_fails("== run\necho x\n== json a = 1\n", "stdout is no JSON")

    def test_bad_case_files(self):
        self.assert_fails("text\n== run\n", "line 1: before the first section")
        self.assert_fails("== world\nfrob x\n== run\n", "line 2: cannot read: frob x")
        self.assert_fails("== world\nfile x <<END\n== run\n", "no line 'END' follows")
        self.assert_fails("== world\n", "has no '== run'")
        self.assert_fails("== run\n== stdoutt\n", "unknown section")

    def test_other_system(self):
        code, output, _ = self.run_case("== world\nonly windows\n== run\nread none\n")
        self.assertEqual((code, output), (0, "cases: 0 passed, 0 failed, 1 for the other system\n"))
        self.assert_passes("== run\necho a\n== stdout windows\nb\n== stdout linux\na\n")

    def test_update_rewrites_and_then_passes(self):
        text = "# kept\n\n== run\nwhere\n\n== exit 9\n\n== stdout\nold\n\n== stderr\nold\n"
        code, _, updated = self.run_case(text, update=True)
        self.assertEqual(code, 0)
        self.assertEqual(updated, "# kept\n\n== run\nwhere\n\n== exit 0\n\n== stdout\nit took [TIME] in [W]/x True -\n\n"
                                  "== stderr\n")
        self.assert_passes(updated)


if __name__ == "__main__":
    unittest.main()
