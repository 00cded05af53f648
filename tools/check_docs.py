#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when docs/json.md does not name a key, code or rule that the program can print, or names a code that it cannot.

Also: links between the documents lead to files that are there.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEY = re.compile(r'\{"([a-z_]+)",|\["([a-z_]+)"\] =')
FINDING = re.compile(r'"((?:gpu|driver|container|python|framework|runtime|cudnn)\.[a-z_]+)"')
RULE = re.compile(r'"((?:sass|ptx|none|partial)\.[a-z_]+|self_dispatching|partial)"')
ERROR = re.compile(r'return "([a-z_]+)";')
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def text_of(pattern: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern)) if "_test." not in path.name)


def main() -> int:
    faults = []
    document = (ROOT / "docs/json.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`\n]+)`", document)) | set(re.findall(r'"([a-z_]+)"', document))

    keys = {first or second for first, second in KEY.findall(text_of("src/report/*_json.cc"))}
    findings = {code for code in FINDING.findall(text_of("src/judge/*.cc")) if code != "renamed.bin"}
    rules = set(RULE.findall(text_of("src/judge/*verdict*.cc")))
    errors = set(ERROR.findall((ROOT / "src/base/error.cc").read_text(encoding="utf-8")))
    for kind, names in (("key", keys), ("finding", findings), ("rule", rules), ("error code", errors)):
        if not names:
            faults.append(f"tools/check_docs.py: no {kind} found in the sources; has their shape changed?")
        faults += [f"docs/json.md: the {kind} `{name}` is missing" for name in sorted(names - named)]
    stale = {name for name in named if FINDING.fullmatch(f'"{name}"')} - findings
    faults += [f"docs/json.md: no rule gives the finding `{name}`" for name in sorted(stale)]

    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "tests/README.md"]:
        for link in LINK.findall(path.read_text(encoding="utf-8")):
            if not (path.parent / link).exists():
                faults.append(f"{path.relative_to(ROOT)}: the link to {link} leads nowhere")
    print("\n".join(faults) if faults else "docs/json.md names what the program prints; links hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
