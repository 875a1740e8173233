"""The advice given on the web, tried: what each switch does to this very model, "no effect" included."""

from __future__ import annotations

from collections.abc import Callable

from torch_compile_lint.doctor.measured import Measured, Message
from torch_compile_lint.records import dataclass, field

Step = Callable[..., Message]


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch people are told to use, and the words in a break's text that make it worth a try."""

    name: str
    code: str
    words: tuple[str, ...]
    message: Message = field(default_factory=dict)


SWITCHES = (
    Switch(
        "capture_scalar_outputs",
        "torch._dynamo.config.capture_scalar_outputs = True",
        ("item", "scalar", "data dependent", "data-dependent", "dynamic control flow", "int(", "float("),
        {"switches": {"capture_scalar_outputs": True}},
    ),
    Switch(
        "capture_dynamic_output_shape_ops",
        "torch._dynamo.config.capture_dynamic_output_shape_ops = True",
        ("dynamic shape", "dynamic output", "nonzero", "data dependent", "data-dependent"),
        {"switches": {"capture_dynamic_output_shape_ops": True}},
    ),
    Switch(
        "allow_rnn",
        "torch._dynamo.config.allow_rnn = True",
        ("rnn", "lstm", "gru"),
        {"switches": {"allow_rnn": True}},
    ),
    Switch(
        "reorderable_logging_functions",
        "torch._dynamo.config.reorderable_logging_functions.add(print)",
        ("print", "logging", "logger", "warn"),
        {"switches": {"reorderable_logging_functions": "print"}},
    ),
    Switch("dynamic=True", "torch.compile(model, dynamic=True)", (), {"dynamic": True}),
)


def tried(found: Measured, step: Step, left: Callable[[], float]) -> list[Message]:
    """Every piece of advice that could concern this model, with its effect."""
    rows: list[Message] = []
    before = found.observed
    if before is None or "events" not in before:
        return rows
    rows += _explain(before)
    losses = found.events("break", "skip", "error")
    again = found.events("recompile")
    if not losses and not again:
        return rows
    if left() > 3:
        strict = step("observe", fullgraph=True, calls=1)
        said = strict.get("failed") or "no error: it is captured whole"
        rows.append(
            {"name": "fullgraph=True", "code": "torch.compile(model, fullgraph=True)", "effect": said}
        )
    texts = " ".join(str(e.get("detail", "")) + str(e.get("text", "")) for e in losses).lower()
    for switch in SWITCHES:
        wanted = any(word in texts for word in switch.words) if switch.words else True
        if not wanted or left() < 3:
            continue
        after = step("observe", calls=before.get("calls", 4), **switch.message)
        rows.append({"name": switch.name, "code": switch.code, "effect": _effect(before, after)})
    return rows


def _explain(before: Message) -> list[Message]:
    said = before.get("explain")
    if not said:
        return []
    if said.get("failed"):
        text = f"raises: {said['failed']}"
    else:
        ours = sum(1 for e in before["events"] if e["kind"] in ("break", "skip") and e["call"] == 0)
        text = f"{said['graphs']} graphs, {said['breaks']} breaks; seen here in the first call: {ours}"
        if said["breaks"] != ours:
            text += " (explain() counts graphs less one, and does not see skipped frames)"
    return [{"name": "torch._dynamo.explain", "code": "torch._dynamo.explain(model)(...)", "effect": text}]


def _effect(before: Message, after: Message) -> str:
    if after.get("failed") and "events" not in after:
        return f"could not be tried: {after['failed']}"
    counts = []
    for name, kinds in (
        ("breaks", ("break", "skip")),
        ("recompiles", ("recompile",)),
        ("errors", ("error",)),
    ):
        was, now = (sum(e["kind"] in kinds for e in one["events"]) for one in (before, after))
        if was or now:
            counts.append(f"{name} {was} -> {now}" if was != now else f"{name} {was}, as before")
    if after.get("failed"):
        counts.append(f"and it raises: {after['failed']}")
    changed = any("->" in text for text in counts) or bool(after.get("failed"))
    return ("" if changed else "no effect: ") + ", ".join(counts)
