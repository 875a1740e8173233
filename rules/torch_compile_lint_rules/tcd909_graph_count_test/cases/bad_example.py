import torch
import torch._dynamo


def steps(x):
    for _ in range(3):
        print(end="")
        x = x + 1
    return x


def test_no_break():
    explained = torch._dynamo.explain(steps)(torch.ones(3))
    assert explained.graph_break_count <= 0  # expect: TCD909 "counts a frame that was given up as -1"


def probe():
    test_no_break()
    return "misuse"
