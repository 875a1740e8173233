"""Properties of the lowering over real code, with Python's own ``ast`` as the oracle.

``Oracle`` walks a file's ``ast`` and its facts side by side: every node must have the kind,
the parts and the exact span that ``ast`` gives it. The committed tests take a sample of the
standard library; ``python tests/test_lower_properties.py PATH...`` takes whatever is named.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower import lower_file, lower_unit
from torch_compile_lint.facts.walk import functions, nodes
from torch_compile_lint.syntax import SyntaxProblem, blank_bodies

warnings.simplefilter("ignore")

OPS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.Not: "not", ast.USub: "-", ast.UAdd: "+",
    ast.Invert: "~", ast.And: "and", ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
            assert self.text[start + unit.name_start : start + unit.name_end] == unit.name == node.name
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
        for op, node in zip(body, expected):
            self.stmt(op, node, unit)

    def exprs(self, got: tuple[ir.Expr | None, ...], expected: list[ast.expr | None]) -> None:
        assert len(got) == len(expected)
        for expr, node in zip(got, expected):
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
            for a, d in zip(positional, defaults)
        ]
        if args.vararg:
            expected.append((args.vararg, None, "var-positional"))
        expected += [(a, d, "keyword-only") for a, d in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            expected.append((args.kwarg, None, "var-keyword"))
        assert len(params) == len(expected)
        for param, (arg, default, kind) in zip(params, expected):
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
        for argument, node in zip(got, mixed):
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

    def expr(self, got: ir.Expr | None, node: ast.expr | None) -> None:
        if node is None or got is None:
            assert got is None and node is None
            return
        kind = type(node).__name__
        if kind not in ("JoinedStr", "TemplateStr", "FormattedValue", "Interpolation"):
            self.span(got, node)
        if kind == "Constant":
            assert type(got) is ir.Const and type(got.value) is type(node.value)
            assert got.value == node.value or got.value != got.value
        elif kind == "Name":
            assert type(got) is ir.Name and got.name.rpartition(".")[2] == node.id
            assert got.scope in ("local", "free", "global")
        elif kind == "Attribute":
            assert type(got) is ir.Attribute and got.attr == node.attr
            self.expr(got.base, node.value)
        elif kind == "Subscript":
            assert type(got) is ir.Subscript
            self.expr(got.base, node.value)
            self.expr(got.index, node.slice)
        elif kind == "Slice":
            assert type(got) is ir.Slice
            self.exprs((got.lower, got.upper, got.step), [node.lower, node.upper, node.step])
        elif kind == "Call":
            assert type(got) is ir.Call
            self.expr(got.func, node.func)
            self.arguments(got.args, node.args, node.keywords)
        elif kind == "UnaryOp":
            assert type(got) is ir.Unary and got.op == OPS[type(node.op)]
            self.expr(got.operand, node.operand)
        elif kind == "BinOp":
            assert type(got) is ir.Binary and got.op == OPS[type(node.op)]
            self.expr(got.left, node.left)
            self.expr(got.right, node.right)
        elif kind == "BoolOp":
            assert type(got) is ir.BoolOp and got.op == OPS[type(node.op)]
            self.exprs(got.values, node.values)
        elif kind == "Compare":
            assert type(got) is ir.Compare and list(got.ops) == [OPS[type(op)] for op in node.ops]
            self.expr(got.left, node.left)
            self.exprs(got.rights, node.comparators)
        elif kind == "IfExp":
            assert type(got) is ir.IfExp
            self.exprs((got.test, got.body, got.orelse), [node.test, node.body, node.orelse])
        elif kind in ("Tuple", "List", "Set"):
            assert type(got) is ir.Sequence and got.kind == kind.lower()
            self.exprs(got.items, node.elts)
        elif kind == "Dict":
            assert type(got) is ir.Dict
            self.exprs(got.keys, node.keys)
            self.exprs(got.values, node.values)
        elif kind in ("ListComp", "SetComp", "DictComp", "GeneratorExp"):
            assert type(got) is ir.Comprehension
            assert got.kind == {"G": "generator", "L": "list", "S": "set", "D": "dict"}[kind[0]]
            self.expr(got.element, node.key if kind == "DictComp" else node.elt)
            self.expr(got.value, node.value if kind == "DictComp" else None)
            assert len(got.clauses) == len(node.generators)
            for clause, generator in zip(got.clauses, node.generators):
                assert clause.is_async == bool(generator.is_async)
                self.expr(clause.target, generator.target)
                self.expr(clause.iter, generator.iter)
                self.exprs(clause.conditions, generator.ifs)
                assert self.text[clause.start + self.base :].startswith(("for", "async"))
        elif kind in ("JoinedStr", "TemplateStr"):
            self.formatted(got, node, nested=False)
        elif kind == "Starred":
            assert type(got) is ir.Starred
            self.expr(got.value, node.value)
        elif kind == "Await":
            assert type(got) is ir.Await
            self.expr(got.value, node.value)
        elif kind in ("Yield", "YieldFrom"):
            assert type(got) is ir.Yield and got.is_from == (kind == "YieldFrom")
            self.expr(got.value, node.value)
        elif kind == "NamedExpr":
            assert type(got) is ir.Walrus
            self.expr(got.target, node.target)
            self.expr(got.value, node.value)
        elif kind == "Lambda":
            assert type(got) is ir.Lambda
            self.params(got.function.params, node.args)
            (returned,) = got.function.body
            assert type(returned) is ir.Return
            self.expr(returned.value, node.body)
        else:
            raise AssertionError(kind)

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
        for part, value in zip(mine, theirs):
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
        name = type(op).__name__
        if kind == "Expr":
            assert name == "ExprStmt"
            self.expr(op.value, node.value)
        elif kind == "Assign":
            assert name == "Assign" and op.annotation is None
            self.exprs(op.targets, node.targets)
            self.expr(op.value, node.value)
        elif kind == "AnnAssign":
            assert name == "Assign"
            self.exprs((*op.targets, op.annotation, op.value), [node.target, node.annotation, node.value])
        elif kind == "AugAssign":
            assert name == "AugAssign" and op.op == OPS[type(node.op)]
            self.exprs((op.target, op.value), [node.target, node.value])
        elif kind == "Return":
            self.expr(op.value, node.value)
        elif kind == "Raise":
            self.exprs((op.exc, op.cause), [node.exc, node.cause])
        elif kind == "Assert":
            self.exprs((op.test, op.message), [node.test, node.msg])
        elif kind == "Delete":
            self.exprs(op.targets, node.targets)
        elif kind in ("Global", "Nonlocal"):
            assert list(op.names) == node.names and op.nonlocal_ == (kind == "Nonlocal")
        elif kind == "Import":
            assert list(op.names) == [(a.name, a.asname or a.name.partition(".")[0]) for a in node.names]
        elif kind == "ImportFrom":
            assert (op.module, op.level) == (node.module, node.level)
            assert list(op.names) == [(a.name, a.asname or a.name) for a in node.names]
        elif kind in ("Pass", "Break", "Continue"):
            assert name == kind
        elif kind in ("If", "While"):
            assert name == {"If": "Branch"}.get(kind, kind)
            self.expr(op.test, node.test)
            self.block(op.body, node.body, unit)
            self.block(op.orelse, node.orelse, unit)
        elif kind in ("For", "AsyncFor"):
            assert name == "For" and op.is_async == (kind == "AsyncFor")
            self.exprs((op.target, op.iter), [node.target, node.iter])
            self.block(op.body, node.body, unit)
            self.block(op.orelse, node.orelse, unit)
        elif kind in ("Try", "TryStar"):
            assert name == "Try" and op.is_star == (kind == "TryStar")
            self.block(op.body, node.body, unit)
            for handler, expected in zip(op.handlers, node.handlers, strict=True):
                self.span(handler, expected)
                self.expr(handler.type, expected.type)
                assert handler.name == expected.name
                self.block(handler.body, expected.body, unit)
            self.block(op.orelse, node.orelse, unit)
            self.block(op.final, node.finalbody, unit)
        elif kind in ("With", "AsyncWith"):
            assert name == "With" and op.is_async == (kind == "AsyncWith")
            for item, expected in zip(op.items, node.items, strict=True):
                self.exprs((item.context, item.target), [expected.context_expr, expected.optional_vars])
            self.block(op.body, node.body, unit)
        elif kind == "Match":
            self.expr(op.subject, node.subject)
            for case, expected in zip(op.cases, node.cases, strict=True):
                self.pattern(case.pattern, expected.pattern)
                self.expr(case.guard, expected.guard)
                self.block(case.body, expected.body, unit)
        elif kind in ("FunctionDef", "AsyncFunctionDef"):
            assert name == "FunctionDef" and op.name == node.name
            self.exprs(op.decorators, node.decorator_list)
            assert (op.function is None) == unit
            if op.function is not None:
                assert (op.start, op.end) == (op.function.start, op.function.end)
                self.function(op.function, node)
        elif kind == "ClassDef":
            assert name == "ClassDef" and op.name == node.name
            self.exprs(op.decorators, node.decorator_list)
            self.arguments(op.bases, node.bases, node.keywords)
            if not unit:
                self.block(op.body, node.body)
        elif kind == "TypeAlias":
            assert name == "TypeAlias" and op.name == node.name.id
            self.expr(op.value, node.value)
        else:
            raise AssertionError(kind)

    def pattern(self, got: ir.Pattern, node: ast.pattern) -> None:
        self.span(got, node)
        kind = type(node).__name__
        if kind == "MatchValue":
            assert got.kind == "value"
            self.exprs(got.exprs, [node.value])
        elif kind == "MatchSingleton":
            assert got.kind == "singleton" and got.exprs[0].value is node.value
        elif kind == "MatchSequence":
            assert got.kind == "sequence"
            self.patterns(got.patterns, node.patterns)
        elif kind == "MatchStar":
            assert got.kind == "star" and list(got.names) == ([node.name] if node.name else [])
        elif kind == "MatchMapping":
            assert got.kind == "mapping" and list(got.names) == ([node.rest] if node.rest else [])
            self.exprs(got.exprs, node.keys)
            self.patterns(got.patterns, node.patterns)
        elif kind == "MatchClass":
            assert got.kind == "class" and list(got.keywords) == node.kwd_attrs
            self.exprs(got.exprs, [node.cls])
            self.patterns(got.patterns, [*node.patterns, *node.kwd_patterns])
        elif kind == "MatchAs":
            assert got.kind == ("as" if node.name else "wildcard")
            assert list(got.names) == ([node.name] if node.name else [])
            self.patterns(got.patterns, [node.pattern] if node.pattern else [])
        else:
            assert kind == "MatchOr" and got.kind == "or"
            self.patterns(got.patterns, node.patterns)

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


def same(a: object, b: object) -> bool:
    """Structural equality of two facts (sets have no order, so not by ``repr``)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, (ir.Node, ir.FunctionFacts)):
        names = type(a).__dataclass_fields__
        return all(same(getattr(a, name), getattr(b, name)) for name in names)
    return a == b or (a != a and b != b)


def check_units(oracle: Oracle) -> int:
    """Function by function gives the facts of the whole file."""
    text = oracle.text
    ranges = [(start, end) for start, end, _ in all_units(oracle)]
    count = 0
    blanked = blank_bodies(text, ranges)
    assert len(blanked) == len(text)
    assert same(lower_unit(blanked, "module", ""), oracle.facts[""])
    for qualname, (start, end, node) in oracle.units.items():
        unit = text[start:end]
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        if kind == "class":
            inner = [(a - start, b - start) for a, b in ranges if start < a and b <= end]
            unit = blank_bodies(unit, inner)
            assert len(unit) == end - start
        indent = start - max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) - 1
        alone = lower_unit(unit, kind, qualname, indent)
        assert same(alone, oracle.facts[qualname]), qualname
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


def read(path: Path) -> str | None:
    """The text as the tool would see it; None for what Python itself cannot parse."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        ast.parse(text)
    except (UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return None
    return text


def sample(count: int) -> list[Path]:
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(p for p in stdlib.rglob("*.py") if "site-packages" not in p.parts)
    big = [p for p in files if 2_000 < p.stat().st_size < 60_000]
    chosen = big[:: max(1, len(big) // count)]
    return chosen + [p for p in files if p.name in ("test_patma.py", "test_grammar.py", "test_fstring.py")]


@pytest.mark.parametrize("path", sample(60), ids=lambda p: p.name)
def test_stdlib_matches_ast(path: Path) -> None:
    text = read(path)
    if text is None:
        pytest.skip("not Python of this version")
    oracle = Oracle(text)
    oracle.check_file()
    for facts in oracle.facts.values():
        check_ids(facts)
    if path.stat().st_size < 60_000:
        check_units(oracle)


def main(roots: list[str]) -> None:
    failed = checked = nodes_ = units = 0
    for root in roots:
        paths = [Path(root)] if os.path.isfile(root) else sorted(Path(root).rglob("*.py"))
        for path in paths:
            text = read(path)
            if text is None:
                continue
            checked += 1
            try:
                oracle = Oracle(text)
                oracle.check_file()
                for facts in oracle.facts.values():
                    check_ids(facts)
                if os.environ.get("UNITS"):
                    units += check_units(oracle)
                nodes_ += oracle.compared
            except SyntaxProblem as error:
                print("PROBLEM", path, error, flush=True)
            except Exception as error:
                failed += 1
                print("FAIL", path, type(error).__name__, str(error)[:300], flush=True)
    print(f"{checked} files, {nodes_} nodes compared, {units} units, {failed} failed")


if __name__ == "__main__":
    main(sys.argv[1:])
