import torch
import torch._dynamo
import torch._inductor.config


def setup():
    torch._dynamo.config.verbose = False
    torch._dynamo.config.cache_size_limit = 8
    torch._inductor.config.triton.cudagraphs = False
    torch._inductor.config.trace.enabled = False
    if hasattr(torch._dynamo.config, "log_level"):
        torch._dynamo.config.log_level = 10
    try:
        torch._dynamo.config.output_code = True
    except AttributeError:
        pass


def probe():
    setup()
    return "ok"
