"""The claims of book/methods/dlpack.ipynb as properties."""

import numpy as np
import torch
from hypothesis import assume
from torch import Tensor
from torch.utils.dlpack import to_dlpack

from .facts import (
    equal,
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
    COMPLEX,
    DTYPES,
    GRAD,
    LAYOUTS,
    NUMPY_DTYPES,
    PLAIN,
    SHAPES,
    arrays,
    grad_modes,
    tensors,
)

# The error of what cannot be exported.
REFUSED = (BufferError,) if RELEASE >= (2, 9) else (BufferError, RuntimeError)


class Sub(Tensor):
    """A subclass without any behavior of its own."""


@claim("dlpack.memory", a=arrays(ARRAY_DTYPES, shapes=SHAPES))
def test_memory(a: np.ndarray) -> None:
    x = torch.from_dlpack(a)
    back = np.from_dlpack(x)
    assert outside_graph(x) and seen_by_each_other(x, a)
    x.fill_(7)
    assert back.tolist() == a.tolist() == x.tolist()


@claim("dlpack.tensor", x=tensors(DTYPES, LAYOUTS, PLAIN))
def test_tensor(x: Tensor) -> None:
    made = torch.from_dlpack(x)
    assert made is not x and made.data_ptr() == x.data_ptr() and shares(made, x)
    assert made.shape == x.shape and made.dtype == x.dtype and not made._is_view()
    if RELEASE >= (2, 10):
        assert made.stride() == x.stride()
    assert type(torch.from_dlpack(x.as_subclass(Sub))) is Tensor


@claim("dlpack.lifetime", a=arrays(ARRAY_DTYPES, shapes=SHAPES))
def test_lifetime(a: np.ndarray) -> None:
    own = a.copy()
    values, x = own.tolist(), torch.from_dlpack(own)
    del own
    assert x.tolist() == values


@claim("dlpack.copy", a=arrays(ARRAY_DTYPES, shapes=SHAPES))
def test_copy(a: np.ndarray) -> None:
    assert shares(torch.from_dlpack(a, copy=False), a)
    assert shares(np.from_dlpack(torch.from_numpy(a), copy=False), a)
    assert not shares(np.from_dlpack(torch.from_numpy(a), copy=True), a)
    assert unseen_by_each_other(torch.from_dlpack(a, copy=True), a)


@claim("dlpack.copy", x=tensors(DTYPES, LAYOUTS, PLAIN))
def test_copy_of_tensor(x: Tensor) -> None:
    assert shares(torch.from_dlpack(x, copy=False), x)
    assert unseen_by_each_other(torch.from_dlpack(x, copy=True), x)


@claim("dlpack.asarray", x=tensors(NUMPY_DTYPES, LAYOUTS, PLAIN))
def test_asarray(x: Tensor) -> None:
    with quiet(), raises(ValueError):
        np.asarray(x, copy=False)
    assert shares(np.asarray(x), x) and shares(np.from_dlpack(x), x)


@claim("dlpack.requires_grad", x=tensors(layouts=LAYOUTS, kinds=GRAD), grad=grad_modes())
def test_requires_grad(x: Tensor, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        with raises(*REFUSED):
            torch.from_dlpack(x)
        assert shares(torch.from_dlpack(x.detach()), x)


@claim("dlpack.version", x=tensors(kinds=PLAIN))
def test_version(x: Tensor) -> None:
    made = torch.from_dlpack(x)
    before = x._version
    made.add_(1)
    assert x._version == before and made._version == 1 and equal(made, x)


@claim("dlpack.storage", x=tensors(DTYPES, LAYOUTS, PLAIN))
def test_storage(x: Tensor) -> None:
    made = torch.from_dlpack(x)
    assert made.untyped_storage().data_ptr() == made.data_ptr() == x.data_ptr()
    offset = x.data_ptr() - x.untyped_storage().data_ptr()
    assert (made.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()) == (offset == 0)


@claim("dlpack.conj", x=tensors(COMPLEX, LAYOUTS, PLAIN))
def test_conj(x: Tensor) -> None:
    with raises(*REFUSED):
        torch.from_dlpack(x.conj())
    resolved = x.conj().resolve_conj()
    assert shares(torch.from_dlpack(resolved), resolved)


@claim("dlpack.negative_bit", x=tensors(COMPLEX, LAYOUTS, PLAIN))
def test_negative_bit(x: Tensor) -> None:
    x = x + 1j
    negative = x.conj().imag
    found = []
    assert not warnings_of(lambda: found.append(torch.from_dlpack(negative)))
    assert found[0].tolist() == (-negative).tolist()
    assert equal(torch.from_dlpack(negative.resolve_neg()), negative)


@claim("dlpack.dtypes", x=tensors((torch.bfloat16,), LAYOUTS, PLAIN))
def test_dtypes(x: Tensor) -> None:
    assert torch.from_dlpack(x).dtype == torch.bfloat16 and shares(torch.from_dlpack(x), x)
    with raises(RuntimeError):
        np.from_dlpack(x)


@claim("dlpack.dtypes", x=tensors(kinds=PLAIN))
def test_sparse(x: Tensor) -> None:
    assume(x.dim() > 0)
    with raises(BufferError, RuntimeError):
        torch.from_dlpack(x.to_sparse())


@claim("dlpack.read_only", a=arrays(ARRAY_DTYPES, flags=("read-only",), shapes=SHAPES))
def test_read_only(a: np.ndarray) -> None:
    found, values = [], a.tolist()
    assert not warnings_of(lambda: found.append(torch.from_dlpack(a)))
    torch.from_dlpack(a, copy=True).fill_(101)
    assert a.tolist() == values
    found[0].fill_(101)
    assert a.tolist() == found[0].tolist()


@claim("dlpack.capsule", x=tensors(layouts=LAYOUTS))
def test_capsule(x: Tensor) -> None:
    capsule = to_dlpack(x)
    made = torch.from_dlpack(capsule)
    assert outside_graph(made) and shares(made, x)
    with raises(RuntimeError):
        torch.from_dlpack(capsule)


@claim("dlpack.capsule", x=tensors(COMPLEX, LAYOUTS, PLAIN))
def test_capsule_of_conj(x: Tensor) -> None:
    x = x + 1j
    assert torch.from_dlpack(to_dlpack(x.conj())).tolist() == x.tolist()


@claim("dlpack.writable", x=tensors(NUMPY_DTYPES, kinds=PLAIN))
def test_writable(x: Tensor) -> None:
    array = np.from_dlpack(x)
    assert array.flags.writeable and seen_by_each_other(array, x)
