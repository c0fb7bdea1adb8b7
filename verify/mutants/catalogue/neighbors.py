"""Mutants: a behavior changed for one neighbor alone, such as a dtype, a shape or an optimizer.

A proof that runs one case, while its sentence speaks of all, does not notice such a change.
"""

import copy
import warnings

import torch
from torch import Tensor
from torch.nn import Module

from verify.mutants.changes import IN_PLACE, is_tensor, mutant, refuse, then, wrap


@mutant("copy_ broadcasts a destination of one row")
def _():
    def change(real, self, source):
        for size, of_source in zip(self.shape, source.shape, strict=False):
            if size == 1 < of_source and self.dim() == source.dim():
                source = source[-1:]
        return real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("an assignment ignores one extra dimension of size 1 alone")
def _():
    def change(self, index, value):
        return is_tensor(value) and value.dim() - self.dim() > 1

    refuse(Tensor, "__setitem__", change)


@mutant("a copy of a generator begins with its seed")
def _():
    def after(result, value):
        if isinstance(value, torch.Generator):
            result.manual_seed(value.initial_seed())
        return result

    then(copy, "copy", after)


@mutant("from_numpy copies a slice of an array")
def _():
    wrap(torch, "from_numpy", lambda real, a: real(a if a.base is None else a.copy()))


@mutant("the transpose of a matrix, made in no_grad, is recorded")
def _():
    def change(real, self):
        with torch.set_grad_enabled(torch.is_grad_enabled() or self.dim() == 2):
            return real(self)

    wrap(Tensor, "t", change)


@mutant("stack cuts the first tensor off the graph")
def _():
    wrap(torch, "stack", lambda real, tensors: real([tensors[0].detach(), *tensors[1:]]))


@mutant("pad_sequence cuts the first tensor off the graph")
def _():
    def change(real, tensors, batch_first=False):
        return real([tensors[0].detach(), *tensors[1:]], batch_first=batch_first)

    wrap(torch.nn.utils.rnn, "pad_sequence", change)


@mutant("Adam puts a new tensor into a parameter")
def _():
    def change(real, self):
        before = [(p, p.data) for group in self.param_groups for p in group["params"]]
        for p, values in before:
            p.data = values.clone()
        return real(self)

    wrap(torch.optim.Adam, "step", change)


@mutant("a fused Adam moves the version counters, other fused optimizers do not")
def _():
    def after(result, self):
        with torch.no_grad():
            for p in (p for group in self.param_groups for p in group["params"] if group["fused"]):
                p.add_(0)
        return result

    then(torch.optim.Adam, "step", after)


@mutant("copy.copy refuses complex128")
def _():
    def unfit(value):
        return is_tensor(value) and value.dtype == torch.complex128

    refuse(copy, "copy", unfit, AttributeError)


@mutant("a conversion to bfloat16 leaves the graph")
def _():
    then(Tensor, "bfloat16", lambda result, self: result.detach())


@mutant("cpu() copies a tensor that requires grad")
def _():
    then(Tensor, "cpu", lambda result, self: result.clone() if self.requires_grad else result)


@mutant("as_tensor warns and copies what does not require grad")
def _():
    def change(real, data, dtype=None, device=None):
        result = real(data, dtype=dtype, device=device)
        if is_tensor(data) and not data.requires_grad:
            warnings.warn("as_tensor was given a tensor", stacklevel=3)
            return result.clone()
        return result

    wrap(torch, "as_tensor", change)


@mutant("load_state_dict makes new parameters of the dtypes that fit")
def _():
    def after(result, self, state):
        for module in self.modules():
            for name, p in list(module._parameters.items()):
                if p is not None and p.dtype == torch.float32:
                    new = torch.nn.Parameter(p.detach().clone(), p.requires_grad)
                    module._parameters[name] = new
        return result

    then(Module, "load_state_dict", after)


@mutant("only a product in place under no_grad moves the version counter")
def _():
    def change(real, self, *args):
        quiet = not torch.is_grad_enabled() and self.is_leaf and self.requires_grad
        real(self.data if quiet else self, *args)
        return self

    for name in set(IN_PLACE) - {"mul_", "__imul__", "__setitem__", "__iadd__", "__isub__"}:
        wrap(Tensor, name, change)


@mutant("a sum with the number 0.0 is the tensor itself")
def _():
    def change(real, self, other):
        return self if isinstance(other, float) and other == 0 else real(self, other)

    wrap(Tensor, "__radd__", change)


@mutant("a NumPy float64 beside a tensor that requires grad is refused")
def _():
    def unfit(self, other):
        return type(other).__name__ == "float64" and self.requires_grad

    refuse(Tensor, "__rmul__", unfit)


@mutant("a post-accumulate hook goes into a deep copy")
def _():
    def after(result, value):
        hooks = getattr(value, "_post_accumulate_grad_hooks", None) if is_tensor(value) else None
        for hook in (hooks or {}).values():
            result.register_post_accumulate_grad_hook(hook)
        return result

    then(copy, "deepcopy", after)


@mutant("a loss has a storage of its own size")
def _():
    for name in ("mse_loss", "smooth_l1_loss", "soft_margin_loss", "binary_cross_entropy"):
        then(torch.nn.functional, name, lambda result, *args: result.clone())


@mutant("a loss has a storage with room for its input")
def _():
    def after(result, predicted, *args):
        room = predicted.detach().new_empty(predicted.numel())
        return room[0].copy_(result) if result.dim() == 0 else result

    for name in ("l1_loss", "binary_cross_entropy_with_logits"):
        then(torch.nn.functional, name, after)
