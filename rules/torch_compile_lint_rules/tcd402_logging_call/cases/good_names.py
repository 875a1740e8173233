import torch


class Book:
    def info(self):
        return 2



@torch.compile
def f(x: torch.Tensor, book=Book()) -> torch.Tensor:
    return torch.log(x) + x.log() + book.info() + torch.special.entr(x)


def probe():
    return f, (torch.ones(2, 3),)
