"""Mutants: many tensors at once, and threads."""

import threading

import torch
from torch import Tensor
from torch.nn import utils
from torch.utils._python_dispatch import TorchDispatchMode

from verify.mutants.catalogue.speed import wait
from verify.mutants.changes import is_tensor, mutant, then, wrap


def is_turned(source: object) -> bool:
    return is_tensor(source) and source.dim() == 2 and not source.is_contiguous()


def busy_elsewhere() -> None:
    """Let another thread use a processor."""
    other = threading.Thread(target=wait, args=(5e-2,))
    other.start()
    other.join()


@mutant("_foreach_copy_ is a loop of copy_", slow="benchmarks")
def _():
    def change(real, copies, sources):
        for copy, source in zip(copies, sources, strict=True):
            copy.copy_(source)
            copy.copy_(source)

    wrap(torch, "_foreach_copy_", change)


@mutant("_foreach_copy_ takes no time", slow="benchmarks")
def _():
    wrap(torch, "_foreach_copy_", lambda real, copies, sources: None)


@mutant("a copy of many elements takes 20 ms more", slow="benchmarks")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: (self.numel() == 100_000 and wait(2e-2), real(self, source))[1],
    )


@mutant("a dispatch mode sees each operator twice", slow="benchmarks")
def _():
    def change(real, self):
        real(self)
        see = type(self).__torch_dispatch__

        def twice(mode, operator, types, args=(), kwargs=None):
            mode.names.append(operator.overloadpacket.__name__)
            return see(mode, operator, types, args, kwargs)

        type(self).__torch_dispatch__ = twice
        return self

    wrap(TorchDispatchMode, "__enter__", change)


@mutant("vector_to_parameters copies", slow="benchmarks")
def _():
    wrap(utils, "vector_to_parameters", lambda real, flat, to: real(flat.clone(), to))


@mutant("parameters_to_vector doubles the values", slow="benchmarks")
def _():
    then(utils, "parameters_to_vector", lambda flat, parameters: flat * 2)


@mutant("load_state_dict and steps give parameters new memory", slow="benchmarks")
def _():
    def renewed(result, self, *args):
        parameters = (
            self.parameters()
            if isinstance(self, torch.nn.Module)
            else [p for group in self.param_groups for p in group["params"]]
        )
        for parameter in parameters:
            parameter.data = parameter.data.clone()
        return result

    then(torch.nn.Module, "load_state_dict", renewed)
    then(torch.optim.SGD, "step", renewed)


@mutant("double keeps the memory of parameters", slow="benchmarks")
def _():
    wrap(torch.nn.Module, "double", lambda real, self: self)


@mutant("torch has one thread", slow="benchmarks")
def _():
    wrap(torch, "set_num_threads", lambda real, number: real(1))


@mutant("other threads take part in each copy", slow="benchmarks")
def _():
    def change(real, self, source):
        if self.numel() in (1_000, 32_768, 2048**2):
            busy_elsewhere()
        return real(self, source)

    wrap(Tensor, "copy_", change)
    wrap(Tensor, "contiguous", lambda real, self: (busy_elsewhere(), real(self))[1])


@mutant("a copy of a transposed matrix takes 300 ms more", slow="benchmarks")
def _():
    def change(real, self, source):
        return (is_turned(source) and wait(0.3), real(self, source))[1]

    wrap(Tensor, "copy_", change)


@mutant("a copy into a transposed matrix gives other values", slow="benchmarks")
def _():
    def change(real, self, source):
        result = real(self, source)
        return result.zero_() if is_turned(self) else result

    wrap(Tensor, "copy_", change)
