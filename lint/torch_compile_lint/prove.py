"""`--prove`: keep only fixes that remove what they claim, bring nothing new and change nothing.

In: a request, what may be fixed, and how to run code. The project is copied; the probes that
``verify`` would run for the findings are run in the copy before any fix and again after them, the
same inputs, weights and seed, at least three calls, modules in training and in evaluation. Kept is a
fix whose finding was confirmed before, if afterwards the number of breaks and recompiles in its
function went down, none appeared anywhere else, and results, gradients, mutated inputs, state and
text are equal: eager before to eager after, and eager after to compiled after.

Where a set of fixes fails together, each is tried alone, and those that hold alone together again.
A fix that no input reaches proves nothing: it is kept only if it is safe by itself.
"""

from __future__ import annotations

import ast
import os
import shutil
import tempfile
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from torch_compile_lint.model import Finding, Report, Request, Safety
from torch_compile_lint.records import dataclass, field, replace
from torch_compile_lint.repair import Repaired, repair
from torch_compile_lint.source import LineIndex, encoded, read_source
from torch_compile_lint.verify import run as verification
from torch_compile_lint.verify.plan import Planned, Target, plan
from torch_compile_lint.verify.workers import Batch, LocalWorkers, Options
from torch_compile_lint.worker import compare, protocol

Message = dict[str, Any]
Filter = Callable[[Report], Report]
_Key = tuple[str, str]  # title of a probe, name of a variant
_Place = tuple[str, str, str]  # path, function, kind of event
#: What is lost on purpose where a message is only written while not compiling.
_TEXT = ("logged", "warned", "printed")
_COUNTED = (protocol.BREAK, protocol.SKIP, protocol.RECOMPILE, protocol.ERROR)
_LEFT_OUT = shutil.ignore_patterns(
    "__pycache__",
    ".git",
    ".venv",
    "venv",
    "node_modules",
    ".torch_compile_lint_cache",
    ".mypy_cache",
    "*.pyc",
)
_EXTRA = ("autocast", "float16", "bfloat16")  # ends of the names of variants in lower precision
_NO_LINE = 1 << 30  # a line that is never reached: so every way to make inputs is tried


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found out about one fix."""

    finding: Finding
    kept: bool
    reason: str


@dataclass(slots=True)
class Proved:
    """The fixes that were kept, as ``repair`` gives them, and a word on each one that was tried."""

    repaired: Repaired
    proofs: list[Proof] = field(default_factory=list)
    ran: int = 0  # probes that told something
    failures: list[str] = field(default_factory=list)


def prove(
    request: Request, unsafe: bool, options: Options, inputs: str = "", view: Filter | None = None
) -> Proved:
    """Fix what holds. WorkerProblem where no worker can be had."""
    with tempfile.TemporaryDirectory(prefix="tclint-prove-") as folder:
        done = repair(request, unsafe, view=view)
        if not done.fixed:
            return Proved(done)
        return _Prover(request, unsafe, options, inputs, view, folder).run(done)


@dataclass(slots=True)
class _Run:
    """All probes once: per probe and variant what happened, and which lines were counted by place."""

    variants: dict[_Key, Message] = field(default_factory=dict)
    counted: dict[_Key, list[tuple[_Place, int]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def events(self, keys: Container[_Key] | None = None) -> dict[_Place, set[int]]:
        """Lines by place, of the variants in ``keys`` or of all."""
        found: dict[_Place, set[int]] = {}
        for key, events in self.counted.items():
            if keys is None or key in keys:
                for place, line in events:
                    found.setdefault(place, set()).add(line)
        return found


class _Prover:
    def __init__(
        self,
        request: Request,
        unsafe: bool,
        options: Options,
        inputs: str,
        view: Filter | None,
        folder: str,
    ) -> None:
        self._request = request
        self._unsafe = unsafe
        self._inputs = inputs
        self._view = view
        self._cwd = os.path.abspath(request.cwd or os.getcwd())
        self._roots = _project_roots(request.paths, self._cwd)
        self._copies = {
            root: os.path.join(folder, str(n), os.path.basename(root)) for n, root in enumerate(self._roots)
        }
        search = tuple(dict.fromkeys(os.path.dirname(copy) for copy in self._copies.values()))
        self._options = replace(options, search=(*search, *options.search))
        self._planned: Planned | None = None
        self._whole: set[str] = set()  # fixes that leave the body of their function alone

    # ------------------------------------------------------------ the whole

    def run(self, done: Repaired) -> Proved:
        for root, copy in self._copies.items():
            if os.path.isdir(root):
                shutil.copytree(root, copy, symlinks=True, ignore=_LEFT_OUT)
            else:
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy2(root, copy)
        claimed = [f for f in done.first.findings if f.fix is not None and not f.suppressed]
        self._planned = self._plan(claimed)
        self._whole = {key_of(f) for f in claimed if self._changes_elsewhere(f)}
        before = self._probe()
        proved = Proved(done, ran=len(before.variants), failures=before.failures)
        confirmed = {key_of(f) for f in claimed if self._confirmed(f, before)}
        # A fix that showed itself only behind another one is judged with it.
        first = {key_of(f) for f in claimed}
        tried = [f for f in done.fixed if key_of(f) in confirmed or key_of(f) not in first]
        silent = [f for f in done.fixed if key_of(f) in first and key_of(f) not in confirmed]
        reached = self._reached(silent, before)
        for finding in silent:
            safe = finding.fix is not None and finding.fix.safety is Safety.SAFE
            reason = (
                "reached, but nothing to remove was seen" if key_of(finding) in reached else "not reached"
            )
            if not before.variants:
                reason = "no inputs available" + (f": {before.failures[0]}" if before.failures else "")
            proved.proofs.append(Proof(finding, safe, reason + (": kept, since it is safe" if safe else "")))
        kept = [p.finding for p in proved.proofs if p.kept]
        whole = done if len(kept) + len(tried) == len(done.fixed) else None
        proved.repaired = self._settle(tried, kept, before, proved, whole)
        return proved

    def _settle(
        self, tried: list[Finding], safe: list[Finding], before: _Run, proved: Proved, whole: Repaired | None
    ) -> Repaired:
        """The largest set found that holds; reasons go to ``proved``. ``whole``: all of them applied."""
        done = whole or self._repaired([*safe, *tried])
        problem = self._judge(tried, done, before)
        if problem and len(tried) > 1:
            good, reasons = [], {}
            for finding in tried:
                alone = self._judge([finding], self._repaired([*safe, finding]), before)
                reasons[key_of(finding)] = alone
                if not alone:
                    good.append(finding)
            for finding in tried:
                if reasons[key_of(finding)]:
                    proved.proofs.append(Proof(finding, False, reasons[key_of(finding)]))
            tried = good
            done = self._repaired([*safe, *tried])
            problem = self._judge(tried, done, before) if tried else ""
            while problem and len(tried) > 1:  # they hold alone, but not together
                proved.proofs.append(Proof(tried.pop(), False, f"together with others: {problem}"))
                done = self._repaired([*safe, *tried])
                problem = self._judge(tried, done, before)
        for finding in tried:
            proved.proofs.append(Proof(finding, not problem, problem or self._praise(finding)))
        if problem:
            done = self._repaired(safe)
        self._write(done.texts)
        return done

    def _repaired(self, findings: Iterable[Finding]) -> Repaired:
        allowed = {key_of(f) for f in findings}
        return repair(self._request, self._unsafe, lambda f, read: key_of(f) in allowed, view=self._view)

    # ------------------------------------------------------------ running

    def _plan(self, findings: Sequence[Finding]) -> Planned:
        copied = [
            replace(
                f,
                path=self._copy(f.path),
                witness=tuple(replace(hop, path=self._copy(hop.path)) for hop in f.witness),
                fix=None,
            )
            for f in findings
        ]
        targets = [Target(self._copy(path)) for path in self._request.paths if path != "-"]
        found = plan(
            copied,
            targets,
            lambda path: read_source(path, "").text,
            os.path.abspath,
            tuple(self._copies.values()),
            self._options,
            self._copied_inputs(),
        )
        batches = []
        for batch in found.batches:
            probes = [
                {
                    **probe,
                    "wanted": [[batch.setup["file"], _NO_LINE]],
                    "always": True,
                    "all_variants": True,
                    "exhaust": not self._inputs,
                }
                for probe in batch.probes
            ]
            batches.append(Batch({**batch.setup, "prove": True}, tuple(probes)))
        return Planned(tuple(batches), found.wanted, found.chosen)

    def _copied_inputs(self) -> str:
        """FILE:FUNCTION in the copy: a file of the project must not bring the project's own classes in."""
        file, colon, function = self._inputs.rpartition(":")
        return f"{self._copy(file)}{colon}{function}" if file else ""

    def _copy(self, path: str) -> str:
        """Where a file of the project stands in the copy."""
        full = os.path.abspath(os.path.join(self._cwd, path))
        for root, copy in self._copies.items():
            if full == root or full.startswith(root + os.sep):
                return copy + full[len(root) :]
        return full

    def _probe(self) -> _Run:
        """Run everything that was planned over the copy as it is."""
        assert self._planned is not None
        out = _Run()
        batches = self._planned.batches
        if not batches:
            return out

        def on_result(batch: int, probe: int, result: Message) -> None:
            title = str(batches[batch].probes[probe]["title"])
            for variant in result["variants"]:
                key = title, str(variant["name"])
                out.variants[key] = variant
                counted = [event for event in variant["events"] if event["kind"] in _COUNTED]
                out.counted[key] = [self._site(event) for event in counted]
            if result["outcome"] == protocol.COULD_NOT_RUN:
                out.failures.append(verification.reason(title, result))

        LocalWorkers(self._options).run(batches, on_result)
        return out

    def _site(self, event: Message) -> tuple[_Place, int]:
        """Place and line of an event; of one in a library, those of the project's line that led there."""
        kind = str(event["kind"])
        own = tuple(copy if copy.endswith(".py") else copy + os.sep for copy in self._copies.values())
        if not event["path"].startswith(own):
            for path, line, function in reversed(event["stack"]):
                if path.startswith(own):
                    return (path, function, kind), int(line)
        return (event["path"], event["function"], kind), int(event["line"])

    def _write(self, texts: dict[str, str]) -> None:
        for path, text in texts.items():
            copy = read_source(self._copy(path), "")
            data = encoded(copy, text)
            with open(copy.path, "wb") as stream:
                stream.write(data)

    # ------------------------------------------------------------ judging

    def _confirmed(self, finding: Finding, seen: _Run) -> bool:
        """Whether an event was seen on the lines of the finding (or of the statement it steers)."""
        path = self._copy(finding.path)
        lines = set(range(finding.line, finding.end_line + 1))
        whole = key_of(finding) in self._whole
        name = finding.function.rsplit(".", 1)[-1]
        for (where, function, _), at in seen.events().items():
            if where != path:
                continue
            if at & lines or ((whole or not at - {0}) and function.rsplit(".", 1)[-1] == name):
                return True
        return False

    def _changes_elsewhere(self, finding: Finding) -> bool:
        """Whether a fix leaves the body of its function alone: then it speaks for all of it."""
        if finding.fix is None or not finding.fix.edits:
            return False
        text = read_source(os.path.join(self._cwd, finding.path), "").text
        index, name = LineIndex(text), finding.function.rsplit(".", 1)[-1]
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != name:
                continue
            first, last = node.body[0].lineno, node.end_lineno or node.lineno
            if first <= finding.line <= last:
                spots = [index.position(edit.span.start)[0] for edit in finding.fix.edits]
                return not any(first <= spot <= last for spot in spots)
        return False

    def _reached(self, findings: Sequence[Finding], seen: _Run) -> set[str]:
        lines: dict[str, set[int]] = {}
        for variant in seen.variants.values():
            for path, found in variant["lines"].items():
                lines.setdefault(path, set()).update(found)
        return {key_of(f) for f in findings if f.line in lines.get(self._copy(f.path), ())}

    def _judge(self, tried: Sequence[Finding], done: Repaired, before: _Run) -> str:
        """Why this set of fixes does not hold; '' if it does."""
        if not tried:
            return ""
        wanted = {key_of(f) for f in tried}
        if not wanted <= {key_of(f) for f in done.fixed}:
            return "it cannot be applied alone"
        originals = {path: read_source(path, "").text for path in done.texts}
        self._write(done.texts)
        try:
            after = self._probe()
        finally:
            self._write(originals)
        return self._not_gone(tried, before, after) or self._not_equal(tried, before, after)

    def _not_gone(self, tried: Sequence[Finding], before: _Run, after: _Run) -> str:
        # Lower precisions are tried while time is left, and break on their own: what ran both times counts.
        both = before.variants.keys() & after.variants.keys()
        old, new = before.events(both), after.events(both)
        for place, lines in sorted(new.items()):
            path, function, kind = place
            known = old.get(place, set())
            if (
                kind == protocol.SKIP
            ):  # what broke before may cost the frame, now that more is compiled with it
                known = known | (lines & old.get((path, function, protocol.BREAK), set()))
            if len(lines) > len(known):
                return f"a new {kind} in {function} ({os.path.basename(path)}:{min(lines - known or lines)})"
        claimed: dict[str, set[int]] = {}
        for finding in tried:
            if self._confirmed(finding, before):
                claimed.setdefault(self._copy(finding.path), set()).add(finding.line)
        for path, lines in claimed.items():
            if len(_lines_of(path, old)) - len(_lines_of(path, new)) < len(lines):
                return "what it claims to remove is still there"
        return ""

    def _not_equal(self, tried: Sequence[Finding], before: _Run, after: _Run) -> str:
        missing = {k for k in before.variants if k not in after.variants and not k[1].endswith(_EXTRA)}
        if missing:
            return f"{' '.join(sorted(missing)[0]).strip()} does not run any more"
        guards = any(f.fix is not None and "while not compiling" in f.fix.title for f in tried)
        for key, old in before.variants.items():
            new = after.variants.get(key)
            if new is None or not old["deterministic"]:
                continue
            for part, value in old["observed"].items():
                if not compare.same(value, new["observed"].get(part)):
                    return compare.describe(f"{part} of {key[1] or key[0]}", value, new["observed"].get(part))
            worse = set(new["differing"]) - set(old["differing"])
            if guards:
                worse -= set(_TEXT)
            if worse:
                told = new["differences"][new["differing"].index(sorted(worse)[0])]
                return f"compiled differs from eager: {told}"
        return ""

    def _praise(self, finding: Finding) -> str:
        assert finding.fix is not None
        text = "the break is gone, none appeared; results, gradients, state and text are equal"
        return text + " (text while compiling excepted)" if "while not" in finding.fix.title else text


def _lines_of(path: str, events: dict[_Place, set[int]]) -> set[int]:
    """Lines of a file on which anything was counted."""
    return {line for (where, _, _), lines in events.items() if where == path for line in lines}


def key_of(finding: Finding) -> str:
    """What makes two fixes the same from run to run."""
    return f"{os.path.abspath(finding.path)}\0{finding.code}\0{finding.fingerprint}"


def _project_roots(paths: Sequence[str], cwd: str) -> tuple[str, ...]:
    """The folders to copy: the outermost package of each file, else the folder that was named."""
    roots: list[str] = []
    for path in paths:
        full = os.path.abspath(os.path.join(cwd, path))
        folder = full if os.path.isdir(full) else os.path.dirname(full)
        while os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py")):
            folder = os.path.dirname(folder)
        roots.append(folder)
    plain = sorted(set(roots))
    return tuple(r for r in plain if not any(r != o and r.startswith(o + os.sep) for o in plain))
