"""Facts about tensors and arrays, in words that the properties use."""

import contextlib
import warnings
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor


class raises:
    """Expect an error in a `with` block; afterwards `value` is that error.

    Unlike that of pytest, it raises an AssertionError where there is none, and costs little.
    """

    value: BaseException

    def __init__(self, *errors: type[Exception], match: str = "") -> None:
        self.errors, self.match = errors, match

    def __enter__(self) -> "raises":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, _: object) -> bool:
        names = " or ".join(error.__name__ for error in self.errors)
        assert error is not None, f"no {names} was raised"
        self.value = error
        return isinstance(error, self.errors) and self.match in str(error)


def shares(a: Tensor | np.ndarray, b: Tensor | np.ndarray) -> bool:
    """Tell whether two tensors or arrays use the same memory."""
    first, second = extent(a), extent(b)
    return first[0] < second[1] and second[0] < first[1]


def extent(a: Tensor | np.ndarray) -> tuple[int, int]:
    """Return the addresses of the first byte and after the last byte that belong to elements."""
    if isinstance(a, np.ndarray):
        return np.lib.array_utils.byte_bounds(a) if a.size else (0, 0)
    if 0 in a.shape:
        return 0, 0
    last = sum((n - 1) * step for n, step in zip(a.shape, a.stride(), strict=True))
    begin = a.data_ptr()
    return begin, begin + (last + 1) * a.element_size()


def overwrite(a: Tensor | np.ndarray, value: int = 101) -> None:
    """Write a value to every element, without a record; 101 is True in a bool tensor of False."""
    if isinstance(a, np.ndarray):
        a.fill(value)
        return
    with torch.no_grad():
        a.fill_(value)


def unseen_by_each_other(a: Tensor | np.ndarray, b: Tensor | np.ndarray) -> bool:
    """Tell whether a write to one never shows in the other; afterwards both are changed."""
    old = b.tolist()
    overwrite(a)
    if b.tolist() != old:
        return False
    new = a.tolist()
    overwrite(b, 0)
    return a.tolist() == new


def seen_by_each_other(a: Tensor | np.ndarray, b: Tensor | np.ndarray) -> bool:
    """Tell whether a write to one shows in the other, both ways; afterwards both are changed."""
    overwrite(a)
    if b.tolist() != a.tolist():
        return False
    overwrite(b, 0)
    return a.tolist() == b.tolist()


def alike(a: Tensor, b: Tensor, *but: str) -> bool:
    """Tell whether shape, dtype and device are the same, and strides unless that is in `but`."""
    same = a.shape == b.shape and a.dtype == b.dtype and a.device == b.device
    return same and ("strides" in but or a.stride() == b.stride())


def equal(a: Tensor, b: Tensor) -> bool:
    """Tell whether the values are the same, of whatever dtype."""
    return a.tolist() == b.tolist()


def node(x: Tensor) -> str | None:
    """Return the name of the graph node, without its number."""
    return type(x.grad_fn).__name__.rstrip("0123456789") if x.grad_fn is not None else None


def outside_graph(x: Tensor) -> bool:
    """Tell whether a tensor is a leaf that does not require grad."""
    return x.is_leaf and not x.requires_grad and x.grad_fn is None


def new_leaf(x: Tensor) -> bool:
    """Tell whether a tensor is a leaf that requires grad."""
    return x.is_leaf and x.requires_grad and x.grad_fn is None


def gradient(y: Tensor, x: Tensor, given: Tensor | None = None) -> Tensor | None:
    """Return the gradient of y (of its sum, if none is given) with respect to x; None: no path."""
    given = torch.ones_like(y) if given is None else given
    (found,) = torch.autograd.grad(y, x, given, retain_graph=True, allow_unused=True)
    return found


def backward(y: Tensor) -> None:
    """Run the backward pass from the sum of y."""
    y.backward(torch.ones_like(y), retain_graph=True)


def reached(y: Tensor, x: Tensor) -> bool:
    """Tell whether gradients flow from y to x, a gradient of 1 for each element."""
    found = gradient(y, x) if y.requires_grad else None
    return found is not None and found.dtype == x.dtype and bool((found == 1).all())


def numbered(x: Tensor) -> Tensor:
    """Return a plain tensor of this shape and dtype with other values: 2, 3, 4, ..."""
    return torch.arange(2, x.numel() + 2).reshape(x.shape).to(x.dtype)


def first(x: Tensor) -> tuple[int, ...]:
    """Return the index of the first element."""
    return (0,) * x.dim()


def dense(x: Tensor) -> bool:
    """Tell whether the elements fill a stretch of memory, without gaps or overlaps."""
    begin, end = extent(x)
    steps = sorted((step, n) for n, step in zip(x.shape, x.stride(), strict=True) if n > 1)
    expected = 1
    for step, n in steps:
        if step != expected:
            return False
        expected *= n
    return end - begin == x.numel() * x.element_size()


def bytes_of(x: Tensor) -> int:
    """Return the size of the storage."""
    return x.untyped_storage().nbytes()


def order(x: Tensor) -> list[int]:
    """Return the dimensions with more than one element, those with the largest strides first."""
    return sorted((d for d in range(x.dim()) if x.shape[d] > 1), key=lambda d: -x.stride(d))


class Token:
    """Something that can be watched: it lives as long as the node that it is put on."""


def watch_graph(x: Tensor) -> Callable[[], bool]:
    """Return a function that tells whether the node of x is still there."""
    token = Token()
    x.grad_fn.metadata["token"] = token
    alive = weakref.ref(token)
    return lambda: alive() is not None


def strides_matter(x: Tensor) -> tuple[int, ...]:
    """Return the strides of the dimensions with more than one element."""
    return tuple(step for n, step in zip(x.shape, x.stride(), strict=True) if n > 1)


@contextlib.contextmanager
def grad_mode(on: bool) -> Iterator[None]:
    """Switch grad mode on or off."""
    with torch.set_grad_enabled(on):
        yield


def warnings_of(call: Callable[[], object]) -> list[str]:
    """Return the texts of all warnings of a call, of those too that PyTorch shows only once."""
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
    finally:
        torch.set_warn_always(always)
    return [str(warning.message) for warning in caught]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide warnings: another claim speaks of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
