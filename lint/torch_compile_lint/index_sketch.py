"""Sketches: IR expressions built from ``ast`` expressions, with absolute spans.

For the few expressions inference needs of a file that is not lowered. Node ids are unique
within one ``Sketcher`` (one file). A name's scope is 'local' when it is one of ``bound``
(the names of the function or class body it stands in), else 'global'. Literals of more than
``MAX_ITEMS`` items, anything nested deeper than ``MAX_DEPTH`` and everything after
``MAX_NODES`` nodes of one sketch are cut short: what was left out is the global name
``<omitted>``, which nothing can resolve, so it is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.source import LineIndex

MAX_ITEMS = 64
MAX_DEPTH = 40
MAX_NODES = 3000
OMITTED = "<omitted>"

UNARY = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
BINARY = {
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
COMPARE = {
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
_COMPREHENSIONS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}
_SEQUENCES = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}


class Sketcher:
    """Builds sketches for one file."""

    __slots__ = (
        "_ascii",
        "_bound",
        "_depth",
        "_limit",
        "_lines",
        "_renamed",
        "_starts",
        "mentioned",
        "next_id",
    )

    def __init__(self, lines: LineIndex) -> None:
        self._lines = lines
        self._ascii = lines.ascii
        self._starts = lines.starts
        self._bound: Collection[str] = ()
        self._renamed: dict[str, str] = {}  # comprehension targets in scope -> their IR name
        self._depth = 0
        self._limit = 0
        self.next_id = 0
        self.mentioned: set[str] = set()  # local names met, until the caller clears it

    def expr(self, node: ast.expr, bound: Collection[str] = ()) -> ir.Expr:
        """The sketch of ``node``, standing where ``bound`` are the local names."""
        self._limit = self.next_id + MAX_NODES
        self._bound = bound
        self._renamed = {}
        self._depth = 0
        return self._expr(node)

    def optional(self, node: ast.expr | None, bound: Collection[str] = ()) -> ir.Expr | None:
        """The sketch of ``node``; None for None."""
        return None if node is None else self.expr(node, bound)

    def params(self, arguments: ast.arguments) -> tuple[ir.Param, ...]:
        """The parameters of a unit-level function."""
        self._limit = self.next_id + MAX_NODES
        self._bound = ()
        self._renamed = {}
        self._depth = 0
        return self._params(arguments)

    def arguments(self, node: ast.Call, bound: Collection[str] = ()) -> tuple[ir.Argument, ...]:
        """The arguments of a call alone."""
        self._limit = self.next_id + MAX_NODES
        self._bound = bound
        self._renamed = {}
        self._depth = 0
        return self._arguments(node.args, node.keywords)

    def offset(self, line: int, column: int) -> int:
        """The offset of an ``ast`` position."""
        if self._ascii:
            return self._starts[line - 1] + column
        return self._lines.from_utf8(line, column)

    def line_start(self, offset: int) -> int:
        """The offset of the first character of the line that holds ``offset``."""
        return self._starts[self._lines.line(offset) - 1]

    def omitted(self, node: ast.expr) -> ir.Name:
        """The sketch that says nothing about ``node``."""
        return ir.Name(*self._head(node), OMITTED, "global")

    # ------------------------------------------------------------ inside

    def _head(self, node: ast.expr | ast.arg | ast.keyword) -> tuple[int, int, int]:
        number = self.next_id
        self.next_id = number + 1
        line, end_line = node.lineno, node.end_lineno or node.lineno
        end_column = node.end_col_offset or 0
        if self._ascii:
            starts = self._starts
            return number, starts[line - 1] + node.col_offset, starts[end_line - 1] + end_column
        convert = self._lines.from_utf8
        return number, convert(line, node.col_offset), convert(end_line, end_column)

    def _expr(self, node: ast.expr) -> ir.Expr:
        builder = _BUILDERS.get(type(node))
        if builder is None or self._depth > MAX_DEPTH or self.next_id > self._limit:
            return self.omitted(node)
        self._depth += 1
        built = builder(self, node)
        self._depth -= 1
        return built

    def _optional(self, node: ast.expr | None) -> ir.Expr | None:
        return None if node is None else self._expr(node)

    def _exprs(self, nodes: list[ast.expr]) -> tuple[ir.Expr, ...]:
        return tuple([self._expr(n) for n in nodes])

    def _constant(self, node: ast.Constant) -> ir.Expr:
        return ir.Const(*self._head(node), node.value)

    def _name(self, node: ast.Name) -> ir.Expr:
        name = node.id
        if name in self._renamed:
            return ir.Name(*self._head(node), self._renamed[name], "local")
        if name in self._bound:
            self.mentioned.add(name)
            return ir.Name(*self._head(node), name, "local")
        return ir.Name(*self._head(node), name, "global")

    def _attribute(self, node: ast.Attribute) -> ir.Expr:
        return ir.Attribute(*self._head(node), self._expr(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> ir.Expr:
        return ir.Subscript(*self._head(node), self._expr(node.value), self._expr(node.slice))

    def _slice(self, node: ast.Slice) -> ir.Expr:
        lower, upper, step = node.lower, node.upper, node.step
        return ir.Slice(*self._head(node), self._optional(lower), self._optional(upper), self._optional(step))

    def _call(self, node: ast.Call) -> ir.Expr:
        head = self._head(node)
        func = self._expr(node.func)
        return ir.Call(*head, func, self._arguments(node.args, node.keywords))

    def _arguments(self, args: list[ast.expr], keywords: list[ast.keyword]) -> tuple[ir.Argument, ...]:
        out: list[ir.Argument] = []
        for arg in args[:MAX_ITEMS]:
            if type(arg) is ast.Starred:
                out.append(ir.Argument(*self._head(arg), self._expr(arg.value), None, "*"))
            else:
                out.append(ir.Argument(*self._head(arg), self._expr(arg), None, ""))
        if len(args) > MAX_ITEMS:
            rest = args[MAX_ITEMS]
            out.append(ir.Argument(*self._head(rest), self.omitted(rest), None, "*"))
        for keyword in keywords:
            star = "**" if keyword.arg is None else ""
            out.append(ir.Argument(*self._head(keyword), self._expr(keyword.value), keyword.arg, star))
        return tuple(out)

    def _unary(self, node: ast.UnaryOp) -> ir.Expr:
        operand = node.operand
        if type(node.op) is ast.USub and type(operand) is ast.Constant:
            value = operand.value
            if type(value) in (int, float, complex):
                return ir.Const(*self._head(node), -value)  # type: ignore[operator]
        return ir.Unary(*self._head(node), UNARY[type(node.op)], self._expr(operand))

    def _binary(self, node: ast.BinOp) -> ir.Expr:
        return ir.Binary(
            *self._head(node), BINARY[type(node.op)], self._expr(node.left), self._expr(node.right)
        )

    def _bool(self, node: ast.BoolOp) -> ir.Expr:
        op = "and" if type(node.op) is ast.And else "or"
        return ir.BoolOp(*self._head(node), op, self._exprs(node.values))

    def _compare(self, node: ast.Compare) -> ir.Expr:
        ops = tuple([COMPARE[type(o)] for o in node.ops])
        return ir.Compare(*self._head(node), self._expr(node.left), ops, self._exprs(node.comparators))

    def _ifexp(self, node: ast.IfExp) -> ir.Expr:
        head = self._head(node)
        return ir.IfExp(*head, self._expr(node.test), self._expr(node.body), self._expr(node.orelse))

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set) -> ir.Expr:
        kind = _SEQUENCES[type(node)]
        if len(node.elts) > MAX_ITEMS:
            return self._cut(node, kind)
        return ir.Sequence(*self._head(node), kind, self._exprs(node.elts))

    def _cut(self, node: ast.expr, kind: str) -> ir.Expr:
        """``kind(*<omitted>)``: a container of unknown things, however many."""
        func = ir.Name(*self._head(node), kind, "global")
        arg = ir.Argument(*self._head(node), self.omitted(node), None, "**" if kind == "dict" else "")
        return ir.Call(*self._head(node), func, (arg,))

    def _dict(self, node: ast.Dict) -> ir.Expr:
        if len(node.keys) > MAX_ITEMS:
            return self._cut(node, "dict")
        keys = tuple([self._optional(k) for k in node.keys])
        return ir.Dict(*self._head(node), keys, self._exprs(node.values))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> ir.Expr:
        head = self._head(node)
        outer = self._renamed
        clauses: list[ir.Clause] = []
        for generator in node.generators:
            iterable = self._expr(generator.iter)  # sees the clauses before it, not its own target
            scope = dict(self._renamed)
            for target in ast.walk(generator.target):
                if type(target) is ast.Name:
                    scope[target.id] = f"<comp {head[0]}>.{target.id}"
            self._renamed = scope
            number, start, _ = self._head(generator.target)
            end = iterable.end
            target_sketch = self._expr(generator.target)
            conditions = self._exprs(generator.ifs)
            if conditions:
                end = conditions[-1].end
            is_async = bool(generator.is_async)
            clauses.append(ir.Clause(number, start, end, target_sketch, iterable, conditions, is_async))
        if type(node) is ast.DictComp:
            element, value = self._expr(node.key), self._optional(node.value)
            kind = "dict"
        else:
            element, value = self._expr(node.elt), None  # type: ignore[union-attr]
            kind = _COMPREHENSIONS[type(node)]
        self._renamed = outer
        return ir.Comprehension(*head, kind, element, value, tuple(clauses))

    def _formatted(self, node: Any) -> ir.Expr:
        # Spans inside an f-string are its own: older Pythons give none that can be trusted.
        number, start, end = self._head(node)
        parts: list[ir.Expr] = []
        for part in node.values:
            if type(part) is ast.Constant:
                parts.append(ir.Const(self._number(), start, end, part.value))
                continue
            inner = self._expr(part.value)
            conversion = {115: "s", 114: "r", 97: "a"}.get(part.conversion)
            spec = None if part.format_spec is None else self._formatted(part.format_spec)
            parts.append(ir.Interpolation(self._number(), start, end, inner, conversion, spec))
        template = type(node) is not ast.JoinedStr
        return ir.FormattedString(number, start, end, tuple(parts), template)

    def _number(self) -> int:
        number = self.next_id
        self.next_id = number + 1
        return number

    def _starred(self, node: ast.Starred) -> ir.Expr:
        return ir.Starred(*self._head(node), self._expr(node.value))

    def _await(self, node: ast.Await) -> ir.Expr:
        return ir.Await(*self._head(node), self._expr(node.value))

    def _yield(self, node: ast.Yield) -> ir.Expr:
        return ir.Yield(*self._head(node), self._optional(node.value), False)

    def _yield_from(self, node: ast.YieldFrom) -> ir.Expr:
        return ir.Yield(*self._head(node), self._expr(node.value), True)

    def _walrus(self, node: ast.NamedExpr) -> ir.Expr:
        return ir.Walrus(*self._head(node), self._expr(node.target), self._expr(node.value))

    def _lambda(self, node: ast.Lambda) -> ir.Expr:
        head = self._head(node)
        outer, renamed = self._bound, self._renamed
        first = self.next_id
        params = self._params(node.args)
        names = frozenset(p.name for p in params)
        self._renamed = {k: v for k, v in renamed.items() if k not in names}
        self._bound = names if not outer else names.union(outer)
        body = self._expr(node.body)
        self._bound, self._renamed = outer, renamed
        result = ir.Return(self._number(), body.start, body.end, body)
        facts = ir.FunctionFacts(
            kind="lambda",
            name="<lambda>",
            qualname="<lambda>",
            start=head[1],
            end=head[2],
            name_start=head[1],
            name_end=head[1] + len("lambda"),
            params=params,
            returns=None,
            decorators=(),
            body=(result,),
            is_async=False,
            is_generator=False,
            locals=names,
            free=frozenset(),
            size=self.next_id - first,
        )
        _make_dense(facts, first)
        return ir.Lambda(*head, facts)

    def _params(self, a: ast.arguments) -> tuple[ir.Param, ...]:
        out: list[ir.Param] = []
        plain = a.posonlyargs + a.args
        missing = len(plain) - len(a.defaults)
        for i, arg in enumerate(plain):
            kind = "positional-only" if i < len(a.posonlyargs) else "positional"
            default = a.defaults[i - missing] if i >= missing else None
            out.append(self._param(arg, kind, default))
        if a.vararg is not None:
            out.append(self._param(a.vararg, "var-positional", None))
        for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
            out.append(self._param(arg, "keyword-only", default))
        if a.kwarg is not None:
            out.append(self._param(a.kwarg, "var-keyword", None))
        return tuple(out)

    def _param(self, arg: ast.arg, kind: str, default: ast.expr | None) -> ir.Param:
        number, start, end = self._head(arg)
        annotation = self._optional(arg.annotation)
        value = self._optional(default)
        if value is not None:
            end = value.end
        return ir.Param(number, start, end, arg.arg, kind, annotation, value)


def _make_dense(facts: ir.FunctionFacts, first: int) -> None:
    """Number a lambda's nodes from 0, as in every ``FunctionFacts``."""
    stack: list[Any] = [*facts.params, *facts.body]
    while stack:
        node = stack.pop()
        node.id -= first
        for name in node.__slots__:
            value = getattr(node, name)
            if isinstance(value, tuple):
                stack.extend(v for v in value if isinstance(v, ir.Node))
            elif isinstance(value, ir.Node):
                stack.append(value)


_BUILDERS: dict[type, Callable[[Sketcher, Any], ir.Expr]] = {
    ast.Constant: Sketcher._constant,
    ast.Name: Sketcher._name,
    ast.Attribute: Sketcher._attribute,
    ast.Subscript: Sketcher._subscript,
    ast.Slice: Sketcher._slice,
    ast.Call: Sketcher._call,
    ast.UnaryOp: Sketcher._unary,
    ast.BinOp: Sketcher._binary,
    ast.BoolOp: Sketcher._bool,
    ast.Compare: Sketcher._compare,
    ast.IfExp: Sketcher._ifexp,
    ast.Tuple: Sketcher._sequence,
    ast.List: Sketcher._sequence,
    ast.Set: Sketcher._sequence,
    ast.Dict: Sketcher._dict,
    ast.ListComp: Sketcher._comprehension,
    ast.SetComp: Sketcher._comprehension,
    ast.GeneratorExp: Sketcher._comprehension,
    ast.DictComp: Sketcher._comprehension,
    ast.JoinedStr: Sketcher._formatted,
    ast.Starred: Sketcher._starred,
    ast.Await: Sketcher._await,
    ast.Yield: Sketcher._yield,
    ast.YieldFrom: Sketcher._yield_from,
    ast.NamedExpr: Sketcher._walrus,
    ast.Lambda: Sketcher._lambda,
}
if hasattr(ast, "TemplateStr"):  # Python 3.14
    _BUILDERS[ast.TemplateStr] = Sketcher._formatted
