"""The dask executor against a real LocalCluster, with a worker killed midway: nothing is lost."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.verify.run import installed_torch
from torch_compile_lint.verify.workers import Batch, Options

distributed = pytest.importorskip("distributed", reason="needs the extra dask")
PYTHON = os.environ.get("TCLINT_TORCH_PYTHON", sys.executable)
pytestmark = pytest.mark.skipif(not installed_torch(PYTHON), reason="needs torch")

NET = """
import torch

def first():
    def f(x):
        print("hi")
        return x + 1
    return f, (torch.ones(2),)
"""


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    from torch_compile_lint.verify.cluster import connect

    path = tmp_path / "net.py"
    path.write_text(NET)
    setup = {"file": str(path), "search": [], "watch": [str(path)], "memory": 4 << 30, "device": "cpu"}
    probe = {
        "id": 0,
        "title": "f",
        "timeout": 120,
        "calls": 3,
        "steps": [{"how": "factory", "function": "first"}],
    }
    batches = [Batch({**setup, "backend": "eager"}, (probe,)) for _ in range(4)]
    found: dict[int, dict[str, Any]] = {}
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    try:
        executor = connect(cluster.scheduler_address.replace("tcp://", "dask://"), Options(PYTHON))
        pids = executor.client.run(os.getpid)
        victim = next(iter(pids.values()))

        def kill() -> None:
            time.sleep(4)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        executor.run(batches, lambda number, _, result: found.update({number: result}))
        killer.join()
    finally:
        cluster.close()
    assert sorted(found) == [0, 1, 2, 3]
    for result in found.values():
        (variant,) = result["variants"]
        assert [(event["kind"], event["line"]) for event in variant["events"]] == [("break", 6)]
