"""Statements other than ``def`` and ``class``: libcst statement nodes to IR ops.

The span of a statement ends with its last token: no trailing comment, semicolon or newline.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import libcst as cst

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import (
    BLANK,
    EXPR,
    STMT,
    Lowering,
    bind,
    identifier,
    skip_comma,
    skip_semicolon,
)
from torch_compile_lint.facts.lower_expr import BINARY_OPS
from torch_compile_lint.facts.lower_pattern import pattern

# mypy: disable-error-code="union-attr"
# (the skip expressions match the empty text, so they always match)

OMITTED = cst.MaybeSentinel.DEFAULT

AUGMENTED_OPS: dict[type, str] = {
    getattr(cst, f"{operator.__name__}Assign"): text for operator, text in BINARY_OPS.items()
}


def statements(s: Lowering, body: Iterable[Any]) -> ir.Block:
    text = s.text
    result = []
    for node in body:
        if type(node) is cst.SimpleStatementLine:
            for small in node.body:
                s.pos = skip_semicolon(text, s.pos).end()
                result.append(STMT[type(small)](s, small))
            if small.semicolon is not OMITTED:
                s.token(1)  # a trailing semicolon is part of the block, as for Python's ast
        else:
            s.pos = skip_semicolon(text, s.pos).end()
            result.append(STMT[type(node)](s, node))
    return tuple(result)


def suite(s: Lowering, node: Any) -> ir.Block:
    """A colon and the block behind it."""
    s.token(1)
    if type(node) is cst.IndentedBlock:
        return statements(s, node.body)
    text = s.text
    result = []
    for small in node.body:
        s.pos = skip_semicolon(text, s.pos).end()
        result.append(STMT[type(small)](s, small))
    if node.body[-1].semicolon is not OMITTED:
        s.token(1)
    return tuple(result)


def keyword(s: Lowering, width: int) -> int:
    """Step over ``else``, ``except`` ...: a statement with a semicolon may stand before it."""
    pos = skip_semicolon(s.text, s.pos).end()
    s.pos = pos + width
    return pos


def _id(s: Lowering) -> int:
    i = s.ids
    s.ids = i + 1
    return i


def expr_stmt(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    inner = node.value
    value = EXPR[type(inner)](s, inner)
    return ir.ExprStmt(_id(s), start, s.pos, value)


def assign(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    targets = []
    for target in node.targets:
        inner = target.target
        expr = EXPR[type(inner)](s, inner)
        bind(s.scope, expr)
        targets.append(expr)
        s.token(1)
    inner = node.value
    value = EXPR[type(inner)](s, inner)
    return ir.Assign(_id(s), start, s.pos, tuple(targets), value, None)


def annotated_assign(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    target = EXPR[type(node.target)](s, node.target)
    bind(s.scope, target)
    s.token(1)
    inner = node.annotation.annotation
    annotation = EXPR[type(inner)](s, inner)
    value: ir.Expr | None = None
    if node.value is not None:
        s.token(1)
        value = EXPR[type(node.value)](s, node.value)
    return ir.Assign(_id(s), start, s.pos, (target,), value, annotation)


def augmented_assign(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    target = EXPR[type(node.target)](s, node.target)
    bind(s.scope, target)
    op = AUGMENTED_OPS[type(node.operator)]
    s.token(len(op) + 1)
    value = EXPR[type(node.value)](s, node.value)
    return ir.AugAssign(_id(s), start, s.pos, target, op, value)


def return_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 6
    value: ir.Expr | None = None
    if node.value is not None:
        value = EXPR[type(node.value)](s, node.value)
    return ir.Return(_id(s), start, s.pos, value)


def raise_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 5
    exc = cause = None
    if node.exc is not None:
        exc = EXPR[type(node.exc)](s, node.exc)
    if node.cause is not None:
        s.token(4)
        inner = node.cause.item
        cause = EXPR[type(inner)](s, inner)
    return ir.Raise(_id(s), start, s.pos, exc, cause)


def assert_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 6
    test = EXPR[type(node.test)](s, node.test)
    message: ir.Expr | None = None
    if node.msg is not None:
        s.token(1)
        message = EXPR[type(node.msg)](s, node.msg)
    return ir.Assert(_id(s), start, s.pos, test, message)


def delete(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 3
    inner = node.target
    target = EXPR[type(inner)](s, inner)
    bind(s.scope, target)
    if type(target) is ir.Sequence and type(inner) is cst.Tuple and not inner.lpar:
        # `del a, b` has two targets and no tuple; its id is the last one, so give it back.
        s.ids = target.id
        return ir.Delete(_id(s), start, s.pos, target.items)
    return ir.Delete(_id(s), start, s.pos, (target,))


def pass_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 4
    return ir.Pass(_id(s), start, s.pos)


def break_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 5
    return ir.Break(_id(s), start, s.pos)


def continue_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 8
    return ir.Continue(_id(s), start, s.pos)


def global_(s: Lowering, node: Any) -> ir.Op:
    nonlocal_ = type(node) is cst.Nonlocal
    start = s.pos
    s.pos += 8 if nonlocal_ else 6
    names = []
    for item in node.names:
        s.pos = skip_comma(s.text, s.pos).end() + len(item.name.value)
        names.append(identifier(item.name.value))
    (s.scope.nonlocals if nonlocal_ else s.scope.globals).update(names)
    return ir.Global(_id(s), start, s.pos, tuple(names), nonlocal_)


def dotted(s: Lowering, node: Any) -> str:
    """Step over a dotted name; its text without blanks."""
    parts: list[str] = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    parts.append(node.value)
    parts.reverse()
    s.token(len(parts[0]))
    for part in parts[1:]:
        s.token(1)
        s.token(len(part))
    return identifier(".".join(parts))


def aliases(s: Lowering, nodes: Iterable[Any], is_from: bool) -> tuple[tuple[str, str], ...]:
    pairs = []
    for alias in nodes:
        s.pos = skip_comma(s.text, s.pos).end()
        name = dotted(s, alias.name)
        local = name if is_from else name.partition(".")[0]
        if alias.asname is not None:
            local = identifier(alias.asname.name.value)
            s.token(2)
            s.token(len(alias.asname.name.value))
        s.scope.bound.add(local)
        pairs.append((name, local))
    return tuple(pairs)


def import_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    if type(node) is not cst.Import:
        s.token(4)  # `lazy import`
    s.token(6)
    names = aliases(s, node.names, is_from=False)
    return ir.Import(_id(s), start, s.pos, None, 0, names)


def import_from(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    if type(node) is not cst.ImportFrom:
        s.token(4)  # `lazy from`
    s.token(4)
    for _ in node.relative:
        s.token(1)
    module = None if node.module is None else dotted(s, node.module)
    s.token(6)
    names: tuple[tuple[str, str], ...]
    if type(node.names) is cst.ImportStar:
        s.token(1)
        names = (("*", "*"),)
    else:
        if node.lpar is not None:
            s.token(1)
        names = aliases(s, node.names, is_from=True)
        if node.rpar is not None:
            s.pos = skip_comma(s.text, s.pos).end() + 1
    return ir.Import(_id(s), start, s.pos, module, len(node.relative), names)


def if_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 2 if s.text[s.pos] == "i" else 4  # an `elif` comes here as well
    test = EXPR[type(node.test)](s, node.test)
    body = suite(s, node.body)
    orelse: ir.Block = ()
    other = node.orelse
    if type(other) is cst.If:
        s.pos = skip_semicolon(s.text, s.pos).end()
        orelse = (if_(s, other),)
    elif other is not None:
        orelse = else_(s, other)
    return ir.Branch(_id(s), start, s.pos, test, body, orelse)


def else_(s: Lowering, node: Any) -> ir.Block:
    if node is None:
        return ()
    keyword(s, 4)
    return suite(s, node.body)


def while_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 5
    test = EXPR[type(node.test)](s, node.test)
    body = suite(s, node.body)
    orelse = else_(s, node.orelse)
    return ir.While(_id(s), start, s.pos, test, body, orelse)


def for_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    is_async = node.asynchronous is not None
    if is_async:
        s.token(5)
    s.token(3)
    target = EXPR[type(node.target)](s, node.target)
    bind(s.scope, target)
    s.token(2)
    iterable = EXPR[type(node.iter)](s, node.iter)
    body = suite(s, node.body)
    orelse = else_(s, node.orelse)
    return ir.For(_id(s), start, s.pos, target, iterable, body, orelse, is_async)


def try_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 3
    is_star = type(node) is cst.TryStar
    body = suite(s, node.body)
    handlers = []
    for handler in node.handlers:
        here = keyword(s, 6)
        if is_star:
            s.token(1)
        kind: ir.Expr | None = None
        name: str | None = None
        if handler.type is not None:
            kind = EXPR[type(handler.type)](s, handler.type)
        if handler.name is not None:
            name = identifier(handler.name.name.value)
            s.token(2)
            s.token(len(handler.name.name.value))
            s.scope.bound.add(name)
        block = suite(s, handler.body)
        handlers.append(ir.Handler(_id(s), here, s.pos, kind, name, block))
    orelse = else_(s, node.orelse)
    final: ir.Block = ()
    if node.finalbody is not None:
        keyword(s, 7)
        final = suite(s, node.finalbody.body)
    return ir.Try(_id(s), start, s.pos, body, tuple(handlers), orelse, final, is_star)


def with_(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    is_async = node.asynchronous is not None
    if is_async:
        s.token(5)
    s.token(4)
    parentheses = type(node.lpar) is cst.LeftParen
    if parentheses:
        s.token(1)
    text = s.text
    items = []
    for item in node.items:
        if text[s.pos] in BLANK or text[s.pos] == ",":
            s.pos = skip_comma(text, s.pos).end()
        here = s.pos
        context = EXPR[type(item.item)](s, item.item)
        target: ir.Expr | None = None
        if item.asname is not None:
            s.token(2)
            inner = item.asname.name
            target = EXPR[type(inner)](s, inner)
            bind(s.scope, target)
        items.append(ir.WithItem(_id(s), here, s.pos, context, target))
    if parentheses:
        s.pos = skip_comma(text, s.pos).end() + 1
    body = suite(s, node.body)
    return ir.With(_id(s), start, s.pos, tuple(items), body, is_async)


def match(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 5
    subject = EXPR[type(node.subject)](s, node.subject)
    s.token(1)
    cases = []
    for case in node.cases:
        here = keyword(s, 4)
        lowered = pattern(s, case.pattern)
        guard: ir.Expr | None = None
        if case.guard is not None:
            s.token(2)
            guard = EXPR[type(case.guard)](s, case.guard)
        body = suite(s, case.body)
        cases.append(ir.Case(_id(s), here, s.pos, lowered, guard, body))
    return ir.Match(_id(s), start, s.pos, subject, tuple(cases))


STMT.update(
    {
        cst.Expr: expr_stmt,
        cst.Assign: assign,
        cst.AnnAssign: annotated_assign,
        cst.AugAssign: augmented_assign,
        cst.Return: return_,
        cst.Raise: raise_,
        cst.Assert: assert_,
        cst.Del: delete,
        cst.Pass: pass_,
        cst.Break: break_,
        cst.Continue: continue_,
        cst.Global: global_,
        cst.Nonlocal: global_,
        cst.Import: import_,
        cst.ImportFrom: import_from,
        cst.If: if_,
        cst.While: while_,
        cst.For: for_,
        cst.Try: try_,
        cst.TryStar: try_,
        cst.With: with_,
        cst.Match: match,
    }
)
for _newer, _rule in (("LazyImport", import_), ("LazyImportFrom", import_from)):  # libcst 1.9
    if hasattr(cst, _newer):
        STMT[getattr(cst, _newer)] = _rule
