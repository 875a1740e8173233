# torch: 2.3, 2.9, 2.14
import contextlib
import warnings

import torch


@torch.compile
def quiet(x: torch.Tensor):
    with warnings.catch_warnings():  # expect[2.3]: TCD310
        warnings.simplefilter("ignore")  # expect: TCD403 "the whole frame"
        y = x * 2
    return y


@torch.compile
def stacked(x: torch.Tensor):
    with contextlib.ExitStack() as stack:  # expect: TCD310
        stack.enter_context(torch.no_grad())
        y = x * 2
    return y


@torch.compile
def lenient(x: torch.Tensor):
    with contextlib.suppress(KeyError):  # expect[2.3-2.9]: TCD310
        y = x * 2
    return y


@torch.compile
def forked(x: torch.Tensor):
    with torch.random.fork_rng():  # expect: TCD310
        y = torch.rand(3)
    return x * y


def probe_quiet():
    return quiet, (torch.ones(2, 3),)


def probe_stacked():
    return stacked, (torch.ones(2, 3),)


def probe_forked():
    return forked, (torch.ones(2, 3),)
