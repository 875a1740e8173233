# torch: 2.9, 2.13
import copy

import torch


class Options:
    def __init__(self) -> None:
        self.scale = 2
        self.sizes = [1, 2]


OPTIONS = Options()


@torch.compile
def settings(x: torch.Tensor) -> torch.Tensor:
    own = copy.deepcopy(OPTIONS.__dict__)  # expect[2.9]: TCD309
    return x * own["scale"]


@torch.compile
def an_object(x: torch.Tensor) -> torch.Tensor:
    rows = copy.deepcopy([1, 2])  # expect[2.9]: TCD309
    return x * copy.copy(OPTIONS).scale + len(rows)  # expect[2.9]: TCD309


def probe_settings():
    return settings, (torch.ones(2, 3),)


def probe_an_object():
    return an_object, (torch.ones(2, 3),)
