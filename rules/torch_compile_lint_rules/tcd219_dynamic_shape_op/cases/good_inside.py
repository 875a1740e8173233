# torch: 2.3, 2.6, 2.9, 2.13, 2.14
# Solvers and losses whose results are as large as their inputs say.
import torch
import torch.nn.functional as F


@torch.compile
def f(a: torch.Tensor, b: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    solution = torch.linalg.solve(a, b) + torch.linalg.pinv(a) @ b
    return F.nll_loss(solution.log_softmax(-1), labels) + F.cross_entropy(solution, labels)


def probe():
    return f, (torch.eye(3), torch.ones(3, 2), torch.tensor([0, 1, 0]))
