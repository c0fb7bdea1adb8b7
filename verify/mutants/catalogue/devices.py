"""Mutants: devices."""

import torch
from torch import Tensor

from verify.mutants.changes import allow, is_tensor, mutant, raise_other, refuse, wrap


@mutant("operations move a tensor to the device of the other")
def _():
    for name in ("add", "mul", "dot"):
        allow(torch, name, lambda a, b: a)


@mutant("mixing devices raises with another message")
def _():
    for owner, name in ((torch, "add"), (torch, "mul"), (torch, "dot"), (Tensor, "__add__")):
        raise_other(owner, name)


@mutant("a 0-dim tensor must be on the same device")
def _():
    refuse(Tensor, "__add__", lambda a, b: is_tensor(b) and a.device != b.device)


@mutant("any tensor on the CPU may be combined with one on another device")
def _():
    allow(Tensor, "__add__", lambda a, b: a)


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


@mutant("every tensor is pinned", slow=True)
def _():
    wrap(Tensor, "is_pinned", lambda real, self: True)
