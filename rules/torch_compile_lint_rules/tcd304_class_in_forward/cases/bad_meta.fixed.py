import torch


class Tagged(type):
    def __new__(mcs, name, bases, body):
        body["tag"] = 2
        return super().__new__(mcs, name, bases, body)



class Config(metaclass=Tagged):
    pass


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    return y * Config.tag


def probe():
    return f, (torch.ones(2, 3),)
