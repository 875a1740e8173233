import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    text = f"{y.dim()} {y.shape[0]:>3}" + "%s-%d" % ("a", 3) + "{}".format(4) + str(x.dim())
    return y * 2, text, f"{y.mean():.2f}", "{}".format(y.mean())


def probe():
    return f, (torch.ones(2, 3),)
