"""The claims of book/topics/cpu_numpy_sharing.ipynb as properties."""

import operator as op

import numpy as np
import torch
from torch import Tensor

from .facts import (
    backward,
    bytes_of,
    equal,
    gradient,
    quiet,
    raises,
    seen_by_each_other,
    shares,
    warnings_of,
)
from .holds import claim
from .strategies import (
    ARRAY_DTYPES,
    GRAD,
    IN_SCOPE,
    LAYOUTS,
    LEAVES,
    NUMPY_DTYPES,
    PLAIN,
    SHAPES,
    arrays,
    dtypes,
    grad_modes,
    one_of,
    tensors,
)

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)


@claim("cpu_numpy_sharing.both_ways", a=arrays(ARRAY_DTYPES, shapes=SHAPES))
def test_from_numpy(a: np.ndarray) -> None:
    assert seen_by_each_other(torch.from_numpy(a), a)


@claim("cpu_numpy_sharing.both_ways", x=tensors(NUMPY_DTYPES, IN_SCOPE, PLAIN))
def test_numpy(x: Tensor) -> None:
    assert seen_by_each_other(x.numpy(), x)


@claim("cpu_numpy_sharing.refilled", a=arrays(ARRAY_DTYPES), number=grad_modes())
def test_refilled(a: np.ndarray, number: bool) -> None:
    kept, safe = [], []
    for value in (3, 0):
        a.fill(value)
        kept.append(torch.from_numpy(a) if number else torch.as_tensor(a))
        safe.append(torch.tensor(a))
    assert all((x == 0).all() for x in kept)
    assert (safe[0] != 0).all() and (safe[1] == 0).all()


@claim("cpu_numpy_sharing.strides", a=arrays(ARRAY_DTYPES, shapes=SHAPES))
def test_strides_of_array(a: np.ndarray) -> None:
    x = torch.from_numpy(a)
    assert tuple(x.shape) == a.shape
    assert tuple(step * a.itemsize for step in x.stride()) == a.strides


@claim("cpu_numpy_sharing.strides", x=tensors(NUMPY_DTYPES, LAYOUTS, PLAIN))
def test_strides_of_tensor(x: Tensor) -> None:
    array = x.numpy()
    assert array.shape == tuple(x.shape) and shares(array, x)
    assert tuple(step * x.element_size() for step in x.stride()) == array.strides


@claim("cpu_numpy_sharing.zero_dim", x=tensors(NUMPY_DTYPES, IN_SCOPE, PLAIN, ((),)))
def test_zero_dim(x: Tensor) -> None:
    array, number = x.numpy(), x.item()
    assert array.shape == () and seen_by_each_other(array, x)
    assert isinstance(number, bool | int | float | complex)


@claim("cpu_numpy_sharing.rebind", a=arrays())
def test_rebind(a: np.ndarray) -> None:
    x = torch.from_numpy(a)
    a += 1
    assert x.tolist() == a.tolist()
    other, values = a + 1, x.tolist()
    assert x.tolist() == values and not shares(other, x)
    y = x + 1
    x += 1
    assert a.tolist() == x.tolist() and not shares(y, x)


@claim("cpu_numpy_sharing.convert", a=arrays(), dtype=dtypes(NUMPY_DTYPES))
def test_convert(a: np.ndarray, dtype: torch.dtype) -> None:
    x = torch.from_numpy(a)
    with quiet():  # about the imaginary part that is lost
        converted = x.to(dtype)
        name = str(dtype).removeprefix("torch.")
        copied = a.astype(name)
    assert (converted is x) == (dtype == x.dtype) == shares(converted, x)
    assert not shares(copied, a)


@claim("cpu_numpy_sharing.resize", a=arrays())
def test_resize(a: np.ndarray) -> None:
    own = a.copy()
    x = torch.from_numpy(own)
    with raises(RuntimeError):
        x.resize_(100)
    with raises(ValueError):
        own.resize((100,))


@claim("cpu_numpy_sharing.resize", x=tensors(NUMPY_DTYPES, IN_SCOPE, PLAIN))
def test_resize_of_tensor(x: Tensor) -> None:
    array = x.numpy()
    with raises(ValueError):
        array.resize((200,))


@claim("cpu_numpy_sharing.lifetime", x=tensors(NUMPY_DTYPES, IN_SCOPE, PLAIN))
def test_lifetime(x: Tensor) -> None:
    array, values = x.numpy(), x.tolist()
    del x
    assert array.tolist() == values
    back = torch.from_numpy(array)
    del array
    assert back.tolist() == values


@claim("cpu_numpy_sharing.version", w=tensors(NUMPY_FLOATS, kinds=LEAVES))
def test_version(w: Tensor) -> None:
    result, version = w * w, w._version
    w.detach().numpy().fill(0)
    assert w._version == version
    assert not warnings_of(lambda: backward(result)) and (w.grad == 0).all()


@claim("cpu_numpy_sharing.noticed", w=tensors(kinds=LEAVES))
def test_noticed(w: Tensor) -> None:
    result, version = w * w, w._version
    w.detach().zero_()
    assert w._version == version + 1
    with raises(RuntimeError):
        backward(result)


@claim("cpu_numpy_sharing.array_first", x=tensors(NUMPY_FLOATS, IN_SCOPE, PLAIN))
def test_array_first(x: Tensor) -> None:
    array = x.clone().numpy()
    for operation in (
        lambda: torch.add(array, x),
        lambda: torch.exp(array),
        lambda: array + x,
        lambda: array - x,
        lambda: array * x,
        lambda: array @ x,
    ):
        with raises(TypeError):
            operation()
    with quiet():
        assert type(array / x) is Tensor


@claim("cpu_numpy_sharing.tensor_first", x=tensors(NUMPY_FLOATS, IN_SCOPE, PLAIN), a=arrays())
def test_tensor_first(x: Tensor, a: np.ndarray) -> None:
    number = a.reshape(-1)[:1].copy()
    found = []
    texts = warnings_of(lambda: found.append(x * number))
    assert type(found[0]) is Tensor and not shares(found[0], x) and not shares(found[0], number)
    assert found[0].numpy().dtype == (x.numpy() * number).dtype
    assert texts


@claim("cpu_numpy_sharing.mixed_grad", w=tensors(NUMPY_FLOATS, kinds=GRAD))
def test_mixed_grad(w: Tensor) -> None:
    array = w.detach().clone().numpy()
    with raises(RuntimeError):
        w * array
    assert (gradient(np.float32(2) * w, w) == 2).all()


@claim("cpu_numpy_sharing.negative_stride", a=arrays(ARRAY_DTYPES, ("negative",)))
def test_negative_stride(a: np.ndarray) -> None:
    for function in (torch.from_numpy, torch.tensor):
        with raises(ValueError):
            function(a)
        assert function(a.copy()).tolist() == a.tolist()


@claim("cpu_numpy_sharing.read_only", a=arrays(ARRAY_DTYPES, flags=("read-only",), shapes=SHAPES))
def test_read_only(a: np.ndarray) -> None:
    found = []
    assert len(warnings_of(lambda: found.append(torch.from_numpy(a)))) == 1
    found[0].fill_(101)
    assert a.tolist() == found[0].tolist()


@claim(
    "cpu_numpy_sharing.iadd_array",
    t=tensors(NUMPY_FLOATS, IN_SCOPE, PLAIN),
    way=one_of("+=", "-=", "*=", "/="),
)
def test_iadd_array(t: Tensor, way: str) -> None:
    array, old, values = np.ones(t.shape), t, t.tolist()
    with quiet():
        if way == "+=":
            t += array
        elif way == "-=":
            t -= array
        elif way == "*=":
            t *= array
        else:
            t /= array
    assert t is not old and old.tolist() == values and t.dtype == torch.float64
    old += torch.from_numpy(array)
    assert old.tolist() != values


@claim("cpu_numpy_sharing.resize_shape", a=arrays())
def test_resize_shape(a: np.ndarray) -> None:
    x = torch.from_numpy(a.copy())
    size = bytes_of(x)
    with raises(RuntimeError):
        x.resize_(100)
    assert x.shape == (100,) and bytes_of(x) == size


@claim("cpu_numpy_sharing.resize_dlpack", x=tensors(NUMPY_DTYPES, IN_SCOPE, PLAIN))
def test_resize_dlpack(x: Tensor) -> None:
    own = x.clone()
    array, address = np.from_dlpack(own), own.data_ptr()
    own.resize_(5000)
    # The old memory is given back: reading the array would be undefined.
    assert own.data_ptr() != address == array.__array_interface__["data"][0]


@claim("cpu_numpy_sharing.bool_result", t=tensors(NUMPY_FLOATS, IN_SCOPE, PLAIN))
def test_bool_result(t: Tensor) -> None:
    t[(0,) * t.dim()] = float("nan")
    with quiet():
        found = np.isnan(t)
    assert (
        type(found) is Tensor and found.dtype == torch.uint8 and torch.isnan(t).dtype == torch.bool
    )
    assert equal(~found, 255 - found) and (~found >= 254).all()


@claim("cpu_numpy_sharing.compare", t=tensors(NUMPY_FLOATS, IN_SCOPE, PLAIN, SHAPES[1:]))
def test_compare(t: Tensor) -> None:
    array = t.clone().numpy()
    for a, b in ((t, array), (array, t)):
        for operator in (op.lt, op.le, op.gt, op.ge):
            with raises(TypeError):
                operator(a, b)
    with quiet():
        assert bool((t == array).all()) and (t != array) is True


@claim("cpu_numpy_sharing.functions", t=tensors(NUMPY_FLOATS, IN_SCOPE, PLAIN))
def test_functions(t: Tensor) -> None:
    array = t.clone().numpy()
    for call in (lambda: torch.sin(array), lambda: torch.add(t, array), lambda: torch.norm(array)):
        with raises(TypeError, AttributeError):
            call()


@claim("cpu_numpy_sharing.packed", a=arrays((np.dtype("int32"), np.dtype("float64"))))
def test_packed(a: np.ndarray) -> None:
    record = np.zeros(3, dtype=[("number", a.dtype), ("byte", np.int8)])["number"]
    for function in (torch.from_numpy, torch.tensor):
        with raises(ValueError):
            function(record)
        assert function(record.copy()).tolist() == record.tolist()


@claim("cpu_numpy_sharing.recipe", x=tensors(NUMPY_DTYPES, IN_SCOPE, (*PLAIN, *LEAVES)))
def test_recipe(x: Tensor) -> None:
    array, values = x.detach().numpy(), x.tolist()
    array.flags.writeable = False
    for view in (array, array[...], array.T, array.reshape(-1)[:1] if array.ndim else array):
        if np.shares_memory(view, array):
            with raises(ValueError):
                view.fill(0)
    x.detach().numpy().copy().fill(0)
    assert x.tolist() == values
    x.detach().fill_(1)
    assert (array == 1).all()


@claim("cpu_numpy_sharing.losses", x=tensors(NUMPY_FLOATS, kinds=GRAD, shapes=((),)))
def test_losses(x: Tensor) -> None:
    losses = [x, x * 1]
    for function in (np.mean, np.array):
        with raises(RuntimeError):
            function(losses)
    np.mean([loss.item() for loss in losses])
