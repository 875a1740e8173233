"""What of torch.compile can be set by name in the installed torch; standard library and torch only.

Writes ``torchdb/settings/<release>.json``: the names that torch._dynamo.config and
torch._inductor.config have, the keys ``options=`` takes, the modes, the parameters and the
backends. ``tclint dev sync-torch`` runs it with the rest; alone, under a torch of any release:

    python lint/torch_compile_lint/worker/sync_settings.py lint/torch_compile_lint/torchdb
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any


def config_names(module: Any) -> list[str]:
    """Every name that may be read or set on a config module, dotted for nested ones."""
    names: set[str] = set()
    for source in ("_config", "_default", "_allowed_keys"):
        held = getattr(module, source, None)
        if held:
            names.update(held)
    names.update(n for n in dir(module) if not n.startswith("_"))
    return sorted(n for n in names if not n.startswith("_"))


def option_types(module: Any) -> dict[str, str]:
    """option key -> the type its value must have, as ``options=`` checks it; '' for any."""
    known = module.get_config_copy() if hasattr(module, "get_config_copy") else module.shallow_copy_dict()
    types: dict[str, str] = {}
    for name, value in known.items():
        kind = type(value).__name__
        # Where the setting has a declared type, any of a union is accepted.
        types[name] = kind if kind in ("bool", "int", "float", "str") else ""
    typed = getattr(module, "get_type", None)
    if typed is not None:
        for name in types:
            try:
                declared = typed(name)
            except Exception:
                continue
            if declared not in (bool, int, float, str):
                types[name] = ""
    return types


def modes() -> list[str]:
    """The names ``mode=`` accepts."""
    inductor: Any = importlib.import_module("torch._inductor")
    return sorted(inductor.list_mode_options())


def settings() -> dict[str, Any]:
    """The whole table."""
    torch: Any = importlib.import_module("torch")
    dynamo: Any = importlib.import_module("torch._dynamo")
    dynamo_config = importlib.import_module("torch._dynamo.config")
    inductor_config = importlib.import_module("torch._inductor.config")
    return {
        "torch._dynamo.config": config_names(dynamo_config),
        "torch._inductor.config": config_names(inductor_config),
        "options": option_types(inductor_config),
        "modes": modes(),
        "parameters": sorted(inspect.signature(torch.compile).parameters),
        "backends": sorted(dynamo.list_backends(exclude_tags=())),
    }


def write(folder: str | Path) -> Path:
    """One file per release, one line per name."""
    torch: Any = importlib.import_module("torch")
    path: Path = Path(folder) / "settings" / (torch.__version__.split("+")[0] + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings(), indent=0, sort_keys=True) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write(sys.argv[1]))
