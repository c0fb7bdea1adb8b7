"""Mutants: devices."""

import torch
from torch import Tensor

from verify.mutants.changes import allow, is_tensor, mutant, raise_other, refuse, wrap


@mutant("operations move a tensor to the device of the other")
def _():
    for name in ("add", "mul", "dot"):
        allow(torch, name, lambda a, b: a)


@mutant("comparisons move a tensor to the device of the other")
def _():
    for name in ("maximum", "eq", "lt", "logical_and", "atan2"):
        allow(torch, name, lambda a, b: a)


@mutant("floor_divide minds the device in both orders")
def _():
    def differ(a, b):
        return is_tensor(a) and is_tensor(b) and a.device != b.device

    refuse(torch, "floor_divide", differ)


@mutant("copysign takes a 0-dim tensor of another device")
def _():
    allow(torch, "copysign", lambda a, b: a if b.dim() == 0 else b)


@mutant("a matrix product minds the meta device")
def _():
    refuse(Tensor, "__matmul__", lambda a, b: is_tensor(b) and a.device != b.device)


@mutant("a matrix product with a meta tensor writes its result")
def _():
    wrap(
        Tensor,
        "__matmul__",
        lambda real, a, b: a.clone() if is_tensor(b) and b.is_meta else real(a, b),
    )


@mutant("+= minds the meta device")
def _():
    refuse(Tensor, "__iadd__", lambda a, b: is_tensor(b) and a.device != b.device)


@mutant("mixing devices raises with another message")
def _():
    for owner, name in ((torch, "add"), (torch, "mul"), (torch, "dot"), (Tensor, "__add__")):
        raise_other(owner, name)


@mutant("a 0-dim tensor must be on the same device")
def _():
    refuse(Tensor, "__add__", lambda a, b: is_tensor(b) and a.device != b.device)


@mutant("any tensor on the CPU may be combined with one on another device")
def _():
    allow(torch, "add", lambda a, b: a)


@mutant("an index must be on the device of its tensor")
def _():
    refuse(
        Tensor, "__getitem__", lambda self, index: is_tensor(index) and index.device != self.device
    )


@mutant("copy_ with non_blocking=True is not done when it returns", slow=True)
def _():
    def change(real, self, source, non_blocking=False):
        return self if non_blocking else real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("pin_memory gives an ordinary tensor where there is no GPU", slow=True)
def _():
    allow(Tensor, "pin_memory", lambda self: self.clone())


@mutant("cuda() gives the tensor itself where there is no GPU")
def _():
    allow(Tensor, "cuda", lambda self: self, Exception)


@mutant("copy_ from a meta tensor changes nothing")
def _():
    allow(Tensor, "copy_", lambda self, source: self, NotImplementedError)


@mutant("every tensor is pinned", slow=True)
def _():
    wrap(Tensor, "is_pinned", lambda real, self: True)


@mutant("clone of what does not fit raises with another message")
def _():
    raise_other(Tensor, "clone")
