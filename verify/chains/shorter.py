"""The shortest and the cheapest chain with the same result, found in the machine."""

import heapq
from math import prod
from typing import NamedTuple

from .machine import NAMES, Machine
from .values import SLICES

# The bytes of an element.
SIZES = {"bool": 1, "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int64": 8}
SIZES |= {"complex64": 8, "complex128": 16}
LONGEST = 4  # no longer chains are looked for
# The dtypes that hold all values of one.
HOLD = {
    "float16": ("float16", "float32", "float64", "float"),
    "bfloat16": ("bfloat16", "float32", "float64", "float"),
    "float32": ("float32", "float64", "float"),
    "float64": ("float64", "float"),
    "int64": ("int64", "int"),
    "complex64": ("complex64", "complex128", "complex"),
    "complex128": ("complex128", "complex"),
    "bool": (*SIZES, "float", "int", "complex"),
}
PYTHON = {"float": "float64", "int": "int64", "complex": "complex128"}  # the dtype of its numbers

IN_PLACE = ("v.requires_grad_()", "v.requires_grad_(False)", "v.detach_()")


class Chain(NamedTuple):
    """A chain that was found, with the bytes that it copies."""

    steps: tuple[str, ...]
    bytes: int


def first_items(start: tuple[str, str]) -> tuple:
    """Return the values of x: what changed them or x, the narrowest dtype for them, which ones."""
    return (), start[1], tuple(range(24 if start[0].startswith("images") else 6))


def items_after(step: str, before: tuple, after: tuple, items: tuple) -> tuple:
    """Return the values after a step; the states before and after it are given."""
    changes, narrow, elements = items
    (shape, *_), dtype = before[2], after[1]
    if step in ("v[0]", "v[[0, 1]]"):
        elements = elements[: prod(after[2][0])]
    if step in SLICES:
        elements = tuple(elements[n] for n in SLICES[step])
    if step == "v.expand(2, -1, -1)" and len(shape) == 2:
        elements = elements * 2
    if step == "v.t()" and len(shape) == 2:
        rows, columns = shape
        elements = tuple(elements[(n % rows) * columns + n // rows] for n in range(len(elements)))
    if step in IN_PLACE and before[4]:
        changes = (*changes, "x")
    if step == "v * 2":
        changes, narrow = (*changes, "* 2"), dtype
    elif dtype not in HOLD[narrow]:  # rounds
        narrow = PYTHON.get(dtype, dtype)
        changes = (*changes, narrow)
    return changes, narrow, elements


def cost_of(machine: Machine, there: int, move: int) -> int:
    """Return the bytes that a step copies."""
    _, dtype, layout, *_ = machine.state(there)
    return SIZES.get(dtype, 0) * layout[3] if move == 2 else 0


def end_of(machine: Machine, start: tuple[str, str], steps: tuple[str, ...], no_grad: bool):
    """Return where a chain ends: the state, the values, and the bytes copied. None: it raises."""
    here, items, copied = machine.data["start"][" ".join(start)], first_items(start), 0
    for step in steps:
        found = machine.step(here, step, no_grad)
        if found is None or isinstance(found, str):
            return None
        there, (move, *_) = found
        items = items_after(step, machine.state(here), machine.state(there), items)
        copied += cost_of(machine, there, move)
        here = there
    return here, items, copied


def better(machine: Machine, start: tuple[str, str], steps: tuple[str, ...], no_grad: bool):
    """Return the shortest and the cheapest chain with the same result; None if it raises."""
    target = end_of(machine, start, steps, no_grad)
    if target is None or machine.state(target[0])[1] == "memoryview":  # not followed
        return None
    return tuple(search(machine, start, steps, target, no_grad, by) for by in ("steps", "bytes"))


def search(
    machine: Machine, start: tuple, steps: tuple, target: tuple, no_grad: bool, by: str
) -> Chain | None:
    """Return the chain with the fewest steps, or the fewest bytes, that ends in the target."""
    end, values, most = target
    todo = [(0, 0, 0, machine.data["start"][" ".join(start)], first_items(start), ())]
    done, number = set(), 0
    while todo:
        *cost, _, here, items, path = heapq.heappop(todo)
        if (here, items) in done:
            continue
        done.add((here, items))
        copied = cost[1] if by == "steps" else cost[0]
        if (here, items) == (end, values):
            return Chain(path, copied)
        if len(path) >= min(len(steps), LONGEST) or (by == "bytes" and copied > most):
            continue
        before = machine.state(here)
        for step in NAMES:
            found = machine.step(here, step, no_grad)
            if found is None or isinstance(found, str):
                continue
            there, (move, *_) = found
            after = items_after(step, before, machine.state(there), items)
            if after[0] != values[0][: len(after[0])] or (there, after) in done:
                continue
            now, number = copied + cost_of(machine, there, move), number + 1
            costs = (len(path) + 1, now) if by == "steps" else (now, len(path) + 1)
            heapq.heappush(todo, (*costs, number, there, after, (*path, step)))
    return None
