"""Mutants: requires_grad, leaves and .grad."""

import warnings

import torch
from torch import Tensor

from verify.mutants.changes import (
    allow,
    leaf_that_requires_grad,
    mutant,
    raise_other,
    refuse,
    then,
    wrap,
    wrap_property,
)


@mutant("requires_grad_ returns a new tensor")
def _():
    wrap(Tensor, "requires_grad_", lambda real, self, *args: real(self.detach(), *args))


@mutant("requires_grad_(False) drops the gradient in .grad")
def _():
    def after(result, self, flag=True):
        if not flag:
            result.grad = None
        return result

    then(Tensor, "requires_grad_", after)


@mutant("requires_grad_ does nothing")
def _():
    wrap(Tensor, "requires_grad_", lambda real, self, *args: self)


@mutant("requires_grad_ refuses a non-leaf")
def _():
    refuse(Tensor, "requires_grad_", lambda self, *args: not self.is_leaf)


@mutant("requires_grad of a non-leaf can be assigned")
def _():
    wrap_property(
        Tensor,
        "requires_grad",
        None,
        lambda put, self, flag: put(self, flag) if self.is_leaf else None,
    )


@mutant("requires_grad of a leaf cannot be assigned")
def _():
    wrap_property(Tensor, "requires_grad", None, lambda put, self, flag: None)


@mutant("assigning requires_grad raises with another message")
def _():
    def write(put, self, flag):
        try:
            put(self, flag)
        except RuntimeError:
            raise RuntimeError("this is not possible") from None

    wrap_property(Tensor, "requires_grad", None, write)


@mutant("is_leaf is False without requires_grad")
def _():
    wrap_property(Tensor, "is_leaf", lambda read, self: read(self) and self.requires_grad)


@mutant("is_leaf is True for every tensor")
def _():
    wrap_property(Tensor, "is_leaf", lambda read, self: True)


@mutant("is_leaf is False for every tensor that requires grad")
def _():
    wrap_property(Tensor, "is_leaf", lambda read, self: not self.requires_grad)


@mutant("a comparison requires grad")
def _():
    wrap(Tensor, "__gt__", lambda real, self, other: self * real(self, other))


@mutant(".grad of a non-leaf is filled")
def _():
    def read(get, self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.ones_like(self) if get(self) is None and self.grad_fn else get(self)

    wrap_property(Tensor, "grad", read)


@mutant(".grad of a plain tensor is filled with zeros")
def _():
    wrap_property(
        Tensor,
        "grad",
        lambda get, self: get(self) if self.requires_grad else torch.zeros_like(self),
    )


@mutant(".grad of a leaf starts with zeros")
def _():
    wrap_property(
        Tensor,
        "grad",
        lambda get, self: (
            torch.zeros_like(self)
            if leaf_that_requires_grad(self) and get(self) is None
            else get(self)
        ),
    )


def grad_warning(text: str | None) -> None:
    """Let reading .grad of a non-leaf warn with another text, or not at all."""

    def read(get, self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = get(self)
        if text and not self.is_leaf and result is None:
            warnings.warn(text, stacklevel=3)
        return result

    wrap_property(Tensor, "grad", read)


@mutant("reading .grad of a non-leaf does not warn")
def _():
    grad_warning(None)


@mutant("reading .grad of a non-leaf warns with another text")
def _():
    grad_warning("this tensor is no leaf")


@mutant("retain_grad does nothing")
def _():
    wrap(Tensor, "retain_grad", lambda real, self: None)


@mutant("retain_grad accepts a tensor that does not require grad")
def _():
    allow(Tensor, "retain_grad", lambda self: None)


@mutant("retain_grad refuses a leaf")
def _():
    refuse(Tensor, "retain_grad", leaf_that_requires_grad)


@mutant("retain_grad brings back a gradient that is gone")
def _():
    then(
        Tensor,
        "retain_grad",
        lambda result, self: None if self.is_leaf else setattr(self, "grad", torch.ones_like(self)),
    )


@mutant("retain_grad makes a leaf")
def _():
    wrap(
        Tensor,
        "retain_grad",
        lambda real, self: self.requires_grad and self.detach_().requires_grad_(),
    )


@mutant("retain_grad raises with another message")
def _():
    raise_other(Tensor, "retain_grad")


@mutant("retain_grad marks a leaf as retaining")
def _():
    wrap_property(Tensor, "retains_grad", lambda read, self: True)


@mutant("backward ignores inputs=")
def _():
    wrap(
        Tensor,
        "backward",
        lambda real, self, *args, inputs=None, **options: real(self, *args, **options),
    )


@mutant("hooks are not called")
def _():
    wrap(Tensor, "register_hook", lambda real, self, hook: None)


@mutant("a hook of a view is one of its base as well")
def _():
    def change(real, self, hook):
        if self._is_view():
            real(self._base, hook)
        return real(self, hook)

    wrap(Tensor, "register_hook", change)


@mutant("a hook of a clone is not called")
def _():
    def change(real, self, hook):
        return None if "CloneBackward" in str(self.grad_fn) else real(self, hook)

    wrap(Tensor, "register_hook", change)


@mutant("hooks cannot change a gradient")
def _():
    wrap(
        Tensor,
        "register_hook",
        lambda real, self, hook: real(self, lambda gradient: hook(gradient) and None),
    )


@mutant("a hook that returns None stops the gradient")
def _():
    def change(real, self, hook):
        def always(gradient):
            new = hook(gradient)
            return gradient * 0 if new is None else new

        return real(self, always)

    wrap(Tensor, "register_hook", change)


@mutant("hooks of a leaf get each path on its own")
def _():
    def change(real, self, hook):
        return real(
            self, lambda g: [hook(g - 1), hook(g - 2)][:0] or None if self.is_leaf else hook(g)
        )

    wrap(Tensor, "register_hook", change)


@mutant("requires_grad_(False) takes a non-leaf out of the graph")
def _():
    allow(Tensor, "requires_grad_", lambda self, flag: self.detach_())
