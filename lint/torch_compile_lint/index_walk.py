"""The lean walk over one unit's ``ast``: what it binds, stores, imports and compiles.

One loop over an explicit stack with a chain of type tests, commonest first: this runs on
every node of every file, so it calls nothing per node and builds nothing it need not. Names
that are read and constants, most of a tree, are not even looked at.
"""

from __future__ import annotations

import ast
from ast import (
    Assign,
    AsyncFor,
    AsyncFunctionDef,
    AsyncWith,
    Attribute,
    AugAssign,
    BinOp,
    Call,
    ClassDef,
    Compare,
    Constant,
    Expr,
    For,
    FunctionDef,
    If,
    Lambda,
    List,
    Name,
    Return,
    Store,
    Subscript,
    Tuple,
    With,
)
from collections.abc import Collection, Iterable
from typing import Any

# Calls on or with the receiver that store an attribute or grow one.
_STORING = frozenset(
    (
        "append",
        "extend",
        "insert",
        "add_module",
        "register_module",
        "register_buffer",
        "register_parameter",
        "update",
        "setattr",
        "__setattr__",
        "setdefault",
        "add",
        "appendleft",
        "__init__",  # of super(): the children of a container module
    )
)
_MARK_NAMES = frozenset(("compile", "optimize", "optimize_assert", "disable", "allow_in_graph"))


def _last_name(node: Any) -> str:
    if type(node) is Attribute:
        return node.attr
    return node.id if type(node) is Name else ""


class UnitScan:
    """What the walk found in one unit."""

    __slots__ = ("imports", "is_generator", "marks", "nested", "statements", "stores")

    def __init__(self) -> None:
        self.stores: set[str] = set()  # names bound in the unit, nested functions included
        self.is_generator = False
        self.imports: list[Any] = []  # import statements, those of nested functions included
        self.statements: list[Any] = []  # assignments and storing calls, for sketches
        self.marks: list[tuple[Call, bool]] = []  # (call, is a statement of its own)
        self.nested: list[Any] = []  # decorated nested functions


def scan(nodes: Iterable[Any], out: UnitScan, aliases: Collection[str], in_class: bool = False) -> None:
    """Walk ``nodes`` (statements and expressions of one unit) into ``out``.

    ``aliases`` are local names that may be torch.compile; with ``in_class`` function
    statements are left alone (they are units of their own).
    """
    add_store = out.stores.add
    keep = out.statements.append
    stack = list(nodes)
    later: list[Any] = []  # nested functions, walked when the unit's own level is done
    pop, push, extend = stack.pop, stack.append, stack.extend
    own_level = True
    alone: Any = None  # the call that is the statement last popped
    while True:
        if not stack:
            own_level = False
            if not later:
                break
            stack.extend(later)
            later.clear()
            continue
        node = pop()
        t = type(node)
        if t is Constant:
            pass
        elif t is Name:
            if type(node.ctx) is Store:
                add_store(node.id)
        elif t is Attribute:
            node = node.value
            while type(node) is Attribute:
                node = node.value
            if type(node) is not Name:
                push(node)
        elif t is Call:
            func = node.func
            kind = type(func)
            if kind is Attribute:
                name = func.attr
                if type(func.value) is not Name:
                    push(func.value)
                if name in _STORING:
                    keep(node)
            elif kind is Name:
                name = func.id
                if name == "setattr":
                    keep(node)
            else:
                name = ""
                push(func)
            args = node.args
            if args:
                extend([a for a in args if type(a) is not Name and type(a) is not Constant])
            if name in _MARK_NAMES or name in aliases:
                out.marks.append((node, node is alone))
            elif kind is Call:
                last = _last_name(func.func)
                if last in _MARK_NAMES or last in aliases or last == "partial":
                    out.marks.append((node, node is alone))
            elif name == "partial" and args and _last_name(args[0]) in ("compile", *aliases):
                out.marks.append((node, node is alone))
            for keyword in node.keywords:
                value = keyword.value
                if type(value) is not Name and type(value) is not Constant:
                    push(value)
        elif t is Expr:
            value = node.value
            if type(value) is Call:
                alone = value
                push(value)
            elif type(value) is not Constant:
                push(value)
        elif t is Assign:
            keep(node)
            push(node.value)
            extend(node.targets)
        elif t is Subscript:
            if type(node.slice) is not Constant:
                push(node.slice)
            push(node.value)
        elif t is Tuple or t is List:
            extend(node.elts)
        elif t is BinOp:
            push(node.left)
            push(node.right)
        elif t is Return:
            if node.value is not None:
                push(node.value)
        elif t is If:
            push(node.test)
            extend(node.body)
            extend(node.orelse)
        elif t is Compare:
            push(node.left)
            extend(node.comparators)
        elif t is For or t is AsyncFor:
            keep(node)
            push(node.target)
            push(node.iter)
            extend(node.body)
            extend(node.orelse)
        elif t is AugAssign:
            keep(node)
            push(node.target)
            push(node.value)
        elif t is With or t is AsyncWith:
            keep(node)
            for item in node.items:
                push(item.context_expr)
                if item.optional_vars is not None:
                    push(item.optional_vars)
            extend(node.body)
        elif t is FunctionDef or t is AsyncFunctionDef:
            if in_class:
                continue
            add_store(node.name)
            extend(node.decorator_list)
            if node.decorator_list:
                out.nested.append(node)
            _push_arguments(node.args, extend, add_store)
            if node.returns is not None:
                push(node.returns)
            later.extend(node.body)
        elif t is Lambda:
            _push_arguments(node.args, extend, add_store)
            later.append(node.body)
        elif t is ClassDef:
            add_store(node.name)
            extend(node.decorator_list)
            extend(node.bases)
            extend([k.value for k in node.keywords])
            later.extend(node.body)
        else:
            if t is ast.AnnAssign or t is ast.NamedExpr:
                keep(node)
            elif t is ast.Yield or t is ast.YieldFrom:
                if own_level:
                    out.is_generator = True
            elif t is ast.Import or t is ast.ImportFrom:
                out.imports.append(node)
                for alias in node.names:
                    add_store(alias.asname or alias.name.partition(".")[0])
                continue
            elif (t is ast.ExceptHandler or t is ast.MatchAs or t is ast.MatchStar) and node.name:
                add_store(node.name)
            for field in node._fields:
                value = getattr(node, field, None)
                if type(value) is list:
                    extend([v for v in value if isinstance(v, ast.AST)])
                elif isinstance(value, ast.AST):
                    push(value)


def _push_arguments(a: ast.arguments, extend: Any, store: Any) -> None:
    for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs):
        store(arg.arg)
        if arg.annotation is not None:
            extend((arg.annotation,))
    for extra in (a.vararg, a.kwarg):
        if extra is not None:
            store(extra.arg)
    extend(a.defaults)
    extend([d for d in a.kw_defaults if d is not None])
