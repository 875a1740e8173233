"""Results of operators, attributes and calls: on values alone, and against torch itself."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import transfer
from torch_compile_lint.program.values import (
    BOOL,
    FALSE,
    INT,
    NONE,
    SHAPE_INT,
    TRUE,
    UNKNOWN,
    Api,
    Array,
    Container,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    PyModule,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    constant,
    is_tensor,
    is_unknown,
    of,
    tensor,
)


def _sibling(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(name + ".py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


expressions = _sibling("expressions")

MODULES = {
    "torch": "torch",
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "np": "numpy",
    "math": "math",
    "operator": "operator",
    "copy": "copy",
    "itertools": "itertools",
    "einops": "einops",
}
LAYERS = {
    "linear": "Linear(4, 4)",
    "conv": "Conv2d(2, 2, 1)",
    "bn": "BatchNorm2d(2)",
    "ln": "LayerNorm(4)",
    "gn": "GroupNorm(2, 2)",
    "relu": "ReLU()",
    "gelu": "GELU()",
    "softmax": "Softmax(-1)",
    "drop": "Dropout(0.1)",
    "emb": "Embedding(10, 4)",
    "pool": "MaxPool2d(2)",
    "avg": "AvgPool2d(2)",
    "adaptive": "AdaptiveAvgPool2d(1)",
    "flat": "Flatten()",
    "up": "Upsample(scale_factor=2)",
    "lstm": "LSTM(4, 4)",
    "gru": "GRU(4, 4)",
    "rnn": "RNN(4, 4)",
    "cell": "LSTMCell(4, 4)",
    "grucell": "GRUCell(4, 4)",
    "mha": "MultiheadAttention(4, 1)",
    "enc": "TransformerEncoderLayer(4, 1)",
    "ce": "CrossEntropyLoss()",
    "mse": "MSELoss()",
    "bce": "BCEWithLogitsLoss()",
    "pshuffle": "PixelShuffle(2)",
}


def given() -> dict[str, Value]:
    """The names the expressions use, as values."""
    names = {name: of(PyModule(module)) for name, module in MODULES.items()}
    for name, made in LAYERS.items():
        names[name] = of(Instance("torch.nn." + made.partition("(")[0], True))
    kinds = {
        "x": ("float", 2), "y": ("float", 2), "v": ("float", 1), "s": ("float", 0), "i": ("int", 1),
        "m": ("bool", 2), "n": ("int", 0), "c": ("complex", 2), "q": ("float", 4), "t3": ("float", 3),
    }  # fmt: skip
    names.update({name: tensor(dtype, rank) for name, (dtype, rank) in kinds.items()})
    names["a"] = of(Array())
    return names


def infer(text: str, **extra: Value) -> Value:
    found: Value = expressions.infer(text, {**given(), **extra})
    return found


def lines() -> list[str]:
    """The expressions of tests/data/transfer_expressions.txt."""
    text = (Path(__file__).parent / "data" / "transfer_expressions.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


# ---------------------------------------------------------------- against torch


@functools.cache
def _real_modules() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    for name, module in MODULES.items():
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            names[name] = importlib.import_module(module)
    for name, made in LAYERS.items():
        names[name] = eval("nn." + made, {"nn": torch.nn})
    return names


def _real() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    numpy = pytest.importorskip("numpy")
    torch.manual_seed(0)
    return _real_modules() | {
        "x": torch.rand(4, 4),
        "y": torch.rand(4, 4),
        "v": torch.rand(4).sort().values,
        "s": torch.tensor(0.5),
        "i": torch.tensor([0, 1, 2, 3]),
        "m": torch.rand(4, 4) > 0.5,
        "n": torch.tensor(1),
        "c": torch.rand(4, 4, dtype=torch.complex64),
        "q": torch.rand(2, 2, 4, 4),
        "t3": torch.rand(4, 4, 4),
        "a": numpy.random.rand(4, 4),
    }


def _class(dtype: Any) -> str:
    if str(dtype) == "torch.bool":
        return "bool"
    return "complex" if dtype.is_complex else "float" if dtype.is_floating_point else "int"


def admits(value: Value, real: Any) -> bool:
    """True when the inferred value covers what really came out."""
    return any(_atom_admits(atom, real) for atom in value.atoms)


def _atom_admits(atom: Any, real: Any) -> bool:
    import torch

    kind = type(atom)
    if kind is Unknown:
        return True
    if kind is Tensor:
        return (
            isinstance(real, torch.Tensor)
            and atom.dtype in (None, _class(real.dtype))
            and atom.rank in (None, real.dim())
        )
    if kind is Number:
        if isinstance(real, torch.Tensor) or not isinstance(real, (bool, int, float, complex)):
            return False
        constant_holds = atom.const is None or atom.const == real
        return atom.type in (None, type(real).__name__) and constant_holds
    if kind is Text:
        return isinstance(real, str) and atom.const in (None, real)
    if kind is NoneAtom:
        return real is None
    if kind is Size:
        if isinstance(real, tuple) and not isinstance(real, torch.Size):
            return all(isinstance(r, int) for r in real)  # Tensor.stride()
        return isinstance(real, torch.Size) and atom.rank in (None, len(real))
    if kind is Container:
        return _container_admits(atom, real)
    if kind is Array:
        return type(real).__module__ == "numpy"
    if kind is Instance:
        return type(real).__name__ == atom.symbol.rpartition(".")[2]
    if kind is Api:
        return callable(real) or inspect.isclass(real)
    return kind is Opaque and not isinstance(real, torch.Tensor)


def _container_admits(atom: Container, real: Any) -> bool:
    if atom.kind == "dict":
        items = list(real.values()) if isinstance(real, dict) else None
    elif atom.kind == "iterator":
        items = list(real) if not isinstance(real, (list, tuple, dict, str)) else None
    elif atom.kind in ("list", "tuple"):
        items = list(real) if isinstance(real, list if atom.kind == "list" else tuple) else None
    else:
        items = list(real) if isinstance(real, (set, frozenset)) else None
    if items is None:
        return False
    if atom.items is not None:
        return len(items) == len(atom.items) and all(
            admits(v, r) for v, r in zip(atom.items, items, strict=True)
        )
    return atom.element is None or all(admits(atom.element, r) for r in items)


@pytest.mark.torch
@pytest.mark.parametrize("text", lines())
def test_never_contradicts_torch(text: str) -> None:
    real = _real()
    if any(name not in real for name in MODULES if f"{name}." in text):
        pytest.skip("needs a library that is not installed")
    random.seed(0)
    result = eval(text, dict(real))
    predicted = infer(text)
    assert admits(predicted, result), f"{text}: inferred {predicted.atoms}, really {type(result)} {result}"


def test_most_kinds_are_known() -> None:
    unknown = [text for text in lines() if is_unknown(infer(text))]
    assert len(unknown) <= 0.04 * len(lines()), unknown


# ---------------------------------------------------------------- operators


def test_tensor_with_anything_is_a_tensor() -> None:
    value = transfer.binary("*", UNKNOWN, tensor("float", 2, Confidence.LIKELY))
    assert is_tensor(value)
    assert value.confidence is Confidence.LIKELY


def test_none_beside_a_tensor_drops_out() -> None:
    optional = Value((Tensor("float"), NoneAtom()))
    assert transfer.binary("+", optional, INT).atoms == (Tensor("float"),)


def test_unknown_stays_unknown() -> None:
    assert is_unknown(transfer.binary("+", UNKNOWN, INT))
    assert is_unknown(transfer.attribute(UNKNOWN, "sum"))
    assert is_unknown(transfer.subscript(UNKNOWN, INT))
    assert transfer.call_api("some.unknown.function", None, (), {}) is None


def test_shapes_give_numbers_that_remember_it() -> None:
    half = transfer.binary("//", SHAPE_INT, constant(2))
    assert half.atoms == (Number("int", "shape"),)
    assert transfer.compare(">", half, constant(1)).atoms == (Number("bool", "shape"),)


def test_item_gives_a_number_out_of_a_tensor() -> None:
    value = infer("s.item() + 1")
    assert value.atoms[0].source == "tensor"  # type: ignore[union-attr]


def test_reasons_read_as_sentences() -> None:
    value = infer("torch.isnan(x).any()")
    assert value.origin is not None
    assert value.origin.chain() == (
        "`.any()` of a tensor is a 0-d bool tensor",
        "`torch.isnan` returns a bool tensor",
    )


def test_torch_functions_give_tensors_whatever_goes_in() -> None:
    value = transfer.call_api("torch.cat", None, (UNKNOWN,), {})
    assert value is not None and is_tensor(value) and value.confidence is Confidence.PROVED


def test_methods_are_as_sure_as_their_receiver() -> None:
    method = transfer.attribute(tensor(confidence=Confidence.POSSIBLE), "sum").atoms[0]
    assert type(method) is Api
    value = transfer.call_api(method.symbol, method.bound, (), {})
    assert value is not None and value.confidence is Confidence.POSSIBLE


@pytest.mark.parametrize(
    "text", ["torch.compiler.is_compiling()", "torch._dynamo.is_compiling()", "torch.is_tensor(x)"]
)
def test_true_while_compiling(text: str) -> None:
    assert infer(text) == TRUE


@pytest.mark.parametrize(
    "text",
    [
        "torch.jit.is_scripting()",
        "torch.jit.is_tracing()",
        "torch.onnx.is_in_onnx_export()",
        "torch.is_tensor(1)",
    ],
)
def test_false_while_compiling(text: str) -> None:
    assert infer(text) == FALSE


@pytest.mark.torch
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.jit.is_scripting()", False),
        ("torch.jit.is_tracing()", False),
        ("torch._C._get_tracing_state() is None", True),
        ("torch.onnx.is_in_onnx_export()", False),
        ("torch.compiler.is_compiling()", True),
        ("torch.compiler.is_exporting()", False),
        ("torch._dynamo.is_compiling()", True),
        ("x == None", False),
    ],
)
def test_dynamo_agrees_on_constants(text: str, expected: bool) -> None:
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    namespace: dict[str, Any] = {"torch": torch}
    # A literal on both paths: which one ran is the answer.
    exec(f"def f(x):\n    return x * (2 if {text} else 3)\n", namespace)
    out = torch.compile(namespace["f"], backend="eager")(torch.ones(1))
    assert (out.item() == 2) is expected
    assert infer(text) == constant(expected)


def test_truth_is_decided_by_kind() -> None:
    assert transfer.truth(NONE) is False
    assert transfer.truth(constant("a")) is True
    assert transfer.truth(tensor()) is None
    assert transfer.truth(Value((NoneAtom(), Tensor()))) is None
    assert transfer.truth(of(Instance("torch.nn.Linear", True))) is True
    assert transfer.truth(of(Instance("torch.nn.Sequential", True))) is None
    assert transfer.truth(BOOL) is None


def test_iteration() -> None:
    assert transfer.iterate(tensor("float", 3)).atoms == (Tensor("float", 2),)
    assert transfer.iterate(of(Size(3))) == SHAPE_INT
    assert transfer.iterate(of(Container("list", (INT, INT)))) == INT
    layers = of(Instance("torch.nn.ModuleList", True, of(Container("list", (TRUE,)))))
    assert transfer.iterate(layers) == TRUE


def test_options_of_a_dict_are_found_by_key() -> None:
    assert infer("{'a': x, 'b': 1}['b']") == constant(1)
    assert is_unknown(infer("{'a': x}['zzz']"))


def test_well_known_objects() -> None:
    logger = transfer.call_api("logging.getLogger", None, (), {})
    assert logger is not None and logger.atoms == (Instance("logging.Logger"),)
    method = transfer.attribute(logger, "info").atoms[0]
    assert type(method) is Api and method.symbol == "logging.Logger.info"
    lock = transfer.call_api("threading.Lock", None, (), {})
    assert lock is not None and lock.atoms == (Instance("threading.Lock"),)
    assert transfer.truth(lock) is None


def test_methods_of_layers() -> None:
    layer = of(Instance("torch.nn.Linear", True))
    assert infer("next(layer.parameters())", layer=layer).atoms == (Tensor("float"),)
    assert infer("layer.to('cpu')", layer=layer) == layer
    assert infer("layer.register_buffer('a', x)", layer=layer) == NONE
    assert infer("dropout.p", dropout=of(Instance("torch.nn.Dropout", True))).atoms == (Number("float"),)


def test_identity_gives_what_it_got() -> None:
    assert infer("f(m)", f=of(Instance("torch.nn.Identity", True))).atoms == (Tensor("bool", 2),)


def test_saved_tensors_are_tensors() -> None:
    context = of(Opaque("autograd context"))
    assert is_tensor(infer("ctx.saved_tensors[0]", ctx=context))
    assert is_unknown(infer("ctx.alpha", ctx=context))


def test_methods_a_type_lacks_drop_out_of_a_union() -> None:
    either = Value((Tensor("float", 2), Container("tuple", None, INT)))
    method = transfer.attribute(either, "reshape")
    assert [type(a) for a in method.atoms] == [Api]


def test_distributions_draw_tensors() -> None:
    made = infer("torch.distributions.Normal(x, y)")
    assert made.atoms == (Instance("torch.distributions.Normal"),)
    assert infer("d.rsample()", d=made).atoms == (Tensor("float"),)
    assert is_tensor(infer("d.mean", d=made))


def test_torch_reached_through_itself() -> None:
    found = transfer.call_api("torch.torch.isnan", None, (tensor(),), {})
    assert found is not None and found.atoms == (Tensor("bool"),)
