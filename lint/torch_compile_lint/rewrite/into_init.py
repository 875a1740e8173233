"""A Parameter or layer that a method makes in each call -> made once in ``__init__``.

Legal where its arguments are constants, names of the module and attributes that ``__init__``
stores once, and where the method only reads what it made: what one call would leave in it, the
next one would find. What the class says of the name is asked in ``place_outside.py``.
"""

from __future__ import annotations

import re

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Outside, Safety, Span
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import (
    block_of,
    captured,
    reads_of,
    statement_of,
    writes_of,
    written_in_place,
)
from torch_compile_lint.rewrite.text import below, holds_comment, source

# Torch functions that make a tensor of numbers and sizes alone.
_FACTORIES = frozenset(
    f"torch.{name}"
    for name in [
        "zeros",
        "ones",
        "full",
        "empty",
        "eye",
        "arange",
        "linspace",
        "rand",
        "randn",
        "randint",
        "randperm",
        "tensor",
    ]
)
_PLAIN = (ir.Const, ir.Unary, ir.Binary, ir.Sequence, ir.Argument, ir.Attribute)
# Made anew it is always in training; made once it follows the module, and keeps statistics.
_MODES = ("BatchNorm", "TransformerEncoderLayer", "TransformerDecoderLayer")
_DROPPING = frozenset(("RNN", "LSTM", "GRU", "MultiheadAttention"))
_READ = frozenset(["weight", "bias", "shape", "dtype", "device", "ndim", "T", "mT"])
_OTHER = frozenset(
    ["data", "grad", "requires_grad", "register_hook", "backward", "retain_grad", "item", "tolist", "numpy"]
)


def into_init(call: ir.Call, view: FunctionView, layer: bool) -> Fix | None:
    """`lin = nn.Linear(3, 3)` -> `lin = self.lin`, and the call at the end of ``__init__``."""
    facts = view.facts
    statement = statement_of(call, view)
    if statement is None or not _is_method(facts) or not _straight(statement, view):
        return None
    if holds_comment(call, view) or "\n" in source(call, view) or not _settled(call, view):
        return None
    if layer and not _same_in_both_modes(call):
        return None
    name = _held_as(call, statement, view)
    if name is None:
        return None
    uses: list[ir.Expr] = [call]
    if isinstance(statement, ir.Assign) and statement.value is call:
        if len(writes_of(name, view)) != 1 or captured(name, view) or name in written_in_place(view):
            return None
        uses = list(reads_of(name, view))
    if not all(_only_read(use, view, layer) for use in uses):
        return None
    text = f"self.{name} = {source(call, view)}"
    edit = Edit("", Span(call.start, call.end), f"self.{name}")
    title = f"Make `self.{name}` once in __init__"
    return Fix(title, Safety.UNSAFE, (edit,), outside=(Outside("init", (name,), text),))


def _is_method(facts: ir.FunctionFacts) -> bool:
    plain = facts.kind == "function" and "<locals>" not in facts.qualname and "." in facts.qualname
    first = facts.params[0].name if facts.params else ""
    return plain and first == "self" and facts.name != "__init__" and not facts.decorators


def _straight(op: ir.Op, view: FunctionView) -> bool:
    """Whether a statement runs once in each call."""
    block = block_of(op, view)
    if block is view.facts.body:
        return True
    parent = view.parent(op)
    return isinstance(parent, ir.With) and _straight(parent, view)


def _settled(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether ``__init__`` can evaluate an expression: nothing in it belongs to this call."""
    for node in below(expr):
        if isinstance(node, ir.Name):
            if node.scope != "global" and node.name != "self":
                return False
            if node.name == "self" and not isinstance(view.parent(node), ir.Attribute):
                return False
        elif isinstance(node, ir.Call):
            if node is not expr and not (set(view.callees(node)) and set(view.callees(node)) <= _FACTORIES):
                return False
            if any(argument.star for argument in node.args):
                return False
        elif not isinstance(node, _PLAIN) or _computed(node, view):
            return False
    return True


def _computed(node: ir.Node, view: FunctionView) -> bool:
    return isinstance(node, ir.Attribute) and view.descriptor(node) in ("property", "cached-property")


def _same_in_both_modes(call: ir.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ir.Attribute) else getattr(call.func, "name", "")
    if name.startswith(_MODES):
        return False
    positional = sum(argument.keyword is None for argument in call.args)
    dropping = any(argument.keyword == "dropout" for argument in call.args) or positional > 2
    return name not in _DROPPING or not dropping


def _held_as(call: ir.Call, statement: ir.Op, view: FunctionView) -> str | None:
    """The name of the attribute: that of the local variable, else one from the class."""
    if isinstance(statement, ir.Assign) and statement.value is call:
        target = statement.targets[0]
        return target.name if len(statement.targets) == 1 and isinstance(target, ir.Name) else None
    last = source(call.func, view).rpartition(".")[2]
    return re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", last).lower()


def _only_read(use: ir.Expr, view: FunctionView, layer: bool) -> bool:
    """Whether a place that mentions the thing neither changes it nor hands it on."""
    parent = view.parent(use)
    if isinstance(parent, ir.Argument):
        return _given_to_torch(parent, view)
    if isinstance(parent, ir.Call):
        return layer and parent.func is use
    if isinstance(parent, ir.Attribute):
        called = view.parent(parent)
        if layer:
            read = isinstance(called, ir.Binary) or (
                isinstance(called, ir.Argument) and _given_to_torch(called, view)
            )
            return read and parent.attr in _READ
        if isinstance(called, ir.Call) and called.func is parent:
            return not parent.attr.endswith("_") and parent.attr not in _OTHER
        return parent.attr in _READ
    return isinstance(parent, ir.Binary | ir.Unary | ir.Compare) and not layer


def _given_to_torch(argument: ir.Argument, view: FunctionView) -> bool:
    """Whether an argument goes to functions of torch that only read it."""
    call = view.parent(argument)
    callees = view.callees(call) if isinstance(call, ir.Call) else ()
    return bool(callees) and all(c.startswith("torch.") and not c.endswith("_") for c in callees)
