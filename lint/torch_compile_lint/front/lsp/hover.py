"""What the editor shows beside the pointer: the finding in full, then the page of its rule."""

from __future__ import annotations

from pathlib import Path

from torch_compile_lint import registry
from torch_compile_lint.front.lsp.diagnostics import Shown, verdict_text
from torch_compile_lint.report.text import effect_text, path_text


def markdown(shown: Shown, plugins: tuple[str, ...]) -> str:
    """One finding: what, why the value is a tensor, how the code is reached, what it costs, what to do."""
    finding = shown.finding
    lines = [f"**{finding.code}** `{finding.name}` [{finding.confidence.label}]", "", finding.message]
    if shown.kind != "finding":
        return "\n".join(lines)
    if finding.verdict is not None:
        lines += ["", f"**{verdict_text(finding.verdict)}**"]
    if finding.why:
        lines += ["", "Why:", "", *(f"- {reason}" for reason in finding.why)]
    if finding.witness:
        lines += ["", f"Reached: {path_text(finding)}"]
    lines += ["", f"Effect: {effect_text(finding)}."]
    if finding.fix is not None:
        lines += ["", f"Fix: {finding.fix.title} ({finding.fix.safety.value})"]
    if finding.remedy:
        lines += ["", f"Instead: {finding.remedy}"]
    if finding.gb:
        lines += ["", f"PyTorch's ids: {', '.join(finding.gb)}"]
    page = page_text(finding.code, plugins)
    if page:
        lines += ["", "---", "", page]
    return "\n".join(lines)


def page_path(code: str, plugins: tuple[str, ...]) -> Path | None:
    """The file of a rule's page."""
    found = registry.find(code, plugins)
    if found is None:
        return None
    path = Path(found.meta.folder) / "rule.md"
    return path if path.is_file() else None


def page_text(code: str, plugins: tuple[str, ...]) -> str:
    """The rule's page; '' where there is none."""
    path = page_path(code, plugins)
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
