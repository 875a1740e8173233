"""How inputs are found where nobody wrote them: by what was raised, and by what a library declares."""

from __future__ import annotations

import ast
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.verify import plan
from torch_compile_lint.verify.run import installed_torch
from torch_compile_lint.verify.workers import Batch, LocalWorkers, Options
from torch_compile_lint.worker import inputs_checks
from torch_compile_lint.worker.inputs_values import tensor, value

PYTHON = os.environ.get("TCLINT_TORCH_PYTHON", sys.executable)
needs_torch = pytest.mark.skipif(not installed_torch(PYTHON), reason="needs torch")


class Shaped:
    """A stand-in for a tensor: its shape is all that checks ask for."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape
        self.ndim = len(shape)

    def dim(self) -> int:
        return len(self.shape)


def _raised(function: Callable[..., Any], *args: Any) -> BaseException:
    with pytest.raises(Exception) as caught:
        function(*args)
    return caught.value


def _dims(error: BaseException, *dims: int) -> list[Any]:
    return [change["x"].get("dims") for change in inputs_checks.changes({"x": tensor(list(dims))}, error)]


@pytest.mark.parametrize(
    ("message", "dims", "wanted"),
    [
        ("mat1 and mat2 shapes cannot be multiplied (14x32 and 64x16)", [2, 7, 32], [2, 7, 64]),
        ("The size of tensor a (7) must match the size of tensor b (196) at non-singleton dimension 3",
         [2, 7, 32], [2, 196, 32]),
        ("Input height (32) doesn't match model (224).", [2, 3, 32, 32], [2, 3, 224, 224]),
        ("not enough values to unpack (expected 4, got 3)", [2, 7, 32], [2, 32, 8, 8]),
        ("expected 5D input (got 4D input)", [2, 3, 32, 32], [2, 3, 4, 8, 8]),
        ("shape '[2, 14, 14, 32]' is invalid for input of size 448", [2, 7, 32], [2, 196, 32]),
    ],
)  # fmt: skip
def test_sizes_that_a_message_names(message: str, dims: list[int], wanted: list[int]) -> None:
    assert wanted in _dims(RuntimeError(message), *dims)


def test_a_message_without_our_sizes_changes_nothing() -> None:
    assert _dims(RuntimeError("kernel 17 failed after 3 attempts"), 2, 7, 32) == []
    assert _dims(ValueError("unknown mode"), 2, 7, 32) == []


def test_a_tensor_that_no_memory_holds_is_not_tried() -> None:
    assert _dims(ValueError("32 is not 4000"), 32, 32, 32) == [[4000, 32, 32], [32, 4000, 32], [32, 32, 4000]]


def _counts(x: Shaped, side: int) -> None:
    assert x.shape[1] == side * side, "wrong size"


def _refuses(x: Shaped) -> None:
    if x.dim() != 4:
        raise ValueError("an image, please")


def _divides(x: Shaped, step: int) -> None:
    assert x.shape[-1] % step == 0


def _pairs(x: Shaped, size: tuple[int, int]) -> None:
    assert tuple(x.shape[-2:]) == size


def _listed(x: Any) -> None:
    if not isinstance(x, (list, tuple)):
        raise TypeError("several, please")


def test_what_a_failed_check_compared() -> None:
    assert _dims(_raised(_counts, Shaped(2, 7, 32), 4), 2, 7, 32)[0] == [2, 16, 32]
    assert [2, 32, 8, 8] in _dims(_raised(_refuses, Shaped(2, 7, 32)), 2, 7, 32)
    assert [2, 7, 40] in _dims(_raised(_divides, Shaped(2, 7, 32), 20), 2, 7, 32)
    assert [2, 9, 32] in _dims(_raised(_pairs, Shaped(2, 7, 32), (9, 32)), 2, 7, 32)
    (change,) = inputs_checks.changes({"x": tensor([2, 3])}, _raised(_listed, Shaped(2, 3)))
    assert change["x"] == {"kind": "list", "items": [tensor([2, 3])] * 2}


def _allows(x: Shaped) -> None:
    if x.dim() == 3:
        raise ValueError("anything but this")


def test_a_check_that_names_what_is_wrong_says_nothing_of_what_is_right() -> None:
    assert _dims(_raised(_allows, Shaped(2, 7, 32)), 2, 7, 32) == []


def test_plain_values_are_left_alone() -> None:
    specs = {"x": tensor([2, 7, 32]), "n": value(7)}
    for change in inputs_checks.changes(specs, RuntimeError("7 is not 9")):
        assert change["n"] == value(7)


# ------------------------------------------------------------------------- under a real torch


def _batch(path: Path, wanted: list[tuple[Path, int]], *steps: dict[str, Any]) -> dict[str, Any]:
    setup = {"file": str(path), "search": [], "memory": 4 << 30, "device": "cpu", "backend": "eager"}
    probe = {"id": 0, "title": "0", "timeout": 60.0, "calls": 3, "steps": list(steps)}
    probe["wanted"] = [[str(file), line] for file, line in wanted]
    found: list[dict[str, Any]] = []
    one = Batch({**setup, "watch": [str(path.parent)]}, (probe,))
    LocalWorkers(Options(PYTHON)).run([one], lambda _, __, result: found.append(result))
    return found[0]


def _names(result: dict[str, Any]) -> list[str]:
    assert result["outcome"] == "ran", result
    return [variant["name"] for variant in result["variants"]]


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


NETS = """
import torch
from torch import nn

class Grid(nn.Module):
    def __init__(self, side=14):
        super().__init__()
        self.side = side
        self.bias = nn.Parameter(torch.zeros(side * side, 1))
    def forward(self, x):
        return x + self.bias

class Resampled(nn.Module):
    def __init__(self, size: tuple[int, int]):
        super().__init__()
        assert isinstance(size, tuple) and len(size) == 2
        self.size = size
    def forward(self, weight, new_size: list[int]):
        assert len(weight.shape) == 4
        assert len(new_size) == 2
        assert tuple(weight.shape[-2:]) == self.size
        return nn.functional.interpolate(weight, size=new_size)

class Fussy(nn.Module):
    def __init__(self, dim, heads: int):
        super().__init__()
        self.dim = dim // heads
    def forward(self, x):
        raise LookupError("nothing will do")
"""


@needs_torch
@pytest.mark.parametrize("name", ["Grid", "Resampled"])
def test_a_search_is_led_by_what_raises(name: str, tmp_path: Path) -> None:
    _write(tmp_path, {"nets.py": NETS})
    step = {"how": "synthesize", "class": name, "method": "forward", "hints": {}}
    assert name in _names(_batch(tmp_path / "nets.py", [], step))


@needs_torch
def test_what_the_call_raised_is_told_and_not_what_a_later_constructor_did(tmp_path: Path) -> None:
    _write(tmp_path, {"nets.py": NETS})
    step = {"how": "synthesize", "class": "Fussy", "method": "forward", "hints": {}}
    result = _batch(tmp_path / "nets.py", [], step)
    assert result["error"] == "forward: LookupError: nothing will do"


REGISTRY = {  # a library of the same shape as timm, with two models and one layer
    "timm/__init__.py": """
        from types import SimpleNamespace
        from .models.nets import Other, Plain

        _MODELS = {"plain_tiny": Plain, "other_tiny": Other}

        def list_models(module=""):
            return sorted(name for name in _MODELS if module in ("", "nets"))

        def create_model(name, pretrained=False):
            model = _MODELS[name]()
            model.default_cfg = {"input_size": (3, 32, 32)}
            return model

        def get_pretrained_cfg(name):
            return SimpleNamespace(input_size=(3, 32, 32), fixed_input_size=False)
        """,
    "timm/models/__init__.py": "",
    "timm/models/nets.py": """
        from torch import nn
        from ..layers.gate import Gate

        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.num_classes = 2
            def forward(self, x):
                return x * 2

        class Other(nn.Module):
            def __init__(self):
                super().__init__()
                self.gate = Gate("a word that nobody guesses")
            def forward(self, x):
                return self.gate(x)
        """,
    "timm/layers/__init__.py": "",
    "timm/layers/gate.py": """
        from torch import nn

        class Gate(nn.Module):
            def __init__(self, word):
                super().__init__()
                if word != "a word that nobody guesses":
                    raise KeyError(word)
            def forward(self, x):
                if x.sum() > 0:
                    x = x * 2
                return x
        """,
    "timm/tasks.py": """
        from typing import Union
        from torch import nn

        class Task(nn.Module):
            def __init__(self, student: nn.Module, teacher: Union[str, nn.Module]):
                super().__init__()
                self.student, self.teacher = student, teacher
                assert student.num_classes == teacher.num_classes
            def forward(self, x):
                return self.student(x) - self.teacher(x)
        """,
}


@needs_torch
def test_a_layer_is_seen_in_the_models_that_use_it(tmp_path: Path) -> None:
    _write(tmp_path, REGISTRY)
    gate = tmp_path / "timm/layers/gate.py"
    result = _batch(gate, [(gate, 10)], {"how": "offers", "library": "timm"})
    assert {name.split(",")[0] for name in _names(result)} == {"other_tiny"}
    assert {(e["kind"], e["line"]) for v in result["variants"] for e in v["events"]} == {("break", 10)}


@needs_torch
def test_what_takes_a_model_is_given_one_of_the_library(tmp_path: Path) -> None:
    _write(tmp_path, REGISTRY)
    (tmp_path / "timm/__init__.py").write_text(
        (tmp_path / "timm/__init__.py").read_text().replace('"other_tiny": Other', '"z_other": Other')
    )
    step = {"how": "synthesize", "class": "Task", "method": "forward", "hints": {}}
    assert "Task" in _names(_batch(tmp_path / "timm/tasks.py", [], step))


TRANSFORMS = {  # a library of the same shape as torchvision: a base class, and transforms in another file
    "torchvision/__init__.py": "",
    "torchvision/tv_tensors.py": """
        import torch

        class Image(torch.Tensor):
            pass

        class Mask(torch.Tensor):
            pass

        class BoundingBoxes(torch.Tensor):
            def __new__(cls, data, format, canvas_size):
                return torch.Tensor._make_subclass(cls, data)
        """,
    "torchvision/transforms/__init__.py": "",
    "torchvision/transforms/base.py": """
        from torch import nn

        class Transform(nn.Module):
            def forward(self, *inputs):
                return self.transform(*inputs)
        """,
    "torchvision/transforms/boxes.py": """
        from ..tv_tensors import BoundingBoxes
        from .base import Transform

        class First(Transform):
            def transform(self, image, target=None):
                return image

        class Shift(Transform):
            def transform(self, image, target):
                boxes = target["boxes"]
                if not isinstance(boxes, BoundingBoxes):
                    raise TypeError("needs boxes")
                print("shifted")
                return image, boxes + 1
        """,
}


@needs_torch
def test_a_transform_is_given_the_sample_that_it_takes(tmp_path: Path) -> None:
    _write(tmp_path, TRANSFORMS)
    boxes = tmp_path / "torchvision/transforms/boxes.py"
    base = tmp_path / "torchvision/transforms/base.py"
    result = _batch(base, [(boxes, 14)], {"how": "offers", "library": "torchvision"})
    # The class that holds the wanted line comes first, though it stands in another file than its base.
    assert _names(result)[0] == "Shift, an image with its targets"
    assert {event["line"] for event in result["variants"][0]["events"]} == {14}


OPTIONS = """
from torch import nn

class Scale(nn.Module):
    def __init__(
        self, mode="plain", size=8, p=0.5, steps=1, extra=None, momentum=0.1, quiet=False, drop_prob=0.1
    ):
        super().__init__()
        self.mode, self.size, self.p, self.steps, self.quiet = mode, size, p, steps, quiet
        self.momentum = momentum
        self.extra = nn.Identity() if extra else None
        if isinstance(size, (tuple, list)):
            self.size = size[0]
    def forward(self, x):
        if self.mode == "loud":
            print("loud")
        if self.steps > 2 or self.momentum is None:
            x = x + 1
        return x
"""


def test_options_are_the_values_that_the_class_tells_apart(tmp_path: Path) -> None:
    _write(tmp_path, {"scale.py": OPTIONS})
    pytest.importorskip("torch")
    from torch_compile_lint.worker import inputs_options, loading

    cls = loading.load_file(str(tmp_path / "scale.py"), []).Scale
    assert set(inputs_options.options(cls)) >= {
        ("mode", "loud"),
        ("size", (8, 8)),
        ("p", 1.0),
        ("steps", 3),
        ("momentum", None),
        ("quiet", True),
    }
    assert len(inputs_options.options(cls)) <= inputs_options.MOST
    assert inputs_options.certain(cls) == {"p": 1.0}  # what drops something is left as it is


@needs_torch
def test_a_line_behind_an_option_is_reached(tmp_path: Path) -> None:
    _write(tmp_path, {"scale.py": OPTIONS})
    path = tmp_path / "scale.py"
    step = {"how": "synthesize", "class": "Scale", "method": "forward", "hints": {}}
    result = _batch(path, [(path, 16)], step)
    assert _names(result)[-1] == "Scale, mode='loud'"
    assert {(e["kind"], e["line"]) for v in result["variants"] for e in v["events"]} == {("break", 16)}


def _reads(x: Shaped, y: Any = None, z: Any = None) -> None:
    y.to(x)


def test_an_optional_argument_that_the_failing_line_needs() -> None:
    specs = {"x": tensor([2, 3])}
    assert inputs_checks.missing(specs, _raised(_reads, Shaped(2, 3)), _reads) == ["y"]
    assert inputs_checks.missing(specs, ValueError("no"), _reads) == []


DIFFUSION = {  # a library of the same shape as diffusers
    "diffusers/__init__.py": """
        from torch import nn

        class ModelMixin(nn.Module):
            pass
        """,
    "diffusers/models/__init__.py": "",
    "diffusers/models/net.py": '''
        from torch import nn
        from .. import ModelMixin

        class Denoiser(ModelMixin):
            def __init__(self, in_channels=6, hidden_size=8192, num_layers=50, num_attention_heads=24):
                super().__init__()
                if num_attention_heads < 20:
                    raise ValueError("as many heads as there are")
                self.config = {"in_channels": in_channels, "num_layers": num_layers}
                self.first = nn.Linear(in_channels, hidden_size)
                self.layers = nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in range(num_layers))
            def forward(self, hidden_states, guidance=None):
                """
                Args:
                    hidden_states (`torch.Tensor` of shape `(batch size, sequence_length, in_channels)`):
                        What is denoised.
                """
                hidden_states = self.first(hidden_states)
                hidden_states = hidden_states * guidance.view(-1, 1, 1)
                for layer in self.layers:
                    hidden_states = layer(hidden_states)
                return hidden_states
        ''',
}


@needs_torch
def test_a_diffusion_model_is_made_small_and_called_as_documented(tmp_path: Path) -> None:
    _write(tmp_path, DIFFUSION)
    path = tmp_path / "diffusers/models/net.py"
    result = _batch(path, [], {"how": "offers", "library": "diffusers"})
    assert _names(result)[0] == "Denoiser"
    (variant,) = (v for v in result["variants"] if v["name"] == "Denoiser")
    assert variant["operations"] == 4  # two layers, a view and a product: one layer of the fifty is left


def test_shapes_are_read_off_the_documentation_with_the_sizes_of_the_configuration() -> None:
    pytest.importorskip("torch")
    from torch_compile_lint.worker.inputs_diffusers import hints

    class Video:
        config = {"in_channels": 6, "joint_dim": 48, "axes_dims_rope": (8, 4, 4)}  # noqa: RUF012

        def modules(self) -> list[Any]:
            return []

        def forward(self, sample: Any, words: Any, labels: Any, img_ids: Any = None) -> None:
            """Forward.

            Args:
                sample (`torch.Tensor`):
                    The noisy input with the following shape `(batch, num_frames, in_channels, 16, width`.
                words (`torch.Tensor` of shape `(batch_size, sequence_len, joint_dim)`):
                    Words.
                labels (`torch.LongTensor` of shape `(batch size,)`): Labels.
            """

    found = hints(Video())
    assert found["sample"]["dims"] == [2, 4, 6, 16, 16]
    assert found["words"] == {"dims": [2, 7, 48], "dtype": "float"}
    assert found["labels"] == {"dims": [2], "dtype": "int"}
    assert found["img_ids"]["dims"] == [7, 3]


def test_types_and_words_that_a_message_names() -> None:
    specs = {"x": tensor([2, 3]), "t": tensor([2], "int"), "mode": value("a")}
    error = RuntimeError("mat1 and mat2 must have the same dtype, but got Long and Float")
    changes = inputs_checks.changes(specs, error)
    assert changes[0] == {**specs, "t": tensor([2])}
    assert {**specs, "x": tensor([2, 3], "int")} in changes
    error = ValueError("`mode` must be either 'extract' or 'cached', got a.")
    assert [c["mode"]["value"] for c in inputs_checks.changes(specs, error)] == ["extract", "cached"]


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("/env/site-packages/diffusers/models/transformers/net.py", "diffusers"),
        ("/home/me/timm/.venv/site-packages/torchvision/ops/boxes.py", "torchvision"),
        ("/home/me/src/timm/layers/gate.py", "timm"),
        ("/home/me/project/net.py", ""),
    ],
)
def test_the_library_of_a_file(path: str, library: str) -> None:
    step = plan._offers(path, ast.parse(""))
    assert (step or {}).get("library", "") == library
