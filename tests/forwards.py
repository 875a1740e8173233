"""Programs for the tests of inference: a module around a forward, checked by comments (see ``kinds``)."""

from __future__ import annotations

import textwrap

import kinds

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
