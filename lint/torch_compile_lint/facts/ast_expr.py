"""Expressions: Python's own nodes to IR expressions. Ids and spans are those of ``lower_expr``."""

from __future__ import annotations

import ast
import re
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.ast_base import Rules, TreeLowering, Unsupported
from torch_compile_lint.facts.lower_base import bind, skip, skip_comma
from torch_compile_lint.facts.lower_scope import Scope, close_prefixed

# mypy: disable-error-code="union-attr"
# (the skip expressions match the empty text, so they always match)

BINARY_OPS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
UNARY_OPS: dict[type, str] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
COMPARE_OPS: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
#: Up to the word that opens a clause: blanks, comments and the element's own parentheses.
_TO_CLAUSE = re.compile(r"(?:[ \n\t\r\f)]+|\#[^\r\n]*|\\\r?\n|\\\r)*")


def constant(s: TreeLowering, node: Any) -> ir.Expr:
    return ir.Const(s.new_id(), s.start(node), s.end(node), node.value)


def name(s: TreeLowering, node: Any) -> ir.Expr:
    start = s.start(node)
    i = s.ids
    s.ids = i + 1
    result = ir.Name(i, start, start + len(node.id), node.id, "")
    s.names.append(result)
    return result


def attribute(s: TreeLowering, node: Any) -> ir.Expr:
    value = node.value
    base = EXPR[type(value)](s, value)
    return ir.Attribute(s.new_id(), s.start(node), s.end(node), base, node.attr)


def call(s: TreeLowering, node: Any) -> ir.Expr:
    callee = node.func
    func = EXPR[type(callee)](s, callee)
    args: tuple[ir.Argument, ...] = ()
    if node.args or node.keywords:
        text = s.text
        at = s.end(callee)
        while text[at] != "(":  # blanks, comments, and the callee's own parentheses
            at = skip(text, at).end() if text[at] != ")" else at + 1
        end = s.end(node)
        given = node.args
        if len(given) == 1 and not node.keywords and type(given[0]) is ast.GeneratorExp:
            value = EXPR[ast.GeneratorExp](s, given[0])
            if value.end == end:  # it shares the call's parentheses
                argument = ir.Argument(s.new_id(), value.start, end, value, None, "")
                return ir.Call(s.new_id(), s.start(node), end, func, (argument,))
            start = skip_comma(text, at + 1).end()
            args = (_positional(s, value, start),)
        else:
            args = arguments(s, given, node.keywords, at + 1)
    return ir.Call(s.new_id(), s.start(node), s.end(node), func, args)


def arguments(s: TreeLowering, given: list[Any], keywords: list[Any], at: int) -> tuple[ir.Argument, ...]:
    """Arguments in source order; the first stands behind ``at``."""
    todo = given
    if keywords:
        todo = [*given, *keywords]
        if given:
            todo.sort(key=lambda a: (a.lineno, a.col_offset))
    text = s.text
    result = []
    for node in todo:
        kind = type(node)
        if kind is ast.keyword:
            value = EXPR[type(node.value)](s, node.value)
            start, end = s.start(node), s.end(node)
            star = "**" if node.arg is None else ""
            argument = ir.Argument(s.new_id(), start, end, value, node.arg, star)
        elif kind is ast.Starred:
            value = EXPR[type(node.value)](s, node.value)
            argument = ir.Argument(s.new_id(), s.start(node), s.end(node), value, None, "*")
        else:
            value = EXPR[kind](s, node)
            argument = _positional(s, value, skip_comma(text, at).end())
        result.append(argument)
        at = argument.end
    return tuple(result)


def _positional(s: TreeLowering, value: ir.Expr, start: int) -> ir.Argument:
    end = value.end
    if start != value.start:  # redundant parentheses around it
        end = s.closed(end, s.opened(start, value.start))
    return ir.Argument(s.new_id(), start, end, value, None, "")


def subscript(s: TreeLowering, node: Any) -> ir.Expr:
    base = EXPR[type(node.value)](s, node.value)
    index = EXPR[type(node.slice)](s, node.slice)
    return ir.Subscript(s.new_id(), s.start(node), s.end(node), base, index)


def slice_(s: TreeLowering, node: Any) -> ir.Expr:
    lower, upper, step = node.lower, node.upper, node.step
    a = None if lower is None else EXPR[type(lower)](s, lower)
    b = None if upper is None else EXPR[type(upper)](s, upper)
    c = None if step is None else EXPR[type(step)](s, step)
    return ir.Slice(s.new_id(), s.start(node), s.end(node), a, b, c)


def binary(s: TreeLowering, node: Any) -> ir.Expr:
    left = EXPR[type(node.left)](s, node.left)
    right = EXPR[type(node.right)](s, node.right)
    return ir.Binary(s.new_id(), s.start(node), s.end(node), BINARY_OPS[type(node.op)], left, right)


def unary(s: TreeLowering, node: Any) -> ir.Expr:
    operand = EXPR[type(node.operand)](s, node.operand)
    return ir.Unary(s.new_id(), s.start(node), s.end(node), UNARY_OPS[type(node.op)], operand)


def bool_op(s: TreeLowering, node: Any) -> ir.Expr:
    values = tuple([EXPR[type(v)](s, v) for v in node.values])
    op = "and" if type(node.op) is ast.And else "or"
    return ir.BoolOp(s.new_id(), s.start(node), s.end(node), op, values)


def comparison(s: TreeLowering, node: Any) -> ir.Expr:
    left = EXPR[type(node.left)](s, node.left)
    rights = tuple([EXPR[type(r)](s, r) for r in node.comparators])
    ops = tuple([COMPARE_OPS[type(op)] for op in node.ops])
    return ir.Compare(s.new_id(), s.start(node), s.end(node), left, ops, rights)


def conditional(s: TreeLowering, node: Any) -> ir.Expr:
    body = EXPR[type(node.body)](s, node.body)
    test = EXPR[type(node.test)](s, node.test)
    orelse = EXPR[type(node.orelse)](s, node.orelse)
    return ir.IfExp(s.new_id(), s.start(node), s.end(node), test, body, orelse)


def tuple_(s: TreeLowering, node: Any) -> ir.Expr:
    return _sequence(s, node, "tuple")


def list_(s: TreeLowering, node: Any) -> ir.Expr:
    return _sequence(s, node, "list")


def set_(s: TreeLowering, node: Any) -> ir.Expr:
    return _sequence(s, node, "set")


def _sequence(s: TreeLowering, node: Any, kind: str) -> ir.Expr:
    items = tuple([EXPR[type(e)](s, e) for e in node.elts])
    return ir.Sequence(s.new_id(), s.start(node), s.end(node), kind, items)


def dict_(s: TreeLowering, node: Any) -> ir.Expr:
    keys: list[ir.Expr | None] = []
    values = []
    for key, value in zip(node.keys, node.values, strict=True):
        keys.append(None if key is None else EXPR[type(key)](s, key))
        values.append(EXPR[type(value)](s, value))
    return ir.Dict(s.new_id(), s.start(node), s.end(node), tuple(keys), tuple(values))


def starred(s: TreeLowering, node: Any) -> ir.Expr:
    value = EXPR[type(node.value)](s, node.value)
    return ir.Starred(s.new_id(), s.start(node), s.end(node), value)


def await_(s: TreeLowering, node: Any) -> ir.Expr:
    value = EXPR[type(node.value)](s, node.value)
    return ir.Await(s.new_id(), s.start(node), s.end(node), value)


def yield_(s: TreeLowering, node: Any) -> ir.Expr:
    s.scope.frame().yields = True
    inner = node.value
    value = None if inner is None else EXPR[type(inner)](s, inner)
    return ir.Yield(s.new_id(), s.start(node), s.end(node), value, type(node) is ast.YieldFrom)


def walrus(s: TreeLowering, node: Any) -> ir.Expr:
    target = EXPR[type(node.target)](s, node.target)
    if type(target) is ir.Name:
        s.scope.owner().bound.add(target.name)
    value = EXPR[type(node.value)](s, node.value)
    return ir.Walrus(s.new_id(), s.start(node), s.end(node), target, value)


def list_comp(s: TreeLowering, node: Any) -> ir.Expr:
    return comprehension(s, node, "list", node.elt, None)


def set_comp(s: TreeLowering, node: Any) -> ir.Expr:
    return comprehension(s, node, "set", node.elt, None)


def generator(s: TreeLowering, node: Any) -> ir.Expr:
    return comprehension(s, node, "generator", node.elt, None)


def dict_comp(s: TreeLowering, node: Any) -> ir.Expr:
    return comprehension(s, node, "dict", node.key, node.value)


def comprehension(s: TreeLowering, node: Any, kind: str, element: Any, value: Any) -> ir.Expr:
    """Its targets are renamed, as ``lower_comprehension`` does."""
    if kind == "dict" and value is None:  # `{**m for m in ms}`, newer than 3.14
        raise Unsupported
    outside = s.scope
    scope = Scope("comprehension", "", outside)
    s.enter(scope)
    lowered = EXPR[type(element)](s, element)
    last = lowered
    lowered_value = None
    if value is not None:
        last = lowered_value = EXPR[type(value)](s, value)
    at = last.end
    clauses = []
    for number, part in enumerate(node.generators):
        start = _TO_CLAUSE.match(s.text, at).end()
        target = EXPR[type(part.target)](s, part.target)
        bind(scope, target)
        if not number:
            s.enter(outside)  # the first iterable is evaluated before the comprehension starts
        iterable = EXPR[type(part.iter)](s, part.iter)
        if not number:
            s.enter(scope)
        at = s.closed(iterable.end, s.opened(target.end, iterable.start))
        conditions = []
        for test in part.ifs:
            condition = EXPR[type(test)](s, test)
            at = s.closed(condition.end, s.opened(at, condition.start))
            conditions.append(condition)
        clause = ir.Clause(s.new_id(), start, at, target, iterable, tuple(conditions), bool(part.is_async))
        clauses.append(clause)
    i = s.new_id()
    s.enter(outside)
    close_prefixed(scope, f"<comp {i}>.")
    return ir.Comprehension(i, s.start(node), s.end(node), kind, lowered, lowered_value, tuple(clauses))


def formatted(s: TreeLowering, node: Any) -> ir.Expr:
    """An f-string or t-string: libcst's tree of it, since ``ast`` misplaces what is inside before 3.12."""
    from torch_compile_lint.facts.lower_fragment import lower_fragment

    return lower_fragment(s, s.start(node), s.end(node))


EXPR: Rules[ir.Expr] = Rules(
    {
        ast.Constant: constant,
        ast.Name: name,
        ast.Attribute: attribute,
        ast.Call: call,
        ast.Subscript: subscript,
        ast.Slice: slice_,
        ast.BinOp: binary,
        ast.UnaryOp: unary,
        ast.BoolOp: bool_op,
        ast.Compare: comparison,
        ast.IfExp: conditional,
        ast.Tuple: tuple_,
        ast.List: list_,
        ast.Set: set_,
        ast.Dict: dict_,
        ast.Starred: starred,
        ast.Await: await_,
        ast.Yield: yield_,
        ast.YieldFrom: yield_,
        ast.NamedExpr: walrus,
        ast.ListComp: list_comp,
        ast.SetComp: set_comp,
        ast.DictComp: dict_comp,
        ast.GeneratorExp: generator,
        ast.JoinedStr: formatted,
    }
)
if hasattr(ast, "TemplateStr"):  # Python 3.14
    EXPR[ast.TemplateStr] = formatted
