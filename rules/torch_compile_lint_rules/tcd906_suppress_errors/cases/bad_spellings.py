import torch
import torch._dynamo as dynamo
import torch._dynamo.config as dynamo_config
from torch._dynamo import config

config.suppress_errors = True  # expect: TCD906
dynamo.config.suppress_errors = True  # expect: TCD906


def block(model, x):
    with torch._dynamo.config.patch(suppress_errors=True):  # expect: TCD906 "patch"
        model(x)
    with dynamo_config.patch({"suppress_errors": True}):  # expect: TCD906
        model(x)
    with dynamo_config.patch("suppress_errors", True):  # expect: TCD906
        model(x)
