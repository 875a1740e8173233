import torch
import torch._dynamo


def setup(cache_size_limit: int):
    torch._dynamo.config.cache_size_limit = 8
    torch._dynamo.config.accumulated_cache_size_limit = 64
    cache_size_limit = 1000
    return cache_size_limit


def probe():
    before = torch._dynamo.config.accumulated_cache_size_limit
    setup(1)
    torch._dynamo.config.accumulated_cache_size_limit = before
    return "ok"
