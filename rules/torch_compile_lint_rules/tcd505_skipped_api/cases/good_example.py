import torch

torch.autograd.set_detect_anomaly(False)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x + 1
    return y * 2 if isinstance(y, torch.Tensor) else y


def probe():
    return f, (torch.ones(2, 3),)
