import torch
from torch import nn


def train(path):
    model = nn.Linear(3, 3)
    compiled = torch.compile(model)
    torch.save(model.state_dict(), path)
    compiled.load_state_dict(compiled.state_dict())
    optimizer = torch.optim.SGD(compiled.parameters(), lr=0.1)
    torch.save(optimizer.state_dict(), path)


def in_place(path):
    model = nn.Linear(3, 3)
    model.compile()
    torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path))


def probe():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        train(folder + "/a.pt")
        in_place(folder + "/b.pt")
    return "ok"
