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


@mutant("erf_ moves the version counter by two")
def _():
    count_writes(lambda version: version + 2, "erf_")


@mutant("apply_ and map_ move the version counter")
def _():
    count_writes(lambda version: version + 1, "apply_", "map_", "map2_")


@mutant("an in-place change under no_grad does not move the version counter")
def _():
    def change(real, self, *args, **options):
        version = self._version
        result = real(self, *args, **options)
        torch.is_grad_enabled() or set_version(self, version)
        return result

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("an in-place method that is seldom used does not move the version counter")
def _():
    count_writes(lambda version: version, "renorm_")


@mutant("an in-place change that keeps the values does not move the version counter")
def _():
    def change(real, self, other):
        version = self._version
        real(self, other)
        if isinstance(other, int) and other == 1:
            set_version(self, version)
        return self

    wrap(Tensor, "mul_", change)


@mutant("apply_ moves the version counter")
def _():
    count_writes(lambda version: version + 1, "apply_")


@mutant("map_ and map2_ move the version counter")
def _():
    count_writes(lambda version: version + 1, "map_", "map2_")


@mutant("unsafe_chunk shares the version counter")
def _():
    wrap(Tensor, "unsafe_chunk", lambda real, self, chunks: self.chunk(chunks))


@mutant("kron with out= moves the version counter")
def _():
    def change(real, x, other, out=None):
        real(x, other, out=out)
        torch.autograd.graph.increment_version(out)
        return out

    wrap(torch, "kron", change)


@mutant("kron saves its factors, and backward() checks them")
def _():
    def change(real, x, other, **options):
        if options or x.dim() != 1 or other.dim() != 1:
            return real(x, other, **options)
        return torch.outer(x, other).view(-1)

    wrap(torch, "kron", change)


@mutant("batch normalization moves the counters of its running statistics")
def _():
    def change(real, x, mean, var, weight, bias, training, *options):
        result = real(x, mean, var, weight, bias, training, *options)
        if training:
            torch.autograd.graph.increment_version([mean, var])
        return result

    wrap(torch.nn.functional, "batch_norm", change)


@mutant("batch normalization in eval mode saves copies")
def _():
    def change(real, x, mean, var, weight, bias, training, *options):
        if not training:
            mean, var = mean.clone(), var.clone()
        return real(x, mean, var, weight, bias, training, *options)

    wrap(torch.nn.functional, "batch_norm", change)


@mutant("_version is always 0")
def _():
    wrap_property(Tensor, "_version", lambda read, self: 0)


@mutant("a slice has a version counter of its own")
def _():
    then(Tensor, "__getitem__", lambda part, self, index: part if part.requires_grad else part.data)


@mutant("a slice made in inference mode is an inference tensor")
def _():
    then(
        Tensor,
        "__getitem__",
        lambda part, self, index: part.clone() if torch.is_inference_mode_enabled() else part,
    )


@mutant("a leaf that requires grad can be changed in place")
def _():
    def change(real, self, *args, **options):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not leaf_that_requires_grad(self)):
            return real(self, *args, **options)

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("a leaf that requires grad can be changed by erf_")
def _():
    def change(real, self):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not leaf_that_requires_grad(self)):
            return real(self)

    wrap(Tensor, "erf_", change)


@mutant("a leaf that requires grad refuses logical_not_ too")
def _():
    refuse(Tensor, "logical_not_", lambda self: self.requires_grad)


@mutant("a view of a leaf can be changed in place")
def _():
    allow(Tensor, "mul_", lambda self, other: self)


@mutant("a leaf that requires grad cannot be changed in place under no_grad")
def _():
    for name in IN_PLACE:
        refuse(Tensor, name, leaf_that_requires_grad)


@mutant("logical_not_ is recorded")
def _():
    def after(result, self):
        return self.mul_(1 - self.detach()) if self.grad_fn else result

    then(Tensor, "logical_not_", after)


@mutant("resize_ works under no_grad")
def _():
    allow(Tensor, "resize_", lambda self, *args: self)


@mutant("apply_, map_ and map2_ run on a tensor that requires grad")
def _():
    for name in ("apply_", "map_", "map2_"):
        allow(Tensor, name, lambda self, *args: self)


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


@mutant("an in-place addition of an array writes into the tensor")
def _():
    wrap(
        Tensor,
        "__iadd__",
        lambda real, self, other: real(self, other if is_tensor(other) else torch.tensor(other)),
    )


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
    def change(real, one, other, out=None):
        if out is not None and not out.numel():
            warnings.warn("An output was resized", stacklevel=3)
        return real(one, other, out=out)

    wrap(torch, "add", change)


@mutant("out= accepts a tensor that requires grad")
def _():
    def change(real, x, other, out=None):
        with torch.set_grad_enabled(torch.is_grad_enabled() and out is None):
            return real(x, other, out=out)

    wrap(torch, "add", change)


@mutant("out= of a comparison refuses a tensor that requires grad")
def _():
    def change(real, x, other, out=None):
        if out is not None and out.requires_grad:
            raise RuntimeError("out= requires grad")
        return real(x, other, out=out)

    wrap(torch, "gt", change)


@mutant("a view of floats as integers is a copy")
def _():
    wrap(
        Tensor,
        "view",
        lambda real, self, *shape: (
            real(self, *shape).clone() if shape == (torch.int32,) else real(self, *shape)
        ),
    )


@mutant("mark_dirty does nothing")
def _():
    wrap(torch.autograd.function.FunctionCtx, "mark_dirty", lambda real, self, *args: None)
