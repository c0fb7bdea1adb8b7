"""The claims of book/methods/memory_format.ipynb as properties."""

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

from .facts import (
    dense,
    equal,
    order,
    quiet,
    raises,
    shares,
    warnings_of,
)
from .holds import claim
from .strategies import (
    DENSE,
    DTYPES,
    EXPANDED,
    FLOATS,
    LAYOUTS,
    PLAIN,
    SHAPES,
    SPACED,
    dtypes,
    grad_modes,
    one_of,
    orders,
    tensors,
)

MATRICES = tuple(shape for shape in SHAPES if len(shape) == 2)
IMAGES = tuple(shape for shape in SHAPES if len(shape) == 4)
WITH_ROWS = SHAPES[1:]


STEPS = {"itself": lambda x: x, "t()": Tensor.t, "[:, ::2]": lambda x: x[:, ::2]}
STEPS["expand"] = lambda x: x[:1].expand(4, -1)


@claim("memory_format.strides", x=tensors(DTYPES, LAYOUTS, shapes=MATRICES), way=one_of(*STEPS))
def test_strides(x: Tensor, way: str) -> None:
    values = torch.empty(0, dtype=x.dtype).set_(x.untyped_storage()).tolist()
    x = STEPS[way](x)
    down, right = x.stride()
    for i, row in enumerate(x.tolist()):
        for j, value in enumerate(row):
            assert value == values[x.storage_offset() + i * down + j * right]


@claim("memory_format.preserve", x=tensors(layouts=DENSE), dtype=dtypes(FLOATS))
def test_preserve(x: Tensor, dtype: torch.dtype) -> None:
    like = (torch.empty_like, torch.zeros_like, torch.ones_like, torch.rand_like)
    made = [x.clone(), x.to(dtype), *(function(x) for function in like)]
    made.append(torch.full_like(x, 2))
    assert all(t.stride() == x.stride() for t in made)
    assert x.new_empty(x.shape).is_contiguous() and x.new_zeros(x.shape).is_contiguous()


@claim("memory_format.order", x=tensors(DTYPES, SPACED + EXPANDED))
def test_order(x: Tensor) -> None:
    copy = x.clone()
    assert dense(copy)
    assert 0 in x.stride() or order(copy) == order(x)
    assert copy.is_contiguous() == (order(copy) == sorted(order(copy)))


@claim(
    "memory_format.order",
    x=tensors(layouts=("stepped",), kinds=PLAIN, shapes=tuple(s for s in SHAPES if len(s) == 3)),
    dims=orders(3),
)
def test_order_permuted(x: Tensor, dims: tuple[int, ...]) -> None:
    x = x.permute(dims)
    assert order(x.clone()) == order(x)


@claim("memory_format.contiguous", x=tensors(DTYPES, LAYOUTS))
def test_contiguous(x: Tensor) -> None:
    copy = x.clone(memory_format=torch.contiguous_format)
    assert copy.is_contiguous() and not shares(copy, x) and equal(copy, x)
    assert x.contiguous().is_contiguous() and (x.contiguous() is x) == x.is_contiguous()


@claim(
    "memory_format.to",
    x=tensors(DTYPES, LAYOUTS, shapes=tuple(shape for shape in SHAPES if len(shape) < 4)),
    dtype=dtypes(FLOATS),
)
def test_to(x: Tensor, dtype: torch.dtype) -> None:
    assert x.to(memory_format=torch.contiguous_format) is x
    for options in ({"copy": True}, {"dtype": dtype}):
        with quiet():  # complex numbers become real
            made = x.to(memory_format=torch.contiguous_format, **options)
        assert made is x or made.is_contiguous()


@claim("memory_format.channels_last", x=tensors(layouts=("rows",), shapes=((2, 2, 2, 3),)))
def test_channels_last(x: Tensor) -> None:
    made = x.to(memory_format=torch.channels_last)
    assert not shares(made, x) and made.stride() != x.stride()
    assert made.shape == x.shape and equal(made, x) and not made.is_contiguous()
    assert made.clone().stride() == made.stride()
    assert made.to(memory_format=torch.channels_last) is made


@claim("memory_format.rank", x=tensors(layouts=LAYOUTS))
def test_rank(x: Tensor) -> None:
    for method in (x.clone, x.to, x.contiguous):
        if x.dim() == 4:
            method(memory_format=torch.channels_last)
        else:
            with raises(RuntimeError):
                method(memory_format=torch.channels_last)


@claim("memory_format.one", x=tensors(DTYPES, LAYOUTS), stride=st.integers(0, 9))
def test_one(x: Tensor, stride: int) -> None:
    strides = [stride if n == 1 else s for n, s in zip(x.shape, x.stride(), strict=True)]
    other = x.detach().as_strided(x.shape, strides)
    assert other.is_contiguous() == x.is_contiguous()
    assert (other.contiguous() is other) == x.is_contiguous()
    copy = other.clone(memory_format=torch.contiguous_format)
    assert copy.stride() == torch.empty(x.shape).stride()


@claim("memory_format.expanded", x=tensors(layouts=EXPANDED, kinds=PLAIN))
def test_expanded(x: Tensor) -> None:
    for write in (x.add_, x.copy_, x.mul_):
        with raises(RuntimeError):
            write(torch.ones_like(x))
    assert (x.fill_(7) == 7).all() and (x.zero_() == 0).all()


@claim("memory_format.expanded_row", n=st.integers(2, 4), dtype=dtypes(DTYPES), one=grad_modes())
def test_expanded_row(n: int, dtype: torch.dtype, one: bool) -> None:
    x = torch.zeros(3, dtype=dtype).expand(n, 3)
    copy = x.clone()

    def write() -> None:
        x[(0, 1) if one else 0] = 1

    assert not warnings_of(write)
    assert all(equal(row, x[0]) for row in x) and x[0, 1] == 1
    copy[0] = 1
    assert copy[0].all() and not copy[1:].any()


@claim("memory_format.expanded_buffer", x=tensors(DTYPES, EXPANDED, PLAIN))
def test_expanded_buffer(x: Tensor) -> None:
    state = {"b": torch.ones_like(x)}
    for buffer, assign in ((x, False), (x.clone(), False), (x, True)):
        module = nn.Module()
        module.register_buffer("b", buffer)
        if buffer is x and not assign:
            with raises(RuntimeError):
                module.load_state_dict(state)
        else:
            module.load_state_dict(state, assign=assign)
            assert equal(module.b, state["b"]) and shares(module.b, state["b"]) == assign


@claim("memory_format.expanded_mask", n=st.integers(2, 4), dtype=dtypes(FLOATS), mask=grad_modes())
def test_expanded_mask(n: int, dtype: torch.dtype, mask: bool) -> None:
    x = torch.zeros(3, dtype=dtype).expand(n, 3)

    def write() -> None:
        x[torch.tensor([True] + [False] * (n - 1)) if mask else [0]] = 1

    assert any("deprecated" in text for text in warnings_of(write)) and (x == 1).all()


@claim("memory_format.expanded_number", n=st.integers(2, 4), dtype=dtypes(DTYPES))
def test_expanded_number(n: int, dtype: torch.dtype) -> None:
    x = torch.zeros(3, dtype=dtype).expand(n, 3)
    with raises(RuntimeError):
        x[:] = 1.0
    assert not x.any() and (x.fill_(1.0) == 1).all()


@claim("memory_format.shift", n=st.integers(3, 9), dtype=dtypes(DTYPES))
def test_shift(n: int, dtype: torch.dtype) -> None:
    x = torch.arange(n).to(dtype)
    values = x.tolist()
    with raises(RuntimeError):
        x[1:] = x[:-1]
    assert x.tolist() == values
    x[1:] = x[:-1].clone()
    assert x.tolist() == [values[0], *values[:-1]]


@claim("memory_format.crop", n=st.integers(2, 4), channels=st.integers(2, 4), dtype=dtypes(DTYPES))
def test_crop(n: int, channels: int, dtype: torch.dtype) -> None:
    images = torch.zeros(2, channels, n, n, dtype=dtype)
    crop = images.to(memory_format=torch.channels_last)[:, :, : n - 1]
    assert crop.to(memory_format=torch.channels_last) is crop and not dense(crop)
    made = crop.contiguous(memory_format=torch.channels_last)
    assert made is not crop and dense(made)
    one = images[:, :1].clone(memory_format=torch.contiguous_format)
    assert one.to(memory_format=torch.channels_last) is not one
    assert one.contiguous(memory_format=torch.channels_last) is one
