"""mkdocs hook: the pages that are made, not written, so that none can drift from what it describes.

The reference of options comes from the option tables of the command line, that of rules from
their folders, the interface from ``docs/INTERFACE.md``, the pictures from measured data. A further
``docs/*.md`` becomes a page of its own under How to.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
FAMILIES = {
    "1": "Control flow on tensor values",
    "2": "Values and shapes that depend on data",
    "3": "Python that Dynamo cannot trace",
    "4": "Side effects and I/O",
    "5": "Library calls",
    "6": "Autograd and module mutation",
    "7": "Recompilation",
    "8": "Silently wrong results",
    "9": "The compile call and the script around it",
}

COPIED = ("report.schema.json", "ci/action.yml", "ci/gitlab.yml")
LINKS = {
    **{name: f"../files/{Path(name).name}" for name in COPIED},
    "INTERFACE.md": "../reference/interface.md",
    "../README.md": "../index.md",
    "../rules/torch_compile_lint_rules/README.md": "../reference/rules.md",
}


# ---------------------------------------------------------------- what is made


def made() -> dict[str, str]:
    """Every made page by its place in the site."""
    pages = {
        "reference/options.md": options_page(),
        "reference/interface.md": _interface(),
        "reference/rules.md": rules_index(),
    }
    for rule in rules():
        pages[f"reference/rules/{rule_file(rule)}"] = rule_page(rule)
    for path in further():
        pages[f"how-to/{path.stem.lower()}.md"] = _moved(path.read_text(encoding="utf-8"))
    for name in COPIED:
        pages[f"files/{Path(name).name}"] = (DOCS / name).read_text(encoding="utf-8")
    return pages


def _moved(text: str) -> str:
    """The text of a ``docs/*.md`` with its links as they are from the folder of how-tos."""
    for target, there in LINKS.items():
        text = text.replace(f"]({target})", f"]({there})")
    return text


def further() -> list[Path]:
    """Pages beside this file that have no place of their own."""
    return sorted(p for p in DOCS.glob("*.md") if p.name not in ("INTERFACE.md", "README.md"))


def _make_importable() -> None:
    """The tool of this checkout, installed or not (mkdocs takes back what a hook did to the path)."""
    for folder in (ROOT / "rules", ROOT / "lint"):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))


def rules() -> list[Any]:
    """The built-in rules, in the order of their codes."""
    _make_importable()
    from torch_compile_lint import registry

    return sorted(registry.load(extend_select=("ALL",)), key=lambda r: str(r.meta.code))


def rule_file(rule: Any) -> str:
    """'tcd101-tensor-branch.md'."""
    return f"{rule.meta.code.lower()}-{rule.meta.name}.md"


def rule_page(rule: Any) -> str:
    """A rule's own page, with its links to its neighbours made to fit."""
    text = (Path(rule.meta.folder) / "rule.md").read_text(encoding="utf-8")
    known = {Path(r.meta.folder).name: rule_file(r) for r in rules()}
    return re.sub(
        r"\]\((?:\.\./)?(tcd\d{3}_\w+)/rule\.md", lambda m: f"]({known.get(m.group(1), m.group(1))}", text
    )


def rules_index() -> str:
    """The list of rules by family."""
    lines = [
        "# Rules",
        "",
        f"{len(rules())} rules. Each page says what is found, why `torch.compile` cares,",
        "what to write instead, and what each release of torch was measured to do.",
        "",
    ]
    for digit, title in FAMILIES.items():
        family = [r for r in rules() if r.meta.code[3] == digit]
        if not family:
            continue
        lines += [f"## {title} (TCD{digit}xx)", "", "| code | name | finds | fix |", "|---|---|---|---|"]
        for rule in family:
            meta = rule.meta
            fix = "" if meta.fix in ("none", "", None) else str(getattr(meta.fix, "value", meta.fix))
            lines.append(f"| {meta.code} | [{meta.name}](rules/{rule_file(rule)}) | {meta.summary} | {fix} |")
        lines.append("")
    return "\n".join(lines)


def options_page() -> str:
    """Keys of the configuration file, then the options of each command, from the parsers themselves."""
    _make_importable()
    from torch_compile_lint import config
    from torch_compile_lint.front import config_pages, options

    described = {option.key: option for option in config_pages.OPTIONS}
    missing = set(config.KEYS) - set(described)
    if missing:
        raise ValueError(f"config_pages.OPTIONS says nothing of {sorted(missing)}")
    lines = [
        "# Options",
        "",
        "## Configuration file",
        "",
        "`[tool.tclint]` in pyproject.toml, or `tclint.toml`: the nearest above the files that are checked.",
        "Where `[tool.tclint]` belongs to the Tcl linter, `[tool.torch-compile-lint]` wins.",
        "`tclint config` prints every key with its value and where it was set.",
        "",
        "| key | value | meaning | on the command line |",
        "|---|---|---|---|",
    ]
    for option in config_pages.OPTIONS:
        flag = f"`{option.flag}`" if option.flag else ""
        lines.append(f"| `{option.key}` | {option.kind} | {_cell(option.text)} | {flag} |")
    lines += ["", "## tclint check", "", *_parser(options.check_parser())]
    return "\n".join(lines) + "\n"


def _parser(parser: Any) -> list[str]:
    lines: list[str] = []
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if a.help != "==SUPPRESS=="]
        if not actions:
            continue
        title = {"positional arguments": "paths", "options": "general"}.get(group.title, group.title)
        lines += [f"### {title[0].upper()}{title[1:]}", "", "| option | meaning |", "|---|---|"]
        for action in actions:
            names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{action.metavar}`"
            metavar = f" `{action.metavar}`" if action.option_strings and action.metavar else ""
            lines.append(f"| {names}{metavar} | {_cell((action.help or '').replace('%%', '%'))} |")
        lines.append("")
    return lines


def _interface() -> str:
    text = (
        (DOCS / "INTERFACE.md")
        .read_text(encoding="utf-8")
        .replace("](report.schema.json)", "](../files/report.schema.json)")
    )
    return re.sub(r"^# .*$", "# Interface", text, count=1, flags=re.M)


def _cell(text: str) -> str:
    """A text as it is, in a cell of a table."""
    for sign, entity in (("|", "&#124;"), ("*", "&#42;"), ("{", "&#123;"), ("_", "&#95;")):
        text = text.replace(sign, entity) if "`" not in text else text.replace("|", "\\|")
    return " ".join(text.split())


# ---------------------------------------------------------------- mkdocs


def on_config(config: Any) -> Any:
    """Hang the made pages into the navigation."""
    for entry in config.nav:
        if isinstance(entry, dict) and "Reference" in entry:
            entry["Reference"] += [
                {
                    title: [
                        {f"{r.meta.code} {r.meta.name}": f"reference/rules/{rule_file(r)}"}
                        for r in rules()
                        if r.meta.code[3] == digit
                    ]
                }
                for digit, title in FAMILIES.items()
                if any(r.meta.code[3] == digit for r in rules())
            ]
        if isinstance(entry, dict) and "How to" in entry:
            entry["How to"] += [f"how-to/{path.stem.lower()}.md" for path in further()]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the made pages."""
    from mkdocs.structure.files import File

    for name, text in made().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the measured pictures in their places."""
    figures = _figures()
    return re.sub(r"<!-- figure: (\w+) -->", lambda m: str(figures[m.group(1)]()), markdown)


def _figures() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("tclint_figures", DOCS / "figures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Any] = module.FIGURES
    return found
