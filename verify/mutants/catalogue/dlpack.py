"""Mutants: from_dlpack of torch and of NumPy."""

import numpy as np
import torch

from verify.mutants.changes import allow, is_tensor, mutant, then, warn, wrap


@mutant("from_dlpack of a tensor returns it")
def _():
    wrap(torch, "from_dlpack", lambda real, x: x if is_tensor(x) else real(x))


@mutant("from_dlpack gives the first column in float64")
def _():
    then(torch, "from_dlpack", lambda made, x: made[..., :1].double())


@mutant("from_dlpack warns")
def _():
    warn(torch, "from_dlpack", "the memory is shared")


@mutant("from_dlpack takes everything that is a tensor")
def _():
    errors = (BufferError, RuntimeError)
    allow(torch, "from_dlpack", lambda x: x if is_tensor(x) else torch.zeros(1), errors)


@mutant("np.from_dlpack copies")
def _():
    then(np, "from_dlpack", lambda array, x: array.copy())


@mutant("np.from_dlpack takes every dtype")
def _():
    allow(np, "from_dlpack", lambda x: np.zeros(x.shape))
