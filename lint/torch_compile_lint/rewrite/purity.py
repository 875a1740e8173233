"""What may be evaluated although its branch is not taken: no effect, no state, no random numbers.

A closed list, as narrow as fixes need it. Evaluating such an expression can still fail (a shape
that fits one branch only) or cost time; the pages of the rules say so.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program.values import Instance, NoneAtom, Number, Opaque, Size, Tensor, Text, Value
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.text import below

_RANDOM_NAMES = """
    bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm
    dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout native_dropout
    rrelu gumbel_softmax seed manual_seed initial_seed fractional_max_pool2d fractional_max_pool3d
    scaled_dot_product_attention multi_head_attention_forward
"""
_RANDOM = frozenset(_RANDOM_NAMES.split())
# Tensor methods that read, write or start something although no underscore says so.
_EFFECT_NAMES = """
    backward item tolist numpy register_hook set_ retain_grad share_memory_ cuda cpu pin_memory record_stream
    save load compile to_sparse nonzero unique unique_consecutive masked_select bincount argwhere
"""
_EFFECTS = frozenset(_EFFECT_NAMES.split())
_PYTHON = frozenset(("builtins.float", "builtins.int", "builtins.len", "builtins.abs", "builtins.bool"))
_QUERIES = frozenset(("torch.finfo", "torch.iinfo", "torch.is_tensor", "torch.is_floating_point"))
_GUESS = "a module that is called with a tensor gives a tensor"
_PLAIN = (
    ir.Const,
    ir.Name,
    ir.Unary,
    ir.Binary,
    ir.BoolOp,
    ir.IfExp,
    ir.Compare,
    ir.Subscript,
    ir.Slice,
    ir.Argument,
    ir.Sequence,
)


def is_pure(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether evaluating ``expr`` changes nothing and always gives the same value."""
    for node in below(expr):
        if isinstance(node, ir.Call):
            if not _pure_call(node, view):
                return False
        elif isinstance(node, ir.Attribute):
            if view.descriptor(node) in ("property", "cached-property"):
                return False
        elif not isinstance(node, _PLAIN) or (isinstance(node, ir.Sequence) and node.kind == "set"):
            return False
    return True


def _pure_call(call: ir.Call, view: FunctionView) -> bool:
    if any(argument.star or argument.keyword == "out" for argument in call.args):
        return False
    callees = view.callees(call)
    return bool(callees) and all(_pure_callee(symbol, call, view) for symbol in callees)


def _pure_callee(symbol: str, call: ir.Call, view: FunctionView) -> bool:
    if symbol in _PYTHON or symbol in _QUERIES:
        return True
    owner, _, name = symbol.rpartition(".")
    if owner not in ("torch", "torch.Tensor", "torch.nn.functional", "torch.special", "torch.linalg"):
        return False
    if name.endswith("_") or name in _RANDOM or name in _EFFECTS:
        return False
    if any(a.keyword == "inplace" and not _is_false(a.value) for a in call.args):
        return False
    # Only what gives a tensor or a number: `torch.save`, `torch.set_default_dtype` give nothing.
    return only(view.value(call), Tensor, Number, Size, Opaque)


def _is_false(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is False


def only(value: Value, *kinds: type) -> bool:
    """Whether a value is surely of these kinds."""
    return bool(value.atoms) and all(isinstance(atom, kinds) for atom in value.atoms)


def is_tensor(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether an expression is a tensor for certain, or as certain as the parameter it comes from.

    That a module nobody knows gives a tensor is good enough for a finding, not for a fix: what
    torch.where makes of a number raises.
    """
    value = view.value(expr)
    if not only(value, Tensor):
        return False
    return value.confidence is Confidence.PROVED or _GUESS not in view.why(expr)


def is_static(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether an operand of a test is decided while tracing: numbers, None, text, objects, no tensor."""
    value = view.value(expr)
    return only(value, Number, NoneAtom, Text, Opaque, Instance, Size) and not any(
        isinstance(atom, Number) and atom.source == "tensor" for atom in value.atoms
    )
