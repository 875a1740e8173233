"""Merge defaults, one configuration file and the command line into one frozen ``Config``.

In: the paths of a request and what the command line overrides. Out: a ``Config`` whose values
are checked; the first unknown key or wrong type is a ``ConfigError`` with one line that says
what would be right. The torch to judge by is found by reading the names of installed
distributions, never by importing anything.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from torch_compile_lint.installed import NEWEST_TORCH, project_root, site_folders, torch_release
from torch_compile_lint.model import Confidence
from torch_compile_lint.records import dataclass, field_annotations, replace

ROOT_MODES = ("modules", "marked", "all")
OUR_TABLES = ("torch-compile-lint", "tclint")  # the first wins: the second may be the Tcl linter's
DEFAULT_PLUGINS = ("torch_compile_lint_rules",)
_RELEASE = re.compile(r"(\d+)\.(\d+)(?:[.+ab rc].*)?$")


class ConfigError(Exception):
    """What the user must change, in one line."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that decides what a run reports."""

    root: str  # folder of the configuration file, else of the project; patterns are relative to it
    file: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] | None = None  # None: discovery.DEFAULT_EXCLUDES
    extend_exclude: tuple[str, ...] = ()
    extend_include: tuple[str, ...] = ()  # files that are no *.py or *.ipynb, such as *.md
    respect_gitignore: bool = True
    target_torch: str | None = None  # None: see ``target_release``
    roots: str = "modules"
    min_confidence: Confidence = Confidence.LIKELY
    plugins: tuple[str, ...] = DEFAULT_PLUGINS
    python: str | None = None
    cache_dir: str | None = None
    cache: bool = True
    jobs: int = 0  # 0: one per core

    def patterns(self) -> tuple[str, ...]:
        """What discovery leaves out."""
        from torch_compile_lint.discovery import DEFAULT_EXCLUDES

        base = DEFAULT_EXCLUDES if self.exclude is None else self.exclude
        return (*base, *self.extend_exclude)


# ---------------------------------------------------------------- values


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"`{key}` must be a string, not {_kind(value)}")
    return value


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"`{key}` must be true or false, not {_kind(value)}")
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        raise ConfigError(f'`{key}` must be a list of strings, such as ["TCD1"], not {_kind(value)}')
    return tuple(value)


def _codes(key: str, value: object) -> tuple[str, ...]:
    return tuple(code for text in _texts(key, value) for code in text.replace(",", " ").split())


def _ignores(key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"`{key}` must be a table from file patterns to lists of codes, not {_kind(value)}")
    return tuple((pattern, _codes(f"{key}.{pattern}", codes)) for pattern, codes in value.items())


def _roots(key: str, value: object) -> str:
    text = _text(key, value)
    if text not in ROOT_MODES:
        raise ConfigError(f"`{key}` must be one of {', '.join(ROOT_MODES)}, not `{text}`")
    return text


def _confidence(key: str, value: object) -> Confidence:
    if isinstance(value, Confidence):
        return value
    text = _text(key, value)
    for level in Confidence:
        if level.label == text:
            return level
    raise ConfigError(f"`{key}` must be one of proved, likely, possible, not `{text}`")


def _release(key: str, value: object) -> str:
    text = _text(key, value).strip()
    found = _RELEASE.match(text)
    if not found:
        raise ConfigError(f'`{key}` must be a torch release such as "{NEWEST_TORCH}", not `{text}`')
    if int(found.group(1)) < 2:
        raise ConfigError(f"`{key}` is {text}, but torch.compile came with torch 2.0")
    return f"{int(found.group(1))}.{int(found.group(2))}"


def _jobs(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ConfigError(f"`{key}` must be a number of processes (0 = one per core), not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    return str(value)


_READERS = {
    "select": _codes,
    "ignore": _codes,
    "extend-select": _codes,
    "per-file-ignores": _ignores,
    "exclude": _texts,
    "extend-exclude": _texts,
    "extend-include": _texts,
    "respect-gitignore": _flag,
    "target-torch": _release,
    "roots": _roots,
    "min-confidence": _confidence,
    "plugins": _texts,
    "python": _text,
    "cache-dir": _text,
    "cache": _flag,
    "jobs": _jobs,
}
KEYS = tuple(_READERS)


def read_table(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Field values of ``Config`` from one table; ``place`` names it in errors."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        reader = _READERS.get(key)
        if reader is None:
            raise ConfigError(f"{place}: unknown key `{key}`{_suggest(key)}")
        try:
            values[key.replace("-", "_")] = reader(key, value)
        except ConfigError as problem:
            raise ConfigError(f"{place}: {problem}") from None
    return values


def _suggest(key: str) -> str:
    import difflib

    near = difflib.get_close_matches(key.replace("_", "-"), KEYS, n=1, cutoff=0.6)
    if near:
        return f", did you mean `{near[0]}`?"
    return f" (known: {', '.join(KEYS)}; a table of the Tcl linter? then use [tool.torch-compile-lint])"


# ---------------------------------------------------------------- files


def find_file(start: str) -> tuple[str, Mapping[str, Any], str] | None:
    """(file, our table, its name for errors) of the nearest configuration at or above ``start``."""
    folder = os.path.abspath(start)
    while True:
        found = _in_folder(folder)
        if found is not None:
            return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _in_folder(folder: str) -> tuple[str, Mapping[str, Any], str] | None:
    project = os.path.join(folder, "pyproject.toml")
    tools = _tables(project)
    if OUR_TABLES[0] in tools:
        return project, _table(tools, OUR_TABLES[0], project), f"{project} [tool.{OUR_TABLES[0]}]"
    own = os.path.join(folder, "tclint.toml")
    if os.path.isfile(own):
        return own, _read(own), own
    if OUR_TABLES[1] in tools:
        return project, _table(tools, OUR_TABLES[1], project), f"{project} [tool.{OUR_TABLES[1]}]"
    return None


def _table(tools: Mapping[str, Any], name: str, path: str) -> Mapping[str, Any]:
    table = tools[name]
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: [tool.{name}] must be a table, not {_kind(table)}")
    return table


def _tables(project: str) -> Mapping[str, Any]:
    """The ``[tool]`` table; not even parsed where neither of our names stands in the file."""
    try:
        with open(project, "rb") as stream:
            data = stream.read()
    except OSError:
        return {}
    if not any(name.encode() in data for name in OUR_TABLES):
        return {}
    tools = _parse(data, project).get("tool", {})
    return tools if isinstance(tools, Mapping) else {}


def _read(path: str) -> Mapping[str, Any]:
    try:
        with open(path, "rb") as stream:
            return _parse(stream.read(), path)
    except OSError as problem:
        raise ConfigError(f"{path}: cannot be read: {problem.strerror}") from None


def _parse(data: bytes, path: str) -> Mapping[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: Mapping[str, Any] = tomllib.loads(data.decode("utf-8-sig"))
        return table
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8, which TOML requires") from None
    except tomllib.TOMLDecodeError as problem:
        raise ConfigError(f"{path}: not valid TOML: {problem}") from None


def explicit_file(path: str) -> tuple[str, Mapping[str, Any], str]:
    """The table of the file named by ``--config``."""
    table = _read(path)
    if os.path.basename(path) == "pyproject.toml":
        tools = table.get("tool", {})
        for name in OUR_TABLES:
            if isinstance(tools, Mapping) and name in tools:
                return path, _table(tools, name, path), f"{path} [tool.{name}]"
        raise ConfigError(f"{path}: has no [tool.tclint] table")
    return path, table, path


def common_folder(paths: Sequence[str], cwd: str) -> str:
    """The deepest folder above all of ``paths``."""
    folders = []
    for path in paths:
        full = os.path.normpath(os.path.join(cwd, path))
        folders.append(full if os.path.isdir(full) else os.path.dirname(full))
    if not folders:
        return cwd
    try:
        return os.path.commonpath(folders)
    except ValueError:  # two drives
        return folders[0]


def load(
    paths: Sequence[str],
    cwd: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    config_file: str | None = None,
    isolated: bool = False,
) -> Config:
    """The configuration of a run. ``overrides`` has the same keys as a file and wins over it."""
    return load_with_sources(paths, cwd, overrides, config_file, isolated)[0]


def load_with_sources(
    paths: Sequence[str],
    cwd: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    config_file: str | None = None,
    isolated: bool = False,
) -> tuple[Config, dict[str, str]]:
    """``load``, and where each key that is not a default was set: a file, or 'command line'."""
    here = os.path.abspath(cwd or os.getcwd())
    folder = common_folder(paths, here)
    values: dict[str, Any] = {}
    file: str | None = None
    sources: dict[str, str] = {}
    if config_file is not None:
        file, table, place = explicit_file(os.path.join(here, config_file))
        values = read_table(table, place)
        sources = dict.fromkeys(table, place)
    elif not isolated:
        found = find_file(folder)
        if found is not None:
            file, table, place = found
            values = read_table(table, place)
            sources = dict.fromkeys(table, place)
    root = project_root(folder) if file is None or config_file is not None else os.path.dirname(file)
    config = Config(root=root, file=file, **values)
    if config.python is not None:
        config = replace(config, python=os.path.join(root, os.path.expanduser(config.python)))
    if config.cache_dir is not None:
        config = replace(config, cache_dir=os.path.join(root, os.path.expanduser(config.cache_dir)))
    if overrides:
        config = replace(config, **read_table(overrides, "command line"))
        sources.update(dict.fromkeys(overrides, "command line"))
    return config, sources


def digest_text(config: Config) -> str:
    """The options that decide a report, as one canonical text (a cache key's part)."""
    skipped = {"root", "file", "cache", "cache_dir", "jobs"}
    return repr([(name, getattr(config, name)) for name in field_annotations(Config) if name not in skipped])


# ---------------------------------------------------------------- the torch to judge by


@dataclass(frozen=True, slots=True)
class Installed:
    """Where the project's packages are installed, and which torch is among them."""

    folders: tuple[str, ...] = ()
    torch: str | None = None


def installed(config: Config) -> Installed:
    """The site-packages of the project's interpreter: configured, active, ``.venv``, or ours."""
    folders = site_folders(config.root, config.python)
    return Installed(tuple(folders), torch_release(folders))


def target_release(config: Config, found: Installed) -> str:
    """The release to judge by: configured, else installed, else the newest known."""
    return config.target_torch or found.torch or NEWEST_TORCH
