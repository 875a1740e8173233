"""What classes and functions of model libraries make, where the library's own code is not read.

Only what ``torchdb/libraries`` holds is made an instance here: of everything else nothing is known.
"""

from __future__ import annotations

from torch_compile_lint.program.values import Instance, Text, Value
from torch_compile_lint.torchdb.db import LIBRARIES, library_break

# They run one after another what they are given as a list; True for those that are nn.Modules.
_COMPOSED = {
    "torchvision.transforms.Compose": False,
    "torchvision.transforms.transforms.Compose": False,
    "torchvision.transforms.v2.Compose": True,
    "torchvision.transforms.v2._container.Compose": True,
}
_BY_NAME = ("timm.create_model", "timm.models.create_model", "timm.models._factory.create_model")
_LOADERS = (".from_pretrained", ".from_config", "._from_config")


def made(symbol: str, args: tuple[Value, ...]) -> Value | None:
    """The instance that a call gives; None where nothing is known."""
    if symbol.partition(".")[0] not in LIBRARIES:
        return None
    if symbol in _COMPOSED:
        return Value((Instance(symbol, _COMPOSED[symbol], args[0] if args else None),))
    if symbol in _BY_NAME:
        held = args[0].atoms if args else ()
        if len(held) != 1 or type(held[0]) is not Text or held[0].const is None:
            return None
        symbol = "timm.models." + held[0].const.partition(".")[0]
    elif symbol.endswith(_LOADERS):
        symbol = symbol.rpartition(".")[0]
    found = library_break(symbol)
    return None if found is None or found.kind == "function" else Value((Instance(symbol, True),))
