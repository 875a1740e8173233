"""Triggers: the constructs some rule could report, and the forms that are obviously harmless.

The screen analyses nothing whose reachable code has no trigger. So every trigger is an
over-approximation, and what ``is_plain`` calls harmless must be so whatever the names mean.
"""

from __future__ import annotations

import ast
from ast import (
    Attribute,
    BinOp,
    BoolOp,
    Call,
    Compare,
    Constant,
    JoinedStr,
    Lambda,
    List,
    Name,
    Slice,
    Subscript,
    Tuple,
    UnaryOp,
)
from typing import Any

# Constructs some rule could report, by name. A unit without any of them, and that calls or
# reads no name a rule knows, cannot have a finding of its own. Each is an over-approximation:
# it may be set where nothing is wrong, never missing where something is.
TRIGGERS = {
    "assert": "an assert whose test may be a tensor, or that has a message that is no constant",
    "augassign-self": "augmented assignment to an attribute",
    "await": "await, async for, async with",
    "bool-op": "and, or, not over something that may be a tensor",
    "branch": "if, elif, conditional expression or comprehension condition on what may be a tensor",
    "chain": "a comparison with two or more operators, which is an implicit `and`",
    "class": "a class statement inside a function",
    "contains": "in, not in, where what is looked for or looked in may be a tensor",
    "def": "a function or lambda inside a function",
    "delete": "del",
    "for": "a for loop or comprehension over anything but a display",
    "format": "an f-string with a value, or `%` with a string at its left",
    "global": "global, nonlocal",
    "import": "an import inside a function",
    "match": "match",
    "raise": "raise",
    "setattr-self": "assignment to an attribute of the receiver outside __init__",
    "setattr-other": "assignment to any other attribute",
    "star": "`*value` in a call, a display or a target, `**value` in a call",
    "subscript-dynamic": "an index or a slice bound that may be a tensor",
    "try": "try",
    "while": "while on anything but a constant",
    "with": "with",
    "yield": "yield",
}

# Attributes that are never a tensor on anything a model holds.
_PLAIN_ATTRIBUTES = frozenset(
    (
        "shape",
        "ndim",
        "dtype",
        "device",
        "is_cuda",
        "requires_grad",
        "training",
        "is_sparse",
        "is_quantized",
        "is_meta",
        "layout",
        "is_leaf",
        "is_mps",
        "is_xpu",
        "is_cpu",
        "__class__",
        "__name__",
        "__version__",
        "itemsize",
    )
)
_PLAIN_CALLS = frozenset(
    (
        "isinstance",
        "issubclass",
        "hasattr",
        "callable",
        "len",
        "is_tensor",
        "is_floating_point",
        "is_complex",
        "is_available",
        "is_grad_enabled",
        "is_autocast_enabled",
        "is_scripting",
        "is_tracing",
        "is_compiling",
        "startswith",
        "endswith",
        "dim",
        "size",
        "numel",
        "ndimension",
        "is_contiguous",
        "is_initialized",
        "is_inference",
    )
)


_PLAIN_BUILTINS = frozenset(("id", "str", "repr", "type"))


def is_plain(node: Any) -> bool:
    """True when ``node`` can be no tensor, from its form alone."""
    t = type(node)
    if t is Constant or t is JoinedStr or t is Lambda:
        return True
    if t is Attribute:
        return node.attr in _PLAIN_ATTRIBUTES
    if t is Call:
        func = node.func
        if type(func) is Name:
            return func.id in _PLAIN_CALLS or func.id in _PLAIN_BUILTINS
        return type(func) is Attribute and func.attr in _PLAIN_CALLS
    if t is Compare:
        return is_plain_compare(node)
    if t is UnaryOp:
        return is_plain(node.operand)
    if t is BoolOp:
        return all(is_plain(v) for v in node.values)
    if t is Subscript:  # x.shape[0]; an element of a display may be anything
        return type(node.value) in (Attribute, Call) and is_plain(node.value)
    if t is BinOp:
        return is_plain(node.left) and is_plain(node.right)
    if t is Tuple or t is List:  # compared element by element
        return all(is_plain(e) for e in node.elts)
    return False


def is_plain_compare(node: Compare) -> bool:
    """True when the result can be no tensor and asking for it has no hazard."""
    left: Any = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        kind = type(op)
        if kind is ast.Is or kind is ast.IsNot:
            pass
        elif kind is ast.In or kind is ast.NotIn:
            if not (_is_text(left) or _is_texts(right)):
                return False
        elif _is_text(left) or _is_text(right):
            pass
        elif not (is_plain(left) and is_plain(right)):
            return False
        left = right
    return True


def _is_text(node: Any) -> bool:
    return type(node) is Constant and (type(node.value) is str or node.value is None)


def _is_texts(node: Any) -> bool:
    return type(node) in (Tuple, List, ast.Set) and all(_is_text(e) for e in node.elts)


def is_static_index(node: Any) -> bool:
    """True when an index or slice can hold no tensor."""
    t = type(node)
    if t is Constant:
        return True
    if t is Slice:
        return (
            (node.lower is None or is_static_index(node.lower))
            and (node.upper is None or is_static_index(node.upper))
            and (node.step is None or is_static_index(node.step))
        )
    if t is Tuple:
        return all(is_static_index(e) for e in node.elts)
    return is_plain(node)
