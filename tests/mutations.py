"""The mutants: PyTorch (and its surroundings) with one behavior changed.

`wrap(owner, name, change)` puts `change` in the place of `owner.name`; `change` gets the real thing
as its first argument. Each mutant runs in a process of its own, so nothing is put back.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class Mutation(NamedTuple):
    """A changed behavior: `apply` changes it, `benchmarks` says that it concerns speed."""

    apply: Callable[[], None]
    benchmarks: bool


MUTATIONS: dict[str, Mutation] = {}


def mutant(name: str, benchmarks: bool = False) -> Callable:
    """Register a function that changes one behavior, under a name that says which."""

    def register(apply: Callable[[], None]) -> Callable:
        assert name not in MUTATIONS, name
        MUTATIONS[name] = Mutation(apply, benchmarks)
        return apply

    return register


def wrap(owner: object, name: str, change: Callable) -> None:
    """Replace `owner.name` by a call of `change(real, ...)`."""
    real = getattr(owner, name)
    setattr(owner, name, lambda *args, **options: change(real, *args, **options))


def wrap_property(owner: type, name: str, change: Callable, setter: Callable | None = None) -> None:
    """Replace the property `owner.name` by `change(read, self)`, its setter by `setter`."""
    real = getattr(owner, name)
    write = setter and (lambda self, value: setter(real.__set__, self, value))
    replaced = property(lambda self: change(real.__get__, self), write or real.__set__)
    setattr(owner, name, replaced)


# clone


@mutant("clone shares memory")
def _():
    wrap(Tensor, "clone", lambda real, self, **options: self.view_as(self))


@mutant("clone leaves the graph")
def _():
    wrap(Tensor, "clone", lambda real, self, **options: real(self, **options).detach())


@mutant("detach copies")
def _():
    wrap(Tensor, "detach", lambda real, self: real(self).clone())


@mutant(".data shares the version counter")
def _():
    wrap_property(Tensor, "data", lambda read, self: self.detach())
