"""The claims of book/methods/views.ipynb as properties."""

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from .facts import (
    bytes_of,
    equal,
    gradient,
    raises,
    shares,
)
from .holds import claim
from .strategies import (
    COMPLEX,
    DTYPES,
    LAYOUTS,
    LEAVES,
    PLAIN,
    SHAPES,
    grad_modes,
    one_of,
    tensors,
)

WITH_ROWS = tuple(shape for shape in SHAPES if shape)
BASIC = {
    "integer": 0,
    "slice": slice(0, 1),
    "None": None,
    "ellipsis": ...,
    "several": (..., None, 0),
    "index of 0 dimensions": torch.tensor(0),
}
ADVANCED = {
    "list": [0],
    "index": torch.tensor([0]),
    "mask": lambda x: torch.ones(x.shape, dtype=torch.bool),
    "row mask": lambda x: torch.ones(x.shape[0], dtype=torch.bool),
    "bool of 0 dimensions": torch.tensor(True),
    "uint8 of 0 dimensions": torch.tensor(1, dtype=torch.uint8),
}


@claim(
    "views.basic",
    x=tensors(DTYPES, LAYOUTS, shapes=WITH_ROWS),
    index=one_of("integer", "slice", "None", "ellipsis", "several"),
    grad=grad_modes(),
)
def test_basic(x: Tensor, index: str, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        view = x[BASIC[index]]
    assert view is not x and shares(view, x)


@claim("views.advanced", x=tensors(DTYPES, LAYOUTS, shapes=WITH_ROWS), index=one_of(*ADVANCED))
def test_advanced(x: Tensor, index: str) -> None:
    chosen = ADVANCED[index]
    assert not shares(x[chosen(x) if callable(chosen) else chosen], x)
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8):
        assert shares(x[BASIC["index of 0 dimensions"].to(dtype)], x)


@claim("views.mask_write", x=tensors(kinds=PLAIN))
def test_mask_write(x: Tensor) -> None:
    values, mask = x.tolist(), torch.ones(x.shape, dtype=torch.bool)
    x[mask].zero_()
    assert x.tolist() == values
    x[mask] += 10
    assert x.tolist() != values
    x[mask] = 0
    assert (x == 0).all()


@claim("views.repeated_index", x=tensors(kinds=PLAIN, shapes=WITH_ROWS))
def test_repeated_index(x: Tensor) -> None:
    once, twice = x[0] + 1, x[0] + 3
    x[[0, 0]] += 1
    assert equal(x[0], once)
    x.index_add_(0, torch.tensor([0, 0]), torch.ones(2, *x.shape[1:], dtype=x.dtype))
    assert equal(x[0], twice)


@claim("views.view", x=tensors(DTYPES, LAYOUTS))
def test_view(x: Tensor) -> None:
    assert shares(x.view(x.shape), x)
    try:
        assert shares(x.view(-1), x)
    except RuntimeError:
        assert not x.is_contiguous()


@claim("views.reshape", x=tensors(DTYPES, LAYOUTS), way=one_of("reshape", "flatten"))
def test_reshape(x: Tensor, way: str) -> None:
    made = x.reshape(-1) if way == "reshape" else getattr(x, way)()
    try:
        x.view(-1)
        fits = True
    except RuntimeError:
        fits = False
    assert shares(made, x) == fits


@claim("views.same_object", x=tensors(DTYPES, ("rows",)))
def test_same_object(x: Tensor) -> None:
    assert x.contiguous() is x and x.to(x.dtype) is x
    assert x.dim() != 1 or x.flatten() is x
    for made in (x.reshape(x.shape), x.view(x.shape), x.expand(x.shape)):
        assert made is not x and shares(made, x)


@claim("views.same_object", x=tensors(layouts=LAYOUTS))
def test_same_object_real(x: Tensor) -> None:
    assert x.real is x


@claim("views.expand", x=tensors(DTYPES, LAYOUTS))
def test_expand(x: Tensor) -> None:
    size = bytes_of(x)
    shown = x.expand(3, *x.shape)
    assert shares(shown, x) and bytes_of(shown) == size and shown.stride(0) == 0
    repeated = x.repeat(3, *(1 for _ in x.shape))
    assert not shares(repeated, x) and bytes_of(repeated) == 3 * x.numel() * x.element_size()


PIECES = {
    "unbind": Tensor.unbind,
    "split": lambda x: x.split(1),
    "chunk": lambda x: x.chunk(2),
}


@claim("views.pieces", x=tensors(kinds=PLAIN, shapes=WITH_ROWS), way=one_of(*PIECES))
def test_pieces(x: Tensor, way: str) -> None:
    for piece in PIECES[way](x):
        assert shares(piece, x)
        piece.zero_()
    assert (x == 0).all()


@claim(
    "views.pieces",
    x=tensors(kinds=("non-leaf", "view of a non-leaf"), shapes=WITH_ROWS),
    way=one_of(*PIECES),
)
def test_pieces_raise(x: Tensor, way: str) -> None:
    for piece in PIECES[way](x):
        with raises(RuntimeError):
            piece.zero_()
    x[0].zero_()


@claim("views.loop", x=tensors(kinds=PLAIN, shapes=WITH_ROWS))
def test_loop(x: Tensor) -> None:
    values = x.tolist()
    for row in x.clone():
        row += 10
    assert x.tolist() == values
    for row in x:
        row += 10
    assert equal(x - 10, torch.tensor(values, dtype=x.dtype))


@claim("views.parts", x=tensors(COMPLEX, LAYOUTS))
def test_parts(x: Tensor) -> None:
    for part in (x.real, x.imag, torch.view_as_real(x)):
        assert shares(part, x)


@claim("views.parts", x=tensors((torch.float32,), LAYOUTS, PLAIN))
def test_bits(x: Tensor) -> None:
    assert shares(x.view(torch.int32), x)
    assert not shares(x.to(torch.int32), x) and equal(x.to(torch.int32), x)
    assert x.view(torch.int32).flatten()[0] == x.flatten()[0].numpy().view("int32")


@claim("views.graph", x=tensors(kinds=("non-leaf",)))
def test_graph(x: Tensor) -> None:
    view = x.view(x.shape)
    assert (gradient(view, x) == 1).all()
    factor = torch.tensor(3.0, dtype=x.dtype, requires_grad=True)
    values = x.detach().clone()
    x.mul_(factor)
    assert equal(view, values * 3)
    assert gradient(view, factor) == values.sum()


@claim("views.storage", x=tensors(DTYPES, ("rows",), PLAIN, SHAPES[1:]))
def test_storage(x: Tensor) -> None:
    size, part = bytes_of(x), x[:1]
    del x
    assert bytes_of(part) == bytes_of(part.contiguous()) == size
    assert bytes_of(part.clone()) == part.numel() * part.element_size()


@claim("views.ravel", x=tensors(DTYPES, LAYOUTS))
def test_ravel(x: Tensor) -> None:
    assert shares(x.ravel(), x) == x.is_contiguous()


SHORT_LIVED = {**PIECES, "loop": list, "under no_grad": lambda x: [x[0]]}


@claim(
    "views.base_changed",
    w=tensors(kinds=(*LEAVES, "non-leaf"), shapes=WITH_ROWS),
    way=one_of(*SHORT_LIVED),
    grad=grad_modes(),
)
def test_base_changed(w: Tensor, way: str, grad: bool) -> None:
    with torch.set_grad_enabled(way != "under no_grad"):
        view = SHORT_LIVED[way](w)[0]
    with torch.set_grad_enabled(grad and not w.is_leaf):
        w.fill_(7)
    with raises(RuntimeError):
        view * 2
    with torch.no_grad():
        assert (view == 7).all()


HANDED_BACK = {
    "atleast_1d": torch.atleast_1d,
    "atleast_2d": torch.atleast_2d,
    "atleast_3d": torch.atleast_3d,
    "broadcast_tensors": lambda x: torch.broadcast_tensors(x, torch.ones(2, 1))[0],
    "meshgrid ij": lambda x: torch.meshgrid(x, x, indexing="ij")[0],
    "meshgrid xy": lambda x: torch.meshgrid(x, x, indexing="xy")[1],
    "positive": torch.positive,
    "type_as": lambda x: x.type_as(x),
    "sum_to_size": lambda x: x.sum_to_size(x.shape),
    "einsum": lambda x: torch.einsum("i->i", x),
    "Identity": nn.Identity(),
    "Dropout": nn.Dropout().eval(),
}


@claim(
    "views.unannounced",
    x=tensors(layouts=LAYOUTS, shapes=((1,), (2,), (3,))),
    way=one_of(*HANDED_BACK),
)
def test_unannounced(x: Tensor, way: str) -> None:
    result = HANDED_BACK[way](x)
    assert shares(result, x)
    with torch.no_grad():
        x.fill_(7)
        assert (result == 7).all()


@claim("views.kept", t=tensors(kinds=PLAIN, shapes=((1, 1), (2, 1), (1, 3), (2, 3))))
def test_kept(t: Tensor) -> None:
    data, module = TensorDataset(t), nn.Module()
    module.register_buffer("table", t)
    assert data.tensors[0] is t and module.table is t
    embedding = nn.Embedding.from_pretrained(t)
    (batch,) = next(iter(DataLoader(data, batch_size=len(t))))
    t.fill_(101)
    for kept in (nn.Parameter(t), nn.Buffer(t), embedding.weight):
        assert shares(kept, t) and (kept == 101).all()
    assert not shares(batch, t) and not (batch == 101).any()
