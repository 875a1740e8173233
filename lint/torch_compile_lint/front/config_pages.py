"""`tclint config` and `--show-settings`: every option, its value, its default, and where it was set."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from typing import Any

from torch_compile_lint import config
from torch_compile_lint.config import Config, ConfigError
from torch_compile_lint.model import Confidence
from torch_compile_lint.records import dataclass
from torch_compile_lint.report.paint import Paint


@dataclass(frozen=True, slots=True)
class Option:
    """What there is to know of one key, wherever it is set."""

    key: str
    kind: str  # what its value is, as TOML has it
    text: str
    flag: str = ""  # of `tclint check`; '' where only files set it


OPTIONS = (
    Option("select", "list of codes", "report only these: prefixes of codes, or rule names", "--select"),
    Option("ignore", "list of codes", "report all but these", "--ignore"),
    Option("extend-select", "list of codes", "report these as well: rules in preview", "--extend-select"),
    Option("per-file-ignores", "table", 'codes to ignore by file pattern, such as {"tests/*" = ["TCD4"]}'),
    Option("exclude", "list of patterns", "what is left out when folders are searched", "--exclude"),
    Option("extend-exclude", "list of patterns", "what is left out besides `exclude`", "--extend-exclude"),
    Option(
        "extend-include", "list of patterns", 'what is checked besides *.py and *.ipynb: ["*.md", "*.rst"]'
    ),
    Option("respect-gitignore", "true or false", "leave out what git ignores", "--no-respect-gitignore"),
    Option(
        "target-torch",
        "release",
        "torch to judge by; default: the installed one, read from its metadata, never imported",
        "--target-torch",
    ),
    Option(
        "roots",
        "modules, marked or all",
        "what counts as compiled: every forward of a module and what is marked; only marks; everything",
        "--roots",
    ),
    Option("min-confidence", "proved, likely or possible", "how sure a finding must be", "--min-confidence"),
    Option("plugins", "list of packages", "packages that hold rules"),
    Option("python", "path", "the interpreter that has the project's packages; it is not run"),
    Option("cache-dir", "path", "where the cache lies"),
    Option("cache", "true or false", "whether a cache is read and written", "--no-cache"),
    Option("jobs", "number", "processes to use; 0 is one per core", "--jobs"),
)


def run(arguments: list[str]) -> int:
    """`tclint config [PATH ...] [options of check] [--format text|json]`."""
    from torch_compile_lint.front import cli, options, terminal

    parser = options.check_parser()
    parser.prog = "tclint config"
    parser.usage = "tclint config [PATH ...] [--format text|json] [options of check]"
    parser.description = "List every option with its value for PATH, its default, and where it was set."
    given = parser.parse_args(arguments)
    if given.format not in ("text", "json"):
        raise ConfigError(f"--format must be text or json, not `{given.format}`")
    rows, settings = explained(given)
    if given.format == "json":
        data = {"file": settings.file, "root": settings.root, "options": rows}
        cli.put(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        return cli.CLEAN
    paint = Paint(terminal.use_color(sys.stdout, given.color))
    cli.put(listing(rows, settings, terminal.terminal_width(sys.stdout), paint))
    return cli.CLEAN


def explained(given: argparse.Namespace) -> tuple[list[dict[str, Any]], Config]:
    """One row for each option, and the configuration they are of."""
    from torch_compile_lint.front import options

    settings, sources = config.load_with_sources(
        given.paths or (".",), None, options.overrides(given), given.config, given.isolated
    )
    defaults = Config(root=settings.root)
    rows = [
        {
            "key": one.key,
            "value": _value(settings, one.key),
            "default": _value(defaults, one.key),
            "source": sources.get(one.key, "default"),
            "type": one.kind,
            "flag": one.flag,
            "description": one.text,
        }
        for one in OPTIONS
    ]
    return rows, settings


def _value(settings: Config, key: str) -> Any:
    """The value as JSON has it; what a default of None stands for."""
    value = getattr(settings, key.replace("-", "_"))
    if key == "target-torch" and value is None:
        return config.target_release(settings, config.installed(settings))
    if key == "exclude" and value is None:
        from torch_compile_lint.discovery import DEFAULT_EXCLUDES

        value = DEFAULT_EXCLUDES
    if key == "cache-dir" and value is None:
        from torch_compile_lint.cache import FOLDER

        return os.path.join(settings.root, FOLDER)
    if key == "per-file-ignores":
        return {pattern: list(codes) for pattern, codes in value}
    if isinstance(value, Confidence):
        return value.label
    return list(value) if isinstance(value, tuple) else value


def listing(rows: list[dict[str, Any]], settings: Config, width: int, paint: Paint) -> str:
    """The long form: key, value, source, then what it is."""
    out = [f"configuration file: {settings.file or 'none'}", f"root of the project: {settings.root}", ""]
    for row in rows:
        out.append(f"{paint(row['key'], 'bold')} = {_toml(row['value'])}")
        flag = f"; {row['flag']}" if row["flag"] else ""
        default = "" if row["value"] == row["default"] else f"; default: {_toml(row['default'])}"
        for text in (f"{row['description']} ({row['type']}{flag})", f"from: {row['source']}{default}"):
            out += textwrap.wrap(
                text,
                width,
                initial_indent="    ",
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(out) + "\n"


def settings_text(given: argparse.Namespace) -> str:
    """The short form, `key = value  # source`, which `--show-settings` prints."""
    rows, settings = explained(given)
    left = [f"{row['key']} = {_toml(row['value'])}" for row in rows]
    wide = min(max(map(len, left)), 44)
    out = [f"# file: {settings.file or 'none'}", f"# root: {settings.root}"]
    out += [f"{text.ljust(wide)}  # {row['source']}" for text, row in zip(left, rows, strict=True)]
    return "\n".join(out) + "\n"


def _toml(value: Any) -> str:
    """A value as it would be written in the configuration file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if value is None:
        return '""'
    return json.dumps(value, ensure_ascii=False)
