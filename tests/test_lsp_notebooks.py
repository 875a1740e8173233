"""Notebooks in the language server, asked over stdio by a real client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsp_client import Client, client, notebook_cell, run
from lsprotocol import types
from test_documents import CELLS, notebook
from test_lsp import applied, asked, at, codes
from torch_compile_lint.front.cli import run as tclint

CLASS = """\
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x"""
USE = "net = Net()\ny = net(torch.ones(3))"
COMPILE = "%matplotlib inline\nfast = torch.compile(net)\nfast(torch.ones(3))"
THREE = {"one": ("python", CLASS), "two": ("python", USE), "three": ("python", COMPILE)}


def uris(folder: Path, cells: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The cells with URIs as VS Code makes them."""
    return {cell(folder, name): held for name, held in cells.items()}


def cell(folder: Path, name: str) -> str:
    return f"vscode-notebook-cell:{folder.as_posix()}/n.ipynb#{name}"


def places(one: Client, uri: str) -> list[tuple[str, int, int]]:
    """(code, line, character) of what is said of a cell, from 0."""
    last = one.last(uri)
    found = [] if last is None else last.diagnostics
    return sorted((str(d.code), d.range.start.line, d.range.start.character) for d in found)


def text_change(uri: str, version: int, *changes: Any) -> types.NotebookDocumentCellContentChanges:
    made: list[Any] = []
    for (a, b), (c, d), text in changes:
        span = types.Range(types.Position(a, b), types.Position(c, d))
        made.append(types.TextDocumentContentChangePartial(range=span, text=text))
    return types.NotebookDocumentCellContentChanges(types.VersionedTextDocumentIdentifier(version, uri), made)


def array(
    start: int, deleted: int, *items: types.TextDocumentItem
) -> types.NotebookDocumentCellChangeStructure:
    cells = [notebook_cell(item.uri, item.language_id) for item in items]
    return types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(start, deleted, cells), list(items)
    )


def test_cells_are_one_program(tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "tclint.toml").write_text('roots = "marked"\n')
        book = (tmp_path / "n.ipynb").as_uri()
        one_uri, two, three = (cell(tmp_path, name) for name in THREE)
        async with client(tmp_path, ["utf-16"], {"scope": "open"}) as one:
            # Written in cell 1, given a tensor in cell 2, compiled in cell 3.
            one.open_notebook(book, uris(tmp_path, THREE))
            first = await one.diagnostics(one_uri, 1)
            assert places(one, one_uri) == [("TCD101", 5, 11)]
            assert await one.diagnostics(two, 1) == [] and await one.diagnostics(three, 1) == []
            assert one.last(book) is None  # cells have diagnostics, the notebook has none
            root = (first[0].related_information or ())[0]
            assert (root.location.uri, root.location.range.start.line) == (one_uri, 4)

            hover = await one.lsp.text_document_hover_async(at(one_uri, 5, 12))
            assert hover is not None and isinstance(hover.contents, types.MarkupContent)
            assert "# tensor-branch (TCD101)" in hover.contents.value and hover.range == first[0].range
            assert await one.lsp.text_document_hover_async(at(two, 1, 5)) is None

            # Not compiled any more, and compiled again.
            one.change_notebook(
                book, 2, text_content=[text_change(three, 2, ((1, 0), (2, 0), "fast = net\n"))]
            )
            assert await one.diagnostics(three, 2) == []
            await one.until(lambda: places(one, one_uri) == [])
            back = text_change(three, 3, ((1, 0), (2, 0), "fast = torch.compile(net)\n"))
            one.change_notebook(book, 3, text_content=[back])
            await one.until(lambda: places(one, one_uri) == [("TCD101", 5, 11)])

            # An edit above, in the cell itself.
            one.change_notebook(book, 4, text_content=[text_change(one_uri, 2, ((0, 0), (0, 0), "# é😀\n"))])
            await one.diagnostics(one_uri, 2)
            assert places(one, one_uri) == [("TCD101", 6, 11)]

            # While a cell does not parse, the others keep their squiggles.
            one.change_notebook(book, 5, text_content=[text_change(two, 2, ((0, 0), (0, 0), "def (:\n"))])
            assert codes(await one.diagnostics(two, 2)) == ["TCD000"]
            assert places(one, one_uri) == [("TCD101", 6, 11)]
            one.change_notebook(book, 6, text_content=[text_change(two, 3, ((0, 0), (1, 0), ""))])
            assert await one.diagnostics(two, 3) == []

            one.lsp.notebook_document_did_save(
                types.DidSaveNotebookDocumentParams(types.NotebookDocumentIdentifier(book))
            )
            closed = [types.TextDocumentIdentifier(uri) for uri in (one_uri, two, three)]
            one.lsp.notebook_document_did_close(
                types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(book), closed)
            )
            await one.until(lambda: places(one, one_uri) == [])
            assert await one.lsp.text_document_hover_async(at(one_uri, 6, 12)) is None

    run(work)


def test_cells_come_and_go(tmp_path: Path) -> None:
    async def work() -> None:
        book = (tmp_path / "n.ipynb").as_uri()
        helper, net = cell(tmp_path, "helper"), cell(tmp_path, "net")
        start = {
            "text": ("markdown", "# Title"),
            "net": (
                "python",
                "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n"
                "    def forward(self, x: torch.Tensor):\n        return helper(x)",
            ),
        }
        async with client(tmp_path, ["utf-16"], {"scope": "open"}) as one:
            one.open_notebook(book, uris(tmp_path, start))
            assert await one.diagnostics(net, 1) == []
            # A cell is added between the two: what `forward` calls is known now.
            item = types.TextDocumentItem(helper, "python", 1, "def helper(x):\n    return int(x.sum())")
            one.change_notebook(book, 2, structure=array(1, 0, item))
            found = await one.diagnostics(helper, 1)
            assert places(one, helper) == [("TCD202", 1, 11)]
            related = found[0].related_information or ()
            assert [(r.location.uri, r.location.range.start.line) for r in related] == [(net, 4), (net, 5)]
            hover = await one.lsp.text_document_hover_async(at(helper, 1, 12))
            assert hover is not None and isinstance(hover.contents, types.MarkupContent)
            assert "Reached: `Net.forward` (cell 3 line 6) → `helper`" in hover.contents.value
            argument = {"uri": helper, "fingerprint": found[0].data["fingerprint"]}
            command = types.ExecuteCommandParams("tclint.showPath", [argument])
            shown = await one.lsp.workspace_execute_command_async(command)
            assert [(p["uri"], p["range"]["start"]["line"]) for p in shown] == [
                (net, 4),
                (net, 5),
                (helper, 1),
            ]
            command = types.ExecuteCommandParams("tclint.verify", [{"uri": net, "position": {"line": 4}}])
            assert "cannot be imported" in (await one.lsp.workspace_execute_command_async(command))["error"]
            titles = [a.title for a in await asked(one, helper, 1, 12)]
            assert "Ignore TCD202 here (# noqa)" in titles and not any("Ask torch" in t for t in titles)

            # Turned into text, it is no part of the program; turned back, it is.
            kinds = types.NotebookCellKind
            one.change_notebook(book, 3, data=[types.NotebookCell(kinds.Markup, helper)])
            await one.until(lambda: places(one, helper) == [])
            one.change_notebook(book, 4, data=[types.NotebookCell(kinds.Code, helper)])
            await one.until(lambda: places(one, helper) == [("TCD202", 1, 11)])

            # Removed.
            gone = types.NotebookDocumentCellChangeStructure(
                types.NotebookCellArrayChange(1, 1), None, [types.TextDocumentIdentifier(helper)]
            )
            one.change_notebook(book, 5, structure=gone)
            await one.until(lambda: places(one, helper) == [])
            # All of them removed, and one comes back.
            one.change_notebook(book, 6, structure=array(0, 2))
            net_item = types.TextDocumentItem(
                net, "python", 7, start["net"][1].replace("helper(x)", "x.item()")
            )
            one.change_notebook(book, 7, structure=array(0, 0, net_item))
            assert codes(await one.diagnostics(net, 7)) == ["TCD201"]

    run(work)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 26), ("utf-16", 23), ("utf-32", 22)])
def test_positions_in_every_encoding(encoding: str, column: int, tmp_path: Path) -> None:
    async def work() -> None:
        book, net = "untitled:Untitled-1.ipynb", "vscode-notebook-cell:Untitled-1.ipynb#a"
        text = "import torch\r\nclass Net(torch.nn.Module):\r\n    def forward(self, x: torch.Tensor):\r\n"
        text += '        s = "é😀"; n = int(x.sum())\r\n        return x * n'
        async with client(tmp_path, [encoding], {"scope": "open"}) as one:
            one.open_notebook(
                book,
                {"vscode-notebook-cell:Untitled-1.ipynb#b": ("python", "%pip list"), net: ("python", text)},
            )
            await one.diagnostics(net, 1)
            assert places(one, net) == [("TCD202", 3, column)]
            # An edit behind the emoji lands where the client means it.
            edit = text_change(net, 2, ((3, column), (3, column + 3), "str"))
            one.change_notebook(book, 2, text_content=[edit])
            assert "TCD202" not in codes(await one.diagnostics(net, 2))
            edit = text_change(net, 3, ((3, column), (3, column + 3), "int"))
            one.change_notebook(book, 3, text_content=[edit])
            await one.diagnostics(net, 3)
            assert places(one, net) == [("TCD202", 3, column)]

    run(work)


def test_the_same_as_the_command_line_and_fixes_spare_magics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    magics = ("code", CELLS[3][1].replace("        print(x)\n", "        %time print(x)\n        print(x)\n"))
    cells = (*CELLS[:3], magics, *CELLS[4:])
    (tmp_path / "n.ipynb").write_text(notebook(cells), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    tclint(["n.ipynb", "--no-cache", "--target-torch", "2.14", "--format", "json"])
    wanted = [
        (f["cell"], f["line"] - 1, f["code"], f["fingerprint"])
        for f in json.loads(capsys.readouterr().out)["findings"]
    ]
    assert len(wanted) == 3

    async def work() -> None:
        languages = {"markdown": "markdown", "code": "python"}
        names = [cell(tmp_path, str(number)) for number in range(1, len(cells) + 1)]
        book = (tmp_path / "n.ipynb").as_uri()
        async with client(tmp_path, ["utf-32"]) as one:
            held = {n: (languages[kind], text) for n, (kind, text) in zip(names, cells, strict=True)}
            one.open_notebook(book, held)
            await one.diagnostics(names[3], 1)
            said = [
                (number, d.range.start.line, str(d.code), d.data["fingerprint"])
                for number, name in enumerate(names, 1)
                for d in (one.last(name) or types.PublishDiagnosticsParams(name, [])).diagnostics
            ]
            assert said == wanted

            # A suppression, written into the cell.
            actions = {a.title: a for a in await asked(one, names[2], 1, 8)}
            (change,) = actions["Ignore TCD101 here (# noqa)"].edit.document_changes
            assert (change.text_document.uri, change.text_document.version) == (names[2], 1)
            assert applied(cells[2][1], change.edits[0]) == cells[2][1].replace(
                "> 0:", "> 0:  # noqa: TCD101"
            )

            # Fixes of the cell, of the notebook: nothing but the lines they mean, not the magics.
            fixed = magics[1].replace(
                "        print(x)\n", "        if not torch.compiler.is_compiling():\n            print(x)\n"
            )
            line = next(place[1] for place in said if place[0] == 4 and place[1] == 4)
            actions = {a.title: a for a in await asked(one, names[3], line, 8)}
            (title,) = [t for t in actions if "unsafe" in t]
            (change,) = actions[title].edit.document_changes
            assert change.text_document.uri == names[3]
            assert applied(magics[1], change.edits[0]) == fixed
            for kind in ("source.fixAll.tclint", "notebook.source.fixAll.tclint"):
                assert all(a.kind == kind for a in await asked(one, names[3], 0, 0, [kind]))

    run(work)
