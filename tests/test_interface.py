"""docs/INTERFACE.md names the options that the parsers know: all of them, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from torch_compile_lint.__main__ import main
from torch_compile_lint.front.cli import COMMANDS

PAGE = (Path(__file__).parent.parent / "docs" / "INTERFACE.md").read_text(encoding="utf-8")
HELP = {"-h", "--help"}  # named once, above the tables
_OPTION = r"(?<![\w-])--?[a-zA-Z][\w-]*"


def printed(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert not ended.value.code
    return capsys.readouterr().out


def options(text: str) -> set[str]:
    """The options at the starts of the lines of a help text."""
    found: set[str] = set()
    for line in re.findall(rf"^  ({_OPTION}.*)$", text, re.MULTILINE):
        found.update(re.findall(_OPTION, re.split(r" {2,}", line)[0]))
    return found


def named(section: str, prefix: str = "") -> set[str]:
    """The options in the first column of a section's table."""
    body = re.search(rf"^### {section}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert body is not None, section
    cells = [row.replace(r"\|", "/").split("|")[1] for row in re.findall(r"^\|.*$", body[1], re.MULTILINE)]
    code = " ".join(" ".join(re.findall(r"`([^`]*)`", c)) for c in cells if c.strip().startswith(prefix))
    return set(re.findall(_OPTION, code))


@pytest.mark.parametrize("command", ["check", "verify", "doctor"])
def test_every_option_has_its_row(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = options(printed(capsys, command)) - HELP
    page = named(command)
    if command == "check":  # in the row of --prove
        page |= {"--python", "--inputs"} & set(re.findall(r"`(--\w+) ", PAGE.partition("### verify")[0]))
    assert page == known and len(known) > 10


def test_config_takes_what_check_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert options(printed(capsys, "config")) == options(printed(capsys, "check"))


@pytest.mark.parametrize("command", ["rule", "completion", "lsp"])
def test_small_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = options(printed(capsys, command)) - HELP
    assert named("rule, completion, lsp, dev", f"{command}:") == known != set()


def test_what_contributors_have(capsys: pytest.CaptureFixture[str]) -> None:
    subcommands = re.findall(r"^    ([a-z-]+) ", printed(capsys, "dev"), re.MULTILINE)
    assert len(subcommands) == 5
    line = next(line for line in PAGE.splitlines() if line.startswith("tclint dev"))
    assert sorted(re.findall(r"[a-z-]+", line.partition("contributors:")[2])) == sorted(subcommands)
    for one in subcommands:
        known = options(printed(capsys, "dev", one)) - HELP
        assert named("rule, completion, lsp, dev", f"dev {one}:") == known


def test_every_command_is_named() -> None:
    block = PAGE.partition("```\n")[2].partition("```")[0]
    assert set(re.findall(r"^tclint \[?(\w+)", block, re.MULTILINE)) == set(COMMANDS)
