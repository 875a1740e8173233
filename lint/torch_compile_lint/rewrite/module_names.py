"""Which names a piece of module-level code takes from the module around it."""

from __future__ import annotations

import symtable


def global_names(block: str) -> set[str]:
    """Names that a block of module-level code takes from around it, at any depth."""
    own = symtable.symtable(block, "block", "exec")
    bound = {s.get_name() for s in own.get_symbols() if s.is_assigned() or s.is_imported()}
    out: set[str] = set()
    stack = [own]
    while stack:
        table = stack.pop()
        stack.extend(table.get_children())
        out |= {
            s.get_name()
            for s in table.get_symbols()
            if s.is_referenced() and (s.is_global() or (table is own and not s.is_assigned()))
        }
    return {n for n in out - bound if not n.startswith("__")}
