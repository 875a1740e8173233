"""Calls: what may be called, with what, and what comes back.

Functions of the program are handed to the analyzer (which evaluates them in the context of
these arguments), modules go to their ``forward``, classes become instances, and everything
that belongs to torch, Python or another package is asked of ``transfer``, except the few APIs
that call back into the program (``specials``).
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import library_objects, metaclasses, specials, transfer, transfer_version
from torch_compile_lint.program.access import get_attribute
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.cuts import CUTS
from torch_compile_lint.program.frame import Frame
from torch_compile_lint.program.function_view import outline
from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.values import (
    NEVER,
    UNKNOWN,
    Api,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Origin,
    Partial,
    Unknown,
    Value,
    at_most,
    is_tensor,
    is_unknown,
    tensor,
    without,
)

CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})


def call(frame: Frame, func: Value, given: Arguments, node: ir.Call | None) -> Value:
    """The result of calling ``func``; callees' names are kept for rules."""
    names: list[str] = []
    atoms = func.atoms
    if len(atoms) == 1:
        if type(atoms[0]) is NoneAtom:
            return NEVER  # raises: nothing goes on from here
        out = _call_atom(frame, atoms[0], given, node, names)
    else:
        parts = [_call_atom(frame, atom, given, node, names) for atom in atoms if type(atom) is not NoneAtom]
        out = join_all(parts) if parts else UNKNOWN
    if node is not None and frame.table is not None and names:
        frame.callees[node.id] = tuple(dict.fromkeys(names))
    if is_unknown(out) and given.positional and is_tensor(given.positional[0]):
        out = _module_result(frame, func, node, out)
    return out if out.confidence <= func.confidence else at_most(out, func.confidence)


_MODULE_RESULT = tensor(
    confidence=Confidence.LIKELY, origin=Origin("a module that is called with a tensor gives a tensor")
)


def _module_result(frame: Frame, func: Value, node: ir.Call | None, out: Value) -> Value:
    """The result of calling what is, or in a module must be, a module nobody knows more of.

    That is a module of unknown class, or an unknown attribute or element called directly:
    ``self.norm(x)``, ``blk(x)`` in a loop. An unknown object's method is left unknown, and so
    is a result that is taken apart at once (``x, size = blk(x, size)``): that is a tuple.
    """
    if node is not None and frame.facts is not None and _is_unpacked(frame.facts, node):
        return out
    module = all(type(a) is Instance and a.module for a in func.atoms)
    if not module:
        if node is None or frame.owner is None or not frame.analyzer.is_module_class(frame.owner):
            return out
        if not all(type(a) in (Unknown, NoneAtom, Instance) for a in func.atoms):
            return out
        expr = node.func
        while type(expr) is ir.Subscript:
            expr = expr.base
        local = type(expr) is ir.Name and expr.scope != "global"
        direct = local or (type(expr) is ir.Attribute and type(expr.base) is ir.Name)
        if not direct or (type(expr) is ir.Attribute and _is_unknown_object(frame, expr.base)):
            return out
    return join(without(out, Unknown), _MODULE_RESULT)


def _is_unpacked(facts: ir.FunctionFacts, node: ir.Call) -> bool:
    parent = outline(facts).parents[node.id]
    return type(parent) is ir.Assign and any(type(t) is ir.Sequence for t in parent.targets)


def _is_unknown_object(frame: Frame, expr: ir.Expr) -> bool:
    value = None if frame.table is None else frame.table[expr.id]
    return value is None or not all(type(a) is Instance and a.module for a in value.atoms)


def _call_atom(frame: Frame, atom: Atom, given: Arguments, node: ir.Call | None, names: list[str]) -> Value:
    if type(atom) is Api:
        return _call_api(frame, atom, given, node, names)
    if type(atom) is Function:
        names.append(frame.analyzer.dotted_name(atom))
        found = frame.analyzer.closures.find(atom)
        if found is not None:
            names.extend("@" + mark for mark in found.marks)
            if not CUTS.isdisjoint(found.marks):
                names.append("<disabled>")
        return frame.analyzer.call(frame, atom, given, node)
    if type(atom) is Instance:
        return _call_instance(frame, atom, given, node, names)
    if type(atom) is ClassRef:
        names.append(atom.symbol)
        names.extend(metaclasses.called(frame.analyzer, atom.symbol))
        return construct(frame, atom.symbol, given, node)
    if type(atom) is Partial:
        inner = given.before(*atom.args)
        inner.keywords = {**dict(atom.keywords), **given.keywords}
        parts = [_call_atom(frame, a, inner, node, names) for a in atom.func.atoms]
        return join_all(parts)
    return UNKNOWN


def _call_api(frame: Frame, atom: Api, given: Arguments, node: ir.Call | None, names: list[str]) -> Value:
    names.append(atom.symbol)
    handler = specials.HANDLERS.get(atom.symbol)
    if handler is not None:
        out = handler(frame, atom, given, node)
        if out is not None:
            return out
    args = given.flat()
    if transfer_version.is_of_torch(atom.symbol, args) and frame.analyzer.release:
        return transfer_version.version(f"{frame.analyzer.release}.0")
    out = transfer.call_api(atom.symbol, atom.bound, args, given.keywords)
    if out is None:
        specials.call_back(frame, given, node)
        return library_objects.made(atom.symbol, args) or UNKNOWN
    return out


def _call_instance(
    frame: Frame, atom: Instance, given: Arguments, node: ir.Call | None, names: list[str]
) -> Value:
    analyzer = frame.analyzer
    value = Value((atom,))
    if analyzer.class_info(atom.symbol) is not None:
        name = "forward" if atom.module else "__call__"
        function = analyzer.attributes.method(atom.symbol, name, value)
        if function is None and atom.module:
            function = analyzer.attributes.method(atom.symbol, "__call__", value)
        if function is not None:
            names.append(analyzer.dotted_name(function))
            return analyzer.call(frame, function, given, node)
    base = analyzer.external_base(atom.symbol)
    if base is None:
        return UNKNOWN
    names.append(f"{base}.__call__")
    if base == "torch.nn.Sequential":
        return _run_sequential(frame, atom, given, node)
    if atom.module:
        args = given.flat()
        out = transfer.call_api(f"{base}.__call__", value, args, given.keywords)
        return UNKNOWN if out is None else out
    return UNKNOWN


def _run_sequential(frame: Frame, atom: Instance, given: Arguments, node: ir.Call | None) -> Value:
    """Each child on the result of the one before it."""
    held = atom.items.atoms[0] if atom.items is not None and len(atom.items.atoms) == 1 else None
    if type(held) is not Container or not given.positional:
        return UNKNOWN
    value = given.positional[0]
    if held.items is not None:
        for child in held.items:
            value = call(frame, child, Arguments([value]), None) if child.atoms and value.atoms else UNKNOWN
        return value
    child = element_of(held)
    if not child.atoms:
        return value
    # Any number of children of one kind: run until the value settles.
    for _ in range(4):
        after = join(value, call(frame, child, Arguments([value]), None))
        if after is value or after == value:
            return value
        value = after
    return value


def construct(frame: Frame, symbol: str, given: Arguments, node: ir.Call | None) -> Value:
    """An instance of a class."""
    analyzer = frame.analyzer
    if symbol in CONTAINERS:
        return Value((Instance(symbol, True, children_value(frame, symbol, given)),))
    if analyzer.class_info(symbol) is None:
        args = given.flat()
        out = transfer.call_api(symbol, None, args, given.keywords)
        if out is not None:
            return out
        specials.call_back(frame, given, node)
    made = analyzer.attributes.constructed(frame, symbol, given)
    if made is None:
        made = Value((Instance(symbol, analyzer.is_module_class(symbol)),))
    if not analyzer.quiet:
        # Made while compiling: __init__ is traced too.
        name, init = analyzer.attributes.initializer(symbol, made)
        if init is not None:
            analyzer.call(frame, init, given if name == "__init__" else Arguments(), node)
    return made


def children_value(frame: Frame, symbol: str, given: Arguments) -> Value:
    """The children a container module is made with."""
    if symbol == "torch.nn.ModuleDict":
        source = given.positional[0] if given.positional else given.keywords.get("modules")
        if source is None:
            return container("dict", (), None, ())
        held = [a for a in source.atoms if type(a) is Container]
        return Value((held[0],)) if len(held) == 1 else container("dict", None, UNKNOWN)
    if symbol == "torch.nn.ModuleList":
        source = given.positional[0] if given.positional else given.keywords.get("modules")
        if source is None or all(type(a) is NoneAtom for a in source.atoms):
            return container("list", ())
        held = [a for a in source.atoms if type(a) is Container]
        if len(held) != 1:
            return container("list", None, iterate(frame, source))
        if held[0].items is not None and held[0].kind in ("list", "tuple"):
            return container("list", held[0].items)
        return container("list", None, element_of(held[0]))
    if len(given.positional) == 1 and given.rest is None:
        only = given.positional[0].atoms
        if len(only) == 1 and type(only[0]) is Container and only[0].kind == "dict":
            if only[0].items is not None:
                return container("list", only[0].items)
            return container("list", None, element_of(only[0]))
    if given.rest is None:
        return container("list", tuple(given.positional))
    return container("list", None, join(join_all(given.positional), given.rest))


def iterate(frame: Frame, value: Value) -> Value:
    """One element of anything that is not a plain container."""
    parts = []
    for atom in value.atoms:
        one = Value((atom,), value.confidence, value.origin)
        if type(atom) is Instance and atom.items is None and frame.analyzer.class_info(atom.symbol):
            function = frame.analyzer.attributes.method(atom.symbol, "__iter__", one)
            if function is None:
                parts.append(UNKNOWN)
            else:
                made = frame.analyzer.call(frame, function, Arguments(), None)
                held = [element_of(a) for a in made.atoms if type(a) is Container]
                parts.append(join_all(held) if held else UNKNOWN)
        elif type(atom) is Container:
            parts.append(element_of(atom))
        elif type(atom) is not NoneAtom:
            parts.append(transfer.iterate(one))
    return join_all(parts) if parts else NEVER


def method(frame: Frame, value: Value, name: str) -> Value:
    """``value.name()``, for the calls Python makes by itself (``__enter__``)."""
    function = get_attribute(frame, value, name)
    return call(frame, function, Arguments(), None) if function.atoms else NEVER
