"""What another release does otherwise than the machine, in the states near x."""

from .machine import NAMES, Machine, Table, all_warnings, follow, is_tensor, one

MOVES = ("returns the object itself", "shares the memory", "copies")
NEAR = 2  # a state that a chain of so many steps leads to is compared
GRAPH = ("memory", "itself", "leaf", "requires_grad", "view", "gradients reach x", "notices")


def compare(data: dict[str, object], near: int = NEAR) -> dict[str, object]:
    """Try the steps in the states near x; return how many, and what differs from the data."""
    machine, words, steps, compared = Machine(data), Table(), [], 0
    with all_warnings():
        for number, (kind, dtype, chain, seen_in) in enumerate(data["shown"]):
            names = [NAMES[n] for n in chain]
            if len(names) > near:
                continue
            here = machine.state(number)
            for no_grad in (False, True):
                if names and no_grad != bool(seen_in):
                    continue
                try:
                    found = follow((kind, dtype), names, no_grad)[0]
                except Exception:
                    continue
                if found != here:  # a step before it differs
                    continue
                for step in NAMES:
                    known = machine.step(number, step, no_grad)
                    if known is None:
                        continue
                    compared += 1
                    if not isinstance(known, str):
                        known = machine.state(known[0]), known[1]
                    theirs = one((kind, dtype), tuple(names), step, no_grad)
                    if theirs != known:
                        said = words(differ(known, theirs))
                        steps.append([number, NAMES.index(step), int(no_grad), said])
    return {"compared": compared, "differences": {"words": words.values(), "steps": steps}}


def differ(known: tuple | str, theirs: tuple | str) -> str:
    """Say what another release does otherwise than the known one."""
    if isinstance(theirs, str):
        return f"raises {theirs}"
    (state_, (move, name, said)) = theirs
    parts = []
    if isinstance(known, str):
        parts.append(f"raises nothing and {MOVES[move]}")
    else:
        before, (known_move, known_name, known_said) = known
        if known_move != move:
            parts.append(MOVES[move])
        if known_name != name:
            parts.append(f"the node is {name or 'none'}")
        if known_said != said:
            parts.append(f"warns: {said}" if said else "gives no warning")
        if before[0] != state_[0]:
            parts.append(f"gives a {state_[0]}")
        if before[1] != state_[1]:
            parts.append(f"the dtype is {state_[1]}")
        if before[2] != state_[2]:
            shape, strides, offset, size = state_[2]
            parts.append(f"shape {shape}, strides {strides}, offset {offset}, storage {size}")
        if before[0] == state_[0] and is_tensor(before):
            pairs = zip(GRAPH, before[3:], state_[3:], strict=True)
            parts += [f"{what}: {'yes' if now else 'no'}" for what, old, now in pairs if old != now]
    return "; ".join(parts) or "differs"
