import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    if x > 0:
        print("x", i)
    while x > 0:
        x -= 1
    tl.store(y_ptr + i, x)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    kernel[(3,)](x, y, 3, BLOCK=8)
    return y
