"""``value.name``, ``value[index]`` and ``super().name`` over every kind of atom.

Classes and modules of the program are looked up here; what belongs to torch, Python or other
packages is asked of ``transfer``.
"""

from __future__ import annotations

from torch_compile_lint.program import transfer
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.frame import Frame
from torch_compile_lint.program.lattice import element_of, join_all
from torch_compile_lint.program.values import (
    NEVER,
    TEXT,
    UNKNOWN,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Number,
    Partial,
    PyModule,
    Unknown,
    Value,
    at_most,
    opaque,
)


def get_attribute(frame: Frame, value: Value, name: str) -> Value:
    """``value.name``. None has no attributes worth knowing: it is left out where others remain."""
    atoms = value.atoms
    if len(atoms) == 1:
        return _finish(_atom_attribute(frame, atoms[0], value, name), value)
    parts = []
    for atom in atoms:
        if type(atom) is NoneAtom:
            continue
        part = _atom_attribute(frame, atom, Value((atom,), value.confidence, value.origin), name)
        parts.append(_finish(part, value))
    out = join_all(parts)
    return out if out.atoms else UNKNOWN


def _finish(result: Value, value: Value) -> Value:
    return result if result.confidence <= value.confidence else at_most(result, value.confidence)


def _atom_attribute(frame: Frame, atom: Atom, value: Value, name: str) -> Value:
    analyzer = frame.analyzer
    if type(atom) is Unknown:
        return UNKNOWN
    if type(atom) is Instance:
        info = analyzer.class_info(atom.symbol)
        if info is None:
            return transfer.attribute(value, name)
        return analyzer.attributes.of_instance(frame, value, atom, name)
    if type(atom) is PyModule:
        return analyzer.module_attribute(frame.path, atom.name, name)
    if type(atom) is ClassRef:
        if analyzer.class_info(atom.symbol) is None:
            return transfer.attribute(value, name)
        return analyzer.attributes.of_class(frame, atom, name)
    if type(atom) is Partial:
        if name == "func":
            return atom.func
        return opaque("partial")
    if type(atom) is Function:
        if name in ("__name__", "__qualname__", "__doc__", "__module__"):
            return TEXT
        if name == "__self__" and atom.bound is not None:
            return atom.bound
        return UNKNOWN
    return transfer.attribute(value, name)


def get_item(frame: Frame, value: Value, index: Value) -> Value:
    """``value[index]``, with ``__getitem__`` of the program's classes."""
    if any(type(a) is Instance for a in value.atoms):
        parts = []
        for atom in value.atoms:
            one = Value((atom,), value.confidence, value.origin)
            if type(atom) is Instance and atom.items is None and frame.analyzer.class_info(atom.symbol):
                parts.append(_instance_item(frame, one, atom, index))
            elif type(atom) is not NoneAtom:
                parts.append(transfer.subscript(one, index))
        out = join_all(parts)
        return out if out.atoms else UNKNOWN
    return transfer.subscript(value, index)


def _instance_item(frame: Frame, value: Value, atom: Instance, index: Value) -> Value:
    method = frame.analyzer.attributes.method(atom.symbol, "__getitem__", value)
    if method is not None:
        return frame.analyzer.call(frame, method, Arguments([index]), None)
    if frame.analyzer.attributes.is_record(atom.symbol):
        # A dataclass that also answers to [0] and ['name'] (transformers' ModelOutput).
        const = index.atoms[0] if len(index.atoms) == 1 else None
        text = getattr(const, "const", None)
        if isinstance(text, str):
            return frame.analyzer.attributes.of_instance(frame, value, atom, text)
        fields = frame.analyzer.attributes.record_fields(atom.symbol)
        if type(const) is Number and const.const == 0 and fields:
            return frame.analyzer.attributes.of_instance(frame, value, atom, fields[0])
    return UNKNOWN


def super_attribute(frame: Frame, start: Value | None, name: str) -> Value:
    """``super().name``: the next definition after the class the function stands in."""
    owner = frame.owner
    if start is not None and len(start.atoms) == 1 and type(start.atoms[0]) is ClassRef:
        owner = start.atoms[0].symbol
    receiver = frame.self_value
    if owner is None or receiver is None:
        return UNKNOWN
    parts = []
    for atom in receiver.atoms:
        if type(atom) in (Instance, ClassRef):
            one = Value((atom,), receiver.confidence, receiver.origin)
            parts.append(frame.analyzer.attributes.after(frame, atom.symbol, owner, one, name))  # type: ignore[union-attr]
    out = join_all(parts)
    return out if out.atoms else UNKNOWN


def children_of(atom: Instance) -> Value:
    """One child of a Sequential, ModuleList or ModuleDict."""
    if atom.items is None:
        return UNKNOWN
    held = [element_of(a) for a in atom.items.atoms if type(a) is Container]
    return join_all(held) if held else NEVER


__all__ = ["children_of", "get_attribute", "get_item", "super_attribute"]
