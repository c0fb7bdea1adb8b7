"""Mutants: from_numpy."""

import torch

from verify.mutants.changes import allow, mutant, refuse, then, warn, wrap


@mutant("from_numpy copies")
def _():
    then(torch, "from_numpy", lambda made, a: made.clone())


@mutant("from_numpy gives the default dtype")
def _():
    then(torch, "from_numpy", lambda made, a: made.to(torch.get_default_dtype()))


@mutant("from_numpy gives float64")
def _():
    then(torch, "from_numpy", lambda made, a: made.to(torch.float64))


@mutant("from_numpy obeys the default device")
def _():
    then(torch, "from_numpy", lambda made, a: made.to(torch.get_default_device()))


@mutant("from_numpy gives a tensor that requires grad")
def _():
    then(torch, "from_numpy", lambda made, a: made.requires_grad_())


@mutant("from_numpy does not warn for a read-only array")
def _():
    warn(torch, "from_numpy", None)


@mutant("from_numpy warns each time for a read-only array")
def _():
    warn(torch, "from_numpy", "the array is read-only", lambda a: not a.flags.writeable)


@mutant("from_numpy refuses a read-only array")
def _():
    refuse(torch, "from_numpy", lambda a: not a.flags.writeable, ValueError)


@mutant("from_numpy copies a read-only array")
def _():
    then(torch, "from_numpy", lambda made, a: made if a.flags.writeable else made.clone())


@mutant("from_numpy accepts an array with a negative stride")
def _():
    allow(torch, "from_numpy", lambda a: torch.from_numpy(a.copy()), ValueError)


@mutant("from_numpy doubles the values of the array")
def _():
    def change(real, a):
        if a.flags.writeable and a.dtype.kind == "f":
            a *= 2
        return real(a)

    wrap(torch, "from_numpy", change)


@mutant("from_numpy makes a read-only array writable")
def _():
    then(torch, "from_numpy", lambda made, a: a.setflags(write=True) or made)


@mutant("from_numpy keeps its array alive for good")
def _():
    kept = []
    then(torch, "from_numpy", lambda made, a: kept.append(a) or made)


@mutant("from_numpy of a slice shares the storage of the whole array")
def _():
    def change(real, a):
        if a.base is None or a.ndim != 1 or not a.flags.c_contiguous or a.base.ndim != 1:
            return real(a)
        start = (a.ctypes.data - a.base.ctypes.data) // a.itemsize
        return real(a.base)[start : start + len(a)]

    wrap(torch, "from_numpy", change)
