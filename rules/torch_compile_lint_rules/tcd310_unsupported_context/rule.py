"""Context managers that cost the graph or the frame; no_grad, autocast and profiler are traced."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import ClassRef, FunctionView, Hit, Instance, Opaque, Rule, ir

CALLS = {
    "warnings.catch_warnings": "warnings",
    "contextlib.ExitStack": "stack",
    "contextlib.AsyncExitStack": "stack",
    "contextlib.suppress": "suppress",
    "torch.device": "device",
    "torch.cuda.stream": "stream",
    "torch.random.fork_rng": "rng",
    "torch.fork_rng": "rng",
}
LIBRARIES = frozenset(
    ("torch", "contextlib", "threading", "warnings", "tempfile", "concurrent", "multiprocessing", "unittest")
)


def _is_own(symbol: str) -> bool:
    """A class that is neither torch's nor of the standard library's context managers."""
    return symbol.partition(".")[0] not in LIBRARIES


def _form(context: ir.Expr, view: FunctionView) -> str | None:
    if isinstance(context, ir.Call):
        for symbol in view.callees(context):
            if symbol in CALLS:
                return CALLS[symbol]
        if "@contextlib.contextmanager" in view.callees(context):
            return "generator"
        if any(isinstance(a, ClassRef) and _is_own(a.symbol) for a in view.value(context.func).atoms):
            return "class"
    for atom in view.value(context).atoms:
        if isinstance(atom, Opaque) and atom.label == "torch.device":
            return "device"
        if isinstance(atom, Instance) and atom.symbol in CALLS:
            return CALLS[atom.symbol]
    return None


def check(item: ir.WithItem, view: FunctionView) -> Iterator[Hit]:
    form = _form(item.context, view)
    if form is not None:
        yield Hit(item.context, form, {"value": view.text(item.context)}, item.context)


RULE = Rule(on=(ir.WithItem,), check=check)
