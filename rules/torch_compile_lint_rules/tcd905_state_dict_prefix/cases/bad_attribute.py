import torch
from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, fast: bool):
        self.model = model
        if fast:
            self.model = torch.compile(self.model)

    def checkpoint(self):
        return {"model": self.model.state_dict(), "epoch": 1}  # expect: TCD905 "load into no model"


def resume(path):
    model = torch.compile(nn.Linear(3, 3))
    model.load_state_dict(torch.load(path))  # expect: TCD905 "wants keys"
    return model


def loosely(state):
    model = torch.compile(nn.Linear(3, 3))
    model.load_state_dict(state, strict=False)  # expect: TCD905 "skips every key"
    return model


def probe_error():
    import io

    file = io.BytesIO()
    torch.save(nn.Linear(3, 3).state_dict(), file)
    file.seek(0)
    try:
        resume(file)
    except RuntimeError:
        return "error"
    return "ok"


def probe_wrong():
    state = nn.Linear(3, 3).state_dict()
    model = loosely(state)
    return "wrong" if not torch.equal(state["weight"], next(model.parameters())) else "ok"
