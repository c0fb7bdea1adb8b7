"""The claims of book/topics/leaf_tensors.ipynb as properties."""

import torch
from torch import Tensor

from .facts import (
    backward,
    equal,
    gradient,
    new_leaf,
    outside_graph,
    quiet,
    raises,
    warnings_of,
)
from .holds import claim
from .strategies import (
    DTYPES,
    FLOATS,
    INTEGERS,
    LAYOUTS,
    LEAVES,
    NON_LEAVES,
    PLAIN,
    dtypes,
    grad_modes,
    one_of,
    pairs,
    tensors,
)

OPERATIONS = {
    "clone": Tensor.clone,
    "exp": Tensor.exp,
    "x * 2": lambda x: x * 2,
    "sum": Tensor.sum,
    "view": lambda x: x.view(x.shape),
    "x[...]": lambda x: x[...],
}
IN_PLACE = {
    "mul_": lambda x: x.mul_(2),
    "add_": lambda x: x.add_(1),
    "zero_": Tensor.zero_,
    "fill_": lambda x: x.fill_(7),
    "exp_": Tensor.exp_,
    "copy_": lambda x: x.copy_(torch.zeros(x.shape)),
    "x[...] = 0": lambda x: x.__setitem__(..., 0),
    "+=": lambda x: x.__iadd__(1),
    "uniform_": Tensor.uniform_,
    "clamp_": lambda x: x.clamp_(max=0),
}


@claim(
    "leaf_tensors.convention",
    x=tensors(DTYPES, LAYOUTS, PLAIN),
    way=one_of("clone", "view", "x[...]"),
)
def test_convention(x: Tensor, way: str) -> None:
    assert x.is_leaf and OPERATIONS[way](x).is_leaf and (x + x).is_leaf


@claim(
    "leaf_tensors.convention",
    x=tensors(layouts=LAYOUTS),
    way=one_of("clone", "x * 2", "sum", "exp"),
)
def test_convention_without_grad_mode(x: Tensor, way: str) -> None:
    with torch.no_grad():
        assert outside_graph(OPERATIONS[way](x))


@claim("leaf_tensors.result", w=tensors(layouts=LAYOUTS, kinds=LEAVES), way=one_of(*OPERATIONS))
def test_result(w: Tensor, way: str) -> None:
    result = OPERATIONS[way](w)
    assert not result.is_leaf and result.requires_grad and new_leaf(w)


@claim("leaf_tensors.one_line", dtype=dtypes(FLOATS), target=dtypes(FLOATS))
def test_one_line(dtype: torch.dtype, target: torch.dtype) -> None:
    x = torch.rand(2, dtype=dtype, requires_grad=True).to(target)
    assert new_leaf(x) == (dtype == target)
    assert new_leaf(torch.rand(2, requires_grad=True, dtype=target))


@claim("leaf_tensors.grad", pair=pairs(tensors(kinds=LEAVES), tensors(kinds=PLAIN)))
def test_grad(pair: tuple[Tensor, Tensor]) -> None:
    w, x = pair
    middle = w * 1
    backward(middle * x.to(w.dtype))
    assert equal(w.grad, x.to(w.dtype)) and x.grad is None
    assert warnings_of(lambda: middle.grad)
    with quiet():
        assert middle.grad is None


@claim("leaf_tensors.retain_grad", x=tensors(kinds=NON_LEAVES))
def test_retain_grad(x: Tensor) -> None:
    x.retain_grad()
    backward(x * 3)
    assert (x.grad == 3).all() and not x.is_leaf


@claim("leaf_tensors.retain_grad", x=tensors(DTYPES, LAYOUTS, PLAIN))
def test_retain_grad_of_plain(x: Tensor) -> None:
    with raises(RuntimeError):
        x.retain_grad()


@claim("leaf_tensors.autograd_grad", w=tensors(layouts=LAYOUTS, kinds=LEAVES), retain=grad_modes())
def test_autograd_grad(w: Tensor, retain: bool) -> None:
    middle = w * 2
    if retain:
        middle.retain_grad()
    of_w, of_middle = torch.autograd.grad(middle * 3, (w, middle), torch.ones_like(middle))
    assert (of_w == 6).all() and (of_middle == 3).all() and w.grad is None
    with quiet():
        assert (middle.grad is not None) == retain


@claim("leaf_tensors.inplace", w=tensors(kinds=LEAVES), way=one_of(*IN_PLACE), view=grad_modes())
def test_inplace(w: Tensor, way: str, view: bool) -> None:
    values = w.tolist()
    with raises(RuntimeError):
        IN_PLACE[way](w.view(w.shape) if view else w)
    assert w.tolist() == values and new_leaf(w)
    with torch.no_grad():
        IN_PLACE[way](w)
    assert w.tolist() != values and new_leaf(w)


@claim("leaf_tensors.inplace", w=tensors(kinds=("view of a leaf",)), way=one_of(*IN_PLACE))
def test_inplace_on_views(w: Tensor, way: str) -> None:
    values = w.tolist()
    with raises(RuntimeError):
        IN_PLACE[way](w)
    assert w.tolist() == values


@claim("leaf_tensors.becomes", pair=pairs(tensors(kinds=PLAIN), tensors(kinds=LEAVES)))
def test_becomes(pair: tuple[Tensor, Tensor]) -> None:
    x, w = pair
    x.mul_(w)
    assert x.requires_grad and not x.is_leaf and new_leaf(w)


@claim("leaf_tensors.optimizer", x=tensors(kinds=NON_LEAVES))
def test_optimizer(x: Tensor) -> None:
    with raises(ValueError):
        torch.optim.SGD([x], lr=0.5)
    values, leaf = x.tolist(), x.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([leaf], lr=0.5)
    backward(leaf * 2)
    optimizer.step()
    assert x.tolist() == values != leaf.tolist()
    x.retain_grad()
    torch.optim.SGD([x], lr=0.5)


@claim("leaf_tensors.flag", x=tensors(layouts=LAYOUTS, kinds=NON_LEAVES), flag=grad_modes())
def test_flag(x: Tensor, flag: bool) -> None:
    behind = x.grad_fn
    with raises(RuntimeError):
        x.requires_grad = flag
    with raises(RuntimeError):
        x.requires_grad_(False)
    assert not x.detach().requires_grad
    assert x.requires_grad_() is x and x.grad_fn is behind


@claim("leaf_tensors.becomes", w=tensors(kinds=LEAVES), dtype=dtypes(INTEGERS))
def test_integer_stays_plain(w: Tensor, dtype: torch.dtype) -> None:
    assert outside_graph(torch.zeros(w.shape, dtype=dtype).copy_(w))


@claim("leaf_tensors.inputs", w=tensors(kinds=LEAVES))
def test_inputs(w: Tensor) -> None:
    y = w * 2
    (y * 3).backward(torch.ones_like(w), inputs=[y])
    with quiet():
        assert (y.grad == 3).all() and w.grad is None


UNRECORDED = {
    "logical_and_": lambda x: x.logical_and_(torch.zeros(x.shape)),
    "logical_not_": Tensor.logical_not_,
    "logical_or_": lambda x: x.logical_or_(torch.ones(x.shape)),
    "logical_xor_": lambda x: x.logical_xor_(torch.ones(x.shape)),
}


@claim("leaf_tensors.inplace", w=tensors(kinds=LEAVES), way=one_of(*UNRECORDED))
def test_four_run(w: Tensor, way: str) -> None:
    w.detach().fill_(7)
    UNRECORDED[way](w)
    assert (w != 7).all() and new_leaf(w)


@claim("leaf_tensors.unrecorded", w=tensors(kinds=LEAVES), way=one_of(*UNRECORDED))
def test_unrecorded(w: Tensor, way: str) -> None:
    h = w * 1
    UNRECORDED[way](h)
    assert (gradient(h, w) == 1).all()


@claim("leaf_tensors.unguarded", w=tensors((torch.float32,), kinds=LEAVES), way=one_of(0, 1, 2))
def test_unguarded(w: Tensor, way: int) -> None:
    if way == 0:
        torch.gt(torch.zeros(w.shape), torch.ones(w.shape), out=w)
    elif way == 1:
        w.view(torch.int32).zero_()
    else:
        w.detach().zero_()
    assert (w == 0).all() and new_leaf(w)


@claim("leaf_tensors.under_no_grad", w=tensors(kinds=LEAVES), way=one_of(*IN_PLACE))
def test_under_no_grad(w: Tensor, way: str) -> None:
    with torch.no_grad():
        IN_PLACE[way](w)
        assert new_leaf(w)
        with raises(RuntimeError):
            w.resize_(w.shape)
        with raises(RuntimeError):
            w.resize_as_(w)
