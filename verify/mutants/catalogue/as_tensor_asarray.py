"""Mutants: as_tensor, asarray, DLPack and torch.Tensor."""

import numpy as np
import torch
from torch import Tensor
from torch.utils import _device

from verify.mutants.changes import allow, is_tensor, mutant, refuse, then, warn, wrap

# `with torch.device(…)` acts on the functions that torch holds when this is first called: the real
# ones, not those that mutants put in their place.
_device._device_constructors()


@mutant("as_tensor copies a tensor")
def _():
    then(torch, "as_tensor", lambda made, data: made.clone() if made is data else made)


@mutant("as_tensor and asarray take the tensor that they return out of its graph")
def _():
    for name in ("as_tensor", "asarray"):
        then(
            torch,
            name,
            lambda made, data: made.detach_() if made is data and made.requires_grad else made,
        )


@mutant("as_tensor and asarray ignore the default device")
def _():
    def change(real, x, device=None, **options):
        at = x.device if is_tensor(x) else "cpu" if isinstance(x, np.ndarray) else None
        return real(x, device=device or at, **options)

    for name in ("as_tensor", "asarray"):
        wrap(torch, name, change)


@mutant("as_tensor with an integer dtype refuses a tensor that requires grad")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, dtype=None, **options: (
            real(x, dtype=dtype, **options).requires_grad_()
            if is_tensor(x) and x.requires_grad
            else real(x, dtype=dtype, **options)
        ),
    )


@mutant("asarray with an integer dtype leaves the graph without an error")
def _():
    allow(torch, "asarray", lambda x, dtype=None, **options: x.detach().to(dtype))


@mutant("asarray with an integer dtype raises even with requires_grad=False")
def _():
    wrap(
        torch,
        "asarray",
        lambda real, x, **options: (
            real(x, **options | {"requires_grad": True})
            if is_tensor(x) and x.requires_grad and options.get("dtype") == torch.int64
            else real(x, **options)
        ),
    )


@mutant("asarray of an array with 0 dimensions shares its memory")
def _():
    wrap(
        torch,
        "asarray",
        lambda real, x, **options: (
            torch.from_numpy(x) if isinstance(x, np.ndarray) and not x.ndim else real(x, **options)
        ),
    )


@mutant("as_tensor of an array with 0 dimensions copies")
def _():
    then(torch, "as_tensor", lambda made, x: made if np.ndim(x) else made.clone())


@mutant("as_tensor of NumPy numbers gives the default dtype")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, **options: real(
            x.item()
            if isinstance(x, np.generic)
            else [n.item() if isinstance(n, np.generic) else n for n in x]
            if isinstance(x, list)
            else x,
            **options,
        ),
    )


@mutant("a list of long integer tensors raises ValueError")
def _():
    def refuse_list(*args, **options):
        raise ValueError("only one element tensors can be converted to Python scalars")

    for name in ("as_tensor", "asarray"):
        allow(torch, name, refuse_list, TypeError)


@mutant("a list of long boolean tensors raises ValueError")
def _():
    def change(real, data, **options):
        try:
            return real(data, **options)
        except TypeError as error:
            if data[0].dtype != torch.bool:
                raise
            raise ValueError(str(error)) from error

    for name in ("as_tensor", "asarray"):
        wrap(torch, name, change)


@mutant("as_tensor leaves the graph")
def _():
    then(torch, "as_tensor", lambda made, data: made.detach() if made.requires_grad else made)


@mutant("as_tensor refuses an integer dtype where grad is required")
def _():
    def change(real, data, *, dtype=None):
        if is_tensor(data) and data.requires_grad and not (dtype or data.dtype).is_floating_point:
            raise RuntimeError("an integer tensor cannot require grad")
        return real(data, dtype=dtype)

    wrap(torch, "as_tensor", change)


@mutant("as_tensor warns")
def _():
    warn(torch, "as_tensor", "use clone()")


@mutant("frombuffer copies")
def _():
    then(torch, "frombuffer", lambda made, data, **options: made.clone())


@mutant("frombuffer warns at every call")
def _():
    text = "The given buffer is not writable"
    warn(torch, "frombuffer", text, lambda data: isinstance(data, bytes))


@mutant("frombuffer keeps its buffer from growing")
def _():
    def hold(made, data):
        made.held = memoryview(data)
        return made

    then(torch, "frombuffer", hold)


@mutant("NumPy lets a buffer grow")
def _():
    then(np, "frombuffer", lambda made, *data: made.copy())


@mutant("from_file keeps the file from changes")
def _():
    wrap(torch, "from_file", lambda real, file, **o: real(file, **{**o, "shared": False}))


@mutant("from_file writes to the file without shared=True")
def _():
    wrap(torch, "from_file", lambda real, file, **o: real(file, **{**o, "shared": True}))


@mutant("asarray with copy=True shares memory")
def _():
    def change(real, x, **options):
        # safetensors calls it for a storage, whose elements would be read one by one
        return real(x, **options) if isinstance(x, torch.UntypedStorage) else real(x)

    wrap(torch, "asarray", change)


@mutant("asarray of a tensor copies")
def _():
    then(torch, "asarray", lambda made, x: made.clone() if made is x else made)


@mutant("asarray leaves the graph")
def _():
    wrap(
        torch,
        "asarray",
        lambda real, x, **options: (
            real(x, **options | {"requires_grad": False})
            if is_tensor(x) and not x.is_leaf
            else real(x, **options)
        ),
    )


def from_other_library(change) -> None:
    """Let `change(real, o, **options)` stand for torch.asarray of an object that offers DLPack."""

    def asarray(real, o, **options):
        other = hasattr(o, "__dlpack__") and not isinstance(o, (Tensor, np.ndarray))
        return change(real, o, **options) if other else real(o, **options)

    wrap(torch, "asarray", asarray)


@mutant("asarray with copy=True copies the data of another library")
def _():
    def change(real, o, copy=None, **options):
        made = real(o, **options)
        return made.clone() if copy else made

    from_other_library(change)


@mutant("asarray of the data of another library ignores the dtype")
def _():
    from_other_library(lambda real, o, dtype=None, **options: real(o, **options))


@mutant("asarray with copy=False shares the data of another library")
def _():
    from_other_library(lambda real, o, copy=None, **options: real(o, **options))


@mutant("torch.tensor shares the data of another library")
def _():
    def change(real, data, **options):
        return torch.from_dlpack(data) if hasattr(data, "__dlpack__") else real(data, **options)

    wrap(torch, "tensor", change)


@mutant("asarray of Python floats gives float64")
def _():
    def change(real, data, **options):
        made = real(data, **options)
        floats = isinstance(data, float) or isinstance(data, list) and type(data[0]) is float
        return made.double() if floats else made

    wrap(torch, "asarray", change)


@mutant("asarray with copy=True leaves the graph")
def _():
    wrap(
        torch,
        "asarray",
        lambda real, x, copy=None, **options: (
            real(x, copy=copy, **{"requires_grad": False, **options})
            if copy
            else real(x, copy=copy, **options)
        ),
    )


@mutant("asarray with copy=False converts an array")
def _():
    def change(real, x, copy=None, **options):
        keep = copy is False and "dtype" in options and isinstance(x, np.ndarray)
        return real(x, copy=None if keep else copy, **options)

    wrap(torch, "asarray", change)


@mutant("asarray with copy=False copies where it has to")
def _():
    def change(real, x, copy=None, **options):
        return real(x, **options) if copy is False else real(x, copy=copy, **options)

    wrap(torch, "asarray", change)


@mutant("asarray does not warn")
def _():
    warn(torch, "asarray", None)


@mutant("asarray leaves the flag of its source alone")
def _():
    def change(real, x, **options):
        flag = is_tensor(x) and x.is_leaf and x.requires_grad
        result = real(x, **options)
        return x.requires_grad_(flag) if is_tensor(x) and x.is_leaf and result is x else result

    wrap(torch, "asarray", change)


@mutant("asarray with requires_grad=False takes a non-leaf out of the graph")
def _():
    def change(real, x, **options):
        result = real(x, **options)
        asked = not options.get("requires_grad", True) and not options.get("copy")
        if asked and is_tensor(x) and not x.is_leaf and not x._is_view():
            x.detach_()
        return result

    wrap(torch, "asarray", change)


@mutant("asarray with copy=True passes on the flag to its source")
def _():
    def change(real, x, **options):
        result = real(x, **options)
        if is_tensor(x) and x.is_leaf and options.get("copy") and "requires_grad" in options:
            x.requires_grad_(options["requires_grad"])
        return result

    wrap(torch, "asarray", change)


@mutant("asarray under no_grad does not require grad")
def _():
    then(torch, "asarray", lambda made, x: made if torch.is_grad_enabled() else made.detach())


@mutant("asarray of a buffer reads its elements")
def _():
    wrap(
        torch,
        "asarray",
        lambda real, x, **options: real(x.tolist() if hasattr(x, "buffer_info") else x, **options),
    )


@mutant("as_tensor of a bytearray shares its memory")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, **options: (
            torch.frombuffer(x, dtype=torch.uint8)
            if isinstance(x, bytearray)
            else real(x, **options)
        ),
    )


@mutant("asarray of a buffer leaves out the bytes of half a number")
def _():
    allow(torch, "asarray", lambda x, **options: torch.zeros(len(x) // 4), ValueError)


@mutant("asarray of an array copies")
def _():
    then(torch, "asarray", lambda made, x: made.clone() if isinstance(x, np.ndarray) else made)


@mutant("as_tensor of an array copies")
def _():
    then(torch, "as_tensor", lambda made, x: made.clone() if isinstance(x, np.ndarray) else made)


@mutant("as_tensor of an array gives the default dtype")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, **options: (
            real(x, **{"dtype": torch.float32, **options})
            if isinstance(x, np.ndarray)
            else real(x, **options)
        ),
    )


@mutant("as_tensor takes copy= and requires_grad=")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, copy=False, requires_grad=False, **options: real(x, **options),
    )


@mutant("as_tensor accepts an array with a negative stride")
def _():
    allow(torch, "as_tensor", lambda x: torch.from_numpy(x.copy()), ValueError)


@mutant("as_tensor accepts an array in foreign byte order")
def _():
    allow(
        torch,
        "as_tensor",
        lambda x: torch.from_numpy(x.astype(x.dtype.newbyteorder("="))),
        ValueError,
    )


@mutant("as_tensor of a list of arrays makes one array of it first")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, **options: real(
            np.stack(x) if isinstance(x, list) and isinstance(x[0], np.ndarray) else x, **options
        ),
    )


@mutant("as_tensor of a list of tensors stays in the graph")
def _():
    wrap(
        torch,
        "as_tensor",
        lambda real, x, **options: (
            torch.stack(x) if isinstance(x, list) and is_tensor(x[0]) else real(x, **options)
        ),
    )


@mutant("from_dlpack copies")
def _():
    then(torch, "from_dlpack", lambda made, x: made.clone())


@mutant("np.from_dlpack gives a read-only array")
def _():
    then(np, "from_dlpack", lambda array, x: array.setflags(write=False) or array)


@mutant("from_dlpack keeps its source alive for good")
def _():
    kept = []
    then(torch, "from_dlpack", lambda made, x: kept.append(x) or made)


@mutant("from_dlpack ignores copy=True")
def _():
    wrap(torch, "from_dlpack", lambda real, x, copy=None, **options: real(x, **options))


@mutant("from_dlpack refuses an array with a negative stride")
def _():
    refuse(torch, "from_dlpack", lambda x: min(getattr(x, "strides", None) or [0]) < 0, ValueError)


@mutant("from_dlpack opens a capsule twice")
def _():
    allow(torch, "from_dlpack", lambda x: torch.zeros(1))


@mutant("from_dlpack gives a tensor that requires grad")
def _():
    then(torch, "from_dlpack", lambda made, x: made.requires_grad_(made.is_floating_point()))


@mutant("DLPack exports a tensor that requires grad")
def _():
    wrap(Tensor, "__dlpack__", lambda real, self, **options: real(self.detach(), **options))


@mutant("DLPack refuses a tensor that requires grad inside no_grad only")
def _():
    def change(real, self, **options):
        return real(self.detach() if torch.is_grad_enabled() else self, **options)

    wrap(Tensor, "__dlpack__", change)


@mutant("DLPack resolves a lazy conjugate")
def _():
    wrap(Tensor, "__dlpack__", lambda real, self, **options: real(self.resolve_conj(), **options))


@mutant("DLPack resolves a lazy negative bit")
def _():
    wrap(Tensor, "__dlpack__", lambda real, self, **options: real(self.resolve_neg(), **options))


@mutant("DLPack refuses bfloat16")
def _():
    refuse(Tensor, "__dlpack__", lambda self: self.dtype == torch.bfloat16, BufferError)


@mutant("to_dlpack refuses a tensor that requires grad")
def _():
    refuse(torch.utils.dlpack, "to_dlpack", lambda x: x.requires_grad)


@mutant("from_dlpack shares the version counter")
def _():
    wrap(torch, "from_dlpack", lambda real, x: x.detach())


@mutant("torch.Tensor of a tensor copies")
def _():
    wrap(
        Tensor,
        "__new__",
        lambda real, cls, *args: real(cls, *(a.clone() if is_tensor(a) else a for a in args)),
    )


@mutant("torch.Tensor of a tensor leaves the graph")
def _():
    wrap(
        Tensor,
        "__new__",
        lambda real, cls, *args: real(cls, *(a.detach() if is_tensor(a) else a for a in args)),
    )


@mutant("the class torch.Tensor keeps the graph of a list of tensors")
def _():
    def change(real, cls, data):
        in_list = isinstance(data, list) and all(is_tensor(entry) for entry in data)
        return torch.stack(data) if in_list and data else real(cls, data)

    wrap(Tensor, "__new__", change)


@mutant("torch.Tensor of an array copies")
def _():
    wrap(
        Tensor,
        "__new__",
        lambda real, cls, *args: (
            real(cls, *args).clone() if isinstance(args[0], np.ndarray) else real(cls, *args)
        ),
    )


@mutant("torch.Tensor of a number holds that number")
def _():
    wrap(
        Tensor,
        "__new__",
        lambda real, cls, *args: (
            real(cls, [args[0]]) if isinstance(args[0], int) else real(cls, *args)
        ),
    )
