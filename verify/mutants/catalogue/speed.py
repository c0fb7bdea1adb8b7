"""Mutants: speed."""

import math
import time

import numpy as np
import torch
from torch import Tensor

from verify.mutants.changes import is_tensor, marked, mutant, nodes_behind, then, wrap


def wait(seconds: float) -> bool:
    """Keep the processor busy; sleeping would take longer than this.

    By the clock of the thread, by which the proofs measure: it stands still while another program
    has the core.
    """
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return True


@mutant("copying an array takes longer", slow="benchmarks")
def _():
    then(Tensor, "numpy", lambda array, self: array.view(SlowArray))


class SlowArray(np.ndarray):
    """Takes 50 µs more for a copy."""

    def copy(self):
        wait(5e-5)
        return np.array(self, subok=False)


@mutant("copying much into memory in use takes longer", slow="benchmarks")
def _():
    def change(real, to, source):
        return (math.prod(to.shape) > 2**20 and wait(5e-2), real(to, source))[1]

    wrap(Tensor, "copy_", change)
    wrap(np, "copyto", change)


@mutant("clone takes longer outside the graph", slow="benchmarks")
def _():
    wrap(Tensor, "clone", lambda real, self: (self.requires_grad or wait(5e-5), real(self))[1])


@mutant("detach of a clone takes longer", slow="benchmarks")
def _():
    then(Tensor, "clone", lambda copy, self: marked(copy, is_clone=True))
    wrap(
        Tensor,
        "detach",
        lambda real, self: (hasattr(self, "is_clone") and wait(5e-5), real(self))[1],
    )


@mutant("clone of a large leaf takes twice the time", slow="benchmarks")
def _():
    def change(real, self):
        if self.requires_grad and self.numel() >= 2**20:
            real(self)
        return real(self)

    wrap(Tensor, "clone", change)


@mutant("clone takes longer with every operation behind its source", slow="benchmarks")
def _():
    wrap(
        Tensor, "clone", lambda real, self: (wait(1e-7 * len([*nodes_behind(self)])), real(self))[1]
    )


@mutant("new_tensor and torch.tensor of a tensor take no time", slow="benchmarks")
def _():
    def change(real, *args, **options):
        return args[-1] if is_tensor(args[-1]) else real(*args, **options)

    wrap(torch, "tensor", change)
    wrap(Tensor, "new_tensor", change)


@mutant("torch copies the arrays of NumPy", slow="benchmarks")
def _():
    then(Tensor, "numpy", lambda array, self: array.view(CopiedByTorch))


class CopiedByTorch(np.ndarray):
    """Has torch make a copy, in memory of torch."""

    def copy(self):
        return torch.from_numpy(self.view(np.ndarray)).clone().numpy()
