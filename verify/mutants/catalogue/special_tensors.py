"""Mutants: tensors of other kinds."""

import torch
from torch import Tensor

from verify.mutants.changes import allow, mutant, put, refuse, then, wrap


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


@mutant("an uncoalesced tensor gives its values")
def _():
    allow(Tensor, "values", lambda self: self._values())


@mutant("an uncoalesced tensor gives its indices")
def _():
    allow(Tensor, "indices", lambda self: self._indices())


@mutant("_values() of a sparse tensor copies")
def _():
    then(Tensor, "_values", lambda values, self: values.clone())


@mutant("_indices() of a sparse tensor copies")
def _():
    then(Tensor, "_indices", lambda indices, self: indices.clone())


@mutant("sparse_coo_tensor copies")
def _():
    then(torch, "sparse_coo_tensor", lambda s, *args: s.clone())


@mutant("sparse_coo_tensor copies the indices")
def _():
    wrap(
        torch,
        "sparse_coo_tensor",
        lambda real, indices, values, size: real(torch.as_tensor(indices).clone(), values, size),
    )


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


@mutant("contiguous of a lazy conjugate returns it")
def _():
    wrap(Tensor, "contiguous", lambda real, self: self if self.is_conj() else real(self))


@mutant("contiguous resolves a lazy conjugate")
def _():
    wrap(Tensor, "contiguous", lambda real, self: real(self.resolve_conj()))


@mutant("float of a quantized tensor dequantizes")
def _():
    wrap(
        Tensor,
        "float",
        lambda real, self: self.dequantize() if self.is_quantized else real(self),
    )


@mutant("torch.save refuses float8")
def _():
    refuse(
        torch,
        "save",
        lambda value, file: getattr(value, "dtype", None) is torch.float8_e4m3fn,
        TypeError,
    )


@mutant("resolve_conj clears the bit and leaves the numbers")
def _():
    def after(result, self):
        return torch.conj_physical(result) if self.is_conj() else result

    then(Tensor, "resolve_conj", after)


@mutant("the clone of a sparse tensor holds zeros")
def _():
    def after(result, self, **options):
        return result if result.layout == torch.strided else result * 0

    then(Tensor, "clone", after)
