import torch
from torch._dynamo import config

config.accumulated_cache_size_limit = 2048  # expect: TCD908 "2048"
config.recompile_limit = 1000  # expect: TCD908


def run(model, x):
    with config.patch(recompile_limit=100):  # expect: TCD908 "100"
        return torch.compile(model)(x)
