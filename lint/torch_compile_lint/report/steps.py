"""The path from a compile root to a finding, one sentence a step."""

from __future__ import annotations

from torch_compile_lint.model import Finding, Hop


def steps(finding: Finding) -> list[tuple[Hop, str]]:
    """Each hop with what happens there; the finding itself is not among them."""
    out = []
    hops = finding.witness
    for number, hop in enumerate(hops):
        name = f"`{hop.function}`" if hop.function else "this file"
        if number == 0:
            out.append((hop, f"torch.compile starts at {name}"))
            continue
        following = hops[number + 1].function if number + 1 < len(hops) else finding.function
        called = f"`{following}`" if following else "what follows"
        out.append((hop, f"{name} calls {called}"))
    return out
