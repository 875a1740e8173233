"""The lowered facts of a file as an ``ast`` tree, for the index walk to read.

Only what the walk looks at is right: names, structure, positions. Syntax that the running
Python's ``ast`` has no node for becomes the nearest older form (a `type` statement an
assignment, an `except*` an `except`, a t-string an f-string).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, cast

from torch_compile_lint.facts import ir
from torch_compile_lint.index_sketch import BINARY, COMPARE, UNARY
from torch_compile_lint.source import LineIndex

_UNARY = {op: kind for kind, op in UNARY.items()}
_BINARY = {op: kind for kind, op in BINARY.items()}
_COMPARE = {op: kind for kind, op in COMPARE.items()}
_CONVERSIONS = {"s": 115, "r": 114, "a": 97}
_SEQUENCES: dict[str, Any] = {"tuple": ast.Tuple, "list": ast.List, "set": ast.Set}
_COMPREHENSIONS: dict[str, Any] = {
    "list": ast.ListComp,
    "set": ast.SetComp,
    "generator": ast.GeneratorExp,
}


class TreeBuilder:
    """Builds the tree of one file; ``units`` are its facts by key, '' the module body."""

    def __init__(self, units: Mapping[str, ir.FunctionFacts], lines: LineIndex) -> None:
        self._units = units
        self._lines = lines
        self._base = 0  # absolute offset that spans are relative to
        self._counts: dict[str, int] = {}  # definitions met, by qualname

    def module(self) -> ast.Module:
        """The whole file."""
        return ast.Module(body=self._unit_body(self._units[""], 0, ""), type_ignores=[])

    # ------------------------------------------------------------ units

    def _unit_body(self, facts: ir.FunctionFacts, base: int, qualname: str) -> list[ast.stmt]:
        outer, self._base = self._base, base
        body = [self._stmt(op, qualname) for op in facts.body]
        self._base = outer
        return body or [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)]

    def _key(self, qualname: str, decorators: tuple[ir.Expr, ...]) -> str:
        """The key of the next definition of a name (see ``index.free_key``)."""
        for decorator in decorators:
            if isinstance(decorator, ir.Attribute) and decorator.attr in ("setter", "deleter"):
                return f"{qualname}.{decorator.attr}"
        number = self._counts[qualname] = self._counts.get(qualname, 0) + 1
        aside = f"{qualname}#{number}"
        return aside if aside in self._units else qualname

    def _function_def(self, op: ir.FunctionDef, owner: str | None) -> ast.stmt:
        facts, base = op.function, self._base
        if facts is None and owner is not None:
            qualname = f"{owner}.{op.name}" if owner else op.name
            facts, base = self._units.get(self._key(qualname, op.decorators)), self._base + op.start
        if facts is None:
            return cast(ast.stmt, self._at(ast.Pass(), op))
        decorators = self._exprs(op.decorators)
        whole = self._at(ast.Pass(), op)
        outer, self._base = self._base, base
        kind: Any = ast.AsyncFunctionDef if facts.is_async else ast.FunctionDef
        node = kind(
            name=facts.name,
            args=self._arguments(facts.params),
            body=[self._stmt(o, None) for o in facts.body],
            decorator_list=decorators,
            returns=self._optional(facts.returns),
            type_comment=None,
            type_params=[],
        )
        self._base = outer
        return self._place(node, whole, decorators)

    def _class_def(self, op: ir.ClassDef, owner: str | None) -> ast.stmt:
        decorators = self._exprs(op.decorators)
        if owner is None:
            body = [self._stmt(o, None) for o in op.body]
        else:
            qualname = f"{owner}.{op.name}" if owner else op.name
            facts = self._units.get(self._key(qualname, ()))
            body = [] if facts is None else self._unit_body(facts, self._base + op.start, qualname)
        args, keywords = self._call_arguments(op.bases)
        node = ast.ClassDef(name=op.name, bases=args, keywords=keywords, body=body, decorator_list=decorators)
        node.type_params = []  # type: ignore[attr-defined,unused-ignore]
        return self._place(node, self._at(ast.Pass(), op), decorators)

    def _place(self, node: Any, whole: Any, decorators: list[ast.expr]) -> ast.stmt:
        """A definition starts at its keyword: the line behind its last decorator."""
        node.end_lineno, node.end_col_offset = whole.end_lineno, whole.end_col_offset
        node.lineno, node.col_offset = whole.lineno, whole.col_offset
        if decorators:
            node.lineno = (decorators[-1].end_lineno or whole.lineno) + 1
        return cast(ast.stmt, node)

    # ------------------------------------------------------------ positions

    def _at(self, node: Any, like: ir.Node) -> Any:
        line, column = self._lines.position(self._base + like.start, "utf-8")
        end_line, end_column = self._lines.position(self._base + like.end, "utf-8")
        node.lineno, node.col_offset = line, column - 1
        node.end_lineno, node.end_col_offset = end_line, end_column - 1
        return node

    # ------------------------------------------------------------ statements

    def _stmt(self, op: ir.Op, owner: str | None) -> ast.stmt:
        if isinstance(op, ir.FunctionDef):
            return self._function_def(op, owner)
        if isinstance(op, ir.ClassDef):
            return self._class_def(op, owner)
        return cast(ast.stmt, self._at(_STATEMENTS[type(op)](self, op, owner), op))

    def _block(self, block: ir.Block, owner: str | None) -> list[ast.stmt]:
        return [self._stmt(op, owner) for op in block]

    def _assign(self, op: ir.Assign, owner: str | None) -> Any:
        if op.annotation is not None:
            target: Any = self._target(op.targets[0])
            return ast.AnnAssign(
                target=target,
                annotation=self._expr(op.annotation),
                value=self._optional(op.value),
                simple=1,
            )
        value = op.value if op.value is not None else ir.Const(0, op.start, op.end, None)
        return ast.Assign(
            targets=[self._target(t) for t in op.targets], value=self._expr(value), type_comment=None
        )

    def _aug_assign(self, op: ir.AugAssign, owner: str | None) -> Any:
        target: Any = self._target(op.target)
        return ast.AugAssign(target=target, op=_BINARY[op.op](), value=self._expr(op.value))

    def _import(self, op: ir.Import, owner: str | None) -> Any:
        names = []
        for name, local in op.names:
            plain = name.partition(".")[0] if op.module is None and not op.level else name
            names.append(ast.alias(name=name, asname=None if local == plain else local))
        if op.module is None and not op.level:
            return ast.Import(names=names)
        return ast.ImportFrom(module=op.module, names=names, level=op.level)

    def _for(self, op: ir.For, owner: str | None) -> Any:
        kind: Any = ast.AsyncFor if op.is_async else ast.For
        return kind(
            target=self._target(op.target),
            iter=self._expr(op.iter),
            body=self._block(op.body, owner),
            orelse=self._block(op.orelse, owner),
            type_comment=None,
        )

    def _with(self, op: ir.With, owner: str | None) -> Any:
        kind: Any = ast.AsyncWith if op.is_async else ast.With
        items = [
            ast.withitem(
                context_expr=self._expr(i.context),
                optional_vars=None if i.target is None else self._target(i.target),
            )
            for i in op.items
        ]
        return kind(items=items, body=self._block(op.body, owner), type_comment=None)

    def _try(self, op: ir.Try, owner: str | None) -> Any:
        handlers = [
            self._at(
                ast.ExceptHandler(type=self._optional(h.type), name=h.name, body=self._block(h.body, owner)),
                h,
            )
            for h in op.handlers
        ]
        return ast.Try(
            body=self._block(op.body, owner),
            handlers=handlers,
            orelse=self._block(op.orelse, owner),
            finalbody=self._block(op.final, owner),
        )

    def _match(self, op: ir.Match, owner: str | None) -> Any:
        cases = [
            ast.match_case(
                pattern=self._pattern(c.pattern),
                guard=self._optional(c.guard),
                body=self._block(c.body, owner),
            )
            for c in op.cases
        ]
        return ast.Match(subject=self._expr(op.subject), cases=cases)

    def _pattern(self, pattern: ir.Pattern) -> Any:
        """Any pattern as a sequence of what it looks at and binds."""
        parts: list[Any] = [ast.MatchValue(value=self._expr(e)) for e in pattern.exprs]
        parts.extend([ast.MatchAs(pattern=None, name=n) for n in pattern.names])
        parts.extend([self._pattern(p) for p in pattern.patterns])
        return parts[0] if len(parts) == 1 else ast.MatchSequence(patterns=parts)

    # ------------------------------------------------------------ expressions

    def _expr(self, expr: ir.Expr) -> ast.expr:
        return cast(ast.expr, self._at(_EXPRESSIONS[type(expr)](self, expr), expr))

    def _exprs(self, exprs: tuple[ir.Expr, ...]) -> list[ast.expr]:
        return [self._expr(e) for e in exprs]

    def _optional(self, expr: ir.Expr | None) -> ast.expr | None:
        return None if expr is None else self._expr(expr)

    def _target(self, expr: ir.Expr) -> ast.expr:
        """An expression that is assigned to."""
        node: Any = self._expr(expr)
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)):
                one.ctx = ast.Store()
            elif isinstance(one, (ast.Tuple, ast.List)):
                one.ctx = ast.Store()
                waiting.extend(one.elts)
            elif isinstance(one, ast.Starred):
                waiting.append(one.value)
        return cast(ast.expr, node)

    def _name(self, expr: ir.Name) -> Any:
        # Targets of comprehensions and of classes in functions carry a prefix in the IR.
        return ast.Name(id=expr.name.rpartition(".")[2], ctx=ast.Load())

    def _call(self, expr: ir.Call) -> Any:
        args, keywords = self._call_arguments(expr.args)
        return ast.Call(func=self._expr(expr.func), args=args, keywords=keywords)

    def _call_arguments(self, arguments: tuple[ir.Argument, ...]) -> tuple[list[ast.expr], list[ast.keyword]]:
        args: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for argument in arguments:
            value = self._expr(argument.value)
            if argument.star == "*":
                args.append(self._at(ast.Starred(value=value, ctx=ast.Load()), argument))
            elif argument.star or argument.keyword is not None:
                keywords.append(self._at(ast.keyword(arg=argument.keyword, value=value), argument))
            else:
                args.append(value)
        return args, keywords

    def _comprehension(self, expr: ir.Comprehension) -> Any:
        generators = [
            ast.comprehension(
                target=self._target(c.target),
                iter=self._expr(c.iter),
                ifs=self._exprs(c.conditions),
                is_async=int(c.is_async),
            )
            for c in expr.clauses
        ]
        element = self._expr(expr.element)
        if expr.kind == "dict":
            value = element if expr.value is None else self._expr(expr.value)
            return ast.DictComp(key=element, value=value, generators=generators)
        return _COMPREHENSIONS[expr.kind](elt=element, generators=generators)

    def _interpolation(self, expr: ir.Interpolation) -> Any:
        spec: Any = self._optional(expr.spec)
        if spec is not None and not isinstance(spec, ast.JoinedStr):
            spec = ast.copy_location(ast.JoinedStr(values=[spec]), spec)
        conversion = _CONVERSIONS.get(expr.conversion or "", -1)
        return ast.FormattedValue(value=self._expr(expr.value), conversion=conversion, format_spec=spec)

    def _walrus(self, expr: ir.Walrus) -> Any:
        target: Any = self._target(expr.target)
        return ast.NamedExpr(target=target, value=self._expr(expr.value))

    def _lambda(self, expr: ir.Lambda) -> Any:
        facts = expr.function
        body = facts.body[0]
        value = body.value if isinstance(body, ir.Return) else None
        inner = self._expr(value) if value is not None else ast.Constant(value=None)
        return ast.Lambda(args=self._arguments(facts.params), body=inner)

    def _arguments(self, params: tuple[ir.Param, ...]) -> ast.arguments:
        out = ast.arguments(
            posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
        )
        for param in params:
            arg = self._at(
                ast.arg(arg=param.name, annotation=self._optional(param.annotation), type_comment=None),
                param,
            )
            if param.kind == "var-positional":
                out.vararg = arg
            elif param.kind == "var-keyword":
                out.kwarg = arg
            elif param.kind == "keyword-only":
                out.kwonlyargs.append(arg)
                out.kw_defaults.append(self._optional(param.default))
            else:
                (out.posonlyargs if param.kind == "positional-only" else out.args).append(arg)
                if param.default is not None:
                    out.defaults.append(self._expr(param.default))
        return out


_STATEMENTS: dict[type, Callable[[TreeBuilder, Any, str | None], Any]] = {
    ir.ExprStmt: lambda b, o, w: ast.Expr(value=b._expr(o.value)),
    ir.Assign: TreeBuilder._assign,
    ir.AugAssign: TreeBuilder._aug_assign,
    ir.Return: lambda b, o, w: ast.Return(value=b._optional(o.value)),
    ir.Raise: lambda b, o, w: ast.Raise(exc=b._optional(o.exc), cause=b._optional(o.cause)),
    ir.Assert: lambda b, o, w: ast.Assert(test=b._expr(o.test), msg=b._optional(o.message)),
    ir.Delete: lambda b, o, w: ast.Delete(targets=b._exprs(o.targets)),
    ir.Global: lambda b, o, w: (ast.Nonlocal if o.nonlocal_ else ast.Global)(names=list(o.names)),
    ir.Import: TreeBuilder._import,
    ir.Pass: lambda b, o, w: ast.Pass(),
    ir.Break: lambda b, o, w: ast.Break(),
    ir.Continue: lambda b, o, w: ast.Continue(),
    ir.Branch: lambda b, o, w: ast.If(
        test=b._expr(o.test), body=b._block(o.body, w), orelse=b._block(o.orelse, w)
    ),
    ir.While: lambda b, o, w: ast.While(
        test=b._expr(o.test), body=b._block(o.body, w), orelse=b._block(o.orelse, w)
    ),
    ir.For: TreeBuilder._for,
    ir.Try: TreeBuilder._try,
    ir.With: TreeBuilder._with,
    ir.Match: TreeBuilder._match,
    ir.TypeAlias: lambda b, o, w: ast.Assign(
        targets=[b._at(ast.Name(id=o.name, ctx=ast.Store()), o)], value=b._expr(o.value)
    ),
}

_EXPRESSIONS: dict[type, Callable[[TreeBuilder, Any], Any]] = {
    ir.Const: lambda b, e: ast.Constant(value=e.value),
    ir.Name: TreeBuilder._name,
    ir.Attribute: lambda b, e: ast.Attribute(value=b._expr(e.base), attr=e.attr, ctx=ast.Load()),
    ir.Subscript: lambda b, e: ast.Subscript(value=b._expr(e.base), slice=b._expr(e.index), ctx=ast.Load()),
    ir.Slice: lambda b, e: ast.Slice(
        lower=b._optional(e.lower), upper=b._optional(e.upper), step=b._optional(e.step)
    ),
    ir.Call: TreeBuilder._call,
    ir.Unary: lambda b, e: ast.UnaryOp(op=_UNARY[e.op](), operand=b._expr(e.operand)),
    ir.Binary: lambda b, e: ast.BinOp(left=b._expr(e.left), op=_BINARY[e.op](), right=b._expr(e.right)),
    ir.BoolOp: lambda b, e: ast.BoolOp(
        op=ast.And() if e.op == "and" else ast.Or(), values=b._exprs(e.values)
    ),
    ir.Compare: lambda b, e: ast.Compare(
        left=b._expr(e.left), ops=[_COMPARE[o]() for o in e.ops], comparators=b._exprs(e.rights)
    ),
    ir.IfExp: lambda b, e: ast.IfExp(test=b._expr(e.test), body=b._expr(e.body), orelse=b._expr(e.orelse)),
    ir.Sequence: lambda b, e: (
        ast.Set(elts=b._exprs(e.items))
        if e.kind == "set"
        else _SEQUENCES[e.kind](elts=b._exprs(e.items), ctx=ast.Load())
    ),
    ir.Dict: lambda b, e: ast.Dict(keys=[b._optional(k) for k in e.keys], values=b._exprs(e.values)),
    ir.Comprehension: TreeBuilder._comprehension,
    ir.Interpolation: TreeBuilder._interpolation,
    ir.FormattedString: lambda b, e: ast.JoinedStr(values=b._exprs(e.parts)),
    ir.Starred: lambda b, e: ast.Starred(value=b._expr(e.value), ctx=ast.Load()),
    ir.Await: lambda b, e: ast.Await(value=b._expr(e.value)),
    ir.Yield: lambda b, e: (
        ast.YieldFrom(value=b._expr(e.value)) if e.is_from else ast.Yield(value=b._optional(e.value))
    ),
    ir.Walrus: TreeBuilder._walrus,
    ir.Lambda: TreeBuilder._lambda,
}
