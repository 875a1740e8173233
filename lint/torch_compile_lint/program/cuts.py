"""Decorators behind which nothing is traced, by their canonical names."""

from __future__ import annotations

CUTS = frozenset({"torch.compiler.disable", "torch._dynamo.disable", "torch._dynamo.decorators.disable"})
# Run while tracing: the answer stands in the graph.
CONSTANT = frozenset(
    (
        "torch.compiler.assume_constant_result",
        "torch._dynamo.assume_constant_result",
        "<constant>",  # a decorator of the program that marks its function so by hand
    )
)
# Run, or one operator in the graph: what it does inside is never traced.
OPERATORS = CONSTANT | frozenset(
    (
        "torch.library.custom_op",
        "torch.library.triton_op",
        "torch._library.custom_ops.custom_op",
        "torch.compiler.allow_in_graph",
        "torch._dynamo.allow_in_graph",
    )
)
