"""The claims of book/methods/clone.ipynb as properties."""

import torch
from torch import Tensor

from .facts import (
    alike,
    bytes_of,
    dense,
    first,
    gradient,
    new_leaf,
    node,
    numbered,
    order,
    outside_graph,
    quiet,
    unseen_by_each_other,
)
from .holds import claim
from .strategies import (
    DENSE,
    DTYPES,
    EXPANDED,
    GRAD,
    LAYOUTS,
    LEAVES,
    NON_LEAVES,
    PLAIN,
    SPACED,
    grad_modes,
    one_of,
    tensors,
)


@claim("clone.memory", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_memory(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        copy = x.clone()
    assert unseen_by_each_other(copy, x)


@claim("clone.keeps", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_keeps(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        copy = x.clone()
    assert alike(copy, x, "strides") and torch.equal(copy, x)


@claim("clone.requires_grad", x=tensors())
def test_requires_grad(x: Tensor) -> None:
    copy = x.clone()
    assert copy.requires_grad == x.requires_grad
    assert node(copy) == ("CloneBackward" if x.requires_grad else None)


@claim("clone.fresh", x=tensors(kinds=GRAD))
def test_fresh(x: Tensor) -> None:
    x.retain_grad()
    x.register_hook(lambda gradient: None)
    x.note = "mine"
    if x.is_leaf:
        x.register_post_accumulate_grad_hook(lambda leaf: None)
    x.backward(torch.ones_like(x), retain_graph=True)
    copy = x.clone()
    with quiet():
        assert x.grad is not None and copy.grad is None
    assert not copy._backward_hooks and not copy._post_accumulate_grad_hooks
    assert not copy.retains_grad and not hasattr(copy, "note")


@claim("clone.gradient", x=tensors(kinds=GRAD))
def test_gradient_unchanged(x: Tensor) -> None:
    assert torch.equal(gradient(x.clone(), x, numbered(x)), numbered(x))


@claim("clone.gradient", w=tensors(kinds=LEAVES))
def test_gradient_adds_up(w: Tensor) -> None:
    copy = w.clone()
    copy.backward(numbered(w))
    w.clone().backward(numbered(w))
    assert torch.equal(w.grad, 2 * numbered(w))


@claim("clone.one_node", x=tensors(kinds=NON_LEAVES))
def test_one_node(x: Tensor) -> None:
    behind = x.grad_fn
    assert x.clone().grad_fn.next_functions == ((behind, 0),)


@claim("clone.one_node", w=tensors(kinds=LEAVES))
def test_one_node_on_a_leaf(w: Tensor) -> None:
    ((behind, _),) = w.clone().grad_fn.next_functions
    assert behind.variable is w


@claim("clone.non_leaf", w=tensors(kinds=LEAVES))
def test_non_leaf(w: Tensor) -> None:
    copy = w.clone()
    copy.backward(torch.ones_like(w))
    assert not copy.is_leaf and (w.grad == 1).all()
    with quiet():
        assert copy.grad is None


@claim("clone.new_leaf", x=tensors(kinds=PLAIN))
def test_new_leaf(x: Tensor) -> None:
    copy = x.clone()
    assert copy.is_leaf
    copy.requires_grad_()
    copy.backward(numbered(copy))
    assert new_leaf(copy) and torch.equal(copy.grad, numbered(copy))
    assert x.grad is None and outside_graph(x)


@claim("clone.inplace", x=tensors(kinds=GRAD))
def test_inplace(x: Tensor) -> None:
    copy, values = x.clone(), x.tolist()
    old = copy.grad_fn
    copy.mul_(2)
    assert copy.grad_fn is not old and x.tolist() == values
    assert (gradient(copy, x) == 2).all()


@claim("clone.overwrite", x=tensors(kinds=GRAD))
def test_overwrite(x: Tensor) -> None:
    copy = x.clone()
    copy[first(x)] = 5
    found = gradient(copy, x)
    assert found[first(x)] == 0 and found.sum() == x.numel() - 1


@claim("clone.no_grad", x=tensors())
def test_no_grad(x: Tensor) -> None:
    with torch.no_grad():
        assert outside_graph(x.clone())


@claim("clone.strides", x=tensors(DTYPES, DENSE))
def test_strides_kept(x: Tensor) -> None:
    assert x.clone().stride() == x.stride()


@claim("clone.strides", x=tensors(DTYPES, SPACED + EXPANDED))
def test_strides_become_dense(x: Tensor) -> None:
    assert dense(x.clone())


@claim("clone.strides", x=tensors(DTYPES, SPACED))
def test_order_kept(x: Tensor) -> None:
    assert order(x.clone()) == order(x)


@claim("clone.size", x=tensors(DTYPES, LAYOUTS))
def test_size(x: Tensor) -> None:
    assert bytes_of(x.clone()) == x.numel() * x.element_size()


UNSEEN = {
    "no_grad": lambda x: x.fill_(5),
    "detach": lambda x: x.detach().fill_(5),
    "data": lambda x: x.data.fill_(5),
}


@claim("clone.overwrite_unseen", x=tensors(kinds=GRAD), way=one_of(*UNSEEN))
def test_overwrite_unseen(x: Tensor, way: str) -> None:
    copy = x.clone()
    with torch.set_grad_enabled(way != "no_grad"):
        UNSEEN[way](copy)
    assert (copy == 5).all() and (gradient(copy, x) == 1).all()
