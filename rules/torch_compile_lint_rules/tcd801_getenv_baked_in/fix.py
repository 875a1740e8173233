"""`os.getenv(...)` -> `os.environ.copy().get(...)`, and `.copy()` behind an `os.environ` that is asked.

A copy holds every variable that is set, so Dynamo guards on the names that there are. On Windows
os.environ turns names into capitals and its copy, a plain dict, does not: for any other name it is unsafe.
"""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.text import shadowed
from torch_compile_lint.rule import FunctionView, Hit, environment_read, ir

COPIED = "os.environ.copy()"


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    node = hit.node
    if hit.form == "getenv":
        if not isinstance(node, ir.Call) or shadowed("os", view) or view.callees(node) != ("os.getenv",):
            return None
        if any(a.keyword not in (None, "default", "key") or a.star for a in node.args):
            return None
        key = view.argument(node, 0, "key")
        return _fix(Edit("", Span(node.func.start, node.func.end), f"{COPIED}.get"), key, ("os",))
    read = environment_read(node, view)
    place = None if read is None else read.environ
    # Under a name of its own it may be something else in another context.
    if place is None or view.text(place) not in ("os.environ", "environ"):
        return None
    return _fix(Edit("", Span(place.end, place.end), ".copy()"), _key(node, view), ())


def _key(node: ir.Node, view: FunctionView) -> ir.Expr | None:
    """The name that is asked for."""
    if isinstance(node, ir.Subscript):
        return node.index
    if isinstance(node, ir.Compare):
        return (node.left, *node.rights)[-2]
    return view.argument(node, 0, "key") if isinstance(node, ir.Call) else None


def _fix(edit: Edit, key: ir.Expr | None, imports: tuple[str, ...]) -> Fix:
    text = key.value if isinstance(key, ir.Const) else None
    capitals = isinstance(text, str) and text == text.upper()
    return Fix("Read a copy of os.environ", Safety.SAFE if capitals else Safety.UNSAFE, (edit,), imports)
