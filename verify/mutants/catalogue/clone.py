"""Mutants: clone."""

import torch
from torch import Tensor

from verify.mutants.changes import in_mode, marked, mutant, set_version, then, unscaled, wrap


@mutant("clone shares memory", slow=True)
def _():
    for owner in (Tensor, torch):
        wrap(owner, "clone", lambda real, self, **options: self.view_as(self))


@mutant("clone leaves the graph", slow=True)
def _():
    for owner in (Tensor, torch):
        then(owner, "clone", lambda copy, self: copy.detach())


@mutant("clone of a plain tensor requires grad")
def _():
    then(Tensor, "clone", lambda copy, self: copy.requires_grad_(copy.is_floating_point()))


@mutant("clone gives a contiguous tensor", slow=True)
def _():
    wrap(Tensor, "clone", lambda real, self: real(self, memory_format=torch.contiguous_format))


@mutant("clone keeps the gaps of a slice")
def _():
    def change(real, self):
        whole = self.untyped_storage().nbytes() // self.itemsize
        gaps = not self.requires_grad and 0 < self.numel() < whole
        start = self.storage_offset()
        return (
            real(self.as_strided((whole,), (1,), 0)).as_strided(self.shape, self.stride(), start)
            if gaps
            else real(self)
        )

    wrap(Tensor, "clone", change)


@mutant("clone turns integers into floats")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: copy if copy.is_floating_point() or copy.is_complex() else copy.float(),
    )


@mutant("clone of a tensor on another device lies on the CPU")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: copy if copy.is_cpu else torch.empty_like(copy, device="cpu"),
    )


@mutant("clone doubles the gradient")
def _():
    then(Tensor, "clone", lambda copy, self: unscaled(copy, 2))


@mutant("clone makes two graph nodes")
def _():
    wrap(Tensor, "clone", lambda real, self: real(real(self)))


@mutant("clone in the graph copies the values twice")
def _():
    wrap(
        Tensor,
        "clone",
        lambda real, self: (real(self), real(self))[1] if self.requires_grad else real(self),
    )


@mutant("clone goes through a multiplication by one")
def _():
    for owner in (Tensor, torch):
        wrap(owner, "clone", lambda real, self: real(self * torch.ones_like(self)))


@mutant("clone records its node under no_grad as well")
def _():
    in_mode(Tensor, "clone", torch.enable_grad)


@mutant("clone retains its gradient")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: marked(copy, retained=copy.requires_grad and copy.retain_grad()),
    )


@mutant("clone starts at the version of its source")
def _():
    then(Tensor, "clone", lambda copy, self: set_version(copy, self._version) or copy)


@mutant("clone of a subclass is a plain Tensor")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: copy if type(self) is Tensor else copy.as_subclass(Tensor),
    )


@mutant("clone takes over the gradient in .grad")
def _():
    then(
        Tensor,
        "detach",
        lambda alias, self: marked(alias, source=self.grad if self.is_leaf else None),
    )
    then(Tensor, "clone", lambda copy, self: marked(copy, grad=getattr(self, "source", None)))


@mutant("clone takes over the hooks of its source")
def _():
    def change(copy, self):
        for hook in (self._backward_hooks or {}).values():
            copy.register_hook(hook)
        return copy

    then(Tensor, "clone", change)


@mutant("clone takes over the Python attributes of its source")
def _():
    then(Tensor, "clone", lambda copy, self: marked(copy, **self.__dict__))


@mutant("clone made in inference mode is a normal tensor")
def _():
    in_mode(Tensor, "clone", lambda: torch.inference_mode(False))


@mutant("clone of an expanded tensor stays expanded")
def _():
    wrap(Tensor, "clone", lambda real, self: self.detach() if 0 in self.stride() else real(self))


@mutant("a write to a clone is not recorded")
def _():
    in_mode(Tensor, "__setitem__", torch.no_grad)


@mutant("-= and /= are not recorded")
def _():
    for name in ("__isub__", "__itruediv__"):
        in_mode(Tensor, name, torch.no_grad)


@mutant("an indexed write has no effect")
def _():
    wrap(Tensor, "__setitem__", lambda real, self, index, value: None)
