"""The machine of all chains: from each state, what each step leads to. Learned by running PyTorch.

A state is what can be seen of a value: its kind and place in the graph, its dtype, its layout. The
machine is learned from the sources outwards: every step is tried in every state, on a value made
anew by the first chain that led there.
"""

import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch

from .values import (
    DTYPES,
    MANY,
    OF_LISTS,
    SLICED,
    SLICES,
    SOURCES,
    STEPS,
    possible,
    shares,
    source,
    state,
)

NAMES = list(STEPS)
KEPT = "kept"  # the node of a step that gives back the object before it


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


def steps_of(found: tuple, base: set | None) -> list[str]:
    """Return the steps that are tried in a state; `base`: the layouts without a slice."""
    if found[0] == "number":
        return []
    if found[0] == "list":
        return list(OF_LISTS)
    many = base is None or found[2] in base
    sliced = base is not None and many and found[2][:2] == SLICED
    return [
        step for step in NAMES
        if (many or step not in MANY) and (sliced or step not in SLICES)
    ]  # fmt: skip


@contextmanager
def all_warnings() -> Iterator[None]:
    """Let PyTorch warn each time, of which only `take` sees something; with one thread."""
    always, threads = torch.is_warn_always_enabled(), torch.get_num_threads()
    torch.set_warn_always(True)
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_warn_always(always)
        torch.set_num_threads(threads)


def learn() -> dict[str, object]:
    """Return the machine: states with the chain that shows each, and transitions."""
    with all_warnings():
        return explore()


def explore() -> dict[str, object]:
    """Try each step in each state, in both grad modes, until no new state is found."""
    start_of = {}
    for start in starts():
        x = source(*start)
        start_of[start] = state(x, x)
    plain = {s: f for s, f in start_of.items() if s[1] == "float32" and len(f[2][0]) == 2}
    base = {found[2] for found in closure(plain, False, None)[0]}
    shown: dict[tuple, tuple] = {}  # a state: the start, the steps and the mode that lead there
    transitions: dict[tuple, object] = {}
    for no_grad in (False, True):
        chains, seen = closure(start_of, no_grad, base)
        transitions |= seen
        for here, (start, chain) in chains.items():
            shown.setdefault(here, (*start, chain, no_grad))
    return {"start": start_of, "states": shown, "transitions": transitions, "base": base}


def closure(start_of: dict, no_grad: bool, base: set | None) -> tuple[dict, dict]:
    """Return the states that the starts lead to, with the first chain to each; and each step."""
    chains = {found: (start, ()) for start, found in reversed(start_of.items())}
    transitions: dict[tuple, object] = {}
    todo = deque(chains)
    while todo:
        here = todo.popleft()
        start, chain = chains[here]
        for step in steps_of(here, base):
            transitions[here, step, no_grad] = found = one(start, chain, step, no_grad)
            if not isinstance(found, str) and found[0] not in chains:
                chains[found[0]] = start, (*chain, step)
                todo.append(found[0])
    return chains, transitions


def one(start: tuple[str, str], chain: tuple, step: str, no_grad: bool) -> tuple | str:
    """Take a step after a chain; return the new state and what is seen, or what is raised."""
    x = value = source(*start)
    with mode(no_grad):
        for known in chain:
            value = STEPS[known](value)
        try:
            value, seen = take(value, step)
        except Exception as error:
            return message(error)
    return state(value, x), seen


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
    """Return the machine as data: parts by number, and for each step a column for each group.

    A group holds the states of one graph and dtype; its columns say the outcome, and the layout, of
    each state in it. Equal columns are kept once; one of equal numbers is kept as that number.
    """
    graphs, dtypes, layouts, outcomes, texts = Table(), Table(), Table(), Table(), Table()
    columns, sets = Table(), Table()
    order = sorted(machine["states"], key=lambda s: (repr(graph_of(s)), s[1], repr(s[2])))
    groups: dict[tuple, list] = {}
    for found in order:
        groups.setdefault((graphs(graph_of(found)), dtypes(found[1])), []).append(found)
    rows = [
        [*group, sets(tuple(layouts(found[2]) for found in members))]
        for group, members in groups.items()
    ]
    steps: dict[str, list] = {}
    other: dict[str, dict] = {}

    def entry(here: tuple, step: str, no_grad: bool) -> tuple[int, int] | None:
        found = machine["transitions"].get((here, step, no_grad))
        if found is None:
            return None
        if isinstance(found, str):
            return outcomes(("raises", texts(found))) + 1, 0
        there, (move, name, said) = found
        dtype = -1 if there[1] == here[1] else dtypes(there[1])
        key = graphs(graph_of(there)), dtype, move, texts(name), texts(said)
        return outcomes(key) + 1, 0 if there[2] == here[2] else layouts(there[2]) + 1

    def column(numbers: tuple) -> int:
        return columns(numbers[0] if len(set(numbers)) == 1 else numbers)

    for step in NAMES:
        steps[step], other[step] = [], {}
        for number, members in enumerate(groups.values()):
            plain = [entry(here, step, False) for here in members]
            quiet = [entry(here, step, True) for here in members]
            quiet = [one or known or (0, 0) for one, known in zip(quiet, plain, strict=True)]
            both = [
                [column(numbers) for numbers in zip(*entries, strict=True)]
                for entries in ([known or (0, 0) for known in plain], quiet)
            ]
            steps[step].append(both[0])
            if both[1] != both[0]:
                other[step][number] = both[1]
    number = {found: n for n, found in enumerate(order)}
    return {
        "start": {" ".join(start): number[s] for start, s in machine["start"].items()},
        "graphs": graphs.values(),
        "dtypes": dtypes.values(),
        "layouts": layouts.values(),
        "layout_sets": sets.values(),
        "groups": rows,
        "texts": texts.values(),
        "outcomes": outcomes.values(),
        "columns": columns.values(),
        "steps": steps,
        "no_grad": other,
        "shown": [
            [start, dtype, [NAMES.index(step) for step in chain], int(no_grad)]
            for start, dtype, chain, no_grad in map(machine["states"].get, order)
        ],
    }


class Machine:
    """Answers what a chain does, from the data alone."""

    def __init__(self, data: dict[str, object]) -> None:
        self.data = data
        self.rows = [  # graph, dtype, layout, number of the group, place in it
            (graph, dtype, layout, number, place)
            for number, (graph, dtype, layouts) in enumerate(data["groups"])
            for place, layout in enumerate(data["layout_sets"][layouts])
        ]
        self.number = {row[:3]: n for n, row in enumerate(self.rows)}

    def state(self, number: int) -> tuple:
        """Return a state as `values.state` gives it."""
        graph, dtype, layout = (
            self.data[part][n]
            for part, n in zip(("graphs", "dtypes", "layouts"), self.rows[number], strict=False)
        )
        return tuple_of([graph[0], dtype, layout, *graph[1:]])

    def step(self, here: int, step: str, no_grad: bool) -> tuple[int, tuple] | str | None:
        """Return the next state and what is seen of the step; a message; None: not known."""
        _, before, layout_before, group, place = self.rows[here]
        both = self.data["steps"][step][group]
        if no_grad:
            both = self.data["no_grad"][step].get(str(group), both)
        columns = (self.data["columns"][n] for n in both)
        outcome, layout = (c if isinstance(c, int) else c[place] for c in columns)
        if not outcome:
            return None
        found = self.data["outcomes"][outcome - 1]
        if found[0] == "raises":
            return self.data["texts"][found[1]]
        graph, dtype, move, name, said = found
        texts = self.data["texts"]
        there = graph, before if dtype < 0 else dtype, layout - 1 if layout else layout_before
        return self.number[there], (move, texts[name], texts[said])

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
