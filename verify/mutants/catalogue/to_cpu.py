"""Mutants: cpu, to and conversions of dtype."""

import copy

import torch
from torch import Tensor
from torch.nn import Module

from verify.mutants.changes import (
    in_mode,
    is_tensor,
    marked,
    mutant,
    refuse,
    then,
    unscaled,
    warn,
    wrap,
)


@mutant("to copies even if nothing changes")
def _():
    then(Tensor, "to", lambda result, self, *args: result.clone() if result is self else result)


@mutant("to takes cpu:0 for cpu")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, *args, **options: real(
            self, *("cpu" if a == "cpu:0" else a for a in args if a is not None), **options
        ),
    )


@mutant("a second to cpu:0 returns its source")
def _():
    def change(real, self, *args, **options):
        if "cpu:0" not in args:
            return real(self, *args, **options)
        if hasattr(self, "was_copied"):
            return self
        return marked(real(self, *args, **options), was_copied=True)

    wrap(Tensor, "to", change)


@mutant("to empties its source")
def _():
    def change(real, self, *args, **options):
        result = real(self, *args, **options)
        if result is not self:
            self.data.zero_()
        return result

    wrap(Tensor, "to", change)


@mutant("cpu copies a tensor on the CPU")
def _():
    then(Tensor, "cpu", lambda result, self: result.clone() if result is self else result)


@mutant("float and double copy even if nothing changes")
def _():
    for name in ("float", "double"):
        then(Tensor, name, lambda result, self: result.clone() if result is self else result)


@mutant("to ignores copy=True")
def _():
    wrap(
        Tensor, "to", lambda real, self, *args, copy=False, **options: real(self, *args, **options)
    )


@mutant("to with copy=True leaves the graph")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, *args, copy=False, **options: real(
            self.detach() if copy else self, *args, copy=copy, **options
        ),
    )


@mutant("to leaves the graph")
def _():
    then(Tensor, "to", lambda result, self, *args: result if result is self else result.detach())


@mutant("double and half leave the graph")
def _():
    for name in ("double", "half"):
        then(Tensor, name, lambda result, self: result if result is self else result.detach())


@mutant("to changes the tensor in place")
def _():
    then(
        Tensor,
        "to",
        lambda result, self, *args: (
            marked(self, data=result.detach())
            if result.device == self.device and not self.requires_grad
            else result
        ),
    )


@mutant("to ignores the dtype")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, *args, **options: real(
            self, *(a for a in args if not isinstance(a, torch.dtype)), **options
        ),
    )


@mutant("to takes the device from a tensor, but not the dtype")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, other, *args, **options: real(
            self, other.device if is_tensor(other) else other, *args, **options
        ),
    )


@mutant("to with an integer dtype warns")
def _():
    warn(Tensor, "to", "no gradients", lambda self, dtype: dtype == torch.int64)


@mutant("int and bool warn")
def _():
    for name in ("int", "bool"):
        warn(Tensor, name, "no gradients", lambda self: self.requires_grad)


@mutant("to with an integer dtype refuses a tensor that requires grad")
def _():
    refuse(Tensor, "to", lambda self, dtype, *args: self.requires_grad and dtype == torch.int64)


@mutant("to is recorded under no_grad as well")
def _():
    in_mode(Tensor, "to", torch.enable_grad)


@mutant("to under no_grad never requires grad")
def _():
    then(
        Tensor,
        "to",
        lambda result, self, *args: result if torch.is_grad_enabled() else result.detach(),
    )


@mutant("to gives a leaf")
def _():
    then(
        Tensor,
        "to",
        lambda result, self, *args: (
            result if result is self else result.detach().requires_grad_(result.requires_grad)
        ),
    )


@mutant("to doubles the gradient")
def _():
    then(
        Tensor, "to", lambda result, self, *args: result if result is self else unscaled(result, 2)
    )


@mutant("to frees the graph of its source")
def _():
    wrap(Tensor, "to", lambda real, self, *args, **options: real(self.detach(), *args, **options))


@mutant("Module.to returns a new module")
def _():
    wrap(Module, "to", lambda real, self, *args: real(copy.deepcopy(self), *args))


@mutant("a converted module has new parameters")
def _():
    wrap(torch.__future__, "get_overwrite_module_params_on_conversion", lambda real: True)


@mutant("a converted module keeps its buffers")
def _():
    def change(real, self, *args):
        before = dict(self._buffers)
        result = real(self, *args)
        for name, buffer in before.items():
            if not self._buffers[name].is_meta:
                buffer.data = self._buffers[name].data
                self._buffers[name] = buffer
        return result

    wrap(Module, "to", change)


@mutant("a module on the way to meta keeps its parameters")
def _():
    wrap(Module, "to", lambda real, self, *args: self if "meta" in args else real(self, *args))


@mutant("Module.double does nothing")
def _():
    wrap(Module, "double", lambda real, self: self)


@mutant("to takes the tensor itself along")
def _():
    def after(result, self, *args):
        if result is not self and not self.requires_grad:
            torch.utils.swap_tensors(self, copy.copy(result))
        return result

    then(Tensor, "to", after)


@mutant("to of another tensor stays on its device")
def _():
    def change(real, self, other):
        return real(self, other.dtype if is_tensor(other) else other)

    wrap(Tensor, "to", change)


@mutant("cpu gives an alias of a tensor on the CPU")
def _():
    then(Tensor, "cpu", lambda result, self: self.view_as(self) if result is self else result)


@mutant("to with copy=True gives an alias outside the graph")
def _():
    def change(real, self, *args, copy=False, **options):
        return self.detach() if copy else real(self, *args, **options)

    wrap(Tensor, "to", change)


@mutant("double, half and float give zeros")
def _():
    for name in ("double", "half", "float"):
        then(Tensor, name, lambda copy, self: copy if copy is self else copy * 0)
