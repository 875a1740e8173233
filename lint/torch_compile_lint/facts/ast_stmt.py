"""Statements and functions: Python's own nodes to IR ops. Ids and spans are those of ``lower_stmt``."""

from __future__ import annotations

import ast
import re
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.ast_base import Rules, TreeLowering, Unsupported
from torch_compile_lint.facts.ast_expr import BINARY_OPS, EXPR
from torch_compile_lint.facts.lower_base import bind, skip
from torch_compile_lint.facts.lower_scope import Scope, close_function, close_header

# mypy: disable-error-code="union-attr"
# (the skip expressions match the empty text, so they always match)

_DEF = re.compile(r"(?:async(?:[ \t\f]|\\\r?\n|\\\r)+)?def(?:[ \t\f]|\\\r?\n|\\\r)+")


def block(s: TreeLowering, body: list[Any]) -> ir.Block:
    return tuple([STMT[type(node)](s, node) for node in body])


def expr_stmt(s: TreeLowering, node: Any) -> ir.Op:
    value = EXPR[type(node.value)](s, node.value)
    return ir.ExprStmt(s.new_id(), s.start(node), s.end(node), value)


def assign(s: TreeLowering, node: Any) -> ir.Op:
    targets = []
    for target in node.targets:
        expr = EXPR[type(target)](s, target)
        bind(s.scope, expr)
        targets.append(expr)
    value = EXPR[type(node.value)](s, node.value)
    return ir.Assign(s.new_id(), s.start(node), s.end(node), tuple(targets), value, None)


def annotated_assign(s: TreeLowering, node: Any) -> ir.Op:
    target = EXPR[type(node.target)](s, node.target)
    bind(s.scope, target)
    annotation = EXPR[type(node.annotation)](s, node.annotation)
    value = None if node.value is None else EXPR[type(node.value)](s, node.value)
    return ir.Assign(s.new_id(), s.start(node), s.end(node), (target,), value, annotation)


def augmented_assign(s: TreeLowering, node: Any) -> ir.Op:
    target = EXPR[type(node.target)](s, node.target)
    bind(s.scope, target)
    value = EXPR[type(node.value)](s, node.value)
    return ir.AugAssign(s.new_id(), s.start(node), s.end(node), target, BINARY_OPS[type(node.op)], value)


def return_(s: TreeLowering, node: Any) -> ir.Op:
    value = None if node.value is None else EXPR[type(node.value)](s, node.value)
    return ir.Return(s.new_id(), s.start(node), s.end(node), value)


def raise_(s: TreeLowering, node: Any) -> ir.Op:
    exc = None if node.exc is None else EXPR[type(node.exc)](s, node.exc)
    cause = None if node.cause is None else EXPR[type(node.cause)](s, node.cause)
    return ir.Raise(s.new_id(), s.start(node), s.end(node), exc, cause)


def assert_(s: TreeLowering, node: Any) -> ir.Op:
    test = EXPR[type(node.test)](s, node.test)
    message = None if node.msg is None else EXPR[type(node.msg)](s, node.msg)
    return ir.Assert(s.new_id(), s.start(node), s.end(node), test, message)


def delete(s: TreeLowering, node: Any) -> ir.Op:
    targets = tuple([EXPR[type(target)](s, target) for target in node.targets])
    for target in targets:
        bind(s.scope, target)
    return ir.Delete(s.new_id(), s.start(node), s.end(node), targets)


def pass_(s: TreeLowering, node: Any) -> ir.Op:
    return ir.Pass(s.new_id(), s.start(node), s.end(node))


def break_(s: TreeLowering, node: Any) -> ir.Op:
    return ir.Break(s.new_id(), s.start(node), s.end(node))


def continue_(s: TreeLowering, node: Any) -> ir.Op:
    return ir.Continue(s.new_id(), s.start(node), s.end(node))


def global_(s: TreeLowering, node: Any) -> ir.Op:
    s.scope.globals.update(node.names)
    return ir.Global(s.new_id(), s.start(node), s.end(node), tuple(node.names), False)


def nonlocal_(s: TreeLowering, node: Any) -> ir.Op:
    s.scope.nonlocals.update(node.names)
    return ir.Global(s.new_id(), s.start(node), s.end(node), tuple(node.names), True)


def import_(s: TreeLowering, node: Any) -> ir.Op:
    names = tuple([(a.name, a.asname or a.name.partition(".")[0]) for a in node.names])
    s.scope.bound.update([local for _, local in names])
    return ir.Import(s.new_id(), s.start(node), s.end(node), None, 0, names)


def import_from(s: TreeLowering, node: Any) -> ir.Op:
    names = tuple([(a.name, a.asname or a.name) for a in node.names])
    if names != (("*", "*"),):
        s.scope.bound.update([local for _, local in names])
    return ir.Import(s.new_id(), s.start(node), s.end(node), node.module, node.level, names)


def if_(s: TreeLowering, node: Any) -> ir.Op:
    test = EXPR[type(node.test)](s, node.test)
    body = block(s, node.body)
    orelse = block(s, node.orelse)
    return ir.Branch(s.new_id(), s.start(node), s.end(node), test, body, orelse)


def while_(s: TreeLowering, node: Any) -> ir.Op:
    test = EXPR[type(node.test)](s, node.test)
    body = block(s, node.body)
    orelse = block(s, node.orelse)
    return ir.While(s.new_id(), s.start(node), s.end(node), test, body, orelse)


def for_(s: TreeLowering, node: Any) -> ir.Op:
    target = EXPR[type(node.target)](s, node.target)
    bind(s.scope, target)
    iterable = EXPR[type(node.iter)](s, node.iter)
    body = block(s, node.body)
    orelse = block(s, node.orelse)
    is_async = type(node) is ast.AsyncFor
    return ir.For(s.new_id(), s.start(node), s.end(node), target, iterable, body, orelse, is_async)


def try_(s: TreeLowering, node: Any) -> ir.Op:
    body = block(s, node.body)
    handlers = []
    for handler in node.handlers:
        kind = None if handler.type is None else EXPR[type(handler.type)](s, handler.type)
        if handler.name is not None:
            s.scope.bound.add(handler.name)
        inner = block(s, handler.body)
        span = s.start(handler), s.end(handler)
        handlers.append(ir.Handler(s.new_id(), *span, kind, handler.name, inner))
    orelse = block(s, node.orelse)
    final = block(s, node.finalbody)
    return ir.Try(s.new_id(), s.start(node), s.end(node), body, tuple(handlers), orelse, final, False)


def with_(s: TreeLowering, node: Any) -> ir.Op:
    is_async = type(node) is ast.AsyncWith
    at = s.start(node) + (5 if is_async else 0)
    at = skip(s.text, at).end() + 4
    items = []
    for item in node.items:
        context = EXPR[type(item.context_expr)](s, item.context_expr)
        if "(" in s.text[at : context.start + 1]:
            raise Unsupported  # the items' parentheses, or the expression's own: ``ast`` does not say
        start, at = context.start, context.end
        target = None
        if item.optional_vars is not None:
            target = EXPR[type(item.optional_vars)](s, item.optional_vars)
            if "(" in s.text[at : target.start]:
                raise Unsupported
            bind(s.scope, target)
            at = target.end
        items.append(ir.WithItem(s.new_id(), start, at, context, target))
    body = block(s, node.body)
    return ir.With(s.new_id(), s.start(node), s.end(node), tuple(items), body, is_async)


# ---------------------------------------------------------------- functions


def parameters(s: TreeLowering, node: Any, body: Scope) -> tuple[ir.Param, ...]:
    """A parameter list. Defaults and annotations go to the open scope, names to ``body``."""
    plain = [(a, "positional-only") for a in node.posonlyargs]
    plain += [(a, "positional") for a in node.args]
    defaults = [None] * (len(plain) - len(node.defaults)) + node.defaults
    todo = [(a, kind, default) for (a, kind), default in zip(plain, defaults, strict=True)]
    if node.vararg is not None:
        todo.append((node.vararg, "var-positional", None))
    todo += [(a, "keyword-only", d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    if node.kwarg is not None:
        todo.append((node.kwarg, "var-keyword", None))
    result = []
    for arg, kind, default in todo:
        body.bound.add(arg.arg)
        start, end = s.start(arg), s.end(arg)
        annotation = lowered = None
        if arg.annotation is not None:
            if type(arg.annotation) is ast.Starred:
                raise Unsupported
            annotation = EXPR[type(arg.annotation)](s, arg.annotation)
        if default is not None:
            lowered = EXPR[type(default)](s, default)
            end = s.closed(lowered.end, s.opened(end, lowered.start))
        result.append(ir.Param(s.new_id(), start, end, arg.arg, kind, annotation, lowered))
    return tuple(result)


def function(s: TreeLowering, node: Any, qualname: str, parent: Scope | None) -> ir.FunctionFacts:
    """A ``def`` from its first decorator on, as a function of its own."""
    if getattr(node, "type_params", None):
        raise Unsupported
    outer_ids, outer = s.ids, s.scope
    s.ids = 0
    header = Scope("header", qualname.rpartition(".")[0], parent)
    scope = Scope("function", qualname, parent)
    s.enter(header)
    marks = tuple([EXPR[type(d)](s, d) for d in node.decorator_list])
    params = parameters(s, node.args, scope)
    returns = None if node.returns is None else EXPR[type(node.returns)](s, node.returns)
    s.enter(scope)
    body = block(s, node.body)
    keyword = _DEF.match(s.text, s.start(node))
    if keyword is None:
        raise Unsupported
    facts = ir.FunctionFacts(
        kind="function",
        name=node.name,
        qualname=qualname,
        start=_start(s, node),
        end=s.end(node),
        name_start=keyword.end(),
        name_end=keyword.end() + len(node.name),
        params=params,
        returns=returns,
        decorators=marks,
        body=body,
        is_async=type(node) is ast.AsyncFunctionDef,
        is_generator=scope.yields,
        locals=frozenset(),
        free=frozenset(),
        size=s.ids,
    )
    s.ids = outer_ids
    s.enter(outer)
    close_header(header, set(), scope)
    _close(scope, facts)
    return facts


def _start(s: TreeLowering, node: Any) -> int:
    """Where a function starts: at the '@' of its first decorator, or its keyword."""
    if node.decorator_list:
        return s.text.rindex("@", 0, s.start(node.decorator_list[0]))
    return s.start(node)


def _close(scope: Scope, facts: ir.FunctionFacts) -> None:
    """See ``lower_function.close``: free names are complete, and frozen, only at the very end."""
    facts.locals = close_function(scope)
    facts.free = scope.free  # type: ignore[assignment]


def lambda_(s: TreeLowering, node: Any) -> ir.Expr:
    around = s.scope
    outer_ids = s.ids
    s.ids = 0
    qualname = around.child_qualname("<lambda>")
    header = Scope("header", qualname.rpartition(".")[0], around)
    scope = Scope("function", qualname, around)
    start, end = s.start(node), s.end(node)
    s.enter(header)
    params = parameters(s, node.args, scope)
    s.enter(scope)
    value = EXPR[type(node.body)](s, node.body)
    i = s.ids
    here = value.start
    if end != value.end:  # redundant parentheses around the body belong to the statement
        here = _lambda_body(s, params[-1].end if params else start + 6, value)
    facts = ir.FunctionFacts(
        kind="lambda",
        name="<lambda>",
        qualname=qualname,
        start=start,
        end=end,
        name_start=start,
        name_end=start + 6,
        params=params,
        returns=None,
        decorators=(),
        body=(ir.Return(i, here, end, value),),
        is_async=False,
        is_generator=scope.yields,
        locals=frozenset(),
        free=frozenset(),
        size=i + 1,
    )
    s.ids = outer_ids + 1
    s.enter(around)
    close_header(header, set(), scope)
    _close(scope, facts)
    return ir.Lambda(outer_ids, start, end, facts)


def _lambda_body(s: TreeLowering, at: int, value: ir.Expr) -> int:
    colon = s.text.find(":", at, value.start)
    if colon < 0 or "#" in s.text[at : value.start]:
        raise Unsupported
    return skip(s.text, colon + 1).end()


def function_def(s: TreeLowering, node: Any) -> ir.Op:
    scope = s.scope
    start, end = _start(s, node), s.end(node)
    marks = tuple([EXPR[type(d)](s, d) for d in node.decorator_list])
    scope.bound.add(node.name)
    facts = function(s, node, scope.child_qualname(node.name), scope)
    return ir.FunctionDef(s.new_id(), start, end, node.name, facts, marks)


EXPR[ast.Lambda] = lambda_
#: Classes, match, type aliases and except* have none.
STMT: Rules[ir.Op] = Rules(
    {
        ast.Expr: expr_stmt,
        ast.Assign: assign,
        ast.AnnAssign: annotated_assign,
        ast.AugAssign: augmented_assign,
        ast.Return: return_,
        ast.Raise: raise_,
        ast.Assert: assert_,
        ast.Delete: delete,
        ast.Pass: pass_,
        ast.Break: break_,
        ast.Continue: continue_,
        ast.Global: global_,
        ast.Nonlocal: nonlocal_,
        ast.Import: import_,
        ast.ImportFrom: import_from,
        ast.If: if_,
        ast.While: while_,
        ast.For: for_,
        ast.AsyncFor: for_,
        ast.Try: try_,
        ast.With: with_,
        ast.AsyncWith: with_,
        ast.FunctionDef: function_def,
        ast.AsyncFunctionDef: function_def,
    }
)
