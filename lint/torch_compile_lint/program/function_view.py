"""The concrete FunctionView: an analysed function in one context, as rules see it.

A view lives only while ``visit`` runs: its tables are let go afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from torch_compile_lint.facts import ir
from torch_compile_lint.program.frame import Frame
from torch_compile_lint.program.symbols import ExternalSymbol
from torch_compile_lint.program.tree import walk
from torch_compile_lint.program.values import UNKNOWN, Api, Container, Function, Instance, Value

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import AttributeSketch
    from torch_compile_lint.program.infer import Record
    from torch_compile_lint.program.link import Program

N = TypeVar("N", bound=ir.Node)


class Outline:
    """Parents and source order of a function's nodes; made once per function.

    ``plan`` is for whoever visits views: what it worked out about the function from its form.
    """

    __slots__ = ("by_kind", "facts", "nodes", "parents", "passes", "plan")

    def __init__(self, facts: ir.FunctionFacts) -> None:
        self.facts = facts
        self.plan: object = None
        self.passes = -2  # of ``passthrough``, which has not looked yet
        self.parents: list[ir.Node | None] = [None] * facts.size
        self.nodes: list[ir.Node] = []
        self.by_kind: dict[type, list[ir.Node]] = {}
        for node, parent in walk(facts):
            self.nodes.append(node)
            self.parents[node.id] = parent
            self.by_kind.setdefault(type(node), []).append(node)


_outlines: dict[int, Outline] = {}


def outline(facts: ir.FunctionFacts) -> Outline:
    """The outline of a function."""
    known = _outlines.get(id(facts))
    if known is None or known.facts is not facts:
        known = _outlines[id(facts)] = Outline(facts)
    return known


def forget_outlines() -> None:
    """Let the outlines go, and with them the facts they hold."""
    _outlines.clear()


class AnalyzedFunction:
    """See ``view.FunctionView``, which this implements. ``source`` is set by the engine for ``text``."""

    __slots__ = ("_frame", "facts", "fullgraph", "is_root", "outline", "path", "source", "unit")

    def __init__(self, frame: Frame, record: Record, is_root: bool, fullgraph: bool) -> None:
        self.facts = record.facts
        self.path = record.path
        self.unit = record.unit
        self.is_root = is_root
        self.fullgraph = fullgraph
        self.source: str | None = None  # the unit's text
        self._frame = frame
        self.outline = outline(record.facts)

    def value(self, expr: ir.Expr) -> Value:
        """The inferred value of an expression; UNKNOWN where it was never evaluated."""
        table = self._frame.table
        value = table[expr.id] if table is not None and expr.id < len(table) else None
        return value if value is not None and value.atoms else UNKNOWN

    def callees(self, call: ir.Call) -> tuple[str, ...]:
        """Canonical dotted names of what may be called."""
        return self._frame.callees.get(call.id, ())

    def descriptor(self, node: ir.Attribute) -> str:
        """The kind of the method or property that an attribute names in its object's class."""
        for atom in self.value(node.base).atoms:
            if isinstance(atom, Instance):
                ref = self._frame.analyzer.program.classes.find_method(atom.symbol, node.attr)
                if ref is not None:
                    kind: str = ref.kind
                    return kind
        return ""

    def makers(self, node: ir.Attribute) -> tuple[str, ...]:
        """What the class stores under an attribute, by what is called; see ``view.FunctionView``."""
        program = self._frame.analyzer.program
        out: list[str] = []
        for atom in self.value(node.base).atoms:
            if not isinstance(atom, Instance):
                continue
            for info, sketch in program.classes.attribute_sketches(atom.symbol, node.attr):
                if sketch.value is not None and not sketch.op.endswith("="):
                    out.append(_maker(program, info.path, sketch) if not sketch.op else sketch.op)
        return tuple(out)

    def is_own(self, symbol: str) -> bool:
        """Whether a class is one of the program's own, not of an installed package."""
        info = self._frame.analyzer.program.classes.info(symbol)
        return info is not None and not info.external

    def is_fixed(self, call: ir.Call) -> bool:
        """Whether every call of what is called here answers the same as long as the process lives."""
        atoms = self.value(call.func).atoms
        analyzer = self._frame.analyzer
        return bool(atoms) and all(type(atom) is Function and analyzer.is_fixed(atom) for atom in atoms)

    def argument(self, call: ir.Call, index: int, keyword: str | None = None) -> ir.Expr | None:
        """The expression passed at a position or by keyword."""
        position = 0
        for argument in call.args:
            if argument.keyword is not None:
                if argument.keyword == keyword:
                    return argument.value
            elif argument.star:
                if argument.star == "*":
                    position = 1 << 20
            elif position == index:
                return argument.value
            else:
                position += 1
        return None

    def reached(self, node: ir.Node) -> bool:
        """Whether the node was ever evaluated."""
        table = self._frame.table
        if table is None or node.id >= len(table):
            return False
        if table[node.id] is not None:
            return True
        if isinstance(node, ir.Op | ir.Expr):
            return False
        parent = self.outline.parents[node.id]
        return True if parent is None else self.reached(parent)

    def position(self, node: ir.Node) -> tuple[str, ...]:
        """Enclosing 'loop', 'try' and 'with', outermost first."""
        out: list[str] = []
        child: ir.Node = node
        parent = self.outline.parents[node.id]
        while parent is not None:
            if type(parent) is ir.For or type(parent) is ir.While:
                # The iterable is evaluated before the loop; a break in a while's test is resumed
                # at the loop (measured: it costs breaks, not the frame).
                if _within(child, parent.body):
                    out.append("loop")
            elif type(parent) is ir.Try:
                if _within(child, parent.body):
                    out.append("try")
            elif (
                type(parent) is ir.With
                and _within(child, parent.body)
                and any(self._is_user_context(item.context) for item in parent.items)
            ):
                out.append("with")
            child, parent = parent, self.outline.parents[parent.id]
        out.reverse()
        return tuple(out)

    def returns_first(self, node: ir.Node) -> bool:
        """Whether a ``return`` stands between the node and the place where its loop jumps back.

        Dynamo looks for a jump back in the code behind a break, up to the first ``return``, to tell
        whether it is in a loop that it cannot resume (measured). Where a condition ends the body of the
        loop, its first half jumps back before what stands in its ``else``.
        """
        parents = self.outline.parents
        inside = _up_to_loop(node, parents)
        if inside is None:
            return False
        loop = inside[-1]
        for op in self.outline.nodes:
            if op.start < node.end or type(op) not in (ir.Return, ir.Continue):
                continue
            around = _up_to_loop(op, parents)
            if around is None or around[-1] is not loop:
                continue
            if type(op) is ir.Continue:
                return False
            return not any(
                type(above) is ir.Branch
                and _within_deep(op, above.orelse, parents)
                and not _within_deep(node, above.orelse, parents)
                and _is_tail(above, loop, parents)
                for above in around[:-1]
            )
        return False

    def rescues(self, node: ir.Node) -> bool:
        """Whether the node is what is left to do when running an operation failed.

        An ``except`` for any error, where no statement of its ``try`` raises: what operations raise (out of
        memory, a kernel that is missing) is raised when the graph runs, and by then no handler is traced.
        """
        parents = self.outline.parents
        parent = parents[node.id]
        while parent is not None:
            above = parents[parent.id]
            if (
                type(parent) is ir.Handler
                and type(above) is ir.Try
                and _is_any_error(parent.type)
                and not any(_within_deep(op, above.body, parents) for op in self.nodes(ir.Raise))
            ):
                return True
            parent = above
        return False

    def _is_user_context(self, context: ir.Expr) -> bool:
        """A context manager of the program: Dynamo cannot resume inside it."""
        if type(context) is ir.Call:
            called = self._frame.table[context.func.id] if self._frame.table is not None else None
            if called is not None and any(type(a) is Function for a in called.atoms):
                return True
        for atom in self.value(context).atoms:
            if type(atom) is Instance and not atom.symbol.startswith(("torch.", "contextlib.")):
                return True
            if type(atom) is Container and atom.kind == "iterator":
                return True
            if type(atom) is Api and not atom.symbol.startswith(("torch.", "contextlib.")):
                return True
        return False

    def parent(self, node: ir.Node) -> ir.Node | None:
        """The node that holds this one."""
        return self.outline.parents[node.id]

    def nodes(self, kind: type[N]) -> Iterator[N]:
        """All reached nodes of a type, in source order."""
        held = self.outline.by_kind.get(kind)
        if held is None:
            if not kind.__subclasses__():
                return
            found = [n for n in self.outline.nodes if isinstance(n, kind)]
        else:
            found = held  # type: ignore[assignment]
        for node in found:
            if self.reached(node):
                yield node

    def text(self, node: ir.Node, limit: int = 60) -> str:
        """Source of the node on one line, shortened in the middle."""
        if self.source is None:
            return ""
        text = " ".join(self.source[node.start : node.end].split())
        if len(text) <= limit:
            return text
        head = (limit - 1) * 2 // 3
        return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"

    def why(self, expr: ir.Expr) -> tuple[str, ...]:
        """Reasons for the value of ``expr``, most direct first."""
        value = self.value(expr)
        return () if value.origin is None else value.origin.chain()


def _maker(program: Program, path: str, sketch: AttributeSketch) -> str:
    value = sketch.value
    if type(value) is ir.Call:
        for symbol in program.resolve_expr(path, value.func):
            if type(symbol) is ExternalSymbol:
                return symbol.name
    methods = ""
    while type(value) is ir.Call and type(value.func) is ir.Attribute:
        methods = f".{value.func.attr}{methods}"
        value = value.func.base
    return methods if type(value) is ir.Attribute and value.attr == sketch.name else ""


_ANY_ERROR = frozenset(("Exception", "BaseException", "RuntimeError", "OutOfMemoryError"))


def _is_any_error(kind: ir.Expr | None) -> bool:
    """Whether an ``except`` takes what operations raise, and is there for nothing else."""
    if type(kind) is ir.Sequence:
        return all(_is_any_error(item) for item in kind.items)
    if type(kind) is ir.Attribute:
        return kind.attr in _ANY_ERROR
    return kind is None or (type(kind) is ir.Name and kind.name in _ANY_ERROR)


def _up_to_loop(node: ir.Node, parents: Sequence[ir.Node | None]) -> list[ir.Node] | None:
    """What holds a node, up to the innermost loop that it stands in the body of."""
    out: list[ir.Node] = []
    child, parent = node, parents[node.id]
    while parent is not None:
        out.append(parent)
        if (type(parent) is ir.For or type(parent) is ir.While) and _within(child, parent.body):
            return out
        child, parent = parent, parents[parent.id]
    return None


def _blocks(node: ir.Node) -> list[ir.Block]:
    """The statement lists right below a node."""
    held = (getattr(node, name, None) for name in ("body", "orelse", "final"))
    return [block for block in held if type(block) is tuple]


def _is_tail(node: ir.Node, loop: ir.Node, parents: Sequence[ir.Node | None]) -> bool:
    """Whether nothing comes behind a node in the body of its loop."""
    while node is not loop:
        above = parents[node.id]
        assert above is not None
        if any(_within(node, block) and block[-1] is not node for block in _blocks(above)):
            return False
        node = above
    return True


def _within_deep(node: ir.Node, block: ir.Block, parents: Sequence[ir.Node | None]) -> bool:
    """Whether the node stands anywhere in the block."""
    child: ir.Node | None = node
    while child is not None:
        if _within(child, block):
            return True
        child = parents[child.id]
    return False


def _within(child: ir.Node, block: ir.Block) -> bool:
    return any(child is op for op in block)
