"""Small questions about values that every transfer function asks.

A *class* here is the dtype class of a tensor or number: bool, int, float or complex, in that
order of promotion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torch_compile_lint.model import Confidence
from torch_compile_lint.program.lattice import element_of, join_all
from torch_compile_lint.program.values import (
    UNKNOWN,
    Api,
    Array,
    Atom,
    ClassRef,
    Container,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Origin,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)

# uint8 apart from the other integers: a byte tensor can be a mask, as it was before torch had bool.
CLASSES = ("bool", "byte", "int", "float", "complex")
MASKS = frozenset(("bool", "byte"))  # what indexes by where it is true
_ORDER = {name: i for i, name in enumerate(CLASSES)}

NONE_VALUE = Value((NoneAtom(),))
# How a slice stands in an index: Container('slice', (lower, upper, step)), None where absent.
SLICE = "slice"
# The label of a dtype of which only the class is known, before the class.
DTYPE_OF = "torch.dtype of class "

_FLOAT = "float16 bfloat16 float32 float64 half float double"
_INT = "int8 int16 int32 int64 short int long uint16 uint32 uint64"
_DTYPE_CLASS = {
    "bool": "bool",
    "uint8": "byte",
    **dict.fromkeys(_FLOAT.split(), "float"),
    **dict.fromkeys(_INT.split(), "int"),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), "float"),
    **dict.fromkeys(("complex32", "complex64", "complex128", "chalf", "cfloat", "cdouble"), "complex"),
}
_NUMPY_DTYPE_CLASS = {"bool_": "bool", "float_": "float", "int_": "int", "complex_": "complex"}


_TENSORS: dict[tuple[str | None, int | None], tuple[Atom, ...]] = {}


def tensor_atoms(dtype: str | None, rank: int | None) -> tuple[Atom, ...]:
    """The atoms of a tensor, shared by all values of that kind."""
    key = (dtype, rank)
    found = _TENSORS.get(key)
    if found is None:
        found = _TENSORS[key] = (Tensor(dtype, rank),)
    return found


def promote(a: str | None, b: str | None) -> str | None:
    """The class of an elementwise result over operands of two classes; None when unsure."""
    if a is None or b is None:
        # Nothing is above complex, so the unknown operand cannot matter.
        return "complex" if "complex" in (a, b) else None
    return a if _ORDER[a] >= _ORDER[b] else b


def at_least_float(cls: str | None) -> str | None:
    """The class of sqrt, sin, mean, true division... of this class."""
    return "float" if cls in ("bool", "byte", "int") else cls


def dtype_class(value: Value | None) -> str | None:
    """The class a dtype argument names (torch.bool, torch.long, float, numpy.int32...)."""
    if value is None or len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is Opaque:
        name = atom.label
        if name.startswith(DTYPE_OF):
            return name[len(DTYPE_OF) :]
    elif type(atom) is Api or type(atom) is ClassRef:
        name = atom.symbol
    else:
        return None
    head, _, last = name.rpartition(".")
    if head in ("torch", "numpy"):
        return _DTYPE_CLASS.get(last) or (_NUMPY_DTYPE_CLASS.get(last) if head == "numpy" else None)
    if head == "builtins" and last in _ORDER:
        return last
    return None


def is_dtype(value: Value) -> bool:
    """True when the value is a torch.dtype (or a Python type used as one)."""
    if dtype_class(value) is not None:
        return True
    return len(value.atoms) == 1 and value.atoms[0] == Opaque("torch.dtype")


def dtype_value(cls: str | None) -> Value:
    """The dtype of a tensor of this class."""
    return Value((Opaque("torch.dtype" if cls is None else DTYPE_OF + cls),))


def class_of(value: Value | None) -> str | None:
    """The class of a tensor or number value, when it is that and nothing else (None aside)."""
    if value is None:
        return None
    out: str | None = None
    for atom in value.atoms:
        if type(atom) is Tensor:
            cls = atom.dtype
        elif type(atom) is Number:
            cls = atom.type
        elif type(atom) is NoneAtom:
            continue
        else:
            return None
        if cls is None or (out is not None and out != cls):
            return None
        out = cls
    return out


def rank_of(value: Value | None) -> int | None:
    """The number of dimensions, when the value is a tensor of known rank or a number (0)."""
    if value is None:
        return None
    out: int | None = None
    for atom in value.atoms:
        if type(atom) is Tensor:
            rank = atom.rank
        elif type(atom) is Number:
            rank = 0
        elif type(atom) is NoneAtom:
            continue
        else:
            return None
        if rank is None or (out is not None and out != rank):
            return None
        out = rank
    return out


def broadcast(ranks: Iterable[int | None]) -> int | None:
    """The rank of an elementwise result; None when any is unknown."""
    out = 0
    for rank in ranks:
        if rank is None:
            return None
        out = max(out, rank)
    return out


def int_of(value: Value | None) -> int | None:
    """The value as a constant int."""
    if value is None or len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is Number and isinstance(atom.const, int) and not isinstance(atom.const, bool):
        return atom.const
    return None


def text_of(value: Value | None) -> str | None:
    """The value as a constant string."""
    if value is None or len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    return atom.const if type(atom) is Text else None


def bool_of(value: Value | None) -> bool | None:
    """The value as a constant bool."""
    if value is None or len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is Number and isinstance(atom.const, bool):
        return atom.const
    return None


def is_none(value: Value | None) -> bool:
    """True for an argument not given or given as None."""
    return value is None or (len(value.atoms) == 1 and type(value.atoms[0]) is NoneAtom)


def sure(value: Value, *kinds: type) -> bool:
    """True when every atom is of these classes."""
    return bool(value.atoms) and all(type(a) in kinds for a in value.atoms)


def holds(value: Value | None, *kinds: type) -> bool:
    """True when some atom is of these classes."""
    return value is not None and any(type(a) in kinds for a in value.atoms)


def length_of(value: Value) -> int | None:
    """The length of a sequence where it is one known number."""
    if len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is Container and atom.items is not None and atom.kind != "iterator":
        return len(atom.items)
    if type(atom) is Size:
        return atom.rank
    if type(atom) is Text and atom.const is not None:
        return len(atom.const)
    if type(atom) is Instance and atom.items is not None:
        return length_of(atom.items)
    return None


def elements(value: Value | None) -> list[Value]:
    """What a list or tuple argument holds; the value itself when it is no container."""
    if value is None:
        return []
    if len(value.atoms) == 1 and type(value.atoms[0]) is Container:
        held = value.atoms[0]
        if held.items is not None:
            return list(held.items)
        return [element_of(held)]
    return [value]


def source_of(*values: Value | None) -> str:
    """The source of a number computed from these: tensor, else random, else shape, else python."""
    out = "python"
    for value in values:
        if value is None:
            continue
        for atom in value.atoms:
            if type(atom) is Tensor or (type(atom) is Number and atom.source == "tensor"):
                return "tensor"
            if type(atom) is Number and atom.source == "random":
                out = "random"
            elif out == "python" and type(atom) is Size:
                out = "shape"
            elif out == "python" and type(atom) is Number:
                out = atom.source
    return out


def weakest(*values: Value | None) -> Confidence:
    """The least confidence among the values."""
    out = Confidence.PROVED
    for value in values:
        if value is not None and value.confidence < out:
            out = value.confidence
    return out


def build(atom: Atom, *inputs: Value | None, origin: str | None = None) -> Value:
    """A value of one atom, as sure as the inputs, telling its reason on top of the first input's."""
    parent = next((v.origin for v in inputs if v is not None and v.origin is not None), None)
    reason = Origin(origin, parent) if origin is not None else parent
    return Value((atom,), weakest(*inputs), reason)


def number(cls: str | None, *inputs: Value | None) -> Value:
    """A number computed from the inputs."""
    return build(Number(cls, source_of(*inputs)), *inputs)


def listing(kind: str, *items: Value) -> Value:
    """A container of exactly these."""
    return Value((Container(kind, tuple(items)),))


def every(kind: str, element: Value) -> Value:
    """A container of any number of these."""
    return Value((Container(kind, None, element),))


def merged(values: Iterable[Value]) -> Value:
    """The join, UNKNOWN for none."""
    out = join_all(list(values))
    return out if out.atoms else UNKNOWN


def not_tensor(value: Value) -> bool:
    """True when no atom can be a tensor."""
    return bool(value.atoms) and not any(type(a) in (Tensor, Unknown) for a in value.atoms)


def is_array(value: Value | None) -> bool:
    """True when the value can be nothing but a numpy array."""
    return value is not None and sure(value, Array)


def words(text: str) -> frozenset[str]:
    """A set of names written as one text."""
    return frozenset(text.split())


Keywords = Mapping[str, Value]
