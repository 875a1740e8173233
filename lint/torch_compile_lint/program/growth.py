"""What a method that changes a container leaves in it."""

from __future__ import annotations

from torch_compile_lint.program import transfer
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.values import UNKNOWN, Container, Value, constant

MUTATORS = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "appendleft"})


def grown_by(atom: Container, method: str, given: Arguments) -> Value:
    """The container after ``container.method(...)``."""
    args = given.positional
    if method in ("append", "add", "appendleft"):
        added = args[0] if args else UNKNOWN
        if atom.items is not None and method == "append" and atom.kind == "list":
            return container(atom.kind, (*atom.items, added))
    elif method == "insert":
        added = args[1] if len(args) > 1 else UNKNOWN
    elif method == "extend":
        source = args[0] if args else UNKNOWN
        held = source.atoms[0] if len(source.atoms) == 1 else None
        if atom.items is not None and type(held) is Container and held.items is not None:
            return container(atom.kind, atom.items + held.items)
        added = transfer.iterate(source)
    elif method == "setdefault":
        added = args[1] if len(args) > 1 else constant(None)
    else:
        parts = list(given.keywords.values())
        for source in args:
            if len(source.atoms) == 1 and type(source.atoms[0]) is Container:
                parts.append(element_of(source.atoms[0]))
            else:
                parts.append(UNKNOWN)
        added = join_all(parts)
    return container(atom.kind, None, join(element_of(atom), added))
