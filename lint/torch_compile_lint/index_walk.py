"""The lean walk over one unit's ``ast``: what it calls and reads, and its triggers.

One loop over an explicit stack with a chain of type tests, commonest first: this runs on
every node of every file, so it calls nothing per node and builds nothing it need not.
"""

from __future__ import annotations

import ast
from ast import (
    Assert,
    Assign,
    AsyncFor,
    AsyncFunctionDef,
    AsyncWith,
    Attribute,
    AugAssign,
    Await,
    BinOp,
    BoolOp,
    Call,
    ClassDef,
    Compare,
    Constant,
    Delete,
    Dict,
    Expr,
    For,
    FunctionDef,
    If,
    IfExp,
    JoinedStr,
    Lambda,
    List,
    Name,
    Return,
    Slice,
    Store,
    Subscript,
    Tuple,
    UnaryOp,
    While,
    With,
)
from collections.abc import Collection, Iterable
from typing import Any

from torch_compile_lint.index_triggers import is_plain, is_plain_compare, is_static_index

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

    __slots__ = (
        "calls",
        "imports",
        "is_generator",
        "marks",
        "names",
        "nested",
        "own",
        "reads",
        "statements",
        "stores",
        "triggers",
    )

    def __init__(self) -> None:
        self.calls: set[str] = set()
        self.reads: set[str] = set()  # attributes read
        self.names: set[str] = set()  # names read
        self.stores: set[str] = set()  # names bound in the unit, nested functions included
        self.own: frozenset[str] = frozenset()  # names bound in the unit itself
        self.triggers: set[str] = set()
        self.is_generator = False
        self.imports: list[Any] = []  # import statements, those of nested functions included
        self.statements: list[Any] = []  # assignments and storing calls, for sketches
        self.marks: list[tuple[Call, bool]] = []  # (call, is a statement of its own)
        self.nested: list[Any] = []  # decorated nested functions

    def all_reads(self) -> frozenset[str]:
        """Attributes and names read that are not the unit's own."""
        return frozenset(self.reads | (self.names - self.own))


def scan(nodes: Iterable[Any], out: UnitScan, aliases: Collection[str], in_class: bool = False) -> None:
    """Walk ``nodes`` (statements and expressions of one unit) into ``out``.

    ``aliases`` are local names that may be torch.compile; with ``in_class`` function
    statements are left alone (they are units of their own).
    """
    stores, triggers = out.stores, out.triggers
    add_call, add_read, add_name = out.calls.add, out.reads.add, out.names.add
    add_store, trigger = stores.add, triggers.add
    keep = out.statements.append
    stack = list(nodes)
    later: list[Any] = []  # nested functions, walked when the unit's own level is done
    pop, push, extend = stack.pop, stack.append, stack.extend
    own_level = True
    alone: Any = None  # the call that is the statement last popped
    while True:
        if not stack:
            if own_level:
                out.is_generator = "yield" in triggers
                out.own = frozenset(stores)
                own_level = False
            if not later:
                break
            stack.extend(later)
            later.clear()
            continue
        node = pop()
        t = type(node)
        if t is Name:
            if type(node.ctx) is Store:
                add_store(node.id)
            else:
                add_name(node.id)
        elif t is Constant:
            pass
        elif t is Attribute:
            add_read(node.attr)
            if type(node.ctx) is Store:
                value = node.value
                self_like = type(value) is Name and value.id == "self"
                trigger("setattr-self" if self_like else "setattr-other")
            push(node.value)
        elif t is Call:
            func = node.func
            kind = type(func)
            if kind is Attribute:
                name = func.attr
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
            if name:
                add_call(name)
            args = node.args
            extend(args)
            if name in _MARK_NAMES or name in aliases:
                out.marks.append((node, node is alone))
            elif kind is Call:
                last = _last_name(func.func)
                if last in _MARK_NAMES or last in aliases or last == "partial":
                    out.marks.append((node, node is alone))
            elif name == "partial" and args and _last_name(args[0]) in ("compile", *aliases):
                out.marks.append((node, node is alone))
            for keyword in node.keywords:
                if keyword.arg is None:
                    trigger("star")
                push(keyword.value)
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
            index = node.slice
            if type(index) is not Constant:
                if not is_static_index(index):
                    trigger("subscript-dynamic")
                push(index)
            push(node.value)
        elif t is Tuple or t is List:
            extend(node.elts)
        elif t is BinOp:
            push(node.left)
            push(node.right)
            if type(node.op) is ast.Mod:
                left = node.left
                if type(left) is not Constant or type(left.value) is str:
                    trigger("format")
        elif t is Return:
            if node.value is not None:
                push(node.value)
        elif t is If:
            if not is_plain(node.test):
                trigger("branch")
            push(node.test)
            extend(node.body)
            extend(node.orelse)
        elif t is Compare:
            push(node.left)
            extend(node.comparators)
            if len(node.ops) > 1:
                if not is_plain_compare(node):
                    trigger("chain")
            else:
                op = type(node.ops[0])
                if (op is ast.In or op is ast.NotIn) and not is_plain_compare(node):
                    trigger("contains")
        elif t is UnaryOp:
            push(node.operand)
            if type(node.op) is ast.Not and not is_plain(node.operand):
                trigger("bool-op")
        elif t is Slice:
            if node.lower is not None:
                push(node.lower)
            if node.upper is not None:
                push(node.upper)
            if node.step is not None:
                push(node.step)
        elif t is BoolOp:
            values = node.values
            extend(values)
            if not all(is_plain(v) for v in values[:-1]):
                trigger("bool-op")
        elif t is For or t is AsyncFor:
            keep(node)
            if type(node.iter) not in (Tuple, List):
                trigger("for")
            if t is AsyncFor:
                trigger("await")
            push(node.target)
            push(node.iter)
            extend(node.body)
            extend(node.orelse)
        elif t is JoinedStr:
            trigger("format")
            extend(node.values)
        elif t is IfExp:
            if not is_plain(node.test):
                trigger("branch")
            push(node.test)
            push(node.body)
            push(node.orelse)
        elif t is AugAssign:
            keep(node)
            target = node.target
            if type(target) is Attribute:
                trigger("augassign-self")
                add_read(target.attr)
                push(target.value)
            elif type(target) is Name:
                add_store(target.id)
                add_name(target.id)
            else:
                push(target)
            if type(node.op) is ast.Mod:
                trigger("format")
            push(node.value)
        elif t is With or t is AsyncWith:
            keep(node)
            trigger("with")
            if t is AsyncWith:
                trigger("await")
            for item in node.items:
                push(item.context_expr)
                if item.optional_vars is not None:
                    push(item.optional_vars)
            extend(node.body)
        elif t is FunctionDef or t is AsyncFunctionDef:
            if in_class:
                continue
            trigger("def")
            add_store(node.name)
            extend(node.decorator_list)
            if node.decorator_list:
                out.nested.append(node)
            _push_arguments(node.args, extend, add_store)
            if node.returns is not None:
                push(node.returns)
            later.extend(node.body)
        elif t is Lambda:
            trigger("def")
            _push_arguments(node.args, extend, add_store)
            later.append(node.body)
        elif t is Dict:
            extend([k for k in node.keys if k is not None])
            extend(node.values)
        elif t is Assert:
            if not is_plain(node.test) or (node.msg is not None and type(node.msg) is not Constant):
                trigger("assert")
            push(node.test)
            if node.msg is not None:
                push(node.msg)
        elif t is While:
            if type(node.test) is not Constant:
                trigger("while")
                if not is_plain(node.test):
                    trigger("branch")
            push(node.test)
            extend(node.body)
            extend(node.orelse)
        elif t is Delete:
            trigger("delete")
            extend(node.targets)
        elif t is Await:
            trigger("await")
            push(node.value)
        elif t is ClassDef:
            trigger("class")
            add_store(node.name)
            extend(node.decorator_list)
            extend(node.bases)
            extend([k.value for k in node.keywords])
            later.extend(node.body)
        else:
            rare = _RARE.get(t)
            if rare is not None:
                trigger(rare)
            if t is ast.comprehension:
                if not all(is_plain(c) for c in node.ifs):
                    trigger("branch")
            elif t is ast.AnnAssign or t is ast.NamedExpr:
                keep(node)
            elif t is ast.Import or t is ast.ImportFrom:
                out.imports.append(node)
                for alias in node.names:
                    add_store(alias.asname or alias.name.partition(".")[0])
                    if alias.asname is None or alias.name != "*":
                        add_read(alias.name.rpartition(".")[2])
                continue
            elif (t is ast.ExceptHandler or t is ast.MatchAs or t is ast.MatchStar) and node.name:
                add_store(node.name)
            for field in node._fields:
                value = getattr(node, field, None)
                if type(value) is list:
                    extend([v for v in value if isinstance(v, ast.AST)])
                elif isinstance(value, ast.AST):
                    push(value)


_RARE: dict[type, str] = {
    ast.YieldFrom: "yield",
    ast.Yield: "yield",
    ast.Raise: "raise",
    ast.Try: "try",
    ast.Global: "global",
    ast.Nonlocal: "global",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Match: "match",
    ast.Starred: "star",
    ast.comprehension: "for",
}
if hasattr(ast, "TryStar"):  # Python 3.11
    _RARE[ast.TryStar] = "try"
if hasattr(ast, "TemplateStr"):  # Python 3.14
    _RARE[ast.TemplateStr] = "format"


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
