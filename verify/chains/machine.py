"""The machine of all chains: from each state, what each step leads to. Learned by running PyTorch.

A state is what can be seen of a value: its kind and place in the graph, its dtype, its layout. The
machine is learned from the sources outwards: every step is tried in every state, on a value made
anew by the first chain that led there.
"""

import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext

import torch

from .values import DTYPES, OF_LISTS, SOURCES, STEPS, possible, shares, source, state

NAMES = list(STEPS)
KEPT = "kept"  # the node of a step that gives back the object before it
MOVES = ("the object itself", "the same memory", "a copy")


def node(value: object) -> str:
    """Return the name of the node behind a value."""
    found = getattr(value, "grad_fn", None)
    return type(found).__name__ if found is not None else ""


def take(value: object, step: str) -> tuple[object, tuple]:
    """Take a step; return the new value and what is seen of the step itself."""
    before = node(value)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = STEPS[step](value)
    said = str(caught[0].message).splitlines()[0].split(" (Trigg")[0] if caught else ""
    move = 0 if made is value else 1 if shares(made, value) else 2
    after = node(made)
    return made, (move, KEPT if made is value and after == before else after, said)


def message(error: Exception) -> str:
    """Return what an error says, its first sentences."""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def mode(no_grad: bool):
    """Return the grad mode of a line."""
    return torch.no_grad() if no_grad else nullcontext()


def follow(start: tuple[str, str], steps: list[str], no_grad: bool) -> tuple:
    """Run a chain; return the state at its end and its last step, or the step that raises."""
    x = source(*start)
    value, seen = x, ()
    with mode(no_grad):
        for number, step in enumerate(steps):
            try:
                value, seen = take(value, step)
            except Exception as error:
                return "raises", number, message(error)
    return state(value, x), seen


def starts() -> Iterator[tuple[str, str]]:
    """Yield what x can be: a kind of source, and a dtype."""
    return ((kind, dtype) for kind in SOURCES for dtype in DTYPES if possible(kind, dtype))


def steps_of(found: tuple) -> tuple[str, ...] | list[str]:
    """Return the steps that are tried in a state."""
    if found[0] == "number":
        return ()
    return OF_LISTS if found[0] == "list" else NAMES


def learn() -> dict[str, object]:
    """Return the machine: states with the chain that shows each, and transitions."""
    always, threads = torch.is_warn_always_enabled(), torch.get_num_threads()
    torch.set_warn_always(True)
    torch.set_num_threads(1)
    try:
        return explore()
    finally:
        torch.set_warn_always(always)
        torch.set_num_threads(threads)


def explore() -> dict[str, object]:
    """Try each step in each state, in both grad modes, until no new state is found."""
    start_of = {}
    for start in starts():
        x = source(*start)
        start_of[start] = state(x, x)
    shown: dict[tuple, tuple] = {}  # a state: the start, the steps and the mode that lead there
    transitions: dict[tuple, object] = {}
    for no_grad in (False, True):
        chains = {found: (start, ()) for start, found in reversed(start_of.items())}
        todo = deque(chains)
        while todo:
            here = todo.popleft()
            start, chain = chains[here]
            shown.setdefault(here, (*start, chain, no_grad))
            for step in steps_of(here):
                x = value = source(*start)
                with mode(no_grad):
                    for known in chain:
                        value = STEPS[known](value)
                    try:
                        value, seen = take(value, step)
                    except Exception as error:
                        transitions[here, step, no_grad] = message(error)
                        continue
                there = state(value, x)
                transitions[here, step, no_grad] = there, seen
                if there not in chains:
                    chains[there] = start, (*chain, step)
                    todo.append(there)
    return {"start": start_of, "states": shown, "transitions": transitions}


# --- The machine as data


def graph_of(found: tuple) -> tuple:
    """Return the part of a state that is neither dtype nor layout."""
    return found[0], *found[3:]


class Table:
    """Gives each value a number, in the order in which they come."""

    def __init__(self) -> None:
        self.numbers: dict = {}

    def __call__(self, value: object) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def values(self) -> list:
        return list(self.numbers)


def pack(machine: dict[str, object]) -> dict[str, object]:
    """Return the machine as data: parts of states by number, a column for each step."""
    graphs, dtypes, layouts, outcomes, texts = Table(), Table(), Table(), Table(), Table()
    order = sorted(machine["states"], key=lambda s: (repr(graph_of(s)), s[1], repr(s[2])))
    rows = [[graphs(graph_of(s)), dtypes(s[1]), layouts(s[2])] for s in order]
    number = {found: n for n, found in enumerate(order)}
    columns: dict[bool, dict] = {False: {}, True: {}}
    for step in NAMES:
        plain: list[list[int]] = [[], []]
        other: dict[int, list[int]] = {}
        for n, here in enumerate(order):
            entries = []
            for no_grad in (False, True):
                found = machine["transitions"].get((here, step, no_grad))
                if found is None:
                    entries.append([0, 0])
                elif isinstance(found, str):
                    entries.append([outcomes(("raises", texts(found))) + 1, 0])
                else:
                    there, (move, name, said) = found
                    parts = graphs(graph_of(there)), dtypes(there[1])
                    key = (*parts, move, texts(name), texts(said))
                    layout = 0 if there[2] == here[2] else layouts(there[2]) + 1
                    entries.append([outcomes(key) + 1, layout])
            plain[0].append(entries[0][0])
            plain[1].append(entries[0][1])
            if entries[1] != entries[0] and entries[1] != [0, 0]:
                other[n] = entries[1]
        columns[False][step], columns[True][step] = plain, other
    return {
        "start": {" ".join(start): number[s] for start, s in machine["start"].items()},
        "graphs": graphs.values(),
        "dtypes": dtypes.values(),
        "layouts": layouts.values(),
        "states": rows,
        "shown": [
            [start, dtype, [NAMES.index(step) for step in chain], int(no_grad)]
            for start, dtype, chain, no_grad in map(machine["states"].get, order)
        ],
        "texts": texts.values(),
        "outcomes": outcomes.values(),
        "steps": columns[False],
        "no_grad": columns[True],
    }


class Machine:
    """Answers what a chain does, from the data alone."""

    def __init__(self, data: dict[str, object]) -> None:
        self.data = data
        self.number = {tuple(row): n for n, row in enumerate(data["states"])}

    def state(self, number: int) -> tuple:
        """Return a state as `values.state` gives it."""
        graph, dtype, layout = (
            self.data[part][n]
            for part, n in zip(
                ("graphs", "dtypes", "layouts"), self.data["states"][number], strict=True
            )
        )
        return tuple_of([graph[0], dtype, layout, *graph[1:]])

    def step(self, here: int, step: str, no_grad: bool) -> tuple[int, tuple] | str | None:
        """Return the next state and what is seen of the step; a message; None: not known."""
        outcome, layout = (column[here] for column in self.data["steps"][step])
        if no_grad:
            outcome, layout = self.data["no_grad"][step].get(str(here), (outcome, layout))
        if not outcome:
            return None
        found = self.data["outcomes"][outcome - 1]
        if found[0] == "raises":
            return self.data["texts"][found[1]]
        graph, dtype, move, name, said = found
        layout = self.data["states"][here][2] if layout == 0 else layout - 1
        texts = self.data["texts"]
        return self.number[graph, dtype, layout], (move, texts[name], texts[said])

    def follow(self, start: tuple[str, str], steps: list[str], no_grad: bool) -> tuple | None:
        """Return what `follow` does, without running anything; None: a step is not known."""
        here, seen = self.data["start"][" ".join(start)], ()
        for number, step in enumerate(steps):
            found = self.step(here, step, no_grad)
            if found is None:
                return None
            if isinstance(found, str):
                return "raises", number, found
            here, seen = found
        return self.state(here), seen


def tuple_of(value: object) -> object:
    """Return lists as tuples."""
    return tuple(map(tuple_of, value)) if isinstance(value, (list, tuple)) else value


def is_tensor(found: tuple) -> bool:
    """Tell whether a state is that of a tensor."""
    return found[0] in ("tensor", "parameter")
