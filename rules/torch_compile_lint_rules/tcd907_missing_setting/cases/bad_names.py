# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch
import torch._dynamo
import torch._inductor.config as inductor


def old():
    torch._dynamo.config.output_code = True  # expect: TCD907 "output_code"


def invented():
    inductor.autotune_everything = True  # expect: TCD907 "torch._inductor.config.autotune_everything"


def nested():
    inductor.triton.convolution = "aten"  # expect: TCD907 "triton.convolution"


def newer():
    torch._dynamo.config.recompile_limit = 8  # expect[2.3-2.6]: TCD907 "recompile_limit"


def patched():
    with torch._dynamo.config.patch(print_graph_breaks=True):  # expect: TCD907 "print_graph_breaks"
        pass


def probe():
    raised = []
    for one in (old, invented, nested, newer, patched):
        try:
            one()
        except (AttributeError, KeyError):
            raised.append(one.__name__)
    expected = ["old", "invented", "nested", "patched"]
    if not hasattr(torch._dynamo.config, "recompile_limit"):
        expected.insert(3, "newer")
    return "error" if raised == expected else f"ok: {raised}"
