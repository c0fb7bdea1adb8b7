"""Mutants: caches, and memory that the next step overwrites."""

import torch
from torch import Tensor

from verify.mutants.catalogue.compiled import each_result
from verify.mutants.changes import marked, mutant, raise_other, then, wrap


@mutant("torch.cat writes every result into one buffer")
def _():
    buffers: dict[object, Tensor] = {}

    def change(real, tensors):
        made = real(tensors)
        if made.requires_grad or made.is_inference():
            return made
        key = made.dtype, made.shape[1:]
        room = buffers.setdefault(key, made.new_empty(1000, *made.shape[1:]))
        return room[: len(made)].copy_(made)

    wrap(torch, "cat", change)


@mutant("torch.cat appends behind its first tensor if there is room")
def _():
    def change(real, tensors):
        made, first = real(tensors), tensors[0]
        room = first.untyped_storage().nbytes() // first.itemsize - first.storage_offset()
        if made.requires_grad or not first.is_contiguous() or room < made.numel():
            return made
        return first.as_strided(made.shape, made.stride()).copy_(made)

    wrap(torch, "cat", change)


@mutant("torch.cat repeats the last row")
def _():
    def repeat(result, tensors, dim=0):
        return result if dim else result[[*range(len(result)), -1]]

    then(torch, "cat", repeat)


@mutant("torch.cat detaches")
def _():
    then(torch, "cat", lambda result, tensors: result.detach())


@mutant("torch.cat gives a normal tensor in inference mode")
def _():
    def change(real, tensors):
        with torch.inference_mode(False):
            return real([tensor.clone() for tensor in tensors])

    wrap(torch, "cat", change)


@mutant("an indexed write in inference mode has no effect")
def _():
    def change(real, self, index, value):
        return None if torch.is_inference_mode_enabled() else real(self, index, value)

    wrap(Tensor, "__setitem__", change)


@mutant("every tensor counts as an inference tensor")
def _():
    wrap(Tensor, "is_inference", lambda real, self: True)


@mutant("no tensor counts as an inference tensor")
def _():
    wrap(Tensor, "is_inference", lambda real, self: False)


@mutant("an indexed write gives a plain tensor new memory")
def _():
    def change(real, self, index, value):
        real(self if self.requires_grad else marked(self, data=self.data.clone()), index, value)

    wrap(Tensor, "__setitem__", change)


@mutant("index_copy_ converts the dtype")
def _():
    def change(real, self, dim, index, source):
        return real(self, dim, index, source.to(self.dtype))

    wrap(Tensor, "index_copy_", change)


@mutant("index_copy_ writes to a copy")
def _():
    wrap(Tensor, "index_copy_", lambda real, self, *args: real(self.clone(), *args))


@mutant("index_select gives a view of the first row")
def _():
    wrap(Tensor, "index_select", lambda real, self, dim, index: self[:1].expand(len(index), -1))


@mutant("repeat_interleave repeats without a copy")
def _():
    def change(real, self, repeats, dim):
        return self[:1].expand(repeats * len(self), -1)

    wrap(Tensor, "repeat_interleave", change)


@mutant("index_select writes over its own input")
def _():
    def change(real, self, dim, index, *, out):
        return out.copy_(real(self, dim, index))

    wrap(torch, "index_select", change)


@mutant("index_select raises with another message")
def _():
    raise_other(torch, "index_select")


@mutant("mul with out= returns a new tensor")
def _():
    wrap(torch, "mul", lambda real, a, b, *, out: out.copy_(real(a, b)).clone())


@mutant("a conversion of a module converts in place")
def _():
    def change(real, self):
        for p in self.parameters():
            p.data.add_(1)
        return self

    wrap(torch.nn.Module, "double", change)


@mutant("a compiled function writes each result into one buffer", slow="compile")
def _():
    buffers: dict[object, Tensor] = {}

    def static(result, arguments, before):
        key = result.dtype, result.shape, len(before)
        return buffers.setdefault(key, torch.empty_like(result)).copy_(result)

    each_result(static)
