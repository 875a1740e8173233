"""The lowering and its syntax layer on small texts: scopes, spans, units, broken input."""

from __future__ import annotations

import ast
import importlib.util
import sys
import textwrap
from pathlib import Path

import libcst
import pytest
from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower import lower_file, lower_unit
from torch_compile_lint.facts.lower_literal import number, string
from torch_compile_lint.facts.walk import functions, nodes
from torch_compile_lint.syntax import SyntaxProblem, blank_bodies, parse_file

_spec = importlib.util.spec_from_file_location("ast_oracle", Path(__file__).with_name("ast_oracle.py"))
assert _spec is not None and _spec.loader is not None
ast_oracle = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ast_oracle)


def lowered(text: str) -> ir.FunctionFacts:
    return lower_unit(textwrap.dedent(text).strip("\n"), "function", "f")


def scopes(facts: ir.FunctionFacts) -> set[tuple[str, str]]:
    return {(node.name, node.scope) for node in nodes(facts) if isinstance(node, ir.Name)}


def inner(facts: ir.FunctionFacts, name: str) -> ir.FunctionFacts:
    return next(found for found in functions(facts) if found.name == name)


# ---------------------------------------------------------------- scopes


def test_locals_free_and_globals() -> None:
    facts = lowered(
        """
        def f(a, b=g):
            x = a + y
            def h(c=x):
                nonlocal x
                global z
                x, z = c, b
                return lambda: (x, z, w)
            return h
        """
    )
    assert scopes(facts) == {
        ("g", "global"), ("x", "local"), ("a", "local"), ("y", "global"), ("h", "local"),
    }  # fmt: skip
    h = inner(facts, "h")
    assert scopes(h) == {("x", "free"), ("z", "global"), ("c", "local"), ("b", "free")}
    assert (h.locals, h.free) == ({"c"}, {"x", "b"})
    anonymous = inner(facts, "<lambda>")
    assert scopes(anonymous) == {("x", "free"), ("z", "global"), ("w", "global")}
    assert anonymous.free == {"x"}
    assert facts.locals == {"a", "b", "x", "h"} and facts.free == frozenset()
    assert [found.qualname for found in functions(facts)] == [
        "f", "f.<locals>.h", "f.<locals>.h.<locals>.<lambda>",
    ]  # fmt: skip


def test_comprehension_targets_are_renamed() -> None:
    facts = lowered(
        """
        def f(x):
            y = [x for x in x if (last := x)]
            return {k: (lambda: k + x) for k, v in y}, x, last
        """
    )
    first, second = (node for node in nodes(facts) if isinstance(node, ir.Comprehension))
    prefix, other = f"<comp {first.id}>.", f"<comp {second.id}>."
    assert {prefix + "x", other + "k", other + "v", "x", "last"} <= facts.locals
    assert first.element.name == prefix + "x" and first.clauses[0].target.name == prefix + "x"
    assert first.clauses[0].iter.name == "x"
    anonymous = inner(facts, "<lambda>")
    assert scopes(anonymous) == {(other + "k", "free"), ("x", "free")}
    assert anonymous.free == {other + "k", "x"}


def test_nested_comprehensions_see_outer_targets() -> None:
    facts = lowered("def f(rows):\n    return [[cell + n for cell in row] for n, row in rows]")
    names = {node.name for node in nodes(facts) if isinstance(node, ir.Name)}
    outer = next(n for n in names if n.endswith(".n")).removesuffix("n")
    cell = next(n for n in names if n.endswith(".cell")).removesuffix("cell")
    assert names == {"rows", outer + "n", outer + "row", cell + "cell"} and outer != cell


def test_every_way_to_bind_a_name() -> None:
    facts = lowered(
        """
        async def f():
            import a.b, c as d
            from e import g as h
            with i() as j, k() as (l, *m): pass
            for n[0], o.p in q: pass
            try: pass
            except r as s: pass
            match t:
                case {"u": v, **w} | X(y=v, z=w): pass
            del aa
            bb: int
            cc += 1
            class dd: ee = 1
            type ff = int
            async for gg in hh: pass
        """.replace("type ff = int", "ff = int")
    )
    assert facts.locals == {
        "a", "d", "h", "j", "l", "m", "s", "v", "w", "aa", "bb", "cc", "dd", "ff", "gg",
        *(name for name in facts.locals if name.startswith("<class ")),
    }  # fmt: skip
    assert facts.is_async and not facts.is_generator


def test_class_body_inside_a_function() -> None:
    facts = lowered(
        """
        def f(x):
            class C(x):
                y = x
                z = [y for _ in y]
                def m(self, d=y):
                    return y, x
        """
    )
    (statement,) = facts.body
    assert isinstance(statement, ir.ClassDef)
    prefix = f"<class {statement.id}>."
    assert {prefix + "y", prefix + "z", prefix + "m"} <= facts.locals
    method = inner(facts, "m")
    assert method.qualname == "f.<locals>.C.m"
    assert (prefix + "y", "free") in scopes(method)  # the default sees the class body
    assert ("y", "global") in scopes(method)  # the method does not
    assert method.free == {"x"}
    element = next(node for node in nodes(facts) if isinstance(node, ir.Comprehension)).element
    assert (element.name, element.scope) == ("y", "global")


def test_module_names_are_global_and_class_names_local() -> None:
    units = lower_file("import a\nb = a\nclass C(a):\n    x = b\n    y = x\n    f = lambda: x\n")
    assert scopes(units[""]) == {("a", "global"), ("b", "global")}
    assert units[""].locals == {"a", "b", "C"}
    assert scopes(units["C"]) == {("b", "global"), ("x", "local"), ("y", "local"), ("f", "local")}
    assert scopes(inner(units["C"], "<lambda>")) == {("x", "global")}


def test_generators() -> None:
    facts = lowered(
        """
        def f(x=(lambda: (yield))):
            def g(): yield from x
            return g
        """
    )
    assert not facts.is_generator
    assert inner(facts, "g").is_generator and inner(facts, "<lambda>").is_generator


# ---------------------------------------------------------------- expressions and their spans


@pytest.mark.parametrize(
    ("source", "kind", "span"),
    [
        ("((a))", ir.Name, "a"),
        ("( a, )", ir.Sequence, "( a, )"),
        ("((a, b))", ir.Sequence, "(a, b)"),
        ("a, b,", ir.Sequence, "a, b,"),
        ("(a)+(b)", ir.Binary, "(a)+(b)"),
        ("((x for x in y))", ir.Comprehension, "(x for x in y)"),
        ("(\n  f # c\n  (a,\n))", ir.Call, "f # c\n  (a,\n)"),
        ("a \\\n . \\\n b", ir.Attribute, "a \\\n . \\\n b"),
        ("not(a)", ir.Unary, "not(a)"),
        ("(yield)", ir.Yield, "yield"),
        ("f'{a!r:>{w}}' 'b'", ir.FormattedString, "f'{a!r:>{w}}' 'b'"),
        ("'a' \"b\"", ir.Const, "'a' \"b\""),
        ("a[b, :c]", ir.Subscript, "a[b, :c]"),
        ("a if b else(c)", ir.IfExp, "a if b else(c)"),
        ("lambda *a, b=(1), **c: 0", ir.Lambda, "lambda *a, b=(1), **c: 0"),
    ],
)
def test_spans_leave_out_redundant_parentheses(source: str, kind: type, span: str) -> None:
    text = f"def f():\n    x = {source}"
    (statement,) = lower_unit(text, "function", "f").body
    assert isinstance(statement, ir.Assign)
    value = statement.value
    assert type(value) is kind
    assert text[value.start : value.end] == span
    assert text[statement.start : statement.end] == f"x = {source}"


def test_generator_argument_shares_the_call_parentheses() -> None:
    text = "def f():\n    return any( a for a in b )"
    (call,) = (node for node in nodes(lower_unit(text, "function", "f")) if isinstance(node, ir.Call))
    (argument,) = call.args
    assert text[argument.value.start : argument.value.end] == "( a for a in b )"
    assert text[call.start : call.end] == "any( a for a in b )"


def test_boolean_chains_are_flat() -> None:
    (statement,) = lowered("def f():\n    return a and b and (c and d) or e").body
    assert isinstance(statement, ir.Return) and isinstance(statement.value, ir.BoolOp)
    (first, _) = statement.value.values
    assert isinstance(first, ir.BoolOp) and len(first.values) == 3


def test_formatted_strings() -> None:
    (statement,) = lowered("def f():\n    return f'{{{a = !s:{w}.2}}}\\n' rf'\\n{b=}'").body
    assert isinstance(statement, ir.Return) and isinstance(statement.value, ir.FormattedString)
    shown = [
        part.value if isinstance(part, ir.Const) else (part.value.name, part.conversion)
        for part in statement.value.parts
        if isinstance(part, (ir.Const, ir.Interpolation))
    ]
    assert shown == ["{", "a = ", ("a", "s"), "}\n", "\\n", "b=", ("b", "r")]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the oracle is this Python's parser")
def test_type_parameters() -> None:
    text = "def f[T: int, *Ts, **P](x: T) -> T:\n    type A[U] = list[U]\n    return x"
    facts = lower_unit(text, "function", "f")
    assert {"T", "Ts", "P", "A", "x"} == facts.locals
    assert text[facts.params[0].start : facts.params[0].end] == "x: T"


@pytest.mark.parametrize(
    "token",
    ["1_000", "0xFF_f", "0b1_0", "0o17", "00", "1e5", "1_0.5", ".5", "5.", "3j", "1_0.5e-3J", "0_0"],
)
def test_numbers(token: str) -> None:
    expected = ast.literal_eval(token)
    assert number(token) == expected and type(number(token)) is type(expected)


def test_a_number_longer_than_int_accepts() -> None:
    assert number("9" * 10_001) == 10**10_001 - 1


@pytest.mark.parametrize(
    "token",
    [
        r"'\x41\101\u0041\U00000041\N{LATIN SMALL LETTER A}'", r"'\'\"\\\a\b\f\n\r\t\v\0'",
        r"r'\n'", r"Rb'\n'",
        r"b'\x00\377\n'", "'''a\nb'''", "'a\\\nb'", '""', "''''''", "'''a'b'''",
        r"'\ud800\udc00'", r"u'x'", "'é'",
        r"'\8\z'", r"b'\z\u0041'", "b'a\\\nb'",
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_strings(token: str) -> None:
    assert string(token) == ast.literal_eval(token)


# ---------------------------------------------------------------- units

SHAPES = {
    "decorated": "class A:\n    @d(1,\n  2)\n    # c\n    @e\n    def f(self):\n        return 1\n",
    "tabs": "class A:\n\tdef f(self):\n\t\tif self:\n\t\t\treturn 1\n\t\treturn '''\nx'''\n",
    "decorated tabs": "class A:\n\t@d\n\tdef f(self): return 1\n",
    "crlf": "class A:\r\n    @d\r\n    def f(self):\r\n        '''a\r\nb'''\r\n        return 1\r\n",
    "one-liner": "class A:\n    def f(self): x = 1; return x;\n    y = 2",
    "no newline": "class A:\n    def f(self):\n        return 1",
    "continuation": "class A:\n    def \\\n f(self): \\\n      return 1\n",
    "form feed": "class A:\n\x0c\n    def f(self):\n\x0c\n        return 1\n",
    "comment in header": (
        "class A:\n    def f(self, # :\n"
        "        x=':', y={1: 2}) -> 'a:b': # c\n\n        # d\n        return 1\n"
    ),
    "conditional": (
        "if x:\n    class A:\n        if y:\n"
        "            def f(self): return 1\n        else:\n            z = 1\n"
    ),
    "setter": (
        "class A:\n    @property\n    def f(self): return 1\n"
        "    @f.setter\n    def f(self, v): pass\n"
    ),
    "overloads": (
        "class A:\n    def f(self): return 1\n"
        "    def f(self): return lambda: 2\n    def f(self): return 3\n"
    ),
    "nested class": (
        "class A:\n    class B:\n        x = 1\n"
        "        def f(self): return 1\n    def g(self): pass\n"
    ),
    "dedented comment": (
        "class A:\n    def f(self):\n        if self:\n# c\n"
        "            return 1\n  # d\n        return 2\n"
    ),
    "async": "class A:\n    async  def f(self):\n        async with a as b, c: await d\n",
    "one-line class": "class A: x = 1; y = 2\nclass B(A): pass\n",
    "lambda decorator": "@lambda f: f\ndef g(): return 1\n",
    "bom": "\ufeffdef g(): return 1\n",
}  # fmt: skip


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_unit_by_unit_is_the_whole_file(text: str) -> None:
    if text.startswith("\ufeff"):
        units = lower_file(text)
        assert units["g"].end == len("def g(): return 1")
        return
    oracle = ast_oracle.Oracle(text)
    oracle.check_file()
    assert ast_oracle.check_units(oracle) == len(oracle.units)


def test_keys_of_setters_and_overloads() -> None:
    assert list(lower_file(SHAPES["setter"])) == ["", "A.f", "A.f.setter", "A"]
    units = lower_file(SHAPES["overloads"])
    assert set(units) == {"", "A", "A.f", "A.f#1", "A.f#2"}
    assert [found.qualname for found in functions(units["A.f#2"])] == ["A.f#2", "A.f#2.<locals>.<lambda>"]


def test_blanked_bodies_keep_length_and_parse() -> None:
    text = SHAPES["comment in header"]
    start = text.index("def")
    blanked = blank_bodies(text, [(start, len(text) - 1)])
    assert len(blanked) == len(text) and "return" not in blanked and "'a:b'" in blanked
    parse_file(blanked)
    assert blank_bodies("def f(): 0", [(0, 10)]) == "def f(): 0"


def test_moving_a_function_keeps_its_facts() -> None:
    unit = "def f(self, x):\n        return x + 1"
    first = lower_file(f"class A:\n    {unit}\n")["A.f"]
    second = lower_file(f"import a\n\n\nclass A:\n    y = 1\n    {unit}\n")["A.f"]
    assert repr(first) == repr(second)


# ---------------------------------------------------------------- broken input


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(:\n  pass", 1),
        ("def f():\n    print 'a'", 2),
        ("def f():\n    return '", 2),
        ("def f():\n\tif x:\n        y", 3),
        ("x = 1\0", 1),
        ("x = " + "(" * 5000 + ")" * 5000, 1),
        ("x = " + "[" * 300 + "]" * 300, 1),
    ],
)
def test_syntax_problems(text: str, line: int) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower_file(text)
    assert caught.value.line == line and caught.value.column >= 1 and "\n" not in caught.value.message


def test_lines_of_an_indented_unit_count_from_its_own_first() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower_unit("def f(self):\n        return )", "function", "A.f", 4)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 3000 + "1",
        "x = " + " + ".join("1" * 3000),
        "x = a" + ".b" * 3000,
        "x = a" + "()" * 3000,
        "if a: pass\n" + "elif b: pass\n" * 3000,
    ],
    ids=["unary", "binary", "attribute", "call", "elif"],
)
def test_deep_chains_are_a_problem_and_soon(text: str) -> None:
    with pytest.raises(SyntaxProblem):
        lower_file(text)


def test_as_deep_as_real_code_goes() -> None:
    deep = "".join(" " * i + "if x:\n" for i in range(90)) + " " * 90 + "pass\n"
    assert lower_file(deep)[""].body
    assert lower_file("if a: pass\n" + "elif b: pass\n" * 300)[""].body
    assert lower_file("x = " + " + ".join("1" * 300))[""].body


@pytest.mark.skipif(not hasattr(libcst, "TemplatedString"), reason="libcst 1.8 knows t-strings")
def test_template_strings() -> None:
    text = "def f():\n    return t'a{x!r:>{w}}b{{'"
    (statement,) = lower_unit(text, "function", "f").body
    assert isinstance(statement, ir.Return) and isinstance(statement.value, ir.FormattedString)
    assert statement.value.template
    shown = [text[part.start : part.end] for part in statement.value.parts]
    assert shown == ["a", "{x!r:>{w}}", "b{{"]


def test_newer_syntax_needs_no_newer_python() -> None:
    text = "try: pass\nexcept A, B: pass\ntype X[*T] = int\ndef f[T: int = bool](*a: *T): pass\n"
    units = lower_file(text + "try: pass\nexcept* C as d: pass\n")
    assert units["f"].locals == {"T", "a"} and units[""].locals == {"X", "d", "f"}


def test_brackets_in_strings_and_comments_are_not_nesting() -> None:
    text = "x = '" + "(" * 500 + "'  # " + "[" * 500 + "\n"
    assert lower_file(text)[""].body


def test_not_one_definition() -> None:
    with pytest.raises(SyntaxProblem):
        lower_unit("def f(): pass\ndef g(): pass", "function", "f")
    with pytest.raises(SyntaxProblem):
        lower_unit("x = 1", "function", "f")
