"""The case harness, public: built-in and third-party rules prove themselves with the same files.

A case is a Python file in a rule's ``cases/`` folder. ``bad_*.py`` holds hazards, ``good_*.py``
holds none. On each guilty line stands ``# expect: TCD101 "substring of the message"`` (several
separated by commas); lines without one must be clean, the count and the line are exact.

Versions: ``# expect[2.14]:`` holds for that release only, ``# expect[2.3-2.9]:`` for a range,
``# expect[2.13-]:`` from there on. A first line ``# torch: 2.3, 2.14`` names the releases to
check (default: the newest), so a bad file may be clean at some of them.

``def probe(): return fn, args`` (and ``probe_more``) makes the case a verification probe: the
file is really compiled, and must show, or not show, what the rule claims. ``fn`` may already be
wrapped in torch.compile. ``args`` is a tuple, or a list of tuples for several calls. A probe of
something that is not one compiled function (a script, a setting) tries it itself and returns the
effect it saw: ``"error"``, ``"misuse: what was seen"``, or ``"ok"``.

``bad_x.fixed.py`` is what the rule's own fixes, the unsafe ones too, make of ``bad_x.py``; see
``testing_fixes``.

Nothing here imports torch; ``observe`` starts a child process that does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from torch_compile_lint.records import dataclass
from torch_compile_lint.registry import MEASURED, LoadedRule, claims_for, measured

__all__ = ["Case", "Expectation", "Observation", "cases_of", "judge", "mismatches", "observe", "read_case"]

_EXPECT = re.compile(r"#\s*expect(?:\[([^\]]*)\])?:\s*(.+?)\s*$")
_ITEM = re.compile(r'([A-Z]{1,3}[0-9]{3})(?:\s+"((?:[^"\\]|\\.)*)")?\s*(?:,|$)\s*')
FIXED = ".fixed.py"  # beside a bad case: what its fixes make of it
_TORCH = re.compile(r"^#\s*torch:\s*(.+?)\s*$", re.M)


class CaseError(Exception):
    """A case file that cannot be read as one; the text names file and line."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One finding that has to be there, at ``line``, on the releases ``since`` to ``until``."""

    line: int
    code: str
    substring: str
    since: str = ""
    until: str = ""

    def holds(self, release: str) -> bool:
        """Whether the finding is expected at this measured release."""
        at = MEASURED.index(release)
        first = MEASURED.index(self.since) if self.since else 0
        last = MEASURED.index(self.until) if self.until else len(MEASURED) - 1
        return first <= at <= last


@dataclass(frozen=True, slots=True)
class Case:
    """One case file."""

    path: Path
    text: str
    bad: bool
    releases: tuple[str, ...]
    expected: tuple[Expectation, ...]
    probes: tuple[str, ...]

    def at(self, release: str) -> tuple[Expectation, ...]:
        """What is expected at a measured release."""
        return tuple(item for item in self.expected if item.holds(release))


def _releases(text: str, where: str) -> tuple[str, str]:
    since, dash, until = text.partition("-")
    for release in (since, until):
        if release and release not in MEASURED:
            raise CaseError(f"{where}: {release} is not one of the measured releases {', '.join(MEASURED)}")
    return since, until if dash else since


def read_case(path: Path) -> Case:
    """Parse the comments of one case file."""
    text = path.read_text(encoding="utf-8")
    expected: list[Expectation] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _EXPECT.search(line)
        if found is None:
            continue
        where = f"{path}:{number}"
        since, until = _releases(found[1], where) if found[1] else ("", "")
        rest = found[2]
        while rest:
            item = _ITEM.match(rest)
            if item is None:
                raise CaseError(f'{where}: cannot read {rest!r}; write CODE or CODE "substring"')
            expected.append(Expectation(number, item[1], item[2] or "", since, until))
            rest = rest[item.end() :]
    named = _TORCH.match(text)
    releases = tuple(part.strip() for part in named[1].split(",")) if named else (MEASURED[-1],)
    for release in releases:
        _releases(release, str(path))
    bad = path.name.startswith("bad_")
    if bad != bool(expected):
        raise CaseError(f"{path}: a bad_ file expects something, a good_ file nothing")
    probes = tuple(re.findall(r"^def (probe(?:_\w+)?)\(\)", text, re.M))
    return Case(path, text, bad, releases, tuple(expected), probes)


def cases_of(rule: LoadedRule) -> tuple[Case, ...]:
    """All cases of a rule folder, sorted by name."""
    folder = Path(rule.meta.folder) / "cases"
    paths = sorted(folder.glob("*.py"))
    return tuple(read_case(p) for p in paths if p.name != "__init__.py" and not p.name.endswith(FIXED))


# ---------------------------------------------------------------- without torch


@dataclass(frozen=True, slots=True)
class Found:
    """What the analyzer said: the part of a finding that cases speak about."""

    line: int
    code: str
    message: str


def mismatches(case: Case, release: str, found: Iterable[Found]) -> list[str]:
    """Differences between expectation and findings, one line each; empty when all is well."""
    left = list(found)
    out: list[str] = []
    for want in case.at(release):
        for item in left:
            if item.line == want.line and item.code == want.code and want.substring in item.message:
                left.remove(item)
                break
        else:
            near = [f"{item.code} {item.message!r}" for item in left if item.line == want.line]
            got = f", found there: {'; '.join(near)}" if near else ""
            out.append(
                f"{case.path.name}:{want.line}: missing {want.code} {want.substring!r}{got} [{release}]"
            )
    out += [
        f"{case.path.name}:{item.line}: unexpected {item.code} {item.message!r} [{release}]" for item in left
    ]
    return out


def check_case(
    case: Case, release: str, select: Sequence[str] = (), plugins: Sequence[str] = ()
) -> list[str]:
    """Run the analyzer over a case as if on ``release`` and compare.

    ``select`` and ``plugins`` are the configuration values of those names; empty: the default.
    """
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.model import Request

    overrides: dict[str, object] = {
        "target-torch": release,
        "min-confidence": "possible",
        "cache": False,
        "jobs": 1,
    }
    if select:
        overrides["select"] = list(select)
    if plugins:
        overrides["plugins"] = list(plugins)
    report = Engine().check(Request(paths=(str(case.path),), overrides=overrides, isolated=True))
    problems = [f"{case.path.name}: {error.message}" for error in report.errors]
    found = [Found(item.line, item.code, item.message) for item in report.findings if not item.suppressed]
    return problems + mismatches(case, release, found)


# ---------------------------------------------------------------- with torch, in a child process


@dataclass(frozen=True, slots=True)
class Observation:
    """What torch.compile did with one probe. ``lines`` are the break lines it blamed in the file."""

    path: str
    probe: str
    effect: str  # ok, break, skip, error, wrong, recompile, failed (the probe itself), absent (a package)
    lines: tuple[int, ...] = ()
    gb: tuple[str, ...] = ()
    detail: str = ""
    tried: bool = False  # the probe itself says what it saw


def observe(
    cases: Sequence[Case], python: str = sys.executable, timeout: float = 1800
) -> tuple[str, tuple[Observation, ...]]:
    """Compile every probe of ``cases`` in child processes; the torch release there, and what it saw.

    One child runs them all; where it dies, a new one goes on after the probe that killed it.
    """
    work = [[str(case.path), probe] for case in cases for probe in case.probes]
    script = Path(__file__).with_name("worker") / "probe_cases.py"
    torch_version = ""
    out: list[Observation] = []
    while len(out) < len(work):
        done = subprocess.run(
            [python, str(script)],
            input=json.dumps(work[len(out) :]),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        before = len(out)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            torch_version = row.pop("torch", torch_version)
            if row:
                lines, gb = tuple(row.get("lines", ())), tuple(row.get("gb", ()))
                out.append(
                    Observation(
                        row["path"],
                        row["probe"],
                        row["effect"],
                        lines,
                        gb,
                        row.get("detail", ""),
                        row.get("tried", False),
                    )
                )
        if not torch_version:
            raise RuntimeError(f"{python} runs no probe: {done.stderr.strip()[-400:]}")
        if len(out) < len(work) and (done.returncode != 0 or len(out) == before):
            path, probe = work[len(out)]
            out.append(Observation(path, probe, "error", detail="the process died"))
    return torch_version, tuple(out)


@dataclass(frozen=True, slots=True)
class Said:
    """One finding that the analyzer has in a case."""

    line: int
    code: str
    effect: str


def analyzer_says(cases: Sequence[Case], release: str) -> dict[str, tuple[Said, ...]]:
    """Per case file, what the analyzer reports as if on ``release``, in one run over all of them.

    The effects are those of the forms that were found and of where they stand. A case whose comments do not
    speak of a release is judged by this there.
    """
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.model import Request

    paths = tuple(str(case.path) for case in cases)
    overrides = {"target-torch": release, "min-confidence": "possible", "cache": False}
    report = Engine().check(Request(paths=paths, overrides=overrides, isolated=True))
    out: dict[str, list[Said]] = {path: [] for path in paths}
    for item in report.findings:
        if item.path in out and not item.suppressed:
            out[item.path].append(Said(item.line, item.code, item.effect.value))
    return {path: tuple(found) for path, found in out.items()}


def judge(
    rules: Sequence[LoadedRule],
    case: Case,
    seen: Observation,
    release: str,
    said: tuple[Said, ...] | None = None,
) -> str | None:
    """Why an observation contradicts its case at a measured release; None when it agrees.

    Observed breaks must lie on expected lines, and the effect must be one that the analyzer names there
    (``said``), or, where it is not known what it says, that the claims of the expected codes allow. A claimed
    break may cost the whole frame by its position.
    """
    name = f"{case.path.parent.parent.name}/{case.path.name} {seen.probe}"
    release = measured(release)
    expected: Sequence[Expectation | Said] = (
        case.at(release) if said is None or release in case.releases else said
    )
    left_out = not case.bad and release not in case.releases  # a good file says nothing of it
    if seen.effect == "absent" or left_out:
        return None
    if seen.effect == "failed":
        return f"{name}: the probe itself failed: {seen.detail}"
    if not expected:
        return (
            None if seen.effect == "ok" else f"{name}: clean here, but {seen.effect} was seen: {seen.detail}"
        )
    # A frame that is given up has no line of its own: the log names the one it was at.
    # The first `case` stands below its `match`.
    lines = {item.line + below for item in expected for below in (0, 1)}
    stray = [line for line in seen.lines if line not in lines]
    if stray and seen.effect != "skip":
        return f"{name}: breaks at line {stray[0]}, which expects nothing: {seen.detail}"
    codes = {item.code for item in expected}
    claimed = {item.effect for item in said or () if item.code in codes} or {
        claim.effect.value
        for rule in rules
        if rule.meta.code in codes
        for claim in claims_for(rule.meta, release).values()
    }
    if "break" in claimed:
        claimed.add("skip")
    # One compiled function shows no misuse: those probes only have to run.
    if seen.effect in claimed or (seen.effect == "ok" and not seen.tried and claimed <= {"slow", "misuse"}):
        return None
    return f"{name}: {'/'.join(sorted(claimed))} is claimed, {seen.effect} was seen: {seen.detail}"
