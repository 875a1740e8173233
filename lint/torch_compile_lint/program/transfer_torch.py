"""torch functions and tensor methods whose result depends on how they are called.

Everything else of torch comes from the tables (``torchdb``). A handler takes the positional
arguments (for a method, the tensor first) and the keywords.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from torch_compile_lint.program.transfer_kinds import (
    Keywords,
    at_least_float,
    bool_of,
    broadcast,
    class_of,
    dtype_class,
    elements,
    int_of,
    is_dtype,
    is_none,
    merged,
    promote,
    rank_of,
    source_of,
    sure,
    text_of,
)
from torch_compile_lint.program.transfer_new import LEGACY, argument, made, sizes_rank
from torch_compile_lint.program.transfer_spec import evaluate, reduced_rank
from torch_compile_lint.program.values import (
    BOOL,
    FALSE,
    SHAPE_INT,
    TEXT,
    TRUE,
    UNKNOWN,
    Container,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    tensor,
)

Args = tuple[Value, ...]
Handler = Callable[[Args, Keywords], "Value | None"]
H = TypeVar("H", bound=Handler)

HANDLERS: dict[str, Handler] = {}


def _handles(*symbols: str) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for symbol in symbols:
            HANDLERS[symbol] = handler
        return handler

    return register


def both(*names: str) -> tuple[str, ...]:
    """The function torch.name and the method torch.Tensor.name."""
    return (*("torch." + n for n in names), *("torch.Tensor." + n for n in names))


# ---------------------------------------------------------------- the same data, seen differently


@_handles("torch.Tensor.to", "torch.Tensor.cuda", "torch.Tensor.type")
def _to(args: Args, keywords: Keywords) -> Value:
    this, given = args[0], [*args[1:], *(keywords[n] for n in ("dtype", "other") if n in keywords)]
    cls, rank = class_of(this), rank_of(this)
    for value in given:
        name = text_of(value)
        if is_dtype(value):
            cls = dtype_class(value)
        elif name is not None and name.endswith("Tensor"):
            cls = LEGACY.get(name.rpartition(".")[2])
        elif sure(value, Tensor):
            cls = class_of(value)
        elif not sure(value, Text, Number, NoneAtom) and not _is_device(value):
            cls = None
    return tensor(cls, rank)


def _is_device(value: Value) -> bool:
    return sure(value, Opaque) and all(a == Opaque("torch.device") for a in value.atoms)


def _type(args: Args, keywords: Keywords) -> Value:
    return TEXT if len(args) == 1 and not keywords else _to(args, keywords)


HANDLERS["torch.Tensor.type"] = _type


@_handles("torch.Tensor.type_as")
def _type_as(args: Args, keywords: Keywords) -> Value:
    return tensor(class_of(argument(args, keywords, 1, "other")), rank_of(args[0]))


@_handles(*both("div", "divide"))
def _div(args: Args, keywords: Keywords) -> Value:
    this, other = argument(args, keywords, 0, "input"), argument(args, keywords, 1, "other")
    cls = promote(class_of(this), class_of(other))
    if is_none(keywords.get("rounding_mode")):
        cls = at_least_float(cls)
    return tensor(cls, broadcast((rank_of(this), rank_of(other))))


@_handles("torch.Tensor.view")
def _view(args: Args, keywords: Keywords) -> Value:
    this, sizes = args[0], args[1:] or tuple(keywords.values())
    if len(sizes) == 1 and is_dtype(sizes[0]):
        return tensor(dtype_class(sizes[0]), rank_of(this))
    return tensor(class_of(this), sizes_rank(sizes))


@_handles("torch.Tensor.reshape", "torch.Tensor.expand", "torch.Tensor.repeat", "torch.Tensor.tile")
def _reshape(args: Args, keywords: Keywords) -> Value:
    return tensor(class_of(args[0]), sizes_rank(args[1:] or tuple(keywords.values())))


@_handles("torch.reshape", "torch.broadcast_to", "torch.Tensor.broadcast_to")
def _reshape_to(args: Args, keywords: Keywords) -> Value:
    shape = argument(args, keywords, 1, "shape", "size")
    return tensor(class_of(args[0]) if args else None, None if shape is None else sizes_rank((shape,)))


@_handles(*both("flatten"))
def _flatten(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    start = argument(args, keywords, 1, "start_dim")
    end = argument(args, keywords, 2, "end_dim")
    rank: int | None = rank_of(this)
    first, last = (0 if start is None else int_of(start)), (-1 if end is None else int_of(end))
    if first == 0 and last == -1:
        rank = 1
    elif rank and first is not None and last is not None:
        rank = rank - max((last % rank) - (first % rank), 0)
    else:
        rank = None
    return tensor(class_of(this), rank)


@_handles(*both("movedim", "moveaxis", "permute"))
def _permuted(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    return tensor(class_of(this), rank_of(this))


@_handles(*both("squeeze"))
def _squeeze(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    return tensor(class_of(this), 0 if rank_of(this) == 0 else None)


@_handles(*both("ravel"), "torch.Tensor.masked_select", "torch.masked_select")
def _ravel(args: Args, keywords: Keywords) -> Value:
    return tensor(class_of(args[0] if args else keywords.get("input")), 1)


@_handles("torch.Tensor.size", "torch.Tensor.stride")
def _size(args: Args, keywords: Keywords) -> Value:
    dim = argument(args, keywords, 1, "dim")
    return Value((Size(rank_of(args[0])),)) if is_none(dim) else SHAPE_INT


# ---------------------------------------------------------------- reductions with two forms


@_handles(*both("max", "min"))
def _extreme(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    dim = argument(args, keywords, 1, "dim", "axis", "other")
    if is_none(dim):
        return tensor(class_of(this), 0)
    assert dim is not None
    if sure(dim, Tensor):
        return tensor(promote(class_of(this), class_of(dim)), broadcast((rank_of(this), rank_of(dim))))
    rank = reduced_rank(rank_of(this), args, keywords)
    pair = Value((Container("tuple", (tensor(class_of(this), rank), tensor("int", rank))),))
    return pair if sure(dim, Number) else UNKNOWN


@_handles(*both("median", "nanmedian"))
def _median(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    if is_none(argument(args, keywords, 1, "dim")):
        return tensor(class_of(this), 0)
    rank = reduced_rank(rank_of(this), args, keywords)
    return Value((Container("tuple", (tensor(class_of(this), rank), tensor("int", rank))),))


@_handles(*both("nonzero"))
def _nonzero(args: Args, keywords: Keywords) -> Value:
    flag = keywords.get("as_tuple")
    wanted = False if is_none(flag) else bool_of(flag)
    several = Value((Container("tuple", None, tensor("int", 1)),))
    return merged([tensor("int", 2), several]) if wanted is None else several if wanted else tensor("int", 2)


@_handles(*both("where"))
def _where(args: Args, keywords: Keywords) -> Value:
    if len(args) + len(keywords) == 1:
        return Value((Container("tuple", None, tensor("int", 1)),))
    given = [*args, *(keywords[n] for n in ("condition", "input", "other") if n in keywords)]
    rank = broadcast(rank_of(v) for v in given)
    if len(given) != 3:
        return tensor()
    return (
        tensor(None, rank)
        if sure(given[1], Unknown)
        else tensor(promote(class_of(given[1]), class_of(given[2])), rank)
    )


def _where_method(args: Args, keywords: Keywords) -> Value:
    # x.where(condition, other)
    return _where((*args[1:2], args[0], *args[2:]), keywords) if len(args) > 1 else tensor(class_of(args[0]))


HANDLERS["torch.Tensor.where"] = _where_method


@_handles(*both("unique", "unique_consecutive"))
def _unique(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    flags = [argument(args, keywords, 2, "return_inverse"), argument(args, keywords, 3, "return_counts")]
    wanted = [False if is_none(f) else bool_of(f) for f in flags]
    dim = argument(args, keywords, 4, "dim")
    values = tensor(class_of(this), 1 if is_none(dim) else rank_of(this))
    if None in wanted:
        return UNKNOWN
    extra = [tensor("int") for w in wanted if w]
    return Value((Container("tuple", (values, *extra)),)) if extra else values


@_handles(*both("bincount"))
def _bincount(args: Args, keywords: Keywords) -> Value:
    plain = is_none(argument(args, keywords, 1, "weights"))
    return tensor("int" if plain else None, 1)


@_handles(*both("norm"), "torch.functional.norm")
def _norm(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    dim = argument(args, keywords, 2, "dim")
    keep = argument(args, keywords, 3, "keepdim")
    rank = reduced_rank(rank_of(this), (this or UNKNOWN, dim or Value((NoneAtom(),)), keep or FALSE), {})
    return made(keywords.get("dtype"), "float", rank)


@_handles(*both("repeat_interleave"))
def _repeat_interleave(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    plain = is_none(argument(args, keywords, 2, "dim"))
    return tensor(class_of(this), 1 if plain else rank_of(this))


# ---------------------------------------------------------------- pooling

_POOLS = ("max_pool1d", "max_pool2d", "max_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d")


@_handles(*("torch.nn.functional." + n for n in (*_POOLS, "adaptive_max_pool3d", "fractional_max_pool2d")))
def _pool(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("input")
    flag = bool_of(keywords.get("return_indices"))
    out = tensor(class_of(this), rank_of(this))
    return Value((Container("tuple", (out, tensor("int", rank_of(this)))),)) if flag else out


# ---------------------------------------------------------------- questions


@_handles("torch.is_tensor", "torch.overrides.is_tensor_like")
def _is_tensor(args: Args, keywords: Keywords) -> Value:
    value = args[0] if args else UNKNOWN
    if sure(value, Tensor):
        return TRUE
    inert = all(type(a) not in (Tensor, Unknown, Opaque, Instance) for a in value.atoms)
    return FALSE if inert and value.atoms else BOOL


@_handles(*both("is_floating_point", "is_complex"))
def _is_class(args: Args, keywords: Keywords) -> Value:
    return BOOL


# What Dynamo gives for these while it traces (measured on 2.13.0 and 2.14.1).
_CONSTANTS = {
    TRUE: "torch.compiler.is_compiling torch.compiler.is_dynamo_compiling torch._dynamo.is_compiling"
    " torch._dynamo.external_utils.is_compiling torch._utils.is_compiling",
    FALSE: "torch.jit.is_scripting torch.jit.is_tracing torch._jit_internal.is_scripting"
    " torch.onnx.is_in_onnx_export torch.compiler.is_exporting torch._C._is_tracing"
    " torch.fx._symbolic_trace.is_fx_tracing torch.overrides.has_torch_function"
    " torch.overrides.has_torch_function_unary torch._C._jit_is_scripting"
    " torch.overrides.has_torch_function_variadic torch._jit_internal.is_tracing"
    " torch.jit._trace.is_tracing",
}


def _register_constants() -> None:
    for value, names in _CONSTANTS.items():
        for name in names.split():
            HANDLERS[name] = lambda args, keywords, value=value: value  # type: ignore[misc]
    HANDLERS["torch._C._get_tracing_state"] = lambda args, keywords: Value((NoneAtom(),))
    for name in ("torch.utils.data.get_worker_info", "torch.utils.data._utils.worker.get_worker_info"):
        # None but in the workers of a DataLoader, where no model is compiled.
        HANDLERS[name] = lambda args, keywords: Value((NoneAtom(),))


_register_constants()


# ---------------------------------------------------------------- wrappers


@_handles(
    "torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer", "torch.nn.parameter.Buffer"
)
def _parameter(args: Args, keywords: Keywords) -> Value:
    data = argument(args, keywords, 0, "data")
    return tensor(class_of(data), rank_of(data)) if not is_none(data) else tensor("float")


@_handles("torch.autograd.Variable", "torch.autograd.variable.Variable")
def _variable(args: Args, keywords: Keywords) -> Value | None:
    data = argument(args, keywords, 0, "data")
    return None if data is None else tensor(class_of(data), rank_of(data))


@_handles("torch.jit.annotate", "typing.cast")
def _second(args: Args, keywords: Keywords) -> Value | None:
    return args[1] if len(args) > 1 else None


@_handles(
    *("torch.jit." + n for n in ("script", "ignore", "unused", "export", "script_if_tracing")),
    "torch._jit_internal.ignore",
    "torch._dynamo.allow_in_graph",
    "torch.compiler.allow_in_graph",
)
def _same(args: Args, keywords: Keywords) -> Value | None:
    return args[0] if args else None


@_handles("torch.jit.isinstance")
def _jit_isinstance(args: Args, keywords: Keywords) -> Value:
    return BOOL


@_handles("torch.is_nonzero", "torch.Tensor.is_nonzero")
def _is_nonzero(args: Args, keywords: Keywords) -> Value:
    return Value((Number("bool", source_of(*args)),))


@_handles("torch.sym_int", "torch.sym_max", "torch.sym_min", "torch.sym_not", "torch.sym_float")
def _symbolic(args: Args, keywords: Keywords) -> Value:
    return Value((Number(None, source_of(*args)),))


@_handles("torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d")
def _at_least(args: Args, keywords: Keywords) -> Value:
    if len(args) != 1 or sure(args[0], Container):
        given = args if len(args) != 1 else tuple(elements(args[0]))
        return Value((Container("tuple", None, merged([tensor(class_of(g)) for g in given])),))
    return tensor(class_of(args[0]))


@_handles("torch.einsum", "torch.functional.einsum")
def _einsum(args: Args, keywords: Keywords) -> Value:
    cls: str | None = None
    operands = [o for a in args[1:] for o in elements(a)]
    for i, value in enumerate(operands):
        cls = class_of(value) if i == 0 else promote(cls, class_of(value))
    equation = text_of(args[0]) if args else None
    rank = None
    if equation is not None and "->" in equation and "." not in equation:
        rank = len(equation.rpartition("->")[2].replace(" ", ""))
    return tensor(cls, rank)


@_handles("torch.nn.functional.one_hot")
def _one_hot(args: Args, keywords: Keywords) -> Value:
    return evaluate("T:i:+", args, keywords)
