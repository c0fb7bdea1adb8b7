"""The operations to ask, and inputs for each: PyTorch's operator database, and hand-written ones.

The database (`op_db`) is the one that PyTorch's own tests use. It is no public interface: where a
release has moved it, `database()` raises `Moved`, and its operations are *not asked*.
"""

import functools
import random
import re
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

SPACES = {
    "": torch,
    "nn.functional.": torch.nn.functional,
    "linalg.": torch.linalg,
    "fft.": torch.fft,
    "special.": torch.special,
}
# Public, but not among the overrides: functions that also take something else than a tensor.
MORE = """as_strided as_tensor asarray from_dlpack tensor rand_like randn_like randint_like fill
vander normal nn.functional.hardsigmoid nn.functional.hardswish nn.functional.sigmoid
nn.functional.tanh nn.functional.upsample nn.functional.upsample_bilinear
nn.functional.upsample_nearest""".split()  # noqa: SIM905
SMALL = 600  # elements of all tensors of a sample together


class Moved(LookupError):
    """The operator database cannot be read; the message says why."""


class Sample(NamedTuple):
    """A call of an operation: its text, its tensors, and a function that takes these."""

    call: str
    leaves: list
    own: int  # so many of the leaves are the input itself, which is laid out in other ways
    run: Callable


# --- The operations


@functools.cache
def operations() -> dict[str, dict[str, Callable]]:
    """Return for each operation its forms: {"ravel": {"torch.ravel": …, "Tensor.ravel": …}}."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = torch.overrides.get_testing_overrides()
    found: dict[str, dict[str, Callable]] = {}
    for space, module in SPACES.items():
        for name in dir(module):
            function = getattr(module, name)
            public = callable(function) and not isinstance(function, type)
            if not name.startswith("_") and public:
                row = space + name
                if row in MORE or any(function is f for f in (function,) if f in known):
                    found.setdefault(row, {})[f"torch.{row}"] = function
    for name in dir(Tensor):
        if not name.startswith("_"):
            found.setdefault(name, {})[f"Tensor.{name}"] = getattr(Tensor, name)
    with_base = [n for n in found if n.endswith("_") and n[:-1] in found and n != "requires_grad_"]
    for name in with_base:
        found[name[:-1]].update(found.pop(name))
    for space, module in list(SPACES.items())[:2]:  # torch.relu_ is among no overrides
        for name in [name for name in found if name.startswith(space)]:
            written = name.removeprefix(space) + "_"
            if callable(getattr(module, written, None)):
                found[name].setdefault(f"torch.{space}{written}", getattr(module, written))
    return dict(sorted(found.items()))


# --- The operator database


@functools.cache
def database() -> tuple:
    """Return the entries of PyTorch's operator database."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torch.testing._internal.common_methods_invocations import op_db
        return tuple(op for op in op_db if op.dtypes is not None)
    except (ImportError, AttributeError) as error:
        raise Moved(f"the operator database of this torch cannot be read: {error}") from None


@functools.cache
def by_name() -> dict[str, list]:
    """Return for each name, aliases too, the entries and their functions."""
    found: dict[str, list] = {}
    for entry in database():
        # For CUDA; and samples of the form that writes, under the name of the one that does not.
        if entry.name.startswith("jiterator") or entry.variant_test_name == "in_place":
            continue
        for named in (entry, *entry.aliases):
            name = named.name.removeprefix("torch.")
            found.setdefault(name, []).append((entry, named.op))
    return found


def seed() -> None:
    """Make what is drawn the same in each run."""
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)


def from_database(name: str, dtype: torch.dtype, most: int) -> Iterator[Sample]:
    """Yield samples of an operation: the first ones of each of its entries."""
    for entry, function in by_name().get(name, ()):
        if dtype not in entry.dtypes:
            continue
        seed()
        for sample in islice(entry.sample_inputs("cpu", dtype), most):
            leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
            leaves = [leaf.detach() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
            if sum(t.numel() for t in tensors) > SMALL or not tensors:
                continue
            if any(t.layout != torch.strided for t in tensors):
                continue

            def run(
                leaves: list, spec=spec, given=function, _function=None, **options: object
            ) -> object:
                x, args, named = tree_unflatten(leaves, spec)
                return (_function or given)(x, *args, **named, **options)

            own = len(tree_flatten(sample.input)[0])
            yield Sample(call_of(name, sample), leaves, own, run)


def call_of(name: str, sample: object) -> str:
    """Return the call as text: `reshape(x, (6,))`."""
    first = "x" if isinstance(sample.input, Tensor) else text_of(sample.input)
    words = [first, *map(text_of, sample.args)]
    words += [f"{key}={text_of(value)}" for key, value in sample.kwargs.items()]
    return f"{name}({', '.join(words)})"


def text_of(value: object) -> str:
    """Return a value as text, a tensor as its dtype and shape."""
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        inner = ", ".join(map(text_of, value))
        closing = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{closing})"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = repr(value)
    return text if " at 0x" not in text else f"<{type(value).__name__}>"


# --- Samples by hand: `x` is a float32 tensor 0, 1, 2, … of the shape, `y` another one like it

NAMES = {"torch": torch, "nn": torch.nn, "Tensor": Tensor}
NAMES |= {"float32": torch.float32, "float64": torch.float64}


@functools.cache
def by_hand() -> dict[str, list[tuple[str, str]]]:
    """Return for each operation the shapes and expressions that samples.txt lists."""
    found: dict[str, list[tuple[str, str]]] = {}
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for line in re.findall(r"^[^#\n].*", text, re.M):
        name, shape, calls = line.split(" ", 2)
        found.setdefault(name, []).extend((shape, call.strip()) for call in calls.split(" | "))
    return found


def numbered(shape: str) -> Tensor:
    """Return a float32 tensor 0, 1, 2, … of a shape such as `2×3`."""
    sizes = [int(size) for size in shape.split("×")]
    return torch.arange(torch.Size(sizes).numel(), dtype=torch.float32).reshape(sizes)


def from_hand(name: str, forms: dict[str, Callable]) -> Iterator[Sample]:
    """Yield the samples by hand, the first one of the tensor alone."""
    function = next(iter(forms.values()))
    if not callable(function):  # an attribute: x.data

        def function(x: Tensor, attribute: str = name) -> object:
            return getattr(x, attribute)

    for shape, expression in dict.fromkeys([("2×3", "f(x)"), *by_hand().get(name, ())]):
        code = compile(expression, f"<{name}>", "eval")

        def run(leaves: list, code=code, _function=None, **options: object) -> object:
            def called(*args: object, **named: object) -> object:
                # A tensor that the expression makes of x is an input as well.
                given = [t for t in tree_leaves((args, named)) if isinstance(t, Tensor)]
                leaves.extend(t for t in given if all(t is not leaf for leaf in leaves))
                return (_function or function)(*args, **named, **options)

            return eval(code, NAMES | {"f": called, "x": leaves[0], "y": leaves[1]})

        x = numbered(shape)
        yield Sample(name + expression[1:], [x, x * 2 + 1], 1, run)
