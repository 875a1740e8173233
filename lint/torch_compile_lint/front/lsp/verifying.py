"""Ask torch in the background: run `tclint verify PATH:NAME` and keep what it says.

A verdict belongs to a finding's fingerprint and to the text of the function it stands in: an
edit there takes it away, an edit elsewhere does not.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.model import Finding, Verdict
from torch_compile_lint.records import dataclass, field


class VerifyProblem(Exception):
    """Why nothing could be verified, in one line."""


@dataclass(slots=True)
class Verdicts:
    """By fingerprint, each with the digest of the function it was seen in."""

    _held: dict[str, tuple[Verdict, str]] = field(default_factory=dict)

    def of(self, finding: Finding, digest: str) -> Verdict | None:
        """The verdict of a finding, while its function is what it was."""
        held = self._held.get(finding.fingerprint)
        return held[0] if held is not None and held[1] == digest else None

    def keep(self, fingerprint: str, verdict: Verdict, digest: str) -> None:
        self._held[fingerprint] = verdict, digest


def target_at(index: FileIndex, offset: int) -> str | None:
    """The class, else the function, of the module level that stands at an offset."""
    for group in (index.classes, index.functions):
        for name, one in group.items():
            if "." not in name and "#" not in name and one.start <= offset <= one.end:
                return name
    return None


def target_of(finding: Finding) -> tuple[str, str] | None:
    """(path, name) of the compile root a finding is reached from."""
    if not finding.witness:
        return None
    first = finding.witness[0]
    name = first.function.partition(".")[0].partition("#")[0].partition("@")[0]
    return (first.path, name) if name else None


async def verify(path: str, name: str, folder: str) -> dict[str, Any]:
    """The JSON report of `tclint verify`. Cancelling the task ends the process with its children."""
    command = [sys.executable, "-m", "torch_compile_lint", "verify", f"{path}:{name}", "--format", "json"]
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = await process.communicate()
    except asyncio.CancelledError:
        _end(process)
        raise
    try:
        report: dict[str, Any] = json.loads(out)
    except ValueError:
        lines = err.decode("utf-8", "replace").strip().splitlines()
        raise VerifyProblem(
            lines[-1] if lines else f"tclint verify ended with {process.returncode}"
        ) from None
    return report


def _end(process: asyncio.subprocess.Process) -> None:
    import signal

    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGTERM)  # it ends its workers; then itself
        else:
            process.terminate()
    except ProcessLookupError:
        pass


def verdict(row: dict[str, Any]) -> Verdict | None:
    """The verdict of one finding of the report."""
    held = row.get("verdict")
    if not held:
        return None
    names = Verdict.__dataclass_fields__
    return Verdict(**{k: v for k, v in held.items() if k in names and v is not None})


def summary(verdicts: list[Verdict]) -> str:
    """'2 confirmed, 1 refuted'."""
    counts: dict[str, int] = {}
    for one in verdicts:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    return (
        ", ".join(f"{n} {outcome.replace('-', ' ')}" for outcome, n in counts.items()) or "nothing to verify"
    )
