"""Mutants: backward."""

import warnings

import torch
import torch.utils.checkpoint
from torch import Tensor

from verify.mutants.changes import (
    is_tensor,
    leaf_that_requires_grad,
    leaves_behind,
    mutant,
    nodes_behind,
    raise_other,
    refuse,
    then,
    warn,
    wrap,
)


@mutant("backward replaces the gradient")
def _():
    def change(real, self, *args, **options):
        for leaf in leaves_behind(self):
            leaf.grad = None
        return real(self, *args, **options)

    wrap(Tensor, "backward", change)


@mutant("cross_entropy saves its input as well", slow="benchmarks")
def _():
    def change(real, logits, target):
        return real(logits, target) + 0 * logits.square().sum()

    wrap(torch.nn.functional, "cross_entropy", change)


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


@mutant("checkpoint keeps what it computes")
def _():
    wrap(
        torch.utils.checkpoint,
        "checkpoint",
        lambda real, function, *args, **options: function(*args),
    )


@mutant("backward keeps what the graph saved")
def _():
    wrap(Tensor, "backward", lambda real, self: real(self, retain_graph=True))


@mutant("backward keeps the record of a change of a view")
def _():
    def change(real, self):
        changed = any("CopySlices" in node.name() for node in nodes_behind(self))
        return real(self, retain_graph=True) if changed else real(self)

    wrap(Tensor, "backward", change)


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


def reword(old: str, new: str) -> None:
    """Let backward() raise with other words in the place of `old`."""

    def change(real, self, *args, **options):
        try:
            return real(self, *args, **options)
        except RuntimeError as error:
            raise RuntimeError(str(error).replace(old, new)) from None

    wrap(Tensor, "backward", change)


@mutant("the error of a changed leaf names an operation")
def _():
    reword("] is at", "], which is output 0 of AccumulateGrad, is at")


@mutant("the error of a changed input names the operation that made it first")
def _():
    reword("output 0 of Add", "output 0 of Mul")


@mutant("the error of a changed result names the operation that changed it")
def _():
    reword("output 0 of Sigmoid", "output 0 of Add")


@mutant("backward walks no node twice")
def _():
    def change(real, self, *args, **options):
        nodes = [node for node in nodes_behind(self) if not hasattr(node, "variable")]
        if any("walked" in node.metadata for node in nodes):
            raise RuntimeError("Trying to backward through the graph a second time")
        result = real(self, *args, **options)
        for node in nodes if not options.get("retain_graph") else ():
            node.metadata["walked"] = True
        return result

    wrap(Tensor, "backward", change)


@mutant("backward frees every graph that exists")
def _():
    newest = -1

    def change(real, self, *args, **options):
        nonlocal newest
        nodes = [node for node in nodes_behind(self) if not hasattr(node, "variable")]
        if any(node._sequence_nr() <= newest for node in nodes):
            raise RuntimeError("Trying to backward through the graph a second time")
        result = real(self, *args, **options)
        if not options.get("retain_graph"):
            newest = torch.ones((), requires_grad=True).view(1).grad_fn._sequence_nr()
        return result

    wrap(Tensor, "backward", change)


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


@mutant("sample() of a normal distribution is computed in the graph")
def _():
    wrap(torch.distributions.Normal, "sample", lambda real, self: self.rsample())


@mutant("rsample() of a normal distribution is outside the graph")
def _():
    then(torch.distributions.Normal, "rsample", lambda result, self: result.detach())


@mutant("a Function of one's own lets go of its attributes")
def _():
    def after(result, *inputs):
        vars(result.grad_fn).clear()
        return result

    then(torch.autograd.Function, "apply", after)


@mutant("a Function of one's own keeps its result")
def _():
    def after(result, *inputs):
        result.grad_fn.result = result
        return result

    then(torch.autograd.Function, "apply", after)


@mutant("the result of a Function of one's own is never given back")
def _():
    kept = []
    then(torch.autograd.Function, "apply", lambda result, *inputs: kept.append(result) or result)


@mutant("what a Function of one's own computes is recorded")
def _():
    def change(real, cls, *inputs):
        return cls.forward(torch.autograd.function.FunctionCtx(), *inputs)

    wrap(torch.autograd.Function, "apply", change)


@mutant("the result of a Function of one's own does not require grad")
def _():
    then(torch.autograd.Function, "apply", lambda result, cls, *inputs: result.detach())


@mutant("a Function of one's own sees the tensors in a list")
def _():
    def after(result, cls, *inputs):
        return result.requires_grad_() if isinstance(inputs[0], list) else result

    then(torch.autograd.Function, "apply", after)


@mutant("a Function of one's own marks nothing as not differentiable")
def _():
    context = torch.autograd.function.FunctionCtx
    wrap(context, "mark_non_differentiable", lambda real, self, *results: None)


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


@mutant("backward raises without a message")
def _():
    def change(real, self, *args, **options):
        try:
            return real(self, *args, **options)
        except RuntimeError:
            raise RuntimeError from None

    wrap(Tensor, "backward", change)


@mutant("anomaly detection does not show the line")
def _():
    def change(real, self, *args, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                return real(self, *args, **options)
            except RuntimeError as error:
                raised = error
        for _ in caught:
            warnings.warn("Traceback is not shown", stacklevel=3)
        raise raised

    wrap(Tensor, "backward", change)


@mutant("backward of a product keeps what the graph saved")
def _():
    def change(real, self):
        product = self.grad_fn is not None and self.grad_fn.name() == "MulBackward0"
        return real(self, retain_graph=product)

    wrap(Tensor, "backward", change)
