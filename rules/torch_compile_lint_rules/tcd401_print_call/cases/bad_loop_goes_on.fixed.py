# torch: 2.3, 2.6, 2.9, 2.13, 2.14
"""Loops whose jump back comes before a `return`: the frame is lost."""

import torch


@torch.compile
def breaks(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        if turn == 2:
            if not torch.compiler.is_compiling():
                print("last turn")
            break
    return y.cos()


@torch.compile
def skips(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        if not torch.compiler.is_compiling():
            print("turn")
        if turn < 2:
            continue
        return y.cos()
    return y


@torch.compile
def other(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for turn in range(3):
        if turn < 2:
            if not torch.compiler.is_compiling():
                print("turn")
        else:
            return y.cos()
    return y


def probe_breaks():
    return breaks, (torch.ones(2, 3),)


def probe_skips():
    return skips, (torch.ones(2, 3),)


def probe_other():
    return other, (torch.ones(2, 3),)
