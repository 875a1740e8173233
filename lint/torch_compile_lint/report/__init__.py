"""Reporters: each module here is one pure function from a ``Report`` to text.

``FORMATS`` is the table of them. A new format is one module with a ``render`` function and one
row here; nothing else has to know.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable

from torch_compile_lint.config import DEFAULT_PLUGINS
from torch_compile_lint.model import Report
from torch_compile_lint.records import dataclass

FORMATS = {
    "text": "torch_compile_lint.report.text",
    "concise": "torch_compile_lint.report.concise",
    "json": "torch_compile_lint.report.json",
    "sarif": "torch_compile_lint.report.sarif",
    "github": "torch_compile_lint.report.github",
    "gitlab": "torch_compile_lint.report.gitlab",
    "junit": "torch_compile_lint.report.junit",
    "html": "torch_compile_lint.report.check_html",
}
JSON = frozenset({"json", "sarif", "gitlab"})
MARKUP = frozenset({"junit", "html"})
_LONE = re.compile("[\ud800-\udfff]")
LISTS_RULES = frozenset({"sarif"})  # formats that describe the rules of all plugins


@dataclass(frozen=True, slots=True)
class Style:
    """What a reporter may know of the place its text goes to."""

    read: Callable[[str], str]  # text of a file by the path its findings carry, '' if gone
    width: int = 100
    color: bool = False
    links: bool = False  # the terminal turns OSC 8 sequences into links
    statistics: bool = False
    cwd: str = ""  # the folder that relative paths start from; '': where the process is
    plugins: tuple[str, ...] = DEFAULT_PLUGINS  # whose rules the findings come from


def render(report: Report, name: str, style: Style) -> str:
    """The report in one of ``FORMATS``, ending in a newline unless empty."""
    text: str = importlib.import_module(FORMATS[name]).render(report, style)
    # File names that are no text: machines get what Unicode allows, people the bytes themselves.
    if name in JSON and _LONE.search(text):
        return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _LONE.sub("\N{REPLACEMENT CHARACTER}", text) if name in MARKUP else text
