"""Draws from Python's generator, and numpy draws that give one number (sized draws are traced)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

PYTHON = frozenset(
    (
        *("choice", "choices", "sample", "seed", "gauss", "normalvariate", "betavariate", "expovariate"),
        *("triangular", "getrandbits", "randbytes", "lognormvariate", "vonmisesvariate", "gammavariate"),
        *("paretovariate", "weibullvariate", "getstate", "setstate"),
    )
)
# Traced as a number that the graph computes: only a test on it is a branch on data.
SYMBOLIC = frozenset(("random.randint", "random.uniform", "random.randrange"))
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


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        owner, _, name = symbol.rpartition(".")
        form = ""
        if symbol == "random.random":
            form = "test" if _decides(call, view) else "random"
        elif symbol in SYMBOLIC:
            form = "symbolic-test" if _decides(call, view) else ""
        elif owner == "random" and name in PYTHON:
            form = "choice"
        elif owner == "numpy.random" and _numpy_breaks(call, name):
            form = "numpy"
        if form:
            yield Hit(call, form, {"call": view.text(call)})
            return


RULE = Rule(on=(ir.Call,), check=check)
