"""Annotations as values: what a parameter, a return or a field is said to be.

An annotation is trusted as far as it names something known; a name that cannot be resolved,
a type variable or ``Any`` says nothing (UNKNOWN).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.program.lattice import container, join_all
from torch_compile_lint.program.tree import dotted
from torch_compile_lint.program.values import (
    ANNOTATED,
    BOOL,
    FLOAT,
    INT,
    NONE,
    TEXT,
    UNKNOWN,
    Array,
    Number,
    Origin,
    Size,
    Value,
    constant,
    is_unknown,
    opaque,
    tensor,
)
from torch_compile_lint.records import dataclass

if TYPE_CHECKING:
    from torch_compile_lint.program.infer import Analyzer

MAX_DEPTH = 12


@dataclass(slots=True)
class _Type:
    """``head`` is a dotted name, '|' for a union, '' for a tuple of arguments, or 'const'."""

    head: str
    args: list[_Type]
    const: object = None


def annotation_value(analyzer: Analyzer, path: str, expr: ir.Expr) -> Value:
    """The value an annotation describes, as written in the file at ``path``."""
    spec = _of_ir(expr)
    return UNKNOWN if spec is None else _value(analyzer, path, spec, 0)


def _of_ir(expr: ir.Expr) -> _Type | None:
    if type(expr) is ir.Const:
        if isinstance(expr.value, str):
            return _of_text(expr.value)
        return _Type("const", [], expr.value)
    name = dotted(expr)
    if name is not None:
        return _Type(name, [])
    if type(expr) is ir.Subscript:
        head = _of_ir(expr.base)
        if head is None:
            return None
        parts = expr.index.items if type(expr.index) is ir.Sequence else (expr.index,)
        literal = head.head.rpartition(".")[2] in ("Literal", "Annotated")
        return _Type(head.head, [_part(p, literal) for p in parts])
    if type(expr) is ir.Binary and expr.op == "|":
        sides = [_of_ir(expr.left), _of_ir(expr.right)]
        return _Type("|", [s if s is not None else _Type("?", []) for s in sides])
    if type(expr) is ir.Sequence:
        return _Type("", [_part(i, False) for i in expr.items])
    return None


def _part(expr: ir.Expr, literal: bool) -> _Type:
    if literal and type(expr) is ir.Const:
        return _Type("const", [], expr.value)
    return _of_ir(expr) or _Type("?", [])


def _of_text(text: str) -> _Type | None:
    try:
        return _of_ast(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _of_ast(node: ast.expr) -> _Type | None:
    if isinstance(node, ast.Name):
        return _Type(node.id, [])
    if isinstance(node, ast.Attribute):
        base = _of_ast(node.value)
        return None if base is None or base.args else _Type(f"{base.head}.{node.attr}", [])
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return _of_text(node.value)
        return _Type("const", [], node.value)
    if isinstance(node, ast.Subscript):
        head = _of_ast(node.value)
        if head is None:
            return None
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        literal = head.head.rpartition(".")[2] in ("Literal", "Annotated")
        args = []
        for part in parts:
            if literal and isinstance(part, ast.Constant):
                args.append(_Type("const", [], part.value))
            else:
                args.append(_of_ast(part) or _Type("?", []))
        return _Type(head.head, args)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _Type("|", [_of_ast(s) or _Type("?", []) for s in (node.left, node.right)])
    if isinstance(node, ast.List | ast.Tuple):
        return _Type("", [_of_ast(e) or _Type("?", []) for e in node.elts])
    return None


_TENSOR_CLASSES = {
    "Tensor": None,
    "FloatTensor": "float",
    "DoubleTensor": "float",
    "HalfTensor": "float",
    "BFloat16Tensor": "float",
    "LongTensor": "int",
    "IntTensor": "int",
    "ShortTensor": "int",
    "CharTensor": "int",
    "ByteTensor": "byte",
    "BoolTensor": "bool",
}
_TENSORS: dict[str, str | None] = {
    f"{prefix}.{name}": dtype
    for name, dtype in _TENSOR_CLASSES.items()
    for prefix in ("torch", "torch.cuda", "torch.types")
}
_TENSORS.update(
    {
        "torch.nn.Parameter": None,
        "torch.nn.parameter.Parameter": None,
        "torch.nn.Buffer": None,
        "torch.nn.parameter.Buffer": None,
        "torch._tensor.Tensor": None,
        "torch.autograd.Variable": None,
        "torchtyping.TensorType": None,
    }
)
_JAXTYPING = {
    "Float": "float", "Float16": "float", "Float32": "float", "Float64": "float", "BFloat16": "float",
    "Int": "int", "Int8": "int", "Int16": "int", "Int32": "int", "Int64": "int", "UInt8": "int",
    "UInt": "int", "Integer": "int", "Bool": "bool", "Complex": "complex", "Complex64": "complex",
    "Num": None, "Real": None, "Inexact": None, "Shaped": None, "Key": None,
}  # fmt: skip
_SIMPLE = {
    "builtins.int": INT,
    "builtins.float": FLOAT,
    "builtins.bool": BOOL,
    "builtins.complex": Value((Number("complex"),)),
    "builtins.str": TEXT,
    "builtins.bytes": TEXT,
    "builtins.slice": opaque("slice"),
    "builtins.range": container("list", None, INT),
    "builtins.type": opaque("type"),
    "torch.SymInt": Value((Number("int", "shape"),)),
    "torch.Size": Value((Size(),)),
    "torch.dtype": opaque("torch.dtype"),
    "torch.device": opaque("torch.device"),
    "torch.layout": opaque("torch.layout"),
    "torch.memory_format": opaque("torch.memory_format"),
    "numpy.ndarray": Value((Array(),)),
    "torch.types.Number": Value((Number(),)),
    "numbers.Number": Value((Number(),)),
    "numbers.Real": Value((Number(),)),
    "pathlib.Path": opaque("path"),
}
_LISTS = {"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "Deque", "deque"}
_SETS = {"set", "Set", "FrozenSet", "frozenset", "AbstractSet"}
_DICTS = {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict"}
_ITERATORS = {"Iterator", "Generator", "AsyncIterator", "AsyncGenerator"}
_WRAPPERS = {"Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Awaitable", "Coroutine", "Unpack"}
_TYPING = ("typing.", "typing_extensions.", "collections.", "collections.abc.", "builtins.")


def _value(analyzer: Analyzer, path: str, spec: _Type, depth: int) -> Value:
    if depth > MAX_DEPTH:
        return UNKNOWN
    if spec.head == "const":
        return constant(spec.const) if spec.const is None else UNKNOWN
    if spec.head == "|":
        return _union([_value(analyzer, path, a, depth + 1) for a in spec.args])
    if spec.head in ("", "?"):
        return UNKNOWN
    return _resolved(analyzer, path, spec, depth)


def _union(parts: list[Value]) -> Value:
    if any(is_unknown(p) for p in parts):
        return UNKNOWN
    return join_all(parts)


def _resolved(analyzer: Analyzer, path: str, spec: _Type, depth: int) -> Value:
    symbol, alias = analyzer.resolve_type(path, spec.head)
    if alias is not None:
        where, expr = alias
        inner = _of_ir(expr)
        if inner is None or (where == path and inner.head == spec.head):
            return UNKNOWN
        return _value(analyzer, where, inner, depth + 1)
    if symbol is None:
        return UNKNOWN
    if symbol in _TENSORS:
        last = symbol.rpartition(".")[2]
        return tensor(_TENSORS[symbol], origin=Origin(f"{ANNOTATED}{last}"))
    simple = _SIMPLE.get(symbol)
    if simple is not None:
        return simple
    if symbol.startswith("jaxtyping."):
        dtype = _JAXTYPING.get(symbol.rpartition(".")[2], "?")
        if dtype == "?" or not spec.args:
            return UNKNOWN
        of_tensor = _value(analyzer, path, spec.args[0], depth + 1)
        if is_unknown(of_tensor) or not any(type(a).__name__ == "Tensor" for a in of_tensor.atoms):
            return of_tensor
        return tensor(dtype, origin=Origin(f"{ANNOTATED}a tensor"))
    if symbol.startswith(_TYPING):
        return _generic(analyzer, path, symbol.rpartition(".")[2], spec, depth)
    return analyzer.value_of_class(symbol)


def _generic(analyzer: Analyzer, path: str, name: str, spec: _Type, depth: int) -> Value:
    args = spec.args
    if name == "Optional":
        return _union([_value(analyzer, path, args[0], depth + 1), NONE]) if args else UNKNOWN
    if name == "Union":
        return _union([_value(analyzer, path, a, depth + 1) for a in args]) if args else UNKNOWN
    if name in _WRAPPERS or name == "Annotated":
        return _value(analyzer, path, args[-1 if name == "Coroutine" else 0], depth + 1) if args else UNKNOWN
    if name in ("tuple", "Tuple", "NamedTuple"):
        return _tuple(analyzer, path, args, depth)
    if name in _LISTS:
        return container("list", None, _argument(analyzer, path, args, 0, depth))
    if name in _SETS:
        return container("set", None, _argument(analyzer, path, args, 0, depth))
    if name in _DICTS:
        return container("dict", None, _argument(analyzer, path, args, 1, depth))
    if name in _ITERATORS:
        return container("iterator", None, _argument(analyzer, path, args, 0, depth))
    if name == "Literal":
        return _union([_literal(a) for a in args]) if args else UNKNOWN
    if name in ("NoneType", "NoReturn", "Never"):
        return NONE
    if name in ("Text", "AnyStr", "LiteralString"):
        return TEXT
    return UNKNOWN


def _literal(spec: _Type) -> Value:
    value = spec.const
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, str | bytes):
        return TEXT
    if isinstance(value, int):
        return INT
    return NONE if value is None and spec.head == "const" else UNKNOWN


def _argument(analyzer: Analyzer, path: str, args: list[_Type], index: int, depth: int) -> Value:
    if len(args) <= index:
        return UNKNOWN
    return _value(analyzer, path, args[index], depth + 1)


def _tuple(analyzer: Analyzer, path: str, args: list[_Type], depth: int) -> Value:
    if not args:
        return container("tuple", None, UNKNOWN)
    if len(args) == 2 and args[1].head == "const" and args[1].const is Ellipsis:
        return container("tuple", None, _value(analyzer, path, args[0], depth + 1))
    return container("tuple", tuple(_value(analyzer, path, a, depth + 1) for a in args))


def simple_class(symbol: str) -> Value | None:
    """An instance of a class that is no object to the lattice: a tensor, number, text, size."""
    if symbol in _TENSORS:
        return tensor(_TENSORS[symbol], origin=Origin(f"it is a {symbol.rpartition('.')[2]}"))
    return _SIMPLE.get(symbol)


__all__ = ["annotation_value", "simple_class"]
