"""Mutants: what as_tensor makes of lists, numbers, buffers and arrays; asarray of a leaf."""

import numpy as np
import torch

from verify.mutants.changes import is_tensor, mutant, then, wrap


@mutant("as_tensor gives float64")
def _():
    then(torch, "as_tensor", lambda made, data: made.double())


@mutant("as_tensor of an array makes a list of it first")
def _():
    def change(real, x, **options):
        return real(x.tolist() if isinstance(x, np.ndarray) else x, **options)

    wrap(torch, "as_tensor", change)


@mutant("asarray of a leaf does not require grad")
def _():
    then(torch, "asarray", lambda made, x: made.detach() if is_tensor(x) and x.is_leaf else made)


@mutant("np.array copies a tensor in C order")
def _():
    then(np, "array", lambda made, x: np.ascontiguousarray(made) if is_tensor(x) else made)
