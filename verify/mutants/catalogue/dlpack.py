"""Mutants: from_dlpack of torch and of NumPy."""

import numpy as np
import torch

from verify.mutants.changes import is_tensor, mutant, then, warn, wrap


@mutant("from_dlpack of a tensor returns it")
def _():
    wrap(torch, "from_dlpack", lambda real, x: x if is_tensor(x) else real(x))


@mutant("from_dlpack warns")
def _():
    warn(torch, "from_dlpack", "the memory is shared")


@mutant("np.from_dlpack copies")
def _():
    then(np, "from_dlpack", lambda array, x: array.copy())
