import torch
import torch._dynamo


def setup():
    torch._dynamo.config.suppress_errors = True  # expect: TCD906 "hides every compiler error"


def failing(gm, example_inputs):
    raise RuntimeError("the backend fails")


def probe():
    setup()
    try:
        torch.compile(lambda x: x + 1, backend=failing)(torch.ones(3))
    except Exception as problem:
        return f"ok: {problem}"
    finally:
        torch._dynamo.config.suppress_errors = False
    return "misuse"
