"""Threads, locks, queues, executors, processes: calls, and `with lock:`."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Instance, Rule, ir

CALLS = {
    "threading.Thread": "thread",
    "threading.Timer": "thread",
    "threading.current_thread": "current",
    "threading.get_ident": "current",
    "threading.main_thread": "current",
    "threading.Lock": "acquire",
    "threading.RLock": "acquire",
    "threading.Condition": "acquire",
    "threading.Event": "acquire",
    "threading.Semaphore": "acquire",
    "concurrent.futures.ThreadPoolExecutor": "executor",
    "concurrent.futures.thread.ThreadPoolExecutor": "executor",
    "concurrent.futures.ProcessPoolExecutor": "executor",
    "multiprocessing.Pool": "process",
    "multiprocessing.Process": "process",
    "multiprocessing.cpu_count": "process",
    "multiprocessing.current_process": "process",
    "os.cpu_count": "process",
    "os.fork": "process",
}
LOCKS = ("threading.Lock", "threading.RLock", "threading.Condition", "threading.Semaphore", "_thread.lock")
METHODS = {
    **{f"{lock}.{name}": "acquire" for lock in LOCKS for name in ("acquire", "release", "notify", "wait")},
    **{
        f"queue.{kind}.{name}": "queue"
        for kind in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")
        for name in ("put", "get", "put_nowait", "get_nowait")
    },
}


def check(node: ir.Call | ir.WithItem, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.WithItem):
        atoms = view.value(node.context).atoms
        if any(isinstance(atom, Instance) and atom.symbol in LOCKS for atom in atoms):
            text = view.text(node.context)
            yield Hit(node.context, "lock", {"value": text, "call": text}, node.context)
        return
    for symbol in view.callees(node):
        form = CALLS.get(symbol) or METHODS.get(symbol)
        if form is not None:
            yield Hit(node, form, {"call": view.text(node), "value": view.text(node.func)})
            return


def _enters(node: ir.Call | ir.WithItem) -> bool:
    return isinstance(node, ir.WithItem)


RULE = Rule(on=(ir.Call, ir.WithItem), check=check, callees=(*CALLS, *METHODS), where=_enters)
