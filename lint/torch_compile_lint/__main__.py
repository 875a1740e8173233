"""Entry point of `tclint`, `torch-compile-lint` and `python -m torch_compile_lint`.

Only what every call needs is imported here: `--version` costs no more than Python itself.
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the result is the exit status."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments == ["--version"] or arguments == ["-V"]:
        from torch_compile_lint import __version__

        print(f"tclint {__version__} (torch-compile-lint)")
        return 0
    try:
        from torch_compile_lint.front import quick

        answer = quick.answer(arguments)
        if answer is None:
            from torch_compile_lint.front.cli import run

            return run(arguments)
    except KeyboardInterrupt:  # before `run` could see it
        sys.stderr.write("tclint: interrupted\n")
        return 130
    sys.stdout.write(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
