# torch: 2.3, 2.14
import torch

torch.library.define("tcd504s::once", "(Tensor x) -> Tensor")  # expect: TCD504 "`tcd504s::once` is given kernels"
torch.library.impl("tcd504s::once", "cpu", lambda x: x * 2)

torch.library.define("tcd504s::twice", "(Tensor x) -> Tensor")  # expect: TCD504 "`tcd504s::twice` is given kernels"
torch.library.impl("tcd504s::twice", ("cpu", "cuda"), lambda x: x * 2)

torch.library.define("tcd504s::thrice", "(Tensor x) -> Tensor")
torch.library.impl("tcd504s::thrice", "default", lambda x: x * 3)

lib = torch.library.Library("tcd504t", "DEF")
four = lib.define("four(Tensor x) -> Tensor")  # expect: TCD504 "`tcd504t::four` is given kernels"
lib.impl(four, lambda x: x * 4, "CPU")

lib.define("five(Tensor x) -> Tensor")  # expect: TCD504 "`tcd504t::five` is given kernels"
torch.library.impl(lib, "five", "CPU")(lambda x: x * 5)

# A kernel under an Autograd key runs on the fake tensors.
lib.define("six(Tensor x) -> Tensor")
lib.impl("six", lambda x: x * 6, "CPU")
lib.impl("six", lambda x: x * 6, "AutogradCPU")


def graphs(operator) -> int:
    made = []

    def backend(gm, example_inputs):
        made.append(gm)
        return gm.forward

    torch.compile(lambda x: operator(x + 1) + 1, backend=backend)(torch.ones(3))
    return len(made)


def probe():
    ours, theirs = torch.ops.tcd504s, torch.ops.tcd504t
    broken = [graphs(op) for op in (ours.once, ours.twice, theirs.four, theirs.five)]
    whole = [graphs(op) for op in (ours.thrice, theirs.six)]
    return "break" if min(broken) > 1 and whole == [1, 1] else f"ok: {broken} {whole}"
