"""A tiny evaluator of Python expressions over inferred values, for tests of ``transfer``.

It knows just enough syntax to run one expression twice: really (with torch) and on values.
"""

from __future__ import annotations

import ast

from torch_compile_lint.program import transfer
from torch_compile_lint.program.values import (
    NONE,
    UNKNOWN,
    Api,
    Container,
    Instance,
    PyModule,
    Value,
    constant,
    of,
)

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}


def infer(text: str, names: dict[str, Value]) -> Value:
    """The value of an expression whose free names are given."""
    return _expression(ast.parse(text, mode="eval").body, names)


def call(function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Calls an API value, or a layer."""
    if len(function.atoms) != 1:
        return UNKNOWN
    atom = function.atoms[0]
    if type(atom) is Api:
        return transfer.call_api(atom.symbol, atom.bound, args, keywords) or UNKNOWN
    if type(atom) is Instance:
        return transfer.call_api(atom.symbol + ".__call__", function, args, keywords) or UNKNOWN
    return UNKNOWN


def _expression(node: ast.expr, names: dict[str, Value]) -> Value:
    if isinstance(node, ast.Constant):
        return constant(node.value)
    if isinstance(node, ast.Name):
        return names[node.id] if node.id in names else of(Api("builtins." + node.id))
    if isinstance(node, ast.Attribute):
        base = _expression(node.value, names)
        if len(base.atoms) == 1 and type(base.atoms[0]) is PyModule:
            return transfer.module_attribute(base.atoms[0].name, node.attr)
        return transfer.attribute(base, node.attr)
    if isinstance(node, ast.Call):
        function = _expression(node.func, names)
        args = tuple(_expression(a, names) for a in node.args)
        keywords = {k.arg or "": _expression(k.value, names) for k in node.keywords}
        return call(function, args, keywords)
    if isinstance(node, ast.BinOp):
        return transfer.binary(
            _BINARY[type(node.op)], _expression(node.left, names), _expression(node.right, names)
        )
    if isinstance(node, ast.UnaryOp):
        return transfer.unary(_UNARY[type(node.op)], _expression(node.operand, names))
    if isinstance(node, ast.Compare):
        return transfer.compare(
            _COMPARE[type(node.ops[0])],
            _expression(node.left, names),
            _expression(node.comparators[0], names),
        )
    if isinstance(node, ast.Subscript):
        return transfer.subscript(_expression(node.value, names), _expression(node.slice, names))
    if isinstance(node, ast.Slice):
        parts = (node.lower, node.upper, node.step)
        return of(Container("slice", tuple(NONE if p is None else _expression(p, names) for p in parts)))
    if isinstance(node, (ast.List, ast.Tuple)):
        kind = "list" if isinstance(node, ast.List) else "tuple"
        return of(Container(kind, tuple(_expression(e, names) for e in node.elts)))
    if isinstance(node, ast.Dict):
        keys = tuple(ast.literal_eval(k) for k in node.keys if k is not None)
        return of(Container("dict", tuple(_expression(v, names) for v in node.values), None, keys))
    raise TypeError(f"not in this little language: {ast.dump(node)}")
