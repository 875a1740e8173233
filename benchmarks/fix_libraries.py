"""`--fix` and `--fix --unsafe-fixes` on copies of whole libraries: is what they leave sound?

    python fix_libraries.py --python EXE [--target-torch RELEASE] FOLDER...

EXE can import the libraries (each FOLDER is a package below one of its `site-packages`). Of each copy:
every changed file still compiles, and imports if it did before (the ones that do not for want of an
optional package are imported before and after alike); the code of no fixed finding is reported more
often in its file than before less what was fixed; a second call changes nothing. Exits with 1 where
one of these fails.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("library", "fixes", "findings", "fixed", "files changed", "import", "clean", "second call")

# One process imports all: a library is loaded once. What a module prints, or how it ends, is its own affair.
_IMPORTS = """
import importlib, io, json, sys
said = {}
real = sys.stdout
for name in json.load(sys.stdin):
    sys.stdout = io.StringIO()
    try:
        importlib.import_module(name)
        said[name] = ""
    except BaseException as problem:
        said[name] = f"{type(problem).__name__}: {problem}"[:200]
sys.stdout = real
print("\\n" + json.dumps(said))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--target-torch", default="2.14")
    options = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|---|---|" + "---:|" * 3 + "---|" * 3)
    wrong = 0
    for folder in options.folders:
        for unsafe in (False, True):
            row, problems = measure(folder, unsafe, options.python, options.target_torch)
            print("| " + " | ".join(str(row[name]) for name in COLUMNS) + " |", flush=True)
            for problem in problems:
                print(f"{folder.name}: {problem}", file=sys.stderr)
            wrong += len(problems)
    return 1 if wrong else 0


def measure(folder: Path, unsafe: bool, python: str, target: str) -> tuple[dict[str, Any], list[str]]:
    """The row of one library, and one line for each thing that is wrong."""
    with tempfile.TemporaryDirectory(prefix="tclint-fix-") as work:
        copy = Path(work) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        first = tclint(copy, target)
        fixed = tclint(copy, target, "--fix", *(["--unsafe-fixes"] if unsafe else []))
        changed = sorted(
            path.relative_to(copy)
            for path in copy.rglob("*.py")
            if path.read_bytes() != (folder / path.relative_to(copy)).read_bytes()
        )
        after = {path: (copy / path).read_bytes() for path in changed}
        problems = [p for path in changed if (p := not_compiling(copy / path))]
        names = [module_name(copy, path) for path in changed]
        old, new = imported(python, folder.parent, names), imported(python, copy.parent, names)
        broken = [f"{name} does not import: {new[name]}" for name in names if new[name] and not old[name]]
        last = tclint(copy, target)
        dirty = uncleaned(first, last, unsafe)
        tclint(copy, target, "--fix", *(["--unsafe-fixes"] if unsafe else []))
        moved = [f"{path} changes again" for path in changed if (copy / path).read_bytes() != after[path]]
        moved += [
            f"{path.relative_to(copy)} changes at the second call"
            for path in copy.rglob("*.py")
            if path.relative_to(copy) not in after
            and path.read_bytes() != (folder / path.relative_to(copy)).read_bytes()
        ]
    importing = sum(not old[name] for name in names)
    row = {
        "library": folder.name,
        "fixes": "safe and unsafe" if unsafe else "safe",
        "findings": len(first),
        "fixed": len(first) - len(fixed),
        "files changed": len(changed),
        "import": f"{importing - len(broken)} of {importing}",
        "clean": "no" if dirty else "yes",
        "second call": "changes more" if moved else "changes nothing",
    }
    return row, problems + broken + dirty + moved


def tclint(copy: Path, target: str, *more: str) -> list[dict[str, Any]]:
    """The findings that one call reports."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch_compile_lint", "check", copy.name, "--isolated", "--exit-zero"),
            *("--format", "json", "--no-cache", "--target-torch", target, *more),
        ],
        cwd=copy.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "lint"), str(ROOT / "rules")])},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        raise SystemExit(f"{copy.name}: {done.stderr.strip()[-300:]}")
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return [one for one in findings if not one["suppressed"]]


def not_compiling(path: Path) -> str:
    try:
        compile(path.read_bytes(), str(path), "exec")
    except SyntaxError as problem:
        return f"{path.name} does not compile: {problem}"
    return ""


def module_name(copy: Path, path: Path) -> str:
    parts = [copy.name, *path.with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(python: str, folder: Path, names: list[str]) -> dict[str, str]:
    """What importing each module says: nothing where it works."""
    if not names:
        return {}
    done = subprocess.run(
        [python, "-c", _IMPORTS],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        said: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return dict.fromkeys(names, f"the interpreter ended with {done.returncode}: {done.stderr[-200:]}")
    return said


def uncleaned(first: list[dict[str, Any]], last: list[dict[str, Any]], unsafe: bool) -> list[str]:
    """Files that a fix left with more findings of a code, and fixes that still wait to be applied."""

    def counted(findings: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
        return Counter((one["path"], one["code"]) for one in findings)

    before, after = counted(first), counted(last)
    more = [
        f"{path}: more of {code} than before"
        for path, code in after
        if after[path, code] > before[path, code]
    ]
    taken = {"safe", "unsafe"} if unsafe else {"safe"}
    waiting = [
        f"{one['path']}:{one['line']}: {one['code']} has a fix that was not applied"
        for one in last
        if one["fix"] and one["fix"]["safety"] in taken and one["fix"]["edits"]
    ]
    return more + waiting


if __name__ == "__main__":
    sys.exit(main())
