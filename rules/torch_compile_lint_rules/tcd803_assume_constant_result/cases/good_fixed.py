import platform

import torch


@torch.compiler.assume_constant_result
def is_recent() -> bool:
    return torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 9


def machine() -> str:
    return platform.machine()


@torch.compiler.assume_constant_result
def is_arm() -> bool:
    if machine() == "arm64":
        return True
    name = machine().lower()
    return name == "aarch64"


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    if is_recent():
        return x + 2
    return x * 3 if is_arm() else x + 1


def probe():
    return f, [(torch.ones(2, 3),)] * 3
