"""Draws from Python's generator, and numpy draws that give one number (sized draws are traced)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Number, Rule, ir, truth_operands

PYTHON = frozenset(
    (
        *("choice", "choices", "sample", "seed", "gauss", "normalvariate", "betavariate", "expovariate"),
        *("triangular", "getrandbits", "randbytes", "lognormvariate", "vonmisesvariate", "gammavariate"),
        *("paretovariate", "weibullvariate", "getstate", "setstate"),
    )
)
# The methods of a generator of one's own that are traced from 2.6 on.
OWN = frozenset(("randint", "uniform", "randrange", "random", "seed", "getstate"))
# Traced as a number that the graph computes: only what is done with it costs something.
SYMBOLIC = frozenset(("randint", "uniform", "randrange"))
# Traced on 2.14, as random.random is.
LATE = frozenset(("random", "sample", "seed"))
# numpy draw -> how many positional arguments come before its size.
SIZED = {
    "rand": 0,
    "random": 0,
    "random_sample": 0,
    "randn": 0,
    "uniform": 2,
    "normal": 2,
    "randint": 2,
    "choice": 1,
}


def _numpy_breaks(call: ir.Call, name: str) -> bool:
    """Without a size a number is read out; draws that torch._numpy lacks always break."""
    if name not in SIZED:
        return name not in ("seed", "default_rng", "Generator", "RandomState")
    given = sum(argument.keyword is None for argument in call.args)
    return given <= SIZED[name] and all(argument.keyword != "size" for argument in call.args)


def _drawn_here(call: ir.Call, view: FunctionView) -> str | None:
    """The name in `random` of a draw of one number, `Random.` before it for a generator of one's own."""
    for symbol in view.callees(call):
        head, _, name = symbol.partition(".")
        if head == "random" and name.removeprefix("Random.") in SYMBOLIC | {"random"}:
            return name
    return None


def _is_drawn(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether an expression is a number that rests on a draw."""
    atoms = view.value(expr).atoms
    return bool(atoms) and all(isinstance(a, Number) and a.source == "random" for a in atoms)


def _origin(expr: ir.Expr, view: FunctionView) -> str:
    """Which draws a number rests on, as the head of a form: of the expression, else of the function."""
    calls = tuple(view.nodes(ir.Call))
    inside = [call for call in calls if expr.start <= call.start < expr.end]
    names = {name for call in inside if (name := _drawn_here(call, view))}
    names = names or {name for call in calls if (name := _drawn_here(call, view))}
    if any(name.startswith("Random.") for name in names):
        return "own-"
    whole = all(isinstance(a, Number) and a.type == "int" for a in view.value(expr).atoms)
    return "late-" if "random" in names or not (names or whole) else ""


def _test_form(operand: ir.Expr, view: FunctionView) -> str | None:
    """How a jump asks for a drawn number: its truth, an order or equality; arithmetic is told by itself."""
    if not isinstance(operand, ir.Compare):
        return None if isinstance(operand, ir.Binary) else "truth"
    if any(op in ("in", "not in") for op in operand.ops):
        return None
    if any(isinstance(part, ir.Binary) for part in (operand.left, *operand.rights)):
        return None
    return "equal" if operand.ops == ("==",) else "ordered"


def tested(node: ir.Branch | ir.While | ir.IfExp, view: FunctionView) -> Iterator[Hit]:
    """`if random.randint(1, 3) > 1`, also of a number drawn before."""
    for operand in truth_operands(node.test):
        form = _test_form(operand, view) if _is_drawn(operand, view) else None
        if form is not None:
            yield Hit(operand, _origin(operand, view) + form, {"value": view.text(operand)})
            return


def computed(node: ir.Binary | ir.Unary | ir.Compare, view: FunctionView) -> Iterator[Hit]:
    """`1 + random.uniform(0, 1)`, `n in (1, 2)`: Python's operators on what the graph computes."""
    if isinstance(node, ir.Compare):
        parts: tuple[ir.Expr, ...] = (node.left,)
        wanted = node.ops in (("in",), ("not in",))
    elif isinstance(node, ir.Unary):
        parts = (node.operand,)
        wanted = node.op == "-"
    else:
        parts = (node.left, node.right)
        wanted = _is_drawn(node, view)
    drawn = [part for part in parts if _is_drawn(part, view)]
    if wanted and drawn and not any(isinstance(part, ir.Binary | ir.Unary) for part in drawn):
        yield Hit(node, _origin(node, view) + "arithmetic", {"value": view.text(node)})


def check(node: ir.Node, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Call):
        yield from drawn(node, view)
    elif isinstance(node, ir.Branch | ir.While | ir.IfExp):
        yield from tested(node, view)
    elif isinstance(node, ir.Binary | ir.Unary | ir.Compare):
        yield from computed(node, view)


def _call_form(symbol: str, call: ir.Call) -> str:
    owner, _, name = symbol.rpartition(".")
    if owner == "numpy.random":
        return "numpy" if _numpy_breaks(call, name) else ""
    if symbol == "random.Random":
        return "generator"
    if owner == "random.Random":
        if name in OWN:
            return "own"
        if name not in PYTHON:
            return ""
        return {"sample": "own-sample", "getrandbits": "own-bits"}.get(name, "own-choice")
    if owner != "random":
        return ""
    return "random" if name in LATE else "choice" if name in PYTHON else ""


def drawn(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        form = _call_form(symbol, call)
        if form:
            yield Hit(call, form, {"call": view.text(call)})
            return


def _computes(node: ir.Node) -> bool:
    return not isinstance(node, ir.Call)


RULE = Rule(
    on=(ir.Call, ir.Branch, ir.While, ir.IfExp, ir.Binary, ir.Unary, ir.Compare),
    check=check,
    callees=("random.*", "numpy.random.*"),
    where=_computes,
)
