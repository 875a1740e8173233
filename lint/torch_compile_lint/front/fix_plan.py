"""`--fix --plan`: what is left, by what it costs, and the fewest changes that give one graph.

Grouped by compile root. Places are statements: one change mends all that one statement does.
"""

from __future__ import annotations

from torch_compile_lint.model import Effect, Finding, Report

#: What keeps a frame from being one graph.
SPLITTING = (Effect.ERROR, Effect.SKIP, Effect.BREAK)
_WHY = {
    Effect.ERROR: "raises",
    Effect.WRONG: "silently wrong",
    Effect.SKIP: "the whole frame runs eagerly",
    Effect.BREAK: "graph break",
    Effect.RECOMPILE: "recompiles",
    Effect.SLOW: "slow",
    Effect.MISUSE: "misuse",
}


def text(report: Report) -> str:
    """The plan, one block for each root, the one with most to do first."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in report.findings:
        if not finding.suppressed:
            groups.setdefault(_root(finding), []).append(finding)
    if not groups:
        return "nothing left to do\n"
    out = []
    for (path, function), findings in sorted(groups.items(), key=lambda g: (-_changes(g[1]), g[0])):
        changes = _changes(findings)
        head = f"{path}: {function or 'module level'}: "
        many = "1 change gives" if changes == 1 else f"{changes} changes give"
        head += f"{many} one graph" if changes else "one graph already"
        out.append(head)
        for number, place in enumerate(_places(findings), 1):
            out += _rows(number, place)
        out.append("")
    return "\n".join(out)


def _root(finding: Finding) -> tuple[str, str]:
    if finding.witness:
        return finding.witness[0].path, finding.witness[0].function
    return finding.path, finding.function


def _changes(findings: list[Finding]) -> int:
    return len({(f.path, f.line) for f in findings if f.effect in SPLITTING})


def cost(finding: Finding) -> tuple[int, int, int]:
    """Smaller is dearer: the effect, then loops around it, then how many frames it breaks."""
    return finding.effect.rank, -finding.position.count("loop"), -len(finding.witness)


def _places(findings: list[Finding]) -> list[list[Finding]]:
    places: dict[tuple[str, int], list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: (*cost(f), f.path, f.line, f.column)):
        places.setdefault((finding.path, finding.line), []).append(finding)
    return list(places.values())


def _rows(number: int, place: list[Finding]) -> list[str]:
    first = place[0]
    what = _WHY[first.effect]
    if len(first.witness) > 1 and first.effect in SPLITTING:
        what += f", in {len(first.witness)} frames"
    if "loop" in first.position:
        what += ", in a loop"
    rows = [f"  {number}. {first.path}:{first.line}: {what}: {', '.join(f.code for f in place)}"]
    for finding in place:
        if finding.fix is not None:
            rows.append(f"     {finding.fix.title} ({finding.fix.safety.value})")
        elif finding.remedy:
            rows.append(f"     {finding.remedy}")
    if first.effect in SPLITTING and all(f.fix is None for f in place) and len(first.witness) > 1:
        rows.append(
            f"     last resort: `@torch.compiler.disable` on `{first.function}`: a break at each call of it, "
            "and all in it runs eagerly; the frames around it are compiled"
        )
    return rows
