"""The script around a model: names, what was compiled, settings, and what a release has."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Finding, Request
from torch_compile_lint.registry import MEASURED
from torch_compile_lint.torchdb import db


def _check(path: Path, text: str, **overrides: object) -> list[Finding]:
    path.write_text(text)
    options = {"cache": False, "jobs": 1, "min-confidence": "possible", **overrides}
    report = Engine().check(Request(paths=(str(path),), overrides=options, isolated=True))
    assert report.errors == ()
    return list(report.findings)


@pytest.mark.parametrize("release", MEASURED)
def test_settings_of_every_measured_release_are_held(release: str) -> None:
    assert "suppress_errors" in db.settings("torch._dynamo.config", release)
    assert "log_level" not in db.settings("torch._dynamo.config", release)
    assert "triton.cudagraphs" in db.settings("options", release)
    assert {"default", "max-autotune"} <= db.settings("modes", release)
    assert {"model", "fullgraph", "backend"} <= db.settings("parameters", release)
    assert {"inductor", "eager"} <= db.settings("backends", release)
    assert db.option_type("max_autotune", release) == "bool"


def test_a_release_between_two_has_what_either_has() -> None:
    assert "recompile_limit" not in db.settings("torch._dynamo.config", "2.6")
    assert "recompile_limit" in db.settings("torch._dynamo.config", "2.7")
    assert "lite" not in db.settings("modes", "2.9") and "lite" in db.settings("modes", "2.10")
    assert db.settings("modes", "2.1") == frozenset()


def test_findings_carry_their_function_and_place(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass T:\n    def go(self):\n        torch._dynamo.config.suppress_errors = True\n"
    )
    (one,) = _check(tmp_path / "a.py", text)
    assert (one.code, one.line, one.column, one.function) == ("TCD906", 6, 9, "T.go")
    assert one.effect.value == "misuse"


def test_a_changed_body_is_seen_through_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = "import torch\n\n\ndef go():\n    torch._dynamo.config.suppress_errors = {}\n"
    folder = str(tmp_path / "cache")
    for value, count in (("True", 1), ("False", 0), ("True", 1)):
        found = _check(path, text.format(value), cache=True, **{"cache-dir": folder})
        assert len(found) == count


def test_local_names_and_imports_in_functions(tmp_path: Path) -> None:
    text = """
def inner():
    from torch._dynamo import config as c
    c.suppress_errors = True


def other(torch):
    torch._dynamo.config.suppress_errors = True


def third(config):
    import torch
    torch._dynamo.config.patch(config)
"""
    assert [f.line for f in _check(tmp_path / "a.py", text)] == [4]
