"""Mutants: torch.compile and its backends, torch.export, torch.func."""

import copy
from types import SimpleNamespace

import torch
import torch._dynamo.backends.debugging
import torch._dynamo.backends.registry
import torch._inductor.compile_fx
from torch import Tensor

from verify.mutants.changes import mutant, put, wrap

DEFAULT = torch._inductor.compile_fx
REGISTRY = torch._dynamo.backends.registry


def default_backend(change) -> None:
    """Let the code that the default backend makes be run by `change(code, arguments)`."""

    def compiled(real, graph, inputs, **options):
        code = real(graph, inputs, **options)

        def run(*arguments):
            return change(code, arguments)

        return run

    wrap(DEFAULT, "compile_fx", compiled)


def each_result(change) -> None:
    """Let `change(result, arguments, results before it)` stand for each result of that code."""

    def run(code, arguments):
        results = []
        for result in code(*arguments):
            changed = change(result, arguments, results) if isinstance(result, Tensor) else result
            results.append(changed)
        return tuple(results)

    default_backend(run)


def equal(one: object, other: object) -> bool:
    return isinstance(one, Tensor) and one.shape == other.shape and torch.equal(one, other)


@mutant("the default backend runs the graph as it is", slow="compile")
def _():
    def as_it_is(real, graph, inputs, **options):
        return torch._dynamo.backends.debugging.aot_eager(graph, inputs)

    wrap(DEFAULT, "compile_fx", as_it_is)


@mutant("a compiled function takes each number for a constant", slow="compile")
def _():
    put(torch._dynamo.config, "automatic_dynamic_shapes", False)


@mutant("a number in a module is an argument of compiled code", slow="compile")
def _():
    put(torch._dynamo.config, "allow_unspec_int_on_nn_module", True)


@mutant("torch.compile compiles at each call", slow="compile")
def _():
    def compiled(real, function, **options):
        def call(*arguments):
            torch._dynamo.reset()
            return real(function, **options)(*arguments)

        return call

    wrap(torch, "compile", compiled)


@mutant("the backend aot_eager replaces no in-place operation", slow="compile")
def _():
    def look_up(real, name):
        return real("eager" if name == "aot_eager" else name)

    wrap(REGISTRY, "lookup_backend", look_up)


@mutant("the compiler takes nothing from its cache on disk", slow="compile")
def _():
    from torch._functorch._aot_autograd.autograd_cache import AOTAutogradCache

    wrap(AOTAutogradCache, "_lookup", lambda real, *args, **options: None)


@mutant("the default backend copies what it returns", slow="compile")
def _():
    each_result(lambda result, arguments, before: result.clone())


@mutant("the default backend detaches what it returns", slow="compile")
def _():
    each_result(lambda result, arguments, before: result.detach())


@mutant("the default backend returns an argument in the place of an equal result", slow="compile")
def _():
    def argument(result, arguments, before):
        return next((a for a in arguments if equal(a, result)), result)

    each_result(argument)


@mutant("the default backend returns one tensor for equal results", slow="compile")
def _():
    def first(result, arguments, before):
        return next((b for b in before if equal(b, result)), result)

    each_result(first)


@mutant("the default backend leaves the arguments as they are", slow="compile")
def _():
    def on_copies(code, arguments):
        copies = (a.detach().clone() if isinstance(a, Tensor) else a for a in arguments)
        return code(*copies)

    default_backend(on_copies)


@mutant("the default backend adds one to each result", slow="compile")
def _():
    each_result(lambda result, arguments, before: result + 1)


@mutant("fullgraph=True is ignored", slow="compile")
def _():
    def compile(real, *args, fullgraph=False, **options):
        return real(*args, **options)

    wrap(torch, "compile", compile)


@mutant("torch.compiler.disable does nothing", slow="compile")
def _():
    wrap(torch.compiler, "disable", lambda real, function: function)


@mutant("item() does not break the graph", slow="compile")
def _():
    put(torch._dynamo.config, "capture_scalar_outputs", True)


@mutant("opcheck accepts every operator", slow="compile")
def _():
    wrap(torch.library, "opcheck", lambda real, *args: None)


@mutant("a custom operator may return any tensor")
def _():
    wrap(torch._library.utils, "_c_check_aliasing_constraint", lambda real, *args: None)


@mutant("a custom operator may return two tensors on one memory")
def _():
    def check(real, name, args, kwargs, result, module):
        return real(name, args, kwargs, result[:1] if isinstance(result, tuple) else result, module)

    wrap(torch._library.utils, "_c_check_aliasing_constraint", check)


@mutant("a custom operator refuses every result")
def _():
    def check(real, name, args, kwargs, result, module):
        raise RuntimeError(f"{name} is refused")

    wrap(torch._library.utils, "_c_check_aliasing_constraint", check)


@mutant("a custom operator gets copies, which are copied back")
def _():
    def change(real, name, function, **options):
        def with_copies(*args):
            copies = [arg.clone() for arg in args]
            result = function(*copies)
            for arg, copied in zip(args, copies, strict=True):
                arg.copy_(copied)
            return result

        return real(name, with_copies if options.get("mutates_args") else function, **options)

    wrap(torch.library, "custom_op", change)


@mutant("functional_call always puts the parameters back")
def _():
    def put_back(real, module, *args, **options):
        kept = [(m, dict(m._parameters)) for m in module.modules()]
        result = real(module, *args, **options)
        for owner, parameters in kept:
            owner._parameters.update(parameters)
        return result

    wrap(torch.func, "functional_call", put_back)


@mutant("functional_call writes into the parameters")
def _():
    def change(real, module, tensors, *args, **options):
        result = real(module, tensors, *args, **options)
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.copy_(tensors.get(name, parameter))
        return result

    wrap(torch.func, "functional_call", change)


def functional_call_with(changed):
    """Let `functional_call` use `changed(tensor, module)` for each tensor that it is given."""

    def change(real, module, tensors, *args, **options):
        values = {name: changed(tensor, module) for name, tensor in tensors.items()}
        return real(module, values, *args, **options)

    wrap(torch.func, "functional_call", change)


@mutant("functional_call detaches the tensors that it is given")
def _():
    functional_call_with(lambda tensor, module: tensor.detach())


@mutant("functional_call uses copies of plain tensors that the module does not have")
def _():
    def copied(tensor, module):
        kept = tensor.requires_grad or any(tensor is own for own in module.buffers())
        return tensor if kept else tensor.clone()

    functional_call_with(copied)


@mutant("functional_call ties weights in spite of tie_weights=False")
def _():
    def tie(real, *args, tie_weights=True, **options):
        return real(*args, **options)

    wrap(torch.func, "functional_call", tie)


@mutant("a compiler gets each graph twice")
def _():
    def change(real, function, *, backend):
        return real(function, backend=lambda *graph: (backend(*graph), backend(*graph))[1])

    wrap(torch, "compile", change)


@mutant("an assignment of a tensor to a name of a module copies into the old one", slow="compile")
def _():
    def change(real, self, name, value):
        old = getattr(self, name, None)
        if isinstance(value, Tensor) and isinstance(old, Tensor) and old.shape == value.shape:
            with torch.no_grad():
                old.copy_(value)
        else:
            real(self, name, value)

    wrap(torch.nn.Module, "__setattr__", change)


@mutant("an exported module is the module itself", slow="compile")
def _():
    def export(real, module, inputs, *, strict):
        return SimpleNamespace(module=lambda: module)

    wrap(torch.export, "export", export)


@mutant("an exported module keeps no change of its buffers", slow="compile")
def _():
    def export(real, module, inputs, *, strict):
        exported = real(module, inputs, strict=strict).module()

        def run(*args):
            before = [(b, b.clone()) for b in exported.buffers() if type(b) is Tensor]
            result = exported(*args)
            for buffer, values in before:
                buffer.copy_(values)
            return result

        return SimpleNamespace(module=lambda: run)

    wrap(torch.export, "export", export)


@mutant("vmap runs the rows one after the other")
def _():
    def one_by_one(real, function):
        return lambda batch: torch.stack([function(row) for row in batch])

    wrap(torch.func, "vmap", one_by_one)


@mutant("zeros_like of a row of vmap is one tensor for all rows")
def _():
    def change(real, x):
        batched = torch._C._functorch.is_batchedtensor(x)
        return torch.zeros(x.shape, dtype=x.dtype, device=x.device) if batched else real(x)

    wrap(torch, "zeros_like", change)


@mutant("module.compile() puts a word before the names of its state dict")
def _():
    def rename(module, state, prefix, metadata):
        for name in list(state):
            state[f"_orig_mod.{name}"] = state.pop(name)

    def change(real, self, *args, **options):
        real(self, *args, **options)
        self.register_state_dict_post_hook(rename)

    wrap(torch.nn.Module, "compile", change)


@mutant("a deep copy of a compiled module keeps the module", slow="compile")
def _():
    def change(real, x, memo=None):
        if isinstance(x, torch._dynamo.OptimizedModule):
            memo = {id(x._orig_mod): x._orig_mod}
        return real(x, memo)

    wrap(copy, "deepcopy", change)


@mutant("a deep copy of a module after compile() calls the original", slow="compile")
def _():
    def change(real, x, memo=None):
        made = real(x, memo)
        if isinstance(x, torch.nn.Module) and x._compiled_call_impl:
            made._compiled_call_impl = x._compiled_call_impl
        return made

    wrap(copy, "deepcopy", change)


@mutant("a deep copy of a module drops a compiled forward", slow="compile")
def _():
    def change(real, x, memo=None):
        made = real(x, memo)
        if isinstance(x, torch.nn.Module):
            vars(made).pop("forward", None)
        return made

    wrap(copy, "deepcopy", change)


@mutant("a module without a forward of its own computes zeros", slow="compile")
def _():
    def change(real, self, name):
        had = name == "forward" and name in vars(self)
        real(self, name)
        if had:
            self.forward = torch.zeros_like

    wrap(torch.nn.Module, "__delattr__", change)


@mutant("torch.jit.trace returns the function")
def _():
    put(torch.jit, "trace", lambda function, *args, **options: function)


def constant_in_a_trace(real, value, **options):
    traced = isinstance(value, Tensor) and torch.jit.is_tracing()
    return real(value.tolist() if traced else value, **options)


@mutant("a trace takes the result of torch.tensor for a constant")
def _():
    wrap(torch, "tensor", constant_in_a_trace)


@mutant("a trace takes the result of torch.as_tensor for a constant")
def _():
    wrap(torch, "as_tensor", constant_in_a_trace)
