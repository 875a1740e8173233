"""The IR: one function as plain nodes with spans, no syntax-tree node and no judgement.

Statements are structured (``Branch``, ``While``, ``For``, ``Try``, ``With``, ``Match`` hold
blocks), because inference joins frames the way the source nests and every rule speaks of
statements. Expressions are trees. Every node of a function has an ``id`` that is unique and
dense within that function (nested functions and lambdas are functions of their own, with
their own ids), so tables over nodes are plain lists. ``start``/``end`` are code-point offsets
**relative to the start of the unit's text** (decorators included), so that a function that
merely moved keeps its facts.

A *unit* is what is parsed, lowered and cached at once: a top-level function or a method with
everything nested in it, a class body without its methods, or a module body without its
functions and classes.
"""

from __future__ import annotations

from torch_compile_lint.records import dataclass


@dataclass(slots=True, eq=False)
class Node:
    """Base of all IR nodes. Equality is identity; ``facts.codec`` gives structural bytes."""

    id: int
    start: int
    end: int


# ---------------------------------------------------------------- expressions


@dataclass(slots=True, eq=False)
class Expr(Node):
    pass


@dataclass(slots=True, eq=False)
class Const(Expr):
    """None, bool, int, float, complex, str, bytes or Ellipsis."""

    value: object


@dataclass(slots=True, eq=False)
class Name(Expr):
    """A bare name. ``scope``: local, free (of an enclosing function), global (or builtin)."""

    name: str
    scope: str


@dataclass(slots=True, eq=False)
class Attribute(Expr):
    base: Expr
    attr: str


@dataclass(slots=True, eq=False)
class Subscript(Expr):
    """``base[index]``; several indices are one ``Sequence`` of kind tuple."""

    base: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Slice(Expr):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(slots=True, eq=False)
class Argument(Node):
    """``star`` is '', '*' or '**'."""

    value: Expr
    keyword: str | None
    star: str


@dataclass(slots=True, eq=False)
class Call(Expr):
    func: Expr
    args: tuple[Argument, ...]


@dataclass(slots=True, eq=False)
class Unary(Expr):
    """``op``: not, -, +, ~."""

    op: str
    operand: Expr


@dataclass(slots=True, eq=False)
class Binary(Expr):
    """``op``: + - * / // % ** @ << >> & | ^."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class BoolOp(Expr):
    """``op``: and, or; two or more operands, left to right."""

    op: str
    values: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Compare(Expr):
    """``ops``: == != < <= > >= is 'is not' in 'not in'; one per right operand."""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(slots=True, eq=False)
class Sequence(Expr):
    """``kind``: tuple, list, set."""

    kind: str
    items: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Dict(Expr):
    """A key of None is a ``**mapping`` item."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Clause(Node):
    """One ``for target in iter if conditions`` of a comprehension."""

    target: Expr
    iter: Expr
    conditions: tuple[Expr, ...]
    is_async: bool


@dataclass(slots=True, eq=False)
class Comprehension(Expr):
    """``kind``: list, set, dict, generator; ``value`` only for dict (``element`` is the key).

    Its targets are local names of the surrounding function in the IR, prefixed with
    ``<comp N>.`` (N = the comprehension's id) so they cannot collide.
    """

    kind: str
    element: Expr
    value: Expr | None
    clauses: tuple[Clause, ...]


@dataclass(slots=True, eq=False)
class Interpolation(Expr):
    """One ``{value!conversion:spec}`` of an f-string or t-string."""

    value: Expr
    conversion: str | None
    spec: Expr | None


@dataclass(slots=True, eq=False)
class FormattedString(Expr):
    """f-string or t-string (``template``); literal text parts are ``Const``."""

    parts: tuple[Expr, ...]
    template: bool


@dataclass(slots=True, eq=False)
class Starred(Expr):
    value: Expr


@dataclass(slots=True, eq=False)
class Await(Expr):
    value: Expr


@dataclass(slots=True, eq=False)
class Yield(Expr):
    value: Expr | None
    is_from: bool


@dataclass(slots=True, eq=False)
class Walrus(Expr):
    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class Lambda(Expr):
    function: FunctionFacts


# ---------------------------------------------------------------- statements

Block = tuple["Op", ...]


@dataclass(slots=True, eq=False)
class Op(Node):
    """A statement. Its span is the statement without its trailing comment or newline."""


@dataclass(slots=True, eq=False)
class ExprStmt(Op):
    value: Expr


@dataclass(slots=True, eq=False)
class Assign(Op):
    """``a = b = value``; with ``annotation`` for ``a: T = value`` (then value may be None)."""

    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None


@dataclass(slots=True, eq=False)
class AugAssign(Op):
    """``op`` as in ``Binary``."""

    target: Expr
    op: str
    value: Expr


@dataclass(slots=True, eq=False)
class Return(Op):
    value: Expr | None


@dataclass(slots=True, eq=False)
class Raise(Op):
    exc: Expr | None
    cause: Expr | None


@dataclass(slots=True, eq=False)
class Assert(Op):
    test: Expr
    message: Expr | None


@dataclass(slots=True, eq=False)
class Delete(Op):
    targets: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Global(Op):
    """``global`` or, with ``nonlocal_``, ``nonlocal``."""

    names: tuple[str, ...]
    nonlocal_: bool


@dataclass(slots=True, eq=False)
class Import(Op):
    """``names``: (imported name, local name) pairs.

    ``import a.b as c`` has module None; ``from ..m import x as y`` has module 'm', level 2;
    a star import has the one pair ('*', '*').
    """

    module: str | None
    level: int
    names: tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False)
class Pass(Op):
    pass


@dataclass(slots=True, eq=False)
class Break(Op):
    pass


@dataclass(slots=True, eq=False)
class Continue(Op):
    pass


@dataclass(slots=True, eq=False)
class Branch(Op):
    """``if``; an ``elif`` is a Branch alone in ``orelse``."""

    test: Expr
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class While(Op):
    test: Expr
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class For(Op):
    target: Expr
    iter: Expr
    body: Block
    orelse: Block
    is_async: bool


@dataclass(slots=True, eq=False)
class Handler(Node):
    type: Expr | None
    name: str | None
    body: Block


@dataclass(slots=True, eq=False)
class Try(Op):
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block
    is_star: bool


@dataclass(slots=True, eq=False)
class WithItem(Node):
    context: Expr
    target: Expr | None


@dataclass(slots=True, eq=False)
class With(Op):
    items: tuple[WithItem, ...]
    body: Block
    is_async: bool


@dataclass(slots=True, eq=False)
class Pattern(Node):
    """A match pattern.

    ``kind``: value, singleton, sequence, mapping, class, star, as, or, wildcard.
    ``exprs`` are the value expressions (value, mapping keys, the class), ``patterns`` the
    sub-patterns, ``names`` the captured names, ``keywords`` the class pattern's keywords.
    """

    kind: str
    exprs: tuple[Expr, ...]
    patterns: tuple[Pattern, ...]
    names: tuple[str, ...]
    keywords: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Case(Node):
    pattern: Pattern
    guard: Expr | None
    body: Block


@dataclass(slots=True, eq=False)
class Match(Op):
    subject: Expr
    cases: tuple[Case, ...]


@dataclass(slots=True, eq=False)
class FunctionDef(Op):
    """A nested ``def``; in a class or module unit ``function`` is None (a unit of its own)."""

    name: str
    function: FunctionFacts | None
    decorators: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class ClassDef(Op):
    """A class statement inside a function (``body`` lowered, methods in ``FunctionDef``s).

    In a module unit, ``body`` is empty: the class body is a unit of its own.
    """

    name: str
    bases: tuple[Argument, ...]
    decorators: tuple[Expr, ...]
    body: Block


@dataclass(slots=True, eq=False)
class TypeAlias(Op):
    name: str
    value: Expr


# ---------------------------------------------------------------- functions


@dataclass(slots=True, eq=False)
class Param(Node):
    """``kind``: positional-only, positional, var-positional, keyword-only, var-keyword."""

    name: str
    kind: str
    annotation: Expr | None
    default: Expr | None


@dataclass(slots=True, eq=False)
class FunctionFacts:
    """One function, lambda, class body or module body.

    ``kind``: function, lambda, class, module. ``start``/``end`` as for nodes. ``locals`` are
    the names bound here, ``free`` those read from enclosing functions. ``size`` is one more
    than the largest node id. ``body`` of a lambda is one ``Return``. Unit-level functions have
    ``qualname`` as Python gives it ('Net.forward'); nested ones 'Net.forward.<locals>.g'.
    """

    kind: str
    name: str
    qualname: str
    start: int
    end: int
    name_start: int  # the identifier after `def`, for messages that point at the function
    name_end: int
    params: tuple[Param, ...]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    body: Block
    is_async: bool
    is_generator: bool
    locals: frozenset[str]
    free: frozenset[str]
    size: int
