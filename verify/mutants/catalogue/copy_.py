"""Mutants: copy_."""

import torch
from torch import Tensor

from verify.mutants.changes import (
    allow,
    leaf_that_requires_grad,
    marked,
    mutant,
    refuse,
    then,
    unscaled,
    warn,
    wrap,
)


@mutant("copy_ takes over the memory of its source", slow=True)
def _():
    def change(real, self, source):
        fits = (self.shape, self.dtype) == (source.shape, source.dtype)
        return marked(self, data=source) if fits and not self.requires_grad else real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ gives the destination new memory", slow=True)
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(marked(self, data=self.data.clone()), source),
    )


@mutant("copy_ returns a new tensor")
def _():
    then(Tensor, "copy_", lambda result, self, source: result.clone())


@mutant("copy_ leaves the graph", slow=True)
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(self, source.detach()))


@mutant("copy_ makes two graph nodes")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(real(self, source), source))


@mutant("copy_ doubles the gradient")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(
            self, unscaled(source * 1, 2) if source.requires_grad else source
        ),
    )


@mutant("copy_ forgets what the destination was computed from")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(self if self.is_leaf else self.detach_(), source),
    )


@mutant("copy_ takes over the dtype of its source")
def _():
    def change(real, self, source):
        convert = self.dtype != source.dtype and not self.requires_grad
        return real(marked(self, data=self.data.to(source.dtype)) if convert else self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ rounds to the nearest integer")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(
            self, source if self.is_floating_point() else source.round()
        ),
    )


@mutant("copy_ warns when it converts")
def _():
    warn(Tensor, "copy_", "values are converted", lambda self, source: self.dtype != source.dtype)


@mutant("copy_ refuses to broadcast its source")
def _():
    refuse(Tensor, "copy_", lambda self, source: self.shape != source.shape)


@mutant("copy_ broadcasts its destination")
def _():
    allow(Tensor, "copy_", lambda self, source: source.clone())


@mutant("copy_ writes into a leaf that requires grad")
def _():
    allow(
        Tensor,
        "copy_",
        lambda self, source: (
            self.detach().copy_(source) if leaf_that_requires_grad(self) else self.copy_(source)
        ),
    )


@mutant("copy_ is recorded under no_grad as well")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: (
            torch.enable_grad()(real)(self, source)
            if not self.requires_grad
            else real(self, source)
        ),
    )


@mutant("copy_ into a view leaves the base alone")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: self.clone().detach() if self._is_view() else real(self, source),
    )


@mutant("copy_ writes into an expanded tensor")
def _():
    allow(Tensor, "copy_", lambda self, source: self.clone())


@mutant("copy_ refuses a source on another device")
def _():
    refuse(Tensor, "copy_", lambda self, source: self.device != source.device)


@mutant("copy_ takes the destination to the device of its source")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: (
            real(self, source) if self.device == source.device else source.clone()
        ),
    )


@mutant("empty_like gives a contiguous tensor")
def _():
    wrap(torch, "empty_like", lambda real, x: real(x, memory_format=torch.contiguous_format))
