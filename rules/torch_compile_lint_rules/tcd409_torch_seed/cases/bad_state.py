import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    state = torch.get_rng_state()  # expect: TCD409
    y = x * torch.rand(3)
    torch.set_rng_state(state)  # expect: TCD409
    return y + torch.rand(3)


def probe():
    return f, (torch.ones(2, 3),)
