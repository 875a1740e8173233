"""Fold the result files of ``observe.py`` into one small JSON file.

    python merge.py raw/timm --out observed/timm-2.14.json

Breaks of many models at one place become one entry: ``site`` is the innermost frame in the
library's own files, ``stack`` one example. Traced lines become ranges: "12-40,44"; of a line that
was executed in part (`a is not None and a.any()` with a None) ``partial`` has the columns, from 0,
at which executed instructions begin.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

MODELS_SHOWN = 4
_OURS = ("TimeoutError", "OutOfTime")  # the observer's own limit, not something Dynamo did


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("raw", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--library", action="append", help="top-level package (repeatable; default: the models' own)"
    )
    options = parser.parse_args()
    results = [json.loads(p.read_text()) for p in sorted(options.raw.glob("*.json"))]
    own = sorted({result["home"].split("/")[0].removesuffix(".py") for result in results})
    merged = merge(results, options.library or own)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    temporary = options.out.with_suffix(".tmp")
    temporary.write_text(dump(merged))
    temporary.replace(options.out)
    print({**merged["counts"], "out": str(options.out)})


def merge(results: list[dict[str, Any]], libraries: list[str]) -> dict[str, Any]:
    breaks: dict[tuple[Any, ...], dict[str, Any]] = {}
    recompiles: dict[tuple[Any, ...], dict[str, Any]] = {}
    traced: dict[str, dict[int, set[int]]] = {}
    models: dict[str, Any] = {}
    for result in results:
        name = result["name"]
        summary: dict[str, Any] = {"home": result["home"]}
        for key in ("error", "notes"):
            if result.get(key):
                summary[key] = result[key]
        for mode, seen in result["modes"].items():
            kinds = [b["effect"] for b in seen["breaks"]]
            counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
            summary[mode] = {**counts, "recompile": sum(r["count"] for r in seen["recompiles"])}
            if seen["error"]:
                summary[mode]["error"] = seen["error"]
            for path, lines in seen["traced"].items():
                for line, columns in lines.items():
                    traced.setdefault(path, {}).setdefault(int(line), set()).update(columns)
            for found in seen["breaks"]:
                if found["kind"] in _OURS:
                    continue
                _add_break(breaks, found, name, libraries)
            for found in seen["recompiles"]:
                key = (*found["at"], found["reasons"][0].split(": ", 1)[-1][:60] if found["reasons"] else "")
                entry = recompiles.setdefault(
                    key,
                    {"at": found["at"], "reason": (found["reasons"] or [""])[0], "count": 0, "models": []},
                )
                entry["count"] += found["count"]
                _add_name(entry["models"], name)
        models[name] = summary
    own = {p: s for p, s in traced.items() if p.split("/")[0] in libraries}
    sites = {tuple(b["site"][:2]) for b in breaks.values() if b["site"]}
    return {
        "torch": version("torch"),
        "versions": {library.replace("_", "-"): _version(library) for library in libraries},
        "counts": {
            "models": len(models),
            "models_not_run": sum(1 for m in models.values() if "error" in m),
            "breaks": len(breaks),
            "sites": len(sites),
            "traced_lines": sum(map(len, own.values())),
            "traced_files": len(own),
        },
        "models": models,
        "breaks": sorted(breaks.values(), key=lambda b: (b["site"] or ["", 0], b["effect"], b["reason"])),
        "recompiles": sorted(recompiles.values(), key=lambda r: (r["at"], r["reason"])),
        "traced": {path: ranges(lines) for path, lines in own.items()},
        "partial": {path: found for path, lines in own.items() if (found := partial(path, lines))},
    }


def partial(path: str, lines: dict[int, set[int]]) -> dict[str, list[int]]:
    """The traced lines of which some instruction was never executed, with the columns that were."""
    source = Path(sysconfig.get_paths()["purelib"], path)
    if not source.exists():
        return {}
    every: dict[int, set[int]] = {}
    pending = [compile(source.read_text(encoding="utf-8"), path, "exec", dont_inherit=True)]
    while pending:
        code = pending.pop()
        pending.extend(c for c in code.co_consts if isinstance(c, type(code)))
        for line, _, column, _ in code.co_positions():
            if line is not None and column is not None:
                every.setdefault(line, set()).add(column)
    return {
        str(line): sorted(columns)
        for line, columns in sorted(lines.items())
        if not every.get(line, set()) <= columns
    }


def _version(library: str) -> str:
    try:
        return version(library.replace("_", "-"))
    except Exception:
        return "?"


def _add_break(
    breaks: dict[tuple[Any, ...], dict[str, Any]], found: dict[str, Any], name: str, libraries: list[str]
) -> None:
    site = next((f for f in reversed(found["stack"]) if f[0].split("/")[0] in libraries), None)
    key = (
        tuple(site[:3]) if site else (),
        found["effect"],
        found["kind"],
        tuple(found["gb"]),
        found.get("skipped"),
    )
    entry = breaks.get(key)
    if entry is None:
        entry = breaks[key] = {
            "site": site[:3] if site else None,
            "effect": found["effect"],
            "gb": found["gb"],
            "kind": found["kind"],
            "reason": found["reason"],
            "stack": [f"{f[0]}:{f[1]} {f[2]}" for f in found["stack"]],
            "models": [],
            "calls": [],
        }
        if site and site[3] is not None:
            entry["column"] = site[3] + 1
        if "skipped" in found:
            entry["skipped"] = found["skipped"]
    _add_name(entry["models"], name)
    entry["calls"] = sorted({*entry["calls"], *found["calls"]})


def _add_name(names: list[str], name: str) -> None:
    if name not in names and len(names) < MODELS_SHOWN:
        names.append(name)


def ranges(lines: Iterable[int]) -> str:
    """{1, 2, 3, 7} -> "1-3,7"."""
    parts: list[list[int]] = []
    for line in sorted(lines):
        if parts and parts[-1][1] == line - 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def dump(merged: dict[str, Any]) -> str:
    """JSON with one entry a line, so that changes can be read as a diff."""
    out = ["{"]
    keys = sorted(merged)
    for key in keys:
        value = merged[key]
        comma = "," if key != keys[-1] else ""
        if isinstance(value, list) and value:
            rows = [f"  {json.dumps(item, sort_keys=True)}" for item in value]
            out.append(f"{json.dumps(key)}: [\n" + ",\n".join(rows) + f"\n]{comma}")
        elif isinstance(value, dict) and key in ("models", "traced", "partial") and value:
            rows = [f"  {json.dumps(k)}: {json.dumps(value[k], sort_keys=True)}" for k in sorted(value)]
            out.append(f"{json.dumps(key)}: {{\n" + ",\n".join(rows) + f"\n}}{comma}")
        else:
            out.append(f"{json.dumps(key)}: {json.dumps(value, sort_keys=True)}{comma}")
    return "\n".join([*out, "}", ""])


if __name__ == "__main__":
    main()
