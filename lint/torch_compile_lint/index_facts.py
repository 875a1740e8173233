"""A file that ``ast`` cannot parse, as a tree the index walk can read: by way of libcst.

For syntax newer than the Python that runs the tool. Slower than ``ast`` and used for single
files only; importing it costs nothing until it is called.
"""

from __future__ import annotations

import ast

from torch_compile_lint.source import SourceFile


def tree_from_facts(source: SourceFile) -> ast.Module | None:
    """The tree, or None where the file does not parse this way either."""
    from torch_compile_lint.facts.lower import lower_file
    from torch_compile_lint.index_tree import TreeBuilder
    from torch_compile_lint.syntax import SyntaxProblem

    try:
        units = lower_file(source.text)
        return TreeBuilder(units, source.lines).module()
    except (SyntaxProblem, RecursionError):
        return None
