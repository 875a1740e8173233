"""Look-ups over the data files beside this module; nothing here knows torch itself.

Every table is one JSON file, read on first use and kept. The tables are written by
``tclint dev sync-torch`` from an installed torch (``worker/sync_torch.py``).

A *result specification* says what a call or attribute gives:

- ``T`` a tensor, ``T:dtype:rank``. dtype: b, i, f, c (bool, int, float, complex), or a rule:
  ``=`` the first tensor's, ``~`` promoted over the tensor arguments, ``#`` also over number
  arguments; before it ``^`` integers become float, ``+`` bool becomes int, ``-`` complex
  becomes float. rank: a number, or ``=`` the first tensor's, ``*`` the largest, ``r`` after
  reducing ``dim``, ``-`` one less than the first's, ``+`` one more.
- ``B I F X P`` a bool, int, float, complex or any number; followed by ``s`` when it comes from
  a shape, by ``t`` when it comes out of a tensor.
- ``S`` str, ``N`` None, ``Z`` torch.Size, ``Y`` dtype, ``V`` device, ``L`` layout, ``A`` array.
- ``(a,b)`` a tuple of exactly these, ``(a*)`` of any number, ``[a*]`` a list, ``{a*}`` a dict.
- ``<name>`` an instance of a class, ``!label`` something opaque, ``?`` unknown, ``a|b`` a union.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from torch_compile_lint.records import dataclass

FOLDER = Path(__file__).parent


def _read(name: str) -> Any:
    return json.loads((FOLDER / name).read_bytes())


# ---------------------------------------------------------------- result kinds


@functools.cache
def _results() -> dict[str, str]:
    table: dict[str, str] = _read("apis/results.json")
    return table


@functools.cache
def _layers() -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = _read("apis/layers.json")
    return table


@functools.cache
def _aliases() -> dict[str, str]:
    table: dict[str, str] = _read("apis/aliases.json")
    return table


@functools.cache
def _attributes() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = _read("apis/attributes.json")
    return table


def result(symbol: str) -> str | None:
    """The result specification of calling a torch function, method or layer; None if unknown."""
    return _results().get(symbol)


def attribute(owner: str, name: str) -> str | None:
    """The specification of a data attribute, e.g. of ('torch.Tensor', 'shape')."""
    table = _attributes().get(owner)
    return None if table is None else table.get(name)


def constant(symbol: str) -> str | None:
    """The specification of a name that is no function ('torch.float32', 'math.pi')."""
    owner, _, name = symbol.rpartition(".")
    return attribute(owner + ".*", name)


def canonical(symbol: str) -> str:
    """The public name of an API: 'torch.nn.modules.linear.Linear' is 'torch.nn.Linear'."""
    while symbol.startswith("torch.torch."):  # torch is an attribute of itself
        symbol = symbol[6:]
    return _aliases().get(symbol, symbol)


def is_module_class(symbol: str) -> bool:
    """True for classes of torch that are nn.Modules."""
    return symbol in _layers()


def module_classes() -> frozenset[str]:
    """All nn.Module classes that torch ships, by canonical name."""
    return frozenset(_layers())


def layer_call(symbol: str) -> str | None:
    """What calling an instance of a torch layer gives."""
    row = _layers().get(symbol)
    found: str | None = None if row is None else row.get("call")
    return found


def layer_attribute(symbol: str, name: str) -> str | None:
    """What an attribute of an instance of a torch layer is ('weight', 'kernel_size')."""
    row = _layers().get(symbol)
    found: str | None = None if row is None else row.get("attributes", {}).get(name)
    return found


# ---------------------------------------------------------------- releases and graph breaks


@dataclass(frozen=True, slots=True)
class Release:
    """One torch release: its date ('' unknown) and the Pythons it supports ('' unknown)."""

    version: str
    date: str
    python_min: str
    python_max: str
    registry: bool  # we hold its graph-break registry
    measured: bool  # the hazards were run on it


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """One entry of PyTorch's graph-break registry, by its newest text in that release."""

    id: str
    title: str
    context: str
    explanation: str
    hints: tuple[str, ...]


@functools.cache
def releases() -> tuple[Release, ...]:
    """Every release the data speaks of, oldest first."""
    return tuple(Release(**row) for row in _read("releases.json"))


@functools.cache
def break_releases() -> tuple[str, ...]:
    """Releases whose graph-break registry is held here, oldest first."""
    names = [p.stem for p in (FOLDER / "breaks").glob("*.json") if p.stem[0].isdigit()]
    return tuple(sorted(names, key=lambda v: tuple(int(n) for n in v.split("."))))


@functools.cache
def breaks(release: str) -> dict[str, GraphBreak]:
    """The registry of a release ('2.13.0' or '2.13'); empty when it ships none."""
    names = [r for r in break_releases() if r == release or r.rsplit(".", 1)[0] == release]
    if not names:
        return {}
    rows = _read(f"breaks/{names[-1]}.json")
    return {k: GraphBreak(k, v[0], v[1], v[2], tuple(v[3])) for k, v in rows.items()}


def graph_break(identifier: str) -> dict[str, GraphBreak]:
    """An id over all releases that know it: release -> entry."""
    found = {r: breaks(r).get(identifier) for r in break_releases()}
    return {r: entry for r, entry in found.items() if entry is not None}


@dataclass(frozen=True, slots=True)
class Classification:
    """Who can know of a graph-break id beforehand.

    ``kind``: rule (``codes``: the rules that report it), source (source shows it, no rule
    reports it), runtime (only a run can know), internal (a gap or bug of Dynamo), asked (the
    source asks for it). ``advice`` is what to do where nothing better is known.
    """

    kind: str
    codes: tuple[str, ...]
    reason: str  # a sentence; '' for rules
    advice: str


@dataclass(frozen=True, slots=True)
class BreakHint:
    """Our own hint for an id, tried: ``example`` gave the id on the releases ``seen``.

    Both sources define ``f``; ``instead`` does the same work in one graph. What stands before
    them is in ``worker/try_breaks.py``.
    """

    hint: str
    example: str
    instead: str
    seen: tuple[str, ...]


@functools.cache
def break_hints() -> dict[str, BreakHint]:
    """Every id that was brought about, with what to do."""
    return {
        row["id"]: BreakHint(
            row["hint"], "\n".join(row["example"]), "\n".join(row["instead"]), tuple(row["seen"])
        )
        for row in _read("breaks/hints.json")
    }


def break_hint(identifier: str) -> BreakHint | None:
    """Our hint for an id; None where it was not brought about."""
    return break_hints().get(identifier)


@functools.cache
def _classes() -> dict[str, list[str]]:
    table: dict[str, list[str]] = _read("breaks/classes.json")
    return table


def classification(identifier: str) -> Classification | None:
    """How a graph-break id is classified; None for an id of a release not looked at yet."""
    row = _classes().get(identifier)
    if row is None:
        return None
    kind, detail = row
    advice = _read("breaks/advice.json")
    if kind == "rule":
        return Classification(kind, tuple(detail.split()), "", advice["rule"])
    return Classification(kind, (), _read("breaks/reasons.json")[detail], advice[detail])


# ---------------------------------------------------------------- what people say


@dataclass(frozen=True, slots=True)
class Measured:
    """One measured hazard of a topic: what it is, and (release, verdict) pairs."""

    case: str
    construct: str
    verdicts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """Something people say of torch.compile, the answer, and what was measured."""

    name: str
    aliases: tuple[str, ...]
    saying: str
    answer: str
    rules: tuple[str, ...]
    measured: tuple[Measured, ...]


@functools.cache
def topics() -> tuple[Topic, ...]:
    """Every topic that has a page of its own, in the order of the file."""
    measured = [release.version for release in releases() if release.measured]
    return tuple(
        Topic(
            row["name"],
            tuple(row["aliases"]),
            row["saying"],
            row["answer"],
            tuple(row["rules"]),
            tuple(Measured(m[0], m[1], tuple(zip(measured, m[2:], strict=True))) for m in row["measured"]),
        )
        for row in _read("topics.json")
    )


# ---------------------------------------------------------------- what can be set by name


@functools.cache
def _settings(release: str) -> dict[str, Any]:
    table: dict[str, Any] = _read(f"settings/{release}.json")
    return table


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in release.split(".")[:2])


@functools.cache
def settings(table: str, target: str) -> frozenset[str]:
    """Names of a table of ``worker/sync_settings.py`` that exist in a release; empty where unknown.

    ``table``: 'torch._dynamo.config', 'torch._inductor.config', 'options', 'modes',
    'parameters', 'backends'. Of a release between two that were looked at, what either has.
    """
    known = sorted((p.stem for p in (FOLDER / "settings").glob("*.json")), key=_numbers)
    wanted = _numbers(target)
    below = [r for r in known if _numbers(r) <= wanted]
    if not below:
        return frozenset()
    names = set(_settings(below[-1])[table])
    above = [r for r in known if _numbers(r) > wanted]
    if _numbers(below[-1]) != wanted and above:
        names.update(_settings(above[0])[table])
    return frozenset(names)


@functools.cache
def option_type(name: str, target: str) -> str:
    """'bool', 'int', 'float' or 'str' where ``options=`` insists on it; '' for any."""
    known = [p.stem for p in (FOLDER / "settings").glob("*.json") if _numbers(p.stem) == _numbers(target)]
    found: str = _settings(known[0])["options"].get(name, "") if known else ""
    return found


# ---------------------------------------------------------------- what Dynamo skips


@functools.cache
def _dynamo(release: str) -> dict[str, Any]:
    table: dict[str, Any] = _read(f"dynamo/{release}.json")
    return table


def dynamo_releases() -> list[str]:
    """The releases whose lists are held, oldest first."""
    return sorted((p.stem for p in (FOLDER / "dynamo").glob("*.json")), key=_numbers)


@functools.cache
def skipped_by_dynamo(target: str) -> frozenset[str]:
    """torch functions that a release's own rules say to skip (a graph break when called).

    Of a release between two that were looked at, what the older one skips.
    """
    below = [r for r in dynamo_releases() if _numbers(r) <= _numbers(target)]
    return frozenset(_dynamo(below[-1])["skipped"]) if below else frozenset()


@functools.cache
def missing_numpy() -> frozenset[str]:
    """Functions of numpy that torch's numpy lacks ('numpy.interp').

    Of all releases: they differ only where numpy itself does (1.26 beside 2.3.1).
    """
    return frozenset("numpy." + name for r in dynamo_releases() for name in _dynamo(r)["missing_numpy"])


# ---------------------------------------------------------------- what libraries break

LIBRARIES = ("timm", "torchvision", "transformers")


@dataclass(frozen=True, slots=True)
class LibraryBreak:
    """A public name of a library of models that broke the graph every time it was called.

    ``kind``: class (its instances are called), maker (a function that gives such an instance),
    function. ``file``, ``line``, ``function``: the first break, inside the library, or what raised;
    ``effect``: what it does at least, however it is made. ``also`` are the other names it can be imported
    by. Written by ``benchmarks/accuracy/libraries.py``, which says what "every time" means.
    """

    name: str
    library: str
    version: str  # of the library, as measured
    torch: str
    kind: str
    effect: str
    file: str
    line: int
    function: str
    gb: tuple[str, ...]
    also: tuple[str, ...]


@functools.cache
def library_breaks(library: str) -> dict[str, LibraryBreak]:
    """What is known of one of ``LIBRARIES``, by every name it can be imported by."""
    data = _read(f"libraries/{library}.json")
    found: dict[str, LibraryBreak] = {}
    for name, row in data["names"].items():
        entry = LibraryBreak(
            name,
            library,
            data["version"],
            data["torch"],
            row["kind"],
            row["effect"],
            row["file"],
            row["line"],
            row["function"],
            tuple(row["gb"]),
            tuple(row.get("also", ())),
        )
        found.update(dict.fromkeys((name, *entry.also), entry))
    return found


def library_break(symbol: str) -> LibraryBreak | None:
    """What calling a library's class or function does to the graph; None where nothing is known."""
    library = symbol.partition(".")[0]
    return library_breaks(library).get(symbol) if library in LIBRARIES else None
