"""Mutants: numpy, its force flag, __array__, and arithmetic of tensors and arrays."""

import warnings

import numpy as np
import torch
from torch import Tensor

from verify.mutants.changes import (
    allow,
    is_tensor,
    marked,
    mutant,
    raise_other,
    refuse,
    set_version,
    then,
    warn,
    wrap,
)


@mutant("numpy copies")
def _():
    then(Tensor, "numpy", lambda array, self: array.copy())


@mutant("numpy copies a transposed tensor")
def _():
    def change(array, self):
        transposed = self.dim() == 2 and not self.is_contiguous() and self.t().is_contiguous()
        return array.copy(order="K") if transposed else array

    then(Tensor, "numpy", change)


@mutant("numpy accepts a tensor that requires grad")
def _():
    wrap(Tensor, "numpy", lambda real, self, **options: real(self.detach(), **options))


@mutant("numpy refuses a tensor that requires grad under no_grad as well")
def _():
    def change(real, self, force=False):
        with torch.enable_grad():
            return real(self, force=force)

    wrap(Tensor, "numpy", change)


@mutant("numpy gives an array in C order", slow=True)
def _():
    then(Tensor, "numpy", lambda array, self: np.ascontiguousarray(array).reshape(array.shape))


@mutant("numpy gives an array that can be filled though it is read-only")
def _():
    class Array(np.ndarray):
        def fill(self, value):
            self.flags.writeable and super().fill(value)

    then(Tensor, "numpy", lambda array, self: array.view(Array))


@mutant("numpy of a 0-dim tensor gives a number")
def _():
    then(Tensor, "numpy", lambda array, self: array[()])


@mutant("numpy gives float64")
def _():
    then(
        Tensor,
        "numpy",
        lambda array, self: array.astype(np.float64) if array.dtype == np.float32 else array,
    )


@mutant("numpy resolves a lazy conjugate itself")
def _():
    wrap(Tensor, "numpy", lambda real, self, **options: real(self.resolve_conj(), **options))


@mutant("numpy accepts bfloat16")
def _():
    wrap(
        Tensor,
        "numpy",
        lambda real, self, **options: real(
            self.float() if self.dtype == torch.bfloat16 else self, **options
        ),
    )


@mutant("numpy with force=True copies")
def _():
    wrap(
        Tensor,
        "numpy",
        lambda real, self, force=False: real(self, force=force).copy() if force else real(self),
    )


@mutant("numpy with force=True accepts bfloat16")
def _():
    wrap(
        Tensor,
        "numpy",
        lambda real, self, force=False: real(
            self.float() if force and self.dtype == torch.bfloat16 else self, force=force
        ),
    )


@mutant("numpy ignores force=True")
def _():
    wrap(Tensor, "numpy", lambda real, self, force=False: real(self))


@mutant("numpy of a tensor on another device gives an empty array")
def _():
    wrap(
        Tensor,
        "numpy",
        lambda real, self, **options: np.empty(0) if self.is_meta else real(self, **options),
    )


@mutant("numpy checks requires_grad before the device")
def _():
    refuse(Tensor, "numpy", lambda self: self.is_meta and self.requires_grad)


@mutant("numpy raises ValueError")
def _():
    raise_other(Tensor, "numpy", ValueError)


@mutant("numpy raises with another message")
def _():
    raise_other(Tensor, "numpy")


@mutant("numpy gives an array that keeps nothing alive")
def _():
    then(
        Tensor,
        "numpy",
        lambda array, self: (
            np.ndarray(array.shape, array.dtype, array.copy().data, 0, array.strides)
            if array.flags.c_contiguous
            else array
        ),
    )


@mutant("numpy keeps the graph alive")
def _():
    kept = []
    wrap(Tensor, "detach", lambda real, self: marked(real(self), source=self))
    then(Tensor, "numpy", lambda array, self: kept.append(self) or array)


@mutant("a write to an array moves the version counter")
def _():
    then(
        Tensor,
        "numpy",
        lambda array, self: self.data.is_meta or set_version(self, self._version + 1) or array,
    )


@mutant("np.asarray copies a tensor")
def _():
    wrap(Tensor, "__array__", lambda real, self, *args, **options: np.array(real(self, *args)))


@mutant("np.array shares the memory of a tensor")
def _():
    wrap(np, "array", lambda real, x, **options: x.numpy() if is_tensor(x) else real(x, **options))


@mutant("np.array does not warn for a tensor")
def _():
    warn(np, "array", None)


@mutant("resolve_conj shares memory")
def _():
    wrap(Tensor, "resolve_conj", lambda real, self: self.conj() if self.is_conj() else self)


@mutant("conj copies")
def _():
    wrap(Tensor, "conj", lambda real, self: real(self).resolve_conj())


@mutant("an array in front of a tensor is converted")
def _():
    for kind in ("add", "sub", "mul", "floordiv", "mod", "pow", "matmul"):
        name = f"__r{kind}__"
        wrap(
            Tensor,
            name,
            lambda real, self, other: (
                real(self, torch.as_tensor(other))
                if isinstance(other, np.ndarray)
                else real(self, other)
            ),
        )


@mutant("an array behind a tensor is refused")
def _():
    refuse(Tensor, "__array_wrap__", lambda *args: True, TypeError)


@mutant("some operators refuse an array behind a tensor")
def _():
    for name in ("__floordiv__", "__mod__", "__pow__", "__matmul__"):
        refuse(Tensor, name, lambda a, b: isinstance(b, np.ndarray), TypeError)


@mutant("a tensor that requires grad meets no array under no_grad either")
def _():
    for name in ("__mul__", "__matmul__"):
        refuse(Tensor, name, lambda a, b: a.requires_grad and isinstance(b, np.ndarray))


@mutant("a tensor that requires grad may meet an array")
def _():
    def change(real, self, other):
        array = isinstance(other, np.ndarray)
        return real(self.detach(), torch.from_numpy(other)) if array else real(self, other)

    for name in ("__mul__", "__matmul__"):
        wrap(Tensor, name, change)


def with_tensor(*names: str) -> None:
    """Let these operators of a tensor take an array for the tensor that shares its memory."""

    def change(real, self, other):
        array = isinstance(other, np.ndarray)
        return real(self, torch.from_numpy(other) if array else other)

    for name in names:
        wrap(Tensor, name, change)


@mutant("!= of a tensor and an array compares the elements")
def _():
    with_tensor("__ne__")


@mutant("== of a tensor and an array is False")
def _():
    wrap(
        Tensor,
        "__eq__",
        lambda real, self, other: not isinstance(other, np.ndarray) and real(self, other),
    )


@mutant("== of a tensor and an array is true for all elements")
def _():
    def change(real, self, other):
        return (
            torch.ones_like(self, dtype=bool)
            if isinstance(other, np.ndarray)
            else real(self, other)
        )

    wrap(Tensor, "__eq__", change)


@mutant("< and > of a tensor and an array compare the elements")
def _():
    with_tensor("__lt__", "__le__", "__gt__", "__ge__")


@mutant("an array can be added in place")
def _():
    with_tensor("__iadd__")


@mutant("an array can be subtracted and multiplied in place")
def _():
    with_tensor("__isub__", "__imul__", "__itruediv__")


@mutant("an array is subtracted from an array")
def _():
    def change(real, self, other):
        return self.numpy() - other if isinstance(other, np.ndarray) else real(self, other)

    wrap(Tensor, "__isub__", change)


@mutant("a bool of NumPy comes back as a bool")
def _():
    def change(real, self, array, *args):
        return torch.from_numpy(array) if array.dtype == bool else real(self, array, *args)

    wrap(Tensor, "__array_wrap__", change)


@mutant("a tensor plus an array is an array")
def _():
    wrap(Tensor, "__array_wrap__", lambda real, self, array, *args: array)


@mutant("functions of torch accept arrays")
def _():
    for name in ("sin", "add", "mm", "norm"):
        wrap(
            torch,
            name,
            lambda real, *args: real(
                *(torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args)
            ),
        )


@mutant("a NumPy number times a tensor leaves the graph")
def _():
    wrap(
        Tensor,
        "__rmul__",
        lambda real, self, other: (
            real(self.detach(), other) if isinstance(other, np.generic) else real(self, other)
        ),
    )
    wrap(Tensor, "__array__", lambda real, self, *args: real(self.detach(), *args))


@mutant("a tensor that shares with an array can grow")
def _():
    allow(Tensor, "resize_", lambda self, *shape: self)


@mutant("a resize_ that raises leaves the shape")
def _():
    def change(real, self, *size):
        shape, strides = self.shape, self.stride()
        try:
            return real(self, *size)
        except RuntimeError:
            self.as_strided_(shape, strides)
            raise

    wrap(Tensor, "resize_", change)


@mutant("np.from_dlpack stops resize_")
def _():
    wrap(np, "from_dlpack", lambda real, x: x.numpy() if is_tensor(x) else real(x))


@mutant("a tensor can grow when nobody keeps its array")
def _():
    wrap(
        Tensor,
        "numpy",
        lambda real, self: np.from_dlpack(self) if self.numel() == 2 else real(self),
    )


@mutant("NumPy's functions take a tensor")
def _():
    for name in ("mean", "sum", "std", "var", "max", "min", "prod"):
        wrap(np, name, lambda real, a: real(a.detach().cpu().numpy() if is_tensor(a) else a))


@mutant("numpy adds a dimension")
def _():
    then(Tensor, "numpy", lambda array, self: array[None])


@mutant("numpy of a 0-dim tensor has one dimension")
def _():
    then(Tensor, "numpy", lambda array, self: array if array.ndim else array.reshape(1))


@mutant("numpy gives integers as int64")
def _():
    kinds = (torch.int16, torch.uint8)
    then(
        Tensor,
        "numpy",
        lambda array, self: array.astype(np.int64) if self.dtype in kinds else array,
    )


@mutant("np.asarray warns")
def _():
    warn(np, "asarray", "this shares memory")


@mutant("an operator with an array warns of something else")
def _():
    def change(real, self, array, context=None, return_scalar=False):
        warnings.warn("this result is a tensor", FutureWarning, stacklevel=2)
        return real(self, array)

    wrap(Tensor, "__array_wrap__", change)


@mutant("an operator with an array writes into the tensor")
def _():
    def change(real, self, array, *args):
        warnings.warn("the tensor is changed", DeprecationWarning, stacklevel=2)
        self.detach().copy_(torch.from_numpy(array))
        return self.detach()

    wrap(Tensor, "__array_wrap__", change)


@mutant("an operator with an array gives a tensor on the memory of the array")
def _():
    def change(real, self, other):
        if not isinstance(other, np.ndarray):
            return real(self, other)
        warnings.warn("the memory is shared", DeprecationWarning, stacklevel=2)
        return torch.from_numpy(other)

    for name in ("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__"):
        wrap(Tensor, name, change)


@mutant("a NumPy number times a tensor is outside the graph")
def _():
    def change(real, self, other):
        return real(self.detach() if isinstance(other, np.generic) else self, other)

    wrap(Tensor, "__rmul__", change)


@mutant("numpy gives the elements backwards")
def _():
    then(Tensor, "numpy", lambda array, self: array[::-1] if array.ndim else array)


@mutant("the array of a tensor is not copied by copy()")
def _():
    class Array(np.ndarray):
        def copy(self, order="C"):
            return self

    then(Tensor, "numpy", lambda array, self: array.view(Array))
