"""The home page's two tables are typed, so every row of them is run here."""

import copy
import re
import warnings

import numpy as np
import pytest
import torch

from verify import ROOT, evidence

INDEX = ROOT / "book" / "index.md"


def table_after(heading: str) -> list[list[str]]:
    """Return the cells of the first table below `heading`, without its two head rows."""
    text = INDEX.read_text(encoding="utf-8").split(heading, 1)[1]
    rows = re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def codes(cell: str) -> list[str]:
    """Return the code spans of a table cell."""
    return re.findall(r"`([^`]+)`", cell)


NEEDS = [code for row in table_after("# Copying Tensors") for code in codes(row[1])]
METHODS = [
    (code, *row[1:4])
    for row in table_after("## The methods side by side")
    for code in codes(row[0])
]


def names() -> dict[str, object]:
    """Return what the expressions on the page refer to; `x` requires grad and is no leaf."""
    leaf = torch.ones(2, dtype=torch.float64, requires_grad=True)
    x = leaf * torch.tensor([2.0, 3.0])
    return {
        "torch": torch, "copy": copy, "model": torch.nn.Linear(1, 1), "leaf": leaf,
        "x": x, "y": torch.zeros(2, dtype=torch.float64),
        "a": x, "b": x.detach(), "data": [1.0, 2.0], "device": "cpu",
    }  # fmt: skip


def test_tables_are_found():
    assert len(NEEDS) >= 14
    assert len(METHODS) >= 9


@pytest.mark.parametrize("code", [code for code in NEEDS if code != "x"])
def test_expression_of_a_need_runs(code):
    if "cuda" in code and not torch.cuda.is_available():
        pytest.skip("not run: needs CUDA")
    scope = names()
    if code == "x.item()":  # needs a tensor with one element
        scope["x"] = scope["x"][0]
    exec(code, scope)


@pytest.mark.parametrize(("code", "memory", "gradients", "requires_grad"), METHODS)
def test_row_of_the_method_table(code, memory, gradients, requires_grad):
    scope = names()
    x, leaf = scope["x"], scope["leaf"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = eval(code, scope)
    assert bool(caught) == ("warning" in memory)

    start = x.untyped_storage().data_ptr()
    array = isinstance(result, np.ndarray)
    address = result.ctypes.data if array else result.untyped_storage().data_ptr()
    if "or `x` itself" in memory:
        assert result is x
        scope["device"] = "meta"
        result = eval(code, scope) if "device" in code else x.to("cpu", copy=True)
        assert result is not x
    else:
        assert (address == start) == memory.startswith("shared")
        assert (address != start) == memory.startswith("its own")

    if array:
        assert requires_grad == "—"
        return
    assert result.requires_grad == (requires_grad == "yes")
    reaches = result.requires_grad
    if reaches and result.device.type != "meta":
        result.sum().backward()
        assert leaf.grad.tolist() == [2.0, 3.0]
    assert reaches == gradients.startswith("yes")
    if "unnoticed" in gradients:
        before = x._version
        result.zero_()
        assert x._version == before
        assert x.sum().item() == 0


def test_the_releases_are_those_of_the_evidence():
    passed = re.search(r"They passed with PyTorch (.*?) on the CPU", INDEX.read_text("utf-8"))[1]
    runs = [run["torch"] for run in evidence.load_all(ROOT / "evidence") if run["kind"] == "cpu"]
    assert re.findall(r"\d+\.\d+\.\d+", passed) == list(dict.fromkeys(reversed(runs)))
