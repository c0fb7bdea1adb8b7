"""The claims of book/start/look_at_your_tensors.ipynb as properties."""

from torch import Tensor

from tests.tool import whoshares

from .facts import shares
from .holds import claim
from .strategies import DTYPES, KINDS, LAYOUTS, tensors


@claim("look_at_your_tensors.share", x=tensors(DTYPES, LAYOUTS, kinds=KINDS))
def test_share(x: Tensor) -> None:
    rows = x.detach().unbind() if x.dim() else (x.detach(),)
    for other in (x.detach(), x.data, x.detach().permute(tuple(range(x.dim()))[::-1]), rows[-1]):
        assert whoshares.share(x, other) and shares(x, other)
    assert not whoshares.share(x, x.clone())


@claim("look_at_your_tensors.list", x=tensors(DTYPES))
def test_elements(x: Tensor) -> None:
    flat = x.detach().flatten()
    parts = flat[::2], flat[1::2]
    assert not whoshares.sharing(even=parts[0], odd=parts[1])
    assert whoshares.sharing(x=flat, even=parts[0])


@claim("look_at_your_tensors.leaves_alone", x=tensors(DTYPES, LAYOUTS, kinds=KINDS))
def test_leaves_alone(x: Tensor) -> None:
    def state() -> tuple:
        kept = x.grad if x.is_leaf else None
        return x._version, x.requires_grad, x.grad_fn, kept, x.data_ptr(), repr(x.tolist())

    before = state()
    whoshares.share(x, x), whoshares.sharing(x=x, y=x.detach())
    whoshares.draw(x=x), whoshares.audit(kept=[x])
    with whoshares.watch(x=x) as seen:
        pass
    assert state() == before and not seen
