"""Signs that an unannotated parameter is a number, a size or a flag rather than a tensor.

``counts`` looks at one use of the name: the bound of a range or a slice, a size given to
torch.zeros, arange, view or expand. That decides, whatever else is done with it. ``named_so``
and ``is_asked`` (`if flag:`, `if kind == 2:`) only decide where nothing else says what the
parameter is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.program.function_view import outline

if TYPE_CHECKING:
    from torch_compile_lint.program.closures import Found
    from torch_compile_lint.program.infer import Analyzer

# Of torch: all positional arguments are sizes or bounds.
_MAKERS = frozenset(
    (
        *("arange", "range", "zeros", "ones", "empty", "rand", "randn", "eye", "linspace", "logspace"),
        *("randint", "randperm", "tril_indices", "triu_indices", "hann_window", "hamming_window"),
    )
)
# Of tensors: all positional arguments are sizes; a tensor is never given to them.
_SHAPERS = frozenset(
    ("view", "reshape", "expand", "repeat", "new_zeros", "new_ones", "new_empty", "unflatten", "tile")
)
_PYTHON = frozenset(("range", "math.sqrt", "math.log", "math.log2", "math.ceil", "math.floor", "math.prod"))
_NUMBER_NAME = re.compile(
    r"""(
    i|j|n|ndim|bs|bsz|bz|idx|step|steps|stride|num|count|level|epoch|iteration|depth|offset|length
    |size|dim|axis|height|width|seqlen|scale_factor|layer_id
    |(num|n|max|min|total|cur|current)_\w+
    |\w+_(len|length|size|dim|dims|idx|id|step|steps|count|num|ratio|height|width|offset|level)
    |device|dtype|mode|name|training|flag|reduction|deterministic|inplace|verbose
    |(return|use|is|has|do|with|should|need|apply|output)_\w+|\w+_(mode|name|type|flag|only|dtype|device)
    )""",
    re.VERBOSE,
)


def named_so(name: str) -> bool:
    """Whether a parameter of this name is, as a rule, no tensor: `seq_len`, `i`, `return_dict`."""
    return _NUMBER_NAME.fullmatch(name) is not None


def is_asked(facts: ir.FunctionFacts, name: str) -> bool:
    """Whether the parameter's own truth, or whether it equals a constant, is asked for somewhere.

    Nobody does that with a tensor of more than one element: it raises in eager mode, too.
    """
    parents = outline(facts).parents
    for node in outline(facts).by_kind.get(ir.Name, ()):
        if type(node) is not ir.Name or node.name != name or node.scope != "local":
            continue
        child: ir.Node = node
        parent = parents[node.id]
        if type(parent) is ir.Compare and _equals_constant(parent, node):
            child, parent = parent, parents[parent.id]
        while type(parent) is ir.BoolOp or (type(parent) is ir.Unary and parent.op == "not"):
            child, parent = parent, parents[parent.id]
            if type(child) is ir.Unary:
                return True
        if isinstance(parent, ir.Branch | ir.While | ir.IfExp | ir.Assert) and parent.test is child:
            return True
    return False


def _equals_constant(compare: ir.Compare, node: ir.Name) -> bool:
    if (
        compare.left is not node
        or len(compare.ops) != 1
        or compare.ops[0] not in ("==", "!=", "in", "not in")
    ):
        return False
    right = compare.rights[0]
    return type(right) is ir.Const or (
        type(right) is ir.Sequence and all(type(item) is ir.Const for item in right.items)
    )


def counts(analyzer: Analyzer, found: Found, node: ir.Name, parents: list[ir.Node | None]) -> bool:
    """Whether this use wants a number: alone or as part of a sum, as a bound, a size or a count."""
    parent = parents[node.id]
    while type(parent) is ir.Binary or (type(parent) is ir.Unary and parent.op == "-"):
        parent = parents[parent.id]
    if type(parent) is ir.Slice:
        return True
    if type(parent) is ir.Sequence and parent.kind in ("tuple", "list"):
        parent = parents[parent.id]
    if type(parent) is not ir.Argument or parent.star or parent.keyword not in (None, "size"):
        return False
    call = parents[parent.id]
    if type(call) is not ir.Call:
        return False
    return _wants_number(analyzer, found, call, call.args[0] is parent)


def _wants_number(analyzer: Analyzer, found: Found, call: ir.Call, is_first: bool) -> bool:
    func = call.func
    name = ""
    if type(func) is ir.Name and func.scope == "global":
        name = func.name
    elif type(func) is ir.Attribute and type(func.base) is ir.Name and func.base.scope == "global":
        name = f"{func.base.name}.{func.attr}"
    elif type(func) is ir.Attribute:
        return func.attr in _SHAPERS
    if not name:
        return False
    symbol, _ = analyzer.resolve_type(found.path, name)
    full = symbol or name
    if full.removeprefix("builtins.") in _PYTHON:
        return True
    if full == "torch.full":
        return is_first
    short = full.removeprefix("torch.")
    return full != short and (short in _MAKERS or (short in _SHAPERS and not is_first))
