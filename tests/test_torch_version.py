"""Branches that ask for torch's version are judged for the target release, and only where it decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Request

HEAD = """\
import torch
from packaging import version
from packaging.version import Version, parse
from torch import __version__ as torch_version

"""
BODY = """


@torch.compile
def f(x):
    return x + 1 if NEW else x + x.sum().item()
"""
NEW_SINCE_2_9 = [
    'NEW = version.parse(torch.__version__) >= version.parse("2.9")',
    'NEW = Version(torch.__version__) >= Version("2.9.0")',
    "NEW = parse(torch.__version__).release >= (2, 9)",
    'NEW = not parse(parse(torch.__version__).base_version) < parse("2.9")',
    "NEW = parse(torch.__version__).major > 2 or parse(torch.__version__).minor >= 9",
    'NEW = torch.__version__ >= "2.9"',
    "NEW = torch.__version__ >= (2, 9)",
    'NEW = torch_version >= "2.9"',
    'NEW = int(torch.__version__.split(".")[0]) >= 2 and int(torch.__version__.split(".")[1]) >= 9',
    'NEW = float(".".join(["2", "9"])) if False else int(torch.version.__version__.split(".")[1]) > 8',
    'NEW = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 9)',
    'NEW = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 9)',
    'NEW = [int(n) for n in torch.__version__.split("+")[0].split(".")[:2]] >= [2, 9]',
    'MAJOR, MINOR = 2, int(torch.__version__.split(".", 2)[1])\nNEW = MINOR >= 9',
]
OPEN = [
    'NEW = version.parse(torch.__version__) >= version.parse("2.13.1")',  # a patch decides
    'NEW = version.parse(torch.__version__) > version.parse("2.13.0.dev1")',
    'NEW = torch.__version__.endswith("+cpu")',
    'NEW = "cu" in torch.__version__',
    'NEW = version.parse(torch.version.cuda) >= version.parse("12.0")',
    "NEW = version.parse(torch.__version__) >= version.parse(input())",
]


def found(tmp_path: Path, line: str, target: str) -> list[str]:
    return found_in(tmp_path, f"{HEAD}{line}{BODY}", target)


def found_in(tmp_path: Path, text: str, target: str) -> list[str]:
    file = tmp_path / "net.py"
    file.write_text(text)
    overrides = {"cache": False, "jobs": 1, "target-torch": target}
    report = Engine().check(Request((str(file),), isolated=True, overrides=overrides))
    assert not report.errors
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("line", NEW_SINCE_2_9)
def test_the_target_release_answers(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, line, "2.6") == ["TCD201"]
    for target in ("2.9", "2.14"):
        assert found(tmp_path, line, target) == []


@pytest.mark.parametrize("line", OPEN)
def test_what_no_minor_release_decides_stays_open(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, line, "2.13") == ["TCD201"]


# A library's own questions, as large ones ask them: answered once, and marked so by hand.
LIBRARY = """\
import importlib.metadata
import importlib.util
from functools import lru_cache

import torch
from packaging import version


def constant(function):
    function._dynamo_marked_constant = True
    return function


def package(name, return_version=False) -> tuple[bool, str]:
    exists = importlib.util.find_spec(name) is not None
    found = "N/A"
    if exists and return_version:
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = "N/A"
    if return_version:
        return exists, found
    return exists, None


@lru_cache
@constant
def there() -> bool:
    return package("torch")[0]


@lru_cache
@constant
def torch_version() -> str:
    _, found = package("torch", return_version=True)
    return found


@lru_cache
@constant
def older(wanted: str, accept_dev: bool = False) -> bool:
    if not there():
        return False
    if accept_dev:
        return version.parse(version.parse(torch_version()).base_version) <= version.parse(wanted)
    return version.parse(torch_version()) <= version.parse(wanted)


@torch.compile
def f(x):
    return x + x.sum().item() if QUESTION else x + 1
"""
QUESTIONS = [
    'older("2.8.0", accept_dev=True)',
    'older("2.8")',
    'version.parse(torch_version()) <= version.parse("2.8")',
    'version.parse(importlib.metadata.version("torch")) <= version.parse("2.8")',
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_target_release_answers_a_librarys_own_questions(tmp_path: Path, question: str) -> None:
    text = LIBRARY.replace("QUESTION", question)
    assert found_in(tmp_path, text, "2.14") == []
    assert found_in(tmp_path, text, "2.6") == ["TCD201"]
    assert found_in(tmp_path, LIBRARY.replace("QUESTION", "not there()"), "2.6") == []


@pytest.mark.parametrize("question", ['package("numpy")[0]', 'package("numpy", True)[1] < "2"'])
def test_other_packages_are_not_known(tmp_path: Path, question: str) -> None:
    assert found_in(tmp_path, LIBRARY.replace("QUESTION", question), "2.14") == ["TCD201"]
