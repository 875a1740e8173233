"""All probes of one file: import it, then run each probe in a child of its own, skipping what is already
decided.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Set, Tuple

from . import ladder, loading, protocol, sandbox
from .observe import seed_everything

Emit = Callable[[Dict[str, Any]], None]
Wanted = Set[Tuple[str, int]]


def run_batch(message: dict[str, Any], emit: Emit) -> None:
    """Emit one ``{"probe": id, "result": ...}`` for each probe of the batch, whatever happens."""
    setup = message["setup"]
    emit({"now": "import"})
    problem = device_problem(setup.get("device", "cpu"))
    module = None
    if problem is None:
        try:
            seed_everything()
            module = loading.load_file(setup["file"], setup.get("search", []))
        except BaseException as error:  # SystemExit of a script without a main guard included
            problem = protocol.could_not_run("import", "import", loading.last_line(error))
    reached: Wanted = set()
    for request in message["probes"]:
        if problem is not None:
            emit({"probe": request["id"], "result": problem})
            continue
        wanted = {(path, line) for path, line in request.get("wanted", [])}
        if wanted and wanted <= reached and not request.get("always"):
            skipped = {
                "outcome": protocol.RAN,
                "skipped": True,
                "variants": [],
                "stage": "",
                "reason": "",
                "error": "",
            }
            emit({"probe": request["id"], "result": skipped})
            continue
        emit({"now": request.get("title", "")})
        result = _run_probe(module, setup, request, wanted - reached)
        for variant in result["variants"]:
            reached |= {(path, line) for path, lines in variant["lines"].items() for line in lines}
        emit({"probe": request["id"], "result": result})


def device_problem(device: str) -> Any:
    """A result that says in one line why the device cannot be used, or None."""
    if device == "cpu":
        return None
    import torch

    if not device.startswith("cuda"):
        return protocol.could_not_run("device", "device", f"unknown device {device!r}: cpu or cuda")
    if torch.version.cuda is None:
        return protocol.could_not_run("device", "no CUDA", "this torch was built without CUDA")
    try:
        count = torch.cuda.device_count()
    except Exception as error:
        return protocol.could_not_run("device", "no CUDA", loading.last_line(error))
    return None if count else protocol.could_not_run("device", "no CUDA", "no CUDA device was found")


def _run_probe(module: Any, setup: dict[str, Any], request: dict[str, Any], wanted: Wanted) -> dict[str, Any]:
    """The result of one probe; once more without memory for values where it did not fit."""
    result = _sandboxed(module, setup, request, wanted)
    if ladder.ran_out_of_memory(result) and not request.get("fake"):
        again = _sandboxed(module, setup, dict(request, fake=True), wanted)
        if again["outcome"] == protocol.RAN:
            return again
    return result


def _sandboxed(module: Any, setup: dict[str, Any], request: dict[str, Any], wanted: Wanted) -> dict[str, Any]:
    cpu = setup.get("device", "cpu") == "cpu"
    limits = sandbox.Limits(request["timeout"], int(setup["memory"]), address_space=cpu)
    if setup.get("backend") == "inductor":
        limits.file_bytes = 1 << 30  # its compiler writes larger files than a probe may print
    if not sandbox.can_fork():
        return _probe_here(module, setup, request, wanted, limits, lambda message: None)
    outcome = sandbox.run(
        lambda emit: emit({"result": _probe_here(module, setup, request, wanted, limits, emit)}), limits
    )
    for message in outcome.messages:
        if "result" in message:
            return dict(message["result"], seconds=round(outcome.seconds, 3))
    stage = next((item["now"] for item in reversed(outcome.messages) if "now" in item), "building inputs")
    raised = next((str(item["raised"]) for item in outcome.messages if "raised" in item), "")
    variants = [item["variant"] for item in outcome.messages if "variant" in item]
    result = protocol.could_not_run(stage, outcome.reason or "crash", raised or outcome.detail)
    if variants:  # what was seen before the end still counts
        result.update(outcome=protocol.RAN, variants=variants)
    return dict(result, seconds=round(outcome.seconds, 3))


def _probe_here(
    module: Any,
    setup: dict[str, Any],
    request: dict[str, Any],
    wanted: Wanted,
    limits: sandbox.Limits,
    emit: Emit,
) -> dict[str, Any]:
    """The result of one probe, and the user's files it rests on."""
    result = ladder.climb(module, setup, request, wanted, limits, emit)
    return dict(result, loaded=loading.loaded_files(setup.get("rests_on", [])))
