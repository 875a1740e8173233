import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.set_autocast_cpu_dtype(torch.bfloat16)  # expect: TCD505 "`torch.set_autocast_cpu_dtype(...)` is skipped"
    y = y * 2
    torch.cuda.set_device(-1)  # expect: TCD505
    y = y * 2
    torch.autograd.set_detect_anomaly(False)  # expect: TCD505
    y = y * 2
    if torch.jit.isinstance(y, torch.Tensor):  # expect: TCD505
        y = y + 1
    return y


def probe():
    return f, (torch.ones(2, 3),)
