"""The shortest and the cheapest chain with the same result, found in the machine."""

import heapq
from math import prod
from typing import NamedTuple

from .machine import NAMES, Machine

SIZES = {"float32": 4, "float64": 8, "float16": 2, "int64": 8}  # bytes of an element
LONGEST = 4  # no longer chains are looked for
# By how much the values were multiplied, and which elements of x they are.
ITEMS = (1, 0, 1, 2, 3, 4, 5)


class Chain(NamedTuple):
    """A chain that was found, with the bytes that it copies."""

    steps: tuple[str, ...]
    bytes: int


def items_after(step: str, before: tuple, after: tuple, items: tuple[int, ...]) -> tuple[int, ...]:
    """Return the values after a step, in order; the layouts before and after it are given."""
    factor, *elements = items
    if step in ("v[0]", "v[[0, 1]]"):
        elements = elements[: prod(after[0])]
    if step == "v.expand(2, -1, -1)" and len(before[0]) == 2:
        elements = elements * 2
    if step == "v.t()" and len(before[0]) == 2:
        rows, columns = before[0]
        elements = [elements[(n % rows) * columns + n // rows] for n in range(len(elements))]
    return (2 * factor if step == "v * 2" else factor, *elements)


def cost_of(machine: Machine, there: int, move: int) -> int:
    """Return the bytes that a step copies."""
    _, dtype, layout, *_ = machine.state(there)
    return SIZES.get(dtype, 0) * layout[3] if move == 2 else 0


def end_of(machine: Machine, start: tuple[str, str], steps: tuple[str, ...], no_grad: bool):
    """Return where a chain ends: the state, the values, and the bytes copied. None: it raises."""
    here, items, copied = machine.data["start"][" ".join(start)], ITEMS, 0
    for step in steps:
        found = machine.step(here, step, no_grad)
        if found is None or isinstance(found, str):
            return None
        there, (move, *_) = found
        items = items_after(step, machine.state(here)[2], machine.state(there)[2], items)
        copied += cost_of(machine, there, move)
        here = there
    return here, items, copied


def better(machine: Machine, start: tuple[str, str], steps: tuple[str, ...], no_grad: bool):
    """Return the shortest and the cheapest chain with the same result; None if it raises."""
    target = end_of(machine, start, steps, no_grad)
    if target is None:
        return None
    return tuple(search(machine, start, steps, target, no_grad, by) for by in ("steps", "bytes"))


def search(
    machine: Machine, start: tuple, steps: tuple, target: tuple, no_grad: bool, by: str
) -> Chain | None:
    """Return the chain with the fewest steps, or the fewest bytes, that ends in the target."""
    end, values, most = target
    todo = [(0, 0, 0, machine.data["start"][" ".join(start)], ITEMS, ())]
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
        before = machine.state(here)[2]
        for step in NAMES:
            found = machine.step(here, step, no_grad)
            if found is None or isinstance(found, str):
                continue
            there, (move, *_) = found
            after = items_after(step, before, machine.state(there)[2], items)
            if after[0] > values[0] or (there, after) in done:
                continue
            now, number = copied + cost_of(machine, there, move), number + 1
            costs = (len(path) + 1, now) if by == "steps" else (now, len(path) + 1)
            heapq.heappush(todo, (*costs, number, there, after, (*path, step)))
    return None
