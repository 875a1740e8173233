import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._check_tensor_all(y > 0, lambda: "not positive")  # expect: TCD115 "`torch._check_tensor_all` needs the value of `y > 0`: graph break"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)
