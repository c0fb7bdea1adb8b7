"""Mutants: .data."""

import contextlib
import warnings

import torch
from torch import Tensor

from verify.mutants.changes import mutant, set_version, warner, wrap_property


@mutant(".data shares the version counter")
def _():
    wrap_property(Tensor, "data", lambda read, self: self.detach())


@mutant(".data copies")
def _():
    wrap_property(Tensor, "data", lambda read, self: read(self).clone())


@mutant(".data stays in the graph")
def _():
    wrap_property(Tensor, "data", lambda read, self: self.view_as(self))


@mutant(".data keeps requires_grad")
def _():
    wrap_property(Tensor, "data", lambda read, self: read(self).requires_grad_(self.requires_grad))


@mutant(".data returns its source")
def _():
    wrap_property(Tensor, "data", lambda read, self: self)


@mutant(".data warns when it is read")
def _():
    def read(real, self):
        warnings.warn(".data is deprecated", stacklevel=3)
        return real(self)

    wrap_property(Tensor, "data", read)


@mutant(".data warns once in a process when it is read")
def _():
    note = warner(".data is deprecated")

    def read(real, self):
        note()
        return real(self)

    wrap_property(Tensor, "data", read)


@mutant("assigning .data copies the values")
def _():
    def write(put, self, value):
        with torch.no_grad():
            self.copy_(value)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data fills the old memory as well")
def _():
    def write(put, self, value):
        version = self._version
        if self.shape == value.shape:
            self.detach().copy_(value)
        put(self, value)
        set_version(self, version)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data sets what reaches the tensor in backward to zero")
def _():
    def write(real, self, value):
        real(self, value)
        if self.requires_grad:
            self.register_hook(torch.zeros_like)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data warns")
def _():
    def write(put, self, value):
        warnings.warn("assigning .data is deprecated", stacklevel=3)
        put(self, value)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data moves the version counter")
def _():
    wrap_property(
        Tensor,
        "data",
        None,
        lambda put, self, new: (put(self, new), set_version(self, self._version + 1)),
    )


@mutant("assigning .data starts the version counter again")
def _():
    wrap_property(
        Tensor, "data", None, lambda put, self, new: (put(self, new), set_version(self, 0))
    )


@mutant("assigning .data takes over the version counter of the new tensor")
def _():
    new = {}

    def write(put, self, value):
        put(self, value)
        new[id(self)] = self, value

    def version(real, self):
        return real(new[id(self)][1] if id(self) in new else self)

    wrap_property(Tensor, "data", None, write)
    wrap_property(Tensor, "_version", version)


@mutant("assigning .data takes requires_grad from the new tensor")
def _():
    def write(put, self, value):
        put(self, value)
        if self.is_leaf:
            self.requires_grad = value.requires_grad

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data accepts integers where grad is required")
def _():
    wrap_property(Tensor, "data", None, lambda put, self, new: put(self, new.to(self.dtype)))


@mutant("assigning .data refuses another shape")
def _():
    def write(put, self, value):
        if self.shape != value.shape:
            raise RuntimeError("another shape")
        put(self, value)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data never raises")
def _():
    def write(set_, self, value):
        with contextlib.suppress(RuntimeError):
            set_(self, value)

    wrap_property(Tensor, "data", None, write)
