"""The script around a model, as rules about torch.compile itself see it: one unit, in source order.

Nothing is inferred here and nothing has to be reachable from a compile root: names are resolved
through imports, and what torch.compile gave is followed through assignments to a name or to an
attribute of ``self``. Only units that mention the compiler, or a name that holds something
compiled, are looked at, so a library without such lines pays nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.facts.walk import functions
from torch_compile_lint.index_marks import SCRIPT_WORDS
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.symbols import ClassSymbol, ExternalSymbol
from torch_compile_lint.program.tree import children, dotted, walk
from torch_compile_lint.records import dataclass

N = TypeVar("N", bound=ir.Node)

COMPILERS = frozenset(("torch.compile", "torch._dynamo.optimize", "torch._dynamo.optimize_assert"))
_IN_PLACE = "compile"


@dataclass(frozen=True, slots=True)
class Compiled:
    """Something torch.compile made, or (``in_place``) what `module.compile()` was called on."""

    call: ir.Call
    target: ir.Expr | None  # what was compiled, where the call says so
    in_place: bool = False

    def option(self, name: str) -> object:
        """A keyword's constant value; ... for another expression, None when it is not given."""
        for argument in self.call.args:
            if argument.keyword == name:
                return argument.value.value if isinstance(argument.value, ir.Const) else ...
        return None


class Script:
    """One function, or the module's own statements.

    ``text`` is the unit's, ``file_text`` the whole file's; ``target`` the release to judge by.
    """

    __slots__ = (
        "_assigned",
        "_imports",
        "_nodes",
        "_parents",
        "_program",
        "facts",
        "file_text",
        "path",
        "target",
        "text",
    )

    def __init__(
        self, program: Program, path: str, facts: ir.FunctionFacts, text: str, file_text: str, target: str
    ) -> None:
        self.facts = facts
        self.path = path
        self.target = target
        self.text = text  # of the unit, which spans are relative to
        self.file_text = file_text
        self._program = program
        self._parents: dict[int, ir.Node | None] = {}
        self._nodes: list[ir.Node] = []
        self._imports: dict[str, str] = {}
        self._assigned: dict[str, list[tuple[int, ir.Expr | None]]] = {}
        nodes = [(d, None) for d in facts.decorators] if "<locals>" not in facts.qualname else []
        for node, parent in (*_expressions(nodes), *walk(facts)):
            self._parents[node.id] = parent
            self._nodes.append(node)
            if type(node) is ir.Import:
                self._import(node)
            elif type(node) is ir.Assign and node.value is not None:
                for place in node.targets:
                    self._assign(place, node.value)
            elif type(node) is ir.For or type(node) is ir.Clause:
                self._assign(node.target, None)

    def _import(self, node: ir.Import) -> None:
        if node.level:
            return
        for name, local in node.names:
            if node.module is not None:
                self._imports[local] = f"{node.module}.{name}"
            elif local == name.partition(".")[0]:
                self._imports[local] = local
            else:
                self._imports[local] = name

    def _assign(self, target: ir.Expr, value: ir.Expr | None) -> None:
        if isinstance(target, ir.Sequence):
            for item in target.items:
                self._assign(item, None)
            return
        name = dotted(target)
        if name is not None:
            # A name has its new value behind the statement: `model = torch.compile(model)`.
            at = target.end if value is None else value.end
            self._assigned.setdefault(name, []).append((at, value))

    # ------------------------------------------------------------ nodes

    def nodes(self, kind: type[N]) -> Iterator[N]:
        """All nodes of a type, in source order; nested functions are scripts of their own."""
        for node in self._nodes:
            if isinstance(node, kind):
                yield node

    def parent(self, node: ir.Node) -> ir.Node | None:
        """The node that holds this one."""
        return self._parents.get(node.id)

    def loops(self, node: ir.Node) -> Iterator[ir.For | ir.While | ir.Clause]:
        """The loops around a node, innermost first; a comprehension's clauses count."""
        child, parent = node, self.parent(node)
        while parent is not None:
            if isinstance(parent, ir.For | ir.While):
                if any(op is child for op in parent.body):
                    yield parent
            elif isinstance(parent, ir.Comprehension) and not isinstance(child, ir.Clause):
                yield from parent.clauses
            child, parent = parent, self.parent(parent)

    def source(self, node: ir.Node, limit: int = 60) -> str:
        """Source of a node on one line, shortened in the middle."""
        text = " ".join(self.text[node.start : node.end].split())
        return text if len(text) <= limit else f"{text[: limit * 2 // 3]}…{text[-(limit // 3 - 1) :]}"

    # ------------------------------------------------------------ names

    def name(self, expr: ir.Expr) -> str:
        """The canonical dotted name of an import's thing ('torch._dynamo.config'); '' if unknown."""
        written = dotted(expr)
        if written is None:
            return ""
        first, _, rest = written.partition(".")
        if first in self._imports:
            whole = self._imports[first] + ("." + rest if rest else "")
            found = self._program.absolute(whole, self.path)
        elif self.facts.kind != "module" and first in self.facts.locals:
            return ""
        else:
            found = self._program.resolve_all(self.path, written)
        for symbol in found:
            if type(symbol) is ExternalSymbol:
                return symbol.name
            if type(symbol) is ClassSymbol:
                return symbol.symbol
        return ""

    def class_methods(self, expr: ir.Expr | None) -> frozenset[str]:
        """Methods that the program's class defines of which ``expr`` makes an instance; else none."""
        info = self._program.classes.info(self.instance_class(expr))
        return frozenset() if info is None else frozenset(info.index.methods)

    def instance_class(self, expr: ir.Expr | None) -> str:
        """Canonical name of what is called to make ``expr``: the class of an instance; '' if unknown."""
        if isinstance(expr, ir.Name | ir.Attribute):
            expr = self.assigned(expr)
        return self.name(expr.func) if isinstance(expr, ir.Call) else ""

    def method_decorators(self, expr: ir.Expr | None, method: str) -> tuple[tuple[str, ir.Expr], ...]:
        """Decorators of the method that ``expr.method`` finds, outermost first: name and expression."""
        symbol = self.instance_class(expr)
        found = self._program.classes.find_method(symbol, method) if symbol else None
        if found is None:
            return ()
        out = []
        for decorator in found.index.decorators:
            named = decorator.func if isinstance(decorator, ir.Call) else decorator
            symbols = self._program.resolve_expr(found.path, named)
            names = [s.name for s in symbols if type(s) is ExternalSymbol]
            out.append((names[0] if names else "", decorator))
        return tuple(out)

    def assigned(self, expr: ir.Expr) -> ir.Expr | None:
        """What a name or `self.attribute` was last given before here in this unit; None if unknown."""
        name = dotted(expr)
        before = [v for at, v in self._assigned.get(name or "", ()) if at <= expr.start]
        return before[-1] if before else None

    def written(self, expr: ir.Expr) -> str:
        """'self.model' as the source spells it; '' for what is no chain of names."""
        return dotted(expr) or ""

    # ------------------------------------------------------------ what was compiled

    def compile_call(self, expr: ir.Expr | None) -> Compiled | None:
        """``expr`` itself as a call of torch.compile: with its function, or with options only."""
        if not isinstance(expr, ir.Call):
            return None
        if isinstance(expr.func, ir.Call):  # torch.compile(backend=...)(model)
            outer = self.compile_call(expr.func)
            if outer is not None and outer.target is None and expr.args:
                return Compiled(expr.func, expr.args[0].value)
            return None
        if self.name(expr.func) not in COMPILERS:
            return None
        given = [a.value for a in expr.args if (a.keyword is None and not a.star) or a.keyword == "model"]
        return Compiled(expr, given[0] if given else None)

    def compiled(self, expr: ir.Expr) -> Compiled | None:
        """What torch.compile made of which ``expr`` is the latest name before here; None if it is not."""
        found = self.compile_call(expr)
        if found is not None:
            return found
        name = dotted(expr)
        if name is None:
            return None
        if name in self._assigned:
            value = self.assigned(expr)
            if value is not None or not name.startswith("self."):
                return self.compile_call(value)
        if name.startswith("self.") and name.count(".") == 1:
            return self._attribute(name[5:])
        return None

    def _attribute(self, name: str) -> Compiled | None:
        """What some method of the class stores under ``self.name``, if that is something compiled."""
        index = self._program.file(self.path)
        owner = self.facts.qualname.split(".<locals>")[0].rpartition(".")[0]
        holder = index.classes.get(owner) if index is not None else None
        for sketch in holder.attributes if holder is not None else ():
            if sketch.name == name and isinstance(sketch.value, ir.Call) and sketch.op == "":
                call = sketch.value
                inner = call.func if isinstance(call.func, ir.Call) else call
                for symbol in self._program.resolve_expr(self.path, inner.func):
                    if type(symbol) is ExternalSymbol and symbol.name in COMPILERS:
                        given = [a.value for a in call.args if a.keyword is None and not a.star]
                        return Compiled(inner, given[0] if given else None)
        return None

    def in_place(self) -> Iterator[Compiled]:
        """`thing.compile(...)` calls whose receiver is no module or class of the program."""
        for call in self.nodes(ir.Call):
            if (
                isinstance(call.func, ir.Attribute)
                and call.func.attr == _IN_PLACE
                and not self.name(call.func)
            ):
                yield Compiled(call, call.func.base, True)


def _expressions(nodes: list[tuple[ir.Expr, None]]) -> list[tuple[ir.Node, ir.Node | None]]:
    """Decorators with everything in them: a function's walk starts at its body."""
    out: list[tuple[ir.Node, ir.Node | None]] = list(nodes)
    for node, _ in out:
        out.extend((child, node) for child in children(node))
    return out


def scripts(
    program: Program,
    index: FileIndex,
    text: str,
    target: str,
    facts_of: Callable[[str, str], ir.FunctionFacts | None],
    text_of: Callable[[str, str | None], str],
) -> Iterator[tuple[Script, str | None]]:
    """The units of a file that rules about scripts should see, each with its unit's qualname."""
    holders = _holding(program, index)
    aliases = _aliases(index)
    spans = [(f.start, f.end) for f in index.functions.values()]
    outside = _outside(text, spans)
    if SCRIPT_WORDS.search(outside):
        facts = facts_of(index.path, "")
        if facts is not None:
            yield Script(program, index.path, facts, text, text, target), None
    for function in index.functions.values():
        body = text[function.start : function.end]
        names = holders.get(function.owner or "", frozenset())
        if (
            not SCRIPT_WORDS.search(body)
            and not any(f"self.{name}" in body for name in names)
            and not (aliases is not None and aliases.search(body))
        ):
            continue
        unit = facts_of(index.path, function.qualname)
        for facts in functions(unit) if unit is not None else ():
            if facts.kind == "function":
                unit_text = text_of(index.path, function.qualname)
                yield Script(program, index.path, facts, unit_text, text, target), function.qualname


def _aliases(index: FileIndex) -> re.Pattern[str] | None:
    """What of the compiler a file imports under a name of its own."""
    names = []
    for one in index.imports:
        whole = f"{one.module}.{one.attr}" if one.attr is not None else one.module
        if one.local != "torch" and (SCRIPT_WORDS.search(whole) or one.attr in ("compile", "compiler")):
            names.append(re.escape(one.local))
    return re.compile(rf"\b(?:{'|'.join(names)})\b") if names else None


def _outside(text: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in sorted(spans):
        if start >= at:
            parts.append(text[at:start])
            at = end
    parts.append(text[at:])
    return "".join(parts)


def _holding(program: Program, index: FileIndex) -> dict[str, frozenset[str]]:
    """Per class: its attributes that some method sets to what torch.compile returns."""
    out = {}
    for qualname, one in index.classes.items():
        names = set()
        for sketch in one.attributes:
            if isinstance(sketch.value, ir.Call):
                func = sketch.value.func
                func = func.func if isinstance(func, ir.Call) else func
                found = program.resolve_expr(index.path, func)
                if any(type(s) is ExternalSymbol and s.name in COMPILERS for s in found):
                    names.add(sketch.name)
        if names:
            out[qualname] = frozenset(names)
    return out
