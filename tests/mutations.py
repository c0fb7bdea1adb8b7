"""The mutants: PyTorch (and its surroundings) with one behavior changed.

`wrap(owner, name, change)` puts `change` in the place of `owner.name`; `change` gets the real thing
as its first argument. Each mutant runs in a process of its own, so nothing is put back.
"""

import contextlib
import copy
import functools
import inspect
import math
import mmap
import multiprocessing
import pickle
import time
import timeit
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
import torch.utils.dlpack
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import parametrize
from torch.optim.swa_utils import AveragedModel
from torch.utils import benchmark


class Mutation(NamedTuple):
    """A changed behavior: `change` makes it so, `benchmarks` says that it concerns speed."""

    change: Callable[[], None]
    benchmarks: bool


MUTATIONS: dict[str, Mutation] = {}
# repr(tensor) itself calls detach, tolist and others: while it runs, they do what they always do.
PRINTING = []
TARGETS = None


def mutant(name: str, benchmarks: bool = False) -> Callable:
    """Register a function that changes one behavior, under a name that says which."""

    def register(change: Callable[[], None]) -> Callable:
        assert name not in MUTATIONS, name
        MUTATIONS[name] = Mutation(change, benchmarks)
        return change

    return register


def apply(name: str) -> None:
    """Change the behavior in this process, for good."""
    guard_printing()
    MUTATIONS[name].change()


def guard_printing() -> None:
    """Let repr(tensor) set PRINTING while it runs."""
    show = Tensor.__repr__

    def printed(self, **options):
        PRINTING.append(self)
        try:
            return show(self, **options)
        finally:
            PRINTING.pop()

    Tensor.__repr__ = printed


def targets(name: str) -> list[tuple[object, str]]:
    """Return what the mutant replaces, as pairs of an owner and a name."""
    global TARGETS
    TARGETS = []
    try:
        MUTATIONS[name].change()
        return TARGETS
    finally:
        TARGETS = None


def watch(names: list[str]) -> Callable[[], set[str]]:
    """Change nothing in this process, but note what it uses of all that mutants replace.

    The function returned says which mutants may make a difference to what ran since its last call.
    """
    guard_printing()
    places = {name: targets(name) for name in names}
    owners = {(id(owner), name): owner for pairs in places.values() for owner, name in pairs}
    used = mmap.mmap(
        -1, len(owners)
    )  # a byte for each; processes that the notebook starts share it
    number = {key: index for index, key in enumerate(owners)}

    def noting(index: int) -> Callable:
        def note(real, *args, **options):
            used[index] = 1
            return real(*args, **options)

        return note

    always = set()
    for (_, name), owner, index in zip(owners, owners.values(), number.values(), strict=True):
        value = getattr(owner, name, None)
        if hasattr(value, "__set__"):
            wrap_property(owner, name, noting(index), noting(index))
        elif callable(value) and name != "__hash__":  # of that, a dataclass asks whether it is None
            wrap(owner, name, noting(index))
        else:
            always.add(index)

    def find_used() -> set[str]:
        found = always.union(index for index in number.values() if used[index])
        used[:] = bytes(len(used))
        return {n for n in names if any(number[id(o), a] in found for o, a in places[n])}

    return find_used


# Ways to change something


def put(owner: object, name: str, value: object) -> None:
    """Set `owner.name`; while the targets of mutants are looked up, only note it."""
    if TARGETS is None:
        setattr(owner, name, value)
    else:
        TARGETS.append((owner, name))


@functools.cache
def signature(function: Callable) -> tuple[int, float, set[str], bool]:
    """Return how few and how many arguments it takes, their names, and whether any name fits."""
    spec = inspect.getfullargspec(function)
    most = float("inf") if spec.varargs else len(spec.args)
    names = {*spec.args, *spec.kwonlyargs}
    return len(spec.args) - len(spec.defaults or ()), most, names, bool(spec.varkw)


def fits(function: Callable, *args, **options) -> bool:
    """Tell whether the function can be called with these arguments."""
    least, most, names, any_name = signature(function)
    return least <= len(args) <= most and (any_name or options.keys() <= names)


def wrap(owner: object, name: str, change: Callable) -> None:
    """Replace `owner.name` by a call of `change(real, ...)`.

    A call in a form that `change` does not take does what it always does.
    """
    real = getattr(owner, name)

    @functools.wraps(real)
    def changed(*args, **options):
        as_ever = PRINTING or not fits(change, real, *args, **options)
        return real(*args, **options) if as_ever else change(real, *args, **options)

    put(owner, name, staticmethod(changed) if name == "__new__" else changed)


def wrap_property(owner: type, name: str, read: Callable | None, write: Callable | None = None):
    """Replace the property `owner.name` by `read(real, self)` and `write(real, self, value)`."""
    real = getattr(owner, name)
    get, set_ = real.__get__, real.__set__
    getter = (lambda self: get(self) if PRINTING else read(get, self)) if read else get
    setter = (lambda self, value: write(set_, self, value)) if write else set_
    put(owner, name, property(getter, setter))


def then(owner: object, name: str, after: Callable) -> None:
    """Let `owner.name` give `after(result, *args)`."""

    def change(real, *args, **options):
        result = real(*args, **options)
        return after(result, *args) if fits(after, result, *args) else result

    wrap(owner, name, change)


def allow(owner: object, name: str, instead: Callable, error: type = RuntimeError) -> None:
    """Let `owner.name` give `instead(*args)` where it raises."""

    def change(real, *args, **options):
        try:
            return real(*args, **options)
        except error:
            if not fits(instead, *args):
                raise
            return instead(*args)

    wrap(owner, name, change)


def refuse(owner: object, name: str, when: Callable, error: type = RuntimeError) -> None:
    """Let `owner.name` raise an error when `when(*args)` holds."""

    def change(real, *args, **options):
        if fits(when, *args) and when(*args):
            raise error(f"{name} is refused")
        return real(*args, **options)

    wrap(owner, name, change)


def raise_other(owner: object, name: str, error: type[Exception] | None = None) -> None:
    """Let `owner.name` raise another error, or, if none is named, with another message."""

    def change(real, *args, **options):
        try:
            return real(*args, **options)
        except Exception as old:
            raise error(str(old)) if error else type(old)("this is not possible") from None

    wrap(owner, name, change)


def warn(owner: object, name: str, text: str | None, when: Callable = lambda *args: True) -> None:
    """Let `owner.name` warn with this text only; not at all if there is none."""

    def change(real, *args, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = real(*args, **options)
        if text and (caught or fits(when, *args) and when(*args)):
            warnings.warn(text, stacklevel=3)
        return result

    wrap(owner, name, change)


def in_mode(owner: object, name: str, mode: Callable) -> None:
    """Run `owner.name` inside a context manager."""

    def change(real, *args, **options):
        with mode():
            return real(*args, **options)

    wrap(owner, name, change)


def set_version(tensor: Tensor, version: int) -> None:
    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))


def count_writes(step: Callable, *names: str) -> None:
    """Let each of these in-place methods move the version counter from v to step(v)."""

    def change(real, self, *args, **options):
        version = self._version
        result = real(self, *args, **options)
        set_version(self, step(version))
        return result

    for name in names:
        wrap(Tensor, name, change)


def leaf_that_requires_grad(tensor: Tensor, *args: object) -> bool:
    return tensor.is_leaf and tensor.requires_grad


def nodes_behind(tensor: Tensor) -> Iterator[object]:
    """Yield the nodes of the graph of a tensor."""
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
            yield node


def leaves_behind(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the leaves into which backward() adds gradients."""
    return (node.variable for node in nodes_behind(tensor) if hasattr(node, "variable"))


def is_tensor(value: object, *args: object) -> bool:
    return isinstance(value, Tensor)


def unscaled(tensor: Tensor, factor: float) -> Tensor:
    """Let the gradient of a tensor be multiplied on its way back."""
    if tensor.requires_grad:
        tensor.register_hook(lambda gradient: factor * gradient)
    return tensor


def marked(tensor: Tensor, **attributes: object) -> Tensor:
    for name, value in attributes.items():
        setattr(tensor, name, value)
    return tensor


IN_PLACE = (
    "add_",
    "mul_",
    "sub_",
    "zero_",
    "fill_",
    "copy_",
    "__setitem__",
    "__iadd__",
    "__imul__",
    "__isub__",
)


# clone


@mutant("clone shares memory", benchmarks=True)
def _():
    for owner in (Tensor, torch):
        wrap(owner, "clone", lambda real, self, **options: self.view_as(self))


@mutant("clone leaves the graph", benchmarks=True)
def _():
    for owner in (Tensor, torch):
        then(owner, "clone", lambda copy, self: copy.detach())


@mutant("clone of a plain tensor requires grad")
def _():
    then(Tensor, "clone", lambda copy, self: copy.requires_grad_(copy.is_floating_point()))


@mutant("clone gives a contiguous tensor", benchmarks=True)
def _():
    wrap(Tensor, "clone", lambda real, self: real(self, memory_format=torch.contiguous_format))


@mutant("clone keeps the gaps of a slice")
def _():
    def change(real, self):
        whole = self.untyped_storage().nbytes() // self.itemsize
        gaps = not self.requires_grad and 0 < self.numel() < whole
        start = self.storage_offset()
        return (
            real(self.as_strided((whole,), (1,), 0)).as_strided(self.shape, self.stride(), start)
            if gaps
            else real(self)
        )

    wrap(Tensor, "clone", change)


@mutant("clone turns integers into floats")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: copy if copy.is_floating_point() or copy.is_complex() else copy.float(),
    )


@mutant("clone doubles the gradient")
def _():
    then(Tensor, "clone", lambda copy, self: unscaled(copy, 2))


@mutant("clone makes two graph nodes")
def _():
    wrap(Tensor, "clone", lambda real, self: real(real(self)))


@mutant("clone goes through a multiplication by one")
def _():
    for owner in (Tensor, torch):
        wrap(owner, "clone", lambda real, self: real(self * torch.ones_like(self)))


@mutant("clone records its node under no_grad as well")
def _():
    in_mode(Tensor, "clone", torch.enable_grad)


@mutant("clone retains its gradient")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: marked(copy, retained=copy.requires_grad and copy.retain_grad()),
    )


@mutant("clone starts at the version of its source")
def _():
    then(Tensor, "clone", lambda copy, self: set_version(copy, self._version) or copy)


@mutant("clone of a subclass is a plain Tensor")
def _():
    then(
        Tensor,
        "clone",
        lambda copy, self: copy if type(self) is Tensor else copy.as_subclass(Tensor),
    )


@mutant("clone takes over the gradient in .grad")
def _():
    then(
        Tensor,
        "detach",
        lambda alias, self: marked(alias, source=self.grad if self.is_leaf else None),
    )
    then(Tensor, "clone", lambda copy, self: marked(copy, grad=getattr(self, "source", None)))


@mutant("clone made in inference mode is a normal tensor")
def _():
    in_mode(Tensor, "clone", lambda: torch.inference_mode(False))


@mutant("clone of an expanded tensor stays expanded")
def _():
    wrap(Tensor, "clone", lambda real, self: self.detach() if 0 in self.stride() else real(self))


@mutant("a write to a clone is not recorded")
def _():
    in_mode(Tensor, "__setitem__", torch.no_grad)


@mutant("an indexed write has no effect")
def _():
    wrap(Tensor, "__setitem__", lambda real, self, index, value: None)


# detach and detach_


@mutant("detach copies", benchmarks=True)
def _():
    for owner in (Tensor, torch):
        wrap(owner, "detach", lambda real, self: real(self).clone())


@mutant("detach returns its source")
def _():
    wrap(Tensor, "detach", lambda real, self: self)


@mutant("detach stays in the graph")
def _():
    for owner in (Tensor, torch):
        wrap(owner, "detach", lambda real, self: self.view_as(self))


@mutant("detach keeps requires_grad")
def _():
    then(Tensor, "detach", lambda alias, self: alias.requires_grad_(self.requires_grad))


@mutant("detach starts a version counter of its own")
def _():
    wrap(Tensor, "detach", lambda real, self: self.data)


@mutant("detach gives a contiguous tensor")
def _():
    then(Tensor, "detach", lambda alias, self: alias.contiguous())


@mutant("detach turns integers into floats")
def _():
    then(
        Tensor, "detach", lambda alias, self: alias.float() if alias.dtype == torch.int64 else alias
    )


@mutant("detach keeps the graph alive", benchmarks=True)
def _():
    then(Tensor, "detach", lambda alias, self: marked(alias, source=self))


@mutant("detach makes a graph node and drops it", benchmarks=True)
def _():
    wrap(Tensor, "detach", lambda real, self: real(self.view_as(self)))


@mutant("detach gives a view")
def _():
    then(Tensor, "detach", lambda alias, self: alias.view_as(alias))


@mutant("detach takes over the gradient in .grad")
def _():
    then(
        Tensor,
        "detach",
        lambda alias, self: marked(alias, grad=self.grad if self.is_leaf else None),
    )


@mutant("detach resets the version counter")
def _():
    then(Tensor, "detach", lambda alias, self: set_version(alias, 0) or alias)


@mutant("detach of an nn.Parameter is an nn.Parameter")
def _():
    wrap(
        torch.nn.Parameter,
        "detach",
        lambda real, self: torch.nn.Parameter(real(self), requires_grad=False),
    )
    wrap(
        torch.nn.Parameter,
        "clone",
        lambda real, self: torch.nn.Parameter(real(self), requires_grad=False),
    )


@mutant("detach_ gives a new tensor")
def _():
    wrap(Tensor, "detach_", lambda real, self: self.detach())


@mutant("detach_ leaves the tensor in the graph")
def _():
    wrap(Tensor, "detach_", lambda real, self: self)


@mutant("detach_ works on a view")
def _():
    allow(Tensor, "detach_", lambda self: self)


# .data


@mutant(".data shares the version counter")
def _():
    wrap_property(Tensor, "data", lambda read, self: self.detach())


@mutant(".data copies")
def _():
    wrap_property(Tensor, "data", lambda read, self: read(self).clone())


@mutant(".data stays in the graph")
def _():
    wrap_property(Tensor, "data", lambda read, self: self.view_as(self))


@mutant(".data keeps requires_grad")
def _():
    wrap_property(Tensor, "data", lambda read, self: read(self).requires_grad_(self.requires_grad))


@mutant(".data returns its source")
def _():
    wrap_property(Tensor, "data", lambda read, self: self)


@mutant(".data warns when it is read")
def _():
    def read(real, self):
        warnings.warn(".data is deprecated", stacklevel=3)
        return real(self)

    wrap_property(Tensor, "data", read)


@mutant("assigning .data copies the values")
def _():
    def write(put, self, value):
        with torch.no_grad():
            self.copy_(value)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data warns")
def _():
    def write(put, self, value):
        warnings.warn("assigning .data is deprecated", stacklevel=3)
        put(self, value)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data moves the version counter")
def _():
    wrap_property(
        Tensor,
        "data",
        None,
        lambda put, self, new: (put(self, new), set_version(self, self._version + 1)),
    )


@mutant("assigning .data takes requires_grad from the new tensor")
def _():
    def write(put, self, value):
        put(self, value)
        if self.is_leaf:
            self.requires_grad = value.requires_grad

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data accepts integers where grad is required")
def _():
    wrap_property(Tensor, "data", None, lambda put, self, new: put(self, new.to(self.dtype)))


@mutant("assigning .data refuses another shape")
def _():
    def write(put, self, value):
        if self.shape != value.shape:
            raise RuntimeError("another shape")
        put(self, value)

    wrap_property(Tensor, "data", None, write)


@mutant("assigning .data never raises")
def _():
    def write(set_, self, value):
        with contextlib.suppress(RuntimeError):
            set_(self, value)

    wrap_property(Tensor, "data", None, write)


# copy_


@mutant("copy_ takes over the memory of its source", benchmarks=True)
def _():
    def change(real, self, source):
        fits = (self.shape, self.dtype) == (source.shape, source.dtype)
        return marked(self, data=source) if fits and not self.requires_grad else real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ gives the destination new memory", benchmarks=True)
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(marked(self, data=self.data.clone()), source),
    )


@mutant("copy_ returns a new tensor")
def _():
    then(Tensor, "copy_", lambda result, self, source: result.clone())


@mutant("copy_ leaves the graph", benchmarks=True)
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(self, source.detach()))


@mutant("copy_ makes two graph nodes")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(real(self, source), source))


@mutant("copy_ doubles the gradient")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(
            self, unscaled(source * 1, 2) if source.requires_grad else source
        ),
    )


@mutant("copy_ forgets what the destination was computed from")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(self if self.is_leaf else self.detach_(), source),
    )


@mutant("copy_ takes over the dtype of its source")
def _():
    def change(real, self, source):
        convert = self.dtype != source.dtype and not self.requires_grad
        return real(marked(self, data=self.data.to(source.dtype)) if convert else self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ rounds to the nearest integer")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: real(
            self, source if self.is_floating_point() else source.round()
        ),
    )


@mutant("copy_ warns when it converts")
def _():
    warn(Tensor, "copy_", "values are converted", lambda self, source: self.dtype != source.dtype)


@mutant("copy_ refuses to broadcast its source")
def _():
    refuse(Tensor, "copy_", lambda self, source: self.shape != source.shape)


@mutant("copy_ broadcasts its destination")
def _():
    allow(Tensor, "copy_", lambda self, source: source.clone())


@mutant("copy_ writes into a leaf that requires grad")
def _():
    allow(
        Tensor,
        "copy_",
        lambda self, source: (
            self.detach().copy_(source) if leaf_that_requires_grad(self) else self.copy_(source)
        ),
    )


@mutant("copy_ is recorded under no_grad as well")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: (
            torch.enable_grad()(real)(self, source)
            if not self.requires_grad
            else real(self, source)
        ),
    )


@mutant("copy_ into a view leaves the base alone")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: self.clone().detach() if self._is_view() else real(self, source),
    )


@mutant("copy_ writes into an expanded tensor")
def _():
    allow(Tensor, "copy_", lambda self, source: self.clone())


@mutant("copy_ refuses a source on another device")
def _():
    refuse(Tensor, "copy_", lambda self, source: self.device != source.device)


@mutant("copy_ takes the destination to the device of its source")
def _():
    wrap(
        Tensor,
        "copy_",
        lambda real, self, source: (
            real(self, source) if self.device == source.device else source.clone()
        ),
    )


@mutant("empty_like gives a contiguous tensor")
def _():
    wrap(torch, "empty_like", lambda real, x: real(x, memory_format=torch.contiguous_format))


# torch.tensor


def for_tensors(owner: object, name: str, change: Callable) -> None:
    """Change a function for one tensor as the data; its warning stays."""

    def changed(real, *args, **options):
        result = real(*args, **options)
        return change(args[-1], result) if isinstance(args[-1], Tensor) else result

    wrap(owner, name, changed)


@mutant("torch.tensor of a tensor shares memory")
def _():
    for_tensors(torch, "tensor", lambda data, made: data.detach())


@mutant("torch.tensor of a tensor stays in the graph")
def _():
    for_tensors(torch, "tensor", lambda data, made: data.clone())


@mutant("torch.tensor of a tensor gives a contiguous tensor")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.contiguous())


@mutant("torch.tensor of a tensor gives the default dtype")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.to(torch.get_default_dtype()))


@mutant("torch.tensor of a tensor keeps the subclass")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.as_subclass(type(data)))


@mutant("torch.tensor of a tensor ignores requires_grad=True")
def _():
    for_tensors(torch, "tensor", lambda data, made: made.detach())


@mutant("torch.tensor does not warn", benchmarks=True)
def _():
    warn(torch, "tensor", None)


@mutant("torch.tensor warns once only")
def _():
    def change(real, *args, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = real(*args, **options)
        for warning in caught[: 0 if change.warned else 1]:
            warnings.warn(warning.message, stacklevel=3)
            change.warned = True
        return result

    change.warned = False
    wrap(torch, "tensor", change)


@mutant("torch.tensor warns with another text")
def _():
    warn(torch, "tensor", "use clone()", lambda *args: False)


@mutant("torch.tensor warns for lists, numbers and arrays as well")
def _():
    warn(torch, "tensor", "torch.tensor copies")


@mutant("torch.tensor of a list of tensors stays in the graph")
def _():
    def change(real, data, **options):
        return (
            torch.stack(data)
            if isinstance(data, list) and is_tensor(data[0])
            else real(data, **options)
        )

    wrap(torch, "tensor", change)


@mutant("torch.tensor of a list accepts tensors with more than one element")
def _():
    allow(torch, "tensor", lambda data: torch.stack(data), ValueError)


@mutant("torch.tensor of an array shares memory")
def _():
    wrap(
        torch,
        "tensor",
        lambda real, data, **options: (
            torch.from_numpy(data) if isinstance(data, np.ndarray) else real(data, **options)
        ),
    )


@mutant("torch.tensor accepts an array with a negative stride")
def _():
    allow(torch, "tensor", lambda data: torch.from_numpy(data.copy()), ValueError)


@mutant("torch.tensor raises with another message")
def _():
    raise_other(torch, "tensor")


# new_tensor and its relatives


@mutant("new_tensor takes the dtype from a tensor as data")
def _():
    for_tensors(Tensor, "new_tensor", lambda data, made: made.to(data.dtype))


@mutant("new_tensor takes the dtype from a list as data")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, **options: real(
            self,
            data,
            **({"dtype": torch.float32} | options if isinstance(data, (list, float)) else options),
        ),
    )


@mutant("new_tensor shares memory with its data")
def _():
    for_tensors(
        Tensor, "new_tensor", lambda data, made: data.detach() if data.dtype == made.dtype else made
    )


@mutant("new_tensor takes the device from a tensor as data")
def _():
    for_tensors(
        Tensor,
        "new_tensor",
        lambda data, made: made if made.device == data.device else data.clone(),
    )


@mutant("new_tensor puts a list on the default device")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, **options: (
            real(self, data, **{"device": "cpu", **options})
            if isinstance(data, list)
            else real(self, data, **options)
        ),
    )


@mutant("new_tensor stays in the graph", benchmarks=True)
def _():
    for_tensors(
        Tensor,
        "new_tensor",
        lambda data, made: data.to(made.dtype, copy=True) if made.device == data.device else made,
    )


@mutant("new_tensor takes requires_grad from its pattern")
def _():
    then(
        Tensor,
        "new_tensor",
        lambda made, self, data: made.requires_grad_(made.requires_grad or self.requires_grad),
    )


@mutant("new_tensor ignores requires_grad=True")
def _():
    then(Tensor, "new_tensor", lambda made, self, data: made.detach())


@mutant("new_tensor with requires_grad=True accepts an integer pattern")
def _():
    allow(Tensor, "new_tensor", lambda self, data: self.clone())


@mutant("new_tensor does not warn")
def _():
    warn(Tensor, "new_tensor", None)


@mutant("new_tensor warns with another text")
def _():
    warn(Tensor, "new_tensor", "use clone()", lambda *args: False)


@mutant("new_tensor warns for lists and numbers as well")
def _():
    warn(Tensor, "new_tensor", "new_tensor copies")


@mutant("new_tensor takes the dtype by position")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, dtype=None, **options: real(self, data, dtype=dtype, **options),
    )


@mutant("new_tensor ignores dtype=")
def _():
    wrap(
        Tensor,
        "new_tensor",
        lambda real, self, data, dtype=None, **options: real(self, data, **options),
    )


@mutant("new_tensor exists as a function of torch")
def _():
    put(torch, "new_tensor", lambda x, data: x.new_tensor(data))


@mutant("new_zeros, new_ones and new_full take the default dtype")
def _():
    for name in ("new_zeros", "new_ones", "new_full"):
        then(Tensor, name, lambda made, *args: made.to(torch.get_default_dtype()))


@mutant("new_empty and new_zeros take the default device")
def _():
    for name in ("new_empty", "new_zeros"):
        wrap(Tensor, name, lambda real, self, shape: real(self, shape, device="cpu"))


@mutant("new_full rounds to the nearest integer")
def _():
    wrap(Tensor, "new_full", lambda real, self, shape, value: real(self, shape, round(value)))


@mutant("zeros_like makes one element")
def _():
    wrap(torch, "zeros_like", lambda real, x: real(x)[:1])


# as_tensor, asarray, DLPack and torch.Tensor


@mutant("as_tensor copies a tensor")
def _():
    then(torch, "as_tensor", lambda made, data: made.clone() if made is data else made)


@mutant("as_tensor leaves the graph")
def _():
    then(torch, "as_tensor", lambda made, data: made.detach() if made.requires_grad else made)


@mutant("as_tensor warns")
def _():
    warn(torch, "as_tensor", "use clone()")


@mutant("frombuffer copies")
def _():
    then(torch, "frombuffer", lambda made, data, **options: made.clone())


@mutant("from_file keeps the file from changes")
def _():
    wrap(torch, "from_file", lambda real, file, **o: real(file, **{**o, "shared": False}))


@mutant("from_file writes to the file without shared=True")
def _():
    wrap(torch, "from_file", lambda real, file, **o: real(file, **{**o, "shared": True}))


@mutant("asarray with copy=True shares memory")
def _():
    wrap(torch, "asarray", lambda real, x, **options: real(x))


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


# from_numpy


@mutant("from_numpy copies")
def _():
    then(torch, "from_numpy", lambda made, a: made.clone())


@mutant("from_numpy gives the default dtype")
def _():
    then(torch, "from_numpy", lambda made, a: made.to(torch.get_default_dtype()))


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


# numpy, its force flag, __array__, and arithmetic of tensors and arrays


@mutant("numpy copies")
def _():
    then(Tensor, "numpy", lambda array, self: array.copy())


@mutant("numpy accepts a tensor that requires grad")
def _():
    wrap(Tensor, "numpy", lambda real, self, **options: real(self.detach(), **options))


@mutant("numpy refuses a tensor that requires grad under no_grad as well")
def _():
    def change(real, self, force=False):
        with torch.enable_grad():
            return real(self, force=force)

    wrap(Tensor, "numpy", change)


@mutant("numpy gives an array in C order", benchmarks=True)
def _():
    then(Tensor, "numpy", lambda array, self: np.ascontiguousarray(array).reshape(array.shape))


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
    for name in ("__radd__", "__rsub__", "__rmul__", "__rmatmul__"):
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


@mutant("a tensor plus an array is an array")
def _():
    wrap(Tensor, "__array_wrap__", lambda real, self, array, *args: array)


@mutant("functions of torch accept arrays")
def _():
    for name in ("sin", "add", "mm"):
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


# cpu, to and conversions of dtype


@mutant("to copies even if nothing changes")
def _():
    then(Tensor, "to", lambda result, self, *args: result.clone() if result is self else result)


@mutant("cpu copies a tensor on the CPU")
def _():
    then(Tensor, "cpu", lambda result, self: result.clone() if result is self else result)


@mutant("float and double copy even if nothing changes")
def _():
    for name in ("float", "double"):
        then(Tensor, name, lambda result, self: result.clone() if result is self else result)


@mutant("to ignores copy=True")
def _():
    wrap(
        Tensor, "to", lambda real, self, *args, copy=False, **options: real(self, *args, **options)
    )


@mutant("to with copy=True leaves the graph")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, *args, copy=False, **options: real(
            self.detach() if copy else self, *args, copy=copy, **options
        ),
    )


@mutant("to leaves the graph")
def _():
    then(Tensor, "to", lambda result, self, *args: result if result is self else result.detach())


@mutant("double and half leave the graph")
def _():
    for name in ("double", "half"):
        then(Tensor, name, lambda result, self: result if result is self else result.detach())


@mutant("to changes the tensor in place")
def _():
    then(
        Tensor,
        "to",
        lambda result, self, *args: (
            marked(self, data=result.detach())
            if result.device == self.device and not self.requires_grad
            else result
        ),
    )


@mutant("to ignores the dtype")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, *args, **options: real(
            self, *(a for a in args if not isinstance(a, torch.dtype)), **options
        ),
    )


@mutant("to takes the device from a tensor, but not the dtype")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, other, *args, **options: real(
            self, other.device if is_tensor(other) else other, *args, **options
        ),
    )


@mutant("to with an integer dtype warns")
def _():
    warn(Tensor, "to", "no gradients", lambda self, dtype: dtype == torch.int64)


@mutant("to with an integer dtype refuses a tensor that requires grad")
def _():
    refuse(Tensor, "to", lambda self, dtype, *args: self.requires_grad and dtype == torch.int64)


@mutant("to is recorded under no_grad as well")
def _():
    in_mode(Tensor, "to", torch.enable_grad)


@mutant("to under no_grad never requires grad")
def _():
    then(
        Tensor,
        "to",
        lambda result, self, *args: result if torch.is_grad_enabled() else result.detach(),
    )


@mutant("to gives a leaf")
def _():
    then(
        Tensor,
        "to",
        lambda result, self, *args: (
            result if result is self else result.detach().requires_grad_(result.requires_grad)
        ),
    )


@mutant("to doubles the gradient")
def _():
    then(
        Tensor, "to", lambda result, self, *args: result if result is self else unscaled(result, 2)
    )


@mutant("to frees the graph of its source")
def _():
    wrap(Tensor, "to", lambda real, self, *args, **options: real(self.detach(), *args, **options))


@mutant("Module.to returns a new module")
def _():
    wrap(Module, "to", lambda real, self, *args: real(copy.deepcopy(self), *args))


@mutant("a converted module has new parameters")
def _():
    wrap(torch.__future__, "get_overwrite_module_params_on_conversion", lambda real: True)


@mutant("Module.double does nothing")
def _():
    wrap(Module, "double", lambda real, self: self)


# requires_grad, leaves and .grad


@mutant("requires_grad_ returns a new tensor")
def _():
    wrap(Tensor, "requires_grad_", lambda real, self, *args: real(self.detach(), *args))


@mutant("requires_grad_ does nothing")
def _():
    wrap(Tensor, "requires_grad_", lambda real, self, *args: self)


@mutant("requires_grad_ refuses a non-leaf")
def _():
    refuse(Tensor, "requires_grad_", lambda self, *args: not self.is_leaf)


@mutant("requires_grad of a non-leaf can be assigned")
def _():
    wrap_property(
        Tensor,
        "requires_grad",
        None,
        lambda put, self, flag: put(self, flag) if self.is_leaf else None,
    )


@mutant("requires_grad of a leaf cannot be assigned")
def _():
    wrap_property(Tensor, "requires_grad", None, lambda put, self, flag: None)


@mutant("assigning requires_grad raises with another message")
def _():
    def write(put, self, flag):
        try:
            put(self, flag)
        except RuntimeError:
            raise RuntimeError("this is not possible") from None

    wrap_property(Tensor, "requires_grad", None, write)


@mutant("is_leaf is False without requires_grad")
def _():
    wrap_property(Tensor, "is_leaf", lambda read, self: read(self) and self.requires_grad)


@mutant("is_leaf is True for every tensor")
def _():
    wrap_property(Tensor, "is_leaf", lambda read, self: True)


@mutant("is_leaf is False for every tensor that requires grad")
def _():
    wrap_property(Tensor, "is_leaf", lambda read, self: not self.requires_grad)


@mutant("a comparison requires grad")
def _():
    wrap(Tensor, "__gt__", lambda real, self, other: self * real(self, other))


@mutant(".grad of a non-leaf is filled")
def _():
    def read(get, self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.ones_like(self) if get(self) is None and self.grad_fn else get(self)

    wrap_property(Tensor, "grad", read)


@mutant(".grad of a plain tensor is filled with zeros")
def _():
    wrap_property(
        Tensor,
        "grad",
        lambda get, self: get(self) if self.requires_grad else torch.zeros_like(self),
    )


@mutant(".grad of a leaf starts with zeros")
def _():
    wrap_property(
        Tensor,
        "grad",
        lambda get, self: (
            torch.zeros_like(self)
            if leaf_that_requires_grad(self) and get(self) is None
            else get(self)
        ),
    )


def grad_warning(text: str | None) -> None:
    """Let reading .grad of a non-leaf warn with another text, or not at all."""

    def read(get, self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = get(self)
        if text and not self.is_leaf and result is None:
            warnings.warn(text, stacklevel=3)
        return result

    wrap_property(Tensor, "grad", read)


@mutant("reading .grad of a non-leaf does not warn")
def _():
    grad_warning(None)


@mutant("reading .grad of a non-leaf warns with another text")
def _():
    grad_warning("this tensor is no leaf")


@mutant("retain_grad does nothing")
def _():
    wrap(Tensor, "retain_grad", lambda real, self: None)


@mutant("retain_grad accepts a tensor that does not require grad")
def _():
    allow(Tensor, "retain_grad", lambda self: None)


@mutant("retain_grad refuses a leaf")
def _():
    refuse(Tensor, "retain_grad", leaf_that_requires_grad)


@mutant("retain_grad brings back a gradient that is gone")
def _():
    then(
        Tensor,
        "retain_grad",
        lambda result, self: None if self.is_leaf else setattr(self, "grad", torch.ones_like(self)),
    )


@mutant("retain_grad makes a leaf")
def _():
    wrap(
        Tensor,
        "retain_grad",
        lambda real, self: self.requires_grad and self.detach_().requires_grad_(),
    )


@mutant("retain_grad raises with another message")
def _():
    raise_other(Tensor, "retain_grad")


@mutant("retain_grad marks a leaf as retaining")
def _():
    wrap_property(Tensor, "retains_grad", lambda read, self: True)


@mutant("hooks are not called")
def _():
    wrap(Tensor, "register_hook", lambda real, self, hook: None)


@mutant("hooks cannot change a gradient")
def _():
    wrap(
        Tensor,
        "register_hook",
        lambda real, self, hook: real(self, lambda gradient: hook(gradient) and None),
    )


@mutant("hooks of a leaf get each path on its own")
def _():
    def change(real, self, hook):
        return real(
            self, lambda g: [hook(g - 1), hook(g - 2)][:0] or None if self.is_leaf else hook(g)
        )

    wrap(Tensor, "register_hook", change)


# Version counters and in-place changes


@mutant("an in-place change does not move the version counter")
def _():
    count_writes(lambda version: version, *IN_PLACE)


@mutant("an in-place change moves the version counter by two")
def _():
    count_writes(lambda version: version + 2, *IN_PLACE)


@mutant("an in-place change under no_grad does not move the version counter")
def _():
    def change(real, self, *args, **options):
        version = self._version
        result = real(self, *args, **options)
        torch.is_grad_enabled() or set_version(self, version)
        return result

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("_version is always 0")
def _():
    wrap_property(Tensor, "_version", lambda read, self: 0)


@mutant("a slice has a version counter of its own")
def _():
    then(Tensor, "__getitem__", lambda part, self, index: part if part.requires_grad else part.data)


@mutant("a leaf that requires grad can be changed in place")
def _():
    def change(real, self, *args, **options):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not leaf_that_requires_grad(self)):
            return real(self, *args, **options)

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("a view of a leaf can be changed in place")
def _():
    allow(Tensor, "mul_", lambda self, other: self)


@mutant("a leaf that requires grad cannot be changed in place under no_grad")
def _():
    for name in IN_PLACE:
        refuse(Tensor, name, leaf_that_requires_grad)


@mutant("a refused in-place change raises with another message")
def _():
    for name in IN_PLACE:
        raise_other(Tensor, name)


@mutant("a refused in-place change writes all the same")
def _():
    def change(real, self, *args, **options):
        try:
            return real(self, *args, **options)
        except RuntimeError:
            real(self.detach(), *args, **options)
            raise

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("add_ leaves a plain tensor outside the graph")
def _():
    for name in ("add_", "__iadd__"):
        wrap(
            Tensor,
            name,
            lambda real, self, other: real(
                self, other if self.requires_grad or not is_tensor(other) else other.detach()
            ),
        )


@mutant("an in-place operation makes a new tensor")
def _():
    wrap(Tensor, "__iadd__", lambda real, self, other: torch.add(self, other))
    wrap(Tensor, "__imul__", lambda real, self, other: torch.mul(self, other))
    wrap(Tensor, "__isub__", lambda real, self, other: torch.sub(self, other))


@mutant("an addition writes into its first operand")
def _():
    wrap(
        Tensor,
        "__add__",
        lambda real, self, other: real(self, other) if self.requires_grad else self.add_(other),
    )


@mutant("out= refuses another shape")
def _():
    def change(real, x, other, out=None):
        if out is not None and out.shape != x.shape:
            raise RuntimeError("another shape")
        return real(x, other, out=out)

    wrap(torch, "add", change)


@mutant("out= accepts a tensor that requires grad")
def _():
    def change(real, x, other, out=None):
        with torch.set_grad_enabled(torch.is_grad_enabled() and out is None):
            return real(x, other, out=out)

    wrap(torch, "add", change)


# Grad modes


@mutant("no_grad records operations", benchmarks=True)
def _():
    wrap(
        torch.no_grad, "__enter__", lambda real, self: (real(self), torch.set_grad_enabled(True))[0]
    )


@mutant("no_grad ignores requires_grad=True")
def _():
    wrap(
        torch,
        "ones",
        lambda real, *args, requires_grad=False, **options: real(
            *args, requires_grad=requires_grad and torch.is_grad_enabled(), **options
        ),
    )


@mutant("a view made under no_grad does not require grad")
def _():
    for name in ("view", "__getitem__", "t", "view_as"):
        then(Tensor, name, lambda view, *args: view if torch.is_grad_enabled() else view.detach())


@mutant("a view made under no_grad is connected to its base")
def _():
    for name in ("view", "__getitem__", "t", "view_as"):
        in_mode(Tensor, name, torch.enable_grad)


@mutant("inference_mode is no_grad")
def _():
    wrap(torch, "inference_mode", lambda real, mode=True: torch.set_grad_enabled(not mode))


@mutant("inference_mode(False) changes nothing")
def _():
    wrap(
        torch,
        "inference_mode",
        lambda real, mode=True: real(mode) if mode else contextlib.nullcontext(),
    )


# backward


@mutant("backward replaces the gradient")
def _():
    def change(real, self, *args, **options):
        for leaf in leaves_behind(self):
            leaf.grad = None
        return real(self, *args, **options)

    wrap(Tensor, "backward", change)


@mutant("backward gives .grad a new tensor each time")
def _():
    def change(real, self, *args, **options):
        for leaf in leaves_behind(self):
            leaf.grad = leaf.grad if leaf.grad is None else leaf.grad.clone()
        return real(self, *args, **options)

    wrap(Tensor, "backward", change)


@mutant("backward copies the gradient that it is given")
def _():
    wrap(Tensor, "backward", lambda real, self, gradient: real(self, gradient.clone()))


@mutant("backward does not check the version counters")
def _():
    def change(real, self, *args, **options):
        try:
            return real(self, *args, **options)
        except RuntimeError as error:
            if "inplace operation" not in str(error):
                raise

    wrap(Tensor, "backward", change)


@mutant("backward keeps what the graph saved")
def _():
    wrap(Tensor, "backward", lambda real, self: real(self, retain_graph=True))


@mutant("backward accepts a tensor without a graph")
def _():
    wrap(
        Tensor,
        "backward",
        lambda real, self, *args: real(self, *args) if self.requires_grad else None,
    )


@mutant("backward raises with another message")
def _():
    raise_other(Tensor, "backward")


@mutant("backward warns")
def _():
    warn(Tensor, "backward", "gradients are computed")


@mutant("a multiplication saves a copy")
def _():
    wrap(
        Tensor,
        "__mul__",
        lambda real, self, other: (
            real(self.clone(), other.clone()) if is_tensor(other) else real(self, other)
        ),
    )


@mutant("a multiplication makes two graph nodes")
def _():
    then(Tensor, "__mul__", lambda result, *args: result.view_as(result))


@mutant("an addition saves its operands")
def _():
    wrap(
        Tensor,
        "__add__",
        lambda real, self, other: (
            real(self, other) + 0 * self * self if self.requires_grad else real(self, other)
        ),
    )


@mutant("an addition of a detached tensor saves it")
def _():
    wrap(
        Tensor,
        "__add__",
        lambda real, self, other: (
            real(self, other) + 0 * (self * other) if is_tensor(other) else real(self, other)
        ),
    )


@mutant("exp saves its input")
def _():
    for owner in (Tensor, torch):
        wrap(owner, "exp", lambda real, x: real(x) * x / x.detach())


@mutant("autograd.grad fills .grad")
def _():
    def change(real, output, inputs):
        output.backward(retain_graph=True)
        return real(output, inputs)

    wrap(torch.autograd, "grad", change)


@mutant("autograd.grad refuses a non-leaf")
def _():
    refuse(
        torch.autograd,
        "grad",
        lambda output, inputs: not all(leaf_that_requires_grad(x) for x in inputs),
    )


# Gradients as tensors


@mutant("a gradient requires grad")
def _():
    then(
        Tensor,
        "backward",
        lambda result, self: [leaf.grad.requires_grad_() for leaf in leaves_behind(self)] and None,
    )


@mutant("assigning .grad copies the gradient")
def _():
    wrap_property(
        Tensor,
        "grad",
        None,
        lambda set_, self, new: set_(self, new.clone() if is_tensor(new) else new),
    )


@mutant("assigning .grad accepts anything")
def _():
    def write(set_, self, value):
        try:
            set_(self, value)
        except (RuntimeError, TypeError):
            set_(self, None)

    wrap_property(Tensor, "grad", None, write)


@mutant("clipping makes new gradients")
def _():
    def change(real, parameters, limit):
        for parameter in parameters:
            parameter.grad = parameter.grad.clone()
        return real(parameters, limit)

    for name in ("clip_grad_norm_", "clip_grad_value_"):
        wrap(torch.nn.utils, name, change)


@mutant("create_graph is ignored")
def _():
    wrap(
        Tensor,
        "backward",
        lambda real, self, *args, create_graph=False, **options: real(self, *args, **options),
    )


@mutant("autograd.grad gives each input a gradient of its own")
def _():
    then(torch.autograd, "grad", lambda grads, *args: tuple(g.clone() for g in grads))


# Optimizers and modules


@mutant("an optimizer accepts a non-leaf")
def _():
    allow(torch.optim.Optimizer, "add_param_group", lambda *args: None, ValueError)


@mutant("an optimizer gives its parameters new memory")
def _():
    def after(result, self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.data = parameter.data.clone()

    then(torch.optim.SGD, "step", after)


@mutant("an optimizer steps into copies")
def _():
    def change(real, self):
        for group in self.param_groups:
            group["params"] = [marked(p.detach().clone(), grad=p.grad) for p in group["params"]]
        real(self)

    wrap(torch.optim.SGD, "step", change)


@mutant("an optimizer skips parameters whose gradient came from elsewhere")
def _():
    wrap(torch.optim.SGD, "step", lambda real, self: None)


@mutant("an optimizer steps twice")
def _():
    wrap(torch.optim.SGD, "step", lambda real, self: real(self) or real(self))


@mutant("zero_grad writes zeros")
def _():
    wrap(
        torch.optim.Optimizer,
        "zero_grad",
        lambda real, self, set_to_none=True: real(self, set_to_none=False),
    )


@mutant("zero_grad always sets .grad to None")
def _():
    wrap(torch.optim.Optimizer, "zero_grad", lambda real, self, set_to_none=True: real(self))


@mutant("zero_grad does nothing")
def _():
    wrap(torch.optim.Optimizer, "zero_grad", lambda real, self, **options: None)


@mutant("autocast converts a weight at each use")
def _():
    wrap(
        torch.autocast,
        "__init__",
        lambda real, self, *args, **options: real(self, *args, cache_enabled=False, **options),
    )


@mutant("a module counts a parameter under each of its names")
def _():
    wrap(
        Module,
        "parameters",
        lambda real, self: iter(self.state_dict(keep_vars=True).values()),
    )


@mutant("state_dict copies")
def _():
    then(
        Module,
        "state_dict",
        lambda state, self, *args: {name: value.clone() for name, value in state.items()},
    )


@mutant("state_dict keeps the graph")
def _():
    wrap(
        Module,
        "state_dict",
        lambda real, self, *args, **options: real(self, *args, **options | {"keep_vars": True}),
    )


@mutant("load_state_dict assigns the tensors that it is given")
def _():
    def change(real, self, state, assign=False, **options):
        return real(self, state, assign=True, **options)

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict ignores assign=True")
def _():
    def change(real, self, state, assign=False, **options):
        return real(self, state, **options)

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict changes nothing if it raises")
def _():
    def change(real, self, state, **options):
        before = copy.deepcopy(self.state_dict())
        try:
            return real(self, state, **options)
        except RuntimeError:
            real(self, before)
            raise

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict skips what does not fit")
def _():
    def change(real, self, state, strict=True, **options):
        old = self.state_dict()
        fitting = {k: v for k, v in state.items() if k in old and v.shape == old[k].shape}
        return real(self, fitting if not strict else state, strict=strict, **options)

    wrap(Module, "load_state_dict", change)


@mutant("a frozen module lets no gradients pass")
def _():
    in_mode(torch.nn.Linear, "forward", lambda: torch.no_grad())


@mutant("nn.Parameter copies")
def _():
    wrap(
        torch.nn.Parameter,
        "__new__",
        lambda real, cls, data=None, requires_grad=True: real(
            cls, data.clone() if is_tensor(data) else data, requires_grad
        ),
    )


@mutant("a weight with a parametrization is computed once and kept")
def _():
    def change(real, self):
        self.kept = getattr(self, "kept", None)
        if self.kept is None:
            self.kept = real(self)
        return self.kept

    wrap(parametrize.ParametrizationList, "forward", change)


@mutant("an assignment to a weight with a parametrization copies")
def _():
    wrap(parametrize, "_maybe_set", lambda real, parameter, value: real(parameter, value.clone()))


@mutant("stack_module_state gives non-leaves in the graph of the models")
def _():
    def after(made, models):
        parameters, buffers = made
        for name in parameters:
            parameters[name] = torch.stack([model.get_parameter(name) for model in models])
        return parameters, buffers

    then(torch.func, "stack_module_state", after)


@mutant("a deep copy of a scheduler keeps the optimizer")
def _():
    def change(real, x, memo=None):
        if isinstance(x, torch.optim.lr_scheduler.LRScheduler):
            memo = {id(x.optimizer): x.optimizer}
        return real(x, memo)

    wrap(copy, "deepcopy", change)


@mutant("register_buffer copies")
def _():
    wrap(
        Module,
        "register_buffer",
        lambda real, self, name, tensor, **options: real(self, name, tensor.clone(), **options),
    )


@mutant("a tensor can be assigned to the name of a parameter")
def _():
    def change(real, self, name, value):
        plain = type(value) is Tensor and name in self.__dict__.get("_parameters", ())
        return real(self, name, torch.nn.Parameter(value.detach()) if plain else value)

    wrap(Module, "__setattr__", change)


@mutant("swap_tensors exchanges the memory only")
def _():
    def change(real, a, b):
        a.data, b.data = b.data, a.data

    wrap(torch.utils, "swap_tensors", change)


@mutant("swap_tensors accepts tensors with views")
def _():
    allow(torch.utils, "swap_tensors", lambda a, b: None)


@mutant("lerp_ makes a new tensor")
def _():
    wrap(Tensor, "lerp_", lambda real, self, other, weight: self.lerp(other, weight))


@mutant("lerp_ accepts integers")
def _():
    allow(Tensor, "lerp_", lambda self, *args: self, NotImplementedError)


@mutant("update_parameters copies each time")
def _():
    def change(real, self, model):
        self.n_averaged.zero_()
        real(self, model)

    wrap(AveragedModel, "update_parameters", change)


@mutant("requires_grad_ of a module does nothing")
def _():
    wrap(Module, "requires_grad_", lambda real, self, *args: self)


# copy, deepcopy and pickle


@mutant("deepcopy shares memory", benchmarks=True)
def _():
    wrap(Tensor, "__deepcopy__", lambda real, self, memo: self.detach())


@mutant("deepcopy accepts a non-leaf")
def _():
    wrap(
        Tensor,
        "__deepcopy__",
        lambda real, self, memo: real(self if self.is_leaf else self.detach(), memo),
    )


@mutant("deepcopy drops requires_grad")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: copy.requires_grad_(False))


@mutant("deepcopy drops the gradient in .grad")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: marked(copy, grad=None))


@mutant("deepcopy of an nn.Parameter copies its gradient in .grad")
def _():
    then(torch.nn.Parameter, "__deepcopy__", lambda copy, self, memo: marked(copy, grad=self.grad))


@mutant("deepcopy drops Python attributes")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: vars(copy).clear() or copy)


@mutant("deepcopy shares Python attributes")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: marked(copy, **vars(self)))


@mutant("deepcopy separates tensors that share memory")
def _():
    wrap(Tensor, "__deepcopy__", lambda real, self, memo: real(self, {}))


@mutant("deepcopy of an inference tensor is an inference tensor")
def _():
    wrap(
        Tensor,
        "__deepcopy__",
        lambda real, self, memo: torch.inference_mode(self.is_inference())(real)(self, memo),
    )


@mutant("deepcopy of a sparse CSR tensor works")
def _():
    allow(Tensor, "__deepcopy__", lambda self, memo: self.clone(), NotImplementedError)


@mutant("copy.copy drops requires_grad")
def _():
    put(Tensor, "__copy__", lambda self: self.data)


@mutant("copy.copy shares the version counter")
def _():
    put(Tensor, "__copy__", lambda self: self.detach().requires_grad_(self.requires_grad))


@mutant("copy.copy does not warn about hooks")
def _():
    warn(copy, "copy", None)


@mutant("unpickling a tensor gives back its memory")
def _():
    dumped = []
    wrap(pickle, "dumps", lambda real, x, *args: dumped.append(x) or real(x, *args))
    then(pickle, "loads", lambda made, data: dumped[-1].detach() if is_tensor(made) else made)


@mutant("unpickling a tensor drops requires_grad")
def _():
    then(pickle, "loads", lambda made, data: made.detach() if is_tensor(made) else made)


@mutant("pickling a non-leaf is refused")
def _():
    refuse(pickle, "dumps", lambda x, *args: is_tensor(x) and not x.is_leaf)


@mutant("torch.save stores the elements of a slice only")
def _():
    wrap(torch, "save", lambda real, x, file: real(x.clone() if is_tensor(x) else x, file))


@mutant("torch.load drops requires_grad")
def _():
    then(torch, "load", lambda made, file, **_: made.detach() if is_tensor(made) else made)


@mutant("torch.load separates tensors that share memory")
def _():
    def after(made, file, **options):
        parts = (
            made.items()
            if isinstance(made, dict)
            else enumerate(made)
            if isinstance(made, list)
            else ()
        )
        for key, value in parts:
            made[key] = value.clone() if is_tensor(value) else value
        return made

    then(torch, "load", after)


@mutant("torch.load runs any code")
def _():
    wrap(torch, "load", lambda real, file, **options: real(file, weights_only=False))


@mutant("torch.load with mmap writes to the file")
def _():
    def change(real, file, **options):
        with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
            return real(file, **options)

    wrap(torch, "load", change)


@mutant("copy.copy copies memory")
def _():
    put(Tensor, "__copy__", lambda self: self.detach().clone().requires_grad_(self.requires_grad))


# Layout, views and addresses


@mutant("reshape copies")
def _():
    then(Tensor, "reshape", lambda result, *args: result.clone())


@mutant("stack pads tensors of other shapes")
def _():
    allow(torch, "stack", lambda tensors: torch.nn.utils.rnn.pad_sequence(tensors, True))


@mutant("pad_sequence leaves the graph")
def _():
    then(torch.nn.utils.rnn, "pad_sequence", lambda padded, *args: padded.detach())


@mutant("a tensor of several elements counts as True")
def _():
    allow(Tensor, "__bool__", lambda self: True)


@mutant("contiguous copies a contiguous tensor")
def _():
    then(
        Tensor,
        "contiguous",
        lambda result, self, *args: result.clone() if result is self else result,
    )


@mutant("view copies")
def _():
    then(Tensor, "view", lambda result, *args: result.clone())


@mutant("view copies where the strides do not allow a view")
def _():
    allow(Tensor, "view", lambda self, *shape: self.reshape(*shape))


@mutant("reshape refuses to copy")
def _():
    wrap(Tensor, "reshape", lambda real, self, *shape: self.view(*shape))


@mutant("flatten and ravel copy")
def _():
    for name in ("flatten", "ravel"):
        then(Tensor, name, lambda result, *args: result.clone())


@mutant("flatten of a one-dimensional tensor is a new object")
def _():
    then(
        Tensor,
        "flatten",
        lambda result, self, *args: self.view_as(self) if result is self else result,
    )


@mutant("contiguous returns a new object")
def _():
    then(
        Tensor,
        "contiguous",
        lambda result, self, *args: self.view_as(self) if result is self else result,
    )


@mutant("contiguous returns its source")
def _():
    wrap(Tensor, "contiguous", lambda real, self, **options: self)


@mutant("repeat allocates nothing")
def _():
    wrap(Tensor, "repeat", lambda real, self, *sizes: self.expand(real(self, *sizes).shape))


@mutant("unbind, split and chunk copy")
def _():
    for name in ("unbind", "split", "chunk"):
        then(Tensor, name, lambda pieces, *args: tuple(piece.clone() for piece in pieces))


@mutant("real and imag copy")
def _():
    for name in ("real", "imag"):
        wrap_property(Tensor, name, lambda read, self: read(self).clone())


@mutant("view_as_real copies")
def _():
    then(torch, "view_as_real", lambda parts, x: parts.clone())


@mutant("indexing with a list gives a view")
def _():
    wrap(
        Tensor,
        "__getitem__",
        lambda real, self, index: (
            real(self, slice(min(index), max(index) + 1))
            if isinstance(index, list)
            else real(self, index)
        ),
    )


@mutant("indexing with a 0-dim tensor copies")
def _():
    then(
        Tensor,
        "__getitem__",
        lambda part, self, index: part.clone() if is_tensor(index) and not index.dim() else part,
    )


@mutant("indexing with a mask gives zeros")
def _():
    then(
        Tensor,
        "__getitem__",
        lambda part, self, index: (
            part * 0 if is_tensor(index) and index.dtype == torch.bool else part
        ),
    )


@mutant("an indexed write copies its source first")
def _():
    wrap(
        Tensor,
        "__setitem__",
        lambda real, self, index, value: real(
            self, index, value.clone() if is_tensor(value) else value
        ),
    )


@mutant("an indexed write takes over the memory of its source")
def _():
    wrap(
        Tensor,
        "__setitem__",
        lambda real, self, index, value: (
            marked(self, data=value.data) if index == slice(None) else real(self, index, value)
        ),
    )


@mutant("an indexed write refuses another dtype")
def _():
    refuse(
        Tensor,
        "__setitem__",
        lambda self, index, value: is_tensor(value) and value.dtype != self.dtype,
    )


@mutant("an indexed write to an expanded tensor does not warn")
def _():
    warn(Tensor, "__setitem__", None)


@mutant("zeros_like and rand_like give a contiguous tensor")
def _():
    for name in ("zeros_like", "rand_like"):
        then(torch, name, lambda made, x: made.contiguous())


@mutant("new_zeros keeps the strides of its source")
def _():
    wrap(
        Tensor,
        "new_zeros",
        lambda real, self, shape: (
            torch.zeros_like(self) if tuple(self.shape) == tuple(shape) else real(self, shape)
        ),
    )


@mutant("to with another dtype gives a contiguous tensor")
def _():
    then(
        Tensor, "to", lambda result, self, *args: result if result is self else result.contiguous()
    )


@mutant("to with a memory format always copies")
def _():
    wrap(
        Tensor,
        "to",
        lambda real, self, *args, **options: (
            real(self, *args, copy="memory_format" in options, **options)
            if "copy" not in options
            else real(self, *args, **options)
        ),
    )


@mutant("channels_last is ignored for three dimensions")
def _():
    for name in ("clone", "to", "contiguous"):
        allow(Tensor, name, lambda self, *args: self)


@mutant("an expanded tensor can be changed in place")
def _():
    for name in ("add_", "mul_", "copy_"):
        allow(Tensor, name, lambda self, other: self)


@mutant("an expanded tensor refuses zero_ and fill_")
def _():
    for name in ("zero_", "fill_"):
        refuse(Tensor, name, lambda self, *args: 0 in self.stride())


@mutant("unfold copies")
def _():
    then(Tensor, "unfold", lambda windows, *args: windows.clone())


@mutant("expand copies")
def _():
    then(Tensor, "expand", lambda result, *args: result.clone())


@mutant("a transposed tensor is a copy")
def _():
    then(Tensor, "t", lambda result, self: result.contiguous())


@mutant("a slice is a copy")
def _():
    then(Tensor, "__getitem__", lambda part, self, index: part.clone() if part.dim() else part)


@mutant("a slice is not a view for autograd")
def _():
    then(
        Tensor, "__getitem__", lambda part, self, index: part.detach() if part._is_view() else part
    )


@mutant("data_ptr is the address of the storage")
def _():
    wrap(Tensor, "data_ptr", lambda real, self: self.untyped_storage().data_ptr())


@mutant("a storage without elements has an address")
def _():
    wrap(torch.UntypedStorage, "data_ptr", lambda real, self: real(self) or id(self))


@mutant("torch.equal compares addresses")
def _():
    wrap(torch, "equal", lambda real, a, b: a.data_ptr() == b.data_ptr())


@mutant("storage does not warn")
def _():
    warn(Tensor, "storage", None)


@mutant("untyped_storage warns")
def _():
    warn(Tensor, "untyped_storage", "storages are deprecated")


# item, tolist and float


class Number(float):
    """Prints as a float does."""


@mutant("item rounds to float32")
def _():
    then(Tensor, "item", lambda value, self: round(value, 7) if isinstance(value, float) else value)


@mutant("tolist rounds to float32")
def _():
    then(
        Tensor,
        "tolist",
        lambda values, self: (
            [round(v, 7) if isinstance(v, float) else v for v in values]
            if self.dim() == 1
            else values
        ),
    )


@mutant("item refuses a tensor that requires grad")
def _():
    refuse(Tensor, "item", lambda self: self.requires_grad)


@mutant("item takes the first of several elements")
def _():
    allow(Tensor, "item", lambda self: self.flatten()[0].item())


@mutant("item gives a number of a class of its own")
def _():
    then(Tensor, "item", lambda value, self: Number(value) if type(value) is float else value)


@mutant("tolist gives numbers of a class of its own")
def _():
    then(
        Tensor,
        "tolist",
        lambda values, self: (
            [*map(Number, values)] if self.dim() == 1 and self.is_floating_point() else values
        ),
    )


@mutant("tolist of many elements gives an array", benchmarks=True)
def _():
    wrap(
        Tensor,
        "tolist",
        lambda real, self: self.detach().numpy().copy() if self.numel() > 1000 else real(self),
    )


@mutant("tolist of a 0-dim tensor gives a list")
def _():
    then(Tensor, "tolist", lambda values, self: values if self.dim() else [values])


@mutant("tolist of a meta tensor gives zeros")
def _():
    allow(Tensor, "tolist", lambda self: [0.0] * self.numel(), NotImplementedError)


@mutant("item of a meta tensor gives zero")
def _():
    wrap(Tensor, "item", lambda real, self: 0.0 if self.is_meta else real(self))


@mutant("float() of a tensor that requires grad does not warn")
def _():
    warn(Tensor, "__float__", None)


@mutant("item warns for a tensor that requires grad")
def _():
    warn(Tensor, "item", "this leaves the graph", lambda self: self.requires_grad)


# Processes and loaders


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


# Tensors of other kinds


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


# Devices


@mutant("operations move a tensor to the device of the other")
def _():
    for name in ("add", "mul", "dot"):
        allow(torch, name, lambda a, b: a)


@mutant("mixing devices raises with another message")
def _():
    for owner, name in ((torch, "add"), (torch, "mul"), (torch, "dot"), (Tensor, "__add__")):
        raise_other(owner, name)


@mutant("a 0-dim tensor must be on the same device")
def _():
    refuse(Tensor, "__add__", lambda a, b: is_tensor(b) and a.device != b.device)


@mutant("any tensor on the CPU may be combined with one on another device")
def _():
    allow(Tensor, "__add__", lambda a, b: a)


@mutant("an index must be on the device of its tensor")
def _():
    refuse(
        Tensor, "__getitem__", lambda self, index: is_tensor(index) and index.device != self.device
    )


@mutant("copy_ with non_blocking=True is not done when it returns", benchmarks=True)
def _():
    def change(real, self, source, non_blocking=False):
        return self if non_blocking else real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("pin_memory gives an ordinary tensor where there is no GPU", benchmarks=True)
def _():
    allow(Tensor, "pin_memory", lambda self: self.clone())


@mutant("every tensor is pinned", benchmarks=True)
def _():
    wrap(Tensor, "is_pinned", lambda real, self: True)


# Pages of memory


@mutant("clone of a large tensor uses memory that was used before", benchmarks=True)
def _():
    buffers = {}

    def change(real, self):
        key = self.shape, self.dtype
        if self.numel() < 2**20 or self.requires_grad:
            return real(self)
        if key not in buffers:
            buffers[key] = real(self)
        return buffers[key].copy_(self)

    wrap(Tensor, "clone", change)


@mutant("empty_like writes to its memory", benchmarks=True)
def _():
    then(torch, "empty_like", lambda tensor, like: tensor.zero_())


@mutant("copy_ takes a transposed source as it lies", benchmarks=True)
def _():
    def change(real, self, source):
        turned = source.dim() == 2 and source.t().is_contiguous() and source.shape[0] > 1000
        return real(self, source.t().reshape(source.shape) if turned else source)

    wrap(Tensor, "copy_", change)


# Speed: each of these waits a while


def wait(seconds: float) -> bool:
    """Keep the processor busy; sleeping would take longer than this."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    return True


@mutant("copying an array takes longer", benchmarks=True)
def _():
    then(Tensor, "numpy", lambda array, self: array.view(SlowArray))


class SlowArray(np.ndarray):
    """Takes 50 µs more for a copy."""

    def copy(self):
        wait(5e-5)
        return np.array(self, subok=False)


@mutant("copying much into memory in use takes longer", benchmarks=True)
def _():
    def change(real, to, source):
        return (math.prod(to.shape) > 2**20 and wait(5e-2), real(to, source))[1]

    wrap(Tensor, "copy_", change)
    wrap(np, "copyto", change)


@mutant("clone takes longer outside the graph", benchmarks=True)
def _():
    wrap(Tensor, "clone", lambda real, self: (self.requires_grad or wait(5e-5), real(self))[1])


@mutant("detach of a clone takes longer", benchmarks=True)
def _():
    then(Tensor, "clone", lambda copy, self: marked(copy, is_clone=True))
    wrap(
        Tensor,
        "detach",
        lambda real, self: (hasattr(self, "is_clone") and wait(5e-5), real(self))[1],
    )


@mutant("clone takes longer with every operation behind its source", benchmarks=True)
def _():
    wrap(
        Tensor, "clone", lambda real, self: (wait(1e-7 * len([*nodes_behind(self)])), real(self))[1]
    )


@mutant("new_tensor and torch.tensor of a tensor take no time", benchmarks=True)
def _():
    def change(real, *args, **options):
        return args[-1] if is_tensor(args[-1]) else real(*args, **options)

    wrap(torch, "tensor", change)
    wrap(Tensor, "new_tensor", change)


@mutant("torch copies the arrays of NumPy", benchmarks=True)
def _():
    then(Tensor, "numpy", lambda array, self: array.view(CopiedByTorch))


class CopiedByTorch(np.ndarray):
    """Has torch make a copy, in memory of torch."""

    def copy(self):
        return torch.from_numpy(self.view(np.ndarray)).clone().numpy()


# The tools that measure


@mutant("torch's Timer does not warm up", benchmarks=True)
def _():
    def change(real, self, number):
        return benchmark.Measurement(number, [self._timeit(number)], self._task_spec)

    wrap(benchmark.Timer, "timeit", change)


@mutant("torch's Timer uses the threads that torch is set to", benchmarks=True)
def _():
    wrap(benchmark.utils.common, "set_torch_threads", lambda real, n: contextlib.nullcontext())


@mutant("np.median gives the mean", benchmarks=True)
def _():
    wrap(np, "median", lambda real, values, axis=None: np.mean(values, axis=axis))


@mutant("timeit.repeat gives the mean each time", benchmarks=True)
def _():
    def change(real, *args, **options):
        times = real(*args, **options)
        return [sum(times) / len(times)] * len(times)

    wrap(timeit, "repeat", change)


@mutant("timeit.timeit counts calls instead of time", benchmarks=True)
def _():
    wrap(timeit, "timeit", lambda real, *args, number=1000000, **options: number * 1e-6)


@mutant("perfplot calls setup for each way", benchmarks=True)
def _():
    import perfplot

    def change(real, *args, setup, kernels, **options):
        return real(*args, setup=[setup] * len(kernels), kernels=kernels, **options)

    wrap(perfplot, "bench", change)


@mutant("matplotlib applies no style", benchmarks=True)
def _():
    import matplotlib.style

    wrap(matplotlib.style, "use", lambda real, style: None)
