"""A copy of os.environ answers the same on every system only for names in capitals: the rest is unsafe."""

from __future__ import annotations

import os

import pytest
from torch_compile_lint.model import Request
from torch_compile_lint.repair import repair

PROGRAM = """\
import os

import torch


@torch.compile
def f(x: torch.Tensor, name: str = "PATH"):
    y = x + 1
    return y * 2 if {read} else y
"""
READS = (
    ('os.getenv({name}) == "1"', "os.environ.copy().get({name})"),
    ('os.environ.get({name}, "0") == "1"', "os.environ.copy().get({name}"),
    ("{name} in os.environ", "{name} in os.environ.copy()"),
    ("{name} not in os.environ.keys()", "{name} not in os.environ.copy().keys()"),
)


@pytest.mark.parametrize(
    ("name", "safe"), [('"SCALE_2"', True), ('"scale"', False), ('"Path"', False), ("name", False)]
)
@pytest.mark.parametrize(("read", "fixed"), READS)
def test_names_in_capitals_are_safe(read: str, fixed: str, name: str, safe: bool) -> None:
    text = PROGRAM.format(read=read.format(name=name))
    path = os.path.abspath("environment_program.py")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.14", "select": ["TCD801"]}
    request = Request((path,), {path: text}, overrides, isolated=True)
    for unsafe in (False, True):
        new = repair(request, unsafe).texts.get(path, text)
        assert (fixed.format(name=name) in new) == (safe or unsafe)
