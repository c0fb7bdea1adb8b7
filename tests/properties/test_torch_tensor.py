"""The claims of book/methods/torch_tensor.ipynb as properties."""

import math

import numpy as np
import torch
from hypothesis import assume
from torch import Tensor

from .facts import (
    alike,
    equal,
    gradient,
    new_leaf,
    node,
    numbered,
    outside_graph,
    quiet,
    raises,
    reached,
    shares,
    unseen_by_each_other,
    warnings_of,
)
from .holds import claim
from .strategies import (
    ARRAY_DTYPES,
    DTYPES,
    FLOATS,
    GRAD,
    LAYOUTS,
    arrays,
    dtypes,
    grad_modes,
    one_of,
    tensors,
)


class Sub(Tensor):
    """A subclass without any behavior of its own."""


def quiet_tensor(data: object, **options: object) -> Tensor:
    """Call torch.tensor without its warning."""
    with quiet():
        return torch.tensor(data, **options)


@claim("torch_tensor.memory", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_memory(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        copy = quiet_tensor(x)
    assert equal(copy, x) and unseen_by_each_other(copy, x)


@claim("torch_tensor.leaf", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_leaf(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        assert outside_graph(quiet_tensor(x))


@claim("torch_tensor.warning", x=tensors(DTYPES, LAYOUTS))
def test_warning(x: Tensor) -> None:
    for _ in range(2):
        (text,) = warnings_of(lambda: torch.tensor(x))
        assert text.startswith("To copy construct from a tensor")


@claim("torch_tensor.warning", a=arrays(ARRAY_DTYPES))
def test_no_warning(a: np.ndarray) -> None:
    assert not warnings_of(lambda: (torch.tensor(a), torch.tensor(a.tolist()), torch.tensor(2.5)))


@claim("torch_tensor.equal", x=tensors())
def test_equal(x: Tensor) -> None:
    copy, other = quiet_tensor(x), x.detach().clone()
    assert alike(copy, other) and equal(copy, other)
    assert copy.requires_grad == other.requires_grad


@claim("torch_tensor.requires_grad", x=tensors(layouts=LAYOUTS))
def test_requires_grad(x: Tensor) -> None:
    copy = quiet_tensor(x, requires_grad=True)
    assert new_leaf(copy) and equal(copy, x)
    copy.backward(numbered(x))
    assert equal(copy.grad, numbered(x))
    with quiet():
        assert x.grad is None


@claim("torch_tensor.subclass", x=tensors(layouts=LAYOUTS))
def test_subclass(x: Tensor) -> None:
    sub = x.detach().as_subclass(Sub)
    assert type(quiet_tensor(sub)) is Tensor and type(sub.detach().clone()) is Sub


@claim("torch_tensor.list", dtype=dtypes(FLOATS))
def test_list(dtype: torch.dtype) -> None:
    parts = [torch.ones((), dtype=dtype, requires_grad=True) for _ in range(3)]
    with quiet():
        assert torch.tensor(parts).grad_fn is None and torch.Tensor(parts).grad_fn is None
    stacked = torch.stack(parts)
    assert node(stacked) == "StackBackward" and reached(stacked.sum(), parts[1])


@claim("torch_tensor.list_error", x=tensors())
def test_list_error(x: Tensor) -> None:
    assume(x.numel() > 1)
    with raises(ValueError, TypeError, RuntimeError):
        quiet_tensor([x, x])
    assert torch.stack([x, x]).shape == (2, *x.shape)


@claim("torch_tensor.as_tensor", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_as_tensor(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        found = []
        assert not warnings_of(lambda: found.append(torch.as_tensor(x)))
        assert found[0] is x and torch.as_tensor(x, dtype=x.dtype) is x


@claim("torch_tensor.as_tensor", x=tensors(kinds=GRAD), dtype=dtypes(FLOATS))
def test_as_tensor_converts(x: Tensor, dtype: torch.dtype) -> None:
    assume(dtype != x.dtype)
    assert reached(torch.as_tensor(x, dtype=dtype), x)


@claim("torch_tensor.legacy", x=tensors((torch.float32,), LAYOUTS))
def test_legacy(x: Tensor) -> None:
    alias = torch.Tensor(x)
    assert shares(alias, x) and alias.data_ptr() == x.data_ptr()
    assert alias.requires_grad == x.requires_grad
    if x.requires_grad:
        assert (gradient(alias * 1, x) == 1).all()


WAYS = {
    float: True,
    complex: True,
    math.sqrt: True,
    int: False,
    bool: False,
    Tensor.item: False,
    Tensor.tolist: False,
    "{}".format: False,
}


@claim("torch_tensor.scalar", t=tensors(kinds=GRAD, shapes=((),)), way=one_of(*WAYS))
def test_scalar(t: Tensor, way: object) -> None:
    with torch.no_grad():
        t.fill_(2)
    assert bool(warnings_of(lambda: way(t))) == WAYS[way]


@claim("torch_tensor.scalar", t=tensors(kinds=GRAD, shapes=((),)))
def test_scalar_in_a_list(t: Tensor) -> None:
    assert warnings_of(lambda: torch.tensor([t])) and warnings_of(lambda: torch.as_tensor([t]))
