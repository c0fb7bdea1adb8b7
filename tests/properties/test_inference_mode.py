"""The claims of book/topics/inference_mode.ipynb as properties."""

import copy

import torch
from torch import Tensor, nn

from .facts import (
    backward,
    equal,
    gradient,
    new_leaf,
    raises,
    shares,
)
from .holds import claim
from .strategies import (
    DTYPES,
    FLOATS,
    GRAD,
    IN_SCOPE,
    LEAVES,
    PLAIN,
    dtypes,
    one_of,
    tensors,
)

NUMPY_FLOATS = (torch.float32, torch.float64, torch.float16)


def inference(x: Tensor) -> Tensor:
    """Return an inference tensor with these values."""
    with torch.inference_mode():
        return x.detach().clone()


@claim("inference_mode.new_memory", x=tensors(kinds=(*PLAIN, *LEAVES)))
def test_new_memory(x: Tensor) -> None:
    other = torch.float64 if x.dtype != torch.float64 else torch.float32
    with torch.inference_mode():
        new = (x.clone(), copy.deepcopy(x), x.to(other), x + 1, x * x)
        shown = (x.detach(), x.data, x.view(x.shape), x[...])
    assert all(t.is_inference() for t in new) and not any(t.is_inference() for t in shown)


@claim("inference_mode.no_version", x=tensors(DTYPES, IN_SCOPE, ("plain", "plain view", *LEAVES)))
def test_no_version(x: Tensor) -> None:
    with raises(RuntimeError):
        inference(x)._version  # noqa: B018
    before = x._version
    with torch.inference_mode():
        x.fill_(1)
    assert x._version == before + 1


@claim("inference_mode.inplace", x=tensors(kinds=PLAIN))
def test_inplace(x: Tensor) -> None:
    t = inference(x)
    with torch.inference_mode():
        t.add_(1)
    with raises(RuntimeError):
        t.add_(1)
    with torch.no_grad(), raises(RuntimeError):
        t.add_(1)
    t.clone().add_(1)


@claim("inference_mode.saved", w=tensors(kinds=GRAD))
def test_saved(w: Tensor) -> None:
    t = inference(w)
    assert (gradient(w + t, w) == 1).all()
    with raises(RuntimeError):
        w * t
    assert equal(gradient(w * t.clone(), w), t)


@claim("inference_mode.normal_again", x=tensors(kinds=PLAIN))
def test_normal_again(x: Tensor) -> None:
    t = inference(x)
    other = torch.float64 if x.dtype != torch.float64 else torch.float32
    normal = (t.clone(), copy.deepcopy(t), t.to(other), torch.empty_like(t).copy_(t))
    assert not any(made.is_inference() for made in normal)
    still = [t.detach(), t.data, t.view(t.shape), t.to(t.dtype)]
    still += [t.contiguous()] if t.is_contiguous() else []
    assert all(made.is_inference() for made in still)


ALIASES = {
    "detach": lambda t: t.detach().fill_(7),
    "data": lambda t: t.data.fill_(7),
    "numpy": lambda t: t.numpy().fill(7),
}


@claim("inference_mode.alias_write", x=tensors(NUMPY_FLOATS, kinds=PLAIN), way=one_of(*ALIASES))
def test_alias_write(x: Tensor, way: str) -> None:
    t = inference(x)
    ALIASES[way](t)
    assert (t == 7).all()


@claim("inference_mode.rebuilt", x=tensors(NUMPY_FLOATS, kinds=PLAIN))
def test_rebuilt(x: Tensor) -> None:
    t = inference(x)
    for made in (copy.copy(t), torch.from_numpy(t.numpy())):
        assert not made.is_inference() and shares(made, t)
    if t.dtype == torch.float32:
        bits = t.view(torch.int32)
        assert not bits.is_inference() and shares(bits, t)


@claim("inference_mode.requires_grad", x=tensors(kinds=PLAIN))
def test_requires_grad(x: Tensor) -> None:
    t = inference(x)
    with raises(RuntimeError):
        t.requires_grad_()
    with raises(RuntimeError):
        nn.Parameter(t)
    leaf = t.detach().clone().requires_grad_()
    backward(leaf * 2)
    assert new_leaf(leaf) and (leaf.grad == 2).all()


@claim("inference_mode.switched_off", w=tensors(kinds=GRAD))
def test_switched_off(w: Tensor) -> None:
    with torch.inference_mode():
        with torch.enable_grad():
            still = w * 2
        with torch.inference_mode(False):
            normal = w * 2
            normal_clone = still.clone()
        clone = still.clone()
    assert not normal.is_inference() and (gradient(normal, w) == 2).all()
    assert still.is_inference() and still.grad_fn is None
    assert clone.is_inference() and not normal_clone.is_inference()


def model(dtype: torch.dtype, inside: bool) -> nn.Linear:
    """Return a deep copy of a model, made inside inference mode or outside."""
    original = nn.Linear(2, 3).to(dtype)
    with torch.inference_mode(inside):
        return copy.deepcopy(original)


@claim("inference_mode.deepcopy_model", dtype=dtypes(FLOATS))
def test_deepcopy_model(dtype: torch.dtype) -> None:
    made = model(dtype, inside=True)
    assert all(p.is_inference() and p.requires_grad for p in made.parameters())
    made(torch.ones(1, 2, dtype=dtype)).sum().backward()
    assert made.weight.grad is None and made.bias.grad is not None
    with raises(RuntimeError):
        torch.optim.SGD(made.parameters(), lr=0.5).step()


@claim("inference_mode.repaired", dtype=dtypes(FLOATS))
def test_repaired(dtype: torch.dtype) -> None:
    made = copy.deepcopy(model(dtype, inside=True))
    assert not any(p.is_inference() for p in made.parameters())
    made(torch.ones(1, 2, dtype=dtype)).sum().backward()
    assert made.weight.grad is not None and made.bias.grad is not None


@claim("inference_mode.load", dtype=dtypes(FLOATS))
def test_load(dtype: torch.dtype) -> None:
    module, source = nn.Linear(2, 3).to(dtype), nn.Linear(2, 3).to(dtype)
    with torch.inference_mode():
        module.load_state_dict(source.state_dict())
    assert not any(p.is_inference() for p in module.parameters())
    if dtype == torch.float64:
        return
    with torch.inference_mode():
        module.double()
    assert all(p.is_inference() for p in module.parameters())
    module(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    assert module.weight.grad is None


@claim("inference_mode.from_scratch", x=tensors(NUMPY_FLOATS, kinds=PLAIN))
def test_from_scratch(x: Tensor) -> None:
    array = x.numpy()
    with torch.inference_mode():
        for made in (torch.from_numpy(array), copy.copy(x)):
            assert made.is_inference() and shares(made, x)
        if x.dtype == torch.float32:
            bits = x.view(torch.int32)
            assert bits.is_inference() and shares(bits, x)


@claim("inference_mode.counter", x=tensors(kinds=(*PLAIN, *GRAD)))
def test_counter(x: Tensor) -> None:
    before = x._version
    with torch.inference_mode():
        x.add_(1)
        assert x._version == before + 1


@claim("inference_mode.step", dtype=dtypes(FLOATS))
def test_step(dtype: torch.dtype) -> None:
    made = model(dtype, inside=True)
    made(torch.ones(1, 2, dtype=dtype)).sum().backward()
    values = made.bias.tolist()
    with raises(RuntimeError):
        torch.optim.SGD(made.parameters(), lr=0.5).step()
    assert made.bias.tolist() != values


@claim("inference_mode.converted", dtype=dtypes((torch.float32, torch.float16, torch.bfloat16)))
def test_converted(dtype: torch.dtype) -> None:
    module = nn.Linear(2, 3).to(dtype)
    with torch.inference_mode():
        module.double()
    for p in module.parameters():
        version = p._version
        with torch.no_grad():
            p.add_(1)
        assert p.is_inference() and p._version == version + 1
