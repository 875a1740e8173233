"""Messages between the tool and a worker: one JSON object a line, in both directions.

Tool to worker: ``batch`` (a file and the probes in it), ``quit``. Worker to tool: ``hello``, ``result``
(one a probe, as soon as it is known), ``done``, ``fatal``. Python 3.8 and the standard library only; no
torch.
"""

from __future__ import annotations

import json
from typing import Any, Dict

VERSION = 1

# How the inputs of a probe came about, strongest first (model.Verdict.evidence).
CALL = "call"  # a call that stands in the project
EXAMPLE = "example"  # a factory, or what the module itself offers
SYNTHESIZED = "synthesized"  # found from signatures, layers and exceptions
ISOLATED = "isolated"  # the flagged function alone, with made-up values

RAN = "ran"
COULD_NOT_RUN = "could-not-run"

# Kinds of events in a result.
BREAK = "break"
SKIP = "skip"
RECOMPILE = "recompile"
ERROR = "error"
WRONG = "wrong"

Message = Dict[str, Any]


def encode(message: Message) -> bytes:
    """The line to send. Text that is no valid unicode survives as replacement characters."""
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=True, default=str)
    return text.encode("ascii", "replace") + b"\n"


def decode(line: bytes) -> Message | None:
    """The message in a line, or None where the line is none (a library that prints to our pipe)."""
    try:
        value = json.loads(line.decode("ascii", "replace"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def could_not_run(stage: str, reason: str, error: str = "") -> Message:
    """The result of a probe that told us nothing; ``error`` is the last line of what went wrong."""
    return {"outcome": COULD_NOT_RUN, "stage": stage, "reason": reason, "error": error, "variants": []}


def batch(number: int, setup: Message, probes: list[Message]) -> Message:
    """One file and the probes to run in it, in order."""
    return {"op": "batch", "batch": number, "setup": setup, "probes": probes}
