import torch
from torch import nn


def train(path):
    model = nn.Linear(3, 3)
    model = torch.compile(model)
    torch.save(model.state_dict(), path)  # expect: TCD905 "load into no model that is not compiled"


def probe():
    import io

    file = io.BytesIO()
    train(file)
    file.seek(0)
    plain, state = nn.Linear(3, 3), torch.load(file)
    missing = plain.load_state_dict(state, strict=False).missing_keys
    try:
        plain.load_state_dict(state)
    except RuntimeError:
        return "misuse" if missing == ["weight", "bias"] else "ok"
    return "ok"
