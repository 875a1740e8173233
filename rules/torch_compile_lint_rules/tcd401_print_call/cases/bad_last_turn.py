# torch: 2.6, 2.9, 2.13, 2.14
"""Loops where a `return` comes before the jump back: Dynamo resumes behind the break from 2.6 on."""

import torch


@torch.compile
def last(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        if turn == 2:
            print("last turn")  # expect: TCD401 "graph break"
            return y.cos()
        y = y + 1
    return y


@torch.compile
def later(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        if turn == 1:
            print("turn")  # expect: TCD401 "graph break"
        if turn == 2:
            return y.cos()
        y = y + 1
    return y


@torch.compile
def inner(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        for step in range(3):
            if step == turn == 2:
                print("last step")  # expect: TCD401 "graph break"
                return y.cos()
            y = y + 1
    return y


@torch.compile
def ends(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        print("turn")  # expect: TCD401 "graph break"
        if turn == 2:
            return y.cos()
    return y


def probe_ends():
    return ends, (torch.ones(2, 3),)


def probe_last():
    return last, (torch.ones(2, 3),)


def probe_later():
    return later, (torch.ones(2, 3),)


def probe_inner():
    return inner, (torch.ones(2, 3),)
