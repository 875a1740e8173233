"""Compile roots: what their parameters are when nobody calls them under our eyes.

In order: the annotation; the default where it says more than None; how the parameter is used
in the body (``x.shape``, ``torch.relu(x)``, ``self.linear(x)``, arithmetic beside a float);
for the first parameter of a module's ``forward`` a use that does not speak against a tensor
is enough. What is guessed is likely, never proved, and defaults of a root are not constants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import number_uses
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.function_view import outline
from torch_compile_lint.program.lattice import container, join, without_constants
from torch_compile_lint.program.values import (
    NONE,
    UNKNOWN,
    ClassRef,
    Function,
    Instance,
    Origin,
    Value,
    at_most,
    is_annotated,
    is_none,
    is_unknown,
    may_be_tensor,
    shares_kind,
    tensor,
)

if TYPE_CHECKING:
    from torch_compile_lint.program.closures import Found
    from torch_compile_lint.program.infer import Analyzer, Record


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Attributes and methods that tensors have and next to nothing else in a model's code.
TENSOR_USES = _words(
    """
    view reshape permute transpose unsqueeze squeeze flatten softmax sigmoid relu tanh masked_fill
    masked_fill_ contiguous expand expand_as detach backward clamp clamp_ requires_grad is_cuda
    dtype shape ndim dim numel mean argmax argmin topk cumsum chunk unbind bmm matmul mm scatter
    gather index_select nonzero item unfold new_zeros new_ones new_full new_tensor new_empty type_as
    log_softmax repeat_interleave log exp sqrt rsqrt norm std var logsumexp movedim swapaxes add_
    mul_ sub_ div_ copy_ zero_ fill_ narrow sum max min
    """
)
# Uses that speak against a tensor.
OTHER_USES = _words(
    """
    items keys values get pop append extend update startswith endswith lower upper format
    join logits last_hidden_state hidden_states loss tensors decompose image_sizes setdefault insert
    read write
    """
)


def start(analyzer: Analyzer, root: Any) -> list[Record]:
    """Evaluate a root; its records (none when its source cannot be read)."""
    function, receiver = target(analyzer, root)
    if function is None:
        return []
    found = analyzer.closures.find(function)
    if found is None or analyzer.closures.load(found) is None:
        return []
    values = [
        parameter(analyzer, found, param, i) if i or receiver is None or not found.receives else receiver
        for i, param in enumerate(found.params)
    ]
    record = analyzer.evaluate_function(function, values, is_root=True)
    records = [record]
    if found.wrapped and record is not None:
        given = Arguments()
        for param, value in zip(found.params, values, strict=True):
            if param.kind.startswith("positional"):
                given.add(value)
            elif param.kind == "keyword-only":
                given.keywords[param.name] = value
        records.append(analyzer.evaluate_wrapper(found, given, record.result))
    return [record for record in records if record is not None]


def target(analyzer: Analyzer, root: Any) -> tuple[Function | None, Value | None]:
    """The root's function and the value of its first parameter, if that is self or cls."""
    if root.kind == "lambda":
        return _lambda(analyzer, root), None
    if "<locals>" in root.qualname:
        return _nested(analyzer, root), None
    function = Function(root.path, root.qualname)
    symbol = root.owner
    if symbol is None:
        index = analyzer.names.function_index(root.path, root.qualname)
        if index is None:
            return None, None
        if index.owner is not None:
            symbol = analyzer.names.class_symbol(root.path, index.owner)
    if symbol is None:
        return function, None
    index = analyzer.names.function_index(root.path, root.qualname)
    if index is not None:
        kind = analyzer.program.classes.method_kind(root.path, index)
        if kind == "class":
            return function, Value((ClassRef(symbol),))
        if kind == "static":
            return function, None
    made = analyzer.attributes.constructed_alone(symbol)
    return function, made if made is not None else Value(
        (Instance(symbol, analyzer.is_module_class(symbol)),)
    )


def _lambda(analyzer: Analyzer, root: Any) -> Function | None:
    """A lambda given to torch.compile at module level."""
    if root.sketch is None:
        return None
    made = analyzer.sketch(root.path, root.sketch)
    return next((a for a in made.atoms if type(a) is Function), None)


def _nested(analyzer: Analyzer, root: Any) -> Function | None:
    """A function defined inside another: with what it captures when the outer one has run."""
    outer = Function(root.path, root.qualname.partition(".<locals>.")[0])
    found = analyzer.closures.find(outer)
    if found is None or analyzer.closures.load(found) is None:
        return None
    values = [parameter(analyzer, found, param, i) for i, param in enumerate(found.params)]
    if found.receives and found.owner is not None:
        values[0] = Value((Instance(found.owner, analyzer.is_module_class(found.owner)),))
    analyzer.quietly(lambda: analyzer.evaluate_function(outer, values), None)
    return analyzer.closures.made_as(root.path, root.qualname)


def parameter(analyzer: Analyzer, found: Found, param: ir.Param, position: int) -> Value:
    """The value of a root's parameter."""
    said = analyzer.closures.parameter_said(found, param)
    default = UNKNOWN
    if param.default is not None:
        default = without_constants(analyzer.closures.default(found, param))
    if not is_unknown(said):
        return join(said, NONE) if is_none(default) else said
    if param.kind == "var-positional":
        return container("tuple", None, UNKNOWN)
    if param.kind == "var-keyword":
        return container("dict", None, UNKNOWN)
    if param.default is not None and not is_none(default) and not is_unknown(default):
        return at_most(default, Confidence.LIKELY)
    first = found.receives and position == 1 and param.annotation is None
    used = by_use(analyzer, found, param, first)
    if param.default is not None and not is_unknown(used):
        return join(used, NONE)
    return used


def settled(analyzer: Analyzer, found: Found, param: ir.Param, value: Value) -> Value:
    """An argument (or default), or what the function itself says of the parameter where that is more."""
    if is_unknown(value):
        said = analyzer.closures.parameter_said(found, param)
        if not is_unknown(said):
            return said
        return by_use(analyzer, found, param) if len(value.atoms) == 1 and not analyzer.quiet else value
    if may_be_tensor(value) and (value.confidence is not Confidence.PROVED or is_annotated(value)):
        said = analyzer.closures.parameter_said(found, param)
        if said.atoms and not is_unknown(said) and not shares_kind(value, said):
            return said  # the annotation rules the guess out
    return value


def by_use(analyzer: Analyzer, found: Found, param: ir.Param, first: bool = False) -> Value:
    """What an unannotated parameter is, going by its use in the body."""
    key = f"{param.name}!" if first else param.name
    known = found.uses.get(key)
    if known is not None:
        return known
    facts = analyzer.closures.load(found)
    value = UNKNOWN
    if facts is not None and param.kind not in ("var-positional", "var-keyword"):
        verdict = _verdict(analyzer, found, facts, param.name)
        if verdict is True:
            origin = Origin(f"`{param.name}` is used like a tensor")
            value = tensor(confidence=Confidence.LIKELY, origin=origin)
        elif (
            verdict is None
            and first
            and found.qualname.rpartition(".")[2] == "forward"
            and not number_uses.named_so(param.name)
            and not number_uses.is_asked(facts, param.name)
        ):
            owner = found.owner
            if owner is not None and analyzer.is_module_class(owner):
                origin = Origin(f"`{param.name}` is the first input of a module's forward")
                value = tensor(confidence=Confidence.LIKELY, origin=origin)
    found.uses[key] = value
    return value


def _verdict(analyzer: Analyzer, found: Found, facts: ir.FunctionFacts, name: str) -> bool | None:
    """True: like a tensor; False: like something else; None: no telling use."""
    parents = outline(facts).parents
    positive = False
    for node in outline(facts).by_kind.get(ir.Name, ()):
        if type(node) is not ir.Name or node.name != name or node.scope != "local":
            continue
        parent = parents[node.id]
        if number_uses.counts(analyzer, found, node, parents):
            return False
        if type(parent) is ir.Argument:
            call = parents[parent.id]
            verdict = None
            if not parent.star and type(call) is ir.Call:
                verdict = _argument_use(analyzer, found, call, parent)
        else:
            verdict = _use(node, parent)
        if verdict is False:
            return False
        positive = positive or verdict is True
    return True if positive else None


def _use(node: ir.Name, parent: ir.Node | None) -> bool | None:
    if type(parent) is ir.Attribute:
        if parent.attr in OTHER_USES:
            return False
        return True if parent.attr in TENSOR_USES else None
    if type(parent) is ir.Subscript and parent.base is node:
        index = parent.index
        if type(index) is ir.Const and isinstance(index.value, str):
            return False
        if type(index) is ir.Sequence and any(type(i) in (ir.Slice, ir.Const) for i in index.items):
            return True
        return None
    if type(parent) is ir.For and parent.iter is node:
        return False
    if type(parent) is ir.Clause and parent.iter is node:
        return False
    if type(parent) is ir.Call and parent.func is node:
        return False
    if type(parent) is ir.Binary and parent.op == "@":
        return True
    return None


_TENSOR_MODULES = ("torch.nn.functional.", "torch.nn.", "torch.fft.", "torch.linalg.", "torch.special.")
_TENSOR_FUNCTIONS = _words(
    """
    relu sigmoid tanh softmax matmul bmm mm einsum exp log sqrt abs sum mean std var norm sort topk
    argmax argmin where masked_fill zeros_like ones_like rand_like randn_like empty_like full_like
    flatten reshape transpose permute unsqueeze squeeze chunk split unbind cumsum clamp gather
    scatter nonzero index_select isnan isinf isfinite sin cos pow rsqrt numel unique masked_select
    all any max min roll flip movedim repeat_interleave erf log_softmax bincount outer cross dot
    baddbmm addmm
    """
)


def _argument_use(analyzer: Analyzer, found: Found, call: ir.Call, argument: ir.Argument) -> bool | None:
    """Whether being passed to this call tells of a tensor."""
    if not call.args or call.args[0] is not argument:
        return None
    func = call.func
    if type(func) is ir.Name and func.name == "isinstance" and len(call.args) == 2:
        # Whatever it is tested for, it is not always a tensor.
        other = call.args[1].value
        name = other.attr if type(other) is ir.Attribute else other.name if type(other) is ir.Name else ""
        return None if name == "Tensor" else False
    if type(func) is ir.Attribute and type(func.base) is ir.Name and func.base.scope == "global":
        symbol, _ = analyzer.resolve_type(found.path, f"{func.base.name}.{func.attr}")
        if symbol is not None:
            if symbol.startswith("torch.nn.functional."):
                return True
            return True if symbol.startswith("torch.") and func.attr in _TENSOR_FUNCTIONS else None
    if type(func) is ir.Attribute and type(func.base) is ir.Name and found.owner is not None:
        stored = analyzer.attributes.stored(found.owner, func.attr)
        if stored is not None and stored.atoms and all(type(a) is Instance for a in stored.atoms):
            layers = {a.symbol for a in stored.atoms if type(a) is Instance and a.module}
            if layers and all(s.startswith(_TENSOR_MODULES) for s in layers):
                return True
    return None
