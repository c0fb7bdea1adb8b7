"""The values in a chain: where it starts, what one step does, and what can be seen afterwards."""

import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

# What x is, before the line. Its shape is 2×3, that of images 2×3×2×2.
SOURCES = {
    "plain": "a plain tensor",
    "parameter": "a parameter",
    "result": "the result of an operation",
    "slice": "a slice of a plain tensor",
    "array": "a NumPy array",
    "images": "a plain tensor of shape 2×3×2×2",
    "images_last": "one of shape 2×3×2×2 in channels_last",
}
IMAGES = (2, 3, 2, 2)
DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "complex64": torch.complex64,
    "int64": torch.int64,
    "bool": torch.bool,
}

# One step each: how it is written, `v` for what stands before it, and what it does.
STEPS: dict[str, Callable] = {
    "v.clone()": lambda v: v.clone(),
    "v.detach()": lambda v: v.detach(),
    "v.data": lambda v: v.data,
    "v.cpu()": lambda v: v.cpu(),
    "v.to('cpu', copy=True)": lambda v: v.to("cpu", copy=True),
    "v.float()": lambda v: v.float(),
    "v.double()": lambda v: v.double(),
    "v.half()": lambda v: v.half(),
    "v.bfloat16()": lambda v: v.bfloat16(),
    "v.long()": lambda v: v.long(),
    "v.numpy()": lambda v: v.numpy(),
    "v.numpy(force=True)": lambda v: v.numpy(force=True),
    "np.array(v)": lambda v: np.array(v),
    "np.asarray(v)": lambda v: np.asarray(v),
    "v.copy()": lambda v: v.copy(),
    "torch.from_numpy(v)": lambda v: torch.from_numpy(v),
    "torch.as_tensor(v)": lambda v: torch.as_tensor(v),
    "torch.asarray(v)": lambda v: torch.asarray(v),
    "torch.tensor(v)": lambda v: torch.tensor(v),
    "v.new_tensor(v)": lambda v: v.new_tensor(v),
    "torch.from_dlpack(v)": lambda v: torch.from_dlpack(v),
    "copy.deepcopy(v)": lambda v: copy.deepcopy(v),
    "copy.copy(v)": lambda v: copy.copy(v),
    "v.contiguous()": lambda v: v.contiguous(),
    "v.clone(memory_format=torch.contiguous_format)": lambda v: v.clone(
        memory_format=torch.contiguous_format
    ),
    "v.contiguous(memory_format=torch.channels_last)": lambda v: v.contiguous(
        memory_format=torch.channels_last
    ),
    "v.to(memory_format=torch.channels_last)": lambda v: v.to(memory_format=torch.channels_last),
    "v.view(-1)": lambda v: v.view(-1),
    "v.reshape(-1)": lambda v: v.reshape(-1),
    "v.flatten()": lambda v: v.flatten(),
    "v[0]": lambda v: v[0],
    "v[[0, 1]]": lambda v: v[[0, 1]],
    "v[1:3]": lambda v: v[1:3],
    "v[::2]": lambda v: v[::2],
    "v[:, 1:]": lambda v: v[:, 1:],
    "v[..., 0]": lambda v: v[..., 0],
    "v[None]": lambda v: v[None],
    "v.t()": lambda v: v.t(),
    "v.expand(2, -1, -1)": lambda v: v.expand(2, -1, -1),
    "v.requires_grad_()": lambda v: v.requires_grad_(),
    "v.requires_grad_(False)": lambda v: v.requires_grad_(False),
    "v.detach_()": lambda v: v.detach_(),
    "nn.Parameter(v)": lambda v: nn.Parameter(v),
    "v * 2": lambda v: v * 2,
    "v.tolist()": lambda v: v.tolist(),
    "v.item()": lambda v: v.item(),
}

# Other ways to write a step; only the attribute that a message names is another one.
ALIASES = {
    "v.to('cpu')": "v.cpu()",
    "v.to(torch.float32)": "v.float()",
    "v.to(torch.float64)": "v.double()",
    "v.to(torch.float16)": "v.half()",
    "v.to(torch.bfloat16)": "v.bfloat16()",
    "v.to(torch.int64)": "v.long()",
    "v[1:]": "v[1:3]",
    "v[:, 0]": "v[..., 0]",
    "torch.utils.dlpack.from_dlpack(v)": "torch.from_dlpack(v)",
    "torch.nn.Parameter(v)": "nn.Parameter(v)",
    "2 * v": "v * 2",
}
# Slices are tried on a contiguous value of shape 2×3 alone: the elements that each one picks of it.
SLICES = {
    "v[1:3]": (3, 4, 5),
    "v[::2]": (0, 1, 2),
    "v[:, 1:]": (1, 2, 4, 5),
    "v[..., 0]": (0, 3),
    "v[None]": (0, 1, 2, 3, 4, 5),
}
SLICED = (2, 3), (3, 1)  # that shape, and its strides
# Steps with ever new layouts: they are tried only where the layout is one that x of shape 2×3 leads
# to without a slice.
MANY = ("v[[0, 1]]", "v.t()", "v.expand(2, -1, -1)")
# A list can grow without end; of it only what makes a tensor or an array again, or copies it.
OF_LISTS = ("np.array(v)", "np.asarray(v)", "torch.tensor(v)", "torch.as_tensor(v)")
OF_LISTS += ("torch.asarray(v)", "copy.deepcopy(v)", "copy.copy(v)", "v[0]")


def source(kind: str, dtype: str) -> object:
    """Return x."""
    count = {"slice": 12, "images": 24, "images_last": 24}.get(kind, 6)
    x = torch.arange(count).to(DTYPES[dtype])
    if kind.startswith("images"):
        x = x.reshape(IMAGES)
        return x.contiguous(memory_format=torch.channels_last) if "last" in kind else x.clone()
    if kind == "slice":
        return x.reshape(4, 3).clone()[1:3]
    x = x.reshape(2, 3).clone()
    if kind == "parameter":
        return nn.Parameter(x)
    if kind == "result":
        return x.requires_grad_() * 1
    return x.numpy().copy() if kind == "array" else x


def possible(kind: str, dtype: str) -> bool:
    """Tell whether there is such an x; images are learned in one dtype."""
    if kind.startswith("images"):
        return dtype == "float32"
    if kind == "array":
        return dtype != "bfloat16"
    return kind not in ("parameter", "result") or dtype not in ("int64", "bool")


def extent(value: object) -> tuple[int, int]:
    """Return the first byte of the memory behind a value and the byte after the last."""
    if isinstance(value, Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    if isinstance(value, np.ndarray):
        return np.lib.array_utils.byte_bounds(value)
    return 0, 0


def shares(a: object, b: object) -> bool:
    """Tell whether two values use the same memory."""
    (a0, a1), (b0, b1) = extent(a), extent(b)
    return a0 < b1 and b0 < a1


def reaches(value: object, x: object) -> bool:
    """Tell whether gradients of the value reach x."""
    if not isinstance(value, Tensor) or not value.requires_grad or not isinstance(x, Tensor):
        return False
    if value is x:
        return True
    if not x.requires_grad or value.grad_fn is None:
        return False
    edge = torch.autograd.graph.get_gradient_edge(x)
    seen, todo = set(), [value.grad_fn]
    while todo:
        node = todo.pop()
        if node == edge.node:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return False


def state(value: object, x: object) -> tuple:
    """Return what can be seen of a value. Moves version counters, so it is asked once."""
    if isinstance(value, np.ndarray):
        strides = tuple(step // value.itemsize for step in value.strides)
        writeable = int(value.flags.writeable)
        layout = value.shape, strides, 0, value.size
        return "array", str(value.dtype), layout, shares(value, x), value is x, writeable
    if not isinstance(value, Tensor):
        leaves, shape = value, []
        while isinstance(leaves, list):
            shape.append(len(leaves))
            leaves = leaves[0]
        name = type(leaves).__name__
        kind = "list" if shape else "number"  # or the memoryview that `.data` of an array is
        return kind, name, (tuple(shape), (), 0, 0), False, False
    shared = shares(value, x)
    layout = tuple(value.shape), value.stride(), value.storage_offset()
    size = value.untyped_storage().nbytes() // value.element_size()
    graph = value.is_leaf, value.requires_grad, value._is_view(), reaches(value, x)
    counter = False
    if shared and isinstance(x, Tensor):
        before = x._version
        torch.autograd.graph.increment_version(value)
        counter = x._version > before
    kind = "parameter" if isinstance(value, nn.Parameter) else "tensor"
    dtype = str(value.dtype).removeprefix("torch.")
    return kind, dtype, (*layout, size), shared, value is x, *graph, counter


def run(x: object, steps: list[str]) -> object:
    """Run the steps; the last one may raise."""
    value = x
    for step in steps:
        value = STEPS[step](value)
    return value
