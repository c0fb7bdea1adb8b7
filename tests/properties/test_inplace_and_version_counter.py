"""The claims of book/topics/inplace_and_version_counter.ipynb as properties."""

import copy
import gc
import weakref

import torch
from torch import Tensor, nn

from .facts import backward, equal, gradient, node, raises, shares
from .holds import claim
from .strategies import (
    DTYPES,
    GRAD,
    LAYOUTS,
    LEAVES,
    PLAIN,
    SHAPES,
    dtypes,
    grad_modes,
    one_of,
    pairs,
    tensors,
)

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)
WRITES = {
    "add_": lambda x: x.add_(1),
    "mul_(1)": lambda x: x.mul_(1),
    "zero_": Tensor.zero_,
    "fill_": lambda x: x.fill_(7),
    "+=": lambda x: x.__iadd__(1),
    "x[...] = 0": lambda x: x.__setitem__(..., 0),
    "copy_": lambda x: x.copy_(torch.ones(x.shape)),
    "out=": lambda x: torch.add(x.detach(), 1, out=x),
    "exp_": Tensor.exp_,
    "clamp_": lambda x: x.clamp_(min=0),
    "normal_": Tensor.normal_,
}


@claim("inplace_and_version_counter.moves", x=tensors(kinds=PLAIN), way=one_of(*WRITES))
def test_moves(x: Tensor, way: str) -> None:
    version = x._version
    WRITES[way](x)
    assert x._version == version + 1


@claim(
    "inplace_and_version_counter.moves",
    x=tensors(kinds=("non-leaf", "view of a non-leaf")),
    way=one_of(*(way for way in WRITES if way != "out=")),
)
def test_moves_non_leaves(x: Tensor, way: str) -> None:
    version = x._version
    WRITES[way](x)
    assert x._version == version + 1


@claim("inplace_and_version_counter.moves", x=tensors(kinds=PLAIN, shapes=SHAPES[1:]))
def test_writes_twice(x: Tensor) -> None:
    version = x._version
    x[0] += 1
    assert x._version == version + 2


@claim("inplace_and_version_counter.rebind", x=tensors(kinds=PLAIN))
def test_rebind(x: Tensor) -> None:
    other, dtype = x, x.dtype
    x += 1
    assert x is other and x.dtype == dtype
    values = other.tolist()
    x = x + 1
    assert x is not other and x._version == 0 and other.tolist() == values and not shares(x, other)


UNSEEN = {
    "data": lambda x: x.data.fill_(7),
    "numpy": lambda x: x.detach().numpy().fill(7),
    "dlpack": lambda x: torch.from_dlpack(x.detach()).fill_(7),
    "copy.copy": lambda x: copy.copy(x).detach().fill_(7),
    "storage": lambda x: x.untyped_storage().fill_(0),
    "assignment": lambda x: setattr(x, "data", torch.full(x.shape, 7.0, dtype=x.dtype)),
}


@claim("inplace_and_version_counter.unseen", x=tensors(NUMPY_FLOATS), way=one_of(*UNSEEN))
def test_unseen(x: Tensor, way: str) -> None:
    version, values = x._version, x.tolist()
    UNSEEN[way](x)
    assert x._version == version and x.tolist() != values


@claim("inplace_and_version_counter.increment", x=tensors(NUMPY_FLOATS, kinds=GRAD))
def test_increment(x: Tensor) -> None:
    result, version = x * x, x._version
    x.detach().numpy().fill(0)
    torch.autograd.graph.increment_version(x)
    assert x._version == version + 1
    with raises(RuntimeError):
        backward(result)


@claim("inplace_and_version_counter.inference", x=tensors(DTYPES, LAYOUTS))
def test_inference(x: Tensor) -> None:
    with torch.inference_mode():
        made = x.clone()
    with raises(RuntimeError):
        made._version  # noqa: B018
    assert made.clone()._version >= 0


@claim(
    "inplace_and_version_counter.swap",
    pair=pairs(tensors(kinds=("plain",)), tensors(kinds=("plain",))),
)
def test_swap(pair: tuple[Tensor, Tensor]) -> None:
    a, b = pair
    a.add_(1)
    a.add_(1)
    before = (
        (b.tolist(), b._version, b.data_ptr(), b.dtype),
        (a.tolist(), a._version, a.data_ptr(), a.dtype),
    )
    torch.utils.swap_tensors(a, b)
    assert (
        (a.tolist(), a._version, a.data_ptr(), a.dtype),
        (b.tolist(), b._version, b.data_ptr(), b.dtype),
    ) == before


@claim(
    "inplace_and_version_counter.swap",
    pair=pairs(tensors((torch.float32,), kinds=PLAIN), tensors((torch.float32,), kinds=PLAIN)),
)
def test_set_(pair: tuple[Tensor, Tensor]) -> None:
    a, b = pair
    version, other = a._version, b._version
    a.set_(b)
    assert a.data_ptr() == b.data_ptr() and a._version == version + 1 and b._version == other
    b.zero_()
    assert a._version == version + 1 and b._version == other + 1 and (a == 0).all()


@claim("inplace_and_version_counter.error", x=tensors(kinds=GRAD))
def test_error(x: Tensor) -> None:
    by_input, by_result = x * x, x.exp()
    with torch.no_grad():
        x.add_(1)
        by_result.add_(1)
    for result in (by_input, by_result):
        with raises(RuntimeError):
            backward(result)


class Hooks(torch.autograd.graph.saved_tensors_hooks):
    """Note what is saved."""

    def __init__(self) -> None:
        self.saved: list[Tensor] = []
        super().__init__(lambda x: self.saved.append(x) or x, lambda x: x)


SAVES = {
    "nothing": (lambda x: x + 1, torch.sum, lambda x: x.view(x.shape)),
    "input": (lambda x: x * x, lambda x: x**2, torch.sin),
    "result": (torch.exp, torch.sigmoid, torch.relu),
}


@claim(
    "inplace_and_version_counter.saved", x=tensors(layouts=LAYOUTS, kinds=GRAD), what=one_of(*SAVES)
)
def test_saved(x: Tensor, what: str) -> None:
    for operation in SAVES[what]:
        with (hooks := Hooks()):
            result = operation(x)
        source = {"nothing": None, "input": x, "result": result}[what]
        assert all(t.data_ptr() == source.data_ptr() for t in hooks.saved)
        assert bool(hooks.saved) == (what != "nothing")


@claim("inplace_and_version_counter.recorded", w=tensors(kinds=LEAVES))
def test_recorded(w: Tensor) -> None:
    pairs_ = (
        (lambda h: h.mul_(2), lambda h: h * 2),
        (lambda h: h.exp_(), lambda h: h.exp()),
        (lambda h: h.pow_(2), lambda h: h.pow(2)),
    )
    w.detach().div_(w.numel())  # so that exp stays finite in every dtype
    for in_place, out_of_place in pairs_:
        assert equal(gradient(in_place(w * 1), w), gradient(out_of_place(w * 1), w))
    h = w * 1
    with raises(RuntimeError):
        backward(h.mul_(h))


@claim("inplace_and_version_counter.cures", w=tensors(kinds=LEAVES), clone=grad_modes())
def test_cures(w: Tensor, clone: bool) -> None:
    h = w * 1
    square = h * h
    changed = h.clone().mul_(2) if clone else h * 2
    backward(square + changed)
    assert equal(w.grad, 2 * w + 2)


@claim("inplace_and_version_counter.relu_branch", w=tensors(kinds=LEAVES))
def test_relu_branch(w: Tensor) -> None:
    relu = nn.ReLU(inplace=True)
    h = w * -1
    square = h * h
    relu(h)
    with raises(RuntimeError):
        backward(square)
    h = w * -1
    relu(h)
    assert (h * 3 == 0).all()
    h = w * -1
    square = h * h
    total = square + relu(h.clone())
    backward(total)
    assert equal(w.grad, 2 * w)


OPTIMIZERS = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam, "RMSprop": torch.optim.RMSprop}


@claim("inplace_and_version_counter.step", w=tensors(kinds=LEAVES), way=one_of(*OPTIMIZERS))
def test_step(w: Tensor, way: str) -> None:
    result, version = w * w, w._version
    w.grad = torch.ones_like(w)
    OPTIMIZERS[way]([w], lr=0.5).step()
    assert w._version > version
    with raises(RuntimeError):
        backward(result)


@claim("inplace_and_version_counter.hooks", w=tensors(kinds=LEAVES), clone=grad_modes())
def test_hooks(w: Tensor, clone: bool) -> None:
    expected = 2 * w.detach()
    pack = (lambda t: t.clone()) if clone else (lambda t: t)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        result = w * w
    w.detach().zero_()
    backward(result)
    assert equal(w.grad, expected) if clone else (w.grad == 0).all()


class Attribute(torch.autograd.Function):
    """A square that keeps its input as an attribute."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, given):
        return 2 * ctx.x * given


class Properly(Attribute):
    """A square that saves its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, given):
        return 2 * ctx.saved_tensors[0] * given


@claim("inplace_and_version_counter.ctx_attribute", w=tensors(kinds=LEAVES), saved=grad_modes())
def test_ctx_attribute(w: Tensor, saved: bool) -> None:
    result = (Properly if saved else Attribute).apply(w)
    w.detach().zero_()
    if saved:
        with raises(RuntimeError):
            backward(result)
    else:
        backward(result)
        assert (w.grad == 0).all()


class Kept(torch.autograd.Function):
    """A product with 2 that keeps its result."""

    @staticmethod
    def forward(ctx, x, way):
        y = x * 2
        if way == "attribute":
            ctx.y = y
        elif way == "saved":
            ctx.save_for_backward(y)
        elif way == "view":
            ctx.y = y.view_as(y)
        else:
            ctx.x = x if way == "input" else y + 1
        return y

    @staticmethod
    def backward(ctx, given):
        return 2 * given, None


@claim(
    "inplace_and_version_counter.ctx_output",
    w=tensors(kinds=GRAD),
    way=one_of("attribute", "view", "saved", "input", "other"),
)
def test_ctx_output(w: Tensor, way: str) -> None:
    gc.disable()
    try:
        graph = weakref.ref(Kept.apply(w, way).grad_fn)
        assert (graph() is None) == (way not in ("attribute", "view"))
    finally:
        gc.enable()


class Double(torch.autograd.Function):
    """Twice its input, in the way that is named."""

    @staticmethod
    def forward(ctx, x, way):
        if way == "new":
            return x * 2
        x.mul_(2)
        if way == "marked":
            ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, given):
        return 2 * given, None


@claim(
    "inplace_and_version_counter.mark_dirty",
    w=tensors(layouts=LAYOUTS, kinds=LEAVES),
    way=one_of("new", "marked", "unmarked"),
)
def test_mark_dirty(w: Tensor, way: str) -> None:
    h = w * 1
    result = Double.apply(h, way)
    assert (result is h) == (way == "marked") and equal(result, w * 2)
    assert equal(h, w if way == "new" else w * 2)
    assert (gradient(result, w) == 2).all()
    assert (gradient(h, w) == (2 if way == "marked" else 1)).all()


@claim("inplace_and_version_counter.batch_norm", dtype=dtypes((torch.float32, torch.float64)))
def test_batch_norm(dtype: torch.dtype) -> None:
    norm = nn.BatchNorm1d(2).to(dtype)
    x = torch.arange(6.0, dtype=dtype).reshape(3, 2)
    before = norm.running_mean._version, norm.running_mean.tolist()
    norm(x)
    assert norm.running_mean._version == before[0] and norm.running_mean.tolist() != before[1]


@claim("inplace_and_version_counter.named", x=tensors(kinds=("leaf", "Parameter", "non-leaf")))
def test_named(x: Tensor) -> None:
    of_input = node(x)  # None for a leaf
    by_result, by_input = x.exp(), x * x
    with torch.no_grad():
        by_result.add_(1)
        x.add_(1)
    with raises(RuntimeError, match="is output 0 of Exp"):
        backward(by_result)
    with raises(RuntimeError) as found:
        backward(by_input)
    assert ("is output 0 of" in str(found.value)) == (of_input is not None)
    assert not of_input or of_input.removesuffix("Backward") in str(found.value)


# `torch.kron` refuses some strides with a RuntimeError.
ROWS, ROW_LEAVES = (
    tensors(layouts=("rows",), kinds=("plain",)),
    tensors(layouts=("rows",), kinds=LEAVES),
)


@claim("inplace_and_version_counter.kron", pair=pairs(ROWS, ROW_LEAVES))
def test_kron(pair: tuple[Tensor, Tensor]) -> None:
    factor, w = pair[0].to(pair[1].dtype), pair[1]
    result, version = torch.kron(factor, w), factor._version
    factor.zero_()
    assert factor._version == version + 1
    backward(result)
    assert (w.grad == 0).all()
