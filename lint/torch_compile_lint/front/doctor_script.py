"""`tclint doctor script.py -- ARGUMENTS`: what a script compiles, found by watching it run, twice.

Once as it is, once with compiling switched off: the same callables, timed. The script runs in the current
folder, with your arguments; it may do what it does when you run it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.doctor.reasons import ms, place
from torch_compile_lint.doctor.session import Session
from torch_compile_lint.front import cli
from torch_compile_lint.verify.workers import Options, WorkerProblem

Row = dict[str, Any]


def run(options: argparse.Namespace, python: str, arguments: list[str]) -> int:
    """The exit status: 0 where every compiled callable is faster than eager and nothing broke."""
    if not os.path.isfile(options.target):
        raise ConfigError(f"no such file: {options.target}")
    if options.format == "html":
        raise ConfigError("--format html is for models; for a script use text or json")
    settings = Options(
        python=python, device=options.device, timeout=options.timeout, memory_gb=options.memory_limit
    )
    session = Session(settings, {})
    file = os.path.abspath(options.target)
    runs: dict[str, Row] = {}
    try:
        for name in ("compiled", "eager"):
            runs[name] = session.script(file, arguments, os.getcwd(), name == "compiled", options.budget / 2)
    except WorkerProblem as problem:
        raise ConfigError(str(problem)) from None
    finally:
        session.stop()
    rows = joined(runs)
    if options.format == "json":
        text = json.dumps({"script": options.target, "compiled": rows, "runs": runs}, indent=1) + "\n"
    else:
        text = render(options.target, session.hello, runs, rows)
    if options.output is None:
        cli.put(text)
    else:
        try:
            with open(options.output, "w", encoding="utf-8") as stream:
                stream.write(text)
        except OSError as problem:
            raise ConfigError(f"--output {options.output}: {problem.strerror}") from None
    if runs["compiled"].get("failed"):
        return 1
    broke = any(e["kind"] != "recompile" for e in runs["compiled"].get("events", []))
    return 0 if rows and not broke and all(row["gain"] and row["gain"] > 1 for row in rows) else 1


def joined(runs: dict[str, Row]) -> list[Row]:
    """Each compiled callable with its eager twin: the one compiled in the same order at the same place."""
    rows = []
    others = list(runs["eager"].get("compiled", []))
    for one in runs["compiled"].get("compiled", []):
        other = next((o for o in others if (o["name"], o["place"]) == (one["name"], one["place"])), None)
        if other is not None:
            others.remove(other)
        calls, eager = one["calls"], other["calls"] if other else []
        steady = statistics.median(calls[1:]) if len(calls) > 1 else None
        plain = statistics.median(eager[1:] or eager) if eager else None
        rows.append(
            {
                "name": one["name"],
                "place": one["place"],
                "options": one["options"],
                "calls": len(calls),
                "first": calls[0] if calls else None,
                "compiled": steady,
                "eager": plain,
                "gain": plain / steady if plain and steady else None,
                "slow_calls": sum(1 for seconds in calls[1:] if steady and seconds > 20 * steady),
            }
        )
    return rows


def render(target: str, hello: Row, runs: dict[str, Row], rows: list[Row]) -> str:
    """The report for a terminal."""
    compiled = runs["compiled"]
    lines = [f"{target}  (torch {hello.get('torch', '?')}, {hello.get('threads', '?')} threads)", ""]
    if compiled.get("failed"):
        lines.append(f"VERDICT  the script fails when it compiles: {compiled['failed']}")
        if runs["eager"].get("failed"):
            lines.append(f"         and without compiling too: {runs['eager']['failed']}")
    elif not rows:
        lines.append("VERDICT  it compiles nothing: torch.compile was never called")
    elif not any(row["calls"] for row in rows):
        lines.append("VERDICT  what it compiles is never called: is the result of torch.compile thrown away?")
    elif compiled.get("graphs") == 0:
        lines.append("VERDICT  nothing is compiled: every frame runs in the interpreter")
    else:
        totals = f"{ms(compiled.get('total', 0))} compiled, {ms(runs['eager'].get('total', 0))} without"
        lines.append(f"VERDICT  the whole run took {totals}, compiling included")
    lines.append("")
    for row in rows:
        where = "/".join(row["place"].split("/")[-2:])
        lines.append(f"compiled  {row['name']}  {where}  {row['calls']} calls")
        if row["compiled"] is not None and row["eager"] is not None:
            gain = f"{row['gain']:.2f}x"
            lines.append(
                f"          first call {ms(row['first'])}, then {ms(row['compiled'])}; "
                f"eager {ms(row['eager'])}: {gain}"
            )
        if row["slow_calls"]:
            lines.append(
                f"          {row['slow_calls']} later calls took over 20 times as long: recompilation"
            )
    counts: dict[str, int] = {}
    for event in compiled.get("events", []):
        line = f"{event['kind']:9} {place(event)} {event['gb'] or ''} {event['text']}"
        counts[line] = counts.get(line, 0) + 1
    lines += [f"          {line[:150]}" + (f"  x{n}" if n > 1 else "") for line, n in counts.items()]
    return "\n".join(lines) + "\n"
