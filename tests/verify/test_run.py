"""`make run` stores outputs in one normalized form, and only what a good run gives."""

import json

import pytest
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import compute_unique_slug
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.verify.books import GPU, H200, add, code_cells, run, text
from verify import ROOT
from verify import run as command
from verify.book import Book
from verify.markdown import anchored
from verify.normal_form import NOTEBOOK_METADATA


def test_outputs_are_stored_and_a_second_run_changes_nothing(book, capsys):
    path = add(
        book,
        new_markdown_cell("# Über"),
        "import os, sys\nprint(os.listdir('.'))",
        "",
        "for i in range(3):\n    print(i, flush=True)\ni",
        "import math",
    )
    before = json.loads(path.read_text(encoding="utf-8"))
    assert run(book, "clone") == 0
    stored = path.read_bytes()
    after = json.loads(stored)
    assert [cell["id"] for cell in after["cells"]] == [cell["id"] for cell in before["cells"]]
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, 4]
    assert text(cells[0]) == "[]\n"  # an empty folder
    assert [output["output_type"] for output in cells[2]["outputs"]] == ["stream", "execute_result"]
    assert cells[2]["outputs"][0]["text"] == ["0\n", "1\n", "2\n"]
    assert cells[2]["outputs"][1]["execution_count"] == 3
    assert (
        "Über".encode() in stored and stored.endswith(b"}\n") and stored.startswith(b'{\n "cells"')
    )
    changed = path.stat().st_mtime_ns
    assert run(book, "methods/clone.ipynb") == 0
    assert path.read_bytes() == stored
    assert path.stat().st_mtime_ns == changed  # not even written
    assert "unchanged" in capsys.readouterr().out


def test_metadata_is_normalized(book):
    noisy = new_code_cell("1", metadata={"tags": ["hide-input"], "collapsed": False, "colab": {}})
    noisy.metadata["execution"] = {"iopub.status.busy": "2026-01-01"}
    path = add(book, noisy)
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["metadata"] = {"kernelspec": {"name": "mine", "display_name": "Mine"}, "colab": {"a": 1}}
    path.write_text(json.dumps(raw), encoding="utf-8")
    path.chmod(0o644)
    assert run(book, "clone") == 0
    after = json.loads(path.read_text(encoding="utf-8"))
    assert after["cells"][0]["metadata"] == {"tags": ["hide-input"]}
    assert after["metadata"] == NOTEBOOK_METADATA
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_claim_gets_the_anchor_that_jupyter_leads_to(book):
    old = "> **Claim `clone.one`** · Yes.", '> <a id="clone.two"></a>**Claim `clone.three`** · Yes.'
    path = add(book, *map(new_markdown_cell, old), "1")
    assert run(book, "clone") == 0
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"][:2]
    assert ["".join(cell["source"]) for cell in cells] == [
        f'> <a id="clone.{word}"></a>**Claim `clone.{word}`** · Yes.' for word in ("one", "three")
    ]


def test_headings_get_the_anchors_to_which_notebooks_link(book):
    old = [
        '# <a id="old"></a>One',
        "## f\\_x() and `y`, [z](z.md)\n\n[a](#f_x-and-y-z), [b](#f_x-and-y-z-1), [c](#clone.two)",
        "```\n# One\n```\n\n#### One",
        "## f_x() and y, *z*\n### Another",
    ]
    path = add(book, *map(new_markdown_cell, old), "1")
    add(book, new_markdown_cell("[d](clone.ipynb#another)"), name="methods/detach")
    add(book, new_markdown_cell("[e](clone.ipynb#one)"), name="topics/clone")  # no such file
    assert run(book, "methods/clone") == 0
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"][: len(old)]
    assert ["".join(cell["source"]) for cell in cells] == [
        "# One",
        old[1].replace("f\\", '<a id="f_x-and-y-z"></a>f\\'),
        old[2],
        '## <a id="f_x-and-y-z-1"></a>f_x() and y, *z*\n### <a id="another"></a>Another',
    ]


def test_the_anchor_of_a_heading_is_that_of_the_site():
    for notebook in Book(ROOT).notebooks:
        texts, known = [cell.source for cell in notebook.text], set()
        for token in SyntaxTreeNode(MarkdownIt().parse("\n\n".join(texts))):
            if token.tag in ("h1", "h2", "h3"):
                known.add(compute_unique_slug(token, known))
        assert anchored(texts, ())[1] == known


def test_a_display_between_two_prints_keeps_its_place(book):
    path = add(book, "print(1)\ndisplay({'a': 1})\nprint(2)")
    assert run(book, "clone") == 0
    kinds = [output["output_type"] for output in code_cells(path)[0]["outputs"]]
    assert kinds == ["stream", "display_data", "stream"]


def test_snippets_are_refreshed(book):
    snippet = book / "_snippets" / "draw.py"
    snippet.write_text("# snippet: draw\nprint('new')\n", encoding="utf-8")
    path = add(book, "# snippet: draw\nprint('old')")
    assert run(book, "clone") == 0
    assert "".join(code_cells(path)[0]["source"]) == "# snippet: draw\nprint('new')"
    assert text(code_cells(path)[0]) == "new\n"


@pytest.mark.parametrize(
    ("content", "message"), [(None, "does not exist"), ("print(1)\n", "must begin with the line")]
)
def test_a_snippet_that_cannot_be_copied(book, capsys, content, message):
    if content:
        (book / "_snippets" / "draw.py").write_text(content, encoding="utf-8")
    path = add(book, "# snippet: draw\nprint('old')")
    before = path.read_bytes()
    assert run(book, "clone") == 1
    assert message in capsys.readouterr().err
    assert path.read_bytes() == before


def test_without_gpu_recorded_cells_stay_and_others_stay_empty(book):
    recorded = new_code_cell("recorded", metadata={**GPU, "recorded": H200}, execution_count=9)
    recorded.outputs = [new_output("execute_result", {"text/plain": "cuda"}, execution_count=9)]
    invented = new_code_cell("invented", metadata=GPU, execution_count=3)
    invented.outputs = [new_output("stream", name="stdout", text="invented\n")]
    path = add(book, "print(1)", recorded, invented, "print(2)")
    assert run(book, "clone") == 0
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == [1, 2, None, 4]
    assert cells[1]["outputs"][0]["data"] == {"text/plain": ["cuda"]}
    assert cells[1]["outputs"][0]["execution_count"] == 2
    assert cells[1]["metadata"]["recorded"] == H200
    assert cells[2]["outputs"] == []


def test_with_gpu_only_gpu_cells_are_stored(book, monkeypatch, capsys):
    monkeypatch.setattr(command, "describe_gpu", lambda: H200)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    visible = "import os\nprint(os.environ.get('CUDA_VISIBLE_DEVICES'))"
    path = add(book, visible, new_code_cell(visible, metadata=GPU))
    add(book, "1 / 0", name="topics/no_gpu_cell")  # not even run
    assert run(book, "clone") == 0
    assert text(code_cells(path)[0]) == "\n"  # CUDA is hidden: stored outputs are the CPU's
    assert run(book, "all", "--gpu") == 0
    cells = code_cells(path)
    assert [text(cell) for cell in cells] == ["\n", "0\n"]
    assert [cell["execution_count"] for cell in cells] == [1, 2]
    assert cells[1]["metadata"] == {**GPU, "recorded": H200}
    assert "Recording on NVIDIA H200" in capsys.readouterr().out
    assert run(book, "no_gpu_cell", "--gpu") == 1
    assert "nothing to record" in capsys.readouterr().err


def test_all_goes_on_after_a_notebook_that_fails(book, capsys):
    bad = add(book, "print(1)", "x = 41\nassert x == 42, 'not the answer'", name="methods/bad")
    good = add(book, "print(2)", name="topics/good")
    before = bad.read_bytes()
    assert run(book, "all") == 1
    assert bad.read_bytes() == before
    assert text(code_cells(good)[0]) == "2\n"
    shown = capsys.readouterr()
    assert "[2/2]" in shown.out and "FAILED" in shown.out
    assert f"{bad}: code cell 2" in shown.err
    assert "assert x == 42, 'not the answer'" in shown.err and "AssertionError" in shown.err


def test_a_kernel_that_dies_is_reported(book, capsys):
    path = add(book, "import os\nos._exit(1)")
    before = path.read_bytes()
    assert run(book, "clone") == 1
    assert "the kernel died" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_an_edit_made_during_the_run_is_kept(book, capsys):
    path = add(book, "")
    edit = f"import pathlib\npathlib.Path({str(path)!r}).write_text('edited')"
    add(book, edit)
    assert run(book, "clone") == 1
    assert "was edited during the run" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "edited"


def test_a_notebook_begins_with_the_snippet_verified(book):
    (book / "_snippets" / "verified.py").write_text("# snippet: verified\nx = 1\n")
    path = add(book, new_markdown_cell("# Title"), "import torch")
    assert run(book, "clone") == 0
    first, second = code_cells(path)
    assert "".join(first["source"]) == "# snippet: verified\nx = 1"
    assert first["metadata"] == {"tags": ["remove-cell"]} and second["execution_count"] == 2
    stored = path.read_bytes()
    assert run(book, "clone") == 0 and path.read_bytes() == stored
