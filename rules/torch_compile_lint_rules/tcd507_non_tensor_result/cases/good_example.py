# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch

KIND = torch.result_type(torch.ones(1), 1.5)
DEVICES = torch.cuda.device_count()


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).to(KIND) * DEVICES
    if y.dtype.is_signed and y.is_floating_point() and not torch.is_complex(y):
        y = y.abs() * 2
    if torch.is_grad_enabled() and not torch.cuda.is_available() and y.get_device() < 0:
        y = y * 2
    return y.to(torch.promote_types(y.dtype, torch.float32)) + y.stride()[0] + y.element_size()


def probe():
    return f, (torch.ones(2, 3),)
