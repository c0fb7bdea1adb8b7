"""The claims of book/methods/data.ipynb as properties."""

import torch
from torch import Tensor, nn

from .facts import (
    alike,
    equal,
    numbered,
    outside_graph,
    raises,
    seen_by_each_other,
    shares,
    warnings_of,
)
from .holds import claim
from .strategies import (
    DTYPES,
    FLOATS,
    GRAD,
    INTEGERS,
    LAYOUTS,
    LEAVES,
    dtypes,
    grad_modes,
    pairs,
    tensors,
)


@claim("data.memory", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_memory(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        data = x.data
    assert data is not x and seen_by_each_other(data, x)


@claim("data.graph", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_graph(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        assert outside_graph(x.data)


@claim("data.version", x=tensors())
def test_version(x: Tensor) -> None:
    before = x._version
    assert x.data._version == 0
    x.data.add_(1)
    assert x._version == before
    detached = x.detach()
    detached.add_(1)
    assert x._version == detached._version == before + 1


@claim("data.write", w=tensors(kinds=LEAVES))
def test_write(w: Tensor) -> None:
    before, version = w.tolist(), w._version
    w.data.add_(1)
    assert w.tolist() != before
    assert w.is_leaf and w.requires_grad and w.grad_fn is None and w._version == version


@claim("data.no_grad", pair=pairs(tensors(kinds=LEAVES), tensors(kinds=LEAVES)))
def test_no_grad(pair: tuple[Tensor, Tensor]) -> None:
    first, second = pair
    second = torch.empty_like(first).copy_(first).detach().requires_grad_()
    version = first._version
    with torch.no_grad():
        first.mul_(2)
    second.data.mul_(2)
    assert equal(first, second) and first.is_leaf and first.requires_grad
    assert first._version == version + 1


@claim("data.assign", pair=pairs(tensors(), tensors()))
def test_assign(pair: tuple[Tensor, Tensor]) -> None:
    p, t = pair
    t = t.detach()
    before = id(p), p.requires_grad, p._version
    p.data = t
    assert (id(p), p.requires_grad, p._version) == before
    assert p.data_ptr() == t.data_ptr() and seen_by_each_other(p, t)


@claim("data.assign_old", x=tensors())
def test_assign_old(x: Tensor) -> None:
    old, values = x.detach(), x.tolist()
    address = old.data_ptr()
    x.data = numbered(x)
    assert old.tolist() == values and old.data_ptr() == address and not shares(old, x)


@claim("data.assign_type", p=tensors(), t=tensors(kinds=("plain",)))
def test_assign_type(p: Tensor, t: Tensor) -> None:
    p.data = t
    assert alike(p, t) and equal(p, t)


@claim("data.assign_type", p=tensors(kinds=GRAD), dtype=dtypes((*INTEGERS, torch.bool)))
def test_assign_integer_raises(p: Tensor, dtype: torch.dtype) -> None:
    with raises(RuntimeError):
        p.data = torch.ones(p.shape, dtype=dtype)


@claim("data.assign_backward", w=tensors(kinds=LEAVES))
def test_assign_backward(w: Tensor) -> None:
    result = w * w
    w.data = torch.zeros_like(w)
    assert not warnings_of(lambda: result.backward(torch.ones_like(result)))
    assert (w.grad == 0).all()


@claim("data.module", dtype=dtypes(FLOATS))
def test_module(dtype: torch.dtype) -> None:
    module = nn.Linear(2, 3).to(dtype)
    old = list(module.parameters())
    detached = [p.detach() for p in old]
    module.double()
    for p, before, d in zip(module.parameters(), old, detached, strict=True):
        assert p is before and p.dtype == torch.float64 and d.dtype == dtype
        assert shares(p, d) == (dtype == torch.float64)


@claim("data.no_warning", x=tensors(layouts=LAYOUTS))
def test_no_warning(x: Tensor) -> None:
    def use() -> None:
        x.data.fill_(1)
        x.data = torch.zeros_like(x)

    assert not warnings_of(use)


@claim("data.assign_kept", w=tensors(kinds=("leaf", "Parameter")), view=grad_modes())
def test_assign_kept(w: Tensor, view: bool) -> None:
    square = w.view(w.shape) * numbered(w) if view else w.exp()
    expected = numbered(w) if view else square.detach().clone()
    w.data = torch.zeros_like(w)
    square.backward(torch.ones_like(square))
    assert equal(w.grad, expected)
