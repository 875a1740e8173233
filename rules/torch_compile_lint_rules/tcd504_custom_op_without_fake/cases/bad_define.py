# torch: 2.3, 2.14
import torch

lib = torch.library.Library("tcd504b", "FRAGMENT")
lib.define("twice(Tensor x) -> Tensor")  # expect: TCD504 "`tcd504b::twice` is given kernels"
lib.impl("twice", lambda x: x * 2, "CPU")
lib.define("thrice(Tensor x) -> Tensor")
lib.impl("thrice", lambda x: x * 3, "CompositeExplicitAutograd")


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    f = torch.compile(lambda x: torch.ops.tcd504b.twice(x + 1) + 1, backend=BACKEND)
    f(torch.ones(3))
    broken = len(GRAPHS)
    f = torch.compile(lambda x: torch.ops.tcd504b.thrice(x + 1) + 1, backend=BACKEND)
    f(torch.ones(3))
    return "break" if broken > 1 and len(GRAPHS) == broken + 1 else f"ok: {broken} {len(GRAPHS)}"
