import torch


def scale(x, n):
    return x * n


def run(x: torch.Tensor):
    step = torch.compile(scale, backend=BACKEND, dynamic=False)
    for n in range(2, 6):
        step(x, n)  # expect: TCD706 "one graph per number"


def keyword(x: torch.Tensor):
    step = torch.compile(scale, backend=BACKEND)
    names = ("a", "b", "c", "d")
    for n in names:
        step(x, n=n)  # expect: TCD706


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    run(torch.ones(3))
    return "recompile" if len(GRAPHS) == 4 else f"ok: {len(GRAPHS)} graphs"
