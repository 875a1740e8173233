"""Inference: calls, contexts, recursion, decorators, and that it always ends."""

from __future__ import annotations

from forwards import check, forward

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
