"""Mutants: processes and loaders."""

import multiprocessing.queues
import sys
import traceback

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

from verify.mutants.changes import mutant, put, refuse, then, wrap, wrap_property


@mutant("share_memory_ does nothing")
def _():
    wrap(Tensor, "share_memory_", lambda real, self: self)


@mutant("share_memory_ gives a new tensor")
def _():
    wrap(Tensor, "share_memory_", lambda real, self: real(self.clone()))


@mutant("share_memory_ loses the values")
def _():
    def change(real, self):
        if not self.is_shared():
            real(self).detach().zero_()
        return real(self)

    wrap(Tensor, "share_memory_", change)


@mutant("share_memory_ copies each time")
def _():
    def change(real, self):
        if self.is_shared():
            self.set_(self.clone())
        return real(self)

    wrap(Tensor, "share_memory_", change)


@mutant("a clone of shared memory is shared")
def _():
    then(Tensor, "clone", lambda clone, self: clone.share_memory_() if self.is_shared() else clone)


@mutant("share_memory of a module leaves the buffers")
def _():
    def change(real, self):
        for parameter in self.parameters():
            parameter.share_memory_()
        return self

    wrap(torch.nn.Module, "share_memory", change)


@mutant("a queue sends a copy of the storage")
def _():
    kept = []

    def change(real, self):
        kept.append(self.clone())  # its file closes with it
        return real(kept[-1])

    wrap(torch.UntypedStorage, "_share_fd_cpu_", change)


@mutant("a queue accepts a non-leaf")
def _():
    def read_for_queue(read, self):
        return read(self) or sys._getframe(2).f_code.co_name == "reduce_tensor"

    wrap_property(Tensor, "is_leaf", read_for_queue)


@mutant("tensors wait in a file of their own, not with their sender")
def _():
    put(torch.multiprocessing, "get_sharing_strategy", lambda: "file_system")


@mutant("the memory of a sent tensor is never found")
def _():
    refuse(torch.multiprocessing.reductions, "rebuild_storage_fd", lambda *args: True)


@mutant("an array goes through a queue as a tensor")
def _():
    def change(real, self, value):
        return real(self, torch.from_numpy(value) if isinstance(value, np.ndarray) else value)

    wrap(multiprocessing.queues.SimpleQueue, "put", change)


@mutant("put of a queue with a thread raises")
def _():
    refuse(
        multiprocessing.queues.Queue,
        "put",
        lambda self, value: isinstance(value, Tensor) and not value.is_leaf,
    )


@mutant("a queue with a thread loses a tensor silently")
def _():
    put(traceback, "print_exc", lambda: None)


@mutant("a forked worker has the memory of the data set")
def _():
    def change(real, self):
        if self.num_workers and isinstance(getattr(self.dataset, "data", None), Tensor):
            self.dataset.data.share_memory_()
        return real(self)

    wrap(torch.utils.data.DataLoader, "__iter__", change)


@mutant("a loader ignores persistent_workers")
def _():
    wrap(
        torch.utils.data.DataLoader,
        "__init__",
        lambda real, self, *args, persistent_workers=False, **options: real(self, *args, **options),
    )


@mutant("a loader leaves out a sample that it has given")
def _():
    wrap(
        torch.utils.data.sampler.BatchSampler,
        "__iter__",
        lambda real, self: iter(dict.fromkeys(map(tuple, real(self)))),
    )


@mutant("a loader copies the batches of its workers")
def _():
    then(
        torch.utils.data.dataloader._MultiProcessingDataLoaderIter,
        "_next_data",
        lambda batch, self: tree_map_only(Tensor, Tensor.clone, batch),
    )


@mutant("a loader copies what collate_fn gives")
def _():
    then(
        torch.utils.data._utils.fetch._MapDatasetFetcher,
        "fetch",
        lambda batch, self, index: batch.clone() if isinstance(batch, Tensor) else batch,
    )


@mutant("TensorDataset copies its tensors")
def _():
    def change(real, self, *tensors):
        real(self, *(tensor.clone() for tensor in tensors))

    wrap(torch.utils.data.TensorDataset, "__init__", change)


@mutant("a loader does not copy a batch of one")
def _():
    wrap(
        torch.utils.data._utils.collate,
        "default_collate",
        lambda real, batch: batch[0][None] if len(batch) == 1 else real(batch),
    )


@mutant("a worker makes its batches in ordinary memory")
def _():
    put(torch.utils.data, "get_worker_info", lambda: None)


@mutant("a batch is made in shared memory without a worker")
def _():
    put(torch.utils.data, "get_worker_info", lambda: True)


@mutant("a worker makes an array's batch in ordinary memory")
def _():
    wrap(
        torch.utils.data,
        "default_collate",
        lambda real, batch: (
            torch.as_tensor(np.stack(batch)) if isinstance(batch[0], np.ndarray) else real(batch)
        ),
    )


@mutant("torch.stack in a worker gives shared memory")
def _():
    def after(result, tensors):
        return result.share_memory_() if torch.utils.data.get_worker_info() else result

    then(torch, "stack", after)


@mutant("a loader without batches copies")
def _():
    then(torch.utils.data._utils.collate, "default_convert", lambda sample, data: sample.clone())


@mutant("mul writes in place")
def _():
    wrap(Tensor, "mul", lambda real, self, other: self.mul_(other))
