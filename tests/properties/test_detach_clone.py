"""The claims of book/methods/detach_clone.ipynb as properties."""

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from .facts import (
    alike,
    backward,
    dense,
    equal,
    gradient,
    new_leaf,
    numbered,
    outside_graph,
    quiet,
    raises,
    seen_by_each_other,
    shares,
    unseen_by_each_other,
    warnings_of,
    watch_graph,
)
from .holds import claim
from .strategies import (
    DTYPES,
    GRAD,
    LAYOUTS,
    LEAVES,
    NON_LEAVES,
    grad_modes,
    one_of,
    tensors,
)

ORDERS = one_of("detach().clone()", "clone().detach()")


def copied(x: Tensor, order: str) -> Tensor:
    """Copy in one of the two orders."""
    return x.detach().clone() if order == "detach().clone()" else x.clone().detach()


class Operators(TorchDispatchMode):
    """Count the operators that run."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


@claim("detach_clone.independent", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_independent(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        copy = x.detach().clone()
    assert outside_graph(copy) and unseen_by_each_other(copy, x)


@claim("detach_clone.independent", x=tensors(kinds=GRAD))
def test_no_gradient_flows(x: Tensor) -> None:
    assert torch.equal(gradient(x * x.detach().clone(), x), x)


@claim("detach_clone.backward_safe", x=tensors(kinds=GRAD))
def test_backward_safe(x: Tensor) -> None:
    result, expected = x * x, 2 * x.detach()
    x.detach().clone().zero_()
    assert torch.equal(gradient(result, x), expected)
    x.detach().zero_()
    with raises(RuntimeError):
        backward(result)


@claim("detach_clone.same_result", x=tensors(DTYPES, LAYOUTS), grad=grad_modes(), order=ORDERS)
def test_same_result(x: Tensor, grad: bool, order: str) -> None:
    with torch.set_grad_enabled(grad):
        copy, clone = copied(x, order), x.clone()
    assert alike(copy, clone) and equal(copy, clone) and outside_graph(copy)
    assert type(copy) is Tensor and not shares(copy, x)


@claim("detach_clone.one_node_less", x=tensors(kinds=GRAD))
def test_one_node_less(x: Tensor) -> None:
    between = x.clone()
    alive = watch_graph(between)
    detached = between.detach()
    del between
    assert not alive() and outside_graph(detached)
    assert x.detach().grad_fn is None and x.detach().clone().grad_fn is None


@claim("detach_clone.one_node_less", x=tensors())
def test_no_node_for_plain(x: Tensor) -> None:
    assert (x.clone().grad_fn is None) == (not x.requires_grad)
    assert x.detach().clone().grad_fn is None


@claim("detach_clone.operators", x=tensors(DTYPES, LAYOUTS), order=ORDERS)
def test_operators(x: Tensor, order: str) -> None:
    with Operators() as run:
        copied(x, order)
    assert set(run.names) == {"clone", "detach"} and run.names.count("clone") == 1


@claim("detach_clone.recommended", x=tensors(DTYPES, LAYOUTS))
def test_recommended(x: Tensor) -> None:
    (text,) = warnings_of(lambda: torch.tensor(x))
    assert "detach().clone()" in text


@claim("detach_clone.both_orders", w=tensors(kinds=GRAD), order=ORDERS)
def test_both_orders(w: Tensor, order: str) -> None:
    x, z = numbered(w), copied(w, order)
    t = numbered(w).requires_grad_()
    c = torch.zeros_like(x, requires_grad=True)
    assert torch.equal(gradient(x * w.clone() + c, w), x)
    u = z * t + c
    assert gradient(u, w) is None
    assert torch.equal(gradient(u, t), z) and (gradient(u, c) == 1).all()


@claim("detach_clone.intermediate", w=tensors())
def test_intermediate(w: Tensor) -> None:
    v = w.clone()
    z, values = v.detach(), w.tolist()
    assert seen_by_each_other(z, v) and w.tolist() == values


@claim("detach_clone.new_leaf", w=tensors())
def test_new_leaf(w: Tensor) -> None:
    values = w.tolist()
    copy = w.detach().clone().requires_grad_()
    assert new_leaf(copy)
    copy.backward(torch.ones_like(copy))
    torch.optim.SGD([copy], lr=0.5).step()
    assert (copy.grad == 1).all() and w.tolist() == values != copy.tolist()
    with quiet():
        assert w.grad is None


@claim("detach_clone.parameter", w=tensors(kinds=("Parameter",)), order=ORDERS)
def test_parameter(w: nn.Parameter, order: str) -> None:
    w.grad = numbered(w)
    copy = copied(w, order)
    assert type(copy) is Tensor and copy.grad is None


@claim("detach_clone.releases", w=tensors(kinds=(*LEAVES, *NON_LEAVES)), order=ORDERS)
def test_releases(w: Tensor, order: str) -> None:
    x = w * 2
    alive = watch_graph(x)
    clone, copy = x.clone(), copied(x, order)
    del x
    assert alive()
    del clone
    assert not alive() and dense(copy)
