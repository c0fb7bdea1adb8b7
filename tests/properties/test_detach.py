"""The claims of book/methods/detach.ipynb as properties."""

import torch
from torch import Tensor, nn

from .facts import (
    alike,
    bytes_of,
    gradient,
    new_leaf,
    numbered,
    outside_graph,
    raises,
    seen_by_each_other,
    watch_graph,
)
from .holds import claim
from .strategies import (
    DTYPES,
    GRAD,
    LAYOUTS,
    LEAVES,
    PLAIN,
    SHAPES,
    VIEWS,
    grad_modes,
    one_of,
    tensors,
)


@claim("detach.memory", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_memory(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        detached = x.detach()
    assert detached is not x and seen_by_each_other(detached, x)


@claim("detach.write_source", w=tensors(kinds=LEAVES))
def test_write_to_leaf_raises(w: Tensor) -> None:
    values = w.tolist()
    with raises(RuntimeError):
        w.fill_(2)
    assert w.tolist() == values


@claim("detach.write_source", x=tensors(kinds=(*PLAIN, "non-leaf", "view of a non-leaf")))
def test_write_to_others_shows(x: Tensor) -> None:
    detached = x.detach()
    x.fill_(2)
    assert detached.tolist() == x.tolist()


@claim("detach.bytes", x=tensors(DTYPES, LAYOUTS))
def test_bytes(x: Tensor) -> None:
    size = bytes_of(x)
    detached = [x.detach() for _ in range(3)]
    assert {t.untyped_storage().data_ptr() for t in detached} == {x.untyped_storage().data_ptr()}
    assert bytes_of(x) == size


@claim("detach.keeps", x=tensors(DTYPES, LAYOUTS))
def test_keeps(x: Tensor) -> None:
    assert alike(x.detach(), x) and x.detach().storage_offset() == x.storage_offset()


@claim("detach.graph", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_graph(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        assert outside_graph(x.detach()) and x.detach().grad is None


@claim("detach.constant", x=tensors(kinds=GRAD))
def test_constant(x: Tensor) -> None:
    assert torch.equal(gradient(x * x.detach(), x), x)


@claim("detach.frees_graph", w=tensors(kinds=LEAVES), clone=grad_modes())
def test_frees_graph(w: Tensor, clone: bool) -> None:
    result = w * 2
    alive = watch_graph(result)
    kept = result.clone() if clone else result.detach()
    del result
    assert alive() == clone == (kept.grad_fn is not None)


@claim("detach.keeps_storage", x=tensors(DTYPES, ("gaps",)))
def test_keeps_storage(x: Tensor) -> None:
    size = bytes_of(x)
    kept, copy = x.detach(), x.detach().clone()
    del x
    assert bytes_of(kept) == size > bytes_of(copy) == copy.numel() * copy.element_size()


@claim("detach.own_grad", x=tensors())
def test_own_grad(x: Tensor) -> None:
    if new_leaf(x):
        x.grad = numbered(x)
    old = x.grad.clone() if new_leaf(x) else None
    detached = x.detach().requires_grad_()
    detached.backward(torch.ones_like(detached))
    assert (detached.grad == 1).all()
    assert old is None or torch.equal(x.grad, old)


@claim("detach.parameter", w=tensors(kinds=("Parameter",)))
def test_parameter(w: nn.Parameter) -> None:
    values = w.tolist()
    inner = w.detach().requires_grad_()
    inner.backward(torch.ones_like(inner))
    torch.optim.SGD([inner], lr=0.5).step()
    assert w.tolist() != values and w.tolist() == inner.tolist()


@claim("detach.inplace", x=tensors(kinds=("non-leaf",)))
def test_inplace(x: Tensor) -> None:
    result, nodes = x * 1, x.grad_fn
    x.detach_()
    assert outside_graph(x)
    assert result.grad_fn.next_functions[0][0] is nodes


@claim("detach.inplace_view", x=tensors(layouts=LAYOUTS, kinds=VIEWS))
def test_inplace_on_a_view(x: Tensor) -> None:
    with raises(RuntimeError):
        x.detach_()


@claim("detach.inplace", x=tensors(kinds=PLAIN))
def test_inplace_in_inference_mode(x: Tensor) -> None:
    with torch.inference_mode():
        view = x.view(x.shape)
        view.detach_()


PIECES = {
    "unbind": Tensor.unbind,
    "split": lambda x: x.split(1),
    "chunk": lambda x: x.chunk(2),
}


@claim(
    "detach.pieces",
    x=tensors(kinds=("non-leaf", "view of a non-leaf"), shapes=SHAPES[1:]),
    way=one_of(*PIECES),
)
def test_pieces(x: Tensor, way: str) -> None:
    piece = PIECES[way](x)[0]
    piece.detach().zero_()
    with raises(RuntimeError):
        piece * 2
