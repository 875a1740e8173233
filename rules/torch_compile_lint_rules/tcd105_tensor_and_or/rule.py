"""`a and b`, `a or b` as values or in an assert: all operands but the last are tested for truth."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, in_test, ir, tensor_confidence, truth_operands


def check(node: ir.BoolOp, view: FunctionView) -> Iterator[Hit]:
    asserted = _asserted(node, view)
    if in_test(node, view) and not asserted:
        return  # only steers a jump: the rule of that statement speaks
    for op, operand in _tested(node, asserted):
        confidence = tensor_confidence(view.value(operand))
        if confidence is not None:
            yield Hit(operand, "and-or", {"op": op, "value": view.text(operand)}, operand, confidence)
            return


def _asserted(node: ir.BoolOp, view: FunctionView) -> bool:
    """Whether this is what an assert tests, with no message or a constant one: the last operand is traced."""
    parent = view.parent(node)
    return isinstance(parent, ir.Assert) and (parent.message is None or isinstance(parent.message, ir.Const))


def _tested(node: ir.BoolOp, asserted: bool) -> Iterator[tuple[str, ir.Expr]]:
    """What is asked for its truth, and by which operator, before the last operand is the value.

    An `and` that is itself the last operand speaks for itself, but not in an assert: there it is a test.
    """
    for tested in node.values[:-1]:
        yield from ((node.op, operand) for operand in truth_operands(tested))
    last = node.values[-1]
    if asserted and isinstance(last, ir.BoolOp):
        yield from _tested(last, asserted)


RULE = Rule(on=(ir.BoolOp,), check=check)
