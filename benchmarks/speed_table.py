"""Write what speed.py measured into the README, beside what was aimed at.

    python speed.py SOURCES --json speed/timings.json
    python speed.py SOURCES --growth-only --memory PACKAGE --json speed/growth.json
    python speed_table.py [--write ../README.md]

Both files lie in ``speed/``; the table stands between the ``<!-- speed -->`` marks of the README.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
# What is measured against what, and the aim: at most so much of it.
AIMS = (
    ("tclint, cold", "cold, two workers", "libcst.parse_module", "libcst.parse_module alone, one core", 0.35),
    ("tclint, warm", "warm, nothing changed", "ruff --no-cache", "ruff without cache", 1.5),
    (
        "tclint, one function changed",
        "warm, one function changed",
        "ruff --no-cache",
        "ruff without cache",
        2.5,
    ),
    ("tclint --version", "`tclint --version`", "python -c pass", "`python -c pass`", 2.5),
    ("tclint, one file without torch", "one file without torch", "python -c pass", "`python -c pass`", 3.0),
)
SLOWER = (("flake8 -j 2", "flake8, its default checks, two jobs", 20), ("torchfix", "torchfix", 40))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    timings = json.loads((HERE / "speed" / "timings.json").read_text())
    growth = json.loads((HERE / "speed" / "growth.json").read_text())
    text = "\n\n".join((timing_table(timings), growth_table(growth)))
    print(text)
    if options.write:
        old = options.write.read_text()
        before, after = old.split(BEGIN)[0], old.split(END)[1]
        options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def timing_table(report: dict[str, Any]) -> str:
    seconds = {t["name"]: t["seconds"] for t in report["timings"]}
    processor = {t["name"]: t["processor"] for t in report["timings"]}
    what = f"{report['sources']} ({report['files']} files, {report['lines']:,} lines)"
    rows = [
        f"`benchmarks/speed.py` on {what}, {report['setting']}:",
        "",
        "| | seconds | compared with | ratio | aim |",
        "|---|--:|---|--:|--:|",
    ]
    for name, words, base, base_words, aim in AIMS:
        ratio = seconds[name] / seconds[base]
        rows.append(f"| {words} | {seconds[name]:.2f} | {base_words} | {ratio:.2f} | {aim} |")
    cold = "tclint, cold"
    for name, words, aim in SLOWER:
        if name in seconds:
            ratio, cpu = seconds[name] / seconds[cold], processor[name] / processor[cold]
            row = f"| {words} | {seconds[name]:.1f} | a cold run | {ratio:.1f} times ({cpu:.1f} in CPU)"
            rows.append(f"{row} | {aim} times |")
    return "\n".join(rows)


def growth_table(report: dict[str, Any]) -> str:
    heads = ("lines", "seconds", "CPU s", "CPU s for 100,000 lines more", "peak memory, MB (aim: 600)")
    rows = [
        "An eighth, a quarter, half and all of a large package's models, with all that is beside them:",
        "",
        f"| {report['package']} | {' | '.join(heads)} |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    last: dict[str, Any] | None = None
    for row in report["growth"]:
        more = ""
        if last is not None:
            more = f"{(row['cpu'] - last['cpu']) / (row['lines'] - last['lines']) * 1e5:.0f}"
        counts = f"{row['files']:.0f} files | {row['lines']:,.0f} | {row['seconds']:.0f} | {row['cpu']:.0f}"
        rows.append(f"| {counts} | {more} | {row['megabytes']:.0f} |")
        last = row
    return "\n".join(rows)


if __name__ == "__main__":
    main()
