"""Random modules with hazards that have fixes: their text, from choices that hypothesis makes."""

from __future__ import annotations

from collections.abc import Callable

Draw = Callable[[int], int]  # a number from 0 to n - 1

HEAD = """\
import logging
import math
import os

import torch
from torch import nn

log = logging.getLogger("generated")
"""
_TENSORS = ("x", "y", "a", "b")
_UNARY = ("torch.relu({})", "{}.abs()", "-{}", "({} + 1)", "torch.tanh({})", "{} * 2", "{}.clamp(min=-1)")
_BINARY = ("{} + {}", "{} * {}", "torch.maximum({}, {})", "{} - {}", "torch.where({0} > 0, {0}, {1})")
_REDUCED = ("{}.sum()", "{}.mean()", "{}.max()", "({} > 0).float().mean()")
_TESTS = ("{} > 0", "{} <= 0.5", "0 < {} < 2", "not {} > 0")


class Program:
    """One module: ``text`` of its class, made while statements are drawn."""

    def __init__(self, name: str, draw: Draw) -> None:
        self._draw = draw
        self.rows = [
            f"class {name}(nn.Module):",
            "    def forward(self, x: torch.Tensor, y: torch.Tensor, flag: bool = True):",
            "        a = x + y",
            "        b = x - y",
            "        notes = []",
        ]
        for _ in range(1 + draw(4)):
            self._statement()
        self.rows.append("        return a, b, notes" if draw(4) else "        return a * 1, b, notes")

    @property
    def text(self) -> str:
        return "\n".join(self.rows) + "\n"

    def _pick(self, options: tuple[str, ...]) -> str:
        return options[self._draw(len(options))]

    def _tensor(self) -> str:
        kind = self._draw(3)
        if kind == 0:
            return self._pick(_TENSORS)
        if kind == 1:
            return self._pick(_UNARY).format(self._pick(_TENSORS))
        return "(" + self._pick(_BINARY).format(self._pick(_TENSORS), self._pick(_TENSORS)) + ")"

    def _number(self) -> str:
        return self._pick(_REDUCED).format(self._pick(_TENSORS))

    def _test(self) -> str:
        one = self._pick(_TESTS).format(self._number())
        kind = self._draw(7)
        if kind >= 5:
            taken = f"{self._number()}.item() {self._pick(('>', '<='))} {self._draw(3)}"
            return taken if kind == 5 else f"not {taken} and {one}"
        if kind == 0:
            return f"({one}) and {self._number()} > 0"
        if kind == 1:
            return f"flag and {one}"
        if kind == 2:
            return f"{one} or {self._number()} > 1"
        return one

    def _statement(self) -> None:
        add = self.rows.append
        kind = self._draw(13)
        target, other = ("a", "b") if self._draw(2) else ("b", "a")
        comment = "  # kept" if self._draw(3) == 0 else ""
        if kind <= 2:
            add(f"        if {self._test()}:{comment}")
            self._branch(target, other)
            if self._draw(2):
                add("        else:")
                self._branch(target, other)
        elif kind == 3:
            add(f"        {target} = {self._tensor()} if {self._test()} else {self._tensor()}{comment}")
        elif kind == 4:
            add(f"        {target} = {self._tensor()} * {self._number()}.item(){comment}")
        elif kind == 5:
            add(f"        {target} = {self._tensor()} + math.exp(torch.tanh({self._number()}))")
        elif kind == 6:
            add(f"        notes.append(str(torch.arange(6).reshape(2, 3) * {self._draw(5)})){comment}")
        elif kind == 7:
            add(f'        notes.append(os.getenv("HOME", "{self._draw(3)}") or "none"){comment}')
        elif kind == 8:
            add(f'        log.warning("seen %s", {self._number()}){comment}')
        elif kind == 9:
            add(f'        print("shape", {target}.shape){comment}')
        elif kind == 10:
            add(f"        if {self._number()} > 1e9:")
            add('            raise ValueError(f"too large: {a}")')
        elif kind == 11:
            classes = self._pick(("{}.argmax(-1)", "({} > 0).long()", "{}.long().abs() % 3"))
            taken = classes.format(self._pick(_TENSORS))
            add(f"        {target} = {self._tensor()} + torch.nn.functional.one_hot({taken}).sum()")
        else:
            add(f"        {target} = {self._tensor()} * float({self._number()})")

    def _branch(self, target: str, other: str) -> None:
        add = self.rows.append
        shape = self._draw(4)
        if shape == 0:
            add(f"            part = {self._tensor()}")
            add(f"            {target} = part + {self._tensor()}")
        elif shape == 1:
            add(f"            {target} = {self._tensor()}")
            add(f"            {other} = {target} * 2")
        elif shape == 2:
            add(f"            {target} += {self._tensor()}")
        else:
            add(f"            {target} = {self._tensor()}")


def module(count: int, draw: Draw) -> str:
    """A file of ``count`` modules N0, N1, ..."""
    return HEAD + "".join(f"\n\n{Program(f'N{number}', draw).text}" for number in range(count))
