"""The claims of book/methods/copy_.ipynb as properties."""

import torch
from torch import Tensor

from .facts import (
    alike,
    equal,
    gradient,
    node,
    outside_graph,
    raises,
    unseen_by_each_other,
    warnings_of,
)
from .holds import claim
from .strategies import (
    EXPANDED,
    FLOATS,
    GRAD,
    INTEGERS,
    LAYOUTS,
    LEAVES,
    PLAIN,
    dtypes,
    grad_modes,
    one_of,
    pairs,
    tensors,
)

NOT_FINITE = ("inf", "-inf", "nan")
REAL = (*FLOATS, *INTEGERS, torch.bool)
WRITABLE = (*PLAIN, "non-leaf", "view of a non-leaf")


@claim("copy_.memory", pair=pairs(tensors(kinds=WRITABLE), tensors()), grad=grad_modes())
def test_memory(pair: tuple[Tensor, Tensor], grad: bool) -> None:
    destination, source = pair
    address = destination.data_ptr()
    with torch.set_grad_enabled(grad):
        assert destination.copy_(source) is destination
    assert destination.data_ptr() == address and equal(destination, source.to(destination.dtype))
    assert unseen_by_each_other(destination, source)


@claim("copy_.idiom", x=tensors())
def test_idiom(x: Tensor) -> None:
    copied, cloned = torch.empty_like(x).copy_(x), x.clone()
    assert alike(copied, cloned) and equal(copied, cloned)
    assert copied.requires_grad == cloned.requires_grad == x.requires_grad
    assert (copied._version, cloned._version) == (1, 0)
    names = ("CopyBackwards", "CloneBackward") if x.requires_grad else (None, None)
    assert (node(copied), node(cloned)) == names
    assert unseen_by_each_other(copied, x)


@claim("copy_.requires_grad", pair=pairs(tensors(kinds=("plain",)), tensors(kinds=GRAD)))
def test_requires_grad(pair: tuple[Tensor, Tensor]) -> None:
    destination, source = pair
    destination.copy_(source)
    assert destination.requires_grad and node(destination) == "CopyBackwards"
    assert not destination.is_leaf


@claim("copy_.requires_grad", pair=pairs(tensors(kinds=("plain view",)), tensors(kinds=GRAD)))
def test_requires_grad_of_a_view(pair: tuple[Tensor, Tensor]) -> None:
    destination, source = pair
    destination.copy_(source)
    assert destination.requires_grad and not destination.is_leaf


@claim(
    "copy_.requires_grad",
    pair=pairs(tensors((*INTEGERS, torch.bool), kinds=PLAIN), tensors(kinds=GRAD)),
)
def test_integer_never(pair: tuple[Tensor, Tensor]) -> None:
    destination, source = pair
    assert outside_graph(destination.copy_(source))


@claim("copy_.gradient", pair=pairs(tensors(kinds=WRITABLE), tensors(kinds=GRAD)))
def test_gradient(pair: tuple[Tensor, Tensor]) -> None:
    destination, source = pair
    behind = source.grad_fn
    found = gradient(destination.copy_(source), source)
    assert found.dtype == source.dtype and (found == 1).all()
    assert source.grad_fn is behind


@claim("copy_.history", pair=pairs(tensors(kinds=LEAVES), tensors(kinds=PLAIN)))
def test_history(pair: tuple[Tensor, Tensor]) -> None:
    w, source = pair
    destination = w * 2
    destination.copy_(source)
    assert destination.requires_grad and (gradient(destination, w) == 0).all()


@claim("copy_.history_no_grad", pair=pairs(tensors(kinds=LEAVES), tensors()))
def test_history_no_grad(pair: tuple[Tensor, Tensor]) -> None:
    w, source = pair
    destination = w * 2
    node = destination.grad_fn
    with torch.no_grad():
        destination.copy_(source)
    assert destination.grad_fn is node and (gradient(destination, w) == 2).all()


@claim("copy_.history_no_grad", pair=pairs(tensors(kinds=LEAVES), tensors()))
def test_history_needed(pair: tuple[Tensor, Tensor]) -> None:
    w, source = pair
    destination = w.exp()  # saves its result
    with torch.no_grad():
        destination.copy_(source)
    with raises(RuntimeError):
        gradient(destination, w)


@claim(
    "copy_.dtype",
    pair=pairs(tensors(REAL, kinds=PLAIN), tensors(REAL, LAYOUTS)),
    grad=grad_modes(),
)
def test_dtype(pair: tuple[Tensor, Tensor], grad: bool) -> None:
    destination, source = pair
    dtype = destination.dtype
    with torch.set_grad_enabled(grad):
        assert not warnings_of(lambda: destination.copy_(source))
    assert destination.dtype == dtype
    if dtype == torch.bool:
        assert equal(destination, source != 0)


@claim("copy_.dtype", dtype=dtypes(INTEGERS), source=dtypes(FLOATS))
def test_cuts_and_wraps(dtype: torch.dtype, source: torch.dtype) -> None:
    destination = torch.empty(2, dtype=dtype)
    assert destination.copy_(torch.tensor([1.75, 2.5], dtype=source)).tolist() == [1, 2]
    large = torch.iinfo(dtype).max
    if dtype != torch.int64:
        wrapped = torch.empty(1, dtype=dtype).copy_(torch.tensor([large + 1]))
        assert wrapped.item() == torch.iinfo(dtype).min
    assert torch.empty((), dtype=torch.float16).copy_(torch.tensor(1e5)).isinf()


@claim("copy_.broadcast", w=tensors(kinds=GRAD))
def test_broadcast(w: Tensor) -> None:
    destination = torch.zeros(2, *w.shape, dtype=w.dtype).copy_(w)
    assert equal(destination[0], w) and equal(destination[1], w)
    assert (gradient(destination, w) == 2).all()
    with raises(RuntimeError):
        torch.zeros(w.shape).copy_(destination)


@claim("copy_.leaf", pair=pairs(tensors(layouts=LAYOUTS, kinds=LEAVES), tensors()))
def test_leaf_raises(pair: tuple[Tensor, Tensor]) -> None:
    w, source = pair
    values = w.tolist()
    with raises(RuntimeError):
        w.copy_(source)
    assert w.tolist() == values


@claim("copy_.leaf", pair=pairs(tensors(kinds=LEAVES), tensors()))
def test_leaf_under_no_grad(pair: tuple[Tensor, Tensor]) -> None:
    w, source = pair
    with torch.no_grad():
        w.copy_(source)
    assert w.is_leaf and w.requires_grad and equal(w, source.to(w.dtype))


@claim("copy_.no_grad", pair=pairs(tensors(REAL, kinds=PLAIN), tensors()))
def test_no_grad(pair: tuple[Tensor, Tensor]) -> None:
    destination, source = pair
    with torch.no_grad():
        assert outside_graph(destination.copy_(source))


@claim("copy_.view", w=tensors(kinds=GRAD))
def test_view(w: Tensor) -> None:
    base, other = torch.zeros(2, *w.shape, dtype=w.dtype), torch.zeros(2, *w.shape, dtype=w.dtype)
    base[0].copy_(w)
    other[0] = w
    for x in (base, other):
        assert not x.is_leaf and node(x) == "CopySlices"
        assert equal(x[0], w) and (x[1] == 0).all()
        assert (gradient(x, w) == 1).all()


@claim(
    "copy_.expanded",
    pair=pairs(tensors(layouts=EXPANDED, kinds=PLAIN), tensors(layouts=LAYOUTS)),
    grad=grad_modes(),
)
def test_expanded(pair: tuple[Tensor, Tensor], grad: bool) -> None:
    destination, source = pair
    with torch.set_grad_enabled(grad):
        with raises(RuntimeError):
            destination.copy_(source)
        copy = destination.clone().copy_(source)
    assert equal(copy, source.to(copy.dtype))


@claim("copy_.range", dtype=dtypes(INTEGERS), value=one_of(1e30, -1e30, *map(float, NOT_FINITE)))
def test_range(dtype: torch.dtype, value: float) -> None:
    destination = torch.empty(2, dtype=dtype)
    assert not warnings_of(lambda: destination.copy_(torch.tensor(value)))
    assert all(type(number) is int for number in destination.tolist())


PIECES = {
    "unbind": Tensor.unbind,
    "split": lambda x: x.split(1),
    "chunk": lambda x: x.chunk(2),
    "loop": iter,
}


@claim("copy_.pieces", w=tensors(kinds=GRAD), way=one_of(*PIECES))
def test_pieces(w: Tensor, way: str) -> None:
    base = torch.zeros(2, *w.shape, dtype=w.dtype)
    piece = next(iter(PIECES[way](base)))
    with raises(RuntimeError):
        piece.copy_(w)
    base[0] = w
    assert equal(base[0], w)


@claim("copy_.weights", pair=pairs(tensors(kinds=LEAVES), tensors()))
def test_weights(pair: tuple[Tensor, Tensor]) -> None:
    parameter, source = pair
    address = parameter.data_ptr()
    with torch.no_grad():
        assert parameter.copy_(source) is parameter
    assert parameter.is_leaf and parameter.requires_grad and parameter.data_ptr() == address
    assert equal(parameter, source.to(parameter.dtype))
    assert unseen_by_each_other(parameter, source)


@claim("copy_.leading", pair=pairs(tensors(kinds=PLAIN), tensors()), more=one_of(1, 2))
def test_leading(pair: tuple[Tensor, Tensor], more: int) -> None:
    x, y = pair
    longer = y.reshape((1,) * more + tuple(y.shape))
    with raises(RuntimeError):
        x.detach().clone().copy_(longer)
    if x.dim():  # a 0-dim tensor has no `x[:]`
        with torch.no_grad():
            x[:] = longer
        assert equal(x, y.to(x.dtype))
