"""Inference: kinds of expressions, checked by comments in source (see ``kinds``)."""

from __future__ import annotations

import importlib.util
import textwrap
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("kinds", Path(__file__).with_name("kinds.py"))
assert _SPEC is not None and _SPEC.loader is not None
kinds = importlib.util.module_from_spec(_SPEC)
import sys  # noqa: E402

sys.modules["kinds"] = kinds
_SPEC.loader.exec_module(kinds)

HEAD = """\
import math
import logging
from dataclasses import dataclass
from functools import partial
from typing import Dict, List, Optional, Tuple, Union
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
"""


def check(text: str, head: str = HEAD) -> None:
    assert kinds.problems({"m.py": head + textwrap.dedent(text)}) == []


def forward(body: str, params: str = "x: Tensor", init: str = "pass", extra: str = "") -> None:
    """One module whose forward has this body."""
    text = f"""
{textwrap.dedent(extra)}
class Net(nn.Module):
    def __init__(self, dim, act=nn.GELU, depth: int = 2, name: str = "a"):
        super().__init__()
{textwrap.indent(textwrap.dedent(init), "        ")}
    def forward(self, {params}):
{textwrap.indent(textwrap.dedent(body), "        ")}
"""
    assert kinds.problems({"m.py": HEAD + text}) == []


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("Tensor", "tensor"),
        ("torch.Tensor", "tensor"),
        ("'Tensor'", "tensor"),
        ("torch.LongTensor", "tensor[int]"),
        ("torch.BoolTensor", "tensor[bool]"),
        ("torch.FloatTensor", "tensor[float]"),
        ("Optional[Tensor]", "tensor|none"),
        ("Tensor | None", "tensor|none"),
        ("'Optional[torch.Tensor]'", "tensor|none"),
        ("Union[Tensor, None]", "tensor|none"),
        ("List[Tensor]", "list[tensor*]"),
        ("list[Tensor]", "list[tensor*]"),
        ("Tuple[Tensor, int]", "tuple[tensor, int]"),
        ("tuple[Tensor, ...]", "tuple[tensor*]"),
        ("Dict[str, Tensor]", "dict[tensor*]"),
        ("int", "int"),
        ("float", "float"),
        ("bool", "bool"),
        ("str", "text"),
        ("Optional[int]", "int|none"),
        ("torch.Size", "size"),
        ("torch.dtype", "opaque"),
        ("Elsewhere", "unknown"),
        ("Optional[Elsewhere]", "unknown"),
        ("Config", "instance(m.Config)"),
        ("Mine", "tensor|none"),
    ],
)
def test_annotations(annotation: str, kind: str) -> None:
    extra = "@dataclass\nclass Config:\n    n: int\nMine = Optional[Tensor]\n"
    forward(f"return x  # kind: x={kind}", f"x: {annotation}", extra=extra)


def test_jaxtyping() -> None:
    head = HEAD + "from jaxtyping import Float, Bool\n"
    text = """
    class Net(nn.Module):
        def forward(self, x: Float[Tensor, "b c"], m: Optional[Bool[Tensor, "b"]] = None):
            y = x  # kind: y=tensor[float]
            return m  # kind: m=tensor[bool]|none
    """
    check(text, head)


@pytest.mark.parametrize(
    "use",
    [
        "x.view(-1)",
        "x.shape[0]",
        "x.size(0)",
        "torch.relu(x)",
        "F.softmax(x, 1)",
        "self.lin(x)",
        "x @ self.lin.weight",
        "x[:, 0]",
    ],
)
def test_first_input_is_a_tensor(use: str) -> None:
    forward(f"y = {use}\nreturn x  # kind: x=tensor?", "x", "self.lin = nn.Linear(3, 3)")


@pytest.mark.parametrize(
    "use",
    ["x['image']", "x.items()", "[t for t in x]", "x.logits", "x(1)", "isinstance(x, list)", "x.get('a')"],
)
def test_first_input_is_something_else(use: str) -> None:
    forward(f"y = {use}\nreturn x  # kind: x=unknown", "x")


def test_second_input_needs_a_telling_use() -> None:
    forward("a = mask\nreturn flag  # kind: flag=unknown", "x, mask, flag")
    forward("a = mask.view(-1)\nreturn mask  # kind: mask=tensor?", "x, mask")
    forward(
        "if mask is not None:\n    a = mask.view(-1)\nreturn mask  # kind: mask=tensor|none?", "x, mask=None"
    )


def test_defaults_of_a_root_are_no_constants() -> None:
    forward(
        """
        a = flag  # kind: a=bool?
        b = n  # kind: b=int?
        c = mode  # kind: c=text?
        if flag:
            d = 1
        else:
            e = 2
        """,
        "x, flag=False, n=3, mode='a'",
    )


# ---------------------------------------------------------------- tensors and numbers


def test_operators() -> None:
    forward(
        """
        a = x + 1  # kind: a=tensor
        b = x > 0  # kind: b=tensor[bool]
        c = -x  # kind: c=tensor
        d = (x > 0) & (x < 1)  # kind: d=tensor[bool]
        e = (x > 0).any()  # kind: e=tensor[bool,0]
        f = x.sum() > 1  # kind: f=tensor[bool,0]
        g = 0 < x < 1  # kind: g=tensor[bool]
        h = x.argmax(-1)  # kind: h=tensor[int]
        """
    )


def test_what_is_no_tensor() -> None:
    forward(
        """
        a = x.shape  # kind: a=size
        b = x.shape[0]  # kind: b=int:shape
        c, d = x.size(0), x.dim()  # kind: c=int:shape
        e = x.ndim > 2  # kind: e=bool:shape
        f = x.numel() == 0  # kind: f=bool:shape
        g = x.dtype == torch.float16  # kind: g=bool
        h = x.is_cuda  # kind: h=bool
        i = x.requires_grad  # kind: i=bool
        j = len(x)  # kind: j=int:shape
        k = x is None  # kind: k=const(False)
        m = isinstance(x, Tensor)  # kind: m=const(True)
        n = torch.is_tensor(x)  # kind: n=const(True)
        o = hasattr(x, "foo")  # kind: o=bool
        p = self.training  # kind: p=bool
        q = math.sqrt(x.shape[-1])  # kind: q=float:shape
        r = x.device.type == "cuda"  # kind: r=bool
        s = b % 2 == 0  # kind: s=bool:shape
        t = x.is_contiguous()  # kind: t=bool
        """
    )


def test_numbers_read_out_of_tensors() -> None:
    forward(
        """
        a = x.sum().item()  # kind: a=number:tensor
        b = int(x[0])  # kind: b=int:tensor
        c = float(x.mean())  # kind: c=float:tensor
        d = x.tolist()
        e = a > 3  # kind: e=bool:tensor
        """
    )


# ---------------------------------------------------------------- narrowing


def test_none_checks() -> None:
    forward(
        """
        if mask is None:
            a = mask  # kind: a=none
        else:
            b = mask  # kind: b=tensor
        if mask is not None and mask.sum() > 0:  # kind: mask.sum() > 0=tensor[bool,0]
            c = mask  # kind: c=tensor
        if mask is None:
            return x
        d = mask  # kind: d=tensor
        """,
        "x: Tensor, mask: Optional[Tensor] = None",
    )


def test_default_when_missing() -> None:
    forward(
        """
        if mask is None:
            mask = torch.ones(3)
        a = mask  # kind: a=tensor
        b = size or 3  # kind: b=int
        c = x if size is None else size  # kind: c=tensor|int
        assert size is not None
        d = size  # kind: d=int
        """,
        "x: Tensor, mask: Optional[Tensor] = None, size: Optional[int] = None",
    )


def test_isinstance() -> None:
    forward(
        """
        if isinstance(y, Tensor):
            a = y  # kind: a=tensor
        elif isinstance(y, (list, tuple)):
            b = y  # kind: b=list[tensor*]
        else:
            c = y  # kind: c=int
        if isinstance(z, torch.Tensor):
            d = z  # kind: d=tensor
        if torch.is_tensor(z):
            e = z  # kind: e=tensor
        if not isinstance(y, list) and y is not None:
            f = y  # kind: f=tensor|int
        """,
        "x: Tensor, y: Union[Tensor, int, List[Tensor]], z",
    )


def test_proved_impossible_is_dead() -> None:
    forward(
        """
        if x is None:
            a = 1  # dead
        if isinstance(x, list):
            b = 1  # dead
        if not torch.is_tensor(x):
            c = 1  # dead
        """
    )


def test_a_guess_makes_nothing_dead() -> None:
    forward(
        """
        y = self.act(x)
        if y is None:
            a = y  # kind: a=none?
        if isinstance(y, list):
            b = y
        return b  # kind: b=list[unknown*]?
        """,
        init="self.act = act()",
    )


def test_attributes_narrow_and_forget() -> None:
    forward(
        """
        if self.cache is None:
            self.cache = x
        a = self.cache
        b = a + 1
        self.cache = None
        c = self.cache  # kind: c=none
        if self.bias is not None:
            d = self.bias  # kind: d=tensor[float]
        e = self.bias  # kind: e=tensor[float]|none
        """,
        init="self.cache = None\nself.bias = nn.Parameter(torch.zeros(dim)) if depth > 1 else None",
    )


def test_rebinding_forgets_what_was_below() -> None:
    forward(
        """
        if y.a is None:
            return x
        z = y.a  # kind: z=unknown
        y = Box()
        w = y.a  # kind: w=int
        """,
        "x: Tensor, y",
        extra="class Box:\n    def __init__(self):\n        self.a = 3\n",
    )


def test_constants_prune() -> None:
    forward(
        """
        if torch.jit.is_scripting():
            a = 1  # dead
        if torch.jit.is_tracing() or torch.onnx.is_in_onnx_export():
            b = 1  # dead
        if not torch.compiler.is_compiling():
            c = 1  # dead
        if torch._dynamo.is_compiling():
            d = 1
        else:
            e = 1  # dead
        if TYPE_CHECKING:
            f = 1  # dead
        if torch.jit.is_scripting() and x.sum() > 0:
            g = 1  # dead
        if self.flag:
            h = 1
        else:
            i = 1
        return h, i  # kind: h=const(1); i=const(1)
        """,
        init="self.flag = False",
        extra="from typing import TYPE_CHECKING\n",
    )


# ---------------------------------------------------------------- control flow


def test_joins() -> None:
    forward(
        """
        if self.training:
            y = x
        else:
            y = None
        a = y  # kind: a=tensor|none
        if self.training:
            z = 1
        else:
            raise ValueError
        b = z  # kind: b=const(1)
        """
    )


def test_loops() -> None:
    forward(
        """
        out = []
        total = 0
        last = None
        for i in range(x.shape[0]):
            out.append(x * i)
            total = total + x
            last = x
            a = i  # kind: a=int:shape
        b = out  # kind: b=list[tensor*]
        c = total  # kind: c=tensor|const(0)
        d = last  # kind: d=tensor|none
        while total is not None:
            total = None
        e = total  # kind: e=none
        for t in (x, x + 1):
            f = t  # kind: f=tensor
        g = f  # kind: g=tensor
        """
    )


def test_break_and_else() -> None:
    forward(
        """
        while True:
            y = x
            if self.training:
                break
            y = None
        a = y  # kind: a=tensor
        for i in range(3):
            z = 1
            if i:
                break
        else:
            z = "a"
        b = z  # kind: b=const(1)|'a'
        """
    )


def test_try() -> None:
    forward(
        """
        y = None
        try:
            y = x
            z = 1
        except ValueError as e:
            a = y  # kind: a=tensor|none
            z = "b"
        finally:
            c = 1
        d = z  # kind: d=const(1)|'b'
        """
    )


def test_with() -> None:
    forward(
        """
        with torch.no_grad():
            y = x.detach()
        a = y  # kind: a=tensor
        with torch.autocast("cuda", enabled=False), torch.no_grad():
            b = x.float()  # kind: b=tensor[float]
        """
    )


def test_match() -> None:
    forward(
        """
        match n:
            case 1:
                y = x
            case int():
                y = 1
            case _:
                y = None
        a = y  # kind: a=tensor|const(1)
        match [x, 2]:
            case [first, second]:
                b = first  # kind: b=tensor
                c = second  # kind: c=const(2)
        """,
        "x: Tensor, n: int",
    )


# ---------------------------------------------------------------- containers


def test_unpacking() -> None:
    forward(
        """
        a, b = x, 1  # kind: a=tensor; b=const(1)
        c, *d, e = x, 1, 2, "s"  # kind: d=list[const(1), const(2)]; e='s'
        (f, g), h = (x, 1), None  # kind: f=tensor; h=none
        B, C = x.shape  # kind: B=int:shape
        q, k, v = x.chunk(3)  # kind: q=tensor
        i, j = pair()  # kind: i=tensor[float,1]; j='a'
        """,
        extra="def pair():\n    return torch.zeros(3), 'a'\n",
    )


def test_items() -> None:
    forward(
        """
        d = {"a": x, "b": 1}
        e = d["a"]  # kind: e=tensor
        f = d["b"]  # kind: f=const(1)
        d["c"] = x
        g = d["c"]  # kind: g=tensor
        for k, v in d.items():
            h = k
        t = [x, 1]
        i = t[0]  # kind: i=tensor
        j = t[-1]  # kind: j=const(1)
        k = t[1:]  # kind: k=list[const(1)]
        n = len(t)  # kind: n=const(2)
        o = [y * 2 for y in t[:1]]  # kind: o=list[tensor*]
        p = {name: x for name in ("a", "b")}  # kind: p=dict[tensor*]
        for idx, (u, w) in enumerate(zip([x], [1])):
            r = u  # kind: r=tensor
            s = idx  # kind: s=const(0)
        """
    )


def test_walrus_and_comprehension_conditions() -> None:
    forward(
        """
        if (n := x.shape[0]) > 3:
            a = n  # kind: a=int:shape
        b = [m for m in masks if m is not None]  # kind: b=list[tensor*]
        """,
        "x: Tensor, masks: List[Optional[Tensor]]",
    )


# ---------------------------------------------------------------- modules and attributes


def test_layers() -> None:
    forward(
        """
        a = self.lin(x)  # kind: a=tensor[float]
        b = self.act(a)  # kind: b=tensor[float]?
        c = self.seq(x)  # kind: c=tensor
        for block in self.blocks:
            x = block(x)
        d = x  # kind: d=tensor
        e, (h, cell) = self.lstm(x)  # kind: e=tensor[float]; h=tensor[float]
        f = self.w  # kind: f=tensor[float]
        g = self.mask  # kind: g=tensor[bool,1]
        i = self.blocks[0](x)  # kind: i=tensor[float]
        j = self.heads["a"](x)  # kind: j=tensor[float]
        k = self.lin.weight  # kind: k=tensor[float,2]
        l = self.lin.in_features  # kind: l=int
        n = len(self.blocks)
        """,
        init="""
        self.lin = nn.Linear(dim, dim)
        self.act = act()
        layers = []
        for i in range(depth):
            layers.append(nn.Linear(dim, dim))
        self.seq = nn.Sequential(*layers)
        self.blocks = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
        self.heads = nn.ModuleDict({"a": nn.Linear(dim, dim)})
        self.lstm = nn.LSTM(dim, dim)
        self.w = nn.Parameter(torch.zeros(dim))
        self.register_buffer("mask", torch.ones(3).bool())
        """,
    )


def test_flags_and_settings() -> None:
    check(
        """
        class Net(nn.Module):
            scale: float
            kind = "a"
            def __init__(self, dim, depth: int = 2, name: str = "a", ratio=0.5):
                super().__init__()
                self.flag = False
                self.depth = depth
                self.name = name
                self.ratio = ratio
                self.unknown = dim
                self.size = (3, 4)
                self.opt = None
                self.both = None
            def set(self):
                self.both = torch.zeros(*self.size)
            def forward(self, x):
                a = self.flag  # kind: a=bool
                b = self.depth  # kind: b=int
                c = self.name  # kind: c=text
                d = self.ratio  # kind: d=float?
                e = self.unknown  # kind: e=unknown
                f = self.size  # kind: f=tuple[int, int]
                g = self.opt  # kind: g=none?
                i = self.scale  # kind: i=float
                j = self.kind  # kind: j=text
        """
    )


def test_properties_and_class_level() -> None:
    check(
        """
        class Base(nn.Module):
            @property
            def half(self):
                return self.w * 2
            @staticmethod
            def twice(t):
                return t * 2
            @classmethod
            def make(cls, t):
                return cls
            def helper(self, t):
                return t + 1
        class Net(Base):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.zeros(3))
            def helper(self, t):  # reach
                return super().helper(t)
            def forward(self, x: Tensor):
                a = self.half  # kind: a=tensor[float,1]
                b = self.twice(x)  # kind: b=tensor
                c = self.make(x)  # kind: c=class(m.Net)
                d = self.helper(x)  # kind: d=tensor
        """
    )


def test_children_of_the_program() -> None:
    check(
        """
        class Block(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.lin = nn.Linear(dim, dim)
            def forward(self, t, n=1):  # reach
                return self.lin(t), n
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.block = Block(dim)
                self.blocks = nn.ModuleList([Block(dim) for _ in range(3)])
                self.later = nn.ModuleList()
                for _ in range(3):
                    self.later.append(Block(dim))
            def forward(self, x: Tensor):
                a, n = self.block(x)  # kind: a=tensor[float]; n=int
                for b in self.blocks:
                    x, _ = b(x)
                c = x
                for b in self.later:
                    d, _ = b(x)  # kind: d=tensor[float]
                e = self.blocks[1](x)[0]  # kind: e=tensor[float]
        """
    )


# ---------------------------------------------------------------- calls


def test_contexts_do_not_mix() -> None:
    check(
        """
        def pick(t, flag=False):
            if flag:
                return t.sum().item()
            return t
        class Net(nn.Module):
            def forward(self, x: Tensor):
                a = pick(x)  # kind: a=tensor
                b = pick(x, flag=True)  # kind: b=number:tensor
                c = pick(3)  # kind: c=int
        """
    )


def test_arguments() -> None:
    check(
        """
        def f(a, b=1, *args, c=None, **kw):
            return a, b, args, c, kw
        class Net(nn.Module):
            def forward(self, x: Tensor):
                a, b, c, d, e = f(x, 2.0, x, c="s", k=x)  # kind: a=tensor; b=float; c=tuple[tensor]; d='s'
                g = e["k"]  # kind: g=tensor
                pair = (x, 1)
                h, i, *_ = f(*pair)  # kind: h=tensor; i=int
                kw = {"a": x, "b": 2}
                j = f(**kw)[0]  # kind: j=tensor
        """
    )


def test_functions_as_values() -> None:
    check(
        """
        def double(t):  # reach
            return t * 2
        def apply(fn, t):
            return fn(t)
        class Net(nn.Module):
            def forward(self, x: Tensor, n: int):
                a = apply(double, x)  # kind: a=tensor
                b = apply(lambda t: t.shape, x)  # kind: b=size
                def inner(t, k=n):
                    return t + x, k
                c, d = inner(1)  # kind: c=tensor; d=int
                p = partial(double, x)
                e = p()  # kind: e=tensor
                f = list(map(double, [x]))[0]  # kind: f=tensor
                g = sorted([1], key=lambda v: v)
                h = torch.utils.checkpoint.checkpoint(double, x, use_reentrant=False)  # kind: h=tensor
        """
    )


def test_recursion() -> None:
    check(
        """
        def depth(t, n: int):
            if n == 0:
                return t
            return depth(t * 2, n - 1)
        def even(n: int):
            return True if n == 0 else odd(n - 1)
        def odd(n: int):
            return False if n == 0 else even(n - 1)
        def forever(t):
            return forever(t)
        class Net(nn.Module):
            def forward(self, x: Tensor):
                a = depth(x, 3)  # kind: a=tensor
                b = even(4)  # kind: b=bool
                c = forever(x)
                return c  # kind: c=unknown
        """
    )


def test_a_default_of_none_is_filled_in() -> None:
    check(
        """
        def f(t, scale=None):
            if scale is None:
                scale = 2.0  # kind: scale=const(2.0)
            return t * scale
        class Net(nn.Module):
            def forward(self, x: Tensor):
                a = f(x)  # kind: a=tensor
        """
    )


def test_disable_cuts() -> None:
    check(
        """
        @torch.compiler.disable
        def hidden(t):  # unreached
            return t.item()
        @torch._dynamo.disable(recursive=False)
        def hidden_too(t) -> Tensor:  # unreached
            return t
        class Net(nn.Module):
            def forward(self, x: Tensor):
                a = hidden(x)  # kind: a=unknown
                b = hidden_too(x)  # kind: b=tensor
        """
    )


def test_autograd_function() -> None:
    check(
        """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, t):  # reach
                return t * 2
            @staticmethod
            def backward(ctx, grad):  # reach
                y = grad  # kind: y=tensor?
                return grad * 2
        class Net(nn.Module):
            def forward(self, x: Tensor):
                a = Double.apply(x)  # kind: a=tensor
        """
    )


def test_callee_names() -> None:
    check(
        """
        logger = logging.getLogger(__name__)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(3, 3)
            def forward(self, x: Tensor):
                print(x)  # calls: builtins.print
                x.item()  # calls: torch.Tensor.item
                F.one_hot(x)  # calls: torch.nn.functional.one_hot
                logger.info("a")  # calls: logging.Logger.info
                self.lstm(x)  # calls: torch.nn.LSTM.__call__
                help_me(x)  # calls: m.help_me
                logging.warning("a")  # calls: logging.warning
        def help_me(t):
            return t
        """
    )


# ---------------------------------------------------------------- ends, always


def test_pathological_code_ends() -> None:
    check(
        """
        def grow(n: int):
            x = []
            for i in range(n):
                x = [x, x]
            return x
        def ping(f, n: int):
            return ping(lambda v: f(f(v)), n + 1)
        class Net(nn.Module):
            def forward(self, x: Tensor):
                grow(3)
                ping(lambda v: v, 0)
                s = ""
                d = {}
                while self.training:
                    s = s + "a"
                    d = {"a": d}
                    x = (x, x)
                return s  # kind: s=text
        """
    )


def test_deep_call_chain() -> None:
    functions = "".join(f"def f{i}(t):\n    return f{i + 1}(t)\n" for i in range(120))
    functions += "def f120(t):\n    return t + 1\n"
    forward("y = f0(x)  # kind: y=tensor", extra=functions)


def test_deep_expression() -> None:
    forward("y = x" + " + 1" * 300 + "\nreturn y  # kind: y=tensor")


# ---------------------------------------------------------------- other roots


def test_marked_roots() -> None:
    check(
        """
        @torch.compile
        def marked(x):  # reach
            y = x.view(-1)  # kind: y=tensor[?,1]?
            return y
        def plain(x):  # unreached
            return x
        def given(x: Tensor, n: int = 3):  # reach
            return x * n  # kind: x * n=tensor
        compiled = torch.compile(given)
        square = torch.compile(lambda x: x * helper(x))
        def helper(x):  # reach
            return 2
        def outer(n: int):
            scale = 2.0
            @torch.compile(fullgraph=True)
            def inner(x: Tensor):  # reach
                y = x * scale  # kind: y=tensor; scale=const(2.0)
                return y
            return inner
        """
    )


def test_container_classes_of_the_program() -> None:
    check(
        """
        class ConvBn(nn.Sequential):
            def __init__(self, dim):
                super().__init__(nn.Conv2d(dim, dim, 3), nn.BatchNorm2d(dim))
        class Stack(nn.Sequential):
            def __init__(self, dim, n):
                layers = []
                for i in range(n):
                    layers += [nn.Linear(dim, dim)]
                super().__init__(*layers)
        class Grown(nn.Sequential):
            def __init__(self, dim):
                super().__init__()
                self.add_module("conv", nn.Conv2d(dim, dim, 3))
        class Blocks(nn.ModuleList):
            def __init__(self, dim):
                super().__init__([ConvBn(dim) for _ in range(3)])
            def forward(self, x):
                for block in self:
                    x = block(x)
                return x
        class Plain(nn.Sequential):
            pass
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.a = ConvBn(dim)
                self.b = Stack(dim, 3)
                self.c = Grown(dim)
                self.d = Blocks(dim)
                self.e = Plain(nn.Linear(dim, dim))
            def forward(self, x: torch.FloatTensor):
                a = self.a(x)  # kind: a=tensor[float]
                b = self.b(x)  # kind: b=tensor[float]
                c = self.c(x)  # kind: c=tensor[float]
                d = self.d(x)  # kind: d=tensor[float]
                e = self.e(x)  # kind: e=tensor[float]
        """
    )


def test_constructors_run_while_compiling() -> None:
    check(
        """
        class Box:
            def __init__(self, t, n=1):  # reach
                self.t = t  # kind: t=tensor
        @dataclass
        class Out:
            t: Tensor
            def __post_init__(self):  # reach
                y = self.t  # kind: y=tensor
        class Child(nn.Module):
            def __init__(self, dim):  # unreached
                super().__init__()
                self.w = nn.Parameter(torch.zeros(dim))
            def forward(self, t):
                return t * self.w
        class Net(nn.Module):
            def __init__(self, dim):  # unreached
                super().__init__()
                self.child = Child(dim)
            def forward(self, x: Tensor):
                box = Box(x)  # kind: box=instance(m.Box)
                out = Out(t=x)
                return out.t  # kind: out.t=tensor
        """
    )


def test_decorators_of_the_program() -> None:
    check(
        """
        import functools
        def logged(func):
            @functools.wraps(func)
            def wrapper(self, *args, **kwargs):  # reach
                y = args[0]  # kind: y=tensor
                out = func(self, *args, **kwargs)  # kind: out=tensor[float]
                return out
            return wrapper
        def with_option(name=None):
            def decorate(func):
                def inner(*args, **kwargs):  # reach
                    return func(*args, **kwargs)
                return inner
            return decorate
        def registered(func):
            return func
        class Child(nn.Module):
            @with_option("a")
            def forward(self, t: Tensor, n: int = 1):
                return t * n  # kind: n=int
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.lin = nn.Linear(dim, dim)
                self.child = Child()
            @logged
            def forward(self, x: Tensor, mask: Optional[Tensor] = None):
                y = self.child(x)  # kind: y=tensor
                z = plain(x)  # kind: z=tensor
                return self.lin(x)
        @registered
        def plain(t):  # reach
            return t
        """
    )


def test_unknown_modules_give_tensors() -> None:
    check(
        """
        class Net(nn.Module):
            def __init__(self, norm, head: nn.Module, blocks, tokenizer):
                super().__init__()
                self.norm = norm
                self.head = head
                self.blocks = blocks
                self.tokenizer = tokenizer
            def forward(self, x: Tensor, n: int):
                a = self.norm(x)  # kind: a=tensor?
                b = self.head(x)  # kind: b=tensor?
                for block in self.blocks:
                    c = block(x)  # kind: c=tensor?
                d = self.blocks[0](x)  # kind: d=tensor?
                e = self.tokenizer.decode(x)  # kind: e=unknown
                f = self.norm(n)  # kind: f=unknown
                g = outside(x)  # kind: g=unknown
                return a
        """
    )
