"""Compares the facts of a file with Python's own ``ast``, node by node.

``Oracle`` walks a file's ``ast`` and its facts side by side: every node must have the kind,
the parts and the exact span that ``ast`` gives it.
"""

from __future__ import annotations

import ast
import sys
import unicodedata

from torch_compile_lint.facts import codec, ir
from torch_compile_lint.facts.lower import lower_file, lower_unit
from torch_compile_lint.facts.walk import functions, nodes
from torch_compile_lint.syntax import blank_bodies

OPS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.Not: "not", ast.USub: "-", ast.UAdd: "+",
    ast.Invert: "~", ast.And: "and", ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

#: By ast class: ours, and the fields that must agree ('ours:theirs', or one name for both).
EXPRESSIONS = {
    "Constant": ("Const", ""),
    "Name": ("Name", ""),
    "Attribute": ("Attribute", "base:value attr"),
    "Subscript": ("Subscript", "base:value index:slice"),
    "Slice": ("Slice", "lower upper step"),
    "Call": ("Call", "func"),
    "UnaryOp": ("Unary", "op operand"),
    "BinOp": ("Binary", "left op right"),
    "BoolOp": ("BoolOp", "op values"),
    "Compare": ("Compare", "left ops rights:comparators"),
    "IfExp": ("IfExp", "test body orelse"),
    "Tuple": ("Sequence", "items:elts"),
    "List": ("Sequence", "items:elts"),
    "Set": ("Sequence", "items:elts"),
    "Dict": ("Dict", "keys values"),
    "ListComp": ("Comprehension", "element:elt clauses:generators"),
    "SetComp": ("Comprehension", "element:elt clauses:generators"),
    "GeneratorExp": ("Comprehension", "element:elt clauses:generators"),
    "DictComp": ("Comprehension", "element:key value clauses:generators"),
    "Starred": ("Starred", "value"),
    "Await": ("Await", "value"),
    "Yield": ("Yield", "value"),
    "YieldFrom": ("Yield", "value"),
    "NamedExpr": ("Walrus", "target value"),
    "Lambda": ("Lambda", ""),
}
STATEMENTS = {
    "Expr": ("ExprStmt", "value"),
    "Assign": ("Assign", "targets value"),
    "AnnAssign": ("Assign", "annotation value"),
    "AugAssign": ("AugAssign", "target op value"),
    "Return": ("Return", "value"),
    "Raise": ("Raise", "exc cause"),
    "Assert": ("Assert", "test message:msg"),
    "Delete": ("Delete", "targets"),
    "Global": ("Global", ""),
    "Nonlocal": ("Global", ""),
    "Import": ("Import", ""),
    "ImportFrom": ("Import", "module level"),
    "Pass": ("Pass", ""),
    "Break": ("Break", ""),
    "Continue": ("Continue", ""),
    "If": ("Branch", "test body orelse"),
    "While": ("While", "test body orelse"),
    "For": ("For", "target iter body orelse"),
    "Try": ("Try", "body handlers orelse final:finalbody"),
    "TryStar": ("Try", "body handlers orelse final:finalbody"),
    "With": ("With", "items body"),
    "Match": ("Match", "subject cases"),
    "FunctionDef": ("FunctionDef", "name decorators:decorator_list"),
    "ClassDef": ("ClassDef", "name decorators:decorator_list"),
    "TypeAlias": ("TypeAlias", "value"),
}
PARTS = {
    "comprehension": "target iter conditions:ifs is_async",
    "ExceptHandler": "type name body",
    "withitem": "context:context_expr target:optional_vars",
    "match_case": "pattern guard body",
}
#: Our kind, the fields that must agree, and theirs that holds a captured name.
PATTERNS = {
    "MatchValue": ("value", "", ""),
    "MatchSingleton": ("singleton", "", ""),
    "MatchSequence": ("sequence", "patterns", ""),
    "MatchStar": ("star", "", "name"),
    "MatchMapping": ("mapping", "exprs:keys patterns", "rest"),
    "MatchClass": ("class", "", ""),
    "MatchAs": ("as", "", "name"),
    "MatchOr": ("or", "patterns", ""),
}


class Oracle:
    """Compares the facts of one file with its ``ast``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.lines = [0]
        raw = text.encode("utf-8", "surrogatepass")
        self.ascii = len(raw) == len(text)
        self.raw_lines = [b""]
        at = 0
        for line in split_lines(text):
            self.raw_lines.append(line.encode("utf-8", "surrogatepass"))
            self.lines.append(at)
            at += len(line)
        self.base = 0
        self.compared = 0
        #: By the index's key: start, end and node of every unit.
        self.units: dict[str, tuple[int, int, ast.AST]] = {}

    def offset(self, line: int, column: int) -> int:
        if self.ascii:
            return self.lines[line] + column
        return self.lines[line] + len(self.raw_lines[line][:column].decode("utf-8", "surrogatepass"))

    def start(self, node: ast.AST) -> int:
        first = node.decorator_list[0] if getattr(node, "decorator_list", None) else None
        if first is not None:
            return self.text.rindex("@", 0, self.offset(first.lineno, first.col_offset))
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.AST) -> int:
        return self.offset(node.end_lineno, node.end_col_offset)

    def check_file(self) -> None:
        facts = lower_file(self.text)
        self.facts = facts
        self.collect(self.tree.body, "")
        assert set(facts) == {"", *self.units}
        self.base = 0
        self.block(facts[""].body, self.tree.body, unit=True)
        for qualname, (start, end, node) in self.units.items():
            unit = facts[qualname]
            self.base = start
            assert (unit.start, unit.end) == (0, end - start), qualname
            written = self.text[start + unit.name_start : start + unit.name_end]
            assert unicodedata.normalize("NFKC", written) == unit.name == node.name
            if isinstance(node, ast.ClassDef):
                self.exprs(unit.decorators, node.decorator_list)
                self.block(unit.body, node.body, unit=True)
            else:
                self.function(unit, node)

    def collect(self, body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, DEFINITIONS):
                qualname = prefix + node.name
                key = self.key(qualname, node)
                self.units[key] = (self.start(node), self.end(node), node)
                if isinstance(node, ast.ClassDef):
                    self.collect(node.body, qualname + ".")
            else:
                for child in ast.iter_child_nodes(node):
                    inner = getattr(child, "body", None)
                    if isinstance(child, ast.stmt):
                        self.collect([child], prefix)
                    elif isinstance(inner, list):  # handlers and cases
                        self.collect(inner, prefix)

    def key(self, qualname: str, node: ast.stmt) -> str:
        if isinstance(node, ast.ClassDef):
            return qualname
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
                return f"{qualname}.{decorator.attr}"
        earlier = self.units.get(qualname)
        if earlier is not None and not isinstance(earlier[2], ast.ClassDef):
            number = 1
            while f"{qualname}#{number}" in self.units:
                number += 1
            self.units[f"{qualname}#{number}"] = earlier
        return qualname

    def span(self, node: ir.Node, expected: ast.AST) -> None:
        self.compared += 1
        got = (node.start + self.base, node.end + self.base)
        want = (self.start(expected), self.end(expected))
        assert got == want, (self.text[slice(*got)], self.text[slice(*want)], expected.lineno)

    def block(self, body: ir.Block, expected: list[ast.stmt], unit: bool = False) -> None:
        assert len(body) == len(expected)
        for op, node in zip(body, expected, strict=True):
            self.stmt(op, node, unit)

    def exprs(self, got: tuple[ir.Expr | None, ...], expected: list[ast.expr | None]) -> None:
        assert len(got) == len(expected)
        for expr, node in zip(got, expected, strict=True):
            self.expr(expr, node)

    def function(self, facts: ir.FunctionFacts, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        assert facts.is_async == isinstance(node, ast.AsyncFunctionDef)
        assert facts.is_generator == yields(node)
        self.exprs(facts.decorators, node.decorator_list)
        self.params(facts.params, node.args)
        self.expr(facts.returns, node.returns)
        self.block(facts.body, node.body)

    def params(self, params: tuple[ir.Param, ...], args: ast.arguments) -> None:
        positional = [*args.posonlyargs, *args.args]
        defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
        expected = [
            (a, d, "positional-only" if a in args.posonlyargs else "positional")
            for a, d in zip(positional, defaults, strict=True)
        ]
        if args.vararg:
            expected.append((args.vararg, None, "var-positional"))
        expected += [(a, d, "keyword-only") for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
        if args.kwarg:
            expected.append((args.kwarg, None, "var-keyword"))
        assert len(params) == len(expected)
        for param, (arg, default, kind) in zip(params, expected, strict=True):
            assert (param.name, param.kind) == (arg.arg, kind)
            assert param.start + self.base == self.start(arg)
            assert param.end + self.base >= self.end(default or arg)
            self.expr(param.annotation, arg.annotation)
            self.expr(param.default, default)

    def arguments(
        self, got: tuple[ir.Argument, ...], args: list[ast.expr], keywords: list[ast.keyword]
    ) -> None:
        mixed = sorted([*args, *keywords], key=lambda a: (a.lineno, a.col_offset))
        assert len(got) == len(mixed)
        for argument, node in zip(got, mixed, strict=True):
            if isinstance(node, ast.keyword):
                assert argument.star == ("" if node.arg else "**")
                assert argument.keyword == node.arg
                assert argument.start + self.base == self.start(node)
                self.expr(argument.value, node.value)
            elif isinstance(node, ast.Starred):
                assert argument.star == "*"
                self.expr(argument.value, node.value)
            else:
                assert argument.star == "" and argument.keyword is None
                self.expr(argument.value, node)

    def fields(self, got: object, node: ast.AST, pairs: str, unit: bool = False) -> None:
        """Compare fields, named as 'ours:theirs' (or once, if the names agree)."""
        for pair in pairs.split():
            ours, _, theirs = pair.partition(":")
            mine, expected = getattr(got, ours), getattr(node, theirs or ours)
            if isinstance(expected, list):
                assert len(mine) == len(expected)
                for item, other in zip(mine, expected, strict=True):
                    self.any(item, other, unit)
            else:
                self.any(mine, expected, unit)

    def any(self, got: object, node: object, unit: bool) -> None:
        if isinstance(node, ast.stmt):
            self.stmt(got, node, unit)
        elif isinstance(node, ast.expr):
            self.expr(got, node)
        elif isinstance(node, ast.pattern):
            self.pattern(got, node)
        elif isinstance(node, (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)):
            assert got == OPS[type(node)]
        elif isinstance(node, ast.AST):
            if isinstance(node, ast.ExceptHandler):
                self.span(got, node)
            self.fields(got, node, PARTS[type(node).__name__], unit)
        else:
            assert got == node, (got, node)

    def expr(self, got: ir.Expr | None, node: ast.expr | None) -> None:
        if node is None or got is None:
            assert got is None and node is None
            return
        kind = type(node).__name__
        if kind in ("JoinedStr", "TemplateStr"):
            self.formatted(got, node, nested=False)
            return
        self.span(got, node)
        ours, pairs = EXPRESSIONS[kind]
        assert type(got).__name__ == ours
        self.fields(got, node, pairs)
        if kind == "Constant":
            assert type(got.value) is type(node.value)
            assert got.value == node.value or got.value != got.value
        elif kind == "Name":
            assert got.name.rpartition(".")[2] == node.id
            assert got.scope in ("local", "free", "global")
        elif kind == "Call":
            self.arguments(got.args, node.args, node.keywords)
        elif kind in ("Tuple", "List", "Set"):
            assert got.kind == kind.lower()
        elif ours == "Comprehension":
            assert got.kind == {"G": "generator", "L": "list", "S": "set", "D": "dict"}[kind[0]]
        elif ours == "Yield":
            assert got.is_from == (kind == "YieldFrom")
        elif kind == "Lambda":
            self.params(got.function.params, node.args)
            (returned,) = got.function.body
            self.expr(returned.value, node.body)

    def formatted(self, got: ir.Expr, node: ast.expr, nested: bool) -> None:
        """Parts of an f-string: ``ast`` joins neighbouring texts, and places them only since 3.12."""
        exact = sys.version_info >= (3, 12)
        assert type(got) is ir.FormattedString
        if not nested:
            assert got.template == (type(node).__name__ == "TemplateStr")
            self.span(got, node)
        mine: list[object] = []
        for part in got.parts:
            if type(part) is ir.Const:
                if mine and isinstance(mine[-1], str):
                    mine[-1] += part.value
                else:
                    mine.append(part.value)
            else:
                assert type(part) is ir.Interpolation
                mine.append(part)
        mine = [part for part in mine if part != ""]
        theirs = [v for v in node.values if not (isinstance(v, ast.Constant) and v.value == "")]
        assert len(mine) == len(theirs)
        for part, value in zip(mine, theirs, strict=True):
            if isinstance(value, ast.Constant):
                assert part == value.value
                continue
            conversion = None if value.conversion == -1 else chr(value.conversion)
            assert part.conversion == conversion
            if exact:
                self.span(part, value)
                self.expr(part.value, value.value)
            else:
                assert ast.dump(value.value) == ast.dump(
                    ast.parse("(" + self.slice(part.value) + ")", mode="eval").body
                )
            if value.format_spec is None:
                assert part.spec is None
            else:
                self.formatted(part.spec, value.format_spec, nested=True)

    def slice(self, node: ir.Node) -> str:
        return self.text[node.start + self.base : node.end + self.base]

    def stmt(self, op: ir.Op, node: ast.stmt, unit: bool) -> None:
        self.span(op, node)
        kind = type(node).__name__
        ours, pairs = STATEMENTS[kind.removeprefix("Async")]
        assert type(op).__name__ == ours
        self.fields(op, node, pairs, unit)
        if hasattr(op, "is_async"):
            assert op.is_async == kind.startswith("Async")
        if kind in ("Global", "Nonlocal"):
            assert op.nonlocal_ == (kind == "Nonlocal") and list(op.names) == node.names
        elif kind == "AnnAssign":
            self.exprs(op.targets, [node.target])
        elif kind == "Assign":
            assert op.annotation is None
        elif kind == "Import":
            assert list(op.names) == [(a.name, a.asname or a.name.partition(".")[0]) for a in node.names]
        elif kind == "ImportFrom":
            assert list(op.names) == [(a.name, a.asname or a.name) for a in node.names]
        elif kind in ("Try", "TryStar"):
            assert op.is_star == (kind == "TryStar")
        elif ours == "FunctionDef":
            assert (op.function is None) == unit
            if op.function is not None:
                assert (op.start, op.end) == (op.function.start, op.function.end)
                self.function(op.function, node)
        elif kind == "ClassDef":
            self.arguments(op.bases, node.bases, node.keywords)
            self.block(op.body, [] if unit else node.body)
        elif kind == "TypeAlias":
            assert op.name == node.name.id

    def pattern(self, got: ir.Pattern, node: ast.pattern) -> None:
        self.span(got, node)
        kind = type(node).__name__
        ours, pairs, names = PATTERNS[kind]
        assert got.kind == ("wildcard" if kind == "MatchAs" and not node.name else ours)
        self.fields(got, node, pairs)
        if names:
            assert list(got.names) == ([getattr(node, names)] if getattr(node, names) else [])
        if kind == "MatchSingleton":
            assert got.exprs[0].value is node.value
        elif kind == "MatchValue":
            self.exprs(got.exprs, [node.value])
        elif kind == "MatchClass":
            self.exprs(got.exprs, [node.cls])
            self.patterns(got.patterns, [*node.patterns, *node.kwd_patterns])
            assert list(got.keywords) == node.kwd_attrs
        elif kind == "MatchAs":
            self.patterns(got.patterns, [node.pattern] if node.pattern else [])

    def patterns(self, got: tuple[ir.Pattern, ...], expected: list[ast.pattern]) -> None:
        for pattern, node in zip(got, expected, strict=True):
            self.pattern(pattern, node)


def split_lines(text: str) -> list[str]:
    """Lines as Python's tokenizer counts them (form feeds and Unicode separators do not end one)."""
    lines = []
    for line in text.replace("\r\n", "\1\n").replace("\r", "\r\n").split("\n"):
        lines.append(line)
    return [
        line[:-1] + "\r\n" if line.endswith("\1") else line if line.endswith("\r") else line + "\n"
        for line in lines
    ]


def yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    todo: list[ast.AST] = list(node.body)
    while todo:
        part = todo.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += [*part.decorator_list, *part.args.defaults, *filter(None, part.args.kw_defaults)]
        elif isinstance(part, ast.Lambda):
            todo += [*part.args.defaults, *filter(None, part.args.kw_defaults)]
        else:
            todo += ast.iter_child_nodes(part)
    return False


def check_ids(facts: ir.FunctionFacts) -> None:
    """Ids are unique within a function and below its size."""
    for function in functions(facts):
        ids = [node.id for node in nodes(function)]
        assert len(ids) == len(set(ids)) and all(0 <= i < function.size for i in ids)


def check_units(oracle: Oracle) -> int:
    """Function by function gives the facts of the whole file."""
    text = oracle.text
    ranges = [(start, end) for start, end, _ in all_units(oracle)]
    count = 0
    blanked = blank_bodies(text, ranges)
    assert len(blanked) == len(text)
    assert codec.encode_facts(lower_unit(blanked, "module", "")) == codec.encode_facts(oracle.facts[""])
    for qualname, (start, end, node) in oracle.units.items():
        unit = text[start:end]
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        if kind == "class":
            inner = [(a - start, b - start) for a, b in ranges if start < a and b <= end]
            unit = blank_bodies(unit, inner)
            assert len(unit) == end - start
        indent = start - max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) - 1
        alone = lower_unit(unit, kind, qualname, indent)
        assert codec.encode_facts(alone) == codec.encode_facts(oracle.facts[qualname]), qualname
        count += 1
    return count


def all_units(oracle: Oracle) -> list[tuple[int, int, ast.AST]]:
    """Also the definitions that a later one of the same name replaces."""
    found = []

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, DEFINITIONS):
                found.append((oracle.start(child), oracle.end(child), child))
                if not isinstance(child, ast.ClassDef):
                    continue
            visit(child)

    visit(oracle.tree)
    return found
