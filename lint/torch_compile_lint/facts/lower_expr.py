"""Expressions: libcst expression nodes to IR expressions, positions included.

The span of an expression leaves out redundant parentheses around it, but holds those that
are its own syntax (a tuple's, a generator's, a call's); it slices back to text that parses
as that expression. A generator that is a call's only argument shares the call's parentheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import (
    BLANK,
    EXPR,
    ExprRule,
    Lowering,
    identifier,
    parenthesised,
    skip,
    skip_comma,
)
from torch_compile_lint.facts.lower_comprehension import comprehension
from torch_compile_lint.facts.lower_literal import number

# mypy: disable-error-code="union-attr"
# (the skip expressions match the empty text, so they always match)

SINGLETONS: dict[str, object] = {"None": None, "True": True, "False": False}

BINARY_OPS: dict[type, str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
}
UNARY_OPS: dict[type, str] = {cst.Not: "not", cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~"}
COMPARE_OPS: dict[type, str] = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}


def name(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, name)
    pos = s.pos
    if s.text[pos] in BLANK:
        pos = skip(s.text, pos).end()
    value: str = node.value
    s.pos = end = pos + len(value)
    i = s.ids
    s.ids = i + 1
    if value in SINGLETONS:
        return ir.Const(i, pos, end, SINGLETONS[value])
    result = ir.Name(i, pos, end, identifier(value), "")
    s.names.append(result)
    return result


def attribute(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, attribute)
    value = node.value
    start = s.next()
    base = EXPR[type(value)](s, value)
    text = s.text
    pos = s.pos
    if text[pos] in BLANK:
        pos = skip(text, pos).end()
    pos += 1
    if text[pos] in BLANK:
        pos = skip(text, pos).end()
    attr: str = node.attr.value
    s.pos = end = pos + len(attr)
    i = s.ids
    s.ids = i + 1
    return ir.Attribute(i, start, end, base, identifier(attr))


def arguments(s: Lowering, args: Sequence[Any]) -> tuple[ir.Argument, ...]:
    """The arguments between two parentheses (the opening one is behind us)."""
    text = s.text
    result = []
    for arg in args:
        pos = s.pos
        if text[pos] in BLANK or text[pos] == ",":
            s.pos = pos = skip_comma(text, pos).end()
        start = pos
        star: str = arg.star
        keyword: str | None = None
        if star:
            s.pos = pos + len(star)
        elif arg.keyword is not None:
            keyword = arg.keyword.value
            s.pos = pos + len(keyword)
            keyword = identifier(keyword)
            s.token(1)
        value = arg.value
        expr = EXPR[type(value)](s, value)
        i = s.ids
        s.ids = i + 1
        result.append(ir.Argument(i, start, s.pos, expr, keyword, star))
    pos = s.pos
    if text[pos] in BLANK or text[pos] == ",":
        s.pos = skip_comma(text, pos).end()
    return tuple(result)


def call(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, call)
    callee = node.func
    start = s.next()
    func = EXPR[type(callee)](s, callee)
    text = s.text
    pos = s.pos
    if text[pos] in BLANK:
        pos = skip(text, pos).end()
    s.pos = pos + 1
    args = node.args
    if len(args) == 1 and type(args[0].value) is cst.GeneratorExp and not args[0].value.lpar:
        generator = args[0].value
        expr = comprehension(s, "generator", generator.elt, None, generator.for_in, pos, ")")
        i = s.ids
        s.ids = i + 2
        argument = ir.Argument(i, expr.start, expr.end, expr, None, "")
        return ir.Call(i + 1, start, expr.end, func, (argument,))
    lowered = arguments(s, args) if args else ()
    pos = s.pos
    if text[pos] in BLANK:
        pos = skip(text, pos).end()
    s.pos = end = pos + 1
    i = s.ids
    s.ids = i + 1
    return ir.Call(i, start, end, func, lowered)


def subscript(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, subscript)
    value = node.value
    start = s.next()
    base = EXPR[type(value)](s, value)
    s.token(1)
    elements = node.slice
    first = s.next()
    items: list[ir.Expr] = []
    for element in elements:
        part = element.slice
        if s.text[s.pos] in BLANK or s.text[s.pos] == ",":
            s.pos = skip_comma(s.text, s.pos).end()
        if type(part) is cst.Slice:
            items.append(slice_(s, part))
        elif part.star:
            here = s.token(1)
            inner = part.value
            expr = EXPR[type(inner)](s, inner)
            i = s.ids
            s.ids = i + 1
            items.append(ir.Starred(i, here, s.pos, expr))
        else:
            inner = part.value
            items.append(EXPR[type(inner)](s, inner))
    last = s.pos
    trailing = s.text[s.next()] == ","
    if trailing:
        last = s.token(1) + 1
    index: ir.Expr
    if len(items) == 1 and not trailing and type(items[0]) is not ir.Starred:
        index = items[0]
    else:
        i = s.ids
        s.ids = i + 1
        index = ir.Sequence(i, first, last, "tuple", tuple(items))
    s.token(1)
    i = s.ids
    s.ids = i + 1
    return ir.Subscript(i, start, s.pos, base, index)


def slice_(s: Lowering, node: Any) -> ir.Slice:
    start = s.next()
    lower = upper = step = None
    if node.lower is not None:
        lower = EXPR[type(node.lower)](s, node.lower)
    s.token(1)
    if node.upper is not None:
        upper = EXPR[type(node.upper)](s, node.upper)
    if type(node.second_colon) is cst.Colon:
        s.token(1)
        if node.step is not None:
            step = EXPR[type(node.step)](s, node.step)
    i = s.ids
    s.ids = i + 1
    return ir.Slice(i, start, s.pos, lower, upper, step)


def binary(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, binary)
    start = s.next()
    side = node.left
    left = EXPR[type(side)](s, side)
    op = BINARY_OPS[type(node.operator)]
    s.token(len(op))
    side = node.right
    right = EXPR[type(side)](s, side)
    i = s.ids
    s.ids = i + 1
    return ir.Binary(i, start, s.pos, op, left, right)


def unary(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, unary)
    op = UNARY_OPS[type(node.operator)]
    start = s.token(len(op))
    inner = node.expression
    operand = EXPR[type(inner)](s, inner)
    i = s.ids
    s.ids = i + 1
    return ir.Unary(i, start, s.pos, op, operand)


def bool_op(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, bool_op)
    start = s.next()
    kind = type(node.operator)
    # `a and b and c` nests to either side; without parentheses it is one operation.
    operands: list[Any] = [node]
    at = 0
    while at < len(operands):
        part = operands[at]
        if (
            type(part) is cst.BooleanOperation
            and type(part.operator) is kind
            and (part is node or not part.lpar)
        ):
            operands[at : at + 1] = (part.left, part.right)
        else:
            at += 1
    width = 3 if kind is cst.And else 2
    values = []
    for number_, operand in enumerate(operands):
        if number_:
            s.token(width)
        values.append(EXPR[type(operand)](s, operand))
    i = s.ids
    s.ids = i + 1
    return ir.BoolOp(i, start, s.pos, "and" if kind is cst.And else "or", tuple(values))


def comparison(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, comparison)
    start = s.next()
    side = node.left
    left = EXPR[type(side)](s, side)
    ops = []
    rights = []
    for target in node.comparisons:
        op = COMPARE_OPS[type(target.operator)]
        if op == "is not" or op == "not in":
            first, _, second = op.partition(" ")
            s.token(len(first))
            s.token(len(second))
        else:
            s.token(len(op))
        ops.append(op)
        side = target.comparator
        rights.append(EXPR[type(side)](s, side))
    i = s.ids
    s.ids = i + 1
    return ir.Compare(i, start, s.pos, left, tuple(ops), tuple(rights))


def conditional(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, conditional)
    start = s.next()
    body = EXPR[type(node.body)](s, node.body)
    s.token(2)
    test = EXPR[type(node.test)](s, node.test)
    s.token(4)
    orelse = EXPR[type(node.orelse)](s, node.orelse)
    i = s.ids
    s.ids = i + 1
    return ir.IfExp(i, start, s.pos, test, body, orelse)


def items_of(s: Lowering, elements: Sequence[Any]) -> tuple[tuple[ir.Expr, ...], int]:
    """Comma-separated items; and where the last of them (or its trailing comma) ends."""
    text = s.text
    items = []
    last = s.pos
    for element in elements:
        pos = s.pos
        if text[pos] in BLANK or text[pos] == ",":
            s.pos = skip_comma(text, pos).end()
        if type(element) is cst.StarredElement:
            items.append(starred(s, element))
        else:
            value = element.value
            items.append(EXPR[type(value)](s, value))
        last = s.pos
    pos = s.pos
    if text[pos] in BLANK:
        pos = skip(text, pos).end()
    if elements and text[pos] == ",":
        s.pos = last = pos + 1
    return tuple(items), last


def starred(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, starred)
    return prefixed(s, ir.Starred, 1, node.value)


def prefixed(s: Lowering, kind: type[ir.Starred | ir.Await], width: int, inner: Any) -> ir.Expr:
    """`*` or `await` (``width`` characters) and the expression behind it."""
    start = s.token(width)
    value = EXPR[type(inner)](s, inner)
    i = s.ids
    s.ids = i + 1
    return kind(i, start, s.pos, value)


def tuple_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if node.lpar:
        if outer and len(node.lpar) > 1:
            return parenthesised(s, node, tuple_, own=1)
        start = s.token(1)
        items, _ = items_of(s, node.elements)
        s.token(1)
        end = s.pos
    else:
        start = s.next()
        items, end = items_of(s, node.elements)
    i = s.ids
    s.ids = i + 1
    return ir.Sequence(i, start, end, "tuple", items)


def list_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    return bracketed(s, node, "list", outer, list_)


def set_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    return bracketed(s, node, "set", outer, set_)


def bracketed(s: Lowering, node: Any, kind: str, outer: bool, rule: ExprRule) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, rule)
    start = s.token(1)
    items, _ = items_of(s, node.elements)
    s.token(1)
    i = s.ids
    s.ids = i + 1
    return ir.Sequence(i, start, s.pos, kind, items)


def dict_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, dict_)
    start = s.token(1)
    text = s.text
    keys: list[ir.Expr | None] = []
    values = []
    for element in node.elements:
        pos = s.pos
        if text[pos] in BLANK or text[pos] == ",":
            s.pos = skip_comma(text, pos).end()
        if type(element) is cst.StarredDictElement:
            s.token(2)
            keys.append(None)
        else:
            key = element.key
            keys.append(EXPR[type(key)](s, key))
            s.token(1)
        value = element.value
        values.append(EXPR[type(value)](s, value))
    s.pos = skip_comma(text, s.pos).end() + 1
    i = s.ids
    s.ids = i + 1
    return ir.Dict(i, start, s.pos, tuple(keys), tuple(values))


def await_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, await_)
    return prefixed(s, ir.Await, 5, node.expression)


def yield_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, yield_)
    start = s.token(5)
    s.scope.frame().yields = True
    value: ir.Expr | None = None
    inner = node.value
    is_from = type(inner) is cst.From
    if is_from:
        s.token(4)
        inner = inner.item
    if inner is not None:
        value = EXPR[type(inner)](s, inner)
    i = s.ids
    s.ids = i + 1
    return ir.Yield(i, start, s.pos, value, is_from)


def walrus(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, walrus)
    start = s.next()
    target = EXPR[type(node.target)](s, node.target)
    if type(target) is ir.Name:
        s.scope.owner().bound.add(target.name)
    s.token(2)
    value = EXPR[type(node.value)](s, node.value)
    i = s.ids
    s.ids = i + 1
    return ir.Walrus(i, start, s.pos, target, value)


def integer(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, integer)
    value = node.value
    start = s.token(len(value))
    i = s.ids
    s.ids = i + 1
    return ir.Const(i, start, s.pos, number(value))


def ellipsis(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, ellipsis)
    start = s.token(3)
    i = s.ids
    s.ids = i + 1
    return ir.Const(i, start, s.pos, ...)


EXPR.update(
    {
        cst.Name: name,
        cst.Attribute: attribute,
        cst.Call: call,
        cst.Subscript: subscript,
        cst.BinaryOperation: binary,
        cst.UnaryOperation: unary,
        cst.BooleanOperation: bool_op,
        cst.Comparison: comparison,
        cst.IfExp: conditional,
        cst.Tuple: tuple_,
        cst.List: list_,
        cst.Set: set_,
        cst.Dict: dict_,
        cst.StarredElement: starred,
        cst.Await: await_,
        cst.Yield: yield_,
        cst.NamedExpr: walrus,
        cst.Integer: integer,
        cst.Float: integer,
        cst.Imaginary: integer,
        cst.Ellipsis: ellipsis,
    }
)
