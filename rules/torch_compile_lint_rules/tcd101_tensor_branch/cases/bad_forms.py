import torch


@torch.compile
def truth(x: torch.Tensor, flag: torch.Tensor):
    y = x + 1
    if flag:  # expect: TCD101 "`flag`"
        return y * 2
    return y - 1


@torch.compile
def negated(x: torch.Tensor):
    y = x + 1
    if not (y > 3).any():  # expect: TCD101 "`(y > 3).any()`"
        y = y * 2
    return y


@torch.compile
def second_operand(x: torch.Tensor, debug: bool = True):
    y = x + 1
    if debug and torch.isnan(y).any():  # expect: TCD101 "`torch.isnan(y).any()`"
        raise ValueError("nan")
    return y * 2


@torch.compile
def otherwise(x: torch.Tensor):
    y = x + 1
    if x.dim() > 5:
        y = y * 2
    elif y.max() == 0:  # expect: TCD101 "`y.max() == 0`"
        y = y * 3
    return y


@torch.compile
def between(x: torch.Tensor):
    y = x.sum()
    if 0 < y < 500:  # expect: TCD101
        y = y * 3
    return y + 1


def helper(y):
    if y.sum() > 0:  # expect: TCD101
        return y * 2
    return y


@torch.compile
def calls_helper(x: torch.Tensor):
    return helper(x + 1) - 1


@torch.compile
def in_loop(x: torch.Tensor):
    y = x + 1
    for _ in range(4):
        if y.sum() > 0:  # expect: TCD101 "the whole frame runs eagerly"
            y = y * 2
    return y


@torch.compile
def in_try(x: torch.Tensor):
    y = x + 1
    try:
        if y.sum() > 0:  # expect: TCD101 "the whole frame runs eagerly"
            y = y * 2
    except ValueError:
        y = y * 4
    return y


@torch.compile
def under_no_grad(x: torch.Tensor):
    y = x + 1
    with torch.no_grad():
        y = y * 2
        if y.sum() > 0:  # expect: TCD101 "graph break"
            y = y * 3
    return y


@torch.compile
def leaves_loop(x: torch.Tensor):
    y = x + 1
    while True:
        y = y * 2
        if y.sum() > 100:  # expect: TCD101 "the whole frame runs eagerly"
            break
    return y


def probe_truth():
    return truth, (torch.ones(2), torch.tensor(True))


def probe_negated():
    return negated, (torch.ones(2),)


def probe_second_operand():
    return second_operand, (torch.ones(2),)


def probe_otherwise():
    return otherwise, (-torch.ones(2),)  # the branch is taken, so a second graph shows the break


def probe_between():
    return between, (torch.ones(2),)


def probe_calls_helper():
    return calls_helper, (torch.ones(2),)


def probe_in_loop():
    return in_loop, (torch.ones(2),)


def probe_in_try():
    return in_try, (torch.ones(2),)


def probe_under_no_grad():
    return under_no_grad, (torch.ones(2),)


def probe_leaves_loop():
    return leaves_loop, (torch.ones(2),)
