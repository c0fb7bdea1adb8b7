"""Mutants: version counters and in-place changes."""

import warnings

import torch
from torch import Tensor

from verify.mutants.changes import (
    IN_PLACE,
    allow,
    count_writes,
    is_tensor,
    leaf_that_requires_grad,
    mutant,
    raise_other,
    refuse,
    set_version,
    then,
    wrap,
    wrap_property,
)


@mutant("an in-place change does not move the version counter")
def _():
    count_writes(lambda version: version, *IN_PLACE)


@mutant("an in-place change moves the version counter by two")
def _():
    count_writes(lambda version: version + 2, *IN_PLACE)


@mutant("an in-place change under no_grad does not move the version counter")
def _():
    def change(real, self, *args, **options):
        version = self._version
        result = real(self, *args, **options)
        torch.is_grad_enabled() or set_version(self, version)
        return result

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("_version is always 0")
def _():
    wrap_property(Tensor, "_version", lambda read, self: 0)


@mutant("a slice has a version counter of its own")
def _():
    then(Tensor, "__getitem__", lambda part, self, index: part if part.requires_grad else part.data)


@mutant("a leaf that requires grad can be changed in place")
def _():
    def change(real, self, *args, **options):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not leaf_that_requires_grad(self)):
            return real(self, *args, **options)

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("a view of a leaf can be changed in place")
def _():
    allow(Tensor, "mul_", lambda self, other: self)


@mutant("a leaf that requires grad cannot be changed in place under no_grad")
def _():
    for name in IN_PLACE:
        refuse(Tensor, name, leaf_that_requires_grad)


@mutant("a refused in-place change raises with another message")
def _():
    for name in IN_PLACE:
        raise_other(Tensor, name)


@mutant("a refused in-place change writes all the same")
def _():
    def change(real, self, *args, **options):
        try:
            return real(self, *args, **options)
        except RuntimeError:
            real(self.detach(), *args, **options)
            raise

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("add_ leaves a plain tensor outside the graph")
def _():
    for name in ("add_", "__iadd__"):
        wrap(
            Tensor,
            name,
            lambda real, self, other: real(
                self, other if self.requires_grad or not is_tensor(other) else other.detach()
            ),
        )


@mutant("an in-place operation makes a new tensor")
def _():
    wrap(Tensor, "__iadd__", lambda real, self, other: torch.add(self, other))
    wrap(Tensor, "__imul__", lambda real, self, other: torch.mul(self, other))
    wrap(Tensor, "__isub__", lambda real, self, other: torch.sub(self, other))


@mutant("an addition writes into its first operand")
def _():
    wrap(
        Tensor,
        "__add__",
        lambda real, self, other: real(self, other) if self.requires_grad else self.add_(other),
    )


@mutant("out= refuses another shape")
def _():
    def change(real, x, other, out=None):
        if out is not None and out.shape != x.shape:
            raise RuntimeError("another shape")
        return real(x, other, out=out)

    wrap(torch, "add", change)


@mutant("out= warns for an empty tensor too")
def _():
    def change(real, one, other, out):
        if not out.numel():
            warnings.warn("An output was resized", stacklevel=3)
        return real(one, other, out=out)

    wrap(torch, "add", change)


@mutant("out= accepts a tensor that requires grad")
def _():
    def change(real, x, other, out=None):
        with torch.set_grad_enabled(torch.is_grad_enabled() and out is None):
            return real(x, other, out=out)

    wrap(torch, "add", change)
