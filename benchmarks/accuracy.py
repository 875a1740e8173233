"""How often tclint is right about real models: recall and precision against what Dynamo did.

    python accuracy.py score --sources SITE_PACKAGES [--details] [--write]
    python accuracy.py observe timm torchvision [--raw FOLDER] [--until 07:20]

``score`` runs tclint over the libraries as they lie in SITE_PACKAGES and compares its findings with
``accuracy/observed/*.json``; ``--write`` puts the table into README.md beside this file and draws
``accuracy/accuracy.svg`` (needs matplotlib). ``observe`` makes those files
again, for hours: it needs the libraries and torch in the Python that runs it. See accuracy/README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "accuracy"
sys.path.insert(0, str(FOLDER))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    score = commands.add_parser("score", help="run tclint and compare")
    score.add_argument("--sources", type=Path, required=True, help="the site-packages that was observed")
    score.add_argument("--observed", type=Path, default=FOLDER / "observed")
    score.add_argument("--reports", type=Path, help="LIBRARY.json of tclint in here, instead of running it")
    score.add_argument("--min-confidence", default="likely")
    score.add_argument("--jobs", default="2")
    score.add_argument("--details", action="store_true", help="list misses and false alarms")
    score.add_argument("--json", type=Path, help="write counts, misses and false alarms here")
    score.add_argument("--write", action="store_true", help="renew the table and the plot")
    observe = commands.add_parser("observe", help="compile the models and record what Dynamo does")
    observe.add_argument("library", nargs="+", help="a subjects_LIBRARY.py in accuracy/")
    observe.add_argument("--raw", type=Path, default=FOLDER / "raw")
    observe.add_argument("--until", help="stop starting models at HH:MM")
    observe.add_argument("--timeout", default="60", help="seconds of processor time for a model")
    options = parser.parse_args()
    return run_score(options) if options.command == "score" else run_observe(options)


def run_score(options: argparse.Namespace) -> int:
    import table
    from score import score_all, write_json

    scores = score_all(sorted(options.observed.glob("*.json")), options)
    print(table.markdown(scores))
    if options.details:
        print(table.details(scores))
    if options.json:
        write_json(scores, options.json)
    if options.write:
        import plot

        table.write_into(HERE / "README.md", scores)
        plot.draw(scores, FOLDER / "accuracy.svg")
    return 0


def run_observe(options: argparse.Namespace) -> int:
    script = [sys.executable, str(FOLDER / "observe.py"), *options.library, "--out", str(options.raw)]
    script += ["--timeout", options.timeout, *(["--until", options.until] if options.until else [])]
    status = subprocess.run(script).returncode
    for library in options.library:
        out = FOLDER / "observed" / f"{library}-2.14.json"
        subprocess.run(
            [sys.executable, str(FOLDER / "merge.py"), str(options.raw / library), "--out", str(out)]
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
