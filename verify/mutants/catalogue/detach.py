"""Mutants: detach and detach_."""

import torch
from torch import Tensor

from verify.mutants.changes import allow, marked, mutant, refuse, set_version, then, wrap


@mutant("detach copies", slow=True)
def _():
    for owner in (Tensor, torch):
        wrap(owner, "detach", lambda real, self: real(self).clone())


@mutant("detach returns its source")
def _():
    wrap(Tensor, "detach", lambda real, self: self)


@mutant("detach stays in the graph", slow="compile")
def _():
    for owner in (Tensor, torch):
        wrap(owner, "detach", lambda real, self: self.view_as(self))


@mutant("detach keeps requires_grad")
def _():
    then(Tensor, "detach", lambda alias, self: alias.requires_grad_(self.requires_grad))


@mutant("detach starts a version counter of its own")
def _():
    wrap(Tensor, "detach", lambda real, self: self.data)


@mutant("detach gives a contiguous tensor")
def _():
    then(Tensor, "detach", lambda alias, self: alias.contiguous())


@mutant("detach turns integers into floats")
def _():
    then(
        Tensor, "detach", lambda alias, self: alias.float() if alias.dtype == torch.int64 else alias
    )


@mutant("detach of a tensor on another device lies on the CPU")
def _():
    then(
        Tensor,
        "detach",
        lambda alias, self: alias if alias.is_cpu else torch.empty_like(alias, device="cpu"),
    )


@mutant("detach keeps the graph alive", slow=True)
def _():
    then(Tensor, "detach", lambda alias, self: marked(alias, source=self))


@mutant("detach makes a graph node and drops it", slow=True)
def _():
    wrap(Tensor, "detach", lambda real, self: real(self.view_as(self)))


@mutant("detach gives a view")
def _():
    then(Tensor, "detach", lambda alias, self: alias.view_as(alias))


@mutant("detach takes over the gradient in .grad")
def _():
    then(
        Tensor,
        "detach",
        lambda alias, self: marked(alias, grad=self.grad if self.is_leaf else None),
    )


@mutant("detach resets the version counter")
def _():
    then(Tensor, "detach", lambda alias, self: set_version(alias, 0) or alias)


@mutant("detach of an nn.Parameter is an nn.Parameter")
def _():
    wrap(
        torch.nn.Parameter,
        "detach",
        lambda real, self: torch.nn.Parameter(real(self), requires_grad=False),
    )
    wrap(
        torch.nn.Parameter,
        "clone",
        lambda real, self: torch.nn.Parameter(real(self), requires_grad=False),
    )


@mutant("detach and clone keep a subclass of nn.Parameter")
def _():
    for name in ("detach", "clone"):
        wrap(
            torch.nn.Parameter,
            name,
            lambda real, self: (
                real(self)
                if type(self) is torch.nn.Parameter
                else real(self).as_subclass(type(self))
            ),
        )


@mutant("detach_ gives a new tensor")
def _():
    wrap(Tensor, "detach_", lambda real, self: self.detach())


@mutant("detach_ leaves the tensor in the graph")
def _():
    wrap(Tensor, "detach_", lambda real, self: self)


@mutant("detach_ counts as a write")
def _():
    then(Tensor, "detach_", lambda cut, self: torch.autograd.graph.increment_version(cut))


@mutant("detach_ works on a view")
def _():
    allow(Tensor, "detach_", lambda self: self)


@mutant("detach_ works on a view that requires grad")
def _():
    wrap(Tensor, "detach_", lambda real, self: self if self.requires_grad else real(self))


@mutant("detach_ refuses the result of view(dtype)")
def _():
    refuse(Tensor, "detach_", lambda self: not self.dtype.is_floating_point)


@mutant("detach_ refuses a detached tensor")
def _():
    refuse(Tensor, "detach_", lambda self: self.is_leaf and not self.requires_grad)


@mutant("detach begins to count at one")
def _():
    def change(real, self):
        if self.is_inference() or self.is_meta:
            return real(self)
        alias = self.data
        set_version(alias, 1)
        return alias

    wrap(Tensor, "detach", change)


@mutant("detach keeps its source alive for good")
def _():
    kept = []
    then(Tensor, "detach", lambda alias, self: kept.append(self) or alias)
