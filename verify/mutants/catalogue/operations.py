"""Mutants: operations that surprise."""

import torch
from torch import Tensor

from verify.mutants.changes import mutant, then, wrap


@mutant("dropout copies in evaluation mode")
def _():
    def change(real, x, p=0.5, training=True):
        return real(x, p, training) if training else x.clone()

    wrap(torch.nn.functional, "dropout", change)


@mutant("einsum copies")
def _():
    then(torch, "einsum", lambda result, *args: result.clone())


@mutant("cartesian_prod copies a single tensor")
def _():
    then(torch, "cartesian_prod", lambda result, x: result.clone())


@mutant("meshgrid copies")
def _():
    def change(real, *tensors, indexing):
        return [grid.clone() for grid in real(*tensors, indexing=indexing)]

    wrap(torch, "meshgrid", change)


@mutant("unsafe_split and unsafe_chunk copy")
def _():
    for name in ("unsafe_split", "unsafe_chunk"):
        then(Tensor, name, lambda parts, *args: tuple(part.clone() for part in parts))


@mutant("view(dtype) stays in the graph if the dtype is the same")
def _():
    def change(real, self, dtype):
        return real(self, self.shape) if dtype == self.dtype else real(self, dtype)

    wrap(Tensor, "view", change)


@mutant("out= gets a copy of its own if it is a view")
def _():
    def change(real, a, b, *, out):
        made = real(a, b)
        return out.set_(made) if out.shape != made.shape or out._is_view() else out.copy_(made)

    wrap(torch, "add", change)


@mutant("out= is no longer resized")
def _():
    def change(real, a, b, *, out):
        if out.numel() < torch.broadcast_tensors(torch.as_tensor(a), torch.as_tensor(b))[0].numel():
            raise RuntimeError("out is too small")
        return real(a, b, out=out)

    wrap(torch, "add", change)


@mutant("ones keeps the shape of out=")
def _():
    wrap(
        torch,
        "ones",
        lambda real, *size, out=None, **options: (
            real(*size, **options) if out is None else out.fill_(1)
        ),
    )


@mutant("matmul keeps the strides of out=")
def _():
    wrap(torch, "matmul", lambda real, a, b, *, out: out.copy_(real(a, b)))


@mutant("meshgrid gives aliases")
def _():
    def change(real, *tensors, indexing):
        return [grid.detach() for grid in real(*tensors, indexing=indexing)]

    wrap(torch, "meshgrid", change)


@mutant("unsafe_split gives the pieces of split")
def _():
    wrap(Tensor, "unsafe_split", lambda real, self, size: self.split(size))


@mutant("ihfftn with out= writes into it")
def _():
    def change(real, v, out=None):
        return real(v) if out is None else out.copy_(real(v))

    wrap(torch.fft, "ihfftn", change)


@mutant("ihfftn and ihfft with out= return a new tensor")
def _():
    for name in ("ihfftn", "ihfft"):
        wrap(torch.fft, name, lambda real, v, out=None: real(v))
