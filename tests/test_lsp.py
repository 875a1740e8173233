"""The language server, asked over stdio by a real client."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsp_client import Client, client, run
from lsprotocol import types

MODEL = """\
import torch
from torch import nn


def helper(x):
    if x.sum() > 0:
        return x + 1
    return x


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        s = "é😀"; n = int(x.sum())
        y = helper(x)
        return y.relu() * n
"""
SPLIT = MODEL.index("class Net")
HELPER = MODEL[:SPLIT]
USER = "from helpers import helper\nimport torch\nfrom torch import nn\n\n\n" + MODEL[SPLIT:]


def codes(diagnostics: Any) -> list[str]:
    return sorted(str(d.code) for d in diagnostics)


def at(uri: str, line: int, character: int) -> types.HoverParams:
    return types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))


async def asked(one: Client, uri: str, line: int, character: int, only: list[str] | None = None) -> list[Any]:
    here = types.Position(line, character)
    last = one.last(uri)
    context = types.CodeActionContext([] if last is None else list(last.diagnostics), only=only)
    found = await one.lsp.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(here, here), context)
    )
    return list(found or ())


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 26), ("utf-16", 23), ("utf-32", 22)])
def test_positions_in_every_encoding(encoding: str, column: int, tmp_path: Path) -> None:
    async def work() -> None:
        async with client(tmp_path, [encoding]) as one:
            uri = (tmp_path / "model.py").as_uri()  # not on disk
            one.open(uri, MODEL)
            found = {str(d.code): d.range for d in await one.diagnostics(uri, 1)}
            assert sorted(found) == ["TCD101", "TCD202"]
            assert (found["TCD101"].start.line, found["TCD101"].start.character) == (5, 7)
            assert (found["TCD202"].start.line, found["TCD202"].start.character) == (12, column)
            # An edit behind the emoji lands where the client means it: `int(` becomes `str(`.
            one.change(uri, 2, ((12, column), (12, column + 3), "str"))
            assert "TCD202" not in codes(await one.diagnostics(uri, 2))
            one.change(uri, 3, ((12, column), (12, column + 3), "int"))
            again = {str(d.code): d.range for d in await one.diagnostics(uri, 3)}
            assert again["TCD202"] == found["TCD202"]
            hover = await one.lsp.text_document_hover_async(at(uri, 12, column + 1))
            assert hover is not None and hover.range == found["TCD202"]

    run(work)


def test_typing_hovering_and_acting(tmp_path: Path) -> None:
    async def work() -> None:
        async with client(tmp_path, ["utf-16"]) as one:
            uri = (tmp_path / "model.py").as_uri()
            one.open(uri, MODEL)
            first = await one.diagnostics(uri, 1)
            path = next(d for d in first if d.code == "TCD101").related_information
            assert [r.message for r in path or ()] == [
                "`Net.forward` is compiled",
                "`Net.forward` calls `helper`",
            ]
            hover = await one.lsp.text_document_hover_async(at(uri, 5, 9))
            assert hover is not None and isinstance(hover.contents, types.MarkupContent)
            text = hover.contents.value
            assert " is annotated as Tensor" in text and "# tensor-branch (TCD101)" in text
            assert await one.lsp.text_document_hover_async(at(uri, 0, 0)) is None

            # Rapid edits: what is said last is about the last text, and nothing out of date follows.
            for version in range(2, 32):
                one.change(uri, version, ((5, 4), (5, 4), "#"))
            assert codes(await one.diagnostics(uri, 31)) == ["TCD202"] or "TCD000" in codes(
                await one.diagnostics(uri, 31)
            )
            versions = [p.version for p in one.published[uri] if p.version]
            assert versions == sorted(versions) and versions[-1] == 31

            # In the middle of a word the rest keeps its squiggles, moved along.
            one.change(uri, 32, MODEL)
            await one.diagnostics(uri, 32)
            one.change(uri, 33, ((4, 0), (4, 0), "def broken(:\n    pass\n\n"))
            broken = {str(d.code): d.range.start.line for d in await one.diagnostics(uri, 33)}
            assert broken == {"TCD000": 4, "TCD101": 8, "TCD202": 15}
            assert [a.title for a in await asked(one, uri, 8, 8) if isinstance(a, types.CodeAction)] == []

            # Suppression: what the action writes hides the finding, and shows as unused when it goes.
            one.change(uri, 34, MODEL)
            await one.diagnostics(uri, 34)
            titles = {a.title: a for a in await asked(one, uri, 5, 8)}
            for title in ("Ignore TCD101 here (# noqa)", "Ignore tensor-branch here (# tclint: ignore)"):
                edit = titles[title].edit.document_changes[0].edits[0]
                changed = applied(MODEL, edit)
                one.change(uri, 40 + len(title), changed)
                assert codes(await one.diagnostics(uri, 40 + len(title))) == ["TCD202"]
            unused = changed.replace("x.sum() > 0", "x is None")
            one.change(uri, 90, unused)
            hint = next(d for d in await one.diagnostics(uri, 90) if d.code == "TCD001")
            assert hint.severity == types.DiagnosticSeverity.Hint
            removal = next(a for a in await asked(one, uri, hint.range.start.line, 8) if "Remove" in a.title)
            assert applied(unused, removal.edit.document_changes[0].edits[0]) == MODEL.replace(
                "x.sum() > 0", "x is None"
            )

            # The path from the compile root, as locations and opened.
            one.change(uri, 91, MODEL)
            branch = next(d for d in await one.diagnostics(uri, 91) if d.code == "TCD101")
            argument = {"uri": uri, "fingerprint": branch.data["fingerprint"]}
            command = types.ExecuteCommandParams("tclint.showPath", [argument])
            places = await one.lsp.workspace_execute_command_async(command)
            assert [p["range"]["start"]["line"] for p in places] == [11, 13, 5]
            assert one.shown == [uri]

            one.lsp.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
            )
            await one.until(lambda: one.published[uri][-1].diagnostics in ([], ()))

    run(work)


def applied(text: str, edit: types.TextEdit) -> str:
    """A text after an edit (of a text in which UTF-16 and code points agree on the edited lines)."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: edit.range.start.line])) + edit.range.start.character
    end = sum(map(len, lines[: edit.range.end.line])) + edit.range.end.character
    return text[:start] + edit.new_text + text[end:]


def test_cancelled_requests_and_unsaved_files(tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "pyproject.toml").write_text("")
        async with client(tmp_path, ["utf-16"], {"scope": "open", "debounce": 1500}) as one:
            uri = (tmp_path / "model.py").as_uri()
            one.open(uri, MODEL)
            # The text is not checked yet: the hover waits for it, and is taken back.
            request = asyncio.ensure_future(one.lsp.text_document_hover_async(at(uri, 5, 9)))
            await asyncio.sleep(0.05)
            number = next(iter(one.lsp.protocol._request_futures))
            one.lsp.cancel_request(types.CancelParams(number))
            with pytest.raises(Exception, match="cancel"):
                await request
            assert len(await one.diagnostics(uri, 1)) == 2

            # Two files that were never saved see each other; `untitled:` ones are checked as well.
            user, helpers = (tmp_path / "user.py").as_uri(), (tmp_path / "helpers.py").as_uri()
            one.open(helpers, HELPER)
            assert await one.diagnostics(helpers, 1) == []
            one.open(user, USER)
            await one.until(
                lambda: codes((one.last(helpers) or pytest.fail("nothing")).diagnostics) == ["TCD101"]
            )
            one.open("untitled:Untitled-1", MODEL)
            assert codes(await one.diagnostics("untitled:Untitled-1", 1)) == ["TCD101", "TCD202"]

    run(work)


def test_configuration_and_workspace(tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "pyproject.toml").write_text("")
        (tmp_path / "helpers.py").write_text(HELPER)
        (tmp_path / "user.py").write_text(USER)
        async with client(tmp_path, ["utf-16"], {"cache": True}) as one:
            assert [r.method for r in one.registered] in ([], ["workspace/didChangeWatchedFiles"])
            uri = (tmp_path / "helpers.py").as_uri()
            one.open(uri, HELPER)
            # user.py is not open, and calls it all the same.
            await one.until(lambda: one.last(uri) and codes(one.last(uri).diagnostics) == ["TCD101"])

            configuration = tmp_path / "tclint.toml"

            async def configured(text: str) -> None:
                configuration.write_text(text)
                event = types.FileEvent(configuration.as_uri(), types.FileChangeType.Changed)
                one.lsp.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

            await configured('ignore = ["TCD101"]\n')
            await one.until(lambda: not one.last(uri).diagnostics)
            await configured('ignroe = ["TCD101"]\n')
            for _ in range(200):
                if one.messages:
                    break
                await asyncio.sleep(0.05)
            assert "unknown key `ignroe`" in one.messages[0]
            await configured("")
            await one.until(lambda: codes(one.last(uri).diagnostics) == ["TCD101"])

            # A change on disk of a file that is not open.
            (tmp_path / "user.py").write_text(USER.replace("y = helper(x)", "y = x"))
            event = types.FileEvent((tmp_path / "user.py").as_uri(), types.FileChangeType.Changed)
            one.lsp.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await one.until(lambda: not one.last(uri).diagnostics)

    run(work)


def test_torch_confirms_in_the_background(tmp_path: Path) -> None:
    pytest.importorskip("torch")

    async def work() -> None:
        path = tmp_path / "model.py"
        text = MODEL.replace('s = "é😀"; ', "")
        path.write_text(text)
        async with client(tmp_path, ["utf-16"], {"scope": "open"}) as one:
            uri = path.as_uri()
            one.open(uri, text)
            await one.diagnostics(uri, 1)
            place = {"uri": uri, "position": {"line": 12, "character": 4}}
            command = types.ExecuteCommandParams("tclint.verify", [place])
            result = await one.lsp.workspace_execute_command_async(command)
            assert "confirmed" in result["summary"], result
            await one.until(lambda: any("Confirmed by torch" in d.message for d in one.last(uri).diagnostics))
            branch = next(d for d in one.last(uri).diagnostics if d.code == "TCD101")
            assert branch.severity == types.DiagnosticSeverity.Error
            # An edit of that function takes its verdict away.
            one.change(uri, 2, ((5, 17), (5, 18), "1"))
            later = next(d for d in await one.diagnostics(uri, 2) if d.code == "TCD101")
            assert "Confirmed" not in later.message
            result = await one.lsp.workspace_execute_command_async(command)
            assert "save the file" in result["error"]

    run(work)


def test_without_pygls_there_is_one_line() -> None:
    code = "import sys; sys.modules['pygls'] = None; from torch_compile_lint.front import cli; "
    code += "sys.exit(cli.run(['lsp']))"
    root = Path(__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "lint"), str(root / "rules")])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert 'pip install "torch-compile-lint[lsp]"' in done.stderr
