"""Mutants: the numbers of a tensor, and operations that compute or write them."""

import torch
from torch import Tensor

from verify.mutants.changes import is_tensor, marked, mutant, put, then, wrap


@mutant("item of floats gives nan")
def _():
    then(Tensor, "item", lambda value, self: float("nan") if isinstance(value, float) else value)


@mutant("item of integers gives a float")
def _():
    then(Tensor, "item", lambda value, self: float(value) if type(value) is int else value)


@mutant("item keeps its tensor alive")
def _():
    kept = []
    then(Tensor, "item", lambda value, self: kept.append(self) or value)


@mutant("tolist adds one to each number")
def _():
    def add_one(values):
        return [add_one(v) for v in values] if isinstance(values, list) else values + 1

    then(Tensor, "tolist", lambda values, self: add_one(values))


@mutant("tolist knows no lazy conjugate and no negative bit")
def _():
    def change(real, self):
        plain = self.conj() if self.is_conj() else self
        return real(torch._neg_view(plain) if plain.is_neg() else plain)

    wrap(Tensor, "tolist", change)


@mutant("resolve_neg does nothing")
def _():
    wrap(Tensor, "resolve_neg", lambda real, self: self)


@mutant("an addition adds one more")
def _():
    then(Tensor, "__add__", lambda result, self, other: torch.add(result, 1))


@mutant("an addition is recorded as a subtraction")
def _():
    wrap(Tensor, "__add__", lambda real, self, other: torch.sub(self, -other))


@mutant("a matrix product is twice as large")
def _():
    then(Tensor, "__matmul__", lambda result, self, other: torch.mul(result, 2))


def write_nothing(*names: str) -> None:
    """Let these in-place methods leave the values as they are."""

    def change(real, self, *args, **options):
        with torch.no_grad():
            kept = self.clone()
        real(self, *args, **options)
        self.detach().copy_(kept)
        return self

    for name in names:
        wrap(Tensor, name, change)


@mutant("copy_ writes nothing")
def _():
    wrap(Tensor, "copy_", lambda real, self, source, **options: self)


@mutant("copy_ under no_grad freezes the tensor")
def _():
    def after(result, self, source):
        plain = torch.is_grad_enabled() or not self.is_leaf or self._is_view()
        return result if plain else self.requires_grad_(False)

    then(Tensor, "copy_", after)


@mutant("zero_ writes nothing")
def _():
    write_nothing("zero_")


@mutant("fill_ writes nothing")
def _():
    write_nothing("fill_")


@mutant("fill_ fills the whole storage")
def _():
    def after(result, self, value):
        whole = torch.empty(0, dtype=self.dtype).set_(self.untyped_storage())
        whole[:] = value
        return result

    then(Tensor, "fill_", after)


@mutant("add_ writes nothing")
def _():
    write_nothing("add_")


@mutant("mul_ writes nothing")
def _():
    write_nothing("mul_")


@mutant("a refused += doubles the values")
def _():
    def change(real, self, other):
        try:
            return real(self, other)
        except RuntimeError:
            self.detach().mul_(2)
            raise

    wrap(Tensor, "__iadd__", change)


@mutant("+= with a meta tensor gives zeros")
def _():
    def change(real, self, other):
        return self.zero_() if is_tensor(other) and other.is_meta else real(self, other)

    wrap(Tensor, "__iadd__", change)


@mutant("a refused out= writes all the same")
def _():
    def change(real, one, other, out=None):
        try:
            return real(one, other, out=out)
        except RuntimeError:
            out.detach().fill_(7)
            raise

    wrap(torch, "add", change)


@mutant("out= under no_grad writes nothing")
def _():
    def change(real, one, other, out=None):
        if out is None or torch.is_grad_enabled():
            return real(one, other, out=out)
        return out

    wrap(torch, "add", change)


@mutant("index_add_ adds once to a repeated index")
def _():
    def change(real, self, dim, index, source):
        self[index] += source
        return self

    wrap(Tensor, "index_add_", change)


@mutant("a slice begins at the first element")
def _():
    def change(real, self, index):
        if isinstance(index, slice) and isinstance(index.start, int) and index.step is None:
            index = slice(0, len(real(self, index)))
        elif isinstance(index, tuple) and isinstance(index[-1], int):
            index = (*index[:-1], 0)
        return real(self, index)

    wrap(Tensor, "__getitem__", change)


@mutant("a uint8 index of 0 dimensions gives a view")
def _():
    def change(real, self, index):
        scalar = is_tensor(index) and index.dim() == 0 and index.dtype == torch.uint8
        return real(self, int(index) if scalar else index)

    wrap(Tensor, "__getitem__", change)


@mutant("view(dtype) converts the values")
def _():
    def change(real, self, *shape):
        return self.to(*shape) if isinstance(shape[0], torch.dtype) else real(self, *shape)

    wrap(Tensor, "view", change)


@mutant("permute gives a contiguous tensor")
def _():
    then(Tensor, "permute", lambda result, self, *dims: result.contiguous())


@mutant("clone flattens")
def _():
    then(Tensor, "clone", lambda copy, self: copy.reshape(-1) if copy.dim() == 2 else copy)


@mutant("detach flattens")
def _():
    then(Tensor, "detach", lambda alias, self: alias.reshape(-1) if alias.dim() == 2 else alias)


@mutant("clone of a single number returns its source")
def _():
    wrap(Tensor, "clone", lambda real, self: self if self.shape == (1,) else real(self))


@mutant("clone allocates three times the room")
def _():
    def after(copy, self):
        if copy.requires_grad or not copy.is_contiguous() or copy.is_meta:
            return copy
        return copy.new_empty(3, *copy.shape)[0].copy_(copy)

    then(Tensor, "clone", after)


@mutant("empty_like of a meta tensor stays on meta")
def _():
    then(torch, "empty_like", lambda made, x, **options: made.to("meta") if x.is_meta else made)


@mutant("empty_like makes one element more")
def _():
    wrap(
        torch,
        "empty_like",
        lambda real, like, **options: torch.empty(like.numel() + 1, **options),
    )


@mutant("stack leaves the graph")
def _():
    then(torch, "stack", lambda result, tensors: result.detach())


@mutant("stack puts vectors one after the other")
def _():
    wrap(
        torch,
        "stack",
        lambda real, tensors: torch.cat(tensors) if tensors[0].dim() else real(tensors),
    )


@mutant("isnan finds nothing")
def _():
    then(torch, "isnan", lambda result, x: torch.zeros_like(result))


@mutant("autograd.grad doubles the gradients")
def _():
    then(torch.autograd, "grad", lambda grads, *args: tuple(2 * g for g in grads))


@mutant("autograd.grad also fills .grad")
def _():
    def after(grads, output, inputs):
        for tensor, grad in zip(
            inputs if isinstance(inputs, tuple) else [inputs], grads, strict=True
        ):
            tensor.grad = grad
        return grads

    then(torch.autograd, "grad", after)


@mutant("lerp_ is not recorded")
def _():
    wrap(Tensor, "lerp_", lambda real, self, end, weight: real(self, end.detach(), weight))


@mutant("resize_ does not grow a tensor")
def _():
    wrap(Tensor, "resize_", lambda real, self, *size: self)


@mutant("apply_, map_ and map2_ write into a copy")
def _():
    for name in ("apply_", "map_", "map2_"):
        wrap(Tensor, name, lambda real, self, *args: real(self.clone(), *args) is None or self)


@mutant("coalesce works in place")
def _():
    then(Tensor, "coalesce", lambda result, self: self.copy_(result))


@mutant("a square is recorded as a product of two tensors")
def _():
    wrap(
        Tensor,
        "__pow__",
        lambda real, self, power: torch.mul(self, self) if power == 2 else real(self, power),
    )


@mutant("zero_ of what a mask picks out reaches its source")
def _():
    def after(part, self, index):
        mask = is_tensor(index) and index.dtype == torch.bool
        return marked(part, picked=(self, index)) if mask else part

    def change(real, self):
        source, mask = getattr(self, "picked", (self, None))
        source.mul_(~mask) if mask is not None else None
        return real(self)

    then(Tensor, "__getitem__", after)
    wrap(Tensor, "zero_", change)


@mutant("asinh_, acosh_ and atanh_ have derivatives")
def _():
    for name in ("asinh", "acosh", "atanh"):
        out_of_place = getattr(Tensor, name)
        put(Tensor, f"{name}_", lambda self, real=out_of_place: self.copy_(real(self)))
