"""`--fix --prove` on the command line: who runs the code, and one line on each fix that was tried."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from torch_compile_lint.model import Report, Request
    from torch_compile_lint.repair import Repaired

#: Seconds for all variants of one probe, before and again after.
TIMEOUT = 240.0
MEMORY_GB = 8.0


def proved(options: argparse.Namespace, request: Request, view: Callable[[Report], Report]) -> Repaired:
    """The fixes that hold; what was kept, what was refused and why goes to standard error."""
    from torch_compile_lint.config import ConfigError
    from torch_compile_lint.front import verify_cli
    from torch_compile_lint.prove import prove
    from torch_compile_lint.verify.workers import Options, WorkerProblem

    if options.inputs:
        file, colon, name = options.inputs.rpartition(":")
        if not colon or not name.isidentifier() or not os.path.isfile(file):
            raise ConfigError(f"--inputs must be FILE:FUNCTION of a file that exists, not `{options.inputs}`")
    settings = Options(
        python=verify_cli.interpreter(options.python or sys.executable),
        jobs=options.jobs or 1,
        timeout=TIMEOUT,
        memory_gb=MEMORY_GB,
        search=(os.getcwd(),),
    )
    try:
        found = prove(request, options.unsafe_fixes, settings, options.inputs or "", view)
    except WorkerProblem as problem:
        raise ConfigError(str(problem)) from None
    if found.proofs and not found.ran:
        sys.stderr.write("tclint: no inputs available: only fixes that are safe are kept\n")
    for proof in sorted(found.proofs, key=lambda p: (p.finding.path, p.finding.line)):
        one = proof.finding
        word = "kept" if proof.kept else "refused"
        sys.stderr.write(f"tclint: {word}: {one.path}:{one.line}: {one.code}: {proof.reason}\n")
    return found.repaired
