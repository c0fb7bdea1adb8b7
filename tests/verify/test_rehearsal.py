"""The cells that need CUDA run with a stand-in for it: no name in them is misspelled."""

import json

import pytest

from tests.verify.books import markdown
from tests.verify.rehearsal import in_a_process

SETUP = "import torch\nimport subprocess, sys"
GOOD = """\
# needs: CUDA
x, side = torch.ones(2**24, device="cuda"), torch.cuda.Stream()
pinned, done = torch.ones(2, 4096, pin_memory=True), torch.cuda.Event(enable_timing=True)
with torch.cuda.stream(side):
    y = x.view(4096, 4096).to("cpu", non_blocking=True)
x.record_stream(side)
done.record()
try:
    x.numpy()
    raise AssertionError("no error was raised")
except TypeError as error:
    assert "cuda" in str(error)
assert done.query() and torch.cuda.memory_allocated() > 1e12 and pinned.is_pinned()
code = "import torch; print(torch.ones(2**34).cuda().numel())"
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
assert int(done.stdout) == 2**17"""
# What is misspelled in GOOD, how, and what is said of it.
MISSPELLED = {
    "a function": ("memory_allocated", "memory_alocated", "no torch.cuda.memory_alocated"),
    "a class": ("cuda.Event", "cuda.Evnt", "there is no torch.cuda.Evnt"),
    "a method": ("x.record_stream", "x.record_stram", "AttributeError"),
    "a method of an event": ("done.record()", "done.rekord()", "AttributeError"),
    "an argument": ("enable_timing", "enable_timming", "TypeError"),
    "an argument of to": ("non_blocking", "non_bloking", "TypeError"),
    "an argument of a function": ("pin_memory=True", "pin_memry=True", "TypeError"),
    "a variable": ("stream(side)", "stream(sied)", "NameError"),
    "in an assertion": ("pinned.is_pinned", "pinned.is_pined", "AttributeError"),
    "in code for another process": ("numel()", "numell()", "AttributeError"),
    "where no error comes here": ("str(error)", "torch.strr(error)", "there is no torch.strr"),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return what is said of a small book: a good notebook, and one for each misspelling."""
    root = tmp_path_factory.mktemp("planted")
    (root / "book").mkdir()
    sources = {"good": GOOD}
    for number, (right, wrong, _) in enumerate(MISSPELLED.values()):
        assert right in GOOD
        sources[f"wrong{number}"] = GOOD.replace(right, wrong)
    for name, source in sources.items():
        cells = [markdown("title", "# Title")]
        for id, text, tags in (("setup", SETUP, []), ("gpu", source, ["gpu"])):
            cell = {"cell_type": "code", "id": id, "metadata": {"tags": tags}, "source": text}
            cells.append(cell | {"execution_count": None, "outputs": []})
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (root / "book" / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return in_a_process(root)


def test_a_good_cell_is_let_through(planted):
    assert planted[-1] == f"{len(MISSPELLED) + 1} cells rehearsed"
    assert not [line for line in planted if "good.ipynb" in line]


@pytest.mark.parametrize("what", MISSPELLED)
def test_a_misspelling_is_found(planted, what):
    number = list(MISSPELLED).index(what)
    found = [line for line in planted if f"wrong{number}.ipynb" in line]
    assert any(MISSPELLED[what][2] in line for line in found), found
