"""``value.name``: attributes of tensors, sizes, numbers, arrays, containers, layers, modules.

Methods come back as ``Api`` with the receiver bound ('torch.Tensor.sum',
'builtins.list.append'); calling them is ``transfer.call_api``.
"""

from __future__ import annotations

from torch_compile_lint.program import transfer_version
from torch_compile_lint.program.lattice import join_all
from torch_compile_lint.program.transfer_kinds import dtype_class, dtype_value, words
from torch_compile_lint.program.transfer_layers import DISTRIBUTION_TENSORS
from torch_compile_lint.program.transfer_spec import evaluate, parse, simple
from torch_compile_lint.program.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    SHAPE_INT,
    TEXT,
    UNKNOWN,
    Api,
    Array,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Origin,
    Partial,
    PyModule,
    Size,
    Tensor,
    Text,
    Value,
    constant,
)
from torch_compile_lint.torchdb import db


def attribute(value: Value, name: str) -> Value:
    """The value of ``value.name``; UNKNOWN where nothing is known of it."""
    if len(value.atoms) == 1:
        out = _attribute(value.atoms[0], value, name)
        return UNKNOWN if out is None else out
    results = [r for r in (_attribute(a, value, name) for a in value.atoms) if r is not None]
    out = join_all(results)
    return out if out.atoms else UNKNOWN


def _attribute(atom: Atom, value: Value, name: str) -> Value | None:
    """One atom's attribute; None where Python raises."""
    kind = type(atom)
    if type(atom) is Tensor:
        return _of_tensor(atom, value, name)
    if kind is NoneAtom:
        return None
    if type(atom) is Instance:
        return _of_instance(atom, value, name)
    if kind is Size:
        bound = Value((atom,), value.confidence, value.origin)
        return Value((Api("torch.Size." + name, bound),))
    if type(atom) is Number:
        return _of_number(atom, value, name)
    if kind is Text:
        return _method("str", name, Value((atom,), value.confidence))
    if type(atom) is Container:
        return _of_container(atom, value, name)
    if kind is Array:
        return _of_array(value, name)
    if type(atom) is PyModule:
        return module_attribute(atom.name, name)
    if type(atom) is Api or type(atom) is ClassRef:
        return _of_type(atom.symbol, name)
    if type(atom) is Opaque:
        return _of_opaque(atom, name)
    if type(atom) is Function:
        return TEXT if name in ("__name__", "__qualname__", "__doc__", "__module__") else UNKNOWN
    if type(atom) is Partial:
        return atom.func if name == "func" else UNKNOWN
    return UNKNOWN


def _of_tensor(atom: Tensor, value: Value, name: str) -> Value:
    alone = value if len(value.atoms) == 1 else Value((atom,), value.confidence, value.origin)
    if name == "shape":
        return Value((Size(atom.rank),), value.confidence)
    if name == "dtype":
        return dtype_value(atom.dtype)
    spec = db.attribute("torch.Tensor", name)
    if spec is None:
        # Attributes that people hang on tensors are not in any table: only methods are known.
        known = db.result("torch.Tensor." + name) is not None or name in _METHODS
        return Value((Api("torch.Tensor." + name, alone),), value.confidence) if known else UNKNOWN
    out = evaluate(spec, (alone,), {})
    if type(out.atoms[0]) is Tensor:
        return Value(out.atoms, value.confidence, Origin(f"`.{name}` of a tensor is a tensor", value.origin))
    return Value(out.atoms, value.confidence)


# Methods that handlers serve and no table lists.
_METHODS = words(
    "to type view reshape expand repeat tile size stride max min where new_zeros new_ones new_empty"
    " new_full new_tensor tolist item numpy split unique unique_consecutive register_hook apply_ map_"
    " qscheme storage untyped_storage resize_ resize stft istft module_load as_subclass bool ipu data_ptr"
    " nonzero"
)


_PYTHON_TYPES: dict[str, type] = {
    "str": str, "list": list, "tuple": tuple, "dict": dict, "set": set, "int": int, "float": float,
    "bool": bool, "complex": complex,
}  # fmt: skip


def _method(kind: str, name: str, bound: Value) -> Value | None:
    """A method of a Python type; None where the type has none of that name."""
    python = _PYTHON_TYPES.get(kind)
    if python is not None and not hasattr(python, name):
        return None
    return Value((Api(f"builtins.{kind}.{name}", bound),))


def _of_number(atom: Number, value: Value, name: str) -> Value | None:
    if name in ("real", "imag"):
        return Value(
            (Number("float" if atom.type == "complex" else atom.type, atom.source),), value.confidence
        )
    return _method(atom.type or "float", name, Value((atom,), value.confidence))


def _of_container(atom: Container, value: Value, name: str) -> Value | None:
    # Results of torch.max, topk, sort and the like are named tuples.
    if atom.kind == "tuple" and atom.items is not None and 2 <= len(atom.items) > _FIELDS.get(name, 99):
        return atom.items[_FIELDS[name]]
    return _method(atom.kind, name, Value((atom,), value.confidence, value.origin))


_FIELDS = {
    name: place
    for place, names in enumerate(
        (
            "values sign eigenvalues solution Q U LU hist mantissa",
            "indices logabsdet eigenvectors residuals R S pivots bin_edges exponent",
            "rank Vh V",
            "singular_values",
        )
    )
    for name in names.split()
}


def _of_array(value: Value, name: str) -> Value:
    if name in ("T", "real", "imag", "flat", "mT"):
        return Value((Array(),), value.confidence)
    if name == "shape":
        return Value((Container("tuple", None, SHAPE_INT),))
    if name in ("ndim", "size", "nbytes", "itemsize"):
        return SHAPE_INT
    if name == "dtype":
        return Value((Opaque("numpy.dtype"),))
    return Value((Api("numpy.ndarray." + name, value),))


def _of_version(written: str, name: str) -> Value:
    """Of a version, which torch's own is a text as well."""
    known = transfer_version.attribute(written, name)
    if known is not None:
        return known
    # How a build ends ('+cu130') is not known, so only what is asked of the beginning is.
    text = constant(written) if name in ("split", "startswith", "partition") else TEXT
    return _method("str", name, text) or UNKNOWN


def _of_opaque(atom: Opaque, name: str) -> Value:
    label = atom.label
    if label == "config":
        return Value((atom,))
    if (written := transfer_version.version_text(atom)) is not None:
        return _of_version(written, name)
    if label.startswith("torch.dtype") or dtype_class(Value((atom,))) is not None:
        return INT if name == "itemsize" else BOOL
    if label == "torch.device":
        return TEXT if name == "type" else Value((NoneAtom(), Number("int"))) if name == "index" else UNKNOWN
    if label in ("torch.finfo", "numpy.finfo"):
        return INT if name == "bits" else TEXT if name == "dtype" else FLOAT
    if label in ("torch.iinfo", "numpy.iinfo"):
        return TEXT if name == "dtype" else INT
    if label == "autograd context":
        return _of_context(name)
    if label == "type" and name in ("__name__", "__qualname__", "__module__"):
        return TEXT
    if label == "os.environ":
        return Value((Api("os.environ." + name),))
    return UNKNOWN


_CONTEXT_METHODS = words("save_for_backward mark_dirty mark_non_differentiable set_materialize_grads")


def _of_context(name: str) -> Value:
    """The ``ctx`` of an autograd.Function; what people hang on it is unknown."""
    if name == "saved_tensors":
        reason = Origin("`ctx.saved_tensors` holds tensors")
        return Value((Container("tuple", None, Value((Tensor(),), origin=reason)),))
    if name == "needs_input_grad":
        return Value((Container("tuple", None, BOOL),))
    if name in _CONTEXT_METHODS:
        return Value((Api("torch.autograd.function.FunctionCtx." + name),))
    return UNKNOWN


# Methods of nn.Module that people call on layers in forward.
_MODULE_METHODS = words(
    "forward parameters named_parameters modules named_modules children named_children buffers"
    " named_buffers state_dict load_state_dict to cuda cpu half float double eval train requires_grad_"
    " zero_grad apply register_buffer register_parameter register_module add_module register_forward_hook"
    " get_submodule register_forward_pre_hook register_full_backward_hook get_parameter get_buffer"
    " extra_repr compile append extend insert keys values items pop flatten_parameters type"
)


def _of_instance(atom: Instance, value: Value, name: str) -> Value:
    alone = value if len(value.atoms) == 1 else Value((atom,), value.confidence, value.origin)
    if atom.module or db.is_module_class(atom.symbol):
        if name == "training":
            return BOOL
        spec = db.layer_attribute(atom.symbol, name)
        if spec is not None:
            return _said(spec, f"`{atom.symbol}.{name}` is a parameter or buffer", value)
        if name in _MODULE_METHODS:
            return Value((Api(f"{atom.symbol}.{name}", alone),))
        return UNKNOWN
    if name in DISTRIBUTION_TENSORS and atom.symbol.startswith("torch.distributions."):
        return Value((Tensor("float"),), value.confidence, Origin(f"`{atom.symbol}.{name}` is a tensor"))
    if atom.symbol == "torch.nn.utils.rnn.PackedSequence" and name in ("data", "batch_sizes"):
        return Value((Tensor("int", 1) if name == "batch_sizes" else Tensor(),))
    return Value((Api(f"{atom.symbol}.{name}", alone),))


def _said(spec: str, reason: str, value: Value) -> Value:
    out = evaluate(spec, (), {})
    if any(type(a) is Tensor for a in out.atoms):
        return Value(out.atoms, min(value.confidence, out.confidence), Origin(reason, value.origin))
    return out


def _of_type(symbol: str, name: str) -> Value:
    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return TEXT
    found = constant_value(f"{symbol}.{name}")
    return found if found is not None else Value((Api(f"{symbol}.{name}"),))


def constant_value(symbol: str) -> Value | None:
    """The value of a dotted name that is data, not a function: torch.float32, math.pi."""
    spec = db.constant(symbol)
    if spec is None:
        return None
    if spec == "Y":
        return Value((Opaque(symbol),))  # which dtype: dtype_class reads it back
    if spec == "N":
        return NONE
    parsed = parse(spec)
    return simple(parsed[0]) if len(parsed) == 1 and parsed[0].kind not in "([{" else evaluate(spec, (), {})


def module_attribute(module: str, name: str) -> Value:
    """What ``module.name`` is in an external module: data, a submodule or an API."""
    symbol = f"{module}.{name}"
    found = constant_value(symbol)
    if found is not None:
        return found
    if symbol in _MODULES:
        return Value((PyModule(symbol),))
    return Value((Api(db.canonical(symbol)),))


# Submodules reached by attribute without an import of their own.
_MODULES = words(
    "torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.parallel"
    " torch.linalg torch.fft torch.special torch.jit torch.onnx torch.cuda torch.cuda.amp torch.cuda.nvtx"
    " torch.amp torch.autograd torch.autograd.profiler torch.autograd.graph torch.utils"
    " torch.utils.checkpoint torch.utils.data torch.backends torch.backends.cuda torch.backends.cudnn"
    " torch.backends.mps torch.compiler torch.distributed torch.distributions torch.fx torch.func"
    " torch.library torch.nested torch.sparse torch.quantization torch.ao torch.random torch.version"
    " torch.profiler torch.overrides torch.mps torch.xpu torch.masked torch.signal torch.signal.windows"
    " torch.optim torch.hub torch.testing torch.types torch.futures torch.return_types torch._dynamo"
    " torch._dynamo.config torch._C torch.nn.modules torch.nn.attention torch.nn.parameter"
    " torch.functional torch._inductor torch._inductor.config torch.ops torch.ops.aten numpy.random"
    " numpy.linalg numpy.fft numpy.ma numpy.testing os.path scipy.linalg scipy.signal scipy.special"
    " scipy.optimize scipy.ndimage concurrent.futures logging.handlers importlib.util"
    " xml.etree.ElementTree urllib.request collections.abc PIL.Image"
)
