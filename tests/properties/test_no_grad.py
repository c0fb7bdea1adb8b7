"""The claims of book/topics/no_grad.ipynb as properties."""

import copy
import io

import numpy as np
import torch
from torch import Tensor, nn

from .facts import (
    backward,
    equal,
    gradient,
    new_leaf,
    outside_graph,
    quiet,
    raises,
    seen_by_each_other,
    shares,
    warnings_of,
)
from .holds import claim
from .strategies import (
    DTYPES,
    GRAD,
    LAYOUTS,
    LEAVES,
    PLAIN,
    SHAPES,
    grad_modes,
    one_of,
    tensors,
)

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)
NEW = {
    "w * 2": lambda w: w * 2,
    "clone": Tensor.clone,
    "exp": Tensor.exp,
    "to(copy=True)": lambda w: w.to(w.dtype, copy=True),
    "w[mask]": lambda w: w[torch.ones(w.shape, dtype=torch.bool)],
    "sum": Tensor.sum,
}
VIEW = {
    "view": lambda w: w.view(w.shape),
    "w[...]": lambda w: w[...],
    "expand": lambda w: w.expand(2, *w.shape),
    "unsqueeze": lambda w: w.unsqueeze(0),
}
SAME = {"to": lambda w: w.to(w.dtype), "cpu": Tensor.cpu, "w": lambda w: w}


@claim("no_grad.records_nothing", w=tensors(layouts=LAYOUTS, kinds=GRAD), way=one_of(*NEW))
def test_records_nothing(w: Tensor, way: str) -> None:
    before = w * 2
    with torch.no_grad():
        result = NEW[way](w)
    assert outside_graph(result) and w.requires_grad
    with raises(RuntimeError):
        backward(result)
    assert (gradient(before, w) == 2).all()


@claim(
    "no_grad.memory", w=tensors(DTYPES, LAYOUTS), way=one_of(*NEW, *VIEW, *SAME, "detach", "data")
)
def test_memory(w: Tensor, way: str) -> None:
    call = {**NEW, **VIEW, **SAME, "detach": Tensor.detach, "data": lambda w: w.data}[way]
    outside = call(w)
    with torch.no_grad():
        inside = call(w)
    assert shares(inside, w) == shares(outside, w) == (way not in NEW)


@claim("no_grad.flag", w=tensors(layouts=LAYOUTS, kinds=GRAD), way=one_of(*NEW, *VIEW, *SAME))
def test_flag(w: Tensor, way: str) -> None:
    with torch.no_grad():
        result = {**NEW, **VIEW, **SAME}[way](w)
        assert not w.detach().requires_grad
    assert result.requires_grad == (way not in NEW)


@claim("no_grad.view", w=tensors(kinds=LEAVES), way=one_of(*VIEW))
def test_view(w: Tensor, way: str) -> None:
    with torch.no_grad():
        view = VIEW[way](w)
    assert view.requires_grad and view.is_leaf
    with quiet():
        assert not warnings_of(lambda: backward(view * 2))
        assert w.grad is None and view.grad is None


@claim("no_grad.view_write", w=tensors(kinds=GRAD))
def test_view_write(w: Tensor) -> None:
    with torch.no_grad():
        view = w.view(w.shape)
        view.zero_()
    with raises(RuntimeError):
        view.zero_()
    with raises(RuntimeError):
        view * 1
    with torch.no_grad():
        view = w.view(w.shape)
        w.zero_()
    with raises(RuntimeError):
        view * 1


@claim("no_grad.view_write", w=tensors(kinds=("non-leaf",)))
def test_view_write_outside(w: Tensor) -> None:
    w.view(w.shape).zero_()
    assert (w == 0).all()


@claim("no_grad.new_tensors", x=tensors(kinds=PLAIN))
def test_new_tensors(x: Tensor) -> None:
    with torch.no_grad():
        made = [torch.ones_like(x, requires_grad=True), nn.Parameter(x)]
        made += [torch.zeros(2, dtype=x.dtype, requires_grad=True), *nn.Linear(1, 1).parameters()]
    for w in made:
        assert new_leaf(w)
        backward(w * 2)
        assert (w.grad == 2).all()


@claim("no_grad.inplace_leaf", w=tensors(kinds=LEAVES))
def test_inplace_leaf(w: Tensor) -> None:
    address, values = w.data_ptr(), w.tolist()
    with torch.no_grad():
        w.mul_(2)
    assert new_leaf(w) and w.data_ptr() == address and w.tolist() != values


@claim("no_grad.version", w=tensors(kinds=GRAD))
def test_version(w: Tensor) -> None:
    result, version = w * w, w._version
    with torch.no_grad():
        w.zero_()
    assert w._version == version + 1
    with raises(RuntimeError):
        backward(result)


@claim("no_grad.numpy", w=tensors(NUMPY_FLOATS, kinds=GRAD))
def test_numpy(w: Tensor) -> None:
    with raises(RuntimeError):
        w.numpy()
    with torch.no_grad():
        array = w.numpy()
    assert seen_by_each_other(array, w) and shares(w.detach().numpy(), w)


MATRICES = tuple(shape for shape in SHAPES if len(shape) == 2)


@claim("no_grad.np_dot", x=tensors((torch.float32, torch.float64), LAYOUTS, shapes=MATRICES))
def test_np_dot(x: Tensor) -> None:
    with torch.no_grad():
        ones = np.ones((x.shape[1], 2), dtype=x.detach().numpy().dtype)
        assert (x @ torch.from_numpy(ones)).tolist() == np.dot(x.numpy(), ones).tolist()
        if x.dtype == torch.float32:
            with raises(RuntimeError):
                x @ torch.from_numpy(np.ones((x.shape[1], 2)))


@claim("no_grad.no_mixing", x=tensors(NUMPY_FLOATS, LAYOUTS, shapes=MATRICES), grad=grad_modes())
def test_no_mixing(x: Tensor, grad: bool) -> None:
    array = x.detach().t().clone().numpy()
    with torch.set_grad_enabled(grad):
        with raises(TypeError):
            torch.mm(x, array)
        torch.mm(x, torch.from_numpy(array))


@claim("no_grad.inference", w=tensors(kinds=GRAD))
def test_inference(w: Tensor) -> None:
    with torch.inference_mode():
        copy = w.clone()
    with torch.no_grad():
        other = w.clone()
    with raises(RuntimeError):
        w * copy
    with raises(RuntimeError):
        copy.zero_()
    w * other
    other.zero_()
    normal = copy.clone()
    assert not normal.is_inference()
    w * normal
    normal.zero_()


@claim("no_grad.leaf_copies", w=tensors(kinds=LEAVES))
def test_leaf_copies(w: Tensor) -> None:
    file = io.BytesIO()
    torch.save(w, file)
    file.seek(0)
    with torch.no_grad():
        for made in (copy.deepcopy(w), torch.load(file)):
            assert new_leaf(made) and not shares(made, w)


@claim("no_grad.or_detach", w=tensors(kinds=GRAD))
def test_or_detach(w: Tensor) -> None:
    assert equal(gradient(w * w.detach(), w), w)
    with torch.no_grad():
        assert outside_graph(w * w)


@claim("no_grad.rebind", w=tensors(kinds=LEAVES))
def test_rebind(w: Tensor) -> None:
    backward(w * 1)
    old, values = w, w.tolist()
    with torch.no_grad():
        new = w - w.grad
        w -= w.grad
    assert w is old and new_leaf(w) and w.tolist() != values
    assert outside_graph(new)
    with raises(RuntimeError):
        backward(new)


@claim("no_grad.new_leaf", w=tensors(kinds=LEAVES))
def test_new_leaf(w: Tensor) -> None:
    backward(w * 1)
    ended = (w - w.grad).detach().requires_grad_()
    assert new_leaf(ended) and not shares(ended, w)
    backward(ended * 1)
    assert (ended.grad == 1).all() and (w.grad == 1).all()
    result = w - w.grad
    backward(result * 1)
    with quiet():
        assert not result.is_leaf and result.grad is None and (w.grad == 2).all()


class Tenfold(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *xs: Tensor | list[Tensor]) -> Tensor:
        x = xs[0] if isinstance(xs[0], Tensor) else xs[0][0]
        made = x + 1
        assert not torch.is_grad_enabled() and outside_graph(made)
        return made

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        return 10 * grad


@claim("no_grad.function", x=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_function(x: Tensor) -> None:
    result = Tenfold.apply(x)
    assert result.requires_grad and not result.is_leaf
    assert (gradient(result, x) == 10).all()
    assert outside_graph(Tenfold.apply([x]))


@claim("no_grad.inplace_nonleaf", x=tensors(kinds=PLAIN))
def test_inplace_nonleaf(x: Tensor) -> None:
    w = x.clone().requires_grad_()
    h = w * 3
    with torch.no_grad():
        h.mul_(2)
    assert h.requires_grad and not h.is_leaf and equal(h, 6 * w)
    assert (gradient(h, w) == 3).all()
