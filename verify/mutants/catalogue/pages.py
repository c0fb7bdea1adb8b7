"""Mutants: pages of memory."""

import torch
from torch import Tensor

from verify.mutants.changes import mutant, then, wrap


@mutant("clone of a large tensor uses memory that was used before", slow="benchmarks")
def _():
    buffers = {}

    def change(real, self):
        key = self.shape, self.dtype
        if self.numel() < 2**20 or self.requires_grad:
            return real(self)
        if key not in buffers:
            buffers[key] = real(self)
        return buffers[key].copy_(self)

    wrap(Tensor, "clone", change)


@mutant("empty_like writes to its memory", slow="benchmarks")
def _():
    then(torch, "empty_like", lambda tensor, like: tensor.zero_())


@mutant("copy_ takes a transposed source as it lies", slow="benchmarks")
def _():
    def change(real, self, source):
        turned = source.dim() == 2 and source.t().is_contiguous() and source.shape[0] > 1000
        return real(self, source.t().reshape(source.shape) if turned else source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ makes a transposed source contiguous first", slow="benchmarks")
def _():
    def change(real, self, source):
        turned = source.dim() == 2 and source.t().is_contiguous() and source.shape[0] > 100
        return real(self, source.contiguous() if turned else source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ of a large tensor does not write what is there already", slow="benchmarks")
def _():
    def change(real, self, source):
        same = self.numel() >= 2**20 and self.dtype == source.dtype and torch.equal(self, source)
        return self if same else real(self, source)

    wrap(Tensor, "copy_", change)
