"""Mutants: tensors of other kinds."""

import torch
from torch import Tensor

from verify.mutants.changes import allow, mutant, put, then, wrap


@mutant("tensors cannot be hashed")
def _():
    put(Tensor, "__hash__", None)


@mutant("tensors have names")
def _():
    put(Tensor, "names", ())


@mutant("values() of a sparse tensor copies")
def _():
    then(Tensor, "values", lambda values, self: values.clone())


@mutant("a sparse tensor has a storage")
def _():
    allow(
        Tensor, "untyped_storage", lambda self: self.values().untyped_storage(), NotImplementedError
    )


@mutant("sparse_coo_tensor copies")
def _():
    then(torch, "sparse_coo_tensor", lambda s, *args: s.clone())


@mutant("coalesce shares memory")
def _():
    wrap(Tensor, "coalesce", lambda real, self: self)


@mutant("a write to a lazy conjugate is stored as it is")
def _():
    wrap(
        Tensor,
        "__setitem__",
        lambda real, self, index, value: real(
            self.conj() if self.is_conj() else self, index, value
        ),
    )
