"""Guards that raise -> asserts that are traced: a constant message is what Dynamo can put in a graph."""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Fix, Safety
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.choose import inner_indent
from torch_compile_lint.rewrite.condition import condition
from torch_compile_lint.rewrite.text import lines_of, source


def raise_to_assert(branch: ir.Branch, view: FunctionView) -> Fix | None:
    """`if bad: raise E("m")` -> `assert torch.logical_not(bad), "m"`.

    Legal for one bare `raise E(...)` of at most one message, without `from` and without `else`.
    """
    raised = branch.body[0] if len(branch.body) == 1 else None
    if branch.orelse or not isinstance(raised, ir.Raise) or raised.cause is not None:
        return None
    if source(branch, view).startswith("elif") or not isinstance(raised.exc, ir.Call | ir.Name):
        return None
    arguments = raised.exc.args if isinstance(raised.exc, ir.Call) else ()
    if len(arguments) > 1 or any(a.star or a.keyword for a in arguments):
        return None
    message = constant_message(arguments[0].value, view) if arguments else None
    if arguments and message is None:
        return None
    test, lines = condition(branch.test, view), lines_of(branch, view)
    if test is None or lines is None:
        return None
    text = f"assert {test.negated}, {message}" if message else f"assert {test.negated}"
    rows = [f"{lines.indent}{text}"]
    if test.static:
        rows = [f"{lines.indent}if {test.static}:", f"{inner_indent(branch, lines.indent, view)}{text}"]
    return Fix("Assert with a constant message", Safety.UNSAFE, (lines.replaced(rows),), ("torch",))


def constant_message(message: ir.Expr, view: FunctionView) -> str | None:
    """The message as a constant: interpolated values become their source in braces."""
    if isinstance(message, ir.Const) and isinstance(message.value, str):
        text = source(message, view)
        return text if "\n" not in text else repr(message.value)
    parts = _parts(message, view)
    if parts is None or "#" in source(message, view):
        return None
    text = "".join(parts)
    quoted = repr(text)
    return '"' + quoted[1:-1] + '"' if quoted[0] == "'" and '"' not in text else quoted


def _parts(message: ir.Expr, view: FunctionView) -> list[str] | None:
    if isinstance(message, ir.Const):
        return [message.value] if isinstance(message.value, str) else None
    if isinstance(message, ir.FormattedString):
        out: list[str] = []
        for part in message.parts:
            if isinstance(part, ir.Const):
                out.append(str(part.value))
            elif isinstance(part, ir.Interpolation):
                out.append("{" + " ".join(source(part.value, view).split()) + "}")
            else:
                inner = _parts(part, view)
                if inner is None:
                    return None
                out += inner
        return out
    if isinstance(message, ir.Binary) and message.op == "+":
        left, right = _parts(message.left, view), _parts(message.right, view)
        return None if left is None or right is None else left + right
    if isinstance(message, ir.Binary) and message.op == "%":
        return _parts(message.left, view)
    if isinstance(message, ir.Call) and isinstance(message.func, ir.Attribute):
        return _parts(message.func.base, view) if message.func.attr == "format" else None
    return None
