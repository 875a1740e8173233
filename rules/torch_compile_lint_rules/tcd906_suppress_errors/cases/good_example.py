import torch
import torch._dynamo


class Config:
    suppress_errors = False


def setup(config: Config, verbose: bool):
    torch._dynamo.config.suppress_errors = False
    torch._dynamo.config.verbose = verbose
    config.suppress_errors = True


def probe():
    setup(Config(), False)
    return "ok"
