"""What the parameters of a reported function are, in words that verification can make values from.

In: an analysed function. Out: ``name=kind`` for each parameter whose kind is one thing: ``tensor``,
``tensor[float,2]`` (dtype, number of dimensions; ``?`` where unknown), ``int``, ``float``, ``bool``, ``str``,
``none``, ``list[KIND]``, ``tuple[KIND;KIND]``.
"""

from __future__ import annotations

from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.program.values import Container, NoneAtom, Number, Tensor, Text, Value

_PLAIN = ("positional-only", "positional", "keyword-only")


def parameter_kinds(view: Any) -> tuple[str, ...]:
    """Kinds by what inference knew where each parameter is first read."""
    names = {param.name for param in view.facts.params if param.kind in _PLAIN}
    found: dict[str, str] = {}
    for node in view.nodes(ir.Name):
        if node.name in names and node.name not in found:
            kind = text(view.value(node))
            if kind:
                found[node.name] = kind
    return tuple(f"{name}={kind}" for name, kind in found.items())


def text(value: Value) -> str:
    """The kind of a value; '' where it is several things, or nothing that can be made."""
    atoms = [atom for atom in value.atoms if type(atom) is not NoneAtom]
    if not atoms:
        return "none" if value.atoms else ""
    tensors = [atom for atom in atoms if type(atom) is Tensor]
    if tensors:
        first = tensors[0]
        if first.dtype is None and first.rank is None:
            return "tensor"
        return f"tensor[{first.dtype or '?'},{'?' if first.rank is None else first.rank}]"
    if len(atoms) != 1:
        return ""
    atom = atoms[0]
    if type(atom) is Number:
        return atom.type if atom.type in ("int", "float", "bool") else ""
    if type(atom) is Text:
        return "str"
    if type(atom) is Container and atom.kind in ("list", "tuple"):
        if atom.items is not None:
            inner = [text(item) for item in atom.items]
            return f"tuple[{';'.join(inner)}]" if inner and all(inner) else ""
        one = "" if atom.element is None else text(atom.element)
        return f"list[{one}]" if one else ""
    return ""
