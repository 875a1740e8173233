"""Checks of inference by comments: ``# kind: x=tensor[bool,0]`` on the line of an expression.

Several are separated by ``;``. The expression is any that starts on the line (an assigned
name first). Kinds: ``tensor``, ``tensor[bool]``, ``tensor[bool,0]``, ``int``, ``float``,
``bool``, ``int:shape``, ``number:tensor``, ``const(True)``, ``text``, ``'a'``, ``none``,
``size``, ``array``, ``list[…]`` (``…*`` any number), ``instance(m.Net)``, ``function(f)``,
``class(m.Net)``, ``api(torch.relu)``, ``opaque``, ``unknown``; a union is joined by ``|``; a
trailing ``?`` is likely, ``??`` possible. ``# dead`` says the line is never reached,
``# reach`` on a ``def`` that some root reaches it, ``# unreached`` that none does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower import lower_unit
from torch_compile_lint.index import index_file
from torch_compile_lint.model import Confidence
from torch_compile_lint.program.function_view import AnalyzedFunction
from torch_compile_lint.program.infer import Analyzer
from torch_compile_lint.program.lattice import join
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.roots import find_roots
from torch_compile_lint.program.values import (
    Api,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    Number,
    Opaque,
    Partial,
    PyModule,
    Tensor,
    Text,
    Value,
)
from torch_compile_lint.source import source_from_text

_SIMPLE = {"NoneAtom": "none", "Size": "size", "Array": "array", "Unknown": "unknown"}


def describe(value: Value) -> str:
    """A value in the notation of the comments."""
    mark = {Confidence.PROVED: "", Confidence.LIKELY: "?", Confidence.POSSIBLE: "??"}[value.confidence]
    return "|".join(_atom(a) for a in value.atoms) + mark


def _atom(atom: Atom) -> str:
    if isinstance(atom, Tensor):
        if atom.dtype is None and atom.rank is None:
            return "tensor"
        return f"tensor[{atom.dtype or '?'}{'' if atom.rank is None else f',{atom.rank}'}]"
    if isinstance(atom, Number):
        if atom.const is not None:
            return f"const({atom.const!r})"
        return (atom.type or "number") + ("" if atom.source == "python" else f":{atom.source}")
    if isinstance(atom, Text):
        return "text" if atom.const is None else repr(atom.const)
    if isinstance(atom, Container):
        if atom.items is None:
            return f"{atom.kind}[{'' if atom.element is None else describe(atom.element)}*]"
        if atom.keys is not None:
            pairs = zip(atom.keys, atom.items, strict=True)
            return f"{atom.kind}[{', '.join(f'{k!r}:{describe(v)}' for k, v in pairs)}]"
        return f"{atom.kind}[{', '.join(describe(i) for i in atom.items)}]"
    if isinstance(atom, Function):
        return f"function({re.sub('@.*', '', atom.qualname)})"
    if isinstance(atom, ClassRef):
        return f"class({atom.symbol})"
    if isinstance(atom, Instance):
        return f"instance({atom.symbol})"
    if isinstance(atom, Api):
        return f"api({atom.symbol})"
    if isinstance(atom, PyModule):
        return f"python({atom.name})"
    if isinstance(atom, Partial):
        return f"partial({describe(atom.func)})"
    if isinstance(atom, Opaque):
        return "opaque"
    return _SIMPLE[type(atom).__name__]


@dataclass
class Analysis:
    """What the roots of some files gave."""

    values: dict[tuple[str, int, str], Value]  # (path, line, text of the expression)
    lines: set[tuple[str, int]]  # lines of reached statements
    functions: set[tuple[str, int]]  # lines of reached functions' names
    callees: dict[tuple[str, int], set[str]]
    complete: bool
    deps: frozenset[tuple[str, str, str]]


def module_of(path: str) -> str:
    """The module name a path stands for."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def analyse(files: dict[str, str], mode: str = "modules") -> Analysis:
    """Analyse files given by path; a file's module name is its path."""
    sources = {
        path: source_from_text(
            path, text, path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        )
        for path, text in files.items()
    }
    program = Program([index_file(s) for s in sources.values()])
    out = Analysis({}, set(), set(), {}, True, frozenset())

    def load(path: str, unit: str) -> ir.FunctionFacts | None:
        index = program.files.get(path)
        if index is None or unit not in index.functions:
            return None
        function = index.functions[unit]
        return lower_unit(
            sources[path].text[function.start : function.end], "function", unit, function.indent
        )

    def visit(view: AnalyzedFunction) -> None:
        start = 0 if view.unit is None else program.files[view.path].functions[view.unit].start
        text = sources[view.path].text

        def line(offset: int) -> int:
            return text.count("\n", 0, start + offset) + 1

        out.functions.add((view.path, line(view.facts.name_start)))
        for op in view.nodes(ir.Op):
            out.lines.add((view.path, line(op.start)))
        for expr in view.nodes(ir.Expr):
            key = (view.path, line(expr.start), text[start + expr.start : start + expr.end])
            value = view.value(expr)
            known = out.values.get(key)
            out.values[key] = value if known is None else join(known, value)
        for call in view.nodes(ir.Call):
            out.callees.setdefault((view.path, line(call.start)), set()).update(view.callees(call))

    analyzer = Analyzer(program, load, visit)
    for root in find_roots(program, mode):
        result = analyzer.run(root)
        out.complete &= result.complete
        out.deps |= result.deps
    return out


def problems(files: dict[str, str], mode: str = "modules") -> list[str]:
    """Every expectation of the comments that does not hold."""
    found = analyse(files, mode)
    out = [] if found.complete else ["a root was given up"]
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{path}:{number}"
            match = re.search(r"# kind: (.*)$", line)
            if match:
                for part in match[1].split(";"):
                    name, _, expected = part.strip().rpartition("=")
                    value = found.values.get((path, number, name.strip()))
                    got = "nothing" if value is None else describe(value)
                    if got != expected.strip():
                        out.append(f"{where}: {name} is {got}, expected {expected.strip()}")
            if re.search(r"# dead\b", line) and (path, number) in found.lines:
                out.append(f"{where}: reached")
            if re.search(r"# reach\b", line) and (path, number) not in found.functions:
                out.append(f"{where}: not reached")
            if re.search(r"# unreached\b", line) and (path, number) in found.functions:
                out.append(f"{where}: reached")
            match = re.search(r"# calls: (.*)$", line)
            if match and match[1].strip() not in found.callees.get((path, number), set()):
                out.append(f"{where}: calls {sorted(found.callees.get((path, number), set()))}")
    return out


def reach_by_root(files: dict[str, str], shared: bool) -> dict[tuple[str, str], list[str]]:
    """What each root reaches, and the values there, analysed together or each by a fresh analyzer."""
    sources = {path: source_from_text(path, text, module_of(path)) for path, text in files.items()}
    program = Program([index_file(s) for s in sources.values()])

    def load(path: str, unit: str) -> ir.FunctionFacts | None:
        function = program.files[path].functions[unit]
        text = sources[path].text[function.start : function.end]
        return lower_unit(text, "function", unit, function.indent)

    def visit(view: AnalyzedFunction) -> str:
        return ";".join(f"{n.id}:{describe(view.value(n))}" for n in view.nodes(ir.Expr))

    analyzer = Analyzer(program, load, visit)
    out = {}
    for root in find_roots(program):
        if not shared:
            analyzer = Analyzer(program, load, visit)
        result = analyzer.run(root)
        seen = [f"{r.path} {r.facts.qualname} {len(r.steps)} {r.hits}" for r in result.reached]
        out[(root.path, root.qualname + (root.owner or ""))] = [*sorted(seen), *map(str, sorted(result.deps))]
    return out
