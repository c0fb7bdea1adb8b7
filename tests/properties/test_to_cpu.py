"""The claims of book/methods/to_cpu.ipynb as properties."""

import torch
from hypothesis import assume
from torch import Tensor, nn

from .facts import (
    equal,
    gradient,
    new_leaf,
    node,
    outside_graph,
    quiet,
    raises,
    unseen_by_each_other,
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
    PLAIN,
    dtypes,
    grad_modes,
    tensors,
)

METHODS = {
    torch.float64: Tensor.double,
    torch.float32: Tensor.float,
    torch.float16: Tensor.half,
    torch.bfloat16: Tensor.bfloat16,
}


@claim("to_cpu.same_object", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_same_object(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        assert x.to("cpu") is x and x.cpu() is x and x.to(x.dtype) is x and x.to(x) is x
        assert x.to("cpu", x.dtype, non_blocking=True) is x


@claim("to_cpu.same_object", x=tensors(DTYPES, ("rows",)))
def test_same_object_with_format(x: Tensor) -> None:
    assert x.to(memory_format=torch.contiguous_format) is x


@claim("to_cpu.copy", x=tensors(DTYPES, LAYOUTS))
def test_copy(x: Tensor) -> None:
    copy = x.to("cpu", copy=True)
    assert equal(copy, x) and copy.requires_grad == x.requires_grad
    assert node(copy) == ("ToCopyBackward" if x.requires_grad else None)
    assert unseen_by_each_other(copy, x)


@claim("to_cpu.dtype", x=tensors(layouts=LAYOUTS), dtype=dtypes(FLOATS))
def test_dtype(x: Tensor, dtype: torch.dtype) -> None:
    assume(dtype != x.dtype)
    for copy in (x.to(dtype), METHODS[dtype](x), x.type(dtype)):
        assert copy.dtype == dtype
        assert node(copy) == ("ToCopyBackward" if x.requires_grad else None)
        values = x.tolist()
        copy.detach().zero_()
        assert x.tolist() == values


@claim("to_cpu.gradient", x=tensors(layouts=LAYOUTS, kinds=GRAD), dtype=dtypes(FLOATS))
def test_gradient(x: Tensor, dtype: torch.dtype) -> None:
    found = gradient(x.to(dtype, copy=True), x)
    assert found.dtype == x.dtype and found.device == x.device and (found == 1).all()


@claim("to_cpu.integer", x=tensors(layouts=LAYOUTS), dtype=dtypes((*INTEGERS, torch.bool)))
def test_integer(x: Tensor, dtype: torch.dtype) -> None:
    assert outside_graph(x.to(dtype)) and not warnings_of(lambda: x.to(dtype))


@claim("to_cpu.write_on_cpu", w=tensors(kinds=LEAVES))
def test_write_on_cpu(w: Tensor) -> None:
    with raises(RuntimeError):
        w.to("cpu").mul_(2)
    w.to("cpu", copy=True).mul_(2)


@claim("to_cpu.not_in_place", x=tensors(DTYPES, LAYOUTS), dtype=dtypes(FLOATS))
def test_not_in_place(x: Tensor, dtype: torch.dtype) -> None:
    before = x.data_ptr(), x.dtype, x.device, x.stride(), x.tolist(), x.requires_grad
    with quiet():  # about the imaginary part that is lost
        x.to(dtype)
    x.to("meta")
    x.to("cpu", copy=True)
    assert (x.data_ptr(), x.dtype, x.device, x.stride(), x.tolist(), x.requires_grad) == before


@claim("to_cpu.module", dtype=dtypes(FLOATS), target=dtypes(FLOATS))
def test_module(dtype: torch.dtype, target: torch.dtype) -> None:
    module = nn.Linear(2, 3).to(dtype)
    before = list(module.parameters())
    assert module.to(target) is module
    after = list(module.parameters())
    assert all(new is old for new, old in zip(after, before, strict=True))
    assert all(p.dtype == target for p in after)
    module.to("meta")
    assert not any(new is old for new, old in zip(module.parameters(), before, strict=True))


@claim("to_cpu.non_leaf", dtype=dtypes(FLOATS), target=dtypes(FLOATS))
def test_non_leaf(dtype: torch.dtype, target: torch.dtype) -> None:
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True).to(target)
    assert new_leaf(x) == (dtype == target)
    x.sum().backward()
    with quiet():
        assert (x.grad is None) == (dtype != target)


@claim("to_cpu.no_grad", x=tensors(layouts=LAYOUTS), dtype=dtypes(FLOATS))
def test_no_grad(x: Tensor, dtype: torch.dtype) -> None:
    with torch.no_grad():
        assert outside_graph(x.to(dtype, copy=True))
        result = x.to(dtype)
    assert result is x if dtype == x.dtype else outside_graph(result)


@claim("to_cpu.index", x=tensors(DTYPES, LAYOUTS, PLAIN))
def test_index(x: Tensor) -> None:
    copy = x.to("cpu:0")
    assert copy is not x and unseen_by_each_other(copy, x)
    assert "device" not in repr(copy)


@claim("to_cpu.collect", x=tensors(layouts=LAYOUTS))
def test_collect(x: Tensor) -> None:
    shared, kept = x.detach().cpu(), x.detach().to("cpu", copy=True)
    with torch.no_grad():
        x.fill_(101)
    assert (shared == 101).all() and not (kept == 101).any()
