"""What the properties are tried on: tensors and arrays of the whole scope of the book.

A strategy draws a recipe, a small frozen dataclass. `repr` of a recipe is Python code, and `make()`
runs that very code: what a counterexample shows is what was tried, ready to be pasted.

    >>> tensors().example()
    torch.arange(2., 9.).as_strided((2, 3), (1, 2), 1).detach().requires_grad_()

The scope (book/reference/scope.md) is what `tensors()` and `arrays()` draw without arguments; a
property whose claim speaks of more, or of less, says so: `tensors(layouts=LAYOUTS)`.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
COMPLEX = (torch.complex64, torch.complex128)
DTYPES = (*FLOATS, *INTEGERS, torch.bool, *COMPLEX)
# What NumPy has as well.
NUMPY_DTYPES = tuple(dtype for dtype in DTYPES if dtype != torch.bfloat16)

# How the elements lie in the storage.
DENSE = ("rows", "transposed", "permuted")  # no gap, no overlap
SPACED = ("stepped", "gaps")  # every second element of each row; rows cut out of longer ones
EXPANDED = ("expanded",)  # several elements at one address
LAYOUTS = (*DENSE, *SPACED, *EXPANDED)
IN_SCOPE = (*DENSE, *SPACED)

# What autograd knows of the tensor.
PLAIN = ("plain", "plain view")  # class Tensor, does not require grad
LEAVES = ("leaf", "Parameter")  # leaves that require grad
NON_LEAVES = ("non-leaf", "view of a leaf", "view of a non-leaf")
GRAD = (*LEAVES, *NON_LEAVES)  # require grad
KINDS = (*PLAIN, *GRAD)
VIEWS = ("plain view", "view of a leaf", "view of a non-leaf")

# Simple ones first: Hypothesis shrinks towards the beginning. Four sizes in the last ones, and
# few elements: each value must be exact in bfloat16.
SHAPES = (
    *((), (1,), (2,), (3,)),
    *((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2), (3, 3)),
    *((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 2, 3), (2, 1, 3), (3, 2, 1), (2, 3, 2)),
    *((1, 1, 1, 1), (1, 2, 1, 2), (2, 1, 3, 1), (1, 3, 2, 2), (2, 2, 1, 2), (2, 2, 2, 2)),
)
EMPTY_SHAPES = ((0,), (0, 2), (2, 0), (1, 0, 2), (2, 3, 0, 1))


class CannotMake(Exception):
    """The tensor or array could not be made: says nothing about the property."""


class Recipe:
    """A value that is drawn as the code that makes it."""

    def make(self) -> object:
        """Run the code."""
        try:
            return eval(compiled(repr(self)), {"torch": torch, "np": np, "nn": nn})
        except Exception as error:
            raise CannotMake(f"{self!r}: {error}") from error

    def _repr_pretty_(self, printer, cycle) -> None:
        """Let Hypothesis show the code, too."""
        printer.text(repr(self))


@functools.cache
def compiled(code: str):
    """Compile an expression once: many examples repeat it."""
    return compile(code, "<recipe>", "eval")


def paste(**examples: object) -> str:
    """Return code that makes a counterexample: `x = torch.arange(1., 3.)`, a line for each name."""
    return "\n".join(f"{name} = {value!r}" for name, value in examples.items())


@dataclass(frozen=True, repr=False)
class TensorRecipe(Recipe):
    """A tensor: `strides` count elements, `offset` is its storage offset."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    layout: str
    kind: str
    offset: int

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the strides that the layout gives this shape."""
        return strides_of(self.shape, self.layout)

    @property
    def base(self) -> str:
        """Return the code of the one-dimensional tensor that has the elements, none twice."""
        steps = ((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True))
        last = -1 if 0 in self.shape else sum(steps)
        # The storage goes on after the last element, so that a part of it is a part.
        count = self.offset + last + 1 + (self.layout in SPACED)
        if self.dtype == torch.bool:
            return f"torch.zeros({count}, dtype=torch.bool)"
        if self.dtype == torch.float32:
            return f"torch.arange(1., {count + 1}.)"
        if self.dtype.is_complex:
            return f"torch.arange(1, {count + 1}).to({self.dtype})"
        return f"torch.arange(1, {count + 1}, dtype={self.dtype})"

    def __repr__(self) -> str:
        shown = f".as_strided({self.shape}, {self.strides}, {self.offset})"
        base = self.base
        if self.kind == "plain":
            return f"{base}{shown}.detach()"
        if self.kind == "plain view":
            return f"{base}{shown}"
        if self.kind == "leaf":
            return f"{base}{shown}.detach().requires_grad_()"
        if self.kind == "Parameter":
            return f"nn.Parameter({base}{shown})"
        if self.kind == "non-leaf":  # in place: the strides stay
            return f"{base}{shown}.detach().mul_(torch.ones((), requires_grad=True))"
        if self.kind == "view of a leaf":
            return f"{base}.requires_grad_(){shown}"
        return f"({base}.requires_grad_() * 1){shown}"  # view of a non-leaf

    @property
    def possible(self) -> bool:
        """Tell whether there is such a tensor, and no simpler recipe gives the same."""
        numeric_grad = self.dtype.is_floating_point or self.dtype.is_complex
        if self.kind in GRAD and not numeric_grad:
            return False
        if self.layout == "expanded":  # nothing writes in place to an expanded tensor
            return max(self.shape, default=0) > 1 and self.kind != "non-leaf"
        if self.layout == "stepped":
            return len(self.shape) > 0
        if self.layout in ("transposed", "gaps"):
            return len(self.shape) > 1
        return self.layout == "rows" or len(self.shape) > 2


@functools.cache
def strides_of(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """Return the strides of a shape: "gaps" leaves room after each row, "expanded" repeats one."""
    rank = len(shape)
    order = list(range(rank))  # the dimensions from the slowest to the fastest
    if layout == "transposed":
        order[-2:] = reversed(order[-2:])
    elif layout == "permuted":  # channels last where there are four dimensions
        order = [order[0], *order[2:], order[1]]
    step = 2 if layout == "stepped" else 1
    strides = [0] * rank
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
        if layout == "gaps" and dim == order[-1]:
            step += 1
    if layout == "expanded":
        strides[shape.index(max(shape))] = 0
    return tuple(strides)


@functools.cache
def tensors(
    dtypes: tuple[torch.dtype, ...] = FLOATS,
    layouts: tuple[str, ...] = IN_SCOPE,
    kinds: tuple[str, ...] = KINDS,
    shapes: tuple[tuple[int, ...], ...] = SHAPES,
) -> st.SearchStrategy[TensorRecipe]:
    """Draw tensors; without arguments those of the scope.

    One shape is drawn, then one of the other choices that are possible with it: two draws are fast.
    """
    return grid(
        lambda shape: (
            TensorRecipe(shape, dtype, layout, kind, offset)
            for layout, kind, dtype, offset in product(layouts, kinds, dtypes, (0, 3))
        ),
        shapes,
    )


@functools.cache
def pairs(
    first: st.SearchStrategy,
    second: st.SearchStrategy,
    *,
    shapes: tuple[tuple[int, ...], ...] = SHAPES,
) -> st.SearchStrategy[tuple[TensorRecipe, TensorRecipe]]:
    """Draw two tensors of one shape: `pairs(tensors(kinds=PLAIN), tensors())`."""
    both = {
        shape: st.tuples(first.of[shape], second.of[shape])
        for shape in shapes
        if shape in first.of and shape in second.of
    }
    return st.sampled_from(list(both)).flatmap(both.__getitem__)


def grid(recipes, shapes: Sequence[tuple[int, ...]]) -> st.SearchStrategy:
    """Draw one of the possible recipes of one of the shapes."""
    found = {shape: [recipe for recipe in recipes(shape) if recipe.possible] for shape in shapes}
    choices = {shape: st.sampled_from(list_) for shape, list_ in found.items() if list_}
    if not choices:
        raise ValueError("no tensor or array is like this")
    found = st.sampled_from(list(choices)).flatmap(choices.__getitem__)
    found.of = choices  # for `pairs`
    return found


# --- Arrays ---------------------------------------------------------------------------------------

ARRAY_DTYPES = tuple(
    np.dtype(str(dtype).removeprefix("torch.").replace("bool", "bool_")) for dtype in NUMPY_DTYPES
)
NUMERIC = tuple(dtype for dtype in ARRAY_DTYPES if dtype.kind != "b")
ARRAY_LAYOUTS = ("C", "F", "stepped", "gaps", "negative")
POSITIVE = ("C", "F", "stepped", "gaps")


@dataclass(frozen=True, repr=False)
class ArrayRecipe(Recipe):
    """An array; `flags` is "writable" or "read-only"."""

    shape: tuple[int, ...]
    dtype: np.dtype
    layout: str
    flags: str

    def __repr__(self) -> str:
        shape, name = self.shape, f"np.{self.dtype.name.replace('bool', 'bool_')}"
        cut = "" if self.flags == "writable" else "read_only("
        stored = list(shape)
        if self.layout == "stepped":
            stored[-1] *= 2
        elif self.layout == "gaps":
            stored[-1] += 1
        flat = f"np.arange(1, {math.prod(stored) + 1})"
        flat = f"({flat} < 0)" if self.dtype == bool else f"{flat}.astype({name})"
        code = f"{flat}.reshape({tuple(stored)}, order={'F' if self.layout == 'F' else 'C'!r})"
        code += {"stepped": "[..., ::2]", "gaps": "[..., 1:]", "negative": "[..., ::-1]"}.get(
            self.layout, ""
        )
        return f"np.lib.stride_tricks.as_strided({code}, writeable=False)" if cut else code

    @property
    def possible(self) -> bool:
        """Tell whether there is such an array, and no simpler recipe gives the same."""
        if self.layout in ("F", "gaps"):
            return len(self.shape) > 1
        return self.layout == "C" or len(self.shape) > 0


@functools.cache
def arrays(
    dtypes: tuple[np.dtype, ...] = NUMERIC,
    layouts: tuple[str, ...] = POSITIVE,
    flags: tuple[str, ...] = ("writable",),
    shapes: tuple[tuple[int, ...], ...] = SHAPES[1:],
) -> st.SearchStrategy[ArrayRecipe]:
    """Draw arrays; without arguments those of the scope."""
    return grid(
        lambda shape: (
            ArrayRecipe(shape, dtype, layout, flag)
            for layout, flag, dtype in product(layouts, flags, dtypes)
        ),
        shapes,
    )


# --- Other draws ----------------------------------------------------------------------------------


def one_of(*values: object) -> st.SearchStrategy:
    """Draw one of these values; a counterexample shows it by its `repr`."""
    return st.sampled_from(values)


def dtypes(choices: Iterable[torch.dtype] = FLOATS) -> st.SearchStrategy[torch.dtype]:
    """Draw a dtype."""
    return st.sampled_from(tuple(choices))


def orders(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw an order of dimensions."""
    return st.sampled_from(list(permutations(range(rank))))


grad_modes = functools.partial(one_of, True, False)
