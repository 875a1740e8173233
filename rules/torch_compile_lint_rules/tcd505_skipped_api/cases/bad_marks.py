import torch
import torch._dynamo


@torch.compile
def dynamic(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.mark_dynamic(x, 0)  # expect: TCD505 "`torch._dynamo.mark_dynamic(...)` may not be called in compiled code: raises"
    return x * 2


@torch.compile
def perhaps(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.maybe_mark_dynamic(x, 0)  # expect: TCD505
    return x * 2


@torch.compile
def address(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.mark_static_address(x)  # expect: TCD505
    return x * 2


def probe():
    return dynamic, (torch.ones(3),)


def probe_perhaps():
    return perhaps, (torch.ones(3),)


def probe_address():
    return address, (torch.ones(3),)
