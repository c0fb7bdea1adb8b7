"""The claims of book/topics/data_vs_detach.ipynb as properties."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from .facts import (
    alike,
    backward,
    equal,
    outside_graph,
    raises,
    warnings_of,
)
from .holds import claim
from .strategies import DTYPES, LAYOUTS, LEAVES, NON_LEAVES, grad_modes, one_of, tensors

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)


@claim("data_vs_detach.alike", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_alike(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        data, detached = x.data, x.detach()
    assert alike(data, detached) and data.data_ptr() == detached.data_ptr()
    assert outside_graph(data) and outside_graph(detached)
    assert not data._is_view() and not detached._is_view()
    version = x._version
    detached.fill_(1)
    assert detached._version == version + 1 and data._version == 0


@claim("data_vs_detach.counter", x=tensors(DTYPES, LAYOUTS))
def test_counter(x: Tensor) -> None:
    version = x._version
    x.data.fill_(1)
    assert x._version == version
    x.detach().fill_(1)
    assert x._version == version + 1


@claim("data_vs_detach.saved", w=tensors(layouts=LAYOUTS, kinds=LEAVES))
def test_saved(w: Tensor) -> None:
    product = w * w
    assert product.grad_fn._saved_self.data_ptr() == w.data_ptr()
    assert product.grad_fn._saved_other.data_ptr() == w.data_ptr()


@claim("data_vs_detach.silent", x=tensors(kinds=LEAVES))
def test_silent(x: Tensor) -> None:
    z = x * x + 1
    x.data.zero_()
    assert not warnings_of(lambda: backward(z)) and (x.grad == 0).all()


@claim("data_vs_detach.error", x=tensors(kinds=LEAVES))
def test_error(x: Tensor) -> None:
    z = x * x + 1
    x.detach().zero_()
    with raises(RuntimeError):
        backward(z)
    assert x.grad is None


@claim("data_vs_detach.clone", x=tensors(kinds=LEAVES))
def test_clone(x: Tensor) -> None:
    z, values, version = x * x, x.tolist(), x._version
    x.detach().clone().zero_()
    assert x.tolist() == values and x._version == version
    backward(z)
    assert equal(x.grad, 2 * x)


@claim("data_vs_detach.not_saved", x=tensors(kinds=LEAVES), data=grad_modes())
def test_not_saved(x: Tensor, data: bool) -> None:
    plus, power = x + 1, x.exp()
    expected = 1 + power.detach().clone()
    (x.data if data else x.detach()).zero_()
    backward(plus)
    backward(power)
    assert torch.equal(x.grad, expected)


@claim("data_vs_detach.output", x=tensors(kinds=LEAVES), data=grad_modes())
def test_output(x: Tensor, data: bool) -> None:
    z = x.exp()
    if data:
        z.data.zero_()
        assert not warnings_of(lambda: backward(z)) and (x.grad == 0).all()
    else:
        z.detach().zero_()
        with raises(RuntimeError):
            backward(z)


@claim("data_vs_detach.before", x=tensors(kinds=LEAVES), data=grad_modes())
def test_before(x: Tensor, data: bool) -> None:
    (x.data if data else x.detach()).fill_(3)
    backward(x * x)
    assert (x.grad == 6).all()


UNSEEN = {
    "numpy": lambda x: x.detach().numpy().fill(0),
    "data": lambda x: x.detach().data.zero_(),
    "dlpack": lambda x: torch.from_dlpack(x.detach()).zero_(),
}


@claim("data_vs_detach.unseen", x=tensors(NUMPY_FLOATS, kinds=LEAVES), way=one_of(*UNSEEN))
def test_unseen(x: Tensor, way: str) -> None:
    z, version = x * x, x._version
    UNSEEN[way](x)
    assert x._version == version
    backward(z)
    assert (x.grad == 0).all()


@claim("data_vs_detach.no_grad", x=tensors(kinds=(*LEAVES, *NON_LEAVES)))
def test_no_grad(x: Tensor) -> None:
    z, version, behind = x * x, x._version, type(x.grad_fn)
    with torch.no_grad():
        x.zero_()
    assert x._version == version + 1 and type(x.grad_fn) is behind
    with raises(RuntimeError):
        backward(z)


@claim("data_vs_detach.checkpoint", w=tensors(kinds=LEAVES))
def test_checkpoint(w: Tensor) -> None:
    x = torch.ones_like(w.detach()).requires_grad_()
    result = checkpoint(lambda a: w * a, x, use_reentrant=False)
    version = w._version
    w.detach().zero_()
    assert w._version == version + 1
    result.backward(torch.ones_like(result))
    assert (x.grad == 0).all()
