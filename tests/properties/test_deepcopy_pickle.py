"""The claims of book/methods/deepcopy_pickle.ipynb as properties."""

import copy
import io
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch.nn.utils.prune
from hypothesis import strategies as st
from torch import Tensor, nn

from .facts import (
    bytes_of,
    equal,
    new_leaf,
    numbered,
    quiet,
    raises,
    shares,
    unseen_by_each_other,
    warnings_of,
)
from .holds import claim
from .strategies import (
    COMPLEX,
    DTYPES,
    FLOATS,
    IN_SCOPE,
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


def pickled(data: object) -> object:
    """Take it through pickle."""
    with quiet():
        return pickle.loads(pickle.dumps(data))


def saved(data: object) -> object:
    """Take it through torch.save."""
    file = io.BytesIO()
    with quiet():
        torch.save(data, file)
    file.seek(0)
    return torch.load(file)


WAYS: dict[str, Callable] = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": pickled,
    "save": saved,
}
OWN = one_of("deepcopy", "pickle", "save")  # those that give memory of its own
ALL = one_of(*WAYS)
NOT_NON_LEAF = (*PLAIN, *LEAVES)


@claim("deepcopy_pickle.memory", x=tensors(DTYPES, IN_SCOPE, NOT_NON_LEAF), way=OWN)
def test_memory(x: Tensor, way: str) -> None:
    made = WAYS[way](x)
    assert equal(made, x) and unseen_by_each_other(made, x)


@claim("deepcopy_pickle.memory", x=tensors(DTYPES, LAYOUTS, NOT_NON_LEAF))
def test_copy_shares(x: Tensor) -> None:
    made = copy.copy(x)
    assert made is not x and made.data_ptr() == x.data_ptr() and shares(made, x)


@claim("deepcopy_pickle.leaf", x=tensors(kinds=NOT_NON_LEAF), way=ALL, grad=grad_modes())
def test_leaf(x: Tensor, way: str, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        made = WAYS[way](x)
    assert made.is_leaf and made.requires_grad == x.requires_grad and made.grad_fn is None
    if made.requires_grad:
        made.backward(numbered(made))
        assert equal(made.grad, numbered(made)) and x.grad is None


@claim("deepcopy_pickle.counter", w=tensors(kinds=LEAVES))
def test_counter(w: Tensor) -> None:
    result, made, version = w * w, copy.copy(w), w._version
    with torch.no_grad():
        made.zero_()
    assert w._version == version
    result.backward(torch.ones_like(result))
    assert (w.grad == 0).all()


@claim("deepcopy_pickle.non_leaf", x=tensors(kinds=NON_LEAVES), way=ALL)
def test_non_leaf(x: Tensor, way: str) -> None:
    frozen = nn.Parameter(torch.zeros_like(x), requires_grad=False)
    frozen.add_(x)
    assert not frozen.is_leaf
    made = WAYS[way](frozen)
    assert new_leaf(made) and equal(made, x)
    if way == "deepcopy":
        with raises(RuntimeError):
            copy.deepcopy(x)
    else:
        made = WAYS[way](x)
        assert new_leaf(made) and equal(made, x)


@claim("deepcopy_pickle.stored_output", x=tensors(kinds=NON_LEAVES))
def test_stored_output(x: Tensor) -> None:
    module = nn.Linear(1, 1)
    module.last = x
    with raises(RuntimeError):
        copy.deepcopy(module)
    module.last = x.detach()
    assert equal(copy.deepcopy(module).last, x)


@claim("deepcopy_pickle.grad", x=tensors(kinds=NOT_NON_LEAF), way=ALL)
def test_grad(x: Tensor, way: str) -> None:
    x.grad = numbered(x)
    made = WAYS[way](x)
    if way == "deepcopy" and type(x) is Tensor:
        assert equal(made.grad, x.grad) and not shares(made.grad, x.grad)
    else:
        assert made.grad is None


@claim("deepcopy_pickle.attributes", x=tensors(kinds=("plain", "plain view", "leaf")), way=ALL)
def test_attributes(x: Tensor, way: str) -> None:
    x.note = ["kept"]
    made = WAYS[way](x)
    assert made.note == x.note and (way != "deepcopy" or made.note is not x.note)


@claim("deepcopy_pickle.attributes", w=tensors(kinds=("Parameter",)))
def test_attributes_of_a_parameter(w: nn.Parameter) -> None:
    w.note = ["kept"]
    assert not hasattr(copy.deepcopy(w), "note")


@claim("deepcopy_pickle.hooks", w=tensors(kinds=LEAVES), way=ALL)
def test_hooks(w: Tensor, way: str) -> None:
    called, made = [], []
    w.register_hook(called.append)
    dump = {"pickle": pickle.dumps, "save": lambda x: torch.save(x, io.BytesIO())}
    texts = warnings_of(lambda: made.append(dump.get(way, WAYS[way])(w)))
    assert len(texts) == (type(w) is Tensor and way != "deepcopy")
    made = WAYS[way](w) if way in ("deepcopy", "pickle", "save") else made[0]
    made.backward(torch.ones_like(made))
    assert not called


@claim("deepcopy_pickle.storage", x=tensors(DTYPES, LAYOUTS, ("plain", "plain view", "leaf")))
def test_storage(x: Tensor) -> None:
    made = copy.deepcopy(x)
    assert made.stride() == x.stride() and made.storage_offset() == x.storage_offset()
    assert bytes_of(made) == bytes_of(x)


@claim("deepcopy_pickle.storage", w=tensors(layouts=LAYOUTS, kinds=("Parameter",)))
def test_storage_of_a_parameter(w: nn.Parameter) -> None:
    assert bytes_of(copy.deepcopy(w)) == w.numel() * w.element_size()
    assert bytes_of(w.clone()) == w.numel() * w.element_size()


@claim("deepcopy_pickle.file", dtype=dtypes(FLOATS), way=one_of("pickle", "save"))
def test_file(dtype: torch.dtype, way: str) -> None:
    def size(x: Tensor) -> int:
        file = io.BytesIO()
        torch.save(x, file) if way == "save" else pickle.dump(x, file)
        return len(file.getvalue())

    whole = torch.arange(4000).to(dtype)
    assert abs(size(whole[:2]) - size(whole)) < 500
    assert size(whole[:2].clone()) < 4000


@claim("deepcopy_pickle.shared", x=tensors(DTYPES, IN_SCOPE, PLAIN), way=OWN)
def test_shared(x: Tensor, way: str) -> None:
    first, second = WAYS[way]([x, x.view(x.shape)])
    assert shares(first, second) == (way != "pickle")


@claim("deepcopy_pickle.memo", x=tensors(DTYPES, IN_SCOPE, PLAIN))
def test_memo(x: Tensor) -> None:
    view, memo = x.view(x.shape), {}
    assert not shares(copy.deepcopy(x), copy.deepcopy(view))
    assert shares(copy.deepcopy(x, memo), copy.deepcopy(view, memo))


@claim("deepcopy_pickle.parameter", w=tensors(kinds=LEAVES))
def test_parameter(w: Tensor) -> None:
    first, second = copy.deepcopy([w, w.detach()])
    assert shares(first, second) == (type(w) is Tensor)
    first, second = saved([w, w.detach()])
    assert shares(first, second)
    first, second = copy.deepcopy([w, w])
    assert first is second


class Sub(Tensor):
    """A subclass without any behavior of its own."""


class Own(Tensor):
    """A subclass that makes its own type."""

    def new_empty(self, *args, **options):
        return super().new_empty(*args, **options).as_subclass(Own)


@claim("deepcopy_pickle.subclass", x=tensors(kinds=PLAIN))
def test_subclass(x: Tensor) -> None:
    sub, own = x.as_subclass(Sub), x.as_subclass(Own)
    sub.note = 1
    for made in (copy.copy(sub), pickled(sub)):
        assert type(made) is Sub and made.note == 1
    assert type(sub.clone()) is Sub and not hasattr(sub.clone(), "note")
    assert type(copy.deepcopy(own)) is Own


@claim("deepcopy_pickle.mmap", dtype=dtypes(FLOATS))
def test_mmap(dtype: torch.dtype) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tensor.pt")
        torch.save(torch.zeros(3, dtype=dtype), path)
        x = torch.load(path, mmap=True)
        x.fill_(1)
        assert (torch.load(path) == 0).all() and (x == 1).all()


@claim("deepcopy_pickle.map_location", x=tensors(DTYPES, LAYOUTS))
def test_map_location(x: Tensor) -> None:
    file, seen, returned = io.BytesIO(), [], []

    def place(storage: torch.UntypedStorage, location: str) -> torch.UntypedStorage:
        seen.append((storage.device.type, storage.tolist()))
        returned.append(storage.clone())
        return returned[-1]

    with quiet():
        torch.save(x, file)
    file.seek(0)
    loaded = torch.load(file, map_location=place)
    assert seen == [("cpu", x.untyped_storage().tolist())] and equal(loaded, x)
    assert loaded.untyped_storage().data_ptr() == returned[0].data_ptr()


@claim(
    "deepcopy_pickle.generator",
    seed=st.integers(0, 2**32),
    drawn=st.integers(0, 5),
    way=one_of("deepcopy", "copy", "pickle", "module"),
)
def test_generator(seed: int, drawn: int, way: str) -> None:
    model = nn.Module()
    model.noise = torch.Generator().manual_seed(seed)
    torch.randn(drawn, generator=model.noise)
    twin = copy.deepcopy(model).noise if way == "module" else WAYS[way](model.noise)
    numbers = torch.randn(9, generator=twin)
    assert twin is not model.noise and equal(numbers, torch.randn(9, generator=model.noise))
    assert copy.copy(model).noise is model.noise


@claim("deepcopy_pickle.dtypes", dtype=dtypes((torch.uint16, torch.uint32, torch.float8_e5m2)))
def test_newer_dtypes(dtype: torch.dtype) -> None:
    x = torch.ones(2).to(dtype)
    assert copy.deepcopy(x).tolist() == saved(x).tolist() == x.tolist()
    data = pickle.dumps(x)
    for way in (lambda: pickle.loads(data), lambda: copy.copy(x)):
        with raises(AttributeError, KeyError, RuntimeError, TypeError, ValueError):
            way()


@claim("deepcopy_pickle.two_storages", a=arrays(), way=OWN)
def test_two_storages(a: np.ndarray, way: str) -> None:
    first, second = WAYS[way]([torch.from_numpy(a), torch.from_numpy(a)])
    assert not shares(first, second) and equal(first, second)


@claim("deepcopy_pickle.two_dtypes", x=tensors(COMPLEX, IN_SCOPE, PLAIN))
def test_two_dtypes(x: Tensor) -> None:
    with raises(RuntimeError):
        saved([x, x.real])
    first, second = copy.deepcopy([x, x.real])
    assert shares(first, second)


@claim("deepcopy_pickle.model", p=tensors(kinds=("Parameter",)), b=tensors(DTYPES, kinds=PLAIN))
def test_model(p: Tensor, b: Tensor) -> None:
    def make() -> nn.Module:
        module = nn.Identity()
        module.register_parameter("p", nn.Parameter(p.detach().clone()))
        module.register_buffer("b", b.clone())
        return module

    calls = []
    model = make()
    model.register_buffer("scratch", b.clone(), persistent=False)
    model.names = ["a"]
    model.register_forward_hook(lambda *_: calls.append("hook"))
    twin, fresh = copy.deepcopy(model), make()
    with torch.no_grad():
        fresh.p.zero_()
    fresh.load_state_dict(model.state_dict())
    twin(0)
    fresh(0)
    assert calls == ["hook"] and twin.names == ["a"] and equal(twin.scratch, b)
    assert not hasattr(fresh, "names") and not hasattr(fresh, "scratch")
    for other in (twin, fresh):
        assert equal(other.p, model.p) and equal(other.b, model.b)
        assert not shares(other.p, model.p) and not shares(other.b, model.b)
    assert not shares(twin.scratch, model.scratch)


@claim("deepcopy_pickle.best", p=tensors(kinds=("Parameter",)))
def test_best(p: Tensor) -> None:
    model = nn.Module()
    model.p = p
    before = p.detach().clone()
    followed, best = model.state_dict(), copy.deepcopy(model.state_dict())
    with torch.no_grad():
        p.fill_(7)
    assert (followed["p"] == 7).all() and equal(best["p"], before)
    model.load_state_dict(best)
    assert equal(p, before)


@claim("deepcopy_pickle.weight_norm", size=one_of(1, 2, 3), way=one_of("old", "pruned", "new"))
def test_weight_norm(size: int, way: str) -> None:
    module = nn.Linear(size, size)
    with quiet():
        if way == "old":
            nn.utils.weight_norm(module)
        elif way == "new":
            nn.utils.parametrizations.weight_norm(module)
        else:
            nn.utils.prune.random_unstructured(module, "weight", 1)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            module(torch.ones(1, size))
        if grad and way != "new":
            with raises(RuntimeError):
                copy.deepcopy(module)
        else:
            assert not shares(copy.deepcopy(module).bias, module.bias)
    if way == "pruned":
        copy.deepcopy(nn.utils.prune.remove(module, "weight"))
