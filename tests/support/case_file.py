# SPDX-License-Identifier: Apache-2.0
"""A case file: its sections, what they expect of a run, and how a difference is told. tests/README.md has the format."""
import dataclasses
import difflib
import json
import pathlib
import re
import shlex

HEADER = re.compile(r"^== *(\w+) *(.*?) *$")
SYSTEMS = ("linux", "windows")


class CaseError(Exception):
    """The case file itself is wrong."""


@dataclasses.dataclass
class Section:
    line: int  # of the header, from 1
    kind: str
    rest: str  # of the header
    body: list

    def expected(self) -> str:
        return "\n".join(line[1:] if line.startswith("\\== ") else line for line in self.body).rstrip("\n")

    def replace(self, text: str) -> None:
        lines = text.rstrip("\n").split("\n") if text.strip("\n") else []
        blanks = len(self.body) - len("\n".join(self.body).rstrip("\n").split("\n")) if any(self.body) else len(self.body)
        self.body = ["\\" + line if line.startswith("== ") else line for line in lines] + [""] * blanks


@dataclasses.dataclass
class Run:
    arguments: list
    stdin: str = ""
    expectations: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Case:
    head: list  # comment lines before the first section
    sections: list
    world: list
    runs: list
    original: str

    def text(self) -> str:
        lines = list(self.head)
        for section in self.sections:
            lines += [f"== {section.kind} {section.rest}".rstrip(), *section.body]
        return "\n".join(lines) + "\n"

    def changed(self) -> bool:
        return self.text() != self.original


def parse(path: pathlib.Path) -> Case:
    original = path.read_text(encoding="utf-8")
    case = Case([], [], [], [], original)
    for number, line in enumerate(original.removesuffix("\n").split("\n"), 1):
        header = HEADER.match(line)
        if header:
            case.sections.append(Section(number, header.group(1), header.group(2), []))
        elif case.sections:
            case.sections[-1].body.append(line)
        elif line and not line.startswith("#"):
            raise CaseError(f"line {number}: before the first section only comments are allowed")
        else:
            case.head.append(line)
    for section in case.sections:
        if section.kind == "world":
            case.world += [(section.line + 1 + index, line) for index, line in enumerate(section.body)]
        elif section.kind == "run":
            words = shlex.split(" ".join([section.rest, *section.body]), comments=True)
            case.runs.append(Run(words))
        elif not case.runs:
            raise CaseError(f"line {section.line}: '== {section.kind}' stands before any '== run'")
        elif section.kind == "stdin":
            case.runs[-1].stdin = section.expected() + "\n"
        elif section.kind in ("exit", "stdout", "stderr", "json"):
            case.runs[-1].expectations.append(section)
        else:
            raise CaseError(f"line {section.line}: unknown section '{section.kind}'")
    if not case.runs:
        raise CaseError("has no '== run'")
    return case


def compare(run: Run, code: int, said: dict, system: str, update: bool) -> list:
    """Failures as text. With `update`, sections are rewritten where that is possible."""
    failures = []
    exits = [section for section in run.expectations if section.kind == "exit"]
    if not exits and code != 0:
        failures.append(f"exit code {code}, expected 0\n{said['stderr']}")
    for section in run.expectations:
        rest = section.rest.split()
        if section.kind != "json" and rest and rest[-1] in SYSTEMS:
            if rest.pop() != system:
                continue
        if section.kind == "exit":
            failures += _compare_exit(section, rest, code, said, update)
        elif section.kind == "json":
            failures += _compare_json(section, said["stdout"])
        elif rest == ["contains"]:
            failures += [f"line {section.line}: {section.kind} does not contain: {line}\nit is:\n{said[section.kind]}"
                         for line in section.expected().split("\n") if line not in said[section.kind]]
        elif rest:
            raise CaseError(f"line {section.line}: cannot read '== {section.kind} {section.rest}'")
        elif section.expected() != said[section.kind].rstrip("\n"):
            if update:
                section.replace(said[section.kind])
                continue
            diff = difflib.unified_diff(section.expected().split("\n"), said[section.kind].rstrip("\n").split("\n"),
                                        "expected", "actual", lineterm="")
            failures.append(f"line {section.line}: {section.kind} differs\n" + "\n".join(diff))
    return failures


def _compare_exit(section: Section, rest: list, code: int, said: dict, update: bool) -> list:
    wanted = "".join(rest) or section.expected().strip()
    if wanted == str(code):
        return []
    if update and rest:
        section.rest = section.rest.replace(wanted, str(code), 1)
        return []
    return [f"line {section.line}: exit code {code}, expected {wanted}\n{said['stderr']}"]


def _compare_json(section: Section, stdout: str) -> list:
    try:
        document = json.loads(stdout)
    except ValueError as fault:
        return [f"line {section.line}: stdout is no JSON ({fault}):\n{stdout}"]
    failures = []
    for claim in [section.rest, *section.body]:
        if not claim.strip() or claim.lstrip().startswith("#"):
            continue
        match = re.match(r"^\s*(\S+)\s+(=|contains|absent)\s*(.*?)\s*$", claim)
        try:
            if not match:
                raise ValueError
            wanted = json.loads(match.group(3)) if match.group(2) != "absent" else None
        except ValueError:
            raise CaseError(f"line {section.line}: cannot read the claim: {claim}") from None
        path, operator = match.group(1), match.group(2)
        found, value = _look_up(document, path)
        holds = {"=": found and value == wanted and isinstance(value, bool) == isinstance(wanted, bool),
                 "contains": found and isinstance(value, (list, str)) and wanted in value,
                 "absent": not found}[operator]
        if not holds:
            shown = json.dumps(value, ensure_ascii=False) if found else "not there"
            failures.append(f"line {section.line}: {claim.strip()}\nit is: {shown}")
    return failures


def _look_up(document, path: str) -> tuple:
    value = document
    for key in path.split("."):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.lstrip("-").isdigit() and -len(value) <= int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, (list, dict)) and key == "length":
            value = len(value)
        else:
            return False, None
    return True, value
