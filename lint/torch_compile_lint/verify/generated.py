"""A source that is never run because another file is generated from it (``modular_x.py`` of transformers):
its findings are probed where the same statement stands in the generated file.

The generated file says so itself, in its first lines. A statement that the generator changed has no stand-in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from torch_compile_lint.model import Finding, Hop
from torch_compile_lint.records import replace
from torch_compile_lint.verify.statements import Statements, statements

_HEAD = 2000  # characters in which a file says what it was generated from

Read = Callable[[str], str]


class Generated:
    """Findings as they stand in the files that are generated from theirs."""

    def __init__(self, read: Read, absolute: Callable[[str], str]) -> None:
        self._read = read
        self._absolute = absolute
        self._files: dict[str, tuple[str, ...]] = {}
        self._parsed: dict[str, Statements] = {}

    def stand_ins(self, findings: Sequence[Finding], named: frozenset[str]) -> tuple[Finding, ...]:
        """The findings in order, moved to a generated file where they have a stand-in; those of files in
        ``named`` (absolute) stay, since the user asked for what stands there.
        """
        return tuple(f if self._absolute(f.path) in named else self._moved(f) for f in findings)

    def _moved(self, finding: Finding) -> Finding:
        path = self._absolute(finding.path)
        for file in self._from(path) if finding.function and finding.cell is None else ():
            line = self._same_statement(path, finding, file)
            if line:
                return replace(
                    finding,
                    path=file,
                    line=line,
                    end_line=finding.end_line + line - finding.line,
                    witness=tuple(self._hop(hop, path, file) for hop in finding.witness),
                )
        return finding

    def _hop(self, hop: Hop, path: str, file: str) -> Hop:
        known = {name for _, _, name in self._statements(file).functions}
        return replace(hop, path=file) if self._absolute(hop.path) == path and hop.function in known else hop

    def _same_statement(self, path: str, finding: Finding, file: str) -> int:
        """The line in ``file`` of the finding's statement, in the function of the same name; 0 if there is
        none, or more than one that reads the same.
        """
        own = self._read(path).splitlines()
        first, last = self._statements(path).around(finding.line, finding.end_line)
        wanted = own[first - 1 : last]
        other = self._read(file).splitlines()
        places = [
            number
            for begin, end, name in self._statements(file).functions
            if name == finding.function
            for number in range(begin, end + 1)
            if other[number - 1 : number - 1 + len(wanted)] == wanted
        ]
        before = [
            number
            for begin, end, name in self._statements(path).functions
            if name == finding.function
            for number in range(begin, end + 1)
            if own[number - 1 : number - 1 + len(wanted)] == wanted
        ]
        if len(places) != len(before) or first not in before:
            return 0
        return places[before.index(first)] + finding.line - first

    def _from(self, path: str) -> tuple[str, ...]:
        """Files beside ``path`` that say they are generated from it."""
        if path not in self._files:
            says = re.compile(r"generated from\s+(?:\S*/)?" + re.escape(os.path.basename(path)) + r"\b")
            folder = os.path.dirname(path)
            try:
                names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
            except OSError:
                names = []
            files = [os.path.join(folder, name) for name in names if name != os.path.basename(path)]
            self._files[path] = tuple(file for file in files if says.search(self._read(file)[:_HEAD]))
        return self._files[path]

    def _statements(self, path: str) -> Statements:
        if path not in self._parsed:
            self._parsed[path] = statements(self._read(path))
        return self._parsed[path]
