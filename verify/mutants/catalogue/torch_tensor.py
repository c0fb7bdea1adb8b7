"""Mutants: torch.tensor."""

import warnings

import numpy as np
import torch

from verify.mutants.changes import allow, for_tensors, is_tensor, mutant, raise_other, warn, wrap


@mutant("torch.tensor of a tensor shares memory")
def _():
    for_tensors(torch, "tensor", lambda data, made: data.detach())


@mutant("torch.tensor of a tensor stays in the graph")
def _():
    for_tensors(torch, "tensor", lambda data, made: data.clone())


@mutant("torch.tensor of a leaf keeps requires_grad")
def _():
    def change(data, made):
        return made.requires_grad_() if data.is_leaf and data.requires_grad else made

    for_tensors(torch, "tensor", change)


@mutant("torch.tensor of a tensor gives a contiguous tensor")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.contiguous())


@mutant("torch.tensor of a tensor gives the default dtype")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.to(torch.get_default_dtype()))


@mutant("torch.tensor of a tensor keeps the subclass")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.as_subclass(type(data)))


@mutant("torch.tensor of a tensor ignores requires_grad=True")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.detach())


@mutant("torch.tensor of a tensor with requires_grad=True shares memory")
def _():
    for_tensors(
        torch,
        "tensor",
        lambda data, made: data.detach().requires_grad_() if made.requires_grad else made,
    )


@mutant("torch.tensor does not warn", slow=True)
def _():
    warn(torch, "tensor", None)


@mutant("torch.tensor warns once only")
def _():
    def change(real, *args, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = real(*args, **options)
        for warning in caught[: 0 if change.warned else 1]:
            warnings.warn(warning.message, stacklevel=3)
            change.warned = True
        return result

    change.warned = False
    wrap(torch, "tensor", change)


@mutant("torch.tensor warns with another text")
def _():
    warn(torch, "tensor", "use clone()", lambda *args: False)


@mutant("torch.tensor warns for lists, numbers and arrays as well")
def _():
    warn(torch, "tensor", "torch.tensor copies")


@mutant("torch.tensor of a list of tensors stays in the graph")
def _():
    def change(real, data, **options):
        return (
            torch.stack(data)
            if isinstance(data, list) and is_tensor(data[0])
            else real(data, **options)
        )

    wrap(torch, "tensor", change)


@mutant("torch.tensor of a list accepts tensors with more than one element")
def _():
    allow(torch, "tensor", lambda data: torch.stack(data), ValueError)


@mutant("torch.tensor of an array shares memory")
def _():
    wrap(
        torch,
        "tensor",
        lambda real, data, **options: (
            torch.from_numpy(data) if isinstance(data, np.ndarray) else real(data, **options)
        ),
    )


@mutant("torch.tensor accepts an array with a negative stride")
def _():
    allow(torch, "tensor", lambda data: torch.from_numpy(data.copy()), ValueError)


@mutant("torch.tensor raises with another message")
def _():
    raise_other(torch, "tensor")
