"""FunctionView: everything a rule may see of one analysed function, and nothing else.

A view is one function in one context (the kinds of its arguments). Rules run once per
context; the engine merges hits at the same span.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from torch_compile_lint.facts import ir
from torch_compile_lint.program.values import Value

N = TypeVar("N", bound=ir.Node)


class FunctionView(Protocol):
    """What ``Rule.check`` receives besides the node."""

    facts: ir.FunctionFacts
    is_root: bool  # a compile root itself, not a function reached from one
    fullgraph: bool  # some root that reaches this function demands fullgraph=True
    source: str | None  # the text that spans are offsets into

    def value(self, expr: ir.Expr) -> Value:
        """The inferred value of an expression, after narrowing, at the place it stands."""

    def callees(self, call: ir.Call) -> tuple[str, ...]:
        """Canonical dotted names of what may be called.

        'builtins.print', 'torch.Tensor.item', 'torch.nn.functional.one_hot',
        'logging.Logger.info', 'torch.nn.LSTM.__call__' (calling a module instance),
        'pkg.mod.helper' (a project function; with '@name' for each of its decorators and
        '<disabled>' under torch.compiler.disable). Empty when unknown.
        """

    def descriptor(self, node: ir.Attribute) -> str:
        """What the class defines under that name: method, static, class, property, cached-property; or ''."""

    def makers(self, node: ir.Attribute) -> tuple[str, ...]:
        """What the class stores under an attribute: the canonical name that is called ('torch.nn.Buffer').

        '.to.mul_' for methods of the attribute itself (`self.a = self.a.to(x).mul_(2)`), '' for others.
        Augmented stores are left out; empty where the class stores nothing there.
        """

    def is_own(self, symbol: str) -> bool:
        """Whether a class is one of the program's own, not of an installed package."""

    def is_fixed(self, call: ir.Call) -> bool:
        """Whether what is called asks only the machine and what is installed: its answer never changes."""

    def argument(self, call: ir.Call, index: int, keyword: str | None = None) -> ir.Expr | None:
        """The expression passed at a position or by keyword; None if not given."""

    def reached(self, node: ir.Node) -> bool:
        """False where the node lies in a branch that is never taken under torch.compile."""

    def position(self, node: ir.Node) -> tuple[str, ...]:
        """Of 'loop', 'try', 'with' (a user context manager), outermost first; comprehension excluded."""

    def parent(self, node: ir.Node) -> ir.Node | None:
        """The node that holds this one."""

    def nodes(self, kind: type[N]) -> Iterator[N]:
        """All reached nodes of a type in this function, in source order."""

    def text(self, node: ir.Node, limit: int = 60) -> str:
        """Source of the node on one line, shortened with an ellipsis in the middle."""

    def why(self, expr: ir.Expr) -> tuple[str, ...]:
        """Reasons for the value of ``expr``, most direct first."""
