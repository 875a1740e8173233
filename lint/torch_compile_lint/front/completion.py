"""`tclint completion SHELL`: a script that completes commands, options and values.

The scripts come from the package shtab (the extra ``completion``), from the same parsers that read the
command line. They are static: completing starts no Python.
"""

from __future__ import annotations

import argparse

from torch_compile_lint.config import ConfigError
from torch_compile_lint.front.options import OneLineParser

_SHELLS = ("bash", "zsh", "fish", "tcsh")
_NAMES = ("tclint", "torch-compile-lint")


def run(arguments: list[str]) -> int:
    """Print the script."""
    from torch_compile_lint.front import cli

    parser = OneLineParser(
        prog="tclint completion",
        usage="tclint completion bash|zsh|fish|tcsh [--name NAME]",
        description="Print a script that completes the command line; see the README for where to put it.",
        allow_abbrev=False,
    )
    parser.add_argument("shell", metavar="SHELL", help=f"one of {', '.join(_SHELLS)}")
    parser.add_argument("--name", default=_NAMES[0], help=f"the command to complete: {' or '.join(_NAMES)}")
    given = parser.parse_args(arguments)
    if given.shell not in _SHELLS:
        raise ConfigError(f"no completion for `{given.shell}`; there is one for {', '.join(_SHELLS)}")
    if given.name not in _NAMES:
        raise ConfigError(f"--name must be {' or '.join(_NAMES)}, not `{given.name}`")
    try:
        import shtab
    except ImportError:
        raise ConfigError(
            "completion needs the package shtab: pip install 'torch-compile-lint[completion]'"
        ) from None
    if given.shell not in shtab.SUPPORTED_SHELLS:
        raise ConfigError(f"shtab {shtab.__version__} knows no {given.shell}; install a newer one")
    script: str = shtab.complete(whole_parser(given.name), shell=given.shell)
    if given.shell == "bash":
        # What is no command is a path: let readline offer files where nothing else fits.
        script = script.replace("complete -o bashdefault -F", "complete -o bashdefault -o default -F")
    cli.put(script)
    return cli.CLEAN


def whole_parser(name: str) -> argparse.ArgumentParser:
    """All commands and their options in one parser, with what their values can be."""
    import shtab

    from torch_compile_lint.front import cli, doctor_cli, options, verify_cli

    commands = {
        "check": ("find what torch.compile stumbles over", options.check_parser()),
        "verify": ("really compile what was flagged", verify_cli.parser()),
        "doctor": ("the whole trouble-shooting walk", doctor_cli.parser()),
        "rule": ("the page of a rule", _small("name")),
        "config": ("every option and where it was set", options.check_parser()),
        "completion": ("a completion script", _small("shell", _SHELLS)),
        "lsp": ("a language server", _small("nothing", ())),
        "dev": ("for contributors", _small("what")),
    }
    assert commands.keys() == cli.COMMANDS.keys(), "every command is completed"
    whole = options.check_parser()
    whole.prog = name
    # Paths are completed as well as commands: what is no command is a path to check.
    for action in list(whole._actions):
        if not action.option_strings:
            whole._remove_action(action)
    _describe(whole)
    children = whole.add_subparsers(dest="command")
    for command, (text, parser) in commands.items():
        made = children.add_parser(
            command, help=text, parents=[parser], add_help=False, conflict_handler="resolve"
        )
        _describe(made)
    whole.add_argument("paths", nargs="*").complete = shtab.FILE  # type: ignore[attr-defined]
    return whole


def _small(positional: str, choices: tuple[str, ...] | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(positional, nargs="?", choices=choices)
    return parser


_VALUES: dict[str, tuple[str, ...]] = {
    "--color": ("auto", "always", "never"),
    "--min-confidence": ("proved", "likely", "possible"),
    "--roots": ("modules", "marked", "all"),
    "--device": ("cpu", "cuda", "auto"),
    "--backend": ("eager", "aot_eager", "inductor"),
}


def _describe(parser: argparse.ArgumentParser) -> None:
    """Say what the values of options are; the parsers check them later, with better messages."""
    import shtab

    from torch_compile_lint.report import FORMATS

    for action in parser._actions:
        known = next((_VALUES[o] for o in action.option_strings if o in _VALUES), None)
        if "--format" in action.option_strings:
            known = tuple(FORMATS)
        if known is not None:
            action.choices = known
        elif action.metavar in ("FILE", "EXE", "PATH", "FILE:FUNCTION", "PATH[:NAME]"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
