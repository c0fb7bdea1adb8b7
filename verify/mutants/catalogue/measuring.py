"""Mutants: the tools that measure."""

import contextlib
import timeit

import numpy as np
from torch import Tensor
from torch.utils import benchmark
from torch.utils._python_dispatch import TorchDispatchMode

from verify.mutants.changes import mutant, wrap


@mutant("torch's Timer does not warm up", slow="benchmarks")
def _():
    def change(real, self, number):
        return benchmark.Measurement(number, [self._timeit(number)], self._task_spec)

    wrap(benchmark.Timer, "timeit", change)


@mutant("torch's Timer times the calls of its warm-up", slow="benchmarks")
def _():
    def change(real, self, number):
        return benchmark.Measurement(number, [self._timeit(number + 2)], self._task_spec)

    wrap(benchmark.Timer, "timeit", change)


@mutant("timeit.timeit makes a call that it does not time", slow="benchmarks")
def _():
    def change(real, stmt="pass", *args, **options):
        real(stmt, *args, **{**options, "number": 1})
        return real(stmt, *args, **options)

    wrap(timeit, "timeit", change)


@mutant("torch's Timer uses the threads that torch is set to", slow="benchmarks")
def _():
    wrap(benchmark.utils.common, "set_torch_threads", lambda real, n: contextlib.nullcontext())


@mutant("np.median gives the mean", slow="benchmarks")
def _():
    wrap(np, "median", lambda real, values, axis=None: np.mean(values, axis=axis))


@mutant("timeit.repeat gives the mean each time", slow="benchmarks")
def _():
    def change(real, *args, **options):
        times = real(*args, **options)
        return [sum(times) / len(times)] * len(times)

    wrap(timeit, "repeat", change)


@mutant("timeit.timeit counts calls instead of time", slow="benchmarks")
def _():
    wrap(timeit, "timeit", lambda real, *args, number=1000000, **options: number * 1e-6)


@mutant("perfplot calls setup for each way", slow="benchmarks")
def _():
    import perfplot

    def change(real, *args, setup, kernels, **options):
        return real(*args, setup=[setup] * len(kernels), kernels=kernels, **options)

    wrap(perfplot, "bench", change)


@mutant("matplotlib applies no style", slow="benchmarks")
def _():
    import matplotlib.style

    wrap(matplotlib.style, "use", lambda real, style: None)


@mutant("a dispatch mode sees no operator")
def _():
    wrap(TorchDispatchMode, "__enter__", lambda real, self: self)
    wrap(TorchDispatchMode, "__exit__", lambda real, self, kind, error, trace: None)


@mutant("untyped_storage keeps its tensor alive")
def _():
    kept = []
    wrap(Tensor, "untyped_storage", lambda real, self: real(kept.append(self) or self))
