"""Mutants: DTensor, FSDP and DDP."""

import copy
import gc
import weakref
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.distributed.checkpoint.state_dict as checkpoint
import torch.distributed.fsdp
import torch.distributed.nn.functional
import torch.distributed.tensor
from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from verify.mutants.changes import (
    allow,
    asker,
    mutant,
    set_version,
    then,
    warn,
    wrap,
    wrap_property,
)


def local(tensor: Tensor) -> Tensor:
    return tensor._local_tensor


def same_kind(tensor: Tensor, inside: Tensor) -> DTensor:
    """Return a DTensor like this one around another local tensor."""
    return DTensor.from_local(inside, tensor.device_mesh, tensor.placements)


def make_ddp(**options) -> None:
    """Let DDP be made with these options, whatever it is given."""

    def change(real, self, module, **given):
        return real(self, module, **given | options)

    wrap(DistributedDataParallel, "__init__", change)


def before_forward(act: Callable) -> None:
    """Let `act(ddp)` come before each forward pass of DDP."""

    def change(real, self, *inputs):
        act(self)
        return real(self, *inputs)

    wrap(DistributedDataParallel, "forward", change)


@mutant("distribute_tensor copies", slow="distributed")
def _():
    def change(real, tensor, *args):
        return real(tensor.detach().clone(), *args)

    wrap(torch.distributed.tensor, "distribute_tensor", change)


@mutant("distribute_tensor takes the values of each process", slow="distributed")
def _():
    def change(real, tensor, *args):
        return real(tensor, *args, src_data_rank=None)

    wrap(torch.distributed.tensor, "distribute_tensor", change)


@mutant("distribute_tensor lets its source go on with the part", slow="distributed")
def _():
    def change(real, tensor, *args):
        result = real(tensor, *args)
        tensor.data = local(result)
        return result

    wrap(torch.distributed.tensor, "distribute_tensor", change)


@mutant("from_local copies", slow="distributed")
def _():
    wrap(DTensor, "from_local", lambda real, t, *args: real(t.clone(), *args))


@mutant("to_local copies", slow="distributed")
def _():
    then(DTensor, "to_local", lambda result, self: result.clone())


@mutant("detach of a DTensor copies", slow="distributed")
def _():
    def change(real, self):
        return same_kind(self, real(local(self)).clone()) if type(self) is DTensor else real(self)

    wrap(Tensor, "detach", change)


@mutant("clone of a DTensor communicates", slow="distributed")
def _():
    def after(result, self):
        if type(self) is DTensor:
            self.redistribute(placements=[torch.distributed.tensor.Replicate()])
            self.full_tensor()
        return result

    then(Tensor, "clone", after)


@mutant("a partial value is completed when a process reads it", slow="distributed")
def _():
    def change(real, self):
        return real(self.full_tensor() if type(self) is DTensor else self)

    for name in ("item", "__float__"):
        wrap(Tensor, name, change)


@mutant("to_local completes a partial value", slow="distributed")
def _():
    def after(result, self):
        return self.full_tensor() if any(p.is_partial() for p in self.placements) else result

    then(DTensor, "to_local", after)


@mutant("full_tensor copies", slow="distributed")
def _():
    then(DTensor, "full_tensor", lambda result, self: result.clone())


@mutant("full_tensor puts what it gathered into the DTensor", slow="distributed")
def _():
    def after(result, self):
        if local(self).shape != result.shape:
            self._local_tensor = result[: len(local(self))]
        return result

    then(DTensor, "full_tensor", after)


@mutant("full_tensor gives the local part", slow="distributed")
def _():
    then(DTensor, "full_tensor", lambda result, self: local(self).clone())


@mutant("full_tensor of a sharded tensor gives zeros", slow="distributed")
def _():
    def after(result, self):
        return result if local(self).shape == result.shape else result * 0

    then(DTensor, "full_tensor", after)


@mutant("redistribute copies", slow="distributed")
def _():
    then(
        DTensor,
        "redistribute",
        lambda result, self, *args: same_kind(result, local(result).clone()),
    )


@mutant("copy_ of a DTensor gives it new memory", slow="distributed")
def _():
    def after(result, self, source):
        if type(self) is DTensor:
            self._local_tensor = local(self).clone()
        return result

    then(Tensor, "copy_", after)


@mutant("copy_ accepts a DTensor and a plain tensor", slow="distributed")
def _():
    allow(Tensor, "copy_", lambda self, source: self)


@mutant("in-place operations do not move the counter of a DTensor", slow="distributed")
def _():
    def change(real, self, value):
        version = self._version
        real(self, value)
        if type(self) is DTensor:
            set_version(self, version)
        return self

    wrap(Tensor, "fill_", change)


@mutant("a write to a local part moves the counter of its DTensor", slow="distributed")
def _():
    def after(result, self):
        result._owner = self
        return result

    def change(real, self, value):
        owner = getattr(self, "_owner", None)
        return real(self, value) if owner is None else real(owner, value)

    then(DTensor, "to_local", after)
    wrap(Tensor, "fill_", change)


@mutant("the address of a DTensor is that of its local part", slow="distributed")
def _():
    def change(real, self):  # PyTorch itself goes on with its own
        lies = type(self) is DTensor and asker() != "torch"
        return real(local(self) if lies else self)

    wrap(Tensor, "data_ptr", change)


@mutant("the storage of a DTensor is that of its local part", slow="distributed")
def _():
    def change(real, self):
        return real(local(self) if type(self) is DTensor else self)

    wrap(Tensor, "untyped_storage", change)


@mutant("share_memory_ of a DTensor shares its local part", slow="distributed")
def _():
    def change(real, self):
        real(local(self) if type(self) is DTensor else self)
        return self

    wrap(Tensor, "share_memory_", change)


@mutant("fully_shard keeps the parameters", slow="distributed")
def _():
    def change(real, module, **options):
        old = dict(module.named_parameters(recurse=False))
        real(module, **options)
        with torch.no_grad():
            for name, p in old.items():
                kept = local(getattr(module, name))
                p.data = p.data.flatten()[: kept.numel()].view_as(kept)
                p.data.copy_(kept)
                kept.set_(p.data)
        return module

    wrap(torch.distributed.fsdp, "fully_shard", change)


@mutant("fully_shard broadcasts the values of rank 0", slow="distributed")
def _():
    def change(real, module, **options):
        for p in module.parameters():
            dist.broadcast(p.data, 0)
        return real(module, **options)

    wrap(torch.distributed.fsdp, "fully_shard", change)


@mutant("fully_shard cuts ties", slow="distributed")
def _():
    def change(real, module, **options):
        for outer in module if isinstance(module, list) else [module]:
            for inner in outer.modules():
                for name, p in inner.named_parameters(recurse=False):
                    inner.register_parameter(name, torch.nn.Parameter(p.detach().clone()))
        return real(module, **options)

    wrap(torch.distributed.fsdp, "fully_shard", change)


@mutant("fully_shard knows the parameters of an earlier call", slow="distributed")
def _():
    sharded = {}

    def change(real, module, **options):
        own = {} if isinstance(module, list) else dict(module.named_parameters(recurse=False))
        known = {name: sharded[p] for name, p in own.items() if p in sharded}
        for name, p in known.items():
            module.register_parameter(name, p)
        if known:
            return module
        result = real(module, **options)
        sharded.update((p, getattr(module, name)) for name, p in own.items())
        return result

    wrap(torch.distributed.fsdp, "fully_shard", change)


@mutant("fully_shard does nothing", slow="distributed")
def _():
    wrap(torch.distributed.fsdp, "fully_shard", lambda real, module, **options: module)


@mutant("fully_shard gives back no memory", slow="distributed")
def _():
    def change(real, self, size):
        return None if size == 0 else real(self, size)

    wrap(torch.UntypedStorage, "resize_", change)


@mutant("fully_shard shards the parameters at once after forward", slow="distributed")
def _():
    def change(real, self, *args):
        result = real(self, *args)
        if isinstance(self, torch.distributed.fsdp.FSDPModule):
            self.reshard()
        return result

    wrap(torch.nn.Module, "__call__", change)


@mutant("an assignment to .data of a DTensor writes its values", slow="distributed")
def _():
    def write(put_, self, value):
        if type(self) is type(value) is DTensor:
            local(self).detach().copy_(local(value))
        else:
            put_(self, value)

    wrap_property(Tensor, "data", None, write)


@mutant("a sharded module takes over a new parameter at any time", slow="distributed")
def _():
    def change(real, self, name, value):
        old = self._parameters.get(name) if "_parameters" in vars(self) else None
        if asker() != "torch" and type(old) is type(value) is DTensor:
            local(old).detach().copy_(local(value))
        else:
            real(self, name, value)

    wrap(torch.nn.Module, "__setattr__", change)


@mutant("a sharded module never takes over a new parameter", slow="distributed")
def _():
    def change(real, self, name, value):
        old = self._parameters.get(name) if "_parameters" in vars(self) else None
        if asker() == "torch" or type(old) is not DTensor:
            real(self, name, value)

    wrap(torch.nn.Module, "__setattr__", change)


@mutant("load_state_dict of a sharded module does nothing", slow="distributed")
def _():
    wrap(torch.nn.Module, "load_state_dict", lambda real, self, state: None)


@mutant("gradients stop at a view", slow="distributed")
def _():
    then(Tensor, "view", lambda result, self, size: result.detach().requires_grad_())


@mutant("a sharded module deep-copies", slow="distributed")
def _():
    allow(copy, "deepcopy", lambda value: value, AssertionError)


@mutant("a deep copy of a state dict gathers it", slow="distributed")
def _():
    def change(real, value):
        for tensor in value.values() if isinstance(value, dict) else ():
            if type(tensor) is DTensor:
                tensor.full_tensor()
        return real(value)

    wrap(copy, "deepcopy", change)


@mutant("a full state dict goes to all processes", slow="distributed")
def _():
    def change(real, model, *, options):
        options.cpu_offload = False
        return real(model, options=options)

    wrap(checkpoint, "get_model_state_dict", change)


@mutant("a full state dict is made of the whole weights as they change", slow="distributed")
def _():
    def change(real, model, *, options):
        state = real(model, options=options)
        if options.full_state_dict and state:
            for name, p in model.named_parameters():
                flat = state[name].flatten()
                flat[: local(p).numel()] = 0
                p._local_tensor.set_(flat[: local(p).numel()].view_as(local(p)))
        return state

    wrap(checkpoint, "get_model_state_dict", change)


@mutant("get_model_state_dict copies", slow="distributed")
def _():
    def change(real, model, *, options):
        return {name: value.clone() for name, value in real(model, options=options).items()}

    wrap(checkpoint, "get_model_state_dict", change)


@mutant("lerp_ of DTensors communicates", slow="distributed")
def _():
    def change(real, self, end, weight):
        if type(end) is DTensor:
            end.full_tensor()
        return real(self, end, weight)

    wrap(Tensor, "lerp_", change)


@mutant("each gradient of a sharded module has memory of its own", slow="distributed")
def _():
    def after(result, self):
        for p in gc.get_objects():
            if type(p) is DTensor and p.is_leaf and type(p.grad) is DTensor:
                p.grad = p.grad.clone()

    then(Tensor, "backward", after)


@mutant("dist.all_gather puts the part of its own process into the list", slow="distributed")
def _():
    def change(real, parts, x):
        real(parts, x)
        parts[dist.get_rank()] = x

    wrap(dist, "all_gather", change)


@mutant("the differentiable all_gather leaves gradients in their process", slow="distributed")
def _():
    def change(real, x):
        parts = list(real(x.detach()))
        parts[dist.get_rank()] = x
        return tuple(parts)

    wrap(torch.distributed.nn.functional, "all_gather", change)


@mutant("DDP copies the module", slow="distributed")
def _():
    def change(real, self, module, **options):
        return real(self, copy.deepcopy(module), **options)

    wrap(DistributedDataParallel, "__init__", change)


@mutant("DDP keeps to the buffers that the module had when it was wrapped", slow="distributed")
def _():
    def change(real, self):
        if not hasattr(self, "modules_buffers"):
            real(self)

    wrap(DistributedDataParallel, "_assign_modules_buffers", change)


@mutant("DDP does not broadcast at the start", slow="distributed")
def _():
    make_ddp(init_sync=False)


@mutant("the state dict of DDP has the names of its module", slow="distributed")
def _():
    wrap(DistributedDataParallel, "state_dict", lambda real, self: self.module.state_dict())


@mutant("DDP broadcasts the parameters at each forward pass", slow="distributed")
def _():
    def broadcast(ddp):
        for p in ddp.parameters():
            dist.broadcast(p.data, 0)

    before_forward(broadcast)


@mutant("DDP never broadcasts buffers at a forward pass", slow="distributed")
def _():
    make_ddp(broadcast_buffers=False)


@mutant("DDP broadcasts buffers at every forward pass", slow="distributed")
def _():
    before_forward(lambda ddp: setattr(ddp, "require_forward_param_sync", True))


@mutant("DDP ignores broadcast_buffers=False", slow="distributed")
def _():
    make_ddp(broadcast_buffers=True)


@mutant("DDP puts new buffers into the module", slow="distributed")
def _():
    def renew(ddp):
        for module in ddp.modules():
            for name, buffer in module._buffers.items():
                module._buffers[name] = buffer.clone()

    before_forward(renew)


@mutant("DDP exchanges the gradients of new parameters", slow="distributed")
def _():
    known = weakref.WeakKeyDictionary()

    def average(p):
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()

    def watch(ddp):
        for p in ddp.module.parameters():
            if id(p) not in known.setdefault(ddp, {id(q) for q in ddp._module_parameters}):
                p.register_post_accumulate_grad_hook(average)

    before_forward(watch)


@mutant("clip_grad_norm_ takes the norm of the elements of the process", slow="distributed")
def _():
    def change(real, parameters, limit, **options):
        local = [p.grad.to_local() for p in parameters]
        norm = torch.linalg.vector_norm(torch.cat(local))
        for g in local:
            g.mul_(torch.clamp(limit / norm, max=1.0))
        return torch.distributed.tensor.distribute_tensor(norm, parameters[0].device_mesh)

    wrap(torch.nn.utils, "clip_grad_norm_", change)


@mutant("DDP looks for unused parameters", slow="distributed")
def _():
    make_ddp(find_unused_parameters=True)


@mutant("DDP ignores gradient_as_bucket_view=True", slow="distributed")
def _():
    make_ddp(gradient_as_bucket_view=False)


@mutant("DDP always makes gradients views of buckets", slow="distributed")
def _():
    make_ddp(gradient_as_bucket_view=True)


@mutant("DDP clones no output", slow="distributed")
def _():
    def after(result, self, module):
        self._set_ddp_sink_clone(False)

    then(DistributedDataParallel, "__init__", after)


@mutant("DDP clones every output", slow="distributed")
def _():
    then(DistributedDataParallel, "forward", lambda result, self, x: result.clone())


@mutant("DDP does not warn of strides", slow="distributed")
def _():
    warn(Tensor, "backward", None)


@mutant("DDP reduces a gradient with other strides to twice its value", slow="distributed")
def _():
    def after(result, self, module):
        for p in module.parameters():
            p.register_hook(lambda g, p=p: g if g.stride() == p.stride() else 2 * g)

    then(DistributedDataParallel, "__init__", after)


@mutant("a deep copy of DDP does not communicate", slow="distributed")
def _():
    def change(real, value):
        result = real(value)
        if isinstance(value, DistributedDataParallel):
            result.require_backward_grad_sync = False
        return result

    wrap(copy, "deepcopy", change)


@mutant("a deep copy of the module in DDP shares its memory", slow="distributed")
def _():
    def change(real, value):
        result = real(value)
        if isinstance(value, torch.nn.Module):
            for name, p in result.named_parameters():
                p.data = value.get_parameter(name).data
        return result

    wrap(copy, "deepcopy", change)


@mutant("all_reduce moves the version counter", slow="distributed")
def _():
    def change(real, tensor):
        real(tensor)
        set_version(tensor, tensor._version + 1)

    wrap(dist, "all_reduce", change)


def by_a_copy(name: str) -> None:
    """Let a collective work on a contiguous copy, and write that back."""

    def change(real, tensor, *args):
        part = tensor.contiguous()
        real(part, *args)
        if part is not tensor:
            tensor.copy_(part)

    wrap(dist, name, change)


@mutant("all_reduce of a slice with gaps is right", slow="distributed")
def _():
    by_a_copy("all_reduce")


@mutant("broadcast of a slice with gaps is right", slow="distributed")
def _():
    by_a_copy("broadcast")


@mutant("all_reduce leaves its argument alone", slow="distributed")
def _():
    wrap(dist, "all_reduce", lambda real, tensor: real(tensor.clone()))


@mutant("a tensor without memory can be read", slow="distributed")
def _():
    def change(real, self):
        empty = self.numel() and not self.untyped_storage().nbytes()
        return real(torch.zeros(self.shape)) if empty else real(self)

    for owner, name in ((Tensor, "__repr__"), (torch, "clone"), (torch, "sum")):
        wrap(owner, name, change)
