"""README and docs: every example in them is run, and every configuration in them is read.

A ``console`` block is run line by line (what follows `$`), in a copy of the fixtures, and prints what stands
below it; a line `...` stands for any number of lines. TOML, JSON and YAML blocks are read by what will read
them. ``sh`` blocks are not run here: those of the README are (`.ci/run`), others are patterns to fill in, of
which the options must exist.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch_compile_lint.front import options, verify_cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def blocks(*languages: str) -> Iterator[tuple[str, str]]:
    """('page:line', text) of each block in one of the languages."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            if found.group(2) in languages:
                indent = found.group(1)
                lines = [line.removeprefix(indent) for line in found.group(3).splitlines()]
                line = text.count("\n", 0, found.start()) + 1
                yield f"{page.relative_to(ROOT).as_posix()}:{line}", "\n".join(lines)


def commands(text: str) -> list[tuple[str, list[str]]]:
    """(command, expected lines) of a console block."""
    out: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        else:
            out[-1][1].append(line)
    return out


def pattern(expected: list[str]) -> str:
    """What the output has to match; trailing space does not count, and `...` stands for anything."""
    parts = []
    for line in expected:
        text = re.escape(line.rstrip()).replace(r"\.\.\.", ".*")
        parts.append(r"(?:.*\n)*?" if line.strip() == "..." else text + "\n")
    return "".join(parts)


CONSOLE = list(blocks("console"))


@pytest.mark.parametrize(("place", "text"), CONSOLE, ids=[place for place, _ in CONSOLE])
def test_what_is_shown_is_what_comes(place: str, text: str, tmp_path: Path) -> None:
    for name in ("quickstart", "tutorial"):
        shutil.copytree(ROOT / "fixtures" / name, tmp_path / "fixtures" / name)
    wrapper = tmp_path / "bin" / "tclint"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m torch_compile_lint "$@"\n')
    wrapper.chmod(0o755)
    env = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "VIRTUAL_ENV")}
    env["PATH"] = f"{wrapper.parent}{os.pathsep}{env['PATH']}"
    env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    for command, expected in commands(text):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr
        printed = "".join(line.rstrip() + "\n" for line in (done.stdout + done.stderr).splitlines())
        assert re.fullmatch(pattern(expected), printed), f"{command} printed\n{printed}"


def test_there_are_examples_to_run() -> None:
    assert len([place for place, _ in CONSOLE if place.startswith("README.md")]) >= 4
    assert any(place.startswith("docs/AGENTS.md") for place, _ in CONSOLE)


@pytest.mark.parametrize(("place", "text"), list(blocks("toml")))
def test_configuration_that_is_shown_is_read(place: str, text: str) -> None:
    from torch_compile_lint import config

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    tools = tomllib.loads(text).get("tool", {})
    for name in config.OUR_TABLES:
        config.read_table(tools.get(name, {}), place)


def test_ruff_keeps_our_comments_with_the_lines_we_show(tmp_path: Path) -> None:
    pytest.importorskip("ruff")
    (shown,) = [text for place, text in blocks("toml") if place.startswith("README") and "tool.ruff" in text]
    (tmp_path / "a.py").write_text("x = 1  # noqa: TCD101\n")
    project = tmp_path / "pyproject.toml"

    def complains() -> bool:
        command = ["-m", "ruff", "check", "--no-cache", "--extend-select", "RUF100,RUF102", "a.py"]
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, check=False)
        return done.returncode != 0

    project.write_text("[tool.ruff]\n")
    before = complains()
    project.write_text(shown)
    assert (before, complains()) == (True, False)


@pytest.mark.parametrize(("place", "text"), list(blocks("yaml")))
def test_yaml_that_is_shown_is_yaml(place: str, text: str) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(text)


@pytest.mark.parametrize(("place", "text"), list(blocks("json", "jsonc")))
def test_json_that_is_shown_is_json(place: str, text: str) -> None:
    json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


def test_options_in_examples_exist() -> None:
    parsers = {"check": options.check_parser(), "verify": verify_cli.parser()}
    known = {
        name: {o for action in parser._actions for o in action.option_strings}
        for name, parser in parsers.items()
    }
    for place, text in blocks("sh", "bash", "console"):
        for line in re.sub(r"\\\n", " ", text).splitlines():
            for call in re.findall(r"(?:^|[ /])(?:tclint|torch-compile-lint) ([^|&;#>]*)", line):
                words = call.split()
                command = words[0] if words and words[0] in ("verify", "check") else "check"
                if words and words[0] in ("rule", "doctor", "lsp", "dev", "completion", "config"):
                    continue
                for word in words:
                    if word.startswith("-") and word != "-":
                        assert word.split("=")[0] in known[command], f"{place}: {command} has no {word}"


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        if ROOT / "docs" / "pages" in page.parents:
            continue  # links between pages of the site are checked when it is built: tests/test_site.py
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


# ---------------------------------------------------------------- machines


def test_the_json_report_is_what_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from torch_compile_lint.__main__ import main

    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    main([str(ROOT / "fixtures"), "--format", "json", "--no-cache", "--min-confidence", "possible"])
    report = json.loads(capsys.readouterr().out)
    check.validate(report)
    assert len(report["findings"]) > 5
    assert any(f["fix"] for f in report["findings"])
    # The schema is not merely permissive: each key of a finding is described.
    assert set(report["findings"][0]) <= set(schema["$defs"]["finding"]["properties"])
    verdict = {
        "outcome": "confirmed", "gb": "GB0170", "effect": "break", "evidence": "call",
        "device": "cpu", "torch": "2.13.0", "detail": "",
    }  # fmt: skip
    report["findings"][0]["verdict"] = verdict
    check.validate(report)
    verdict["outcome"] = "maybe"
    assert not check.is_valid(report)


def test_the_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    from torch_compile_lint.__main__ import main

    assert main(["rule", "--format", "json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert len(rules) > 50
    for rule in rules:
        assert {"code", "name", "summary", "category", "fix", "aliases", "forms", "claims"} <= set(rule)
        assert all({"since", "until", "effect", "gb", "verified"} <= set(c) for c in rule["claims"])


# ---------------------------------------------------------------- continuous integration


@pytest.mark.parametrize(
    ("file", "schema"), [("action.yml", "vendor.github-actions"), ("gitlab.yml", "vendor.gitlab-ci")]
)
def test_what_others_include_is_valid(file: str, schema: str) -> None:
    pytest.importorskip("check_jsonschema")
    command = ["-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / "docs" / "ci" / file)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("bash") is None or shutil.which("git") is None, reason="needs bash and git")
def test_the_action_reports_what_a_pull_request_brings(tmp_path: Path) -> None:
    """Its script, with an installation that is already there instead of pip."""
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]

    def git(folder: Path, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)

    origin, work, scratch = (tmp_path / name for name in ("origin", "work", "scratch"))
    shutil.copytree(ROOT / "fixtures" / "quickstart", origin)
    git(origin, "init", "-q", "-b", "main")
    git(origin, "add", "-A")
    git(origin, *author, "commit", "-q", "-m", "start")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{origin}", str(work))
    git(work, "checkout", "-q", "-b", "topic")
    (work / "layers.py").write_text((work / "layers.py").read_text() + "\n\n" + NEW)
    git(work, *author, "commit", "-q", "-a", "-m", "more")
    scratch.mkdir()
    python = scratch / "python"
    python.write_text(
        "#!/bin/sh\n"  # stands for `python -m venv FOLDER`
        'mkdir -p "$3/bin"; printf "#!/bin/sh\\n" > "$3/bin/pip"\n'
        f"printf '#!/bin/sh\\nexec {sys.executable} -m torch_compile_lint \"$@\"\\n'"
        ' > "$3/bin/torch-compile-lint"\n'
        'chmod +x "$3/bin/"*\n'
    )
    python.chmod(0o755)
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "GITHUB_ACTION_PATH": str(ROOT / "docs" / "ci"),
        "GITHUB_BASE_REF": "main",
        "GITHUB_OUTPUT": str(scratch / "output"),
        "GITHUB_STEP_SUMMARY": str(scratch / "summary"),
        "GITHUB_WORKSPACE": str(work),
        "RUNNER_TEMP": str(scratch),
        "TCLINT_ARGS": "--min-confidence proved",
        "TCLINT_DIFF_BASE": "auto",
        "TCLINT_PATHS": ".",
        "TCLINT_PYTHON": str(python),
        "TCLINT_SARIF": "found.sarif",
    }
    script = str(ROOT / "docs" / "ci" / "github.sh")
    done = subprocess.run(["bash", script], cwd=work, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert re.findall(r"^::(\w+) file=([^,]+),", done.stdout, re.MULTILINE) == [("warning", "layers.py")]
    assert (scratch / "output").read_text() == "sarif=found.sarif\n"
    assert len(json.loads((work / "found.sarif").read_text())["runs"][0]["results"]) == 1
    assert "TCD201" in (scratch / "summary").read_text()


NEW = """\
class Late(nn.Module):
    def forward(self, x: Tensor) -> float:
        return x.sum().item()
"""
