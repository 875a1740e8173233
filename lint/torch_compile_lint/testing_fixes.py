"""Golden fixed files: what a rule's fixes make of its bad cases, and what has to hold of the result.

`tclint dev sync` writes ``bad_x.fixed.py`` beside ``bad_x.py``; a person reads the diff. The
checks are: it is what the fixes give now, it parses, nothing that was fixed is reported any more,
and fixing it again changes nothing. ``fixed_case`` makes it a case whose probe can be compiled.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from torch_compile_lint.model import Request
from torch_compile_lint.registry import LoadedRule
from torch_compile_lint.repair import Repaired, repair
from torch_compile_lint.testing import FIXED, Case

_EXPECT = re.compile(r"[ \t]*# expect(\[[^\]]*\])?:.*$", re.M)


def golden_path(case: Case) -> Path:
    """Where the fixed file of a bad case stands."""
    return case.path.with_name(case.path.name.removesuffix(".py") + FIXED)


def plain(text: str) -> str:
    """The text of a case without its expectations: fixes keep comments, and these are none."""
    return _EXPECT.sub("", text)


def repaired(text: str, path: Path, code: str, release: str, plugins: tuple[str, ...] = ()) -> Repaired:
    """Apply all fixes of one rule to a text as if it stood at ``path``."""
    overrides: dict[str, object] = {
        "target-torch": release,
        "min-confidence": "possible",
        "cache": False,
        "jobs": 1,
        "select": [code],
    }
    if plugins:
        overrides["plugins"] = list(plugins)
    name = os.path.abspath(path)
    return repair(Request((name,), overlays={name: text}, overrides=overrides, isolated=True), unsafe=True)


def golden(rule: LoadedRule, case: Case) -> str | None:
    """What the fixed file has to be; None where the rule's fixes change nothing of the case."""
    if rule.meta.fix == "none" or not case.bad:
        return None
    before = plain(case.text)
    done = repaired(before, case.path, rule.meta.code, case.releases[-1])
    return done.texts.get(os.path.abspath(case.path))


def check_golden(rule: LoadedRule, case: Case) -> list[str]:
    """What is wrong with a case's fixed file, one line each; empty when all is well."""
    path = golden_path(case)
    before = plain(case.text)
    done = repaired(before, case.path, rule.meta.code, case.releases[-1])
    text = done.texts.get(os.path.abspath(case.path))
    problems = [f"{case.path.name}: {e.message}" for e in done.report.errors]
    problems += [f"{case.path.name}:{r.finding.line}: refused: {r.reason}" for r in done.refused]
    known = path.read_text(encoding="utf-8") if path.is_file() else None
    if known != text:
        problems.append(f"{path.name} is not what the fixes give: run `tclint dev sync` and read the diff")
    if text is None:
        return problems
    compile(text, str(path), "exec")
    again = repaired(text, case.path, rule.meta.code, case.releases[-1])
    if again.texts:
        problems.append(f"{path.name}: fixing it again changes it")
    wanted = len(case.at(case.releases[-1])) - len(done.fixed)
    if len(done.report.findings) > wanted:
        problems.append(f"{path.name}: {len(done.report.findings)} findings left, not {wanted}")
    return problems


def fixed_case(rule: LoadedRule, case: Case) -> Case | None:
    """The fixed file as a case that expects nothing; None where some finding is left in it."""
    path = golden_path(case)
    if not path.is_file() or not case.probes:
        return None
    text = path.read_text(encoding="utf-8")
    left = repaired(text, case.path, rule.meta.code, case.releases[-1]).report.findings
    return None if left else Case(path, text, False, case.releases, (), case.probes)
