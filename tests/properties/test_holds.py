"""The decorator counts what it tries, and shows what it finds."""

import pytest
import torch
from hypothesis import assume

from . import holds
from .holds import claim
from .strategies import CannotMake, Recipe, one_of, tensors


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Keep the properties of these tests apart from those of the book."""
    monkeypatch.setattr(holds, "PROPERTIES", found := [])
    return found


def test_a_property_that_holds_tells_how_much_it_tried(registered):
    test = claim("clone.memory", x=tensors())(lambda x: None)
    test()
    assert test.claim == "clone.memory" and test.tried >= 200
    assert registered[0].run(20) is None


def test_the_counterexample_is_shown_as_code(registered):
    @claim("clone.memory", x=tensors())
    def test_small(x):
        assert x.dim() < 2

    with pytest.raises(AssertionError) as found:
        test_small()
    assert (
        "x = torch.arange(1., 2.).as_strided((1, 1), (1, 1), 0).detach()" in found.value.__notes__
    )
    assert registered[0].run(20).startswith("AssertionError")


def test_what_cannot_be_made_counts_for_nothing(registered):
    class Broken(Recipe):
        def __repr__(self):
            return "torch.no_such_thing()"

    test = claim("clone.memory", x=one_of(Broken()))(lambda x: None)
    with pytest.raises(CannotMake):
        test()
    with pytest.raises(CannotMake):
        registered[0].run(20)


def test_a_run_stops_at_the_first_counterexample(registered):
    tried = []

    @claim("clone.memory", x=tensors())
    def test_false(x):
        tried.append(x)
        raise ValueError("no")

    assert registered[0].run(20) == "ValueError: no" and len(tried) == 1


def test_the_examples_are_the_same_each_time():
    drawn = []
    test = claim("clone.memory", x=tensors())(lambda x: drawn.append(repr(x)))
    if holds.SEARCH:
        pytest.skip("not run: a search draws others each time")
    test()
    half = len(drawn)
    test()
    assert drawn[:half] == drawn[half:]


def test_an_error_of_torch_is_a_counterexample(registered):
    claim("clone.memory", x=tensors())(lambda x: torch.mm(x, x))
    assert registered[0].run(20).startswith("RuntimeError")


def test_what_an_assumption_leaves_out_is_not_counted(registered):
    checked = []

    @claim("clone.memory", x=tensors())
    def test_some(x):
        assume(x.dim() > 1)
        checked.append(x)

    test_some()
    assert test_some.tried == len(checked) and registered[0].run(20) is None
