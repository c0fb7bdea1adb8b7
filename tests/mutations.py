"""The mutants: PyTorch (and its surroundings) with one behavior changed.

`wrap(owner, name, change)` puts `change` in the place of `owner.name`; `change` gets the real thing
as its first argument. Each mutant runs in a process of its own, so nothing is put back.
"""

import copy
import functools
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module


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


def watch(names: list[str]) -> Callable[[], list[str]]:
    """Change nothing in this process, but note what is used from now on of all that mutants replace.

    The function returned says which mutants may make a difference to what has run by then.
    """
    guard_printing()
    used, places = set(), {name: targets(name) for name in names}

    def noting(key: tuple) -> Callable:
        return lambda real, *args, **options: used.add(key) or real(*args, **options)

    for owner, name in {(id(o), n): (o, n) for pairs in places.values() for o, n in pairs}.values():
        value, key = getattr(owner, name, None), (id(owner), name)
        if hasattr(value, "__set__"):
            wrap_property(owner, name, noting(key), noting(key))
        elif callable(value):
            wrap(owner, name, noting(key))
        else:
            used.add(key)
    return lambda: [n for n in names if any((id(o), a) in used for o, a in places[n])]


# Ways to change something


def put(owner: object, name: str, value: object) -> None:
    """Set `owner.name`; while the targets of mutants are looked up, only note it."""
    if TARGETS is None:
        setattr(owner, name, value)
    else:
        TARGETS.append((owner, name))


def wrap(owner: object, name: str, change: Callable) -> None:
    """Replace `owner.name` by a call of `change(real, ...)`."""
    real = getattr(owner, name)

    @functools.wraps(real)
    def changed(*args, **options):
        return real(*args, **options) if PRINTING else change(real, *args, **options)

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
    wrap(owner, name, lambda real, *args, **options: after(real(*args, **options), *args))


def allow(owner: object, name: str, instead: Callable, *errors: type[Exception]) -> None:
    """Let `owner.name` give `instead(*args)` where it raises."""

    def change(real, *args, **options):
        try:
            return real(*args, **options)
        except errors or RuntimeError:
            return instead(*args)

    wrap(owner, name, change)


def refuse(owner: object, name: str, when: Callable, error=RuntimeError) -> None:
    """Let `owner.name` raise an error when `when(*args)` holds."""

    def change(real, *args, **options):
        if when(*args):
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
        if text and (caught or when(*args)):
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


def leaves_behind(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the leaves into which backward() adds gradients."""
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
            if hasattr(node, "variable"):
                yield node.variable


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


IN_PLACE = ("add_", "mul_", "sub_", "zero_", "fill_", "copy_", "__setitem__", "__iadd__", "__imul__", "__isub__")


# clone


@mutant("clone shares memory", benchmarks=True)
def _():
    wrap(Tensor, "clone", lambda real, self, **options: self.view_as(self))


@mutant("clone leaves the graph")
def _():
    then(Tensor, "clone", lambda copy, self: copy.detach())


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
        return real(self.as_strided((whole,), (1,), 0)).as_strided(self.shape, self.stride(), start) if gaps else real(self)

    wrap(Tensor, "clone", change)


@mutant("clone turns integers into floats")
def _():
    then(Tensor, "clone", lambda copy, self: copy if copy.is_floating_point() or copy.is_complex() else copy.float())


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
    then(Tensor, "clone", lambda copy, self: marked(copy, retained=copy.requires_grad and copy.retain_grad()))


@mutant("clone starts at the version of its source")
def _():
    then(Tensor, "clone", lambda copy, self: set_version(copy, self._version) or copy)


@mutant("clone of a subclass is a plain Tensor")
def _():
    then(Tensor, "clone", lambda copy, self: copy if type(self) is Tensor else copy.as_subclass(Tensor))


@mutant("clone takes over the gradient in .grad")
def _():
    then(Tensor, "detach", lambda alias, self: marked(alias, source=self.grad if self.is_leaf else None))
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
    wrap(Tensor, "detach", lambda real, self: real(self).clone())


@mutant("detach returns its source")
def _():
    wrap(Tensor, "detach", lambda real, self: self)


@mutant("detach stays in the graph", benchmarks=True)
def _():
    wrap(Tensor, "detach", lambda real, self: self.view_as(self))


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
    then(Tensor, "detach", lambda alias, self: alias.float() if alias.dtype == torch.int64 else alias)


@mutant("detach keeps the graph alive")
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
    then(Tensor, "detach", lambda alias, self: marked(alias, grad=self.grad if self.is_leaf else None))


@mutant("detach resets the version counter")
def _():
    then(Tensor, "detach", lambda alias, self: set_version(alias, 0) or alias)


@mutant("detach of an nn.Parameter is an nn.Parameter")
def _():
    wrap(torch.nn.Parameter, "detach", lambda real, self: torch.nn.Parameter(real(self), requires_grad=False))
    wrap(torch.nn.Parameter, "clone", lambda real, self: torch.nn.Parameter(real(self), requires_grad=False))


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
    wrap_property(Tensor, "data", None, lambda put, self, new: (put(self, new), set_version(self, self._version + 1)))


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


# copy_


@mutant("copy_ takes over the memory of its source", benchmarks=True)
def _():
    def change(real, self, source):
        fits = (self.shape, self.dtype) == (source.shape, source.dtype)
        return marked(self, data=source) if fits and not self.requires_grad else real(self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ gives the destination new memory")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(marked(self, data=self.data.clone()), source))


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
    wrap(Tensor, "copy_", lambda real, self, source: real(self, unscaled(source * 1, 2) if source.requires_grad else source))


@mutant("copy_ forgets what the destination was computed from")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(self if self.is_leaf else self.detach_(), source))


@mutant("copy_ takes over the dtype of its source")
def _():
    def change(real, self, source):
        convert = self.dtype != source.dtype and not self.requires_grad
        return real(marked(self, data=self.data.to(source.dtype)) if convert else self, source)

    wrap(Tensor, "copy_", change)


@mutant("copy_ rounds to the nearest integer")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(self, source if self.is_floating_point() else source.round()))


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
    allow(Tensor, "copy_", lambda self, source: self.detach().copy_(source) if leaf_that_requires_grad(self) else self.copy_(source))


@mutant("copy_ is recorded under no_grad as well")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: torch.enable_grad()(real)(self, source) if not self.requires_grad else real(self, source))


@mutant("copy_ into a view leaves the base alone")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: self.clone().detach() if self._is_view() else real(self, source))


@mutant("copy_ writes into an expanded tensor")
def _():
    allow(Tensor, "copy_", lambda self, source: self.clone())


@mutant("copy_ refuses a source on another device")
def _():
    refuse(Tensor, "copy_", lambda self, source: self.device != source.device)


@mutant("copy_ takes the destination to the device of its source")
def _():
    wrap(Tensor, "copy_", lambda real, self, source: real(self, source) if self.device == source.device else source.clone())


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


@mutant("torch.tensor of a tensor shares memory", benchmarks=True)
def _():
    for_tensors(torch, "tensor", lambda data, made: data.detach())


@mutant("torch.tensor of a tensor stays in the graph", benchmarks=True)
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


@mutant("torch.tensor warns for lists, numbers and arrays as well", benchmarks=True)
def _():
    warn(torch, "tensor", "torch.tensor copies")


@mutant("torch.tensor of a list of tensors stays in the graph")
def _():
    def change(real, data, **options):
        return torch.stack(data) if isinstance(data, list) and is_tensor(data[0]) else real(data, **options)

    wrap(torch, "tensor", change)


@mutant("torch.tensor of a list accepts tensors with more than one element")
def _():
    allow(torch, "tensor", lambda data: torch.stack(data), ValueError)


@mutant("torch.tensor of an array shares memory")
def _():
    wrap(torch, "tensor", lambda real, data, **options: torch.from_numpy(data) if isinstance(data, np.ndarray) else real(data, **options))


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
    wrap(Tensor, "new_tensor", lambda real, self, data, **options: real(self, data, **({"dtype": torch.float32} | options if isinstance(data, (list, float)) else options)))


@mutant("new_tensor shares memory with its data", benchmarks=True)
def _():
    for_tensors(Tensor, "new_tensor", lambda data, made: data.detach() if data.dtype == made.dtype else made)


@mutant("new_tensor takes the device from a tensor as data")
def _():
    for_tensors(Tensor, "new_tensor", lambda data, made: made if made.device == data.device else data.clone())


@mutant("new_tensor puts a list on the default device")
def _():
    wrap(Tensor, "new_tensor", lambda real, self, data, **options: real(self, data, **{"device": "cpu", **options}) if isinstance(data, list) else real(self, data, **options))


@mutant("new_tensor stays in the graph", benchmarks=True)
def _():
    for_tensors(Tensor, "new_tensor", lambda data, made: data.to(made.dtype, copy=True) if made.device == data.device else made)


@mutant("new_tensor takes requires_grad from its pattern")
def _():
    then(Tensor, "new_tensor", lambda made, self, data: made.requires_grad_(made.requires_grad or self.requires_grad))


@mutant("new_tensor ignores requires_grad=True")
def _():
    then(Tensor, "new_tensor", lambda made, self, data: made.detach())


@mutant("new_tensor with requires_grad=True accepts an integer pattern")
def _():
    allow(Tensor, "new_tensor", lambda self, data: self.clone())


@mutant("new_tensor does not warn", benchmarks=True)
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
    wrap(Tensor, "new_tensor", lambda real, self, data, dtype=None, **options: real(self, data, dtype=dtype, **options))


@mutant("new_tensor ignores dtype=")
def _():
    wrap(Tensor, "new_tensor", lambda real, self, data, dtype=None, **options: real(self, data, **options))


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


@mutant("asarray with copy=True shares memory")
def _():
    wrap(torch, "asarray", lambda real, x, **options: real(x))


@mutant("from_dlpack copies")
def _():
    then(torch, "from_dlpack", lambda made, x: made.clone())


@mutant("from_dlpack shares the version counter")
def _():
    wrap(torch, "from_dlpack", lambda real, x: x.detach())


@mutant("torch.Tensor of a tensor copies")
def _():
    wrap(Tensor, "__new__", lambda real, cls, *args: real(cls, *(a.clone() if is_tensor(a) else a for a in args)))


@mutant("torch.Tensor of a tensor leaves the graph")
def _():
    wrap(Tensor, "__new__", lambda real, cls, *args: real(cls, *(a.detach() if is_tensor(a) else a for a in args)))


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


@mutant("numpy copies", benchmarks=True)
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
    then(Tensor, "numpy", lambda array, self: array.astype(np.float64) if array.dtype == np.float32 else array)


@mutant("numpy resolves a lazy conjugate itself")
def _():
    wrap(Tensor, "numpy", lambda real, self, **options: real(self.resolve_conj(), **options))


@mutant("numpy accepts bfloat16")
def _():
    wrap(Tensor, "numpy", lambda real, self, **options: real(self.float() if self.dtype == torch.bfloat16 else self, **options))


@mutant("numpy with force=True copies")
def _():
    wrap(Tensor, "numpy", lambda real, self, force=False: real(self, force=force).copy() if force else real(self))


@mutant("numpy with force=True accepts bfloat16")
def _():
    wrap(Tensor, "numpy", lambda real, self, force=False: real(self.float() if force and self.dtype == torch.bfloat16 else self, force=force))


@mutant("numpy ignores force=True")
def _():
    wrap(Tensor, "numpy", lambda real, self, force=False: real(self))


@mutant("numpy of a tensor on another device gives an empty array")
def _():
    wrap(Tensor, "numpy", lambda real, self, **options: np.empty(0) if self.is_meta else real(self, **options))


@mutant("numpy checks requires_grad before the device")
def _():
    refuse(Tensor, "numpy", lambda self: self.is_meta and self.requires_grad)


@mutant("numpy raises ValueError")
def _():
    raise_other(Tensor, "numpy", ValueError)


@mutant("numpy raises with another message")
def _():
    raise_other(Tensor, "numpy")


@mutant("numpy gives an array that keeps nothing alive", benchmarks=True)
def _():
    then(Tensor, "numpy", lambda array, self: np.ndarray(array.shape, array.dtype, array.copy().data, 0, array.strides) if array.flags.c_contiguous else array)


@mutant("numpy keeps the graph alive")
def _():
    kept = []
    wrap(Tensor, "detach", lambda real, self: marked(real(self), source=self))
    then(Tensor, "numpy", lambda array, self: kept.append(self) or array)


@mutant("a write to an array moves the version counter")
def _():
    then(Tensor, "numpy", lambda array, self: self.data.is_meta or set_version(self, self._version + 1) or array)


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
        wrap(Tensor, name, lambda real, self, other: real(self, torch.as_tensor(other)) if isinstance(other, np.ndarray) else real(self, other))


@mutant("an array behind a tensor is refused")
def _():
    refuse(Tensor, "__array_wrap__", lambda *args: True, TypeError)


@mutant("a tensor plus an array is an array")
def _():
    wrap(Tensor, "__array_wrap__", lambda real, self, array, *args: array)


@mutant("functions of torch accept arrays")
def _():
    for name in ("sin", "add", "mm"):
        wrap(torch, name, lambda real, *args: real(*(torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args)))


@mutant("a NumPy number times a tensor leaves the graph")
def _():
    wrap(Tensor, "__rmul__", lambda real, self, other: real(self.detach(), other) if isinstance(other, np.generic) else real(self, other))
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
    wrap(Tensor, "to", lambda real, self, *args, copy=False, **options: real(self, *args, **options))


@mutant("to with copy=True leaves the graph")
def _():
    wrap(Tensor, "to", lambda real, self, *args, copy=False, **options: real(self.detach() if copy else self, *args, copy=copy, **options))


@mutant("to leaves the graph")
def _():
    then(Tensor, "to", lambda result, self, *args: result if result is self else result.detach())


@mutant("double and half leave the graph")
def _():
    for name in ("double", "half"):
        then(Tensor, name, lambda result, self: result if result is self else result.detach())


@mutant("to changes the tensor in place")
def _():
    then(Tensor, "to", lambda result, self, *args: marked(self, data=result.detach()) if result.device == self.device and not self.requires_grad else result)


@mutant("to ignores the dtype")
def _():
    wrap(Tensor, "to", lambda real, self, *args, **options: real(self, *(a for a in args if not isinstance(a, torch.dtype)), **options))


@mutant("to takes the device from a tensor, but not the dtype")
def _():
    wrap(Tensor, "to", lambda real, self, other, *args, **options: real(self, other.device if is_tensor(other) else other, *args, **options))


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
    then(Tensor, "to", lambda result, self, *args: result if torch.is_grad_enabled() else result.detach())


@mutant("to gives a leaf")
def _():
    then(Tensor, "to", lambda result, self, *args: result if result is self else result.detach().requires_grad_(result.requires_grad))


@mutant("to doubles the gradient")
def _():
    then(Tensor, "to", lambda result, self, *args: result if result is self else unscaled(result, 2))


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
    wrap_property(Tensor, "requires_grad", None, lambda put, self, flag: put(self, flag) if self.is_leaf else None)


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
    wrap_property(Tensor, "grad", lambda get, self: get(self) if self.requires_grad else torch.zeros_like(self))


@mutant(".grad of a leaf starts with zeros")
def _():
    wrap_property(Tensor, "grad", lambda get, self: torch.zeros_like(self) if leaf_that_requires_grad(self) and get(self) is None else get(self))


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
    then(Tensor, "retain_grad", lambda result, self: None if self.is_leaf else setattr(self, "grad", torch.ones_like(self)))


@mutant("retain_grad makes a leaf")
def _():
    wrap(Tensor, "retain_grad", lambda real, self: self.requires_grad and self.detach_().requires_grad_())


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
    wrap(Tensor, "register_hook", lambda real, self, hook: real(self, lambda gradient: hook(gradient) and None))


@mutant("hooks of a leaf get each path on its own")
def _():
    wrap(Tensor, "register_hook", lambda real, self, hook: real(self, (lambda g: [hook(g - 1), hook(g - 2)] and None) if self.is_leaf else hook))


# Version counters and in-place changes


@mutant("an in-place change does not move the version counter")
def _():
    count_writes(lambda version: version, *IN_PLACE)


@mutant("an in-place change moves the version counter by two")
def _():
    count_writes(lambda version: version + 2, *IN_PLACE)


@mutant("an in-place change under no_grad does not move the version counter")
def _():
    def change(real, self, *args):
        version = self._version
        result = real(self, *args)
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
    def change(real, self, *args):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not leaf_that_requires_grad(self)):
            return real(self, *args)

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
    def change(real, self, *args):
        try:
            return real(self, *args)
        except RuntimeError:
            real(self.detach(), *args)
            raise

    for name in IN_PLACE:
        wrap(Tensor, name, change)


@mutant("add_ leaves a plain tensor outside the graph")
def _():
    for name in ("add_", "__iadd__"):
        wrap(Tensor, name, lambda real, self, other: real(self, other if self.requires_grad or not is_tensor(other) else other.detach()))


@mutant("an in-place operation makes a new tensor")
def _():
    for name in ("add", "mul", "sub"):
        wrap(Tensor, f"__i{name}__", lambda real, self, other, new=getattr(torch, name): new(self, other))


@mutant("an addition writes into its first operand")
def _():
    wrap(Tensor, "__add__", lambda real, self, other: real(self, other) if self.requires_grad else self.add_(other))


# Grad modes


@mutant("no_grad records operations")
def _():
    wrap(torch.no_grad, "__enter__", lambda real, self: (real(self), torch.set_grad_enabled(True))[0])


@mutant("no_grad ignores requires_grad=True")
def _():
    wrap(torch, "ones", lambda real, *args, requires_grad=False, **options: real(*args, requires_grad=requires_grad and torch.is_grad_enabled(), **options))


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
    wrap(Tensor, "backward", lambda real, self, *args: real(self, *args) if self.requires_grad else None)


@mutant("backward raises with another message")
def _():
    raise_other(Tensor, "backward")


@mutant("backward does nothing")
def _():
    wrap(Tensor, "backward", lambda real, self: None)


@mutant("backward warns")
def _():
    warn(Tensor, "backward", "gradients are computed")


@mutant("a multiplication saves a copy")
def _():
    wrap(Tensor, "__mul__", lambda real, self, other: real(self.clone(), other.clone()) if is_tensor(other) else real(self, other))


@mutant("an addition saves its operands")
def _():
    wrap(Tensor, "__add__", lambda real, self, other: real(self, other) + 0 * self * self if self.requires_grad else real(self, other))


@mutant("an addition of a detached tensor saves it")
def _():
    wrap(Tensor, "__add__", lambda real, self, other: real(self, other) + 0 * (self * other) if is_tensor(other) else real(self, other))


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
    refuse(torch.autograd, "grad", lambda output, inputs: not all(leaf_that_requires_grad(x) for x in inputs))


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
    wrap(torch.optim.Optimizer, "zero_grad", lambda real, self, set_to_none=True: real(self, set_to_none=False))


@mutant("zero_grad always sets .grad to None")
def _():
    wrap(torch.optim.Optimizer, "zero_grad", lambda real, self, set_to_none=True: real(self))


@mutant("zero_grad does nothing")
def _():
    wrap(torch.optim.Optimizer, "zero_grad", lambda real, self, **options: None)


@mutant("state_dict copies")
def _():
    then(Module, "state_dict", lambda state, self, *args: {name: value.clone() for name, value in state.items()})


@mutant("state_dict keeps the graph")
def _():
    wrap(Module, "state_dict", lambda real, self, *args, **options: real(self, *args, **options | {"keep_vars": True}))


@mutant("load_state_dict assigns the tensors that it is given")
def _():
    wrap(Module, "load_state_dict", lambda real, self, state, assign=False: real(self, state, assign=True))


@mutant("load_state_dict ignores assign=True")
def _():
    wrap(Module, "load_state_dict", lambda real, self, state, assign=False: real(self, state))


@mutant("a frozen module lets no gradients pass")
def _():
    in_mode(torch.nn.Linear, "forward", lambda: torch.no_grad())


@mutant("requires_grad_ of a module does nothing")
def _():
    wrap(Module, "requires_grad_", lambda real, self, *args: self)


# copy, deepcopy and pickle


@mutant("deepcopy shares memory")
def _():
    wrap(Tensor, "__deepcopy__", lambda real, self, memo: self.detach())


@mutant("copy.copy copies memory")
def _():
    put(Tensor, "__copy__", lambda self: self.detach().clone().requires_grad_(self.requires_grad))


@mutant("pickling a tensor keeps its memory")
def _():
    dumped = []
    wrap(pickle, "dumps", lambda real, x, *args: dumped.append(x) or real(x, *args))
    then(pickle, "loads", lambda made, data: dumped[-1].detach().requires_grad_(made.requires_grad) if is_tensor(made) else made)


# Layout, views and addresses


@mutant("reshape copies")
def _():
    then(Tensor, "reshape", lambda result, *args: result.clone())


@mutant("contiguous copies a contiguous tensor")
def _():
    then(Tensor, "contiguous", lambda result, self, *args: result.clone() if result is self else result)


@mutant("view copies")
def _():
    then(Tensor, "view", lambda result, *args: result.clone())


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
    then(Tensor, "__getitem__", lambda part, self, index: part.detach() if part._is_view() else part)


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


@mutant("item rounds to float32")
def _():
    then(Tensor, "item", lambda value, self: round(value, 7) if isinstance(value, float) else value)


@mutant("tolist rounds to float32")
def _():
    then(Tensor, "tolist", lambda values, self: [round(v, 7) if isinstance(v, float) else v for v in values] if self.dim() == 1 else values)


@mutant("item refuses a tensor that requires grad")
def _():
    refuse(Tensor, "item", lambda self: self.requires_grad)


@mutant("item takes the first of several elements")
def _():
    allow(Tensor, "item", lambda self: self.flatten()[0].item())


@mutant("item gives a tensor")
def _():
    wrap(Tensor, "item", lambda real, self: self.detach())


@mutant("tolist gives tensors")
def _():
    wrap(Tensor, "tolist", lambda real, self: list(self) if self.dim() else real(self))


@mutant("tolist of a 0-dim tensor gives a list")
def _():
    then(Tensor, "tolist", lambda values, self: values if self.dim() else [values])


@mutant("float() of a tensor that requires grad does not warn")
def _():
    warn(Tensor, "__float__", None)


@mutant("item warns for a tensor that requires grad")
def _():
    warn(Tensor, "item", "this leaves the graph", lambda self: self.requires_grad)


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
    refuse(Tensor, "__add__", lambda a, b: a.device != b.device)


@mutant("any tensor on the CPU may be combined with one on another device")
def _():
    allow(Tensor, "__add__", lambda a, b: a)


@mutant("an index must be on the device of its tensor")
def _():
    refuse(Tensor, "__getitem__", lambda self, index: is_tensor(index) and index.device != self.device)
