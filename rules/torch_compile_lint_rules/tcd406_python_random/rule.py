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
# Traced as a number that the graph computes: only a test on it is a branch on data.
SYMBOLIC = frozenset(
    f"random.{owner}{name}" for owner in ("", "Random.") for name in ("randint", "uniform", "randrange")
)
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


def _decides(call: ir.Call, view: FunctionView) -> bool:
    """Whether a jump depends on the draw: `if random.random() < p`."""
    child: ir.Node = call
    parent = view.parent(child)
    while isinstance(parent, ir.Compare | ir.BoolOp | ir.Unary | ir.Binary):
        child, parent = parent, view.parent(parent)
    return isinstance(parent, ir.Branch | ir.While | ir.IfExp) and parent.test is child


def _is_drawn(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether an expression is a number that rests on a draw made before this statement."""
    atoms = view.value(expr).atoms
    return bool(atoms) and all(isinstance(a, Number) and a.source == "random" for a in atoms)


def _draws_itself(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether the draw is part of the expression: then it is told at the call."""
    return any(
        expr.start <= call.start < expr.end and any(s.startswith("random.") for s in view.callees(call))
        for call in view.nodes(ir.Call)
    )


def _numbers(operand: ir.Expr, view: FunctionView) -> list[object]:
    """The atoms of the drawn numbers a test compares."""
    parts = (operand.left, *operand.rights) if isinstance(operand, ir.Compare) else (operand,)
    return [atom for part in parts if _is_drawn(part, view) for atom in view.value(part).atoms]


def stored(node: ir.Branch | ir.While | ir.IfExp, view: FunctionView) -> Iterator[Hit]:
    """`n = random.randint(1, 3)` and later `if n > 1`: since the draw is traced, the jump is the break."""
    for operand in truth_operands(node.test):
        if _is_drawn(operand, view) and not _draws_itself(operand, view):
            whole = all(isinstance(a, Number) and a.type == "int" for a in _numbers(operand, view))
            form = "stored-int-test" if whole else "stored-test"
            yield Hit(operand, form, {"value": view.text(operand)})
            return


def check(node: ir.Call | ir.Branch | ir.While | ir.IfExp, view: FunctionView) -> Iterator[Hit]:
    yield from drawn(node, view) if isinstance(node, ir.Call) else stored(node, view)


def drawn(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        owner, _, name = symbol.rpartition(".")
        form = ""
        if symbol in ("random.random", "random.Random.random"):
            form = "test" if _decides(call, view) else "random"
        elif symbol in SYMBOLIC:
            form = "symbolic-test" if _decides(call, view) else ""
        elif owner in ("random", "random.Random") and name in PYTHON:
            form = "choice"
        elif owner == "numpy.random" and _numpy_breaks(call, name):
            form = "numpy"
        if form:
            yield Hit(call, form, {"call": view.text(call)})
            return


def _jumps(node: ir.Call | ir.Branch | ir.While | ir.IfExp) -> bool:
    return not isinstance(node, ir.Call)


RULE = Rule(
    on=(ir.Call, ir.Branch, ir.While, ir.IfExp),
    check=check,
    callees=("random.*", "numpy.random.*"),
    where=_jumps,
)
