"""Mutants: what a module, an optimizer or a loader hands out and takes over."""

import copy

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from verify.mutants.changes import is_tensor, mutant, then, warn, wrap


@mutant("a module hands out new objects for its parameters")
def _():
    def after(found, self, name):
        return found.detach().requires_grad_() if isinstance(found, Parameter) else found

    then(Module, "__getattr__", after)


@mutant("parameters() gives new objects")
def _():
    def change(real, self, *args):
        for parameter in real(self, *args):
            yield Parameter(parameter.detach(), parameter.requires_grad)

    wrap(Module, "parameters", change)


@mutant("ParameterList and ParameterDict hand out detached tensors")
def _():
    for kind in (torch.nn.ParameterList, torch.nn.ParameterDict):
        then(kind, "__getitem__", lambda found, self, key: found.detach())


@mutant("swap_tensors does nothing")
def _():
    wrap(torch.utils, "swap_tensors", lambda real, a, b: None)


@mutant("torch.clone and torch.detach of an nn.Parameter give an nn.Parameter")
def _():
    def after(made, source):
        return Parameter(made.detach()) if isinstance(source, Parameter) else made

    for name in ("clone", "detach"):
        then(torch, name, after)


@mutant("nn.Parameter makes a plain tensor")
def _():
    def change(real, cls, data=None, requires_grad=True):
        return data.detach().requires_grad_(requires_grad)

    wrap(Parameter, "__new__", change)


@mutant("state_dict holds an entry more")
def _():
    def after(state, self):
        state["extra"] = torch.zeros(1)
        return state

    then(Module, "state_dict", after)


@mutant("load_state_dict does not say what is missing")
def _():
    def change(real, self, state, **options):
        result = real(self, state, **options)
        return result._replace(missing_keys=[])

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict copies nothing after the first tensor that does not fit")
def _():
    def change(real, self, state, **options):
        kept, fits = {}, True
        for name, old in self.state_dict().items():
            fits = fits and (name not in state or state[name].shape == old.shape)
            if name in state:
                kept[name] = state[name] if fits or state[name].shape != old.shape else old.clone()
        return real(self, state if fits else kept, **options)

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict leaves the buffers alone")
def _():
    def change(real, self, state):
        names = {name for name, _ in self.named_parameters()}
        return real(self, {n: t for n, t in state.items() if n in names}, strict=False)

    wrap(Module, "load_state_dict", change)


@mutant("load_state_dict into a meta module warns with another text")
def _():
    warn(Module, "_load_from_state_dict", "use assign=True", lambda *args: False)


@mutant("a module converts and moves its plain attributes, too")
def _():
    def move(self, how):
        for name, value in vars(self).items():
            if is_tensor(value):
                setattr(self, name, how(value))
            elif isinstance(value, list):
                value[:] = [how(v) if is_tensor(v) else v for v in value]
        return self

    then(Module, "double", lambda result, self: move(self, Tensor.double))
    then(Module, "to", lambda result, self, to: move(self, lambda tensor: tensor.to(to)))


@mutant("weight_norm doubles the weight")
def _():
    wrap(torch, "_weight_norm", lambda real, *args: 2 * real(*args))


@mutant("an LSTM gives its states in a list")
def _():
    def change(real, self, *args):
        output, states = real(self, *args)
        return output, list(states)

    wrap(torch.nn.LSTM, "forward", change)


@mutant("an optimizer works on copies of its parameters")
def _():
    def after(result, self, group):
        copies = [p.detach().clone().requires_grad_() for p in self.param_groups[-1]["params"]]
        self.param_groups[-1]["params"] = copies

    then(torch.optim.Optimizer, "add_param_group", after)


@mutant("an optimizer takes over the rate of a state that it refuses")
def _():
    def change(real, self, state):
        try:
            return real(self, state)
        except ValueError:
            self.param_groups[0]["lr"] = state["param_groups"][0]["lr"]
            raise

    wrap(torch.optim.Optimizer, "load_state_dict", change)


@mutant("an optimizer that loads a state keeps its rate")
def _():
    def change(real, self, state):
        rate = self.param_groups[0]["lr"]
        real(self, state)
        self.param_groups[0]["lr"] = rate

    wrap(torch.optim.Optimizer, "load_state_dict", change)


@mutant("a deep copy of an optimizer drops or gets a hook")
def _():
    def after(made, x):
        if isinstance(made, torch.optim.Optimizer):
            hooks = made._optimizer_step_post_hooks
            hooks.clear() if hooks else hooks.update({0: print})
        return made

    then(copy, "deepcopy", after)


@mutant("LBFGS does nothing")
def _():
    wrap(torch.optim.LBFGS, "step", lambda real, self, closure: None)


@mutant("a DataLoader copies its data set")
def _():
    def change(real, self, dataset, *args, **options):
        real(self, dataset.clone() if is_tensor(dataset) else dataset, *args, **options)

    wrap(torch.utils.data.DataLoader, "__init__", change)
