# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kind = torch.result_type(y, 1.5)  # expect: TCD507 "`torch.result_type(...)` gives no tensor"
    y = y.to(kind) * 2
    if y.is_signed():  # expect: TCD507
        y = y.abs() * 2
    return y + y.storage_offset()  # expect: TCD507


def probe():
    return f, (torch.ones(2, 3),)
