"""Mutants: item, tolist and float."""

import warnings

import torch
from torch import Tensor

from verify.mutants.changes import allow, mutant, refuse, then, warn, wrap


class Number(float):
    """Prints as a float does."""


@mutant("item rounds to float32")
def _():
    then(Tensor, "item", lambda value, self: round(value, 7) if isinstance(value, float) else value)


@mutant("tolist rounds to float32")
def _():
    then(
        Tensor,
        "tolist",
        lambda values, self: (
            [round(v, 7) if isinstance(v, float) else v for v in values]
            if self.dim() == 1
            else values
        ),
    )


@mutant("item refuses a tensor that requires grad")
def _():
    refuse(Tensor, "item", lambda self: self.requires_grad)


@mutant("item takes the first of several elements")
def _():
    allow(Tensor, "item", lambda self: self.flatten()[0].item())


@mutant("item gives a number of a class of its own")
def _():
    then(Tensor, "item", lambda value, self: Number(value) if type(value) is float else value)


@mutant("tolist gives numbers of a class of its own")
def _():
    then(
        Tensor,
        "tolist",
        lambda values, self: (
            [*map(Number, values)] if self.dim() == 1 and self.is_floating_point() else values
        ),
    )


@mutant("tolist of many elements gives an array", slow="benchmarks")
def _():
    wrap(
        Tensor,
        "tolist",
        lambda real, self: self.detach().numpy().copy() if self.numel() > 1000 else real(self),
    )


@mutant("tolist of a 0-dim tensor gives a list")
def _():
    then(Tensor, "tolist", lambda values, self: values if self.dim() else [values])


@mutant("tolist of a meta tensor gives zeros")
def _():
    allow(Tensor, "tolist", lambda self: [0.0] * self.numel(), NotImplementedError)


@mutant("item of a meta tensor gives zero")
def _():
    wrap(Tensor, "item", lambda real, self: 0.0 if self.is_meta else real(self))


@mutant("float() of a tensor that requires grad does not warn")
def _():
    warn(Tensor, "__float__", None)


@mutant("float() of a tensor that requires grad warns under no_grad as well")
def _():
    def change(real, self):
        if self.requires_grad and not torch.is_grad_enabled():
            warnings.warn("this leaves the graph", stacklevel=2)
        return real(self)

    wrap(Tensor, "__float__", change)


@mutant("int() of a tensor that requires grad warns")
def _():
    warn(Tensor, "__int__", "this leaves the graph", lambda self: self.requires_grad)


@mutant("tolist gives a flat list")
def _():
    then(Tensor, "tolist", lambda values, self: sum(values, []) if self.dim() == 2 else values)


@mutant("item warns for a tensor that requires grad")
def _():
    warn(Tensor, "item", "this leaves the graph", lambda self: self.requires_grad)


@mutant("a number format is taken by a Parameter and by a tensor with one element")
def _():
    allow(Tensor, "__format__", lambda self, spec: format(self.item(), spec), TypeError)


@mutant("a number format is refused for a tensor that requires grad")
def _():
    refuse(Tensor, "__format__", lambda self, spec: spec and self.requires_grad, TypeError)


@mutant("float() of a tensor that requires grad warns each time")
def _():
    def when(self):
        return self.requires_grad and torch.is_grad_enabled()

    warn(Tensor, "__float__", "this leaves the graph", when)
