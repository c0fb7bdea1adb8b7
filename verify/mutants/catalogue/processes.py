"""Mutants: processes and loaders."""

import multiprocessing

import torch
from torch import Tensor

from verify.mutants.changes import mutant, then, wrap, wrap_property


@mutant("share_memory_ does nothing")
def _():
    wrap(Tensor, "share_memory_", lambda real, self: self)


@mutant("share_memory_ gives a new tensor")
def _():
    wrap(Tensor, "share_memory_", lambda real, self: real(self.clone()))


@mutant("a queue sends a copy of the storage")
def _():
    wrap(torch.UntypedStorage, "_share_fd_cpu_", lambda real, self: real(self.clone()))


@mutant("a queue accepts a non-leaf")
def _():
    wrap_property(
        Tensor, "is_leaf", lambda read, self: read(self) or not multiprocessing.parent_process()
    )


@mutant("a loader does not copy a batch of one")
def _():
    wrap(
        torch.utils.data._utils.collate,
        "default_collate",
        lambda real, batch: batch[0][None] if len(batch) == 1 else real(batch),
    )


@mutant("a loader without batches copies")
def _():
    then(torch.utils.data._utils.collate, "default_convert", lambda sample, data: sample.clone())


@mutant("mul writes in place")
def _():
    wrap(Tensor, "mul", lambda real, self, other: self.mul_(other))
