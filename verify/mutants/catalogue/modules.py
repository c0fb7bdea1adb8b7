"""Mutants: optimizers and modules."""

import copy
import sys
import warnings
from types import FunctionType, MethodType

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import parametrize
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from verify.mutants.changes import (
    allow,
    in_mode,
    is_tensor,
    marked,
    mutant,
    put,
    refuse,
    then,
    wrap,
)


@mutant("an optimizer accepts a non-leaf")
def _():
    allow(torch.optim.Optimizer, "add_param_group", lambda *args: None, ValueError)


@mutant("an optimizer ignores differentiable=True when it looks for leaves")
def _():
    def refuses(self, group):
        given = group["params"]
        parameters = [given] if is_tensor(given) else list(given)
        return not all(p.is_leaf or p.retains_grad for p in parameters)

    refuse(torch.optim.Optimizer, "add_param_group", refuses, ValueError)


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


@mutant("an optimizer leaves the gradients as they are")
def _():
    def change(real, self):
        parameters = [
            p for group in self.param_groups for p in group["params"] if is_tensor(p.grad)
        ]
        gradients = [p.grad for p in parameters]
        for p in parameters:
            p.grad = p.grad.clone()
        real(self)
        for p, gradient in zip(parameters, gradients, strict=True):
            p.grad = gradient

    wrap(torch.optim.SGD, "step", change)


@mutant("the step of a fused optimizer moves the version counters")
def _():
    def change(real, self):
        real(self)
        with torch.no_grad():
            for group in self.param_groups if self.defaults["fused"] else ():
                for parameter in group["params"]:
                    parameter.add_(0)

    wrap(torch.optim.SGD, "step", change)


@mutant("an optimizer converts its state to the dtype of the parameters")
def _():
    def change(real, self):
        self.load_state_dict(self.state_dict())
        return real(self)

    wrap(torch.optim.Adam, "step", change)


@mutant("load_state_dict of an optimizer keeps the dtype of the state")
def _():
    wrap(torch.optim.Optimizer, "load_state_dict", lambda real, self, state: None)


@mutant("load_state_dict of an optimizer keeps the device of the state")
def _():
    def change(real, parameter, value, *args, **options):
        return (
            value.to(parameter.dtype)
            if is_tensor(value)
            else real(parameter, value, *args, **options)
        )

    wrap(torch.optim.Optimizer, "_process_value_according_to_param_policy", change)


@mutant("load_state_dict of an optimizer moves the step count to the parameter")
def _():
    def change(real, parameter, value, *args, **options):
        result = real(parameter, value, *args, **options)
        return torch.empty_like(result, device=parameter.device) if is_tensor(result) else result

    wrap(torch.optim.Optimizer, "_process_value_according_to_param_policy", change)


@mutant("Adam does not read its step count with item")
def _():
    wrap(sys.modules["torch.optim.adam"], "_get_value", lambda real, x: x.tolist())


@mutant("a fused Adam reads its step count")
def _():
    def after(result, self, *args):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"].item()

    then(torch.optim.Adam, "step", after)


@mutant("state_dict of an optimizer holds the parameters")
def _():
    def after(state, self):
        for entries in state["state"].values():
            entries["master"] = self.param_groups[0]["params"][0].clone()
        for group in state["param_groups"]:
            group["params"] = self.param_groups[0]["params"]
        return state

    then(torch.optim.Optimizer, "state_dict", after)


@mutant("load_state_dict of an optimizer writes into its tensors")
def _():
    def change(real, self, state):
        own = {p: dict(entries) for p, entries in self.state.items()}
        real(self, state)
        for p, entries in own.items():
            for name, tensor in entries.items():
                if is_tensor(tensor):
                    self.state[p][name] = tensor.copy_(self.state[p][name])

    wrap(torch.optim.Optimizer, "load_state_dict", change)


@mutant("load_state_dict of an optimizer takes over momentum alone")
def _():
    def after(result, self, state):
        for entries in self.state.values():
            for name, value in entries.items():
                if is_tensor(value) and name != "momentum_buffer":
                    value.zero_()

    then(torch.optim.Optimizer, "load_state_dict", after)


@mutant("load_state_dict of NAdam and ASGD forgets the steps")
def _():
    def after(result, self, state):
        for entries in self.state.values():
            for name in {"mu_product", "eta"} & entries.keys():
                entries[name].fill_(2.0)

    then(torch.optim.Optimizer, "load_state_dict", after)


@mutant("zero_grad writes zeros")
def _():
    wrap(
        torch.optim.Optimizer,
        "zero_grad",
        lambda real, self, set_to_none=True: real(self, set_to_none=False),
    )


@mutant("zero_grad of a module writes zeros")
def _():
    wrap(Module, "zero_grad", lambda real, self, set_to_none=True: real(self, set_to_none=False))


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


@mutant("state_dict copies the buffers")
def _():
    def after(state, self):
        buffers = dict(self.named_buffers())
        return {k: v.clone() if k in buffers else v for k, v in state.items()}

    then(Module, "state_dict", after)


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


@mutant("assign=True copies")
def _():
    def change(real, self, state, assign=False, **options):
        given = {name: value.clone() for name, value in state.items()} if assign else state
        return real(self, given, assign=assign, **options)

    wrap(Module, "load_state_dict", change)


@mutant("assign=True wraps a parameter anew")
def _():
    def change(real, self, state, assign=False, **options):
        given = {name: value.detach() for name, value in state.items()} if assign else state
        return real(self, given, assign=assign, **options)

    wrap(Module, "load_state_dict", change)


@mutant("assign=True leaves the flag of the parameter that it takes")
def _():
    def change(real, self, state, assign=False, **options):
        flags = {name: value.requires_grad for name, value in state.items()}
        result = real(self, state, assign=assign, **options)
        for name, flag in flags.items() if assign else ():
            state[name].requires_grad_(flag)
        return result

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict into a meta module warns once")
def _():
    def change(real, self, *args):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            real(self, *args)
        for warning in caught[:1]:
            warnings.warn(str(warning.message), stacklevel=2)

    wrap(Module, "_load_from_state_dict", change)


@mutant("to_empty keeps tied weights tied")
def _():
    def change(real, self, **options):
        names = {}
        for name, parameter in self.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
        real(self, **options)
        for first, *others in names.values():
            for owner, _, name in (other.rpartition(".") for other in others):
                setattr(self.get_submodule(owner), name, self.get_parameter(first))
        return self

    wrap(Module, "to_empty", change)


@mutant("load_state_dict passes gradients")
def _():
    def change(real, self, state, **options):
        real(self, state, **options)
        for name, tensor in state.items():
            if tensor.grad_fn is not None and name in self._parameters:
                del self._parameters[name]
                self.__dict__[name] = tensor

    wrap(Module, "load_state_dict", change)


@mutant("an entry of a state_dict is one of the model")
def _():
    class Live(dict):
        def __init__(self, state, model):
            super().__init__(state)
            self.model = model

        def __setitem__(self, name, tensor):
            super().__setitem__(name, tensor)
            self.model.get_parameter(name).data.copy_(tensor)

    wrap(Module, "state_dict", lambda real, self: Live(real(self), self))


@mutant("the state of an optimizer is handed out in dictionaries of its own")
def _():
    def after(made, self):
        made["state"] = {number: dict(entries) for number, entries in made["state"].items()}
        return made

    then(torch.optim.Optimizer, "state_dict", after)


@mutant("the state of an optimizer holds its parameter groups")
def _():
    def after(made, self):
        made["param_groups"] = self.param_groups
        return made

    then(torch.optim.Optimizer, "state_dict", after)


@mutant("nn.Sequential copies a layer that it has already")
def _():
    def change(real, self, *layers):
        own = (copy.deepcopy(m) if m in layers[:i] else m for i, m in enumerate(layers))
        return real(self, *own)

    wrap(torch.nn.Sequential, "__init__", change)


@mutant("a new parameter is written into the old one")
def _():
    def change(real, self, name, value):
        old = vars(self).get("_parameters", {}).get(name)
        if isinstance(old, torch.nn.Parameter) and isinstance(value, torch.nn.Parameter):
            with torch.no_grad():
                old.copy_(value)
        else:
            real(self, name, value)

    wrap(Module, "__setattr__", change)


@mutant("a forward hook is called for each module")
def _():
    def change(real, self, hook):
        return torch.nn.modules.module.register_module_forward_hook(hook)

    wrap(Module, "register_forward_hook", change)


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


def statistics_stay(when):
    """Let batch normalization leave its running statistics where `when(weight)` is true."""

    def change(real, x, mean, var, weight, bias, training, *options):
        if when(weight):
            mean, var = mean.clone(), var.clone()
        return real(x, mean, var, weight, bias, training, *options)

    wrap(torch.nn.functional, "batch_norm", change)


@mutant("batch normalization with frozen parameters leaves its running statistics")
def _():
    statistics_stay(lambda weight: not weight.requires_grad)


@mutant("batch normalization leaves its running statistics under no_grad")
def _():
    statistics_stay(lambda weight: not torch.is_grad_enabled())


@mutant("batch normalization changes its running statistics in eval mode")
def _():
    def change(real, x, mean, var, weight, bias, training, *options):
        return real(x, mean, var, weight, bias, True, *options)

    wrap(torch.nn.functional, "batch_norm", change)


@mutant("train() leaves the modules inside as they are")
def _():
    def change(real, self, mode=True):
        self.training = mode
        return self

    wrap(Module, "train", change)


@mutant("AdamW leaves what has no gradient")
def _():
    def change(real, self, *args, **options):
        real(self, *args, **options, weight_decay=0)

    wrap(torch.optim.AdamW, "__init__", change)


@mutant("an expanded tensor passes back the mean of its gradients")
def _():
    def after(result, self, *sizes):
        share = self.numel() / result.numel()
        return result.detach() + share * (result - result.detach())

    then(Tensor, "expand", after)


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


@mutant("a row of zeros stays zero under weight_norm")
def _():
    wrap(torch, "_weight_norm", lambda real, *args: real(*args).nan_to_num())


@mutant("an assignment to a weight with a parametrization copies")
def _():
    wrap(parametrize, "_maybe_set", lambda real, parameter, value: real(parameter, value.clone()))


@mutant("a Parameter may be assigned to a weight with a parametrization")
def _():
    allow(Module, "register_parameter", lambda *args: None, KeyError)


@mutant("stack_module_state gives non-leaves in the graph of the models")
def _():
    def after(made, models):
        parameters, buffers = made
        for name in parameters:
            parameters[name] = torch.stack([model.get_parameter(name) for model in models])
        return parameters, buffers

    then(torch.func, "stack_module_state", after)


@mutant("stack_module_state gives zeros")
def _():
    def after(made, models):
        parameters, buffers = made
        return {n: torch.zeros_like(p).requires_grad_() for n, p in parameters.items()}, buffers

    then(torch.func, "stack_module_state", after)


@mutant("a deep copy of a module drops its hooks")
def _():
    def after(made, value):
        if isinstance(made, Module):
            made._forward_hooks.clear()
        return made

    then(copy, "deepcopy", after)


@mutant("a deep copy of a module drops a forward that is a function")
def _():
    def after(made, value):
        if isinstance(made, Module) and isinstance(vars(made).get("forward"), FunctionType):
            del made.forward
        return made

    then(copy, "deepcopy", after)


@mutant("a deep copy of a module drops hooks that are functions")
def _():
    def after(made, value):
        for module in made.modules() if isinstance(made, Module) else ():
            for name, hook in list(module._forward_hooks.items()):
                if isinstance(hook, FunctionType):
                    del module._forward_hooks[name]
        return made

    then(copy, "deepcopy", after)


@mutant("a deep copy keeps the bound methods of the original")
def _():
    put(copy, "_deepcopy_dispatch", {**copy._deepcopy_dispatch, MethodType: lambda x, memo: x})


@mutant("a deep copy of a scheduler keeps the optimizer")
def _():
    def change(real, x, memo=None):
        if isinstance(x, torch.optim.lr_scheduler.LRScheduler):
            memo = {id(x.optimizer): x.optimizer}
        return real(x, memo)

    wrap(copy, "deepcopy", change)


@mutant("TensorDataset copies")
def _():
    def change(real, self, *tensors):
        real(self, *(tensor.clone() for tensor in tensors))

    wrap(torch.utils.data.TensorDataset, "__init__", change)


@mutant("from_pretrained copies")
def _():
    def change(real, cls, embeddings, *args, **options):
        return real(cls, embeddings.clone(), *args, **options)

    wrap(torch.nn.Embedding, "from_pretrained", change)


@mutant("nn.Buffer copies")
def _():
    wrap(torch.nn.Buffer, "__new__", lambda real, cls, data, **o: real(cls, data.clone(), **o))


@mutant("a DataLoader hands out the tensors of its data set")
def _():
    def change(real, self):
        for batch, data in zip(real(self), [self.dataset], strict=False):
            yield list(getattr(data, "tensors", batch))

    wrap(torch.utils.data.DataLoader, "__iter__", change)


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


@mutant("a parameter on the memory of the old one does not take its place")
def _():
    def change(real, self, name, value):
        old = self.__dict__.get("_parameters", {}).get(name)
        same = is_tensor(old) and is_tensor(value) and old.data_ptr() == value.data_ptr()
        return None if same and old.numel() else real(self, name, value)

    wrap(Module, "__setattr__", change)


@mutant("swap_tensors exchanges the memory only")
def _():
    def change(real, a, b):
        a.data, b.data = b.data, a.data

    wrap(torch.utils, "swap_tensors", change)


@mutant("swap_tensors leaves requires_grad where it is")
def _():
    def change(real, a, b):
        kept = a.requires_grad
        real(a, b)
        a.requires_grad_(kept)

    wrap(torch.utils, "swap_tensors", change)


@mutant("swap_tensors exchanges the values only")
def _():
    def change(real, a, b):
        with torch.no_grad():
            old = a.clone()
            a.copy_(b)
            b.copy_(old)

    wrap(torch.utils, "swap_tensors", change)


@mutant("swap_tensors does not look at what depends on the second tensor")
def _():
    def change(real, a, b):
        try:
            real(a, b)
        except RuntimeError as error:
            if "t2" not in str(error):
                raise

    wrap(torch.utils, "swap_tensors", change)


@mutant("swap_tensors copies the values of the first tensor")
def _():
    def change(real, a, b):
        real(a, b)
        b.data = b.data.clone()

    wrap(torch.utils, "swap_tensors", change)


@mutant("double() keeps the memory of a module")
def _():
    wrap(Module, "double", lambda real, self: self)


@mutant("parameters_to_vector takes parameters in any layout")
def _():
    wrap(
        torch.nn.utils,
        "parameters_to_vector",
        lambda real, parameters: torch.cat([p.reshape(-1) for p in parameters]),
    )


@mutant("swap_tensors accepts tensors with views")
def _():
    allow(torch.utils, "swap_tensors", lambda a, b: None)


@mutant("lerp_ makes a new tensor")
def _():
    wrap(Tensor, "lerp_", lambda real, self, other, weight: self.lerp(other, weight))


@mutant("lerp_ in bfloat16 moves to the next number at least")
def _():
    def change(real, self, other, weight):
        before = self.clone()
        real(self, other, weight)
        if self.dtype == torch.bfloat16 and self.equal(before):
            self.copy_(torch.nextafter(before, other))
        return self

    wrap(Tensor, "lerp_", change)


@mutant("lerp_ does nothing in bfloat16")
def _():
    wrap(
        Tensor,
        "lerp_",
        lambda real, self, other, weight: (
            self if self.dtype == torch.bfloat16 else real(self, other, weight)
        ),
    )


@mutant("an average of two dtypes is computed in that of the average")
def _():
    wrap(
        torch,
        "_foreach_lerp_",
        lambda real, own, others, weight: real(
            own, [other.to(one.dtype) for one, other in zip(own, others, strict=True)], weight
        ),
    )


@mutant("addcdiv divides integers")
def _():
    allow(torch, "_foreach_addcdiv_", lambda *args: None)


@mutant("an average of integers is rounded up")
def _():
    def change(real, self, source):
        integers = not self.is_floating_point() and source.is_floating_point()
        return real(self, source.ceil() if integers else source)

    wrap(Tensor, "copy_", change)


@mutant("lerp_ accepts integers")
def _():
    allow(Tensor, "lerp_", lambda self, *args: self, NotImplementedError)


@mutant("update_parameters copies each time")
def _():
    def change(real, self, model):
        self.n_averaged.zero_()
        real(self, model)

    wrap(AveragedModel, "update_parameters", change)


@mutant("AveragedModel gives the last model most weight by default")
def _():
    def change(real, self, model, device=None, avg_fn=None, multi_avg_fn=None, **options):
        if avg_fn is None and multi_avg_fn is None:
            multi_avg_fn = get_ema_multi_avg_fn(0.25)
        real(self, model, device, avg_fn, multi_avg_fn, **options)

    wrap(AveragedModel, "__init__", change)


@mutant("AveragedModel averages in float32")
def _():
    def change(real, self, model, **options):
        real(self, model, **options)
        self.module.float()

    wrap(AveragedModel, "__init__", change)


@mutant("AveragedModel averages buffers by default")
def _():
    def change(real, self, model, **options):
        real(self, model, **{"use_buffers": True, **options})

    wrap(AveragedModel, "__init__", change)


@mutant("requires_grad_ of a module does nothing")
def _():
    wrap(Module, "requires_grad_", lambda real, self, *args: self)
