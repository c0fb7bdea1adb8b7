"""Mutants: grad modes."""

import contextlib
import copy

import torch
from torch import Tensor

from verify.mutants.changes import allow, in_mode, mutant, refuse, then, wrap


@mutant("no_grad records operations", slow=True)
def _():
    wrap(
        torch.no_grad, "__enter__", lambda real, self: (real(self), torch.set_grad_enabled(True))[0]
    )


@mutant("exp under no_grad gives a leaf that requires grad")
def _():
    then(
        Tensor, "exp", lambda made, self: made if torch.is_grad_enabled() else made.requires_grad_()
    )


@mutant("a piece of unsafe_split under no_grad requires grad")
def _():
    then(Tensor, "unsafe_split", lambda pieces, *args: [p.requires_grad_() for p in pieces])


@mutant("deepcopy under no_grad does not require grad")
def _():
    then(copy, "deepcopy", lambda made, x: made if torch.is_grad_enabled() else made.detach())


@mutant("torch.load under no_grad does not require grad")
def _():
    then(torch, "load", lambda made, f: made if torch.is_grad_enabled() else made.detach())


@mutant("an inference tensor cannot be divided outside inference mode")
def _():
    refuse(
        Tensor,
        "__truediv__",
        lambda t, number: t.is_inference() and not torch.is_inference_mode_enabled(),
    )


@mutant("a matrix product converts the second tensor")
def _():
    allow(Tensor, "__matmul__", lambda a, b: a @ b.to(a.dtype))


@mutant("no_grad ignores requires_grad=True")
def _():
    wrap(
        torch,
        "ones",
        lambda real, *args, requires_grad=False, **options: real(
            *args, requires_grad=requires_grad and torch.is_grad_enabled(), **options
        ),
    )


@mutant("a view made under no_grad does not require grad")
def _():
    for name in ("view", "__getitem__", "t", "view_as"):
        then(Tensor, name, lambda view, *args: view if torch.is_grad_enabled() else view.detach())


@mutant("a view made under no_grad is connected to its base")
def _():
    for name in ("view", "__getitem__", "t", "view_as"):
        in_mode(Tensor, name, torch.enable_grad)


@mutant("inference_mode is no_grad")
def _():
    wrap(torch, "inference_mode", lambda real, mode=True: torch.set_grad_enabled(not mode))


@mutant("inference_mode(False) changes nothing")
def _():
    wrap(
        torch,
        "inference_mode",
        lambda real, mode=True: real(mode) if mode else contextlib.nullcontext(),
    )


@mutant("an in-place change that an inference tensor refuses is not made")
def _():
    def change(real, self, *args, **options):
        if self.is_inference() and not torch.is_inference_mode_enabled():
            self[:0].zero_()  # raises, and writes nothing
        return real(self, *args, **options)

    wrap(Tensor, "add_", change)


@mutant("an inference tensor can be changed in place under no_grad")
def _():
    allow(Tensor, "add_", lambda self, *args: self)


@mutant("a write through the alias of an inference tensor is refused")
def _():
    wrap(
        Tensor,
        "detach",
        lambda real, self: torch.ops.aten.alias(self) if self.is_inference() else real(self),
    )


@mutant("from_numpy in inference mode gives a normal tensor")
def _():
    in_mode(torch, "from_numpy", lambda: torch.inference_mode(False))


@mutant("copy.copy in inference mode gives a normal tensor")
def _():
    in_mode(copy, "copy", lambda: torch.inference_mode(False))


@mutant("exp in inference mode gives a normal tensor")
def _():
    in_mode(Tensor, "exp", lambda: torch.inference_mode(False))


@mutant("a module is converted outside of inference mode")
def _():
    in_mode(torch.nn.Module, "double", lambda: torch.inference_mode(False))


@mutant("an inference weight gets a gradient")
def _():
    def change(real, self, x):
        return torch.nn.functional.linear(x, self.weight.clone(), self.bias)

    wrap(torch.nn.Linear, "forward", change)


@mutant("load_state_dict with assign=True copies in inference mode")
def _():
    def change(real, self, state, assign=False):
        return real(self, state)

    wrap(torch.nn.Module, "load_state_dict", change)
