"""Mutants: checkpoints on disk, by torch.save and by safetensors."""

import io
import os
import shutil

import safetensors.torch
import torch
import torch.distributed.checkpoint as checkpoint
from torch import Tensor
from torch.distributed.checkpoint import state_dict
from torch.distributed.checkpoint.staging import BlockingAsyncStager
from torch.nn import Module

from verify.mutants.changes import allow, is_tensor, mutant, put, refuse, then, wrap


def of_each(change, state):
    """Return a dictionary of tensors with `change` applied to each; anything else as it is."""
    if not isinstance(state, dict) or not all(map(is_tensor, state.values())):
        return state
    return {name: change(value) for name, value in state.items()}


@mutant("torch.save stores the elements of each tensor of a dictionary")
def _():
    wrap(torch, "save", lambda real, state, file: real(of_each(torch.clone, state), file))


@mutant("torch.save writes equal tensors of a dictionary once")
def _():
    def change(real, state, file):
        seen = []

        def first(value):
            for other in seen:
                if other.shape == value.shape and torch.equal(other, value):
                    return other
            seen.append(value)
            return value

        return real(of_each(first, state), file)

    wrap(torch, "save", change)


@mutant("torch.save to a path writes another file first")
def _():
    def change(real, state, file):
        if not isinstance(file, str):
            return real(state, file)
        real(state, file + ".beside")
        os.replace(file + ".beside", file)

    wrap(torch, "save", change)


@mutant("torch.load maps a file once for all calls")
def _():
    loaded = {}

    def change(real, file, mmap=None, **options):
        if not mmap:
            return real(file, **options)
        key = file, os.path.getmtime(file)
        if key not in loaded:
            loaded[key] = real(file, mmap=mmap, **options)
        return loaded[key]

    wrap(torch, "load", change)


@mutant("torch.load drops the state of an optimizer")
def _():
    def after(loaded, file, **options):
        if isinstance(loaded, dict) and "optimizer" in loaded:
            loaded["optimizer"]["state"] = {}
        return loaded

    then(torch, "load", after)


@mutant("momentum has no effect")
def _():
    def change(real, self):
        for group in self.param_groups:
            group["momentum"] = 0
        return real(self)

    wrap(torch.optim.SGD, "step", change)


@mutant("async_save copies nothing that is on the CPU")
def _():
    wrap(BlockingAsyncStager, "stage", lambda real, self, state, **options: state)


@mutant("async_save returns when all is written")
def _():
    def after(future, state):
        future.result()
        return future

    then(checkpoint, "async_save", after)


@mutant("dcp.load puts other tensors into the dictionary")
def _():
    def change(real, state, **options):
        loaded = of_each(torch.clone, state)
        real(loaded, **options)
        state.update(loaded)

    wrap(checkpoint, "load", change)


@mutant("an optimizer has its moments from the start")
def _():
    def change(real, self):
        state_dict._init_optim_state(self)
        return real(self)

    wrap(torch.optim.Optimizer, "state_dict", change)


@mutant("dcp.load fails for an optimizer without moments")
def _():
    refuse(checkpoint, "load", lambda state: state.get("state") == {})


@mutant("get_optimizer_state_dict gives a new optimizer no moments")
def _():
    wrap(state_dict, "_init_optim_state", lambda real, optimizer: None)


@mutant("get_optimizer_state_dict counts no step")
def _():
    def change(real, optimizer):
        new = not optimizer.state
        real(optimizer)
        for state in optimizer.state.values():
            if new and "step" in state:
                state["step"].zero_()

    wrap(state_dict, "_init_optim_state", change)


@mutant("get_optimizer_state_dict makes a step that moves the weights")
def _():
    def change(real, optimizer):
        if not optimizer.state:
            with torch.no_grad():
                for group in optimizer.param_groups:
                    for p in group["params"]:
                        p.add_(1)
        return real(optimizer)

    wrap(state_dict, "_init_optim_state", change)


@mutant("get_optimizer_state_dict sets the learning rate to 0")
def _():
    def change(real, optimizer):
        real(optimizer)
        for group in optimizer.param_groups:
            group["lr"] = 0.0

    wrap(state_dict, "_init_optim_state", change)


@mutant("get_optimizer_state_dict makes moments where a gradient is")
def _():
    def change(real, optimizer):
        optimizer.zero_grad()
        real(optimizer)

    wrap(state_dict, "_init_optim_state", change)


@mutant("os.replace writes into the file that is there")
def _():
    def change(real, source, target):
        shutil.copyfile(source, target)
        os.remove(source)

    wrap(os, "replace", change)


@mutant("load_state_dict with assign=True gives every buffer memory")
def _():
    def change(real, self, state, assign=False, **options):
        result = real(self, state, assign=assign, **options)
        for module in self.modules():
            for name, buffer in module.named_buffers(recurse=False):
                if assign and buffer.is_meta:
                    module._buffers[name] = torch.zeros_like(buffer, device="cpu")
        return result

    wrap(Module, "load_state_dict", change)


@mutant("an index on meta is taken for zeros")
def _():
    def on_cpu(real, self, index):
        meta = is_tensor(index) and index.is_meta and not self.is_meta
        return real(self, torch.zeros_like(index, device="cpu") if meta else index)

    wrap(Tensor, "__getitem__", on_cpu)
    wrap(torch.nn.Embedding, "forward", lambda real, self, index: self.weight[index])


@mutant("safe_globals outlasts its block")
def _():
    put(torch.serialization.safe_globals, "__exit__", lambda self, *error: None)


@mutant("safe_globals allows nothing")
def _():
    put(torch.serialization.safe_globals, "__enter__", lambda self: None)


@mutant("safe_globals accepts every class")
def _():
    def change(real, file, **options):
        accepts = bool(torch.serialization.get_safe_globals())
        return real(file, **options, weights_only=not accepts)

    wrap(torch, "load", change)


@mutant("torch.load ignores the default mmap options")
def _():
    def change(real, self, flags):
        real(self, flags)
        torch.serialization.config.load.mmap_flags = self.prev

    wrap(torch.serialization.set_default_mmap_options, "__init__", change)


@mutant("save_file accepts what shares memory or is not contiguous")
def _():
    save = safetensors.torch.save_file

    def instead(tensors, filename):
        packed = of_each(lambda t: t.clone(memory_format=torch.contiguous_format), tensors)
        save(packed, filename)

    allow(safetensors.torch, "save_file", instead)
    allow(safetensors.torch, "save_file", instead, ValueError)


@mutant("save_file writes the whole storage of a slice")
def _():
    def whole(tensor):
        full = tensor.untyped_storage().nbytes() // tensor.itemsize
        return tensor.as_strided((full,), (1,), 0).clone()

    wrap(
        safetensors.torch,
        "save_file",
        lambda real, tensors, filename: real(
            of_each(whole, tensors) if "first" in tensors else tensors, filename
        ),
    )


@mutant("save_file writes into the file that is there")
def _():
    def change(real, tensors, filename, metadata=None):
        data = safetensors.torch.save(tensors, metadata)
        with open(filename, "r+b" if os.path.exists(filename) else "wb") as file:
            file.write(data)
            file.truncate()

    wrap(safetensors.torch, "save_file", change)


@mutant("save_file resolves the conjugate and the negative bit")
def _():
    wrap(
        safetensors.torch,
        "save_file",
        lambda real, tensors, filename: real(
            of_each(lambda t: t.resolve_conj().resolve_neg(), tensors), filename
        ),
    )


@mutant("load_file copies the values")
def _():
    def change(real, filename, **options):
        return of_each(torch.clone, real(filename, **options))

    wrap(safetensors.torch, "load_file", change)


@mutant("save_model writes every name of a tied weight")
def _():
    def change(real, model, filename):
        state = {name: value.clone() for name, value in model.state_dict().items()}
        safetensors.torch.save_file(state, filename)

    wrap(safetensors.torch, "save_model", change)


@mutant("load_model is not strict")
def _():
    wrap(
        safetensors.torch,
        "load_model",
        lambda real, model, filename: real(model, filename, strict=False),
    )


@mutant("load_model assigns")
def _():
    def change(real, model, filename):
        state = safetensors.torch.load_file(filename)
        model.load_state_dict(state, strict=False, assign=True)

    wrap(safetensors.torch, "load_model", change)


@mutant("load_model gives the parameters other memory")
def _():
    def change(real, model, filename):
        for parameter in model.parameters():
            parameter.data = parameter.data.clone()
        return real(model, filename)

    wrap(safetensors.torch, "load_model", change)


@mutant("load_state_dict leaves out what is missing")
def _():
    def change(real, self, state, strict=True, **options):
        return real(self, state, strict=False, **options)

    wrap(Module, "load_state_dict", change)


@mutant("torch.save drops the conjugate and the negative bit")
def _():
    def change(real, value, file):
        if is_tensor(value) and (value.is_conj() or value.is_neg()):
            data = safetensors.torch.save({"x": value})
            value = safetensors.torch.load(data)["x"]
        return real(value, file)

    wrap(torch, "save", change)


@mutant("torch.save takes a snapshot of what it writes to a file object")
def _():
    def change(real, value, file):
        if isinstance(file, io.IOBase):
            value = of_each(torch.clone, value)
        return real(value, file)

    wrap(torch, "save", change)
