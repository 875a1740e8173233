"""Inference: parameters, tensors and numbers, narrowing, control flow (see ``kinds``)."""

from __future__ import annotations

import pytest
from forwards import HEAD, check, forward

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
