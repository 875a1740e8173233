import torch


def checked(cond, message):
    import torch  # as a library does that is slow to import

    if isinstance(cond, torch.Tensor):
        torch._check_tensor_all(cond)  # expect: TCD115
    else:
        torch._check(cond)


@torch.compile
def with_error(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._check_tensor_all_with(ValueError, cond=y > 0, message=lambda: f"{1 + 1}")  # expect: TCD115
    return y * 2


@torch.compile
def through_a_function(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    checked((y > 0).all(), "not positive")
    checked(y.dim() == 2, "not a matrix")
    return y * 2


def probe():
    return with_error, (torch.ones(2, 3),)


def probe_through_a_function():
    return through_a_function, (torch.ones(2, 3),)
