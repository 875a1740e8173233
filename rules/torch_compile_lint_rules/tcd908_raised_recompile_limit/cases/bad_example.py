import torch
import torch._dynamo


def setup():
    torch._dynamo.config.cache_size_limit = 64  # expect: TCD908 "raised to 64"


def probe():
    graphs = []
    before = torch._dynamo.config.cache_size_limit
    setup()

    @torch.compile(backend=lambda gm, _: graphs.append(gm) or gm.forward)
    def f(x, name):
        return x * len(name)

    for name in "abcdefghijkl":
        f(torch.ones(3), name)
    torch._dynamo.config.cache_size_limit = before
    return "misuse" if len(graphs) > 8 else "ok"
