"""`tclint lsp`: a language server on standard input and output.

``server`` speaks the protocol (pygls), ``checker`` runs the sessions in a thread of its own,
the other modules translate: ``documents`` texts and positions, ``diagnostics`` findings,
``hover`` and ``actions`` what is asked about one place, ``verifying`` the run under torch.
"""

from __future__ import annotations

import sys

from torch_compile_lint.config import ConfigError


def run(arguments: list[str]) -> int:
    """Serve until the editor says exit."""
    from torch_compile_lint.front.options import OneLineParser

    parser = OneLineParser(
        prog="tclint lsp",
        usage="tclint lsp [--log FILE]",
        description="A language server on standard input/output, which editors start: "
        "see docs/pages/how-to/editors.md.",
        allow_abbrev=False,
    )
    parser.add_argument("--log", metavar="FILE", help="append what the server does and what goes wrong")
    parser.add_argument("--stdio", action="store_true", help="what it does anyway (some editors insist)")
    options = parser.parse_args(arguments)
    try:
        import pygls  # noqa: F401
    except ImportError:
        raise ConfigError('the language server needs pygls: pip install "torch-compile-lint[lsp]"') from None
    import logging

    if options.log:
        try:
            logging.basicConfig(
                filename=options.log, level=logging.INFO, format="%(asctime)s %(name)s %(message)s"
            )
        except OSError as problem:
            raise ConfigError(f"--log {options.log}: {problem.strerror}") from None
        logging.getLogger("pygls").setLevel(logging.WARNING)
    else:
        logging.disable(logging.CRITICAL)  # standard error is not read by every editor
    from torch_compile_lint.front.lsp.server import serve

    sys.stderr.flush()
    return serve()
