"""Mutants: copy, deepcopy and pickle."""

import copy
import mmap
import pickle

import torch
from torch import Tensor
from torch.nn import Parameter

from verify.mutants.changes import (
    allow,
    is_tensor,
    marked,
    mutant,
    put,
    raise_other,
    refuse,
    then,
    warn,
    wrap,
)


@mutant("deepcopy shares memory", slow=True)
def _():
    wrap(Tensor, "__deepcopy__", lambda real, self, memo: self.detach())


@mutant("deepcopy accepts a non-leaf")
def _():
    wrap(
        Tensor,
        "__deepcopy__",
        lambda real, self, memo: real(self if self.is_leaf else self.detach(), memo),
    )


@mutant("deepcopy of a leaf stays in the graph outside no_grad")
def _():
    def change(real, self, memo):
        recorded = self.is_leaf and self.requires_grad and torch.is_grad_enabled()
        return self.clone() if recorded else real(self, memo)

    wrap(Tensor, "__deepcopy__", change)


@mutant("deepcopy drops requires_grad")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: copy.requires_grad_(False))


@mutant("deepcopy of an nn.Parameter thaws it")
def _():
    then(Parameter, "__deepcopy__", lambda copy, self, memo: copy.requires_grad_())


@mutant("deepcopy gives a tensor that requires grad")
def _():
    def change(copy, self, memo):
        return copy.requires_grad_() if copy.is_floating_point() else copy

    then(Tensor, "__deepcopy__", change)


@mutant("deepcopy drops the gradient in .grad", slow="benchmarks")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: marked(copy, grad=None))


@mutant("deepcopy of an nn.Parameter copies its gradient in .grad")
def _():
    then(torch.nn.Parameter, "__deepcopy__", lambda copy, self, memo: marked(copy, grad=self.grad))


@mutant("deepcopy drops Python attributes")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: vars(copy).clear() or copy)


@mutant("deepcopy of an nn.Parameter keeps Python attributes")
def _():
    then(Parameter, "__deepcopy__", lambda copy, self, memo: marked(copy, **vars(self)))


@mutant("detach takes over the Python attributes of its source")
def _():
    then(Tensor, "detach", lambda result, self: marked(result, **vars(self)))


@mutant("deepcopy shares Python attributes")
def _():
    then(Tensor, "__deepcopy__", lambda copy, self, memo: marked(copy, **vars(self)))


@mutant("deepcopy separates tensors that share memory")
def _():
    wrap(Tensor, "__deepcopy__", lambda real, self, memo: real(self, {}))


@mutant("deepcopy knows memory by its address")
def _():
    def change(real, self, memo):
        key = ("address", self.data_ptr())
        if key not in memo:
            memo[key] = real(self, memo)
        return memo[key]

    wrap(Tensor, "__deepcopy__", change)


@mutant("deepcopy of an nn.Parameter copies the whole storage")
def _():
    def change(real, self, memo):
        if id(self) not in memo:
            memo[id(self)] = torch.nn.Parameter(copy.deepcopy(self.detach(), memo))
        return memo[id(self)]

    wrap(torch.nn.Parameter, "__deepcopy__", change)


@mutant("deepcopy of a tensor copies its own elements, and zeros for the rest of the storage")
def _():
    def change(twin, self, memo):
        storage = twin.untyped_storage()
        if 0 not in twin.stride() and twin.numel() * twin.itemsize < storage.nbytes():
            values = twin.detach().clone()
            storage.fill_(0)
            twin.detach().copy_(values)
        return twin

    then(Tensor, "__deepcopy__", change)


@mutant("deepcopy of uint16 gives zeros")
def _():
    then(
        Tensor,
        "__deepcopy__",
        lambda twin, self, memo: twin.zero_() if twin.dtype == torch.uint16 else twin,
    )


@mutant("deepcopy refuses uint16")
def _():
    refuse(Tensor, "__deepcopy__", lambda self, memo: self.dtype == torch.uint16, AttributeError)


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


@mutant("deepcopy of a module drops its hooks")
def _():
    def change(twin, module, *memo):
        if isinstance(twin, torch.nn.Module):
            twin._forward_hooks.clear()
        return twin

    then(copy, "deepcopy", change)


@mutant("deepcopy of a module drops plain attributes and non-persistent buffers")
def _():
    def change(twin, module, *memo):
        if isinstance(twin, torch.nn.Module):
            twin.__dict__.pop("names", None)
            for name in twin._non_persistent_buffers_set:
                del twin._buffers[name]
        return twin

    then(copy, "deepcopy", change)


@mutant("deepcopy of a module gives zeros for non-persistent buffers")
def _():
    def change(twin, module, *memo):
        if isinstance(twin, torch.nn.Module):
            for name in twin._non_persistent_buffers_set:
                twin._buffers[name] = torch.zeros_like(twin._buffers[name])
        return twin

    then(copy, "deepcopy", change)


@mutant("deepcopy of a module hands on its plain attributes")
def _():
    def change(twin, module, *memo):
        if isinstance(twin, torch.nn.Module) and "names" in module.__dict__:
            twin.names = module.names
        return twin

    then(copy, "deepcopy", change)


@mutant("deepcopy of a module ignores what the memo holds")
def _():
    def change(real, x, *memo):
        return real(x) if isinstance(x, torch.nn.Module) else real(x, *memo)

    wrap(copy, "deepcopy", change)


@mutant("deepcopy of a module with a memo that holds its weights returns it")
def _():
    def change(real, x, *memo):
        if not memo or not isinstance(x, torch.nn.Module):
            return real(x, *memo)
        return x if all(id(p) in memo[0] for p in x.parameters()) else real(x, *memo)

    wrap(copy, "deepcopy", change)


@mutant("a conversion of a module converts the memory of its buffers")
def _():
    def change(real, self, function, *options):
        for buffer in self.buffers():
            buffer.data = function(buffer)
        return real(self, function, *options)

    wrap(torch.nn.Module, "_apply", change)


@mutant("a conversion of a module gives it new parameters")
def _():
    def change(real, self, function, *options):
        for name, p in self._parameters.items():
            if p is not None:
                self._parameters[name] = torch.nn.Parameter(p.detach(), p.requires_grad)
        return real(self, function, *options)

    wrap(torch.nn.Module, "_apply", change)


@mutant("deepcopy refuses a module with a parametrization")
def _():
    refuse(copy, "deepcopy", lambda x, *memo: hasattr(x, "parametrizations"))


@mutant("load_state_dict takes over the hooks of the source")
def _():
    def change(result, self, state):
        self.register_forward_hook(lambda *args: print("    the hook was called"))
        return result

    then(torch.nn.Module, "load_state_dict", change)


@mutant("copy.copy drops requires_grad")
def _():
    put(Tensor, "__copy__", lambda self: self.data)


@mutant("copy.copy shares the version counter")
def _():
    put(Tensor, "__copy__", lambda self: self.detach().requires_grad_(self.requires_grad))


@mutant("copy.copy sets what reaches the source in backward to zero")
def _():
    def change(twin, tensor):
        if is_tensor(tensor) and tensor.requires_grad:
            tensor.register_hook(torch.zeros_like)
        return twin

    then(copy, "copy", change)


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


@mutant("a pickle of uint16 can be read")
def _():
    allow(pickle, "loads", lambda data: torch.zeros(2, dtype=torch.uint16), AttributeError)


@mutant("pickling a non-leaf is refused")
def _():
    refuse(pickle, "dumps", lambda x, *args: is_tensor(x) and not x.is_leaf)


@mutant("torch.save stores the elements of a slice only")
def _():
    wrap(torch, "save", lambda real, x, file: real(x.clone() if is_tensor(x) else x, file))


@mutant("torch.save takes two dtypes on one storage")
def _():
    save = torch.save
    allow(torch, "save", lambda x, file: save([part.clone() for part in x], file))


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


@mutant("torch.load joins tensors of equal values")
def _():
    then(
        torch,
        "load",
        lambda made, file, **_: (
            [made[0]] * 2
            if isinstance(made, list)
            and len(made) == 2
            and made[0].shape == made[1].shape
            and torch.equal(*made)
            else made
        ),
    )


@mutant("torch.load reads the whole file even with mmap=True")
def _():
    wrap(torch, "load", lambda real, file, mmap=None, **options: real(file, **options))


def place_with(change) -> None:
    """Let torch.load call `change(place, storage, location)` for a function as map_location."""

    def load(real, file, *, map_location=None, **options):
        if callable(map_location):
            place = map_location
            map_location = lambda storage, location: change(place, storage, location)  # noqa: E731
        return real(file, map_location=map_location, **options)

    wrap(torch, "load", load)


@mutant("map_location gets storages without the values")
def _():
    place_with(lambda place, storage, at: place(storage.clone().fill_(0), at))


@mutant("map_location gets storages on meta")
def _():
    def change(place, storage, at):
        return place(torch.UntypedStorage(storage.nbytes(), device="meta"), at)

    place_with(change)


@mutant("torch.load copies the storage that map_location gives")
def _():
    place_with(lambda place, storage, at: place(storage, at).clone())


def load_what_names(word: str) -> None:
    """Let torch.load accept a file whose error names this word."""

    def change(real, file, **options):
        try:
            return real(file, **options)
        except pickle.UnpicklingError as error:
            if word not in str(error):
                raise
            file.seek(0)
            return real(file, weights_only=False)

    wrap(torch, "load", change)


@mutant("torch.load accepts numbers and arrays of NumPy")
def _():
    load_what_names("numpy")


def refuse_in_dictionary(kind: type) -> None:
    """Let torch.load refuse a dictionary with a value of this type."""

    def change(real, file, **options):
        made = real(file, **options)
        if isinstance(made, dict) and any(isinstance(value, kind) for value in made.values()):
            raise pickle.UnpicklingError("Weights only load failed")
        return made

    wrap(torch, "load", change)


@mutant("torch.load refuses a list in a dictionary")
def _():
    refuse_in_dictionary(list)


@mutant("torch.load refuses a float in a dictionary")
def _():
    refuse_in_dictionary(float)


@mutant("torch.load accepts objects of your own classes")
def _():
    load_what_names("__main__")


@mutant("pickle.loads runs no code that a pickle names")
def _():
    wrap(pickle, "loads", lambda real, data: real(data.replace(b"print", b"tuple")))


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


@mutant("copy.copy of a list or a dictionary returns it")
def _():
    wrap(
        copy,
        "copy",
        lambda real, value: value if isinstance(value, (list, dict)) else real(value),
    )


@mutant("copy.copy of a generator returns it")
def _():
    wrap(
        copy,
        "copy",
        lambda real, value: value if isinstance(value, torch.Generator) else real(value),
    )


@mutant("deepcopy of a generator begins anew")
def _():
    def after(twin, value, *memo):
        if isinstance(value, torch.Generator):
            twin.seed()
        return twin

    then(copy, "deepcopy", after)


@mutant("copy.copy of a module copies its generator")
def _():
    def after(twin, value):
        if isinstance(value, torch.nn.Module):
            noise = value.noise
            twin.noise = torch.Generator().set_state(noise.get_state())
        return twin

    then(copy, "copy", after)


@mutant("deepcopy copies each entry of a list or tuple by itself")
def _():
    def change(real, x, *memo):
        whole = memo or type(x) not in (list, tuple)
        return real(x, *memo) if whole else type(x)(real(entry) for entry in x)

    wrap(copy, "deepcopy", change)


@mutant("deepcopy of an nn.Parameter is a plain tensor")
def _():
    def change(real, self, memo):
        return self.detach().clone().requires_grad_(self.requires_grad)

    wrap(Parameter, "__deepcopy__", change)


@mutant("deepcopy of an nn.Parameter returns it")
def _():
    wrap(Parameter, "__deepcopy__", lambda real, self, memo: self)


@mutant("deepcopy of an nn.Parameter shares its memory")
def _():
    def change(real, self, memo):
        if id(self) not in memo:
            memo[id(self)] = Parameter(self.data, self.requires_grad)
        return memo[id(self)]

    wrap(Parameter, "__deepcopy__", change)


@mutant("torch.load runs the code that a file names")
def _():
    load_what_names("print")


@mutant("torch.load raises with another message")
def _():
    raise_other(torch, "load")


@mutant("torch.load maps every file")
def _():
    def change(real, file, mmap=None, **options):
        return real(file, mmap=isinstance(file, str) or None, **options)

    wrap(torch, "load", change)
