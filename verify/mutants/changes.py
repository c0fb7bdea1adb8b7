"""The mutants: PyTorch (and its surroundings) with one behavior changed.

`wrap(owner, name, change)` puts `change` in the place of `owner.name`; `change` gets the real thing
as its first argument. Each mutant runs in a process of its own, so nothing is put back.
"""

import functools
import inspect
import mmap
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
import torch.utils.dlpack
from torch import Tensor


class Mutation(NamedTuple):
    """A changed behavior: `change` makes it so.

    `slow` says which claims that take seconds are to notice: "benchmarks", "compile",
    "distributed", all (True).
    """

    change: Callable[[], None]
    slow: bool | str


MUTATIONS: dict[str, Mutation] = {}
# repr(tensor) itself calls detach, tolist and others: while it runs, they do what they always do.
PRINTING = []
TARGETS = None


def mutant(name: str, slow: bool | str = False) -> Callable:
    """Register a function that changes one behavior, under a name that says which."""

    def register(change: Callable[[], None]) -> Callable:
        assert name not in MUTATIONS, name
        MUTATIONS[name] = Mutation(change, slow)
        return change

    return register


def apply(name: str) -> None:
    """Change the behavior in this process, for good."""
    guard_printing()
    MUTATIONS[name].change()


def guard_printing() -> None:
    """Let repr(tensor) set PRINTING while it runs."""
    show = Tensor.__repr__

    def printed(self, **options):
        PRINTING.append(self)
        try:
            return show(self, **options)
        finally:
            PRINTING.pop()

    Tensor.__repr__ = printed


def targets(name: str) -> list[tuple[object, str]]:
    """Return what the mutant replaces, as pairs of an owner and a name."""
    global TARGETS
    TARGETS = []
    try:
        MUTATIONS[name].change()
        return TARGETS
    finally:
        TARGETS = None


def watch(names: list[str]) -> Callable[[], set[str]]:
    """Change nothing in this process, but note what it uses of all that mutants replace.

    The function returned says which mutants may make a difference to what ran since its last call.
    """
    guard_printing()
    places = {name: targets(name) for name in names}
    owners = {(id(owner), name): owner for pairs in places.values() for owner, name in pairs}
    used = mmap.mmap(
        -1, len(owners)
    )  # a byte for each; processes that the notebook starts share it
    number = {key: index for index, key in enumerate(owners)}

    def noting(index: int) -> Callable:
        def note(real, *args, **options):
            used[index] = 1
            return real(*args, **options)

        return note

    always = set()
    for (_, name), owner, index in zip(owners, owners.values(), number.values(), strict=True):
        value = getattr(owner, name, None)
        if hasattr(value, "__set__"):
            wrap_property(owner, name, noting(index), noting(index))
        # A dataclass asks whether `__hash__` is None; C code takes a tensor whose `__getitem__` was
        # replaced for a sequence, even if it has no dimension.
        elif callable(value) and name not in ("__hash__", "__getitem__"):
            wrap(owner, name, noting(index))
        else:
            always.add(index)

    def find_used() -> set[str]:
        found = always.union(index for index in number.values() if used[index])
        used[:] = bytes(len(used))
        return {n for n in names if any(number[id(o), a] in found for o, a in places[n])}

    return find_used


def watch_calls(names: list[str]) -> Callable[[], set[str]]:
    """As `watch`, for a notebook that minds being watched, such as one that compiles functions.

    Replaces nothing: Python reports each call. It knows only the name of what was called, and not
    operators and attributes, so more mutants than those of `watch` may seem to make a difference.
    """
    guard_printing()

    def unseen(owner: object, name: str) -> bool:
        value = getattr(owner, name, None)
        return name.startswith("__") or hasattr(value, "__set__") or not callable(value)

    wanted = {
        name: {None if unseen(owner, attribute) else attribute for owner, attribute in places}
        for name, places in ((name, targets(name)) for name in names)
    }
    number = {called: index for index, called in enumerate(set().union(*wanted.values()))}
    used = mmap.mmap(-1, len(number) or 1)  # as in `watch`

    def note(frame, event, function):
        if event in ("call", "c_call"):
            called = frame.f_code.co_name if event == "call" else function.__name__
            if called in number:
                used[number[called]] = 1

    sys.setprofile(note)
    threading.setprofile(note)

    def find_used() -> set[str]:
        found = {called for called, index in number.items() if used[index]}
        used[:] = bytes(len(used))
        return {name for name, looks in wanted.items() if None in looks or looks & found}

    return find_used


# Ways to change something


def put(owner: object, name: str, value: object) -> None:
    """Set `owner.name`; while the targets of mutants are looked up, only note it."""
    if TARGETS is None:
        setattr(owner, name, value)
    else:
        TARGETS.append((owner, name))


@functools.cache
def signature(function: Callable) -> tuple[int, float, set[str], set[str], bool]:
    """Return how few and how many arguments it takes, their names, and whether any name fits.

    The names that have to be given stand by themselves, before all names.
    """
    spec = inspect.getfullargspec(function)
    most = float("inf") if spec.varargs else len(spec.args)
    needed = {*spec.kwonlyargs}.difference(spec.kwonlydefaults or ())
    names = {*spec.args, *spec.kwonlyargs}
    return len(spec.args) - len(spec.defaults or ()), most, needed, names, bool(spec.varkw)


def fits(function: Callable, *args, **options) -> bool:
    """Tell whether the function can be called with these arguments."""
    least, most, needed, names, any_name = signature(function)
    known = any_name or options.keys() <= names
    return least <= len(args) <= most and needed <= options.keys() and known


def wrap(owner: object, name: str, change: Callable) -> None:
    """Replace `owner.name` by a call of `change(real, ...)`.

    A call in a form that `change` does not take does what it always does.
    """
    real = getattr(owner, name)
    of_class = isinstance(owner, type) and inspect.ismethod(real)  # `change` gets the class, too
    real = real.__func__ if of_class else real

    @functools.wraps(real)
    def changed(*args, **options):
        as_ever = PRINTING or not fits(change, real, *args, **options)
        return real(*args, **options) if as_ever else change(real, *args, **options)

    kind = staticmethod if name == "__new__" else classmethod if of_class else lambda f: f
    put(owner, name, kind(changed))


def asker() -> str:
    """Return the package that uses what is changed, `__main__` for a cell.

    A mutant that would break PyTorch itself lies to the reader alone.
    """
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith("verify.mutants."):
        frame = frame.f_back
    return frame.f_globals.get("__name__", "").partition(".")[0]


def for_tensors(owner: object, name: str, change: Callable) -> None:
    """Change a function for one tensor as the data; its warning stays."""

    def changed(real, *args, **options):
        result = real(*args, **options)
        return change(args[-1], result) if isinstance(args[-1], Tensor) else result

    wrap(owner, name, changed)


def wrap_property(owner: type, name: str, read: Callable | None, write: Callable | None = None):
    """Replace the property `owner.name` by `read(real, self)` and `write(real, self, value)`."""
    real = getattr(owner, name)
    get, set_ = real.__get__, real.__set__
    getter = (lambda self: get(self) if PRINTING else read(get, self)) if read else get
    setter = (lambda self, value: write(set_, self, value)) if write else set_
    put(owner, name, property(getter, setter))


def then(owner: object, name: str, after: Callable) -> None:
    """Let `owner.name` give `after(result, *args)`."""

    def change(real, *args, **options):
        result = real(*args, **options)
        return after(result, *args) if fits(after, result, *args) else result

    wrap(owner, name, change)


def allow(owner: object, name: str, instead: Callable, error: type = RuntimeError) -> None:
    """Let `owner.name` give `instead(*args)` where it raises."""

    def change(real, *args, **options):
        try:
            return real(*args, **options)
        except error:
            if not fits(instead, *args):
                raise
            return instead(*args)

    wrap(owner, name, change)


def refuse(owner: object, name: str, when: Callable, error: type = RuntimeError) -> None:
    """Let `owner.name` raise an error when `when(*args)` holds."""

    def change(real, *args, **options):
        if fits(when, *args) and when(*args):
            raise error(f"{name} is refused")
        return real(*args, **options)

    wrap(owner, name, change)


def raise_other(owner: object, name: str, error: type[Exception] | None = None) -> None:
    """Let `owner.name` raise another error, or, if none is named, with another message."""

    def change(real, *args, **options):
        try:
            return real(*args, **options)
        except Exception as old:
            raise error(str(old)) if error else type(old)("this is not possible") from None

    wrap(owner, name, change)


def warn(owner: object, name: str, text: str | None, when: Callable = lambda *args: True) -> None:
    """Let `owner.name` warn with this text only; not at all if there is none."""

    def change(real, *args, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = real(*args, **options)
        if text and (caught or fits(when, *args) and when(*args)):
            warnings.warn(text, stacklevel=3)
        return result

    wrap(owner, name, change)


def warner(text: str) -> Callable[[], None]:
    """Return a function that warns once in a process, or always if PyTorch is told to."""
    warned = []

    def note():
        if torch.is_warn_always_enabled() or not warned:
            warned.append(True)
            warnings.warn(text, stacklevel=4)

    return note


def in_mode(owner: object, name: str, mode: Callable) -> None:
    """Run `owner.name` inside a context manager."""

    def change(real, *args, **options):
        with mode():
            return real(*args, **options)

    wrap(owner, name, change)


def set_version(tensor: Tensor, version: int) -> None:
    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))


def count_writes(step: Callable, *names: str) -> None:
    """Let each of these in-place methods move the version counter from v to step(v)."""

    def change(real, self, *args, **options):
        version = self._version
        result = real(self, *args, **options)
        set_version(self, step(version))
        return result

    for name in names:
        wrap(Tensor, name, change)


def leaf_that_requires_grad(tensor: Tensor, *args: object) -> bool:
    return tensor.is_leaf and tensor.requires_grad


def nodes_behind(tensor: Tensor) -> Iterator[object]:
    """Yield the nodes of the graph of a tensor."""
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
            yield node


def leaves_behind(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the leaves into which backward() adds gradients."""
    return (node.variable for node in nodes_behind(tensor) if hasattr(node, "variable"))


def is_tensor(value: object, *args: object) -> bool:
    return isinstance(value, Tensor)


def unscaled(tensor: Tensor, factor: float) -> Tensor:
    """Let the gradient of a tensor be multiplied on its way back."""
    if tensor.requires_grad:
        tensor.register_hook(lambda gradient: factor * gradient)
    return tensor


def marked(tensor: Tensor, **attributes: object) -> Tensor:
    for name, value in attributes.items():
        setattr(tensor, name, value)
    return tensor


IN_PLACE = (
    "add_",
    "mul_",
    "sub_",
    "zero_",
    "fill_",
    "copy_",
    "__setitem__",
    "__iadd__",
    "__imul__",
    "__isub__",
)
