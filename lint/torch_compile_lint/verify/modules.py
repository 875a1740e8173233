"""One row a probed module: its graphs, breaks and skips in the worst variant, or why it could not run."""

from __future__ import annotations

import os
from typing import Any

from torch_compile_lint.verify.run import Probed, Verified, reason
from torch_compile_lint.worker import protocol

Row = dict[str, Any]


def rows(outcome: Verified) -> list[Row]:
    """Rows in the order of the probes; probes that had nothing left to show are left out."""
    found = []
    for probed in outcome.probes:
        if probed.result.get("skipped"):
            continue
        if probed.result["outcome"] != protocol.RAN:
            if probed.title.endswith(".py"):
                continue  # the file as a whole offered nothing: its classes have rows of their own
            found.append({**_head(probed), "problem": reason("", probed.result)})
            continue
        found += [_row(probed, name, variants) for name, variants in _by_name(probed).items()]
    return found


def _by_name(probed: Probed) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for variant in probed.result["variants"]:
        name = str(variant.get("name") or probed.title).split(",")[0]
        grouped.setdefault(name, []).append(variant)
    return grouped


def _head(probed: Probed) -> Row:
    return {"path": probed.path, "file": os.path.basename(probed.path), "module": probed.title, "problem": ""}


def _row(probed: Probed, name: str, variants: list[Row]) -> Row:
    sites: dict[tuple[str, int, str], Row] = {}
    for variant in variants:
        for event in variant["events"]:
            if event["kind"] in (protocol.BREAK, protocol.SKIP, protocol.ERROR):
                key = (event["path"], event["line"], event["gb"] or event["text"])
                sites.setdefault(key, event)
    graphs = [variant["graphs_after_call"][0] for variant in variants if variant["graphs_after_call"]]
    later = [
        v["graphs_after_call"][-1] - v["graphs_after_call"][0] for v in variants if v["graphs_after_call"]
    ]
    return {
        **_head(probed),
        "module": name,
        "graphs": max(graphs, default=0),
        "recompiles": max(later, default=0),
        "breaks": sum(1 for event in sites.values() if event["kind"] == protocol.BREAK),
        "skips": sum(1 for event in sites.values() if event["kind"] == protocol.SKIP),
        "errors": sum(1 for event in sites.values() if event["kind"] == protocol.ERROR),
        "variants": len(variants),
        "evidence": variants[0]["evidence"],
        "source": str(variants[0]["source"]).replace(os.getcwd() + os.sep, ""),
        "differences": next((v["differences"][0] for v in variants if v["differences"]), ""),
        "seconds": round(sum(v["seconds"]["eager"] + v["seconds"]["compiled"] for v in variants), 2),
        "sites": [
            {"path": p, "line": n, "gb": event["gb"], "effect": event["kind"], "text": event["text"]}
            for (p, n, _), event in sorted(
                sites.items(), key=lambda item: (item[0][0], item[0][1], item[0][2])
            )
        ],
    }
