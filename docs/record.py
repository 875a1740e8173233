"""Run what the documentation shows of torch, and write or compare what comes.

    python docs/record.py [--check] [PAGE ...]

Console blocks need no torch, and ``tests/test_docs.py`` runs them. A ``text`` block behind a comment
``<!-- run: FOLDER -->`` is run here, with the torch of this interpreter: each line that begins with
``$``, in that folder of the repository. A line ``...`` in what is shown stands for lines left out;
figures before a unit of time, and factors, are not compared.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs" / "pages").rglob("*.md"))
_BLOCK = re.compile(r"<!-- run: (?P<folder>\S+) -->\n```text\n(?P<body>.*?)```", re.S)
_MEASURED = re.compile(r"\d+(?:\.\d+)?(?= ?(?:ms|s|MB|times)\b)")


@dataclass(frozen=True)
class Shown:
    """One command as a page shows it."""

    page: Path
    folder: str
    command: str
    output: str


def shown(page: Path) -> list[Shown]:
    """The commands of a page that can be run."""
    found = []
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block["body"], flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append(Shown(page, block["folder"], command, output))
    return found


def run(command: str, folder: str) -> str:
    """What a command prints, both streams together, in a folder of the repository."""
    with tempfile.TemporaryDirectory() as tools:
        for name, module in (("tclint", "-m torch_compile_lint"), ("python", "")):
            tool = Path(tools) / name
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            tool.chmod(0o755)
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([tools, os.environ.get("PATH", "")]),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "lint"), str(ROOT / "rules")]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=ROOT / folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
    return done.stdout


def agrees(page: str, printed: str) -> bool:
    """True where what is shown is what was printed, but for lines left out and what was timed."""
    parts = [_plain(part) for part in re.split(r"^ *\.\.\.\n", page, flags=re.M)]
    text = _plain(printed)
    if len(parts) == 1:
        return parts[0].strip("\n") == text.strip("\n")
    if not text.startswith(parts[0]):
        return False
    at = len(parts[0])
    for part in parts[1:]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return at >= len(text.rstrip("\n")) or not parts[-1].strip()


def _plain(text: str) -> str:
    return _MEASURED.sub("N", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where a page is out of date"
    )
    options = parser.parse_args()
    wrong = 0
    for page in [p.resolve() for p in options.pages] or PAGES:
        text = page.read_text(encoding="utf-8")
        for one in shown(page):
            printed = run(one.command, one.folder)
            if agrees(one.output, printed):
                continue
            print(f"{page.relative_to(ROOT)}: $ {one.command}\n{printed}")
            wrong += 1
            if not options.check and not re.search(r"^ *\.\.\.$", one.output, re.M):
                text = text.replace(f"$ {one.command}\n{one.output}", f"$ {one.command}\n{printed}", 1)
        if not options.check:
            page.write_text(text, encoding="utf-8")
    return 1 if wrong and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
