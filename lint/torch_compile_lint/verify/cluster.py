"""Probes on a dask.distributed cluster: the same plain requests and results, sent to workers elsewhere.

Each batch is one task that runs a local worker process on the cluster's machine. Tasks of a machine that
dies are run again by the scheduler; a batch that kills its machine every time becomes could-not-run. Needs
the extra ``dask``; the cluster's machines need this package and torch, and see the same files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.records import dataclass
from torch_compile_lint.verify.workers import Batch, LocalWorkers, OnResult, Options, WorkerProblem
from torch_compile_lint.worker import protocol

_RETRIES = 2


@dataclass(slots=True)
class ClusterWorkers:
    """Runs batches through a dask client, in any order, every probe answered once."""

    client: Any
    options: Options

    def run(self, batches: Sequence[Batch], on_result: OnResult) -> None:
        """Submit all, pass on results as batches end; on interruption cancel the rest."""
        from distributed import as_completed  # type: ignore[import-not-found,unused-ignore]

        numbers: dict[str, int] = {}
        futures = []
        for number, batch in enumerate(batches):
            future = self.client.submit(
                run_batch, batch.setup, list(batch.probes), self.options, pure=False, retries=_RETRIES
            )
            numbers[future.key] = number
            futures.append(future)
        try:
            for future in as_completed(futures):  # type: ignore[no-untyped-call,unused-ignore]
                number = numbers[future.key]
                for probe, result in _results(future, batches[number]):
                    on_result(number, probe, result)
        except BaseException:
            self.client.cancel(futures)
            raise


def _results(future: Any, batch: Batch) -> list[tuple[int, dict[str, Any]]]:
    if future.status == "finished":
        return [(int(probe), result) for probe, result in future.result()]
    reason = f"{type(future.exception()).__name__}: {str(future.exception()).splitlines()[0][:200]}"
    failed = protocol.could_not_run("cluster", "crash", reason)
    return [(probe["id"], failed) for probe in batch.probes]


def run_batch(
    setup: dict[str, Any], probes: list[dict[str, Any]], options: Options
) -> list[tuple[int, dict[str, Any]]]:
    """On the cluster: one local worker process for one batch."""
    found: list[tuple[int, dict[str, Any]]] = []
    try:
        LocalWorkers(options).run(
            [Batch(setup, tuple(probes))], lambda _, probe, result: found.append((probe, result))
        )
    except WorkerProblem as problem:
        return [(probe["id"], protocol.could_not_run("worker", "worker", str(problem))) for probe in probes]
    return found


def connect(url: str, options: Options) -> ClusterWorkers:
    """A client for ``dask://HOST:PORT``."""
    scheme, _, address = url.partition("://")
    if scheme != "dask" or not address or ":" not in address:
        raise ConfigError(f"--executor must be dask://HOST:PORT, not `{url}`")
    try:
        from distributed import Client
    except ImportError:
        raise ConfigError("--executor dask://… needs dask: pip install 'torch-compile-lint[dask]'") from None
    try:
        client = Client(f"tcp://{address}", timeout="10s")  # type: ignore[no-untyped-call,unused-ignore]
    except (OSError, TimeoutError) as problem:
        raise ConfigError(
            f"--executor {url}: no scheduler answers there ({type(problem).__name__})"
        ) from None
    return ClusterWorkers(client, options)
