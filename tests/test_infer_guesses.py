"""Inference: what a guess is worth, and what rules it out. Kinds met in real model libraries."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path

_SPEC = importlib.util.spec_from_file_location("kinds", Path(__file__).with_name("kinds.py"))
assert _SPEC is not None and _SPEC.loader is not None
kinds = importlib.util.module_from_spec(_SPEC)
sys.modules["kinds"] = kinds
_SPEC.loader.exec_module(kinds)

HEAD = """\
from typing import Optional, Tuple
import torch
import torch.nn as nn
from torch import Tensor
"""


def check(text: str) -> None:
    assert kinds.problems({"m.py": HEAD + textwrap.dedent(text)}) == []


def test_unpacked_module_results_are_tuples() -> None:
    check("""
    class Net(nn.Module):
        def __init__(self, blocks, norm):
            super().__init__()
            self.blocks = blocks
            self.norm = norm
        def forward(self, x: Tensor, size):
            for blk in self.blocks:
                x, size = blk(x, size)  # kind: blk(x, size)=unknown
            first = self.norm(x)
            size  # kind: size=unknown
            return first
    """)


def test_an_annotation_rules_out_a_guess() -> None:
    check("""
    def area(size: Tuple[int, int], scale: Tensor):
        return size[0] * size[1]  # kind: size=tuple[int, int]
    def total(size: Tensor):
        return size.sum()  # kind: size=tensor?
    class Net(nn.Module):
        def __init__(self, blocks):
            super().__init__()
            self.block = blocks[0]
        def forward(self, x: Tensor):
            size = self.block(x)  # kind: size=tensor?
            return area(size, x) + total(size)
    """)


def test_in_place_operators_keep_the_tensor() -> None:
    check("""
    class Net(nn.Module):
        def forward(self, x: Tensor, **kwargs):
            keep = x != 0
            mask = kwargs.get("mask", None)
            keep &= mask
            keep  # kind: keep=tensor[bool]
            both = (x != 0) & mask
            both  # kind: both=tensor
            total = 0
            total += x.sum()
            total  # kind: total=tensor[?,0]
            return x[keep]
    """)


def test_random_numbers_are_known_as_such() -> None:
    check("""
    import random
    class Net(nn.Module):
        def forward(self, x: Tensor):
            n = random.randint(1, 3)  # kind: n=int:random
            rand = random.Random(3)
            m = rand.randrange(4)  # kind: m=int:random
            big = n + x.shape[0] > m  # kind: big=bool:random
            plain = 3 > x.shape[0]  # kind: plain=bool:shape
            return x
    """)


def test_private_bases_of_torch_are_modules() -> None:
    check("""
    from torch.nn.modules.loss import _Loss
    from torch.nn.modules.batchnorm import _BatchNorm
    class Focal(_Loss):
        def forward(self, y_pred, y_true):  # reach
            p = y_pred.softmax(dim=1)  # kind: p=tensor[float]?
            how = self.reduction  # kind: how=text
            return (p * y_true).sum()
    class Norm(_BatchNorm):
        def forward(self, x):  # reach
            return self.running_mean + x  # kind: self.running_mean=tensor[float,1]|none
    class Plain(Exception):
        def forward(self, x):  # unreached
            return x
    """)


def test_a_bool_mask_selects_from_a_tensor() -> None:
    check("""
    class Net(nn.Module):
        def forward(self, x: Tensor, make):
            mask = x > 0
            found = make.pop()
            part = found[mask]  # kind: part=tensor?
            first = found[x.long()]  # kind: first=unknown
            return part
    """)


def test_fields_of_named_results() -> None:
    check("""
    class Net(nn.Module):
        def forward(self, x: Tensor, y: Tensor):
            s = torch.linalg.lstsq(x, y).solution  # kind: s=tensor
            q = torch.linalg.qr(x).Q  # kind: q=tensor
            n = torch.linalg.qr(x).name  # kind: n=unknown
            return s + q
    """)


def test_questions_to_torch_behind_a_try_prune() -> None:
    check("""
    from functools import lru_cache
    def constant(fn):
        setattr(fn, "_dynamo_marked_constant", True)
        return fn
    def plain(fn):
        return fn
    @lru_cache
    @constant
    def has_images() -> bool:  # its one answer counts, although it is not traced
        import PIL.Image
        return True
    @plain
    def probed() -> bool:  # reach
        return True
    def compiling():
        try:
            import torch
            return torch.compiler.is_compiling()
        except Exception:
            return False  # dead
    def patched():
        try:
            import other
            return other.is_compiling()
        except Exception:
            return False
    def tracing(t=None):
        found = compiling() or t is None
        if t is not None:
            found |= isinstance(t, torch.fx.Proxy)
        return found
    class Net(nn.Module):
        def forward(self, x: Tensor):
            a = compiling()  # kind: a=const(True)
            b = tracing(x)  # kind: b=const(True)
            c = patched()
            d = has_images()  # kind: d=const(True)
            probed()
            if not tracing(x):
                return x + 1  # dead
            if not c:
                return x + 2
            return x
    """)


def test_what_only_a_worker_of_a_data_loader_does_is_not_reached() -> None:
    check("""
    import torch.utils.data
    class Net(nn.Module):
        def forward(self, x: Tensor):
            info = torch.utils.data.get_worker_info()  # kind: info=none
            if torch.utils.data.get_worker_info() is not None:
                return x + 1  # dead
            return x
    """)


def test_a_decided_call_after_an_unknown_operand_prunes() -> None:
    check("""
    def compiling():
        return torch.compiler.is_compiling()
    class Net(nn.Module):
        def forward(self, x: Tensor, flag, action):
            if action == 3:
                return x
            elif action in (1, 2) and not compiling():
                return x + 1  # dead
            if flag and compiling():
                x = x + 2
            if flag or compiling():
                return x + 3
            return x  # dead
    """)
