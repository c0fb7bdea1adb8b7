"""Mutants: grad modes."""

import contextlib

import torch
from torch import Tensor

from verify.mutants.changes import in_mode, mutant, then, wrap


@mutant("no_grad records operations", slow=True)
def _():
    wrap(
        torch.no_grad, "__enter__", lambda real, self: (real(self), torch.set_grad_enabled(True))[0]
    )


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
