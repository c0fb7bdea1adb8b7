"""The claims of book/methods/as_tensor_asarray.ipynb as properties."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from hypothesis import assume
from hypothesis import strategies as st
from torch import Tensor

from .facts import (
    equal,
    gradient,
    new_leaf,
    node,
    outside_graph,
    quiet,
    raises,
    seen_by_each_other,
    shares,
    unseen_by_each_other,
    warnings_of,
)
from .holds import RELEASE, claim
from .strategies import (
    ARRAY_DTYPES,
    DTYPES,
    FLOATS,
    GRAD,
    INTEGERS,
    LAYOUTS,
    LEAVES,
    NON_LEAVES,
    PLAIN,
    arrays,
    dtypes,
    grad_modes,
    one_of,
    tensors,
)

FUNCTIONS = one_of("as_tensor", "asarray")
SINCE_2_12 = RELEASE >= (2, 12)


def call(name: str, *args: object, **options: object) -> Tensor:
    """Call torch.as_tensor or torch.asarray without warnings."""
    with quiet():
        return getattr(torch, name)(*args, **options)


@claim("as_tensor_asarray.same_object", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_same_object(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        assert torch.as_tensor(x) is x and torch.as_tensor(x, dtype=x.dtype, device="cpu") is x
        if SINCE_2_12:
            assert call("asarray", x) is x and call("asarray", x, dtype=x.dtype) is x


@claim("as_tensor_asarray.convert", x=tensors(layouts=LAYOUTS), dtype=dtypes(FLOATS))
def test_convert(x: Tensor, dtype: torch.dtype) -> None:
    assume(dtype != x.dtype)
    for name in ("as_tensor", "asarray")[: 1 + SINCE_2_12]:
        copy = call(name, x, dtype=dtype)
        assert not shares(copy, x)
        assert node(copy) == ("ToCopyBackward" if x.requires_grad else None)
        if x.requires_grad:
            found = gradient(copy, x)
            assert found.dtype == x.dtype and (found == 1).all()


@claim("as_tensor_asarray.copy_true", x=tensors(DTYPES, LAYOUTS), grad=grad_modes())
def test_copy_true(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        copy = call("asarray", x, copy=True)
        plain = call("asarray", x, copy=True, requires_grad=False)
    assert outside_graph(plain) and equal(plain, x) and not shares(plain, x)
    assert equal(copy, x) and unseen_by_each_other(copy, x)


@claim("as_tensor_asarray.copy_true", (2, 12), x=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_copy_true_gradient(x: Tensor) -> None:
    assert (gradient(call("asarray", x, copy=True), x) == 1).all()


@claim("as_tensor_asarray.copy_false", x=tensors(layouts=LAYOUTS), dtype=dtypes(FLOATS))
def test_copy_false(x: Tensor, dtype: torch.dtype) -> None:
    assert shares(call("asarray", x, copy=False), x)
    for options in ({"device": "meta"}, *([{"dtype": dtype}] if dtype != x.dtype else ())):
        with raises(ValueError):
            call("asarray", x, copy=False, **options)


@claim("as_tensor_asarray.copy_false", a=arrays(ARRAY_DTYPES))
def test_copy_false_of_array(a: np.ndarray) -> None:
    assert shares(torch.asarray(a, copy=False), a)
    with raises(ValueError):
        torch.asarray(a.tolist(), copy=False)
    with raises(RuntimeError):
        torch.asarray(a.reshape(-1)[0], copy=False)


@claim("as_tensor_asarray.keywords", x=tensors(DTYPES, LAYOUTS), flag=grad_modes())
def test_keywords(x: Tensor, flag: bool) -> None:
    for options in ({"copy": flag}, {"requires_grad": flag}):
        with raises(TypeError):
            torch.as_tensor(x, **options)


@claim("as_tensor_asarray.default", x=tensors(layouts=LAYOUTS))
def test_default(x: Tensor) -> None:
    if SINCE_2_12:
        assert call("asarray", x).requires_grad == x.requires_grad
        assert len(warnings_of(lambda: torch.asarray(x))) == x.requires_grad
    assert not warnings_of(lambda: torch.as_tensor(x))


@claim("as_tensor_asarray.changes_flag", x=tensors(layouts=LAYOUTS, kinds=(*PLAIN, *LEAVES)))
def test_changes_flag(x: Tensor) -> None:
    wanted = not x.requires_grad
    result = torch.asarray(x, requires_grad=wanted)
    assert result.requires_grad == wanted == x.requires_grad


@claim("as_tensor_asarray.changes_flag", x=tensors(layouts=LAYOUTS, kinds=NON_LEAVES))
def test_non_leaf_keeps_graph(x: Tensor) -> None:
    behind = node(x)
    for flag in (False, True):
        torch.asarray(x, requires_grad=flag)
        assert x.requires_grad and node(x) == behind


@claim("as_tensor_asarray.changes_flag", x=tensors(layouts=LAYOUTS), flag=grad_modes())
def test_copy_keeps_flag(x: Tensor, flag: bool) -> None:
    before = x.requires_grad, node(x)
    torch.asarray(x, copy=True, requires_grad=flag)
    assert (x.requires_grad, node(x)) == before


@claim("as_tensor_asarray.no_grad", x=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_no_grad(x: Tensor) -> None:
    if SINCE_2_12:
        with torch.no_grad():
            assert new_leaf(call("asarray", x, copy=True)) and outside_graph(x.clone())


@claim("as_tensor_asarray.array", a=arrays(ARRAY_DTYPES))
def test_array(a: np.ndarray) -> None:
    for x in (torch.as_tensor(a), torch.asarray(a), torch.from_numpy(a)):
        assert str(x.dtype) == f"torch.{a.dtype}" and x.tolist() == a.tolist()
        assert seen_by_each_other(x, a)


@claim("as_tensor_asarray.array", a=arrays(), dtype=dtypes(FLOATS))
def test_array_copies(a: np.ndarray, dtype: torch.dtype) -> None:
    copies = [torch.asarray(a, copy=True), torch.tensor(a)]
    if str(dtype) != f"torch.{a.dtype}":
        with quiet():  # about the imaginary part that is lost
            copies += [torch.as_tensor(a, dtype=dtype), torch.asarray(a, dtype=dtype)]
    values = a.tolist()
    for x in copies:
        x.zero_()
        assert not shares(x, a) and a.tolist() == values


@claim("as_tensor_asarray.legacy", a=arrays())
def test_legacy(a: np.ndarray) -> None:
    x = torch.Tensor(a)
    assert x.dtype == torch.float32 and shares(x, a) == (a.dtype == np.float32)
    assert torch.Tensor(3).shape == (3,)


@claim(
    "as_tensor_asarray.negative_stride",
    a=arrays(ARRAY_DTYPES, ("negative",)),
    name=one_of("as_tensor", "asarray", "from_numpy", "tensor"),
)
def test_negative_stride(a: np.ndarray, name: str) -> None:
    with raises(ValueError):
        getattr(torch, name)(a)
    assert getattr(torch, name)(a.copy()).tolist() == a.tolist()
    with raises(ValueError):
        torch.asarray(a, copy=True)


@claim("as_tensor_asarray.negative_stride", a=arrays(ARRAY_DTYPES, ("negative",)))
def test_ascontiguousarray(a: np.ndarray) -> None:
    made = np.ascontiguousarray(a)
    if a.flags.c_contiguous:  # NumPy ignores the strides of dimensions with one element
        with raises(ValueError):
            torch.as_tensor(made)
    else:
        assert torch.as_tensor(made).tolist() == a.tolist()


@claim(
    "as_tensor_asarray.dtypes",
    a=arrays(),
    name=one_of("as_tensor", "asarray", "from_numpy", "tensor"),
)
def test_dtypes(a: np.ndarray, name: str) -> None:
    for foreign in (a.astype(str), a.astype("datetime64[s]"), a.astype(object)):
        with raises(TypeError):
            getattr(torch, name)(foreign)
    if a.itemsize > 1:
        swapped = a.astype(a.dtype.newbyteorder())
        with raises(ValueError):
            getattr(torch, name)(swapped)
        assert getattr(torch, name)(swapped.astype(a.dtype)).tolist() == a.tolist()


READ_ONLY = arrays(ARRAY_DTYPES, flags=("read-only",))


@claim("as_tensor_asarray.read_only", a=READ_ONLY, name=FUNCTIONS)
def test_read_only(a: np.ndarray, name: str) -> None:
    found = []
    assert len(warnings_of(lambda: found.append(getattr(torch, name)(a)))) == 1
    found[0].fill_(101)
    assert a.tolist() == found[0].tolist()


@claim("as_tensor_asarray.read_only", a=READ_ONLY)
def test_read_only_copy(a: np.ndarray) -> None:
    values, copies = a.tolist(), []
    assert not warnings_of(lambda: copies.extend((torch.asarray(a, copy=True), torch.tensor(a))))
    for x in copies:
        x.fill_(101)
    assert a.tolist() == values


@claim("as_tensor_asarray.inferred", a=arrays(), name=FUNCTIONS)
def test_inferred(a: np.ndarray, name: str) -> None:
    assert call(name, [0.5, 1.0]).dtype == call(name, 0.5).dtype == torch.float32
    assert call(name, [1, 2]).dtype == call(name, 1).dtype == torch.int64
    for data in (a, [a, a], a.reshape(-1)[0], [a.reshape(-1)[0]]):
        assert str(call(name, data).dtype) == f"torch.{a.dtype}"


@claim("as_tensor_asarray.list_of_arrays", a=arrays(), name=FUNCTIONS)
def test_list_of_arrays(a: np.ndarray, name: str) -> None:
    assert warnings_of(lambda: getattr(torch, name)([a, a]))
    assert not warnings_of(lambda: getattr(torch, name)(np.stack([a, a])))


@claim("as_tensor_asarray.list_of_tensors", x=tensors(kinds=GRAD), name=FUNCTIONS)
def test_list_of_tensors(x: Tensor, name: str) -> None:
    if x.numel() == 1:
        with quiet():
            assert getattr(torch, name)([x, x]).grad_fn is None
            assert torch.tensor([x, x]).grad_fn is None
    else:
        with raises(ValueError):
            call(name, [x, x])


class OtherLibrary:
    """An array that offers its memory by DLPack alone."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def __dlpack__(self, **options: object) -> object:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()


@claim("as_tensor_asarray.other_library", x=tensors(DTYPES, LAYOUTS, PLAIN), dtype=dtypes(FLOATS))
def test_other_library(x: Tensor, dtype: torch.dtype) -> None:
    other = OtherLibrary(x)
    imported = call("asarray", other, copy=True)
    assert equal(imported, x) and imported.data_ptr() == x.data_ptr()
    copies = [torch.tensor(other), call("asarray", other).clone()]
    if dtype != x.dtype:
        copies.append(call("asarray", other, copy=True, dtype=dtype))
    assert all(copy.data_ptr() != x.data_ptr() for copy in copies)
    assert equal(copies[0], x) and equal(copies[1], x)
    with raises(ValueError):
        call("asarray", other, copy=False)


@claim("as_tensor_asarray.buffer", data=st.lists(st.integers(0, 255), min_size=4, max_size=4))
def test_buffer(data: list[int]) -> None:
    buffer = bytearray(data)
    assert torch.asarray(buffer, dtype=torch.uint8).tolist() == data
    assert torch.asarray(buffer).dtype == torch.float32
    x = torch.asarray(buffer, dtype=torch.uint8)
    x.fill_(7)
    assert list(buffer) == [7] * 4
    copy = torch.as_tensor(buffer)
    copy.fill_(9)
    assert list(buffer) == [7] * 4


@claim(
    "as_tensor_asarray.frombuffer", data=st.binary(min_size=8, max_size=24), dtype=dtypes(DTYPES)
)
def test_frombuffer(data: bytes, dtype: torch.dtype) -> None:
    buffer = bytearray(data[: len(data) // 16 * 16] or bytes(16))
    x = torch.frombuffer(buffer, dtype=dtype)
    x.fill_(1)
    assert torch.frombuffer(bytearray(buffer), dtype=dtype).tolist() == x.tolist()
    buffer[:] = bytes(len(buffer))
    assert not x.any()
    assert len(warnings_of(lambda: torch.frombuffer(bytes(buffer), dtype=dtype))) == 1


@claim("as_tensor_asarray.grown", size=st.integers(1, 64), dtype=dtypes(DTYPES))
def test_grown(size: int, dtype: torch.dtype) -> None:
    buffer = bytearray(size * dtype.itemsize)
    x = torch.frombuffer(buffer, dtype=dtype)
    before = x.data_ptr()
    buffer.extend(bytes(1_000_000))  # more than fits where it lies
    assert x.data_ptr() == before != np.frombuffer(buffer, np.uint8).ctypes.data
    held = torch.from_numpy(np.frombuffer(buffer, np.uint8))
    with raises(BufferError):
        buffer.extend(bytes(1_000_000))
    assert len(held) == len(buffer)


@claim("as_tensor_asarray.from_file", dtype=dtypes(DTYPES), shared=grad_modes())
def test_from_file(dtype: torch.dtype, shared: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data")
        size = 3 * dtype.itemsize
        path.write_bytes(bytes(size))
        x = torch.from_file(str(path), shared=shared, size=3, dtype=dtype)
        x.fill_(1)
        assert (path.read_bytes() == bytes(size)) != shared


@claim("as_tensor_asarray.default_device", x=tensors(DTYPES, LAYOUTS), name=FUNCTIONS)
def test_default_device(x: Tensor, name: str) -> None:
    with torch.device("meta"):
        assert call(name, x).device.type == "meta"


@claim("as_tensor_asarray.default_device", a=arrays(ARRAY_DTYPES), name=FUNCTIONS)
def test_default_device_for_array(a: np.ndarray, name: str) -> None:
    with torch.device("meta"):
        assert call(name, a).device.type == "meta" and shares(torch.from_numpy(a), a)


@claim("as_tensor_asarray.integer", w=tensors(layouts=LAYOUTS, kinds=GRAD), dtype=dtypes(INTEGERS))
def test_integer(w: Tensor, dtype: torch.dtype) -> None:
    assert outside_graph(torch.as_tensor(w, dtype=dtype))
    if SINCE_2_12:
        with raises(RuntimeError):
            call("asarray", w, dtype=dtype)
    assert outside_graph(torch.asarray(w, dtype=dtype, requires_grad=False))


@claim("as_tensor_asarray.zero_dim", a=arrays(ARRAY_DTYPES, shapes=((),)))
def test_zero_dim(a: np.ndarray) -> None:
    assert not shares(torch.asarray(a), a) and not shares(torch.asarray(a, copy=False), a)
    assert shares(torch.as_tensor(a), a) and shares(torch.from_numpy(a), a)
