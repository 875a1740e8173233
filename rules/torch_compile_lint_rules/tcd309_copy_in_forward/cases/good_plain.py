# torch: 2.13, 2.14
import copy

import torch


class Options:
    def __init__(self) -> None:
        self.scale = 2
        self.sizes = [1, 2]


OPTIONS = Options()


@torch.compile
def settings(x: torch.Tensor) -> torch.Tensor:
    own = copy.deepcopy(OPTIONS.__dict__)
    return x * own["scale"]


@torch.compile
def an_object(x: torch.Tensor) -> torch.Tensor:
    rows = copy.deepcopy([1, 2])
    return x * copy.copy(OPTIONS).scale + len(rows)


def probe_settings():
    return settings, (torch.ones(2, 3),)


def probe_an_object():
    return an_object, (torch.ones(2, 3),)
