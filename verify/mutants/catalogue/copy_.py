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
    warner,
    wrap,
)


@mutant("copy_ takes over the memory of its source", slow="benchmarks")
def _():
    def change(real, self, source):
        fits = (self.shape, self.dtype) == (source.shape, source.dtype)
        return marked(self, data=source) if fits and not self.requires_grad else real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ gives the destination new memory", slow="benchmarks")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(marked(self, data=self.data.clone()), source),
    )


@mutant("copy_ returns a new tensor")
def _():
    then(Tensor, "copy_", lambda result, self, source: result.clone())


@mutant("copy_ leaves the graph", slow="benchmarks")
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


def limits(dtype: torch.dtype) -> torch.iinfo | torch.finfo:
    return torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)


@mutant("copy_ gives the nearest number that the dtype has")
def _():
    def change(real, self, source):
        if self.dtype == torch.bool or self.is_complex() or source.is_complex():
            return real(self, source)
        return real(self, source.clamp(limits(self.dtype).min, limits(self.dtype).max))

    wrap(Tensor, "copy_", change)


@mutant("copy_ cuts off fractions on the way to bool")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(
            self, source.trunc() if self.dtype == torch.bool else source
        ),
    )


@mutant("copy_ refuses what an integer destination cannot hold")
def _():
    def too_large(self, source):
        if self.is_floating_point() or self.dtype == torch.bool or not source.is_floating_point():
            return False
        return bool((~source.isfinite() | (source.abs() > limits(self.dtype).max)).any())

    refuse(Tensor, "copy_", too_large)


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


@mutant("copy_ writes into a piece of unbind, split or chunk")
def _():
    allow(
        Tensor,
        "copy_",
        lambda self, source: self.detach().copy_(source) if self._is_view() else self.copy_(source),
    )


@mutant("split, chunk and a loop over a tensor give slices")
def _():
    def split(real, self, size):
        return tuple(self[i : i + size] for i in range(0, len(self), size))

    wrap(Tensor, "split", split)
    wrap(Tensor, "chunk", lambda real, self, n: split(None, self, -(-len(self) // n)))
    wrap(Tensor, "__iter__", lambda real, self: iter([self[i] for i in range(len(self))]))


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


@mutant("empty_like warns once in a process", slow="benchmarks")
def _():
    note = warner("empty_like is deprecated")

    def change(real, x, **options):
        note()
        return real(x, **options)

    wrap(torch, "empty_like", change)
