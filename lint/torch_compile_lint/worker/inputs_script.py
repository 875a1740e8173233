"""Run a script that the tool sliced out of the project; it leaves ``fn``, ``args`` and ``kwargs`` behind."""

from __future__ import annotations

import builtins
from typing import Any, Iterator

from . import loading, marks, protocol
from .target import Target, repeat


def targets(module: Any, step: dict[str, Any], times: int) -> Iterator[Target]:
    """One target: the call that stands in the project."""
    owner = module
    if step["file"] != getattr(module, "__file__", None):
        try:
            owner = loading.load_file(step["file"], [])
        except BaseException:
            owner = module  # a test that needs its runner: the slice imports what it needs
    space: dict[str, Any] = {"__builtins__": builtins, "__name__": "tclint_script", "__file__": step["file"]}
    space.update({key: item for key, item in vars(module).items() if not key.startswith("__")})
    space.update({key: item for key, item in vars(owner).items() if not key.startswith("__")})
    with marks.noted():
        exec(compile(step["source"], "%s (sliced)" % step["file"], "exec"), space)
    fn, args, kwargs = space["fn"], tuple(space["args"]), dict(space["kwargs"])
    source = "call at %s:%d" % (step["file"], step["line"])
    for name, prepare in (("", None), ("train", "train"), ("eval", "eval")):
        if prepare is not None:
            if not hasattr(fn, prepare) or fn.training == (prepare == "train"):
                continue
            getattr(fn, prepare)()
        target = Target(fn, repeat(args, kwargs, times), name=name, evidence=protocol.CALL, source=source)
        yield target
