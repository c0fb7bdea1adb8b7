"""Mutants: new_tensor and its relatives."""

import torch
from torch import Tensor

from verify.mutants.changes import (
    allow,
    for_tensors,
    is_tensor,
    mutant,
    put,
    then,
    warn,
    warner,
    wrap,
)


@mutant("new_tensor takes the dtype from a tensor as data")
def _():
    for_tensors(Tensor, "new_tensor", lambda data, made: made.to(data.dtype))


@mutant("new_tensor takes the dtype from a list as data")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, **options: real(
            self,
            data,
            **({"dtype": torch.float32} | options if isinstance(data, (list, float)) else options),
        ),
    )


@mutant("new_tensor shares memory with its data")
def _():
    for_tensors(
        Tensor, "new_tensor", lambda data, made: data.detach() if data.dtype == made.dtype else made
    )


@mutant("new_tensor takes the device from a tensor as data")
def _():
    for_tensors(
        Tensor,
        "new_tensor",
        lambda data, made: made if made.device == data.device else data.clone(),
    )


@mutant("new_tensor puts a list on the default device")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, **options: (
            real(self, data, **{"device": "cpu", **options})
            if isinstance(data, list)
            else real(self, data, **options)
        ),
    )


@mutant("new_tensor puts a list on a default device that was set")
def _():
    def change(real, self, data, **options):
        if isinstance(data, list) and torch.get_default_device().type != "cpu":
            options = {"device": torch.get_default_device(), **options}
        return real(self, data, **options)

    wrap(Tensor, "new_tensor", change)


@mutant("new_tensor stays in the graph", slow=True)
def _():
    for_tensors(
        Tensor,
        "new_tensor",
        lambda data, made: data.to(made.dtype, copy=True) if made.device == data.device else made,
    )


@mutant("new_tensor takes requires_grad from its pattern")
def _():
    then(
        Tensor,
        "new_tensor",
        lambda made, self, data: made.requires_grad_(made.requires_grad or self.requires_grad),
    )


@mutant("new_tensor takes requires_grad from a leaf as data")
def _():
    for_tensors(
        Tensor,
        "new_tensor",
        lambda data, made: made.requires_grad_() if data.is_leaf and data.requires_grad else made,
    )


@mutant("new_tensor ignores requires_grad=True")
def _():
    then(Tensor, "new_tensor", lambda made, self, data: made.detach())


@mutant("new_tensor with requires_grad=True shares memory with its data")
def _():
    for_tensors(
        Tensor,
        "new_tensor",
        lambda data, made: (
            data.detach().requires_grad_()
            if made.requires_grad and made.dtype == data.dtype
            else made
        ),
    )


@mutant("new_tensor with requires_grad=True accepts an integer pattern")
def _():
    allow(Tensor, "new_tensor", lambda self, data: self.clone())


@mutant("new_tensor does not warn")
def _():
    warn(Tensor, "new_tensor", None)


@mutant("new_tensor warns with another text")
def _():
    warn(Tensor, "new_tensor", "use clone()", lambda *args: False)


@mutant("new_tensor warns for lists and numbers as well")
def _():
    warn(Tensor, "new_tensor", "new_tensor copies")


@mutant("new_tensor warns for lists and numbers once in a process")
def _():
    note = warner("To copy construct from a tensor")

    def change(real, self, data, **options):
        if not is_tensor(data):
            note()
        return real(self, data, **options)

    wrap(Tensor, "new_tensor", change)


@mutant("new_tensor takes the dtype by position")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, dtype=None, **options: real(self, data, dtype=dtype, **options),
    )


@mutant("new_tensor ignores dtype=")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, *, dtype=None, **options: real(self, data, **options),
    )


@mutant("new_tensor accepts layout= and pin_memory=")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, layout=None, pin_memory=False, **options: real(
            self, data, **options
        ),
    )


@mutant("new_tensor exists as a function of torch")
def _():
    put(torch, "new_tensor", lambda x, data: x.new_tensor(data))


@mutant("new_zeros, new_ones and new_full take the default dtype")
def _():
    for name in ("new_zeros", "new_ones", "new_full"):
        then(Tensor, name, lambda made, *args: made.to(torch.get_default_dtype()))


@mutant("new_empty and new_zeros take the default device")
def _():
    for name in ("new_empty", "new_zeros"):
        wrap(Tensor, name, lambda real, self, shape: real(self, shape, device="cpu"))


@mutant("new_full rounds to the nearest integer")
def _():
    wrap(Tensor, "new_full", lambda real, self, shape, value: real(self, shape, round(value)))


@mutant("zeros_like makes one element")
def _():
    wrap(torch, "zeros_like", lambda real, x: real(x)[:1])


@mutant("new_tensor writes into its pattern, too")
def _():
    def after(made, self, data):
        if made.shape == self.shape and not self.requires_grad:
            self.copy_(made)
        return made

    then(Tensor, "new_tensor", after)


@mutant("new_tensor documents no layout=")
def _():
    real = Tensor.new_tensor

    def new_tensor(self, *args, **options):
        """new_tensor(data, *, dtype=None) -> Tensor"""
        return real(self, *args, **options)

    put(Tensor, "new_tensor", new_tensor)
