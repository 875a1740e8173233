"""`tclint dev`: what contributors need. Every command says what it wrote; with --check it writes nothing.

new-rule NAME [--code TCDnnn] [--into FOLDER]   one folder that passes the tests, to be edited
sync [--check]                                  pages' generated parts and the index of rules
verify-rules [CODE ...] [--python EXE] [--write]  compile every probe and compare with the claims
verify-breaks [--python EXE] [--write]          compile the examples of graph-break ids
sync-torch [...]                                tables and graph-break ids from an installed torch
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import runpy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from torch_compile_lint import pages, registry, testing, verified_claims
from torch_compile_lint.torchdb import db

PLUGIN = registry.DEFAULT_PLUGINS[0]


def _rules_folder() -> Path:
    spec = importlib.util.find_spec(PLUGIN)
    if spec is None or not spec.submodule_search_locations:
        raise registry.RuleError(f"{PLUGIN} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


# ---------------------------------------------------------------- new-rule

_TOML = """code = "{code}"
name = "{name}"
summary = "what the rule finds, in half a line"
category = "preview"

[messages]
call = "`{{call}}` ends the graph"

[remedies]
"" = "what to do instead, in half a line"

[[claims]]
since = "2.3"
effect = "break"
evidence = "measured on 2.13.0"

[[calls]]
symbol = "torch._dynamo.graph_break"
form = "call"
"""
_PAGE = """# {name} ({code})

## What it does

Which construct is found, and which look-alike is not.

## Why torch.compile cares

What Dynamo does there, and what it costs.

## Example

## Use instead

## What does not help

What people try, and what was measured.

## Versions
"""
_BAD = """import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._dynamo.graph_break()  # expect: {code} "ends the graph"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)
"""
_GOOD = """import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)
"""


def new_rule(name: str, code: str | None, into: Path | None) -> int:
    """Write a rule folder that passes as it stands."""
    root = into or _rules_folder()
    taken = {rule.meta.code for rule in registry.load((PLUGIN,), extend_select=("ALL",))}
    taken |= {path.name[:6].upper() for path in root.glob("tcd*_*")}
    chosen = code or next(f"TCD{number}" for number in range(990, 1000) if f"TCD{number}" not in taken)
    if chosen in taken:
        print(f"error: {chosen} is taken", file=sys.stderr)
        return 2
    folder = root / f"{chosen.lower()}_{name.replace('-', '_')}"
    if folder.exists():
        print(f"error: {folder} exists", file=sys.stderr)
        return 2
    (folder / "cases").mkdir(parents=True)
    fill = {"code": chosen, "name": name}
    (folder / "rule.toml").write_text(_TOML.format(**fill), encoding="utf-8")
    (folder / "rule.md").write_text(_PAGE.format(**fill), encoding="utf-8")
    (folder / "cases" / "bad_example.py").write_text(_BAD.format(**fill), encoding="utf-8")
    (folder / "cases" / "good_example.py").write_text(_GOOD.format(**fill), encoding="utf-8")
    print(f"{folder}\nnext: edit rule.toml, rule.md and cases/; then `tclint dev sync` and the tests")
    return 0


# ---------------------------------------------------------------- sync


def _update(path: Path, text: str, check: bool) -> bool:
    """Write ``text`` where it differs; True when it did."""
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    if before == text:
        return False
    if check:
        diff = difflib.unified_diff(before.splitlines(), text.splitlines(), str(path), "as generated", n=1)
        print("\n".join(list(diff)[:20]))
    else:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
    return True


def _update_golden(rule: registry.LoadedRule, case: testing.Case, check: bool) -> bool:
    """The fixed file of a case; True where it was, or is, not what the fixes give."""
    from torch_compile_lint import testing_fixes

    path = testing_fixes.golden_path(case)
    text = testing_fixes.golden(rule, case)
    if text is not None:
        return _update(path, text, check)
    if not path.is_file():
        return False
    if not check:
        path.unlink()
    print(f"{path}: no fix makes this file")
    return True


def sync(check: bool) -> int:
    """Bring pages and index up to date, or say what is not."""
    rules = registry.load((PLUGIN,), extend_select=("ALL",))
    stale = [_update(Path(rule.meta.folder) / "rule.md", pages.render(rule), check) for rule in rules]
    stale.append(_update(_rules_folder() / "README.md", pages.index(rules), check))
    stale += [_update_golden(rule, case, check) for rule in rules for case in testing.cases_of(rule)]
    if check and any(stale):
        print(f"error: {sum(stale)} generated files are out of date: run `tclint dev sync`", file=sys.stderr)
        return 1
    return 0


# ---------------------------------------------------------------- verify-rules


def verify_rules(codes: Sequence[str], python: str, write: bool) -> int:
    """Compile the probes of the chosen rules under ``python`` and compare with the claims."""
    rules = registry.load((PLUGIN,), extend_select=("ALL",))
    chosen = [rule for rule in rules if not codes or registry.matches(rule.meta, codes)]
    cases = {str(case.path): (rule, case) for rule in chosen for case in testing.cases_of(rule)}
    torch, seen = testing.observe([case for _, case in cases.values()], python)
    contradicted: set[str] = set()
    tried = {one.path for one in seen if one.effect != "absent"}
    said = testing.analyzer_says([case for _, case in cases.values()], registry.measured(torch))
    for one in seen:
        rule, case = cases[one.path]
        problem = testing.judge(rules, case, one, torch, said[one.path])
        if problem is not None:
            contradicted.add(rule.meta.code)
            print(problem)
    print(f"torch {torch}: {len(seen)} probes of {len(chosen)} rules, {len(contradicted)} rules contradicted")
    if write:
        for rule in chosen:
            probed = any(case.bad and path in tried for path, (other, case) in cases.items() if other is rule)
            if probed and rule.meta.code not in contradicted:
                verified_claims.record(Path(rule.meta.folder) / "rule.toml", rule.meta, torch)
    return 1 if contradicted else 0


# ---------------------------------------------------------------- verify-breaks


def verify_breaks(python: str, write: bool) -> int:
    """Compile the examples of graph-break ids under ``python``; 1 where one does not show its id.

    ``--write`` records the release at each id that was shown, its remedy being one graph.
    """
    script = Path(__file__).with_name("worker") / "try_breaks.py"
    work = {}
    for name, one in db.break_hints().items():
        work[f"{name} bad"], work[f"{name} good"] = one.example, one.instead
    done = subprocess.run(
        [python, str(script)], input=json.dumps(work), capture_output=True, text=True, check=True
    )
    first, *rows = (json.loads(line) for line in done.stdout.splitlines())
    torch, seen = first["torch"], {row["name"]: row for row in rows}
    shown = [name for name in db.break_hints() if name in seen[f"{name} bad"]["ids"]]
    clean = [n for n in shown if not seen[f"{n} good"]["ids"] and not seen[f"{n} good"]["error"]]
    wrong = [n for n, one in db.break_hints().items() if torch in one.seen and n not in clean]
    for name in wrong:
        print(f"{name}: recorded for {torch}, but it gives {seen[f'{name} bad']['ids']}")
    total = len(db.break_hints())
    print(f"torch {torch}: {len(clean)} of {total} ids shown by their example, and not by its remedy")
    if write:
        path = db.FOLDER / "breaks" / "hints.json"
        table = json.loads(path.read_bytes())
        for row in table:
            if row["id"] in clean:
                row["seen"] = sorted({*row["seen"], torch}, key=lambda r: [int(p) for p in r.split(".")])
        lines = ",\n".join(json.dumps(row, indent=1, ensure_ascii=False) for row in table)
        path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return 1 if wrong else 0


# ---------------------------------------------------------------- command line


def main(arguments: Sequence[str]) -> int:
    """Run one contributor command."""
    parser = argparse.ArgumentParser(prog="tclint dev", description="For contributors.")
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new-rule", help="one folder that passes the tests")
    new.add_argument("name")
    new.add_argument("--code")
    new.add_argument("--into", type=Path)
    syncing = commands.add_parser("sync", help="pages' generated parts and the index of rules")
    syncing.add_argument("--check", action="store_true")
    verifying = commands.add_parser("verify-rules", help="compile every probe and compare with the claims")
    verifying.add_argument("codes", nargs="*")
    verifying.add_argument("--python", default=sys.executable)
    verifying.add_argument("--write", action="store_true")
    breaking = commands.add_parser("verify-breaks", help="compile the examples of graph-break ids")
    breaking.add_argument("--python", default=sys.executable)
    breaking.add_argument("--write", action="store_true")
    commands.add_parser("sync-torch", help="tables from an installed torch", add_help=False)
    options, rest = parser.parse_known_args(list(arguments))
    if options.command == "sync-torch":
        return _sync_torch(rest)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        if options.command == "new-rule":
            return new_rule(options.name, options.code, options.into)
        if options.command == "sync":
            return sync(options.check)
        if options.command == "verify-breaks":
            return verify_breaks(options.python, options.write)
        return verify_rules(options.codes, options.python, options.write)
    except (registry.RuleError, pages.PageError, testing.CaseError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2


def _sync_torch(arguments: list[str]) -> int:
    """Runs worker/sync_torch.py, which imports torch, as a script of its own."""
    script = Path(__file__).with_name("worker") / "sync_torch.py"
    before = sys.argv
    sys.argv = [str(script), *arguments]
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = before
    return 0
