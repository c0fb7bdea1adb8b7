"""The claims of book/methods/numpy.ipynb as properties."""

import numpy as np
import torch
from torch import Tensor

from .facts import (
    outside_graph,
    quiet,
    raises,
    seen_by_each_other,
    shares,
    unseen_by_each_other,
)
from .holds import claim
from .strategies import (
    ARRAY_DTYPES,
    COMPLEX,
    GRAD,
    LAYOUTS,
    NUMPY_DTYPES,
    PLAIN,
    SHAPES,
    arrays,
    grad_modes,
    one_of,
    tensors,
)

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)


@claim("numpy.memory", x=tensors(NUMPY_DTYPES, LAYOUTS, PLAIN), grad=grad_modes())
def test_memory(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        array = x.numpy()
    x.fill_(7)
    assert array.tolist() == x.tolist()
    if array.flags.writeable:
        assert seen_by_each_other(array, x)


@claim("numpy.requires_grad", x=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_requires_grad(x: Tensor) -> None:
    with raises(RuntimeError):
        x.numpy()
    with raises(RuntimeError):
        x.clone().numpy()


@claim("numpy.no_grad", x=tensors(NUMPY_FLOATS, kinds=GRAD), inference=grad_modes())
def test_no_grad(x: Tensor, inference: bool) -> None:
    with torch.inference_mode() if inference else torch.no_grad():
        array = x.numpy()
    assert seen_by_each_other(array, x)


@claim("numpy.independent", x=tensors(NUMPY_FLOATS, LAYOUTS), way=one_of(0, 1, 2))
def test_independent(x: Tensor, way: int) -> None:
    if way == 0:
        array = x.detach().numpy().copy()
    else:
        array = (x.detach().clone() if way == 1 else x.clone().detach()).numpy()
    assert array.tolist() == x.tolist() and unseen_by_each_other(array, x)


@claim("numpy.array", x=tensors(NUMPY_DTYPES, LAYOUTS, PLAIN))
def test_array(x: Tensor) -> None:
    with quiet():  # NumPy 2 warns about the keyword that Tensor.__array__ lacks
        copy, same = np.array(x), np.asarray(x)
    assert copy.tolist() == x.tolist() and shares(same, x)
    assert unseen_by_each_other(copy, x)
    assert same.tolist() == x.tolist()


@claim("numpy.force", x=tensors(NUMPY_FLOATS, LAYOUTS))
def test_force(x: Tensor) -> None:
    array = x.numpy(force=True)
    overwrite_by_tensor(x)
    assert shares(array, x) and array.tolist() == x.tolist()


def overwrite_by_tensor(x: Tensor) -> None:
    """Change all values through the tensor: the array of an expanded one may be read-only."""
    with torch.no_grad():
        x.fill_(7)


@claim("numpy.force", x=tensors(COMPLEX, LAYOUTS))
def test_force_conj(x: Tensor) -> None:
    array = x.conj().numpy(force=True)
    assert not shares(array, x) and array.tolist() == x.resolve_conj().conj().tolist()


@claim("numpy.conj", x=tensors(COMPLEX, LAYOUTS, PLAIN))
def test_conj(x: Tensor) -> None:
    conjugate = x.conj()
    assert shares(conjugate, x)
    with raises(RuntimeError):
        conjugate.numpy()
    resolved = conjugate.resolve_conj()
    assert not shares(resolved, x) and resolved.numpy().tolist() == conjugate.tolist()


@claim("numpy.bfloat16", x=tensors((torch.bfloat16,), LAYOUTS, PLAIN))
def test_bfloat16(x: Tensor) -> None:
    for force in (False, True):
        with raises(TypeError):
            x.numpy(force=force)
    array = x.float().numpy()
    assert array.tolist() == x.tolist() and unseen_by_each_other(array, x)


@claim("numpy.from_numpy", a=arrays(ARRAY_DTYPES, shapes=SHAPES), grad=grad_modes())
def test_from_numpy(a: np.ndarray, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        x = torch.from_numpy(a)
    assert outside_graph(x) and str(x.dtype) == f"torch.{a.dtype}"
    assert shares(x, a) and seen_by_each_other(x, a)


@claim("numpy.back", a=arrays(ARRAY_DTYPES, shapes=SHAPES), way=grad_modes())
def test_back(a: np.ndarray, way: bool) -> None:
    x = torch.from_numpy(a).clone() if way else torch.from_numpy(a.copy())
    assert x.tolist() == a.tolist() and unseen_by_each_other(x, a)


@claim("numpy.back", a=arrays(ARRAY_DTYPES, shapes=SHAPES))
def test_back_by_tensor(a: np.ndarray) -> None:
    x = torch.tensor(a)
    assert x.tolist() == a.tolist() and unseen_by_each_other(x, a)


@claim("numpy.meta", x=tensors(layouts=LAYOUTS), grad=grad_modes())
def test_meta(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad), raises(TypeError):
        x.to("meta").numpy()


MATRICES = tuple(shape for shape in SHAPES if len(shape) == 2 and min(shape) > 1)


@claim("numpy.order", x=tensors(NUMPY_FLOATS, ("transposed",), shapes=MATRICES))
def test_order(x: Tensor) -> None:
    assert x.detach().numpy().copy().flags.c_contiguous
    kept = [x.detach().clone().numpy(), x.clone().detach().numpy()]
    kept.append(x.detach().numpy().copy(order="K"))
    steps = tuple(step * x.element_size() for step in x.stride())
    assert all(array.strides == steps for array in kept)


FLOAT_ARRAYS = tuple(dtype for dtype in ARRAY_DTYPES if dtype.kind == "f")


@claim("numpy.recipe", a=arrays(FLOAT_ARRAYS), cloned=one_of(True, False))
def test_recipe(a: np.ndarray, cloned: bool) -> None:
    t = torch.from_numpy(a)
    a[...] = 1
    w = torch.ones_like(t, requires_grad=True)
    result = (w * (t.clone() if cloned else t)).sum()
    a[...] = 2
    assert (t == 2).all()
    result.backward()
    assert (w.grad == (1 if cloned else 2)).all()


@claim("numpy.implicit", x=tensors(kinds=GRAD), name=one_of("array", "mean", "sqrt"))
def test_implicit(x: Tensor, name: str) -> None:
    with raises(RuntimeError):
        getattr(np, name)([x, x])
    if x.dim() == 0:
        getattr(np, name)([abs(x.item())])
