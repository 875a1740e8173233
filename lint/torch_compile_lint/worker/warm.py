"""Import torch and all that compiling a frame imports, once, before anything is forked."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from typing import Any


def up() -> dict[str, Any]:
    """Torch's version and what it can use. One small frame is compiled: children find all of it imported."""
    warnings.simplefilter("ignore")
    import torch
    import torch._dynamo

    _spare_work(torch)
    torch.set_num_threads(1)  # a forked child of a process with OpenMP threads can hang
    problem = ""
    try:
        backend = os.environ.get("TCLINT_BACKEND", "eager")
        if backend != "eager":
            torch._dynamo.list_backends()
        if backend == "inductor":
            import torch._inductor.config as inductor

            if hasattr(inductor, "cpp_cache_precompile_headers"):
                inductor.cpp_cache_precompile_headers = False  # pays only for many kernels
        compiled = torch.compile(_sample, backend="eager")
        compiled(torch.ones(2, 3))
        compiled(torch.ones(3, 3))
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
    except Exception as error:
        problem = f"{type(error).__name__}: {str(error)[:300]}"
    return {
        "torch": str(torch.__version__).split("+")[0],
        "python": "%d.%d.%d" % sys.version_info[:3],
        "cuda": _cuda(),
        "problem": problem,
    }


# Libraries that take seconds to import, and what of them a file that uses them needs at once.
SLOW_IMPORTS = {
    "numpy": (),
    "scipy": (),
    "einops": (),
    "torchvision": ("torchvision.models",),
    "timm": ("timm.models",),
    "transformers": ("transformers.modeling_utils", "transformers.generation.utils"),
    "diffusers": ("diffusers.models.modeling_utils",),
}


def preload(names: list[str], path: str) -> None:
    """Import slow libraries that the file at ``path`` uses, once for all files of this worker.

    A library of which the file itself is a part is imported only where it is this very copy.
    """
    from . import loading

    own = loading.module_name(path)[0].split(".")[0]
    for name in [*names, own]:
        if name not in SLOW_IMPORTS or name in sys.modules:
            continue
        try:
            spec = importlib.util.find_spec(name)
            if spec is None or not spec.origin:
                continue
            home = os.path.dirname(os.path.realpath(spec.origin)) + os.sep
            if name == own and not os.path.realpath(path).startswith(home):
                continue
            for part in (name, *SLOW_IMPORTS[name]):
                importlib.import_module(part)
        except BaseException:  # the file will say what is wrong with it when it is its turn
            continue


def _spare_work(torch: Any) -> None:
    """Leave out what Dynamo does for its own statistics after each frame; it changes nothing it traces."""
    guards = getattr(torch._dynamo, "guards", None)
    if guards is not None and hasattr(guards, "profile_guard_manager"):
        guards.profile_guard_manager = lambda *args, **kwargs: 0.0
    if hasattr(torch._dynamo.config, "run_gc_after_compile"):
        torch._dynamo.config.run_gc_after_compile = False


def _cuda() -> str:
    """Empty where there is a CUDA device, else why not. NVML is asked: CUDA would not survive a fork."""
    import torch

    if torch.version.cuda is None:
        return "this torch was built without CUDA"
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    try:
        return "" if torch.cuda.is_available() else "no CUDA device was found"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"


def _sample(x: Any) -> Any:
    y = x.sin().sum(1) + 1
    if y.shape[0] > 2:
        y = y * 2
    return _inner(y) if y.sum() > 0 else y


def _inner(y: Any) -> Any:
    return y.cos() + 1
