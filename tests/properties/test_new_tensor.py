"""The claims of book/methods/new_tensor.ipynb as properties."""

import torch
from torch import Tensor

from .facts import (
    equal,
    gradient,
    new_leaf,
    numbered,
    outside_graph,
    quiet,
    raises,
    shares,
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
    dtypes,
    grad_modes,
    one_of,
    tensors,
)

REAL = (*FLOATS, *INTEGERS, torch.bool)


def quiet_new(pattern: Tensor, data: object, **options: object) -> Tensor:
    """Call new_tensor without its warning."""
    with quiet():
        return pattern.new_tensor(data, **options)


@claim("new_tensor.dtype", x=tensors(REAL, LAYOUTS), y=tensors(REAL, LAYOUTS))
def test_dtype(x: Tensor, y: Tensor) -> None:
    assert quiet_new(x, y).dtype == x.dtype == x.new_tensor([0, 1]).dtype


@claim("new_tensor.dtype", x=tensors(INTEGERS, LAYOUTS), dtype=dtypes(FLOATS))
def test_cuts(x: Tensor, dtype: torch.dtype) -> None:
    assert quiet_new(x, torch.tensor(1.5, dtype=dtype)).item() == 1 == x.new_tensor(1.5).item()


@claim("new_tensor.memory", x=tensors(DTYPES, LAYOUTS), y=tensors(REAL, LAYOUTS))
def test_memory(x: Tensor, y: Tensor) -> None:
    result = quiet_new(x, y)
    assert not shares(result, x) and unseen_by_each_other(result, y)


@claim("new_tensor.memory", x=tensors(DTYPES, LAYOUTS))
def test_memory_of_one(x: Tensor) -> None:
    assert unseen_by_each_other(quiet_new(x, x), x)


@claim("new_tensor.device", x=tensors(DTYPES, LAYOUTS), device=one_of("cpu", "meta"))
def test_device(x: Tensor, device: str) -> None:
    pattern = x.to(device)
    assert quiet_new(pattern, [1.0]).device.type == device
    with torch.device("meta" if device == "cpu" else "cpu"):
        assert quiet_new(pattern, [1.0]).device.type == device


@claim("new_tensor.leaf", x=tensors(layouts=LAYOUTS), y=tensors(layouts=LAYOUTS), grad=grad_modes())
def test_leaf(x: Tensor, y: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        assert outside_graph(quiet_new(x, y))


@claim("new_tensor.requires_grad", x=tensors(layouts=LAYOUTS), y=tensors(REAL, LAYOUTS))
def test_requires_grad(x: Tensor, y: Tensor) -> None:
    result = quiet_new(x, y, requires_grad=True)
    assert new_leaf(result)
    result.backward(numbered(result))
    assert equal(result.grad, numbered(result))


@claim("new_tensor.requires_grad", x=tensors((*INTEGERS, torch.bool), LAYOUTS))
def test_requires_grad_integer(x: Tensor) -> None:
    with raises(RuntimeError):
        quiet_new(x, [1], requires_grad=True)


@claim("new_tensor.warning", x=tensors(DTYPES, LAYOUTS), y=tensors(REAL, LAYOUTS))
def test_warning(x: Tensor, y: Tensor) -> None:
    assert len(warnings_of(lambda: x.new_tensor(y))) == 1
    assert not warnings_of(lambda: (x.new_tensor(1), x.new_tensor([1, 2])))


@claim("new_tensor.equal", x=tensors(FLOATS + INTEGERS, LAYOUTS), y=tensors(layouts=LAYOUTS))
def test_equal(x: Tensor, y: Tensor) -> None:
    result, other = quiet_new(x, y), y.detach().clone()
    assert (result.dtype == other.dtype) == (x.dtype == y.dtype)
    assert x.dtype != y.dtype or equal(result, other)


@claim("new_tensor.to", x=tensors(layouts=LAYOUTS), y=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_to(x: Tensor, y: Tensor) -> None:
    result = y.to(x)
    assert result.dtype == x.dtype and result.device == x.device
    found = gradient(result * 1, y)
    assert found.dtype == y.dtype and (found == 1).all()


@claim("new_tensor.keyword", x=tensors(DTYPES, LAYOUTS), dtype=dtypes(DTYPES))
def test_keyword(x: Tensor, dtype: torch.dtype) -> None:
    with raises(TypeError):
        x.new_tensor([1, 2], dtype)
    assert x.new_tensor([1, 2], dtype=dtype).dtype == dtype


@claim("new_tensor.relatives", x=tensors(DTYPES, LAYOUTS), device=one_of("cpu", "meta"))
def test_relatives(x: Tensor, device: str) -> None:
    x = x.to(device)
    made = (x.new_empty(2, 3), x.new_zeros(2, 3), x.new_ones(2, 3), x.new_full((2, 3), 1))
    for new in made:
        assert (new.dtype, new.device, new.shape) == (x.dtype, x.device, (2, 3))


@claim("new_tensor.relatives", x=tensors(INTEGERS, LAYOUTS))
def test_new_full_cuts(x: Tensor) -> None:
    assert x.new_full((2,), 1.5).tolist() == [1, 1]


@claim("new_tensor.signature", x=tensors(DTYPES, LAYOUTS), dtype=dtypes(FLOATS), flag=grad_modes())
def test_signature(x: Tensor, dtype: torch.dtype, flag: bool) -> None:
    made = x.new_tensor([1], dtype=dtype, device="cpu", requires_grad=flag)
    assert made.dtype == dtype and made.requires_grad == flag
    for options in ({"layout": torch.strided}, {"pin_memory": flag}):
        with raises(TypeError):
            x.new_tensor([1], **options)
