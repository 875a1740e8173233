import logging

import torch
import torch._dynamo


def setup():
    torch._dynamo.config.log_level = logging.INFO  # expect: TCD907 "log_level` does not exist"


def probe():
    try:
        setup()
    except AttributeError as problem:
        return f"error: {problem}"
    return "ok"
