"""The analyzer: what every expression of the code reachable from one compile root may be.

A root's function is evaluated abstractly; at a call of a function of the program that
function is evaluated in the *context* of the call (the kinds of its arguments, with boolean
and string constants kept) and its result is remembered. Recursive calls use the result so far
and the head of the recursion is evaluated again until nothing changes. Every evaluated
(function, context) is shown to ``visit`` exactly once, when its values are final; what
``visit`` returned is handed out for every root that reaches it, with the shortest path of
calls from the root.

Results of one ``run`` depend on the root and on what it looked up (``RootResult.deps``) only.
The memo lives as long as the roots of one file (``begin_file``): a file's answer never depends
on which files were analysed before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from torch_compile_lint.facts import ir
from torch_compile_lint.program import constant_results, entry, function_view
from torch_compile_lint.program.annotations import annotation_value
from torch_compile_lint.program.arguments import Arguments, bind_parameters
from torch_compile_lint.program.attributes import Attributes
from torch_compile_lint.program.big_stack import on_big_stack
from torch_compile_lint.program.closures import UNDECORATED, Closures, Found
from torch_compile_lint.program.evaluate import evaluate
from torch_compile_lint.program.execute import run_block
from torch_compile_lint.program.frame import Frame, State
from torch_compile_lint.program.function_view import AnalyzedFunction
from torch_compile_lint.program.lattice import abstract, coarse, container, join
from torch_compile_lint.program.names import Names
from torch_compile_lint.program.quiet import (
    MAX_QUIET_DEPTH,
    MAX_QUIET_STATEMENTS,
    QuietBudget,
    QuietRecords,
)
from torch_compile_lint.program.values import NEVER, NONE, UNKNOWN, Function, Value, is_unknown
from torch_compile_lint.records import dataclass, field

MAX_CONTEXTS = 24  # of one function within one file's roots; beyond, arguments are coarse
MAX_PASSES = 4  # over a recursion
MAX_CALL_DEPTH = 150
MAX_FACTS = 800  # lowered units kept from file to file
MAX_STATEMENTS = 400_000  # executed for one root

R = TypeVar("R")
LoadFacts = Callable[[str, str], "ir.FunctionFacts | None"]


class OutOfBudget(Exception):
    """A root's analysis was given up; nothing is reported of it."""


@dataclass(slots=True, eq=False)
class Record:
    """One function in one context."""

    path: str
    unit: str | None  # qualname of the unit its spans are relative to; None: absolute spans
    qualname: str
    facts: ir.FunctionFacts
    is_root: bool = False
    depth: int = 0
    low: int = 0  # the shallowest open record this one's result rests on
    result: Value = NEVER
    read_open: bool = False  # its result was used before it was complete
    frame: Frame | None = None
    hits: Any = None
    calls: dict[Record, int] = field(default_factory=dict)  # callee -> offset of the first call
    # Of quiet records: whether nothing was cut short, statements of its own, calls below it.
    key: Any = None
    whole: bool = False
    cost: int = 0
    height: int = 0
    used: dict[Record, None] = field(default_factory=dict)
    deps: set[tuple[str, str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a witness: the place of a call (offset relative to the unit's start)."""

    path: str
    unit: str | None
    offset: int
    function: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A visited (function, context): what ``visit`` said, and how the root gets there."""

    path: str
    unit: str | None
    facts: ir.FunctionFacts
    hits: Any
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class RootResult:
    """Everything one root reaches. ``deps``: ('facts', path, unit) and ('index', path, '')."""

    reached: tuple[Reached, ...]
    deps: frozenset[tuple[str, str, str]]
    complete: bool


class Analyzer:
    """See the module. ``visit(view)`` returns whatever the caller wants back in ``Reached.hits``."""

    def __init__(
        self,
        program: Any,
        load_facts: LoadFacts,
        visit: Callable[[AnalyzedFunction], object],
        release: str = "",
    ) -> None:
        self.program = program
        self.release = release  # of torch, 'X.Y': what a question to torch.__version__ is answered for
        self.visit = visit
        self._load = load_facts
        self.names = Names(self, program)
        self.attributes = Attributes(self)
        self.closures = Closures(self)
        self.global_value = self.names.global_value
        self.module_attribute = self.names.module_attribute
        self.imported = self.names.imported
        self.resolve_type = self.names.resolve_type
        self.class_info = self.names.class_info
        self.value_of_class = self.names.value_of_class
        self.is_subclass = self.names.is_subclass
        self.is_module_class = self.names.is_module_class
        self.external_base = self.names.external_base
        self.closure = self.closures.make
        self.is_fixed = partial(constant_results.is_fixed, self)
        self._facts: dict[tuple[str, str], ir.FunctionFacts | None] = {}
        self._memo: dict[Any, Record] = {}
        self._quiet_memo: dict[Any, Record] = {}
        self.quiet_records = QuietRecords(self)
        self.cuts = 0  # times that a quiet evaluation was cut short
        self._counts: dict[tuple[str, str], int] = {}
        self._stack: list[Record] = []
        self._pending: list[Record] = []
        self._quiet = 0
        self._statements = 0
        self._fullgraph = False
        self._undecorated: dict[tuple[str, str], Value] = {}
        self.deps: set[tuple[str, str, str]] = set()

    # ------------------------------------------------------------ roots

    def begin_file(self) -> None:
        """Forget contexts: what follows are the roots of another file."""
        self._memo.clear()
        self._counts.clear()
        self._fullgraph = False
        crowded = len(self._facts) > MAX_FACTS
        if crowded:
            self._facts.clear()
            function_view.forget_outlines()
        self.closures.begin_file(crowded)

    def run(self, root: Any) -> RootResult:
        """Analyse one root (``program.roots.Root``)."""
        result: RootResult = on_big_stack(lambda: self._run(root))
        return result

    def run_all(self, roots: tuple[Any, ...]) -> list[RootResult]:
        """Analyse the roots of one file."""

        def work() -> list[RootResult]:
            self.begin_file()
            return [self._run(root) for root in roots]

        results: list[RootResult] = on_big_stack(work)
        return results

    def _run(self, root: Any) -> RootResult:
        if root.fullgraph != self._fullgraph:
            self.begin_file()
            self._fullgraph = root.fullgraph
        self._statements = 0
        self._stack.clear()
        self._pending.clear()
        self.deps = set()
        try:
            records = entry.start(self, root)
        except (OutOfBudget, RecursionError):
            self._memo.clear()
            self._quiet = 0
            return RootResult((), frozenset(self.deps), False)
        return self._collect(records)

    def _collect(self, records: list[Record]) -> RootResult:
        """Breadth first from the root: the shortest witness for every record."""
        steps: dict[Record, tuple[Step, ...]] = {}
        queue: deque[Record] = deque()
        for record in records:
            if record not in steps:
                steps[record] = (
                    Step(record.path, record.unit, record.facts.name_start, record.facts.qualname),
                )
                queue.append(record)
        deps = set(self.deps)
        reached = []
        while queue:
            record = queue.popleft()
            deps |= record.deps
            here = steps[record]
            reached.append(Reached(record.path, record.unit, record.facts, record.hits, here))
            for callee, offset in record.calls.items():
                if callee not in steps:
                    call = Step(record.path, record.unit, offset, record.facts.qualname)
                    steps[callee] = (*here, call)
                    queue.append(callee)
        return RootResult(tuple(reached), frozenset(deps), True)

    # ------------------------------------------------------------ lookups

    def spend(self) -> None:
        """Count one statement against the root's budget."""
        self._statements += 1
        if self._quiet:
            if self._statements > MAX_QUIET_STATEMENTS:
                raise QuietBudget
        elif self._statements > MAX_STATEMENTS:
            raise OutOfBudget

    def need_index(self, path: str) -> None:
        """Note that the file's index was consulted."""
        self.deps.add(("index", path, ""))

    def facts(self, path: str, unit: str) -> ir.FunctionFacts | None:
        """The lowered facts of a unit."""
        self.deps.add(("facts", path, unit))
        key = (path, unit)
        if key not in self._facts:
            self._facts[key] = self._load(path, unit)
        return self._facts[key]

    def annotation(self, path: str, expr: ir.Expr) -> Value:
        """The value an annotation describes."""
        return annotation_value(self, path, expr)

    def dotted_name(self, function: Function) -> str:
        """'pkg.mod.Class.method' of a function of the program."""
        module = self.names.module_of(function.path)
        name = function.qualname.partition("@")[0]
        return f"{module}.{name}" if module else name

    def sketch(self, path: str, expr: ir.Expr, lookup: Callable[[str], Value | None] | None = None) -> Value:
        """Evaluate an expression of an index: nothing in it is compiled, so nothing is visited."""
        frame = Frame(self, path, lookup=lookup)
        if self._quiet:
            return evaluate(frame, {}, expr)
        return self.quietly(lambda: evaluate(frame, {}, expr), UNKNOWN)

    def quietly(self, work: Callable[[], R], otherwise: R) -> R:
        """Run ``work`` on code that is not compiled, with a budget, memo and stack of its own.

        They are its own so that the outcome depends on nothing that was analysed before.
        """
        outer = (self._stack, self._pending, self._quiet_memo, self._statements)
        charged = self.quiet_records.charged
        self._stack, self._pending, self._quiet_memo, self._statements = [], [], {}, 0
        self._quiet += 1
        try:
            return work()
        except QuietBudget:
            return otherwise
        finally:
            self._quiet -= 1
            self._stack, self._pending, self._quiet_memo, self._statements = outer
            self.quiet_records.charged = charged

    @property
    def quiet(self) -> bool:
        """True while evaluating code that is not itself compiled (``__init__``, module level)."""
        return self._quiet > 0

    def collecting(self, work: Callable[[], R]) -> tuple[R, set[tuple[str, str, str]]]:
        """Run ``work`` and return what it looked up beside its result."""
        outer = self.deps
        self.deps = set()
        try:
            return work(), self.deps
        finally:
            outer |= self.deps
            self.deps = outer

    # ------------------------------------------------------------ calls

    def call(self, frame: Frame, function: Function, given: Arguments, node: ir.Node | None) -> Value:
        """The result of calling a function of the program."""
        found = self.closures.find(function)
        if found is None:
            return UNKNOWN
        if function.closure == UNDECORATED:
            self.cuts += 1
            return self._undecorated.get((found.path, found.qualname), UNKNOWN)
        said = self.closures.said(found)
        if found.cut:
            return constant_results.answer(self, function, found, given, said)
        if self._quiet and not is_unknown(said):
            return said
        if len(self._stack) >= (MAX_QUIET_DEPTH if self._quiet else MAX_CALL_DEPTH):
            self.cuts += 1
            return said
        if function.bound is not None:
            given = given.before(function.bound)
        record = self.evaluate_function(function, self.parameters(function, given))
        if record is None:
            return said
        if frame.record is not None and not self._quiet:
            place = node.start if node is not None else 0
            frame.record.calls.setdefault(record, place)
            if found.wrapped and not function.closure:
                # What the decorator put around it runs too; kinds are those of the function itself.
                around = self.evaluate_wrapper(found, given, record.result)
                if around is not None:
                    frame.record.calls.setdefault(around, place)
        result = record.result
        if not result.atoms:
            return NEVER if record.depth >= 0 and record in self._stack else said
        if is_unknown(result) and not is_unknown(said):
            return said
        return result

    def evaluate_wrapper(self, found: Found, given: Arguments, result: Value) -> Record | None:
        """The record of what a decorator put around a function, called with these arguments.

        Where it calls the function, ``result`` comes back: the function was evaluated before,
        with its arguments as they are and not as ``*args, **kwargs`` leaves them.
        """
        wrapper = self.closures.wrapper(found)
        if wrapper is None:
            return None
        outer = self._undecorated
        self._undecorated = {**outer, (found.path, found.qualname): result}
        try:
            return self.evaluate_function(wrapper, self.parameters(wrapper, given), context=result)
        finally:
            self._undecorated = outer

    def parameters(self, function: Function, given: Arguments) -> list[Value]:
        """A value for every parameter: passed, else default, else what is said of it."""
        found = self.closures.find(function)
        assert found is not None
        bound = bind_parameters(found.params, given)
        out = []
        for param in found.params:
            value = bound[param.name]
            if value is None:
                value = self.closures.default(found, param)
            value = entry.settled(self, found, param, value)
            out.append(abstract(value))
        return out

    def evaluate_function(
        self, function: Function, values: list[Value], is_root: bool = False, context: object = None
    ) -> Record | None:
        """The record of a function for these parameter values, evaluated if it is new.

        ``context`` is what its result depends on besides them.
        """
        memo = self._quiet_memo if self._quiet else self._memo
        key = (function.path, function.qualname, function.closure, tuple(values), is_root, context)
        record = memo.get(key)
        if record is None and not self._quiet and not is_root:
            name = (function.path, function.qualname)
            if self._counts.get(name, 0) >= MAX_CONTEXTS:
                values = [coarse(v) for v in values]
                key = (*key[:3], tuple(values), False, context)
                record = memo.get(key)
            if record is None:
                self._counts[name] = self._counts.get(name, 0) + 1
        if record is None and self._quiet:
            record = self.quiet_records.take_over(key)
        if record is not None:
            self._touch(record)
            return record
        found = self.closures.find(function)
        facts = None if found is None else self.closures.load(found)
        if found is None or facts is None:
            return None
        record = Record(function.path, found.unit, function.qualname, facts, is_root)
        record.deps.add(("index", function.path, ""))
        if found.unit is not None:
            record.deps.add(("facts", function.path, found.unit))
        memo[key] = record
        if self._quiet:
            self.quiet_records.evaluate(record, found, values, key)
        else:
            self._evaluate(record, found, values, key, memo)
        return record

    def _touch(self, record: Record) -> None:
        """A result is used: remember when it is not final yet."""
        self.deps |= record.deps
        if self._quiet:
            if not record.whole:
                self.cuts += 1
            if self._stack:
                self._stack[-1].used[record] = None
        if record.frame is not None and self._stack:
            top = self._stack[-1]
            top.low = min(top.low, record.low)
            if record in self._stack:
                record.read_open = True
                top.low = min(top.low, record.depth)

    def _evaluate(
        self, record: Record, found: Any, values: list[Value], key: Any, memo: dict[Any, Record]
    ) -> None:
        stack = self._stack
        record.depth = record.low = len(stack)
        stack.append(record)
        outer_deps, self.deps = self.deps, record.deps
        outer_quiet = self._quiet
        mark = len(self._pending)
        try:
            for turn in range(MAX_PASSES):
                record.read_open = False
                record.calls.clear()
                result = self._run_body(record, found, values)
                settled = not record.read_open or result == record.result
                record.result = result if not record.read_open else join(record.result, result)
                if settled or turn == MAX_PASSES - 1:
                    break
                for other, other_key in self._take_pending(mark):
                    memo.pop(other_key, None)
                    other.frame = None
        finally:
            stack.pop()
            outer_deps |= record.deps
            self.deps = outer_deps
            self._quiet = outer_quiet
        self._pending.append(record)
        record.hits = key
        if record.low < record.depth and stack:
            stack[-1].low = min(stack[-1].low, record.low)
            return
        for other, _ in self._take_pending(mark):
            self._finish(other)

    def _take_pending(self, mark: int) -> list[tuple[Record, Any]]:
        taken = [(record, record.hits) for record in self._pending[mark:]]
        del self._pending[mark:]
        return taken

    def _finish(self, record: Record) -> None:
        """A record's values are final: show it, then let its tables go."""
        frame = record.frame
        record.frame = None
        record.hits = None
        record.low = record.depth
        if frame is not None and not self._quiet:
            view = AnalyzedFunction(frame, record, record.is_root, self._fullgraph)
            record.hits = self.visit(view)

    def _run_body(self, record: Record, found: Any, values: list[Value]) -> Value:
        facts = record.facts
        frame = Frame(
            self,
            record.path,
            facts,
            record,
            owner=found.owner,
            self_value=found.self_value,
            captured=found.captured,
        )
        record.frame = frame
        state: State = {}
        for param, value in zip(facts.params, values, strict=True):
            state[param.name] = value
        if found.receives and values:
            frame.self_value = values[0]
        end = run_block(frame, state, facts.body)
        result = frame.returns
        if end is not None and facts.kind != "lambda":
            result = join(result, NONE)
        if facts.is_generator:
            result = container("iterator", None, frame.yields)
        return result
