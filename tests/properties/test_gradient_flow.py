"""The claims of book/topics/gradient_flow.ipynb as properties."""

import torch
from torch import Tensor

from .facts import (
    backward,
    equal,
    gradient,
    node,
    numbered,
    outside_graph,
    quiet,
    raises,
)
from .holds import claim
from .strategies import (
    GRAD,
    INTEGERS,
    LAYOUTS,
    LEAVES,
    NON_LEAVES,
    PLAIN,
    dtypes,
    grad_modes,
    tensors,
)


class Saved:
    """Count the tensors that are saved for the backward pass."""

    def __enter__(self) -> "Saved":
        self.tensors: list[Tensor] = []

        def pack(x: Tensor) -> Tensor:
            self.tensors.append(x)
            return x

        self.hooks = torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x)
        self.hooks.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.hooks.__exit__(*error)


@claim("gradient_flow.accumulate", w=tensors(kinds=LEAVES))
def test_accumulate(w: Tensor) -> None:
    backward(w * 2)
    backward(w * 3 + w.clone())
    assert (w.grad == 6).all()


@claim("gradient_flow.example", w=tensors(kinds=LEAVES))
def test_example(w: Tensor) -> None:
    x, b = numbered(w), torch.zeros_like(w.detach()).requires_grad_()
    v = w.clone()
    backward(x * v + b)
    assert equal(w.grad, x) and (b.grad == 1).all()
    with quiet():
        assert v.grad is None


@claim("gradient_flow.saves_nothing", w=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_saves_nothing(w: Tensor) -> None:
    ones = torch.ones_like(w.detach())
    with Saved() as by_clone:
        copy = w.clone()
    with Saved() as by_product:
        product = w * ones
    assert len(by_clone.tensors) == 0 and len(by_product.tensors) == 1
    assert equal(gradient(copy, w), gradient(product, w))


@claim("gradient_flow.write", w=tensors(kinds=GRAD, shapes=((1,),)))
def test_write(w: Tensor) -> None:
    v, values = w.clone(), w.tolist()
    v[0] = 7
    assert w.tolist() == values and node(v) == "CopySlices"
    assert (gradient(v, w) == 0).all()


@claim("gradient_flow.retain_grad", w=tensors(kinds=LEAVES))
def test_retain_grad(w: Tensor) -> None:
    v = w.clone()
    v.retain_grad()
    backward(2 * w + v)
    assert (w.grad == 3).all() and (v.grad == 1).all()


@claim("gradient_flow.retain_late", x=tensors(kinds=NON_LEAVES))
def test_retain_late(x: Tensor) -> None:
    backward(x * 2)
    x.retain_grad()
    assert x.grad is None


@claim("gradient_flow.retain_late", x=tensors(kinds=(*PLAIN, *LEAVES)))
def test_retain_on_leaves(x: Tensor) -> None:
    if not x.requires_grad:
        with raises(RuntimeError):
            x.retain_grad()
        return
    x.retain_grad()
    assert not x.retains_grad
    backward(x * 2)
    assert (x.grad == 2).all()


@claim("gradient_flow.hook", w=tensors(kinds=GRAD))
def test_hook(w: Tensor) -> None:
    at_clone, at_source = [], []
    w.register_hook(at_source.append)
    v = w.clone()
    v.register_hook(at_clone.append)
    backward(v * 2 + w * 3)
    (first,), (second,) = at_clone, at_source
    assert (first == 2).all() and (second == 5).all()


@claim("gradient_flow.hook_changes", w=tensors(kinds=LEAVES))
def test_hook_changes(w: Tensor) -> None:
    v = w.clone()
    v.register_hook(lambda found: found * 10)
    backward(v * 2 + w * 3)
    assert (w.grad == 23).all()


@claim("gradient_flow.branches", w=tensors(kinds=LEAVES))
def test_branches(w: Tensor) -> None:
    v, seen = w.clone(), []
    v.grad_fn.register_hook(lambda to_inputs, from_outputs: seen.append(from_outputs[0]))
    backward(v * 2 + v * 3)
    assert len(seen) == 1 and (seen[0] == 5).all() and (w.grad == 5).all()


@claim(
    "gradient_flow.stops",
    x=tensors(layouts=LAYOUTS, kinds=GRAD),
    integer=dtypes((*INTEGERS, torch.bool)),
)
def test_stops(x: Tensor, integer: torch.dtype) -> None:
    with torch.no_grad():
        inside = x * 2
    assert all(map(outside_graph, (x.detach(), inside, x.to(integer), x > 1)))
    assert x.numel() != 1 or type(x.item()) is float


@claim("gradient_flow.constant", w=tensors(kinds=GRAD))
def test_constant(w: Tensor) -> None:
    assert equal(gradient(w * w, w), 2 * w) and equal(gradient(w * w.detach(), w), w)
    with raises(RuntimeError):
        backward(w.detach() * w.detach())


@claim("gradient_flow.straight_through", w=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_straight_through(w: Tensor) -> None:
    soft = w.sigmoid()
    hard, given = soft.round(), numbered(soft)
    through = soft + (hard - soft).detach()
    assert equal(through, hard) and equal(gradient(through, soft, given), given)
    assert equal(hard.detach(), hard) and outside_graph(hard.detach())
    assert (gradient(hard, soft) == 0).all()


@claim("gradient_flow.saved_grad", w=tensors(kinds=LEAVES))
def test_saved_grad(w: Tensor) -> None:
    backward(w * 2)
    kept, copy = w.grad, w.grad.clone()
    backward(w * 2)
    assert kept is w.grad and (kept == 4).all() and (copy == 2).all()


@claim("gradient_flow.zero_grad", w=tensors(kinds=LEAVES), none=grad_modes())
def test_zero_grad(w: Tensor, none: bool) -> None:
    optimizer = torch.optim.SGD([w], lr=0.5)
    backward(w * 2)
    kept = w.grad
    optimizer.zero_grad(set_to_none=none)
    assert (w.grad is None) == none and (kept == (2 if none else 0)).all()


@claim("gradient_flow.ratio", logp=tensors(layouts=LAYOUTS, kinds=GRAD))
def test_ratio(logp: Tensor) -> None:
    advantage = numbered(logp)
    ratio = torch.exp(logp - logp.detach())
    gain = ratio * advantage
    assert (ratio == 1).all() and equal(gain, advantage)
    assert equal(gradient(gain, logp), advantage)


@claim("gradient_flow.sample", mean=tensors(kinds=GRAD), cut=grad_modes())
def test_sample(mean: Tensor, cut: bool) -> None:
    x = mean + 2
    found = gradient(torch.distributions.Normal(mean, 1.0).log_prob(x.detach() if cut else x), mean)
    assert equal(found, (x - mean).detach()) if cut else (found == 0).all()
