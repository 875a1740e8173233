import unittest

import torch
from torch._dynamo import explain
from torch._dynamo.testing import CompileCounter, CompileCounterWithBackend


class Test(unittest.TestCase):
    def test_one_graph(self):
        counter = CompileCounter()
        torch.compile(torch.sin, backend=counter)(torch.ones(3))
        self.assertEqual(counter.frame_count, 1)  # expect: TCD909 "no promise of torch"

    def test_explain(self):
        found = explain(torch.sin)(torch.ones(3))
        self.assertEqual(found.graph_count, 1)  # expect: TCD909


def test_plain():
    counter = CompileCounterWithBackend("eager")
    torch.compile(lambda x: x + 1, backend=counter)(torch.ones(3))
    assert counter.frame_count == 1  # expect: TCD909 "assert counter.frame_count == 1"


def probe():
    test_plain()
    return "misuse"
