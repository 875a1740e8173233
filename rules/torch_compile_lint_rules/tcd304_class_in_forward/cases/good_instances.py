import torch
from torch import nn


class Tagged(type):
    def __new__(mcs, name, bases, body):
        body["tag"] = 2
        return super().__new__(mcs, name, bases, body)


class Config(metaclass=Tagged):
    def __init__(self, scale):
        self.scale = scale


class Net(nn.Module, metaclass=Tagged):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        config = Config(3)
        return (x + 1) * config.scale * config.tag * self.tag


def probe():
    return Net(), (torch.ones(2, 3),)
