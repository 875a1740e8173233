"""Reports for machines, each checked with what its own ecosystem checks with."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import (
    Confidence,
    Edit,
    Effect,
    Finding,
    Fix,
    Hop,
    Report,
    Request,
    RunError,
    Safety,
    Span,
    Stats,
)
from torch_compile_lint.report import Style, render
from torch_compile_lint.report.paths import below, uri

ROOT = Path(__file__).parent.parent
SOURCE = "def f(x, mask):\n    y = '😀'; z = x[mask]\n    return z\n"
HARD = "100% of `x`,\r\nsee a::b <&> \"quoted\" 'it'; \x1b[31m\x00 名前"


def hard(**more: Any) -> Finding:
    """A finding whose every text has to be escaped somewhere."""
    values: dict[str, Any] = {
        "code": "TCD206", "name": "boolean-mask-read", "path": "odd, dir/a%b:1.py",
        "line": 2, "column": 18, "end_line": 2, "end_column": 25, "message": HARD,
        "effect": Effect.BREAK, "confidence": Confidence.LIKELY, "function": "f<locals>",
        "gb": ("GB0036",), "why": (HARD,), "remedy": HARD, "fingerprint": "0123456789abcdef",
        "witness": (Hop("odd, dir/a%b:1.py", 1, "g"), Hop("other.py", 2, "g")),
    }  # fmt: skip
    return Finding(**{**values, **more})


def reports() -> list[Report]:
    stats = Stats(files=3)
    fix = Fix("select by 𝑤here", Safety.UNSAFE, (Edit("odd, dir/a%b:1.py", Span(29, 36), "torch.where(…)"),))
    full = (
        hard(),
        hard(line=1, column=1, end_line=3, end_column=5, fingerprint="1", effect=Effect.WRONG, witness=()),
        hard(suppressed=True, fingerprint="2"),
        hard(fix=fix, fingerprint="3", effect=Effect.SLOW),
        hard(code="TCD000", name="syntax-error", effect=Effect.ERROR, function="", fingerprint="4"),
    )
    errors = (RunError("a,b.py", HARD), RunError("", "no file"))
    return [
        Report((), (), stats, "2.14", "modules"),
        Report(full, errors, stats, "2.14", "modules"),
        Engine().check(Request((str(ROOT / "fixtures" / "quickstart"),), overrides={"cache": False})),
    ]


def rendered(name: str, number: int) -> str:
    return render(reports()[number], name, Style(lambda path: SOURCE, cwd=str(ROOT)))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_sarif_is_valid(number: int) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema).validate(json.loads(rendered("sarif", number)))


def test_sarif_says_what_a_finding_is() -> None:
    run = json.loads(rendered("sarif", 1))["runs"][0]
    first, _, hidden, fixed, broken = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert all(rule["help"]["markdown"] for rule in rules)
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "odd%2C%20dir/a%25b%3A1.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 2, "startColumn": 18, "endLine": 2, "endColumn": 25}
    assert first["partialFingerprints"] == {"tclint/v1": "0123456789abcdef"}
    flow = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [row["location"]["message"]["text"] for row in flow[:2]] == [
        "torch.compile starts at `g`",
        "`g` calls `f<locals>`",
    ]
    assert flow[-1]["location"]["physicalLocation"] == place
    assert hidden["suppressions"] == [{"kind": "inSource"}]
    change = fixed["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["deletedRegion"] == {"startLine": 2, "startColumn": 14, "endLine": 2, "endColumn": 21}
    assert [first["level"], fixed["level"], broken["level"]] == ["warning", "note", "error"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_has_a_code_flow_through_files() -> None:
    run = json.loads(rendered("sarif", 2))["runs"][0]
    flows = [r["codeFlows"][0]["threadFlows"][0]["locations"] for r in run["results"]]
    told = [[row["location"]["message"]["text"] for row in flow] for flow in flows]
    assert [
        "torch.compile starts at `Detector.forward`",
        "`Detector.forward` calls `normalize`",
        "`if` on the value of `x.isnan().any()`: graph break",
    ] in told


def test_github_commands_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    lines = rendered("github", 1).splitlines()
    assert len(lines) == 6  # nothing of HARD's line ends is left, and the suppressed one is not there
    command = re.compile(r"::(error|warning|notice) ([a-zA-Z]+=[^:,]*(?:,[a-zA-Z]+=[^:,]*)*)::(.*)")
    parsed = []
    for line in lines:
        match = command.fullmatch(line)
        assert match is not None, line
        values = dict(part.split("=", 1) for part in match.group(2).split(","))
        parsed.append((match.group(1), values, match.group(3)))
    kind, values, text = parsed[0]
    assert (kind, values["file"], values["line"]) == ("warning", "odd%2C dir/a%25b%3A1.py", "2")
    assert (values["col"], values["endColumn"]) == ("18", "25")
    assert unescaped(text).startswith(HARD.split("\r")[0])
    assert "col" not in parsed[1][1]
    assert parsed[1][1]["endLine"] == "3"
    assert [p[0] for p in parsed] == ["warning", "error", "notice", "error", "error", "error"]


def unescaped(text: str) -> str:
    return text.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


# The fields GitLab documents for its code quality reports, and what it demands of them.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./)"},
                    "lines": {"type": "object", "required": ["begin"]},
                },
            },
        },
    },
}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_gitlab_is_valid(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_PROJECT_DIR", str(ROOT))
    jsonschema = pytest.importorskip("jsonschema")
    rows = json.loads(rendered("gitlab", number))
    jsonschema.validate(rows, GITLAB)
    assert len({row["fingerprint"] for row in rows}) == len(rows)
    if number == 2:
        assert rows[0]["location"]["path"] == "fixtures/quickstart/layers.py"


@pytest.mark.parametrize(("number", "tests"), [(0, 1), (1, 6), (2, 7)])
def test_junit_is_read_by_others(number: int, tests: int) -> None:
    junitparser = pytest.importorskip("junitparser")
    found = junitparser.JUnitXml.fromroot(
        junitparser.junitparser.etree.fromstring(rendered("junit", number).encode())
    )
    cases = [case for suite in found for case in suite]
    assert len(cases) == found.tests == tests
    assert sum(not case.is_passed for case in cases) == found.failures + found.errors


def test_junit_keeps_what_xml_can_hold() -> None:
    text = rendered("junit", 1)
    import xml.etree.ElementTree as tree

    failure = next(tree.parse(io.StringIO(text)).iter("failure"))
    assert failure.get("message", "").startswith("100% of `x`,")
    assert "\x1b" not in text
    assert "名前" in text


@pytest.mark.parametrize("number", [0, 1, 2])
def test_html_is_one_page_that_loads_nothing(number: int) -> None:
    from html.parser import HTMLParser

    text = rendered("html", number)
    opened: list[str] = []
    void = {"meta", "br", "link"}

    class Balanced(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag not in {"script", "img", "link", "iframe"}
            assert not any(name == "src" for name, _ in attrs)
            if tag not in void:
                opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    page = Balanced()
    page.feed(text)
    page.close()
    assert opened == []
    assert "http" not in text
    if number == 2:
        assert "x.isnan().any()" in text
        assert "reached: `Detector.forward`" in text


def test_paths_are_as_seen_from_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert below("a/b.py", str(tmp_path)) == "a/b.py"
    assert below("../c.py", str(tmp_path)) == (tmp_path.parent / "c.py").as_posix()
    assert uri("a b/ü.py", str(tmp_path)) == "a%20b/%C3%BC.py"
    assert uri("../c.py", str(tmp_path)).startswith("file:///")
    assert uri("\udcff.py", str(tmp_path)) == "%FF.py"
