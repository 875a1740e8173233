"""What a test that came out true or false says about the names in it.

The closed list of forms that narrow (R is a reference: ``x``, ``x.a``, ``x[0]``, ``x['k']``,
or a walrus binding one of them):

- ``R`` / ``not R``: None and constants that are false or true drop out
- ``R is None``, ``R is not None``, ``R == None``, ``R != None``
- ``R is True/False``, ``R == constant``, ``R != constant`` (numbers, strings)
- ``R in (constants)`` for strings
- ``isinstance(R, T)``, ``isinstance(R, (T, U))``, ``type(R) is T``, ``type(R) == T``
- ``torch.is_tensor(R)``, ``callable(R)``, ``inspect.isclass(R)``
- ``A and B``, ``A or B``, ``not A`` of these

A reference whose value becomes impossible makes the branch dead only when the value was
proved: a guess never removes code.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program.frame import Frame, State, join_states
from torch_compile_lint.program.lattice import join_all
from torch_compile_lint.program.tree import key_of
from torch_compile_lint.program.values import (
    NONE,
    UNKNOWN,
    Api,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Number,
    Partial,
    Tensor,
    Text,
    Unknown,
    Value,
    at_most,
    constant_of,
    without,
)


def narrow(frame: Frame, state: State, test: ir.Expr, taken: bool) -> State | None:
    """The state where ``test`` came out as ``taken``; None when that cannot be. May change ``state``."""
    kind = type(test)
    if kind is ir.Name or kind is ir.Attribute or kind is ir.Subscript or kind is ir.Walrus:
        return _truthiness(frame, state, test, taken)
    if type(test) is ir.Unary and test.op == "not":
        return narrow(frame, state, test.operand, not taken)
    if type(test) is ir.BoolOp:
        return _boolop(frame, state, test, taken)
    if type(test) is ir.Compare and len(test.ops) == 1:
        return _compare(frame, state, test, taken)
    if type(test) is ir.Call:
        return None if _decided(frame, test) is (not taken) else _call(frame, state, test, taken)
    return state


def _decided(frame: Frame, call: ir.Call) -> bool | None:
    """The truth of a call that was just evaluated to a proved constant (`is_compiling()`)."""
    value = None if frame.table is None else frame.table[call.id]
    known = None if value is None or value.confidence is not Confidence.PROVED else constant_of(value)
    return None if known is None else bool(known[0])


def current(frame: Frame, state: State, expr: ir.Expr) -> Value | None:
    """The value of a reference that was just evaluated."""
    if type(expr) is ir.Walrus:
        expr = expr.target
    key = key_of(expr)
    if key is None:
        return None
    value = state.get(key)
    if value is not None:
        return value
    if frame.table is not None:
        return frame.table[expr.id]
    return None


def _set(frame: Frame, state: State, expr: ir.Expr, old: Value, new: Value) -> State | None:
    """Narrow a reference from ``old`` to ``new``."""
    if not new.atoms:
        if old.confidence is Confidence.PROVED:
            return None
        return state
    if new is old:
        return state
    if type(expr) is ir.Walrus:
        expr = expr.target
    key = key_of(expr)
    if key is not None:
        # Not ``store``: the object is the same, so what is known below it stays.
        state[key] = new
        frame.note(key)
    return state


def _truthiness(frame: Frame, state: State, test: ir.Expr, taken: bool) -> State | None:
    value = current(frame, state, test)
    if value is None or not value.atoms:
        return state
    kept = tuple(a for a in value.atoms if _may_be(a, taken))
    if len(kept) == len(value.atoms):
        return state
    return _set(frame, state, test, value, Value(kept, value.confidence, value.origin))


def _may_be(atom: Atom, taken: bool) -> bool:
    """Whether an atom's truth can be ``taken``."""
    if type(atom) is NoneAtom:
        return not taken
    if type(atom) is Number or type(atom) is Text:
        return atom.const is None or bool(atom.const) is taken
    if type(atom) in (Function, ClassRef, Api, Partial):
        return taken
    if type(atom) is Container and atom.items is not None and atom.kind != "iterator":
        return bool(atom.items) is taken
    return True


def _boolop(frame: Frame, state: State, test: ir.BoolOp, taken: bool) -> State | None:
    if (test.op == "and") is taken:
        # All operands came out as ``taken``.
        here: State | None = state
        for operand in test.values:
            if here is None:
                return None
            here = narrow(frame, here, operand, taken)
        return here
    # One operand came out as ``taken``, those before it did not.
    out: State | None = None
    here = state
    for i, operand in enumerate(test.values):
        if here is None:
            break
        last = i == len(test.values) - 1
        out = join_states(out, narrow(frame, here if last else dict(here), operand, taken))
        if not last:
            here = narrow(frame, here, operand, not taken)
    return out


def _compare(frame: Frame, state: State, test: ir.Compare, taken: bool) -> State | None:
    op, left, right = test.ops[0], test.left, test.rights[0]
    if op in ("is not", "!=", "not in"):
        op, taken = {"is not": "is", "!=": "==", "not in": "in"}[op], not taken
    if op not in ("is", "==", "in"):
        return state
    if op != "in" and type(left) is ir.Const and type(right) is not ir.Const:
        left, right = right, left
    if op != "in" and type(left) is ir.Call and type(left.func) is ir.Name and left.func.name == "type":
        if len(left.args) == 1 and left.args[0].star == "":
            return _instance_of(frame, state, left.args[0].value, right, taken, exact=True)
        return state
    value = current(frame, state, left)
    if value is None or not value.atoms:
        return state
    if op == "in":
        return _member(frame, state, left, value, right, taken)
    const = _constant(frame, right)
    if const is None:
        return state
    if const[0] is None:
        if taken:
            if any(type(a) in (NoneAtom, Unknown) for a in value.atoms):
                return _set(frame, state, left, value, NONE)
            if value.confidence is Confidence.PROVED:
                return None
            return _set(frame, state, left, value, at_most(NONE, Confidence.LIKELY))
        return _set(frame, state, left, value, without(value, NoneAtom))
    return _equal(frame, state, left, value, const[0], taken)


def _constant(frame: Frame, expr: ir.Expr) -> tuple[object] | None:
    if type(expr) is ir.Const:
        return (expr.value,)
    value = frame.table[expr.id] if frame.table is not None else None
    return None if value is None else constant_of(value)


def _equal(
    frame: Frame, state: State, expr: ir.Expr, value: Value, const: object, taken: bool
) -> State | None:
    kept: list[Atom] = []
    for atom in value.atoms:
        if type(atom) is Text or type(atom) is Number:
            if atom.const is not None:
                if (atom.const == const) is taken:
                    kept.append(atom)
            elif not taken:
                kept.append(atom)
            elif type(atom) is Text and isinstance(const, str):
                kept.append(Text(const))
            elif type(atom) is Number and isinstance(const, bool):
                kept.append(Number("bool", atom.source, const))
            elif type(atom) is Number and not isinstance(const, str):
                kept.append(atom)
        elif not taken or type(atom) is not NoneAtom:
            kept.append(atom)
    if len(kept) == len(value.atoms) and tuple(kept) == value.atoms:
        return state
    return _set(frame, state, expr, value, Value(tuple(kept), value.confidence, value.origin))


def _member(
    frame: Frame, state: State, expr: ir.Expr, value: Value, among: ir.Expr, taken: bool
) -> State | None:
    if type(among) is not ir.Sequence or not all(type(i) is ir.Const for i in among.items):
        return state
    consts = {i.value for i in among.items if type(i) is ir.Const}
    kept = tuple(
        a
        for a in value.atoms
        if not (type(a) in (Text, Number, NoneAtom) and _known(a) and (_const_of(a) in consts) is not taken)
    )
    if len(kept) == len(value.atoms):
        return state
    return _set(frame, state, expr, value, Value(kept, value.confidence, value.origin))


def _known(atom: Atom) -> bool:
    return type(atom) is NoneAtom or (type(atom) in (Text, Number) and atom.const is not None)  # type: ignore[union-attr]


def _const_of(atom: Atom) -> object:
    return None if type(atom) is NoneAtom else atom.const  # type: ignore[union-attr]


def _call(frame: Frame, state: State, test: ir.Call, taken: bool) -> State | None:
    if not test.args or test.args[0].star or test.args[0].keyword is not None or frame.table is None:
        return state
    func = frame.table[test.func.id]
    atom = func.atoms[0] if func is not None and len(func.atoms) == 1 else None
    if type(atom) is ClassRef or type(atom) is not Api:
        return state
    subject = test.args[0].value
    if atom.symbol == "builtins.isinstance" and len(test.args) == 2:
        return _instance_of(frame, state, subject, test.args[1].value, taken)
    value = current(frame, state, subject)
    if value is None or not value.atoms:
        return state
    if atom.symbol == "torch.is_tensor":
        return _set(frame, state, subject, value, _tensors(value, taken))
    if atom.symbol == "inspect.isclass":
        return _set(frame, state, subject, value, _classes(value, taken))
    if atom.symbol == "builtins.callable" and taken:
        return _set(frame, state, subject, value, without(value, NoneAtom, Number, Text))
    return state


def _classes(value: Value, taken: bool) -> Value:
    """What remains where ``inspect.isclass`` answered ``taken``; what no class is known of may be one."""
    if not taken:
        return without(value, ClassRef)
    kept = tuple(a for a in value.atoms if type(a) not in _NO_CLASSES)
    return Value(kept, value.confidence, value.origin)


_NO_CLASSES = (Tensor, Number, Text, NoneAtom, Container, Function, Instance, Partial)


def _tensors(value: Value, taken: bool) -> Value:
    if not taken:
        return without(value, Tensor)
    found = tuple(a for a in value.atoms if type(a) is Tensor)
    if found:
        return Value(found, value.confidence, value.origin)
    if any(type(a) is Unknown for a in value.atoms) or value.confidence is not Confidence.PROVED:
        return Value((Tensor(),))
    return Value(())


def _instance_of(
    frame: Frame, state: State, subject: ir.Expr, classes: ir.Expr, taken: bool, exact: bool = False
) -> State | None:
    value = current(frame, state, subject)
    named = None if frame.table is None else frame.table[classes.id]
    if value is None or not value.atoms or named is None:
        return state
    symbols = class_symbols(named)
    if symbols is None:
        return state if not taken else _set(frame, state, subject, value, without(value, NoneAtom))
    kept: list[Value] = []
    for atom in value.atoms:
        verdict = atom_is_instance(frame, atom, symbols)
        if type(atom) is Unknown:
            kept.append(join_all([value_of_class(frame, s) for s in symbols]) if taken else UNKNOWN)
        elif verdict is None or verdict is taken or (exact and not taken):
            kept.append(Value((atom,), value.confidence, value.origin))
    if not kept and taken and value.confidence is not Confidence.PROVED:
        guess = join_all([value_of_class(frame, s) for s in symbols])
        return _set(frame, state, subject, value, at_most(guess, Confidence.LIKELY))
    new = join_all(kept)
    if new.atoms and new.origin is None and value.origin is not None:
        new = Value(new.atoms, new.confidence, value.origin)
    return _set(frame, state, subject, value, value if new == value else new)


def class_symbols(value: Value) -> list[str] | None:
    """The classes an isinstance test names; None when they are not all known."""
    out: list[str] = []
    for atom in value.atoms:
        if type(atom) in (ClassRef, Api):
            out.append(atom.symbol)  # type: ignore[union-attr]
        elif type(atom) is NoneAtom:
            out.append("builtins.NoneType")
        elif type(atom) is Container and atom.items is not None:
            for item in atom.items:
                inner = class_symbols(item)
                if inner is None:
                    return None
                out.extend(inner)
        else:
            return None
    return out


_TENSOR_CLASSES = frozenset({"torch.Tensor", "torch._C.TensorBase", "torch.FloatTensor", "torch.LongTensor"})
_TUPLE_BASES = frozenset({"collections.abc.Sequence", "typing.Sequence", "collections.abc.Iterable"})
_CONTAINER_CLASSES = {
    "list": {"builtins.list", "collections.abc.MutableSequence", "typing.List", *_TUPLE_BASES},
    "tuple": {"builtins.tuple", "typing.Tuple", *_TUPLE_BASES},
    "dict": {"builtins.dict", "typing.Dict", "collections.abc.Mapping", "typing.Mapping"}
    | {"collections.abc.MutableMapping", "collections.OrderedDict"},
    "set": {"builtins.set", "typing.Set", "collections.abc.Set"},
}
_NUMBER_CLASSES = {
    "bool": {"builtins.bool", "builtins.int", "numbers.Number", "numbers.Integral"},
    "int": {"builtins.int", "numbers.Number", "numbers.Integral", "torch.SymInt"},
    "float": {"builtins.float", "numbers.Number", "numbers.Real"},
    "complex": {"builtins.complex", "numbers.Number"},
}


def atom_is_instance(frame: Frame, atom: Atom, symbols: list[str]) -> bool | None:
    """Whether an atom is an instance of one of the classes; None when that is open."""
    if type(atom) is Tensor:
        if any(s in _TENSOR_CLASSES for s in symbols):
            return True
        # A Parameter, or a subclass of Tensor the program defines.
        foreign = [s for s in symbols if not s.startswith("builtins.") and s not in _TUPLE_BASES]
        return None if any(_tensor_like(frame, s) for s in foreign) else False
    if type(atom) is NoneAtom:
        return any(s.endswith("NoneType") for s in symbols)
    if type(atom) is Number:
        if atom.type is None:
            return None
        return any(s in _NUMBER_CLASSES[atom.type] for s in symbols) or (
            None if any(s.startswith("torch.Sym") for s in symbols) else False
        )
    if type(atom) is Text:
        return None if "builtins.bytes" in symbols else "builtins.str" in symbols
    if type(atom) is Container:
        known = _CONTAINER_CLASSES.get(atom.kind)
        if known is None:
            return None
        if any(s in known for s in symbols):
            return True
        return False if all(s.startswith("builtins.") or s in _TENSOR_CLASSES for s in symbols) else None
    if type(atom) is Instance:
        answers = [frame.analyzer.is_subclass(atom.symbol, s) for s in symbols]
        if any(a is True for a in answers):
            return True
        return None if any(a is None for a in answers) else False
    if type(atom) is Function or type(atom) is Partial:
        return False if all(s.startswith(("builtins.", "torch.")) for s in symbols) else None
    return None


def _tensor_like(frame: Frame, symbol: str) -> bool:
    if symbol.startswith("torch."):
        return (
            "Tensor" in symbol or symbol == "torch.nn.Parameter" or symbol == "torch.nn.parameter.Parameter"
        )
    return frame.analyzer.is_subclass(symbol, "torch.Tensor") is not False


def value_of_class(frame: Frame, symbol: str) -> Value:
    """What an unknown value is after ``isinstance(x, symbol)``."""
    return frame.analyzer.value_of_class(symbol)


__all__ = ["atom_is_instance", "class_symbols", "current", "narrow", "value_of_class"]
