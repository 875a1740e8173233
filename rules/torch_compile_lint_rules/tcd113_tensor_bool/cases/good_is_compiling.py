import torch

_is_compiling = getattr(torch.compiler, "is_compiling", None) or getattr(torch._dynamo, "is_compiling", None)


def is_compiling() -> bool:
    return bool(_is_compiling()) if _is_compiling is not None else False


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    valid = is_compiling() or bool((y > 0).all())
    return y * valid


def probe():
    return f, (torch.ones(2, 3),)
