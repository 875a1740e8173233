"""Which functions are known to give back an argument, from their form alone."""

from __future__ import annotations

import pytest
from torch_compile_lint.facts.unit import unit_facts
from torch_compile_lint.program.passthrough import returned_parameter

GIVES_BACK = [
    "def f(x):\n    return x\n",
    "def f(x, other=1):\n    x.tag = other\n    return x\n",
    "def f(x):\n    if x.a:\n        return x\n    else:\n        raise ValueError(x)\n",
    "def f(x):\n    for y in x.rows:\n        print(y)\n    return x\n",
    "def f(x):\n    if x.a:\n        return x\n    x.a = 1\n    return x\n",
    "def f(x):\n    with lock:\n        x[0] = 1\n        return x\n",
    "def f(x):\n    def g(y):\n        y = x\n        return y\n    x.g = g\n    return x\n",
]
DOES_NOT = [
    "def f(x):\n    pass\n",
    "def f(x):\n    return x.a\n",
    "def f(x):\n    x = 1\n    return x\n",
    "def f(x):\n    x += 1\n    return x\n",
    "def f(x):\n    a, (b, *x) = c\n    return x\n",
    "def f(x):\n    for x in y:\n        pass\n    return x\n",
    "def f(x):\n    with y as x:\n        pass\n    return x\n",
    "def f(x):\n    if (x := y):\n        pass\n    return x\n",
    "def f(x):\n    import x\n    return x\n",
    "def f(x):\n    def x():\n        pass\n    return x\n",
    "def f(x):\n    class x:\n        pass\n    return x\n",
    "def f(x):\n    try:\n        y()\n    except E as x:\n        pass\n    return x\n",
    "def f(x):\n    match y:\n        case [x]:\n            pass\n    return x\n",
    "def f(x):\n    def g():\n        nonlocal x\n        x = 1\n    g()\n    return x\n",
    "def f(x):\n    def g():\n        def h():\n            nonlocal x\n            x = 1\n    return x\n",
    "def f(x):\n    if x.a:\n        return x\n",
    "def f(x, y):\n    if x.a:\n        return y\n    return x\n",
    "def f(x):\n    if x is None:\n        return\n    return x\n",
    "def f(x):\n    while x.a:\n        return x\n",
    "def f(x):\n    try:\n        return x\n    except E:\n        pass\n",
    "def f(x):\n    yield x\n    return x\n",
    "async def f(x):\n    return x\n",
    "def f(*x):\n    return x\n",
    "def f(**x):\n    return x\n",
    "def f(y):\n    return x\n",
]


@pytest.mark.parametrize("text", GIVES_BACK)
def test_an_argument_comes_back(text: str) -> None:
    assert returned_parameter(unit_facts(text, "function", "f", 0)) == 0


@pytest.mark.parametrize("text", DOES_NOT)
def test_something_else_may_come_back(text: str) -> None:
    assert returned_parameter(unit_facts(text, "function", "f", 0)) is None


def test_the_parameter_is_named_by_its_number() -> None:
    text = "def f(self, cls, *, name=None):\n    self.table[name] = cls\n    return cls\n"
    assert returned_parameter(unit_facts(text, "function", "f", 0)) == 1
