"""Mutants: optimizers and modules."""

import copy

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils import parametrize
from torch.optim.swa_utils import AveragedModel

from verify.mutants.changes import allow, in_mode, is_tensor, marked, mutant, put, then, wrap


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


@mutant("an optimizer converts its state before a step")
def _():
    def change(real, self):
        for parameter, state in self.state.items():
            for name in state.keys() & {"exp_avg", "exp_avg_sq"}:
                state[name] = state[name].to(parameter.dtype)
        return real(self)

    wrap(torch.optim.Adam, "step", change)


@mutant("an optimizer loads its state as it is")
def _():
    put(
        torch.optim.Optimizer,
        "_process_value_according_to_param_policy",
        staticmethod(lambda param, value, *args, **options: value),
    )


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
