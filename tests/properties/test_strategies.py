"""The strategies draw what they name, and print what they draw."""

import ast
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from torch import nn

from .facts import dense
from .holds import PROFILE
from .strategies import (
    ARRAY_DTYPES,
    ARRAY_LAYOUTS,
    DTYPES,
    EMPTY_SHAPES,
    FLOATS,
    IN_SCOPE,
    KINDS,
    LAYOUTS,
    NUMERIC,
    POSITIVE,
    SHAPES,
    arrays,
    pairs,
    paste,
    tensors,
)

DRAWS = 500


def draw(strategy, examples=DRAWS):
    """Return what so many draws give."""
    found = []

    def note(drawn):
        found.append(drawn)

    few = settings(PROFILE, max_examples=examples, derandomize=True, phases=[Phase.generate])
    few(given(strategy)(note))()
    return found


def size_class(shape):
    """Name the size of a shape."""
    if 0 in shape:
        return "empty"
    if not shape:
        return "0 dimensions"
    if 1 in shape:
        return "one element" if set(shape) == {1} else "a dimension of size 1"
    return "larger"


SIZES = {"0 dimensions", "one element", "a dimension of size 1", "larger"}


@pytest.fixture(scope="module")
def everything():
    """Tensors inside and outside the scope."""
    return draw(tensors(DTYPES, LAYOUTS, shapes=SHAPES + EMPTY_SHAPES))


def test_everything_that_is_named_is_drawn(everything):
    for field, named in (("dtype", DTYPES), ("layout", LAYOUTS), ("kind", KINDS)):
        drawn = Counter(getattr(recipe, field) for recipe in everything)
        assert set(drawn) == set(named), f"never drawn: {set(named) - set(drawn)}"
    assert {recipe.offset for recipe in everything} == {0, 3}
    assert {size_class(recipe.shape) for recipe in everything} == SIZES | {"empty"}
    assert {len(recipe.shape) for recipe in everything} == {0, 1, 2, 3, 4}


def test_the_scope_is_drawn_without_arguments():
    scope = draw(tensors())
    assert {recipe.dtype for recipe in scope} == set(FLOATS)
    assert {recipe.layout for recipe in scope} == set(IN_SCOPE)
    assert {recipe.kind for recipe in scope} == set(KINDS)
    assert {size_class(recipe.shape) for recipe in scope} == SIZES


def test_arrays_are_drawn():
    found = draw(arrays(ARRAY_DTYPES, ARRAY_LAYOUTS, ("writable", "read-only"), SHAPES))
    assert {recipe.dtype for recipe in found} == set(ARRAY_DTYPES)
    assert {recipe.layout for recipe in found} == set(ARRAY_LAYOUTS)
    assert {recipe.flags for recipe in found} == {"writable", "read-only"}
    assert {size_class(recipe.shape) for recipe in found} == SIZES
    scope = draw(arrays())
    assert {recipe.dtype for recipe in scope} == set(NUMERIC)
    assert {recipe.layout for recipe in scope} == set(POSITIVE)
    assert {recipe.flags for recipe in scope} == {"writable"} and all(r.shape for r in scope)


def test_a_tensor_is_what_its_recipe_names(everything):
    for recipe in everything:
        x = recipe.make()
        assert (x.dtype, tuple(x.shape)) == (recipe.dtype, recipe.shape)
        assert x.storage_offset() == (0 if recipe.kind == "Parameter" else recipe.offset) or (
            recipe.kind == "Parameter" and x.storage_offset() == recipe.offset
        )
        assert x.stride() == recipe.strides
        assert x.requires_grad == (recipe.kind not in ("plain", "plain view"))
        assert x.is_leaf == (recipe.kind in ("plain", "plain view", "leaf", "Parameter"))
        assert x._is_view() == ("view" in recipe.kind)
        assert (type(x) is nn.Parameter) == (recipe.kind == "Parameter")
        if x.numel() > 1 and recipe.layout != "stepped":
            one_row = sum(n > 1 for n in recipe.shape) < 2  # then a gap follows the only row
            assert dense(x) == (recipe.layout in ("rows", "transposed", "permuted")) or (
                recipe.layout == "gaps" and one_row
            )


def test_an_array_is_what_its_recipe_names():
    for recipe in draw(arrays(ARRAY_DTYPES, ARRAY_LAYOUTS, ("writable", "read-only"), SHAPES)):
        a = recipe.make()
        assert (a.dtype, a.shape) == (recipe.dtype, recipe.shape)
        assert a.flags.writeable == (recipe.flags == "writable")
        if recipe.flags == "writable":  # NumPy drops the sign for a read-only dimension of size 1
            assert any(step < 0 for step in a.strides) == (recipe.layout == "negative")


def test_values_are_exact(everything):
    """Sums and products of a few must not be rounded, or equality means nothing."""
    for recipe in everything:
        x = recipe.make().detach()
        assert x.numel() == 0 or x.dtype == torch.bool or x.abs().max() <= 64


def test_pairs_have_one_shape():
    for first, second in draw(pairs(tensors(), tensors(DTYPES, LAYOUTS)), 100):
        assert first.shape == second.shape


def test_a_counterexample_can_be_pasted(everything):
    for recipe in everything[:50]:
        scope = {"torch": torch, "np": np, "nn": nn}
        exec(paste(x=recipe), scope)
        made = recipe.make()
        assert scope["x"].tolist() == made.tolist() and scope["x"].stride() == made.stride()
        assert scope["x"].requires_grad == made.requires_grad
    ast.parse(paste(x=everything[0], a=draw(arrays(), 1)[0], grad=True))


def test_a_strategy_that_can_draw_nothing_is_refused():
    with pytest.raises(ValueError, match="no tensor or array is like this"):
        tensors((torch.int64,), kinds=("leaf",))
