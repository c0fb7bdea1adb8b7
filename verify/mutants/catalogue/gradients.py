"""Mutants: gradients as tensors."""

from types import SimpleNamespace

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge

from verify.mutants.changes import is_tensor, leaves_behind, mutant, then, wrap, wrap_property


@mutant("a gradient requires grad")
def _():
    then(
        Tensor,
        "backward",
        lambda result, self: [leaf.grad.requires_grad_() for leaf in leaves_behind(self)] and None,
    )


@mutant("torch.where sends all gradients to its last argument")
def _():
    def change(real, condition, one, other):
        return other + (real(condition, one, other) - other).detach()

    wrap(torch, "where", change)


@mutant("torch.where sends no gradients")
def _():
    then(torch, "where", lambda result, *args: result.detach())


@mutant("a product with booleans sends the gradient on as it is")
def _():
    def change(real, self, other):
        result = real(self, other)
        if is_tensor(other) and other.dtype == torch.bool:
            result = self + (result - self).detach()
        return result

    wrap(Tensor, "__mul__", change)


@mutant("assigning .grad copies the gradient")
def _():
    wrap_property(
        Tensor,
        "grad",
        None,
        lambda set_, self, new: set_(self, new.clone() if is_tensor(new) else new),
    )


@mutant("assigning .grad accepts anything")
def _():
    def write(set_, self, value):
        try:
            set_(self, value)
        except (RuntimeError, TypeError):
            set_(self, None)

    wrap_property(Tensor, "grad", None, write)


@mutant("assigning a list to .grad raises RuntimeError")
def _():
    def write(set_, self, value):
        try:
            set_(self, value)
        except TypeError as error:
            raise RuntimeError(str(error)) from None

    wrap_property(Tensor, "grad", None, write)


@mutant("clipping makes new gradients")
def _():
    def change(real, parameters, limit):
        for parameter in parameters:
            parameter.grad = parameter.grad.clone()
        return real(parameters, limit)

    for name in ("clip_grad_norm_", "clip_grad_value_"):
        wrap(torch.nn.utils, name, change)


@mutant("create_graph is ignored")
def _():
    wrap(
        Tensor,
        "backward",
        lambda real, self, *args, create_graph=False, **options: real(self, *args, **options),
    )


@mutant("create_graph makes every gradient require grad")
def _():
    def change(real, self, *args, create_graph=False, **options):
        leaves = list(leaves_behind(self))
        real(self, *args, create_graph=create_graph, **options)
        for leaf in leaves if create_graph else ():
            if not leaf.grad.requires_grad:
                leaf.grad.requires_grad_()

    wrap(Tensor, "backward", change)


@mutant("grad_dtype is ignored")
def _():
    wrap_property(Tensor, "grad_dtype", None, lambda put, self, dtype: None)


@mutant("autograd.grad gives each input a gradient of its own")
def _():
    then(torch.autograd, "grad", lambda grads, *args: tuple(g.clone() for g in grads))


@mutant("a hook on AccumulateGrad stays with its leaf")
def _():
    def follow(real, leaf):
        edge = real(leaf)

        def register(hook):
            return leaf.register_post_accumulate_grad_hook(lambda _: hook((), ()))

        return SimpleNamespace(node=SimpleNamespace(register_hook=register), real=edge)

    wrap(torch.autograd.graph, "get_gradient_edge", follow)


@mutant("a post-accumulate hook belongs to the node")
def _():
    def register(real, leaf, hook):
        return get_gradient_edge(leaf).node.register_hook(lambda *_: hook(leaf))

    wrap(Tensor, "register_post_accumulate_grad_hook", register)
