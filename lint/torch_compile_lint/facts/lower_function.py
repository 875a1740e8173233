"""Functions, lambdas and classes: the places where a new scope or a new unit begins.

A function has ids of its own, and so have the defaults, annotations and decorators in its
facts; they are evaluated outside it, and their names are resolved there. A nested ``def``
statement holds its decorators a second time, with ids of the function around it.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import (
    EXPR,
    STMT,
    Lowering,
    identifier,
    parenthesised,
    skip_comma,
    skip_parameter,
)
from torch_compile_lint.facts.lower_expr import arguments
from torch_compile_lint.facts.lower_scope import (
    Scope,
    close_function,
    close_header,
    close_prefixed,
    close_unit_body,
)
from torch_compile_lint.facts.lower_stmt import statements, suite
from torch_compile_lint.facts.walk import functions, shift

# mypy: disable-error-code="union-attr"
# (the skip expressions match the empty text, so they always match)


def parameters(s: Lowering, node: Any, body: Scope) -> tuple[ir.Param, ...]:
    """A parameter list. Defaults and annotations go to the open scope, names to ``body``."""
    todo = [(param, "positional-only") for param in node.posonly_params]
    todo += [(param, "positional") for param in node.params]
    if type(node.star_arg) is cst.Param:
        todo.append((node.star_arg, "var-positional"))
    todo += [(param, "keyword-only") for param in node.kwonly_params]
    if node.star_kwarg is not None:
        todo.append((node.star_kwarg, "var-keyword"))
    result = []
    for param, kind in todo:
        start = skip_parameter(s.text, s.pos).end()
        name = identifier(param.name.value)
        s.pos = start + len(param.name.value)
        body.bound.add(name)
        annotation = default = None
        if param.annotation is not None:
            s.token(1)
            inner = param.annotation.annotation
            annotation = EXPR[type(inner)](s, inner)
        if param.default is not None:
            s.token(1)
            default = EXPR[type(param.default)](s, param.default)
        i = s.ids
        s.ids = i + 1
        result.append(ir.Param(i, start, s.pos, name, kind, annotation, default))
    s.pos = skip_parameter(s.text, s.pos).end()
    return tuple(result)


def type_parameters(s: Lowering, node: Any) -> set[str]:
    """Step over ``[T: int = bool, *Ts, **P]``; the names. The IR keeps no more of them."""
    names: set[str] = set()
    if node is None:
        return names
    ids, outer = s.ids, s.scope
    s.enter(Scope("function", "", outer))  # its names are of no interest
    s.token(1)
    for item in node.params:
        param = item.param
        s.pos = skip_parameter(s.text, s.pos).end() + len(param.name.value)
        names.add(identifier(param.name.value))
        if type(param) is cst.TypeVar and param.bound is not None:
            s.token(1)
            EXPR[type(param.bound)](s, param.bound)
        if item.default is not None:
            s.token(1)
            if item.star:
                s.token(1)
            EXPR[type(item.default)](s, item.default)
    s.pos = skip_comma(s.text, s.pos).end() + 1
    s.ids = ids
    s.enter(outer)
    return names


def decorators(s: Lowering, nodes: Any) -> tuple[ir.Expr, ...]:
    result = []
    for node in nodes:
        s.token(1)
        inner = node.decorator
        result.append(EXPR[type(inner)](s, inner))
    return tuple(result)


def function(s: Lowering, node: Any, qualname: str, parent: Scope | None) -> ir.FunctionFacts:
    """A ``def`` from its first decorator on, as a function of its own."""
    outer_ids, outer = s.ids, s.scope
    s.ids = 0
    header = Scope("header", qualname.rpartition(".")[0], parent)
    scope = Scope("function", qualname, parent)
    s.enter(header)
    start = s.next()
    marks = decorators(s, node.decorators)
    is_async = node.asynchronous is not None
    if is_async:
        s.token(5)
    s.token(3)
    written = node.name.value
    name_start = s.token(len(written))
    generics = type_parameters(s, node.type_parameters)
    s.token(1)
    params = parameters(s, node.params, scope)
    s.token(1)
    returns: ir.Expr | None = None
    if node.returns is not None:
        s.token(2)
        inner = node.returns.annotation
        returns = EXPR[type(inner)](s, inner)
    scope.bound |= generics
    s.enter(scope)
    body = suite(s, node.body)
    facts = ir.FunctionFacts(
        kind="function",
        name=identifier(written),
        qualname=qualname,
        start=start,
        end=s.pos,
        name_start=name_start,
        name_end=name_start + len(written),
        params=params,
        returns=returns,
        decorators=marks,
        body=body,
        is_async=is_async,
        is_generator=scope.yields,
        locals=frozenset(),
        free=frozenset(),
        size=s.ids,
    )
    s.ids = outer_ids
    s.enter(outer)
    close_header(header, generics, scope)
    close(scope, facts)
    return facts


def close(scope: Scope, facts: ir.FunctionFacts) -> None:
    """Fill in the names of a function whose text has ended.

    Its free names are complete only when the functions around it have ended too, so the set
    itself is kept until ``freeze``.
    """
    facts.locals = close_function(scope)
    facts.free = scope.free  # type: ignore[assignment]


def lambda_(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, lambda_)
    around = s.scope
    outer_ids = s.ids
    s.ids = 0
    qualname = around.child_qualname("<lambda>")
    header = Scope("header", qualname.rpartition(".")[0], around)
    scope = Scope("function", qualname, around)
    s.enter(header)
    start = s.token(6)
    params = parameters(s, node.params, scope)
    s.token(1)
    s.enter(scope)
    here = s.next()
    value = EXPR[type(node.body)](s, node.body)
    i = s.ids
    body = (ir.Return(i, here, s.pos, value),)
    facts = ir.FunctionFacts(
        kind="lambda",
        name="<lambda>",
        qualname=qualname,
        start=start,
        end=s.pos,
        name_start=start,
        name_end=start + 6,
        params=params,
        returns=None,
        decorators=(),
        body=body,
        is_async=False,
        is_generator=scope.yields,
        locals=frozenset(),
        free=frozenset(),
        size=i + 1,
    )
    s.ids = outer_ids + 1
    s.enter(around)
    close_header(header, set(), scope)
    close(scope, facts)
    return ir.Lambda(outer_ids, start, s.pos, facts)


def function_def(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    scope = s.scope
    name = identifier(node.name.value)
    marks = decorators(s, node.decorators)
    scope.bound.add(name)
    s.pos = start
    qualname = scope.child_qualname(name)
    facts: ir.FunctionFacts | None
    if scope.kind == "class" or scope.kind == "module":
        facts = function(s, node, qualname, None)
        keep(s, facts)
        facts = None
    else:
        facts = function(s, node, qualname, scope)
    i = s.ids
    s.ids = i + 1
    return ir.FunctionDef(i, start, s.pos, name, facts, marks)


def class_def(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    scope = s.scope
    name = identifier(node.name.value)
    marks = decorators(s, node.decorators)
    bases = class_header(s, node)
    scope.bound.add(name)
    body: ir.Block = ()
    if scope.kind == "class" or scope.kind == "module":
        s.pos = start
        keep(s, class_unit(s, node, scope.child_qualname(name)))
        i = s.ids
        s.ids = i + 1
    else:
        inside = Scope("local-class", scope.child_qualname(name), scope)
        s.enter(inside)
        body = suite(s, node.body)
        s.enter(scope)
        i = s.ids
        s.ids = i + 1
        close_prefixed(inside, f"<class {i}>.")
    return ir.ClassDef(i, start, s.pos, name, bases, marks, body)


def class_header(s: Lowering, node: Any) -> tuple[ir.Argument, ...]:
    """``class Name[T](bases)`` up to the colon, decorators already behind us."""
    s.token(5)
    s.token(len(node.name.value))
    type_parameters(s, node.type_parameters)
    bases: tuple[ir.Argument, ...] = ()
    if type(node.lpar) is cst.LeftParen:
        s.token(1)
        bases = arguments(s, [*node.bases, *node.keywords])
        s.token(1)
    return bases


def class_unit(s: Lowering, node: Any, qualname: str) -> ir.FunctionFacts:
    """A class whose body is a unit, from its first decorator on."""
    outer_ids, outer = s.ids, s.scope
    s.ids = 0
    scope = Scope("class", qualname, None)
    s.enter(scope)
    start = s.next()
    marks = decorators(s, node.decorators)
    keep_ids = s.ids
    here = s.next()
    # The bases belong to the class statement of the unit around it, and to the index.
    s.enter(Scope("class", "", None))
    class_header(s, node)
    s.enter(scope)
    s.ids = keep_ids
    name_start = s.pos
    body = suite(s, node.body)
    facts = ir.FunctionFacts(
        kind="class",
        name=identifier(node.name.value),
        qualname=qualname,
        start=start,
        end=s.pos,
        name_start=name_start,
        name_end=name_start,
        params=(),
        returns=None,
        decorators=marks,
        body=body,
        is_async=False,
        is_generator=scope.yields,
        locals=close_unit_body(scope),
        free=frozenset(),
        size=s.ids,
    )
    facts.name_start = s.text.index(node.name.value, here + 5)
    facts.name_end = facts.name_start + len(node.name.value)
    s.ids = outer_ids
    s.enter(outer)
    return facts


def module_unit(s: Lowering, node: Any) -> ir.FunctionFacts:
    """A module body; functions and classes in it are units of their own."""
    body = statements(s, node.body)
    return ir.FunctionFacts(
        kind="module",
        name="",
        qualname="",
        start=0,
        end=len(s.text) - 2,
        name_start=0,
        name_end=0,
        params=(),
        returns=None,
        decorators=(),
        body=body,
        is_async=False,
        is_generator=s.scope.yields,
        locals=close_unit_body(s.scope),
        free=frozenset(),
        size=s.ids,
    )


def keep(s: Lowering, facts: ir.FunctionFacts) -> None:
    """Keep a unit that was found inside another one, if all units are wanted.

    The keys are the index's: a setter is 'C.x.setter', and of several functions of one name
    the last has the plain name and the first is 'f#1'.
    """
    units = s.units
    if units is None:
        return
    shift(facts, -facts.start)
    key = facts.qualname
    if facts.kind == "function":
        for mark in facts.decorators:
            if type(mark) is ir.Attribute and mark.attr in ("setter", "deleter"):
                rename(facts, f"{key}.{mark.attr}")
                break
        else:
            earlier = units.get(key)
            if earlier is not None and earlier.kind == "function":
                number = 1
                while f"{key}#{number}" in units:
                    number += 1
                rename(earlier, f"{key}#{number}")
                units[earlier.qualname] = earlier
    units[facts.qualname] = facts


def rename(unit: ir.FunctionFacts, qualname: str) -> None:
    width = len(unit.qualname)
    for facts in functions(unit):
        facts.qualname = qualname + facts.qualname[width:]


def type_alias(s: Lowering, node: Any) -> ir.Op:
    start = s.pos
    s.pos += 4
    name = identifier(node.name.value)
    s.token(len(node.name.value))
    s.scope.bound.add(name)
    type_parameters(s, node.type_parameters)
    s.token(1)
    value = EXPR[type(node.value)](s, node.value)
    i = s.ids
    s.ids = i + 1
    return ir.TypeAlias(i, start, s.pos, name, value)


EXPR[cst.Lambda] = lambda_
STMT[cst.FunctionDef] = function_def
STMT[cst.ClassDef] = class_def
STMT[cst.TypeAlias] = type_alias
