"""The claims of book/topics/devices.ipynb as properties, on the devices that every machine has:
the CPU and `meta`."""

import torch
from torch import Tensor

from .facts import (
    raises,
    shares,
)
from .holds import claim
from .strategies import (
    DTYPES,
    FLOATS,
    LAYOUTS,
    PLAIN,
    SHAPES,
    dtypes,
    grad_modes,
    one_of,
    pairs,
    tensors,
)

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)
WITH_DIMENSIONS = SHAPES[1:]
OPERATIONS = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "maximum": torch.maximum,
    "==": lambda a, b: a == b,
}


@claim(
    "devices.mixing",
    pair=pairs(
        tensors(layouts=LAYOUTS, shapes=WITH_DIMENSIONS),
        tensors(layouts=LAYOUTS, shapes=WITH_DIMENSIONS),
        shapes=WITH_DIMENSIONS,
    ),
    way=one_of(*OPERATIONS),
    swapped=grad_modes(),
)
def test_mixing(pair: tuple[Tensor, Tensor], way: str, swapped: bool) -> None:
    a, b = pair[0].detach(), pair[1].to("meta")
    with raises(RuntimeError):
        OPERATIONS[way](*((b, a) if swapped else (a, b)))
    assert a.device.type == "cpu" and b.device.type == "meta"


@claim(
    "devices.zero_dim",
    x=tensors(layouts=LAYOUTS, shapes=WITH_DIMENSIONS),
    number=tensors(shapes=((),)),
    way=one_of(*OPERATIONS),
)
def test_zero_dim(x: Tensor, number: Tensor, way: str) -> None:
    away = x.to("meta")
    for result in (OPERATIONS[way](away, number), OPERATIONS[way](number, away)):
        assert result.device.type == "meta"
    with raises(RuntimeError):
        OPERATIONS[way](x, number.to("meta"))


@claim("devices.copy_", pair=pairs(tensors(DTYPES, kinds=PLAIN), tensors()))
def test_copy_(pair: tuple[Tensor, Tensor]) -> None:
    there, here = pair[0].to("meta"), pair[1]
    assert there.copy_(here) is there and there.device.type == "meta"


@claim("devices.numpy", x=tensors(layouts=LAYOUTS), force=grad_modes())
def test_numpy(x: Tensor, force: bool) -> None:
    away = x.to("meta")
    for tensor in (away, away.detach()):
        with raises(TypeError):
            tensor.numpy()
    with raises(NotImplementedError):
        away.numpy(force=True)


@claim("devices.chain", dtype=dtypes(NUMPY_FLOATS))
def test_chain(dtype: torch.dtype) -> None:
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    assert "requires_grad=True" in repr(x) and "grad_fn" not in repr(x)
    assert "requires_grad" not in repr(x.detach()) and "grad_fn" not in repr(x.detach())
    array = x.detach().to("cpu").numpy()
    assert array.tolist() == x.tolist()


@claim("devices.no_derivatives", dtype=dtypes(FLOATS))
def test_no_derivatives(dtype: torch.dtype) -> None:
    x = torch.ones(2, dtype=dtype, requires_grad=True)
    assert x.grad is None and x.grad_fn is None


@claim("devices.chain_shares", x=tensors(NUMPY_FLOATS, LAYOUTS))
def test_chain_shares(x: Tensor) -> None:
    array = x.detach().cpu().numpy()
    assert shares(array, x)
    array.fill(7)
    assert (x == 7).all()


@claim("devices.detach_allocates_nothing", x=tensors(DTYPES, LAYOUTS))
def test_detach_allocates_nothing(x: Tensor) -> None:
    assert x.detach().untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert x.clone().untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


@claim("devices.meta_silent", x=tensors(shapes=((2, 2), (3, 3))))
def test_meta_silent(x: Tensor) -> None:
    x = x.detach().clone()
    away, values = x.to("meta"), x.tolist()
    for product in (x @ away, away @ x):
        assert product.shape == x.shape
    x += away
    assert x.tolist() == values
    assert x[torch.tensor([0], device="meta")].shape == (1, *x.shape[1:])
