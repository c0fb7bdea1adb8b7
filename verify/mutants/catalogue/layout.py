"""Mutants: layout, views and addresses."""

import torch
from torch import Tensor

from verify.mutants.changes import (
    allow,
    in_mode,
    is_tensor,
    marked,
    mutant,
    refuse,
    then,
    unscaled,
    warn,
    wrap,
    wrap_property,
)


@mutant("reshape copies")
def _():
    then(Tensor, "reshape", lambda result, *args: result.clone())


@mutant("stack pads tensors of other shapes")
def _():
    allow(torch, "stack", lambda tensors: torch.nn.utils.rnn.pad_sequence(tensors, True))


@mutant("pad_sequence pads every dimension")
def _():
    def instead(sequences):
        width = max(t.shape[-1] for t in sequences)
        pad = torch.nn.functional.pad
        return torch.stack([pad(t, (0, width - t.shape[-1])) for t in sequences])

    allow(torch.nn.utils.rnn, "pad_sequence", instead)


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


@mutant("reshape and flatten copy what is not contiguous")
def _():
    for name in ("reshape", "flatten"):
        wrap(
            Tensor,
            name,
            lambda real, self, *args: real(self.contiguous(), *args),
        )


@mutant("ravel gives a view where the strides allow one")
def _():
    wrap(Tensor, "ravel", lambda real, self: self.reshape(-1))


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


@mutant("cat of one tensor returns it", slow="benchmarks")
def _():
    wrap(
        torch,
        "cat",
        lambda real, pieces, *args: pieces[0] if len(pieces) == 1 else real(pieces, *args),
    )


@mutant("cat with out= makes a tensor first", slow="benchmarks")
def _():
    wrap(torch, "cat", lambda real, pieces, out: out.copy_(real(pieces)))


@mutant("repeat allocates nothing")
def _():
    wrap(Tensor, "repeat", lambda real, self, *sizes: self.expand(real(self, *sizes).shape))


@mutant("unbind, split and chunk copy")
def _():
    for name in ("unbind", "split", "chunk"):
        then(Tensor, name, lambda pieces, *args: tuple(piece.clone() for piece in pieces))


def cut(self: Tensor, sizes: list[int]) -> tuple[Tensor, ...]:
    """Return the pieces as ordinary views, one by one."""
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(self.narrow(0, at, size) for at, size in zip(starts, sizes, strict=True))


@mutant("unbind gives ordinary views")
def _():
    wrap(torch, "unbind", lambda real, x: tuple(part.squeeze(0) for part in cut(x, [1] * len(x))))


@mutant("split gives ordinary views")
def _():
    wrap(Tensor, "split", lambda real, x, size: cut(x, [len(p) for p in real(x, size)]))


@mutant("chunk gives ordinary views")
def _():
    wrap(Tensor, "chunk", lambda real, x, n: cut(x, [len(p) for p in real(x, n)]))


@mutant("tensor_split gives the pieces of chunk")
def _():
    wrap(Tensor, "tensor_split", lambda real, x, n: x.chunk(n))


@mutant("a loop over a tensor gives ordinary views")
def _():
    wrap(Tensor, "__iter__", lambda real, x: iter([x[i] for i in range(len(x))]))


@mutant("mul_ with grad mode on goes unnoticed by the pieces")
def _():
    def change(real, self, other):
        if not torch.is_grad_enabled() or not self.requires_grad:
            return real(self, other)
        real(self.data, other)
        return self

    wrap(Tensor, "mul_", change)


@mutant("an int32 index of 0 dimensions copies")
def _():
    def change(part, self, index):
        scalar = torch.is_tensor(index) and index.dim() == 0
        return part.clone() if scalar and index.dtype == torch.int32 else part

    then(Tensor, "__getitem__", change)


@mutant("a slice of a non-leaf cannot be changed in place")
def _():
    then(
        Tensor,
        "__getitem__",
        lambda part, self, index: self.unbind()[0] if index == 0 and not self.is_leaf else part,
    )


@mutant("real and imag copy")
def _():
    for name in ("real", "imag"):
        wrap_property(Tensor, name, lambda read, self: read(self).clone())


@mutant("real copies")
def _():
    wrap_property(Tensor, "real", lambda read, self: read(self).clone())


@mutant("view_as_real copies")
def _():
    then(torch, "view_as_real", lambda parts, x: parts.clone())


@mutant("indexing with tensors of one element gives a view")
def _():
    def change(real, self, index):
        if isinstance(index, tuple) and all(is_tensor(i) and i.shape == (1,) for i in index):
            first, *others = map(int, index)
            return real(self, (slice(first, first + 1), *others))
        return real(self, index)

    wrap(Tensor, "__getitem__", change)


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


@mutant("indexing with True gives a view")
def _():
    wrap(
        Tensor,
        "__getitem__",
        lambda real, self, index: real(self, None if index is True else index),
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


@mutant("an indexed write sends zeros as the gradient of its source")
def _():
    wrap(
        Tensor,
        "__setitem__",
        lambda real, self, index, value: real(
            self,
            index,
            unscaled(value.view_as(value), 0)
            if is_tensor(value) and value.requires_grad
            else value,
        ),
    )


@mutant("an indexed write refuses leading dimensions of size 1")
def _():
    refuse(
        Tensor,
        "__setitem__",
        lambda self, index, value: is_tensor(value) and value.dim() > self.dim(),
    )


@mutant("an indexed write converts a tensor with one element")
def _():
    def change(real, self, index, value):
        if isinstance(value, Tensor) and value.numel() == 1:
            value = value.to(self.dtype)
        return real(self, index, value)

    wrap(Tensor, "__setitem__", change)


@mutant("an indexed write to an expanded tensor does not warn")
def _():
    warn(Tensor, "__setitem__", None)


@mutant("an indexed write to a row of an expanded tensor warns")
def _():
    text = "this use on expanded tensors is deprecated"
    warn(Tensor, "__setitem__", text, lambda self, index, value: str(index) == "(0, [0])")


@mutant("zeros_like and rand_like give a contiguous tensor")
def _():
    for name in ("zeros_like", "rand_like"):
        then(torch, name, lambda made, x: made.contiguous())


@mutant("ones_like, full_like, randn_like and randint_like give a contiguous tensor")
def _():
    for name in ("ones_like", "full_like", "randn_like", "randint_like"):
        then(torch, name, lambda made, x, *args: made.contiguous())


@mutant("new_zeros keeps the strides of its source")
def _():
    wrap(
        Tensor,
        "new_zeros",
        lambda real, self, shape: (
            torch.zeros_like(self) if tuple(self.shape) == tuple(shape) else real(self, shape)
        ),
    )


@mutant("new_empty, new_ones and new_full keep the strides of their source")
def _():
    for name in ("new_empty", "new_ones", "new_full"):
        then(
            Tensor,
            name,
            lambda made, self, shape, *args: (
                torch.empty_like(self) if tuple(self.shape) == tuple(shape) else made
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


@mutant("to with a memory format closes the gaps of a crop")
def _():
    def change(real, self, *args, memory_format=torch.preserve_format, **options):
        if args or options or memory_format == torch.preserve_format or self.dim() != 4:
            return real(self, *args, memory_format=memory_format, **options)
        made = real(self, memory_format=memory_format)
        return made.contiguous(memory_format=memory_format)

    wrap(Tensor, "to", change)


@mutant("to with a memory format returns images of one channel")
def _():
    def change(real, self, *args, **options):
        last = options == {"memory_format": torch.channels_last} and not args
        return self if last and self.is_contiguous(**options) else real(self, *args, **options)

    wrap(Tensor, "to", change)


@mutant("is_contiguous looks at dimensions of one element")
def _():
    def change(real, self):
        return real(self) and self.stride() == torch.empty(self.shape).stride()

    wrap(Tensor, "is_contiguous", change)


@mutant("clone with a memory format leaves the strides of a contiguous tensor")
def _():
    def change(real, self, *, memory_format):
        is_so = memory_format is torch.contiguous_format and self.is_contiguous()
        return real(self) if is_so else real(self, memory_format=memory_format)

    wrap(Tensor, "clone", change)


@mutant("view with another dtype takes a contiguous tensor with any strides")
def _():
    def instead(self, dtype):
        return self.clone(memory_format=torch.contiguous_format).view(dtype)

    allow(Tensor, "view", instead)


@mutant("reshape and view to the same shape keep the strides")
def _():
    def change(real, self, *shape):
        return self[...] if tuple(self.shape) == shape else real(self, *shape)

    for name in ("reshape", "view"):
        wrap(Tensor, name, change)


@mutant("to with a memory format leaves a stride that nothing is read with")
def _():
    def change(real, self, *, memory_format):
        kept = self.is_contiguous(memory_format=memory_format) and self.dim() == 4
        return self if kept else real(self, memory_format=memory_format)

    wrap(Tensor, "to", change)


@mutant("channels_last is ignored for three dimensions")
def _():
    for name in ("clone", "to", "contiguous"):
        allow(Tensor, name, lambda self, *args: self)


@mutant("channels_last is ignored for five dimensions")
def _():
    def change(real, self, *args, **options):
        ignored = self.dim() == 5 and options.get("memory_format") is torch.channels_last
        return self if ignored else real(self, *args, **options)

    for name in ("clone", "to", "contiguous"):
        wrap(Tensor, name, change)


@mutant("an expanded tensor can be changed in place")
def _():
    for name in ("add_", "mul_", "copy_"):
        allow(Tensor, name, lambda self, other: self)


@mutant("an expanded tensor takes a number for a slice")
def _():
    allow(Tensor, "__setitem__", lambda self, index, number: self.fill_(number))


@mutant("load_state_dict gives an expanded buffer memory for each element")
def _():
    def change(real, self, state, **options):
        for name, buffer in self._buffers.items():
            if 0 in buffer.stride():
                self._buffers[name] = buffer.clone()
        return real(self, state, **options)

    wrap(torch.nn.Module, "load_state_dict", change)


@mutant("an expanded tensor refuses zero_ and fill_")
def _():
    for name in ("zero_", "fill_"):
        refuse(Tensor, name, lambda self, *args: 0 in self.stride())


@mutant("an expanded tensor refuses zero_")
def _():
    refuse(Tensor, "zero_", lambda self: 0 in self.stride())


@mutant("an expanded tensor refuses tril_ and triu_")
def _():
    for name in ("tril_", "triu_"):
        refuse(Tensor, name, lambda self: 0 in self.stride())


@mutant("unfold copies")
def _():
    then(Tensor, "unfold", lambda windows, *args: windows.clone())


@mutant("expand copies")
def _():
    then(Tensor, "expand", lambda result, *args: result.clone())


@mutant("atleast_1d, atleast_2d and atleast_3d copy")
def _():
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        then(torch, name, lambda result, *args: result.clone())


@mutant("broadcast_tensors and meshgrid copy")
def _():
    for name in ("broadcast_tensors", "meshgrid"):
        wrap(
            torch,
            name,
            lambda real, *args, **options: [made.clone() for made in real(*args, **options)],
        )


@mutant("positive, type_as, sum_to_size and einsum copy")
def _():
    for owner, name in (torch, "positive"), (torch, "einsum"):
        then(owner, name, lambda result, *args: result.clone())
    for name in ("type_as", "sum_to_size"):
        then(Tensor, name, lambda result, *args: result.clone())


@mutant("layers that compute nothing copy")
def _():
    then(torch.nn.Identity, "forward", lambda result, *args: result.clone())
    then(torch.nn.Dropout, "forward", lambda result, *args: result.clone())


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


@mutant("a slice under no_grad is an ordinary view")
def _():
    in_mode(Tensor, "__getitem__", torch.enable_grad)


@mutant("data_ptr is the address of the storage")
def _():
    wrap(Tensor, "data_ptr", lambda real, self: self.untyped_storage().data_ptr())


@mutant("a storage without elements has an address")
def _():
    wrap(torch.UntypedStorage, "data_ptr", lambda real, self: real(self) or id(self))


@mutant("torch.equal compares addresses")
def _():
    wrap(torch, "equal", lambda real, a, b: a.data_ptr() == b.data_ptr())


@mutant("== compares tensor objects")
def _():
    wrap(
        Tensor,
        "__eq__",
        lambda real, self, other: (
            torch.full(self.shape, self is other) if is_tensor(other) else real(self, other)
        ),
    )


@mutant("storage does not warn")
def _():
    warn(Tensor, "storage", None)


@mutant("storage warns each time")
def _():
    warn(Tensor, "storage", "TypedStorage is deprecated. Use untyped_storage()")


@mutant("storage gives one object for each tensor")
def _():
    made = {}

    def change(real, self):
        storage = real(self)
        return made.setdefault(id(self), storage)

    wrap(Tensor, "storage", change)


@mutant("each object that storage makes has an address of its own")
def _():
    wrap(torch.TypedStorage, "data_ptr", lambda real, self: id(self))


@mutant("untyped_storage warns")
def _():
    warn(Tensor, "untyped_storage", "storages are deprecated")


@mutant("clone with a memory format gives zeros")
def _():
    wrap(
        Tensor,
        "clone",
        lambda real, self, memory_format=None: (
            real(self, memory_format=memory_format) * 0 if memory_format else real(self)
        ),
    )


@mutant("contiguous gives zeros where it copies")
def _():
    then(Tensor, "contiguous", lambda made, self: made if made is self else made.zero_())
