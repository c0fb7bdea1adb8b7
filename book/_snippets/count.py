# @title Helper: what is counted
# snippet: count
import warnings

from torch.utils._python_dispatch import TorchDispatchMode


class Operators(TorchDispatchMode):
    """Note the name of every operator that torch runs."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))


def operators(way, *args):
    """Return the names of the operators that `way(*args)` runs."""
    with warnings.catch_warnings(), Operators() as seen:
        warnings.simplefilter("ignore")
        way(*args)
    return seen.names


def nodes_made(way, *args):
    """Return how many graph nodes of operations `way(*args)` makes: each takes the next number.

    `AccumulateGrad`, the node of a leaf, takes no number and is not counted.
    """

    def next_number():
        with torch.enable_grad():
            return (torch.ones(1, requires_grad=True) * 1).grad_fn._sequence_nr()

    before = next_number()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        way(*args)
    return next_number() - before - 1
