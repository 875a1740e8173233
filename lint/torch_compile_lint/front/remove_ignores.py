"""`--remove-unused-ignores`: take out the ignore comments, or the codes in them, that hide nothing."""

from __future__ import annotations

import ast
import sys
import warnings

from torch_compile_lint.fix import edits
from torch_compile_lint.fix.files import WriteProblem, replace_file
from torch_compile_lint.model import Report
from torch_compile_lint.source import SourceFile, read_source


def remove_unused(report: Report) -> str:
    """Edit the files; returns what was done. A file that cannot be written is said and left alone."""
    sources: dict[str, SourceFile] = {}

    def read(path: str) -> str:
        if path not in sources:
            sources[path] = read_source(path, "")
        return sources[path].text

    outcome = edits.apply(report.unused_suppressions, read, _still_parses)
    removed = 0
    for path, text in outcome.texts.items():
        try:
            replace_file(sources[path], text)
        except WriteProblem as problem:
            sys.stderr.write(f"tclint: error: {path}: {problem}\n")
            continue
        removed += sum(one.fix is not None and one.fix.edits[0].path == path for one in outcome.fixed)
    return f"removed {removed} unused ignore {'comment' if removed == 1 else 'comments'}"


def _still_parses(path: str, text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, path, "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError) as problem:
            return str(problem)
    return ""
