"""Mutants: what tensors say about themselves."""

import itertools
from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge

from verify.mutants.changes import (
    asker,
    for_tensors,
    is_tensor,
    marked,
    mutant,
    put,
    wrap,
    wrap_property,
)

OTHER_DTYPES = {
    torch.float32: torch.float64,
    torch.bfloat16: torch.float16,
    torch.int64: torch.int32,
    torch.int8: torch.int16,
}


def say(name: str, other: Callable) -> None:
    """Let an attribute of tensors be `other(self, value)` for all but PyTorch itself."""

    def read(get, self):
        value = get(self)
        return value if asker() in ("torch", "multiprocessing") else other(self, value)

    wrap_property(Tensor, name, read)


@mutant("no tensor says that it requires grad")
def _():
    say("requires_grad", lambda self, flag: False)


@mutant("every tensor of floats says that it requires grad")
def _():
    say("requires_grad", lambda self, flag: flag or self.is_floating_point())


@mutant("a tensor that was changed is no leaf")
def _():
    say("is_leaf", lambda self, leaf: leaf and (self.is_inference() or not self._version))


@mutant("every tensor has a grad_fn")
def _():
    def other(self, node):
        return get_gradient_edge(self).node if self.requires_grad else "no node"

    say("grad_fn", other)


@mutant("the version counter starts at one")
def _():
    say("_version", lambda self, version: version + 1)


@mutant("a tensor names a dtype that it does not have")
def _():
    say("dtype", lambda self, dtype: OTHER_DTYPES.get(dtype, dtype))


@mutant("the shape begins with a 1")
def _():
    say("shape", lambda self, shape: torch.Size((1, *shape)))


@mutant("a tensor names a device on which it is not")
def _():
    say("device", lambda self, device: torch.device("cuda", 0))


@mutant("a tensor that does not require grad names another device")
def _():
    say("device", lambda self, at: at if self.requires_grad else torch.device("cuda", 0))


@mutant("a tensor in the graph names another device")
def _():
    say("device", lambda self, at: torch.device("cuda", 0) if self.grad_fn is not None else at)


@mutant("torch.tensor of a tensor names another device")
def _():
    for_tensors(torch, "tensor", lambda data, made: marked(made, moved=True))
    say("device", lambda self, at: torch.device("cuda", 0) if hasattr(self, "moved") else at)


@mutant("no tensor says that it is on meta")
def _():
    say("is_meta", lambda self, meta: False)


@mutant("no tensor shows its grad_fn")
def _():
    say("grad_fn", lambda self, node: None)


@mutant("no tensor shows its base")
def _():
    say("_base", lambda self, base: None)


@mutant("every tensor has the same address")
def _():
    def change(real, self):  # safetensors reads the memory at this address
        return real(self) if asker() == "safetensors" else 64

    wrap(Tensor, "data_ptr", change)


@mutant("every tensor says that it is an inference tensor")
def _():
    wrap(Tensor, "is_inference", lambda real, self: True)


@mutant("every tensor says that it is in shared memory")
def _():
    wrap(Tensor, "is_shared", lambda real, self: True)


@mutant("a storage counts its numbers, not its bytes")
def _():
    wrap(torch.UntypedStorage, "nbytes", lambda real, self: real(self) // 4)


@mutant("every storage has the same address")
def _():
    wrap(torch.UntypedStorage, "data_ptr", lambda real, self: 64)


@mutant("each time a storage is asked it has another address")
def _():
    addresses = itertools.count(64, 64)
    wrap(torch.UntypedStorage, "data_ptr", lambda real, self: next(addresses))


@mutant("nothing is found in .grad")
def _():
    say("grad", lambda self, grad: None)


@mutant("a gradient in float64 is a row in float32")
def _():
    def other(self, grad):
        return grad[None].float() if is_tensor(grad) and grad.dtype == torch.float64 else grad

    say("grad", other)


@mutant("the gradient takes the memory of its tensor")
def _():
    say("grad", lambda self, grad: None if grad is None else self.detach())


@mutant("assigning .grad converts the gradient")
def _():
    def write(set_, self, value):
        set_(self, value.to(self.dtype) if is_tensor(value) else value)

    wrap_property(Tensor, "grad", None, write)


@mutant(".data makes the tensor itself a plain one")
def _():
    def read_data(read, self):
        leaf = self.is_leaf and self.requires_grad
        return self.requires_grad_(False) if leaf else read(self)

    wrap_property(Tensor, "data", read_data)


@mutant("detach works in place")
def _():
    wrap(Tensor, "detach", lambda real, self: real(self) if self._is_view() else self.detach_())


@mutant("assigning .data has no effect")
def _():
    def write(set_, self, value):
        old = self.data
        set_(self, value)
        set_(self, old)

    wrap_property(Tensor, "data", None, write)


@mutant("a refused assignment to .data fills the tensor with ones")
def _():
    def write(set_, self, value):
        try:
            set_(self, value)
        except RuntimeError:
            self.detach().fill_(1)
            raise

    wrap_property(Tensor, "data", None, write)


@mutant("Tensor has a method rename")
def _():
    put(Tensor, "rename", lambda self, *names: self)


@mutant("torch.ones ignores names=")
def _():
    wrap(torch, "ones", lambda real, *sizes, names=None, **options: real(*sizes, **options))
