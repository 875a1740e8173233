"""All probes of one file: import it, then run each probe in a child of its own, skipping what is already
decided.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Set, Tuple

from . import build, loading, probe, protocol, sandbox
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
    cpu = setup.get("device", "cpu") == "cpu"
    limits = sandbox.Limits(request["timeout"], int(setup["memory"]), address_space=cpu)
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
    result = _ladder(module, setup, request, wanted, limits, emit)
    return dict(result, loaded=loading.loaded_files(setup.get("rests_on", [])))


def _ladder(
    module: Any,
    setup: dict[str, Any],
    request: dict[str, Any],
    wanted: Wanted,
    limits: sandbox.Limits,
    emit: Emit,
) -> dict[str, Any]:
    """Try each step of the ladder until one runs, then its variants until every wanted line was traced."""
    deadline = time.time() + request["timeout"] * 0.9
    setting = probe.Setting(
        setup.get("backend", "eager"), setup.get("device", "cpu"), setup.get("watch", []), limits
    )
    variants: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []
    rest = set(wanted)
    for step in request["steps"]:
        stage = "building inputs"
        emit({"now": stage})
        try:
            seed_everything()
            for target in build.targets(module, step, request):
                emit({"now": "calling %s" % (target.name or request.get("title", ""))})
                limits.seconds = max(1.0, deadline - time.time())
                variant = probe.run_variant(target, setting)
                failed = variant["eager_exceptions"] and all(variant["eager_exceptions"])
                if failed and "memory" in variant["eager_error"].lower():
                    failures.append(protocol.could_not_run("eager call", "memory", variant["eager_error"]))
                    continue
                if failed and step["how"] != "factory":
                    failures.append(
                        protocol.could_not_run("eager call", "inputs", str(variant["eager_exceptions"][0]))
                    )
                    continue
                variants.append(variant)
                emit({"variant": variant})
                rest -= {(path, line) for path, lines in variant["lines"].items() for line in lines}
                if (wanted and not rest and not request.get("all_variants")) or time.time() > deadline:
                    break
        except probe.PhaseFailed as error:
            failures.append(protocol.could_not_run(error.stage, error.reason, error.detail))
        except build.NoInputs as error:
            failures.append(protocol.could_not_run(error.stage, "inputs", str(error)))
        except Exception as error:
            failures.append(protocol.could_not_run(stage, step["how"], loading.last_line(error)))
        if variants and (not rest or not request.get("exhaust")):
            break
        if time.time() > deadline:
            break
    if variants:
        return {
            "outcome": protocol.RAN,
            "stage": "",
            "reason": "",
            "error": "",
            "variants": variants,
            "failures": failures,
        }
    if not failures:
        failures.append(
            protocol.could_not_run("building inputs", "inputs", "no way to make inputs was found")
        )
    return dict(failures[-1] if len(failures) == 1 else _most_telling(failures), failures=failures)


def _most_telling(failures: list[dict[str, Any]]) -> dict[str, Any]:
    """The failure to show: a crash or time-out before "no inputs", the strongest step before weaker ones."""
    for failure in failures:
        if failure["reason"] not in ("inputs", "none"):
            return failure
    return failures[0]
