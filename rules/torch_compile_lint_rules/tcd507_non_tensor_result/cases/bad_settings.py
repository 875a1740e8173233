# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if torch.cuda.device_count() > 99:  # expect: TCD507
        y = y * 3
    y = y * 2
    if torch.get_float32_matmul_precision() == "high":  # expect: TCD507
        y = y * 3
    y = y * 2
    if torch.is_inference_mode_enabled():  # expect: TCD507 "is not supported by Dynamo"
        y = y * 3
    y = y * torch.get_num_threads()  # expect: TCD507
    if torch.backends.mps.is_available():  # expect[2.3-2.13]: TCD507 "asks for hardware"
        y = y * 3
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)
