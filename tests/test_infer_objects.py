"""Inference: containers, modules, attributes and the classes of the program."""

from __future__ import annotations

from forwards import check, forward

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


def test_a_class_is_made_and_nothing_else() -> None:
    forward(
        """
        made = Net() if self.training else Net
        if inspect.isclass(made):
            a = made  # kind: a=class(m.Net)
        else:
            b = made  # kind: b=instance(m.Net)
        if not inspect.isclass(x):
            c = x  # kind: c=tensor
        """,
        extra="import inspect\n",
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


def test_augmented_stores() -> None:
    check(
        """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.register_buffer("low", torch.zeros(1))
                self.low -= 1e-5
                scale = torch.ones(dim)
                scale *= 2
                self.scale = scale
                self.count = 0
                self.count += dim
                self.total = 0
                count = 0
                count -= dim
                self.local = count
            def forward(self, x):
                a = self.low  # kind: a=tensor[float,1]
                b = self.scale  # kind: b=tensor[float]
                c = self.count  # kind: c=int
                d = self.total  # kind: d=int
                e = self.local  # kind: e=int|unknown
                return x
        """
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
