# @title Helper: the tool whoshares
# snippet: whoshares
"""Who shares memory with whom, and which line writes to it: PyTorch tensors and NumPy arrays.

    share(a, b)                   do two things share an element?
    sharing(x=x, best=best, …)    the same for many at once
    draw(x=x, y=y, …)             a picture of storages, tensors and the way that gradients take
    steps("x.detach().clone()", x=x)     what each step of a line does to your tensor
    with watch(best=best) as seen: …     which line wrote to that memory, by which operation
    audit(model, optimizer, best=best, target=target)    what shares memory and should not

Each takes tensors, arrays, modules, optimizers, and dicts, lists, tuples, sets and dataclasses of
them. Each returns a report: Jupyter shows it as a table or a picture, `print(report)` as text,
`bool(report)` tells whether something was found. Nothing is written to what you pass, no graph is
kept alive, no gradient is touched.

What they cannot see: they compare addresses, so a meta or fake tensor, a tensor inside a
torch.func transform, or one file mapped twice cannot be compared; of a sparse, nested or
distributed tensor they compare the parts that lie in this process. `watch` sees the operations of
this thread and of backward(); a write from elsewhere (NumPy, another thread or process, code that
was compiled before) it notices only at the end, if the values differ from those it last saw.
"""

from __future__ import annotations

import ast
import ctypes
import dataclasses
import hashlib
import linecache
import os
import re
import sys
import time
import weakref
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from html import escape
from itertools import accumulate
from math import gcd
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import get_gradient_edge
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass

__version__ = "1.0.0"
__all__ = ["audit", "draw", "share", "sharing", "steps", "watch"]

ACCEPTED = "a tensor, a NumPy array, an nn.Module, an optimizer, or a dict, list, tuple, set or "
ACCEPTED += "dataclass of them"
PARTS = {"sparse_coo": ("_indices", "_values")}
PARTS["sparse_csr"] = PARTS["sparse_bsr"] = ("crow_indices", "col_indices", "values")
PARTS["sparse_csc"] = PARTS["sparse_bsc"] = ("ccol_indices", "row_indices", "values")
# Parts of messages that `steps` knows in the book's page "Errors and warnings", by its headings.
ERRORS = (
    "Can't call numpy() on Tensor that requires grad",
    "Can't call numpy() on Tensor that has conjugate bit set",
    "Got unsupported ScalarType BFloat16",
    "a view of a leaf Variable that requires grad is being used in an in-place operation",
    "a leaf Variable that requires grad is being used in an in-place operation",
    "you can only change requires_grad flags of leaf variables",
    "can't retain_grad on Tensor that has requires_grad=False",
    "view size is not compatible with input tensor's size and stride",
    "Can't detach views in-place. Use detach() instead",
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol",
    "Can't export tensors that require gradient, use tensor.detach()",
    "only one element tensors can be converted to Python scalars",
    "Cannot copy out of meta tensor; no data!",
    "element 0 of tensors does not require grad and does not have a grad_fn",
    "Trying to backward through the graph a second time",
)
SMALL = 2**20  # bytes: `watch` compares a tensor of at most so many after each write that it saw


class Report:
    """What was found, in words alone: it holds no tensor. Jupyter shows its rich form."""

    def __init__(self, text: str, rich: dict[str, str], found: bool, rows: list | None = None):
        self.text, self.rich, self.found, self.rows = text, rich, found, rows or []

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.found

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": self.text, **self.rich}


def table(head: list[str], rows: list[list[str]]) -> tuple[str, str]:
    """Return rows of words as a table: aligned text, and HTML."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    text = "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in [head, *rows])
    cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) for row in rows]
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{rest}</tr>'
        for row, rest in zip(rows, cells, strict=True)
    )
    top = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
    return text, f'<table class="glance"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


# Where a thing lies


def memory_of(value):
    """Return the (first byte, number of bytes) of the memory behind a tensor or an ndarray."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    return value.__array_interface__["data"][0], value.nbytes


class Piece(NamedTuple):
    """Where one tensor or array lies."""

    path: str
    value: Any
    place: str  # the device
    start: int  # of the whole memory behind it
    nbytes: int
    elements: tuple[int, int, tuple]  # (first byte, bytes in a row, the strides that repeat them)
    note: str = ""  # why nothing can be said, if so
    cow: int = 0  # the storage object, if its memory is copied at the next write


def extent(first: int, itemsize: int, shape: tuple, strides: tuple) -> tuple[int, int, tuple]:
    """Return which bytes the elements take: a block, and the (stride, count) that repeat it."""
    first += sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0 < n)
    block = 0 if 0 in shape else itemsize
    steps = sorted((abs(s), n) for n, s in zip(shape, strides, strict=True) if n > 1 and s)
    dims: list[tuple[int, int]] = []
    for stride, count in steps if block else ():
        if not dims and stride <= block:
            block += stride * (count - 1)
        elif dims and stride == dims[-1][0] * dims[-1][1]:  # as one longer dimension
            dims[-1] = dims[-1][0], dims[-1][1] * count
        else:
            dims.append((stride, count))
    return first, block, tuple(dims)


def end_of(elements: tuple[int, int, tuple]) -> int:
    """Return the byte behind the last element."""
    first, block, dims = elements
    return first + block + sum(s * (n - 1) for s, n in dims)


def overlap(a: tuple, b: tuple) -> bool | None:
    """Say whether two extents have a byte in common; None if that would take too long to find."""
    todo, tries = [(a, b)], 20_000
    while todo:
        a, b = todo.pop()
        (x, wide_x, dims_x), (y, wide_y, dims_y) = a, b
        if not (wide_x and wide_y) or end_of(a) <= y or end_of(b) <= x:
            continue
        if not dims_x and not dims_y:
            return True
        step = gcd(*(stride for stride, _ in dims_x + dims_y))
        if wide_x <= (y - x) % step <= step - wide_y:  # as two columns of a matrix
            continue
        tries -= 1
        if not tries:
            return None
        if not dims_x or (dims_y and dims_y[-1][0] > dims_x[-1][0]):
            a, b = b, a
        (first, block, (*dims, (stride, count))), half = a, a[2][-1][1] // 2
        for start, n in ((first, half), (first + half * stride, count - half)):
            todo.append(((start, block, (*dims, (stride, n)) if n > 1 else tuple(dims)), b))
    return False


def is_array(value: Any) -> bool:
    """Tell a NumPy array, without importing NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def leaves(value: Any, path: str, above: tuple = ()) -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of each tensor and array in `value`.

    Raises TypeError for a value that is not accepted; what is not accepted within a container, as a
    number in a state dict, is left out.
    """
    if id(value) in above:
        return
    inner: list[tuple[str, Any]] | None = None
    if type(value) in weakref.ProxyTypes:
        inner = None
    elif isinstance(value, torch.Tensor):
        with torch._C.DisableTorchFunctionSubclass():
            names = PARTS.get(str(value.layout).removeprefix("torch."), ())
            fake = isinstance(value, torch._subclasses.FakeTensor)
            if is_traceable_wrapper_subclass(value) and not fake:
                names = value.__tensor_flatten__()[0]
                inner = [(f"{path}.{name}", getattr(value, name)) for name in names]
            elif names and not fake:
                inner = [(f"{path}.{name}()", getattr(value, name)()) for name in names]
            elif value.is_nested and not fake:
                inner = [(f"{path}.values()", value.detach().values())]
            else:
                yield path, value
                return
    elif is_array(value):
        yield path, value
        return
    elif isinstance(value, torch.nn.Module):
        inner = list(value.named_parameters(remove_duplicate=False))
        inner += value.named_buffers(remove_duplicate=False)
        inner = [(f"{path}.{name}", tensor) for name, tensor in inner]
    elif isinstance(value, torch.optim.Optimizer):
        inner = []
        for number, group in enumerate(value.param_groups):
            inner.append((f"{path}.param_groups[{number}]['params']", group["params"]))
        for number, state in enumerate(value.state.values()):
            inner.append((f"{path}.state[{number}]", state))
    elif isinstance(value, Mapping):
        inner = [(f"{path}[{key!r}]", part) for key, part in value.items()]
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        inner = [(f"{path}[{number}]", part) for number, part in enumerate(value)]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = [(f"{path}.{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)]
    if inner is None:
        if not above:
            what = type(value).__name__
            raise TypeError(f"{path} is of the type {what}; accepted is {ACCEPTED}")
        return
    for name, part in inner:
        yield from leaves(part, name, (*above, id(value)))


def look(path: str, value: Any) -> Piece:
    """Return where a tensor or array lies."""
    if is_array(value):
        first = value.__array_interface__["data"][0]
        elements = extent(first, value.itemsize, value.shape, value.strides)
        owner = value
        while is_array(owner.base):
            owner = owner.base
        first = owner.__array_interface__["data"][0]
        whole = extent(first, owner.itemsize, owner.shape, owner.strides)
        return Piece(path, value, "cpu", whole[0], end_of(whole) - whole[0], elements)
    with torch._C.DisableTorchFunctionSubclass():
        place, note, start, size, cow = str(value.device), "", 0, 0, 0
        elements: tuple = (0, 0, ())
        try:
            if torch._C._functorch.is_functorch_wrapped_tensor(value):
                note = "inside a torch.func transform"
            elif isinstance(value, torch._subclasses.FakeTensor):
                note = "a fake tensor: it has no memory"
            elif value.is_meta:
                note = "a meta tensor: it has no memory"
            else:
                offset = value.storage_offset() * value.itemsize
                if torch._C._is_cow_tensor(value):  # its data_ptr() would make the copy
                    storage = value.untyped_storage()
                    start, size = torch._C._data_address(value), storage.nbytes()
                    cow = storage._cdata
                else:
                    start, size = memory_of(value)
                strides = tuple(stride * value.itemsize for stride in value.stride())
                elements = extent(start + offset, value.itemsize, tuple(value.shape), strides)
                if value.numel() and not size:
                    note = "its storage was freed"
                elif value.numel() and not start:
                    note = "it has no address"
        except (NotImplementedError, RuntimeError) as error:
            note = str(error).split("\n")[0]
    return Piece(path, value, place, start, size, elements, note, cow)


def pieces(named: Mapping[str, Any]) -> list[Piece]:
    """Return where each tensor and array lies. Raises TypeError for what is not accepted."""
    if not named:
        raise TypeError(f"nothing to look at: name {ACCEPTED}, as in x=x")
    found = (leaf for name, value in named.items() for leaf in leaves(value, name))
    return [look(path, value) for path, value in found]


def verdict(a: Piece, b: Piece) -> str:
    """Say what two pieces share: "" if each has its own memory."""
    if a.value is b.value:
        return "one object"
    if a.note or b.note or a.place != b.place:
        return ""
    if a.cow != b.cow and a.start == b.start:
        return "one memory until the next write to one of them (copy-on-write)"
    if a.elements == b.elements and a.elements[1]:
        return "the same elements"
    common = overlap(a.elements, b.elements)
    if common:
        return "some elements in common"
    if a.start < b.start + b.nbytes and b.start < a.start + a.nbytes:
        return "one memory, no element in common" if common is False else "one memory: cannot say"
    return ""


SHARED = ("one object", "the same elements", "some elements in common")


def together(found: list[Piece]) -> list[list[Piece]]:
    """Group the pieces by memory: those whose memory overlaps, in order of their first one."""
    order = {id(piece): number for number, piece in enumerate(found)}
    groups, end, place = [], 0, None
    for piece in sorted(found, key=lambda p: (bool(p.note), p.place, p.start)):
        if piece.note or not piece.nbytes or piece.place != place or piece.start >= end:
            groups.append([])
            end, place = 0, None if piece.note else piece.place
        groups[-1].append(piece)
        end = max(end, piece.start + piece.nbytes)
    for group in groups:
        group.sort(key=lambda p: order[id(p)])
    return sorted(groups, key=lambda group: order[id(group[0])])


def relations(found: list[Piece]) -> Iterator[tuple[list[Piece], str]]:
    """Yield what shares memory: the pieces, and what they share."""
    for group in together(found):
        classes: dict[Any, list[Piece]] = {}
        for piece in group:
            classes.setdefault(piece.elements if piece.elements[1] else id(piece), []).append(piece)
        for same in classes.values():
            if len(same) > 1:
                other = next((p for p in same if p.value is not same[0].value), None)
                yield same, verdict(same[0], other) if other else "one object"
        firsts = [same[0] for same in classes.values()]
        pairs = [([a, b], what) for i, a in enumerate(firsts) for b in firsts[i + 1 :]
                 if (what := verdict(a, b))]  # fmt: skip
        if len(pairs) > 3 and len({what for _, what in pairs}) == 1:  # as of all rows of a matrix
            pairs = [(firsts, pairs[0][1])]
        yield from pairs


# The functions


def share(a: Any, b: Any) -> Report:
    """Say whether a write to `a` can show in `b`: whether they have an element in common.

    `a` and `b`: tensors, arrays, or what holds some, of any shapes. `bool()` of the report is True
    if at least one element is known to be common; two slices of one storage may have none. Raises
    TypeError for what is not accepted.
    """
    of_a, of_b = pieces({"a": a}), pieces({"b": b})
    rows = [[f"{p.path}, {q.path}", what] for p in of_a for q in of_b if (what := verdict(p, q))]
    rows += [[p.path, f"cannot say: {p.note}"] for p in of_a + of_b if p.note]
    found = any(what in SHARED for _, what in rows)
    if not rows:
        rows = [["a, b", "each has its own memory" if of_a and of_b else "holds no tensor"]]
    text, html = table(["", "share"], rows)
    text = "\n".join(": ".join(row) for row in rows)
    return Report(text, {"text/html": html}, found, rows)


def sharing(**named: Any) -> Report:
    """Say who of many shares memory with whom.

    Each keyword names a tensor, an array, or what holds some. `bool()` of the report is True if two
    of them have an element in common. Raises TypeError for what is not accepted.
    """
    found = pieces(named)
    rows = [[brief([p.path for p in same]), what] for same, what in relations(found)]
    known = {id(p) for same, _ in relations(found) for p in same}
    alone = [p.path for p in found if id(p) not in known and not p.note]
    rows += [[brief(alone), "its own memory" if len(alone) == 1 else "each its own memory"]] * (
        len(alone) > 0
    )
    for note in dict.fromkeys(p.note for p in found if p.note):
        rows.append([brief([p.path for p in found if p.note == note]), f"cannot say: {note}"])
    rows = rows or [[", ".join(named), "no tensor in it"]]
    _, html = table(["", "what they share"], rows)
    text = "\n".join(": ".join(row) for row in rows)
    return Report(text, {"text/html": html}, any(what in SHARED for _, what in rows), rows)


def brief(names: list[str], most: int = 8) -> str:
    """Return names as a list, the middle of a long one left out."""
    if len(names) > most:
        names = [*names[: most - 2], f"… {len(names) - most + 1} more …", names[-1]]
    return ", ".join(names)


STYLE = """
text{font:13px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#1b2430}
.note{font:11px system-ui,sans-serif;fill:#52606d}.paper{fill:#fff}rect{stroke-width:1.5}
.node{fill:#fdf0e7;stroke:#d55e00}.tensor{fill:#e8f2fa;stroke:#0072b2}
.storage{fill:#e6f5f0;stroke:#00876a}.gradient{fill:none;stroke:#d55e00;stroke-width:1.5}
.tip{fill:#d55e00}.row{font:600 11px system-ui,sans-serif;text-anchor:end;fill:#52606d}
.use{stroke:#00876a;stroke-width:1.5}.made{stroke:#d55e00;stroke-dasharray:3 3}
"""


def storages_of(named):
    """Return the storages, as (bytes, first values), and which one each name uses."""
    spans = {}
    for name, value in named.items():
        if isinstance(value, torch.Tensor):
            (start, size), raw = memory_of(value), value.untyped_storage()
            place, start = str(value.device), start or -raw._cdata  # a meta tensor has no address
            try:
                few = torch.empty(0, dtype=value.dtype, device=value.device)
                values = few.set_(raw, 0, (min(7, size // value.itemsize),)).tolist()
            except (NotImplementedError, RuntimeError):
                values = ["no values"]
        else:
            while type(value.base) is type(value):
                value = value.base
            (start, size), place = memory_of(value), "cpu"
            values = value.ravel("K")[:7].tolist()
        spans[name] = place, start, size, values
    homes, home_of = [], {}
    for name in sorted(spans, key=lambda name: -spans[name][2]):  # the large ones first
        place, start, size, _ = spans[name]
        inside = (h for h in homes if h[0] == place and h[1] <= start < h[1] + h[2])
        home_of[name] = next(inside, spans[name])
        if home_of[name] is spans[name]:
            homes.append(spans[name])
    homes = list({id(home_of[name]): home_of[name] for name in named}.values())
    number = {id(home): index for index, home in enumerate(homes)}
    return [home[2:] for home in homes], {name: number[id(home_of[name])] for name in named}


def graph_of(named):
    """Return the name of each node of the graph, the edges between them, and how many are left out.

    A result without a name gets one; if there are more than six, they are left out, and an edge
    (node, next node, True) goes through them.
    """
    owner = {}
    for name, value in named.items():
        if getattr(value, "requires_grad", False):
            with suppress(AssertionError):  # a view made under no_grad: no gradient passes it
                owner[get_gradient_edge(value).node] = name

    def following(node):
        return [after for after, _ in node.next_functions if after is not None]

    nodes = list(owner)
    for node in nodes:  # `nodes` grows
        nodes += [n for n in dict.fromkeys(following(node)) if n not in nodes]
    unnamed = {n: f"unnamed result {i}" for i, n in enumerate(nodes) if n not in owner}
    if len(unnamed) <= 6:
        owner |= unnamed
        return owner, [(n, after, False) for n in nodes for after in following(n)], 0
    edges = []
    for start in owner:
        todo = [start]
        for node in todo:  # `todo` grows
            for after in following(node):
                if after in owner:
                    edges.append((start, after, node is not start))
                elif after not in todo:
                    todo.append(after)
    return owner, list(dict.fromkeys(edges)), len(unnamed)


def picture(named):
    """Return a picture of tensors and arrays as text and as SVG.

    All of it is read from the live objects: storages by address, the graph by `next_functions`.
    """
    names = {}  # one object under two names is one tensor
    for name, value in named.items():
        names.setdefault(id(value), []).append(name)
    named = {", ".join(names.pop(id(v))): v for v in named.values() if id(v) in names}
    storages, storage_of = storages_of(named)
    owner, all_edges, left_out = graph_of(named)
    columns = list(named)
    for node, after, _ in all_edges:
        if owner[after] not in columns:
            columns.insert(columns.index(owner[node]), owner[after])
    first_user = {storage_of[name]: name for name in reversed(named)}
    links = [(owner[a], owner[b]) for a, b, _ in all_edges]
    links += [(first_user[storage_of[name]], name) for name in named]
    joined = {name: [name] for name in columns}
    for one, other in ((joined[a], joined[b]) for a, b in links):
        if one is not other:
            one += other
            joined.update(dict.fromkeys(one, one))
    bands = []  # what belongs together stands in one row, of at most five columns if it can
    for part in {id(part): part for part in joined.values()}.values():
        if bands and len(bands[-1]) + len(part) <= 5:
            bands[-1] += part
        else:
            bands.append(list(part))
    words, parts, wide, high = [], [], 0, 0
    letters = [chr(65 + i % 26) * (1 + i // 26) for i in range(len(storages))]

    def fitted(text, most=18):
        if len(text) > 26:  # smaller letters would not do: leave out the middle
            text = f"{text[:14]}…{text[-11:]}"
        small = f' style="font-size:{12.5 * most / len(text):.3g}px"' if len(text) > most else ""
        return f"{small}>{escape(text)}"

    def box(kind, x, y, title, note=""):
        corner = f'x="{x - 72:g}" y="{y:g}" width="144" height="42" rx="6"'
        parts.append(f'<rect class="{kind}" {corner}/>')
        parts.append(f'<text x="{x:g}" y="{y + (18 if note else 26):g}"{fitted(title)}</text>')
        parts.append(f'<text class="note" x="{x:g}" y="{y + 34:g}">{escape(note)}</text>')

    for band in bands:
        band.sort(key=columns.index)
        middle = {name: 146 + 160 * i for i, name in enumerate(band)}
        edges = [edge for edge in all_edges if owner[edge[0]] in middle]
        reach = [abs(band.index(owner[a]) - band.index(owner[b])) for a, b, _ in edges]
        nodes = {node: name for node, name in owner.items() if name in middle}
        top = high + (26 + 16 * max(reach, default=0) if nodes else -56)
        for (node, after, through), away in zip(edges, reach, strict=True):
            a, b, up = middle[owner[node]] - 14, middle[owner[after]] + 14, top - 8 - 20 * away
            parts.append(f'<path class="gradient" d="M{a} {top}C{a} {up},{b} {up},{b} {top - 6}"/>')
            parts.append(f'<path class="tip" d="M{b - 5} {top - 8}h10l-5 8z"/>')
            names = [f"{type(n).__name__} ({owner[n]})" for n in (node, after)]
            names[0] += ", through results without a name," if through else ""
            words.append(f"Gradients flow from {names[0]} to {names[1]}.")
        for node, name in nodes.items():
            box("node", middle[name], top, type(node).__name__)
            if name in named:
                parts.append(f'<path class="made" d="M{middle[name]} {top + 42}v22"/>')
        used = {i: [middle[n] for n in band if storage_of.get(n) == i] for i in storage_of.values()}
        centers = {index: sum(xs) / len(xs) for index, xs in used.items() if xs}
        places, right = {}, -20
        for index in sorted(centers, key=centers.__getitem__):
            right = places[index] = max(centers[index], right + 160)
        for name, value in ((name, named[name]) for name in named if name in middle):
            at = places[storage_of[name]]
            parts.append(f'<path class="use" d="M{middle[name]} {top + 106}L{at:g} {top + 140}"/>')
            kind = "ndarray"
            if isinstance(value, torch.Tensor):
                kind = "leaf" if value.is_leaf else "non-leaf"
                kind += ", requires grad" if value.requires_grad else ""
            box("tensor", middle[name], top + 64, name, kind)
            words.append(f"{name} ({kind}) uses storage {letters[storage_of[name]]}.")
        for index, (size, numbers) in enumerate(storages):
            if index not in places:
                continue
            few = [f"{n:.4g}" if isinstance(n, (float, complex)) else f"{n}" for n in numbers[:6]]
            while len(" ".join(few)) > 22 and len(few) > 1:
                few.pop()
            shown = " ".join(few + ["…"] * (len(few) < len(numbers)))
            title = f"storage {letters[index]}, {size} bytes"
            box("storage", places[index], top + 140, shown, title)
            words.append(f"Storage {letters[index]} holds {shown}.")
        rows = {"gradient": top, "tensor": top + 64, "storage": top + 140}
        for row, y in list(rows.items())[0 if nodes else 1 :]:
            parts.append(f'<text class="row" x="66" y="{y + 25}">{row}</text>')
        wide, high = max(wide, right + 84, *(x + 84 for x in middle.values())), top + 192
    if left_out:
        words.append(f"Not drawn: {left_out} results without a name.")
    size = f'viewBox="0 0 {wide:g} {high}" width="{wide:g}" height="{high}"'
    paper = f'<style>{STYLE}</style><rect class="paper" width="100%" height="100%"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{paper}{"".join(parts)}</svg>'
    return "\n".join(words), svg


def draw(**named: Any) -> Report:
    """Draw the storages, the tensors and arrays on them and the way that gradients take.

    Each keyword names a tensor, an array, or what holds some; the first 40 of them are drawn. A
    tensor without a storage, as in a torch.func transform, is named below. Raises TypeError for
    what is not accepted.
    """
    found, drawn, words = pieces(named), {}, []
    for piece in found:
        if piece.cow or (piece.note and "no memory" not in piece.note):
            why = piece.note or "copy-on-write, which a look at the memory would end"
            words.append(f"Not drawn: {piece.path} ({why}).")
        elif len(drawn) < 40:
            drawn[piece.path] = piece.value
    if (more := len(found) - len(words) - len(drawn)) > 0:
        words.append(f"Not drawn: {more} more; sharing() names them.")
    if not drawn:
        return Report("\n".join(words) or "There is no tensor in it.", {}, False)
    text, svg = picture(drawn)
    text = "\n".join([text, *words])
    return Report(text, {"image/svg+xml": svg}, True)


class Failed(Exception):
    """A step of a line raised; its cause is the error."""


class Steps(ast.NodeTransformer):
    """Run a line from the inside out: a name that holds its value takes the place of each step."""

    KINDS = (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare)
    # These decide what runs, or have names of their own: each is run as a whole.
    WHOLE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp)
    WHOLE += (ast.BoolOp, ast.NamedExpr, ast.JoinedStr)

    def __init__(self, scope: dict[str, Any], note: Callable):
        self.scope, self.note = scope, note

    @classmethod
    def is_whole(cls, node: ast.AST) -> bool:
        """Tell whether a part of the line is run as a whole."""
        chained = isinstance(node, ast.Compare) and len(node.ops) > 1  # may stop before the end
        return chained or isinstance(node, cls.WHOLE)

    def run(self, title: str, code: Any, mode: str) -> tuple[float, Any]:
        """Return the seconds that a piece of code takes, and its value."""
        code = compile(ast.fix_missing_locations(code), "<line>", mode)
        wait = torch.cuda.synchronize if torch.cuda.is_initialized() else lambda: None
        wait()
        start = time.perf_counter()
        try:
            value = eval(code, self.scope)
            wait()
        except Exception as error:
            raise Failed(title) from error
        return time.perf_counter() - start, value

    def visit(self, node: ast.AST) -> ast.AST:
        """Run the steps inside a node, then the node itself if it is a step."""
        start = node
        while isinstance(start, ast.Attribute):
            start = start.value
        of_module = isinstance(start, ast.Name) and not within_reach(self.scope.get(start.id))
        if self.is_whole(node) or (isinstance(node, ast.Attribute) and of_module):
            return node  # torch.float32 is no step
        title = ast.unparse(node) if isinstance(node, ast.expr) else ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
            node.args = [self.visit(part) for part in node.args]
            node.keywords = [self.visit(part) for part in node.keywords]
        else:
            self.generic_visit(node)
        constant = not any(isinstance(part, ast.Name) for part in ast.walk(node))
        if not isinstance(node, self.KINDS) or constant:
            return node
        seconds, value = self.run(title, ast.Expression(node), "eval")
        self.note(title, value, seconds)
        self.scope[name := f"_step{len(self.scope)}"] = value
        return ast.Name(name, ast.Load())


def steps(line: str, /, *, timed: bool = True, **named: Any) -> Report:
    """Run a line of code on your tensors and say what each of its steps does.

    `line`: an expression or an assignment, as "x.detach().clone().numpy()". Each keyword names what
    stands in it, at least one a tensor or an array; `torch` and `np` are known. The line runs once,
    on your tensors: what it writes, it writes to them. A row holds the step, its result, whose
    memory that is, the bytes of new memory behind it, and the time of this one run (not with
    `timed=False`). If a step raises, it is the last row, and `bool()` of the report is False.
    Raises TypeError for what is not accepted, SyntaxError for a line that is not Python.
    """
    if not issubclass(type(line), str):
        raise TypeError(f"the line is of the type {type(line).__name__}; accepted is a str")
    if not any(within_reach(value) for value in named.values()):
        raise TypeError(f'name {ACCEPTED}, as in steps("x.clone()", x=x)')
    known: list[Piece] = []
    rows: list[list[str]] = []
    scope = {"torch": torch, "np": sys.modules.get("numpy"), **named}

    def note(title: str, value: Any, seconds: float | None = None) -> None:
        took = "" if seconds is None else f"{seconds * 1e6:,.0f} µs"
        found = [look("", part) for part in within_reach(value)]
        for number, piece in enumerate(found):
            told = [(what, k.path) for k in known if (what := verdict(piece, k))]
            told.sort(key=lambda t: t[0] not in SHARED)
            what, whose = told[0] if told else ("", "")
            what = what or piece.note or "its own"
            if what in SHARED:
                what = f"{whose} itself" if what == SHARED[0] else f"that of {whose}"
            new = f"{piece.nbytes:,}" if what == "its own" and seconds is not None else "0"
            path = f"{title}[{number}]" if len(found) > 1 else title
            rows.append([path, *described(piece.value), what, new, took])
            known.append(piece._replace(path=path))
        if not found:
            rows.append([title, type(value).__name__, "", "", "", "", "0", took])

    for name, value in named.items():
        if not within_reach(value):
            continue
        note(name, value)
        for path, part in leaves(value, name):
            if not is_array(part) and part.is_leaf and part.grad is not None:
                known.append(look(f"{path}.grad", part.grad))
    body = ast.parse(line.strip()).body
    assigns = isinstance(body[0], (ast.Assign, ast.AugAssign)) if body else False
    if len(body) != 1 or not (assigns or isinstance(body[0], ast.Expr)):
        raise TypeError("accepted is one expression or one assignment, as in 'x.detach().clone()'")
    failure, run = "", Steps(scope, note)
    try:
        left = body[0].value = run.visit(body[0].value)
        if assigns:
            seconds, _ = run.run(line.strip(), ast.Module(body, []), "exec")
            target = getattr(body[0], "target", None) or body[0].targets[0]
            note(line.strip(), scope.get(getattr(target, "id", None)), seconds)
        elif not isinstance(left, ast.Name):  # what is no step, as a comprehension
            seconds, value = run.run(line.strip(), ast.Expression(left), "eval")
            if Steps.is_whole(left):
                note(line.strip(), value, seconds)
    except Failed as failed:
        error = failed.__cause__
        rows.append([str(failed), "raises", *[""] * 6])
        failure = f"{failed} raises {type(error).__name__}: {error}".split("\n")[0]
        entry = next((words for words in ERRORS if words in str(error)), "")
        failure += f"\nSee in the book, under Errors and warnings: {entry}" if entry else ""
        del error  # its traceback holds this frame, and so your tensors
    head = ["step", "result", "shape", "strides", "graph", "memory", "new bytes", "time"]
    columns = slice(None if timed else -1)
    text, html = table(head[columns], [row[columns] for row in rows])
    html += f"<p>{escape(failure)}</p>" if failure else ""
    return Report(f"{text}\n{failure}".strip(), {"text/html": html}, not failure, rows)


def within_reach(value: Any) -> list[Any]:
    """Return the tensors and arrays in a value; none if it is not accepted."""
    try:
        return [part for _, part in leaves(value, "")]
    except TypeError:
        return []


def described(value: Any) -> list[str]:
    """Return dtype and device, shape, strides and the place in the graph, in words."""
    if is_array(value):
        strides = tuple(stride // value.itemsize for stride in value.strides)
        return [f"ndarray {value.dtype}", str(value.shape), str(strides), ""]
    kind = str(value.dtype).removeprefix("torch.")
    kind += f" {value.device}" if value.device.type != "cpu" else ""
    graph = "leaf" if value.is_leaf else type(value.grad_fn).__name__
    graph += ", requires grad" if value.is_leaf and value.requires_grad else ""
    strides = str(value.stride()) if value.layout is torch.strided else str(value.layout)
    return [kind, str(tuple(value.shape)), strides, graph]


class Write(NamedTuple):
    """A write that `watch` saw."""

    name: str
    line: str
    operation: str
    unnoticed: bool  # the version counter did not move: backward() cannot notice the write


class Watched(NamedTuple):
    """A tensor or array under watch: its memory, without its graph."""

    name: str  # the keyword
    piece: Piece
    found: Any  # a weak reference to the reader's own object


def checksum(value: Any) -> bytes:
    """Return a checksum of the values of a tensor or array."""
    with torch.no_grad():
        value = torch.from_numpy(value.copy()) if is_array(value) else value.detach()
        value = value.cpu().contiguous()
        size = value.numel() * value.itemsize
        start = torch._C._data_address(value) + value.storage_offset() * value.itemsize
        return hashlib.blake2b(
            (ctypes.c_ubyte * size).from_address(start) if size else b""
        ).digest()


def version_of(value: Any) -> int | None:
    """Return the version counter of a tensor; None for an array and in inference mode."""
    return None if is_array(value) or value.is_inference() else value._version


def written_by(func: Any) -> list[tuple[int, str, tuple[int, str] | None]]:
    """Return position and name of the arguments that an operator writes to, by its schema.

    The third entry is the argument that has to be true for it, if there is one.
    """
    arguments, found = list(enumerate(func._schema.arguments)), []
    forward = "backward" not in func._schema.name
    switches = [(n, a.name) for n, a in arguments if forward and a.name in ("training", "train")]
    for number, argument in arguments:
        marked = argument.alias_info is not None and argument.alias_info.is_write
        # Most schemas of batch norm leave this out, and it writes to them in training only.
        if switches and argument.name.startswith("running_"):
            found.append((number, argument.name, switches[0]))
        elif marked:
            found.append((number, argument.name, None))
    return found


def given(args: tuple, kwargs: dict, number: int, name: str) -> Any:
    """Return the argument of a call that has this position and name; None if it is left out."""
    return args[number] if number < len(args) else kwargs.get(name)


OWN_FILES = (os.path.dirname(torch.__file__) + os.sep, written_by.__code__.co_filename, "<frozen")


def line_that_runs() -> str:
    """Return the innermost line of Python on the stack that is neither torch's nor of this file."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_FILES):
        frame = frame.f_back
    if frame is None:
        return "no line of Python: a thread of backward()"
    file, number = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(file, number).strip()
    of_cell = re.search(r"ipykernel|ipython-input|^<", file)
    place = f"line {number}" if of_cell else f"{os.path.basename(file)}:{number}"
    return f"{place}: {source}" if source else place


class watch(TorchDispatchMode):  # noqa: N801 (used as a function)
    """Find which line of code writes to the memory of tensors and arrays, by which operation.

        with watch(best=best) as seen:
            train_one_epoch()
        print(seen)

    Each keyword names a tensor, an array, or what holds some; what is watched is the memory that
    they have at the start. Operations of this thread and of backward() are seen, also those of
    optimizers and modules. What else changes values (NumPy, DLPack, another thread or process,
    code compiled before, C++) is noticed at the end, by a checksum: of a tensor of more than 1 MiB
    only if no operation wrote to it as well, and not where the old values have come back. `writes`
    lists the operations, `unseen` and `moved` the names. Raises TypeError for what is not accepted.
    """

    def __init__(self, /, **named: Any):
        super().__init__()
        self.writes: list[Write] = []
        self.unseen: list[str] = []  # changed, and by no operation that was seen
        self.moved: list[str] = []  # has another memory than at the start
        self.notes: list[str] = []
        self._named, self._paths = named, [p.path for p in pieces(named)]
        self._watched: list[Watched] = []
        self._slots: dict[Any, list[tuple[int, str]]] = {}
        self._pending: list[tuple[int, Any, int | None]] = []

    def __enter__(self) -> watch:
        for name, value in self._named.items():
            for path, part in leaves(value, name):
                piece = look(path, part)
                if piece.note:
                    self.notes.append(f"{path}: cannot be watched: {piece.note}")
                    continue
                alias = part if is_array(part) else part.detach()
                piece = piece._replace(value=alias)
                self._watched.append(Watched(name, piece, weakref.ref(part)))
        self._named = {}
        self._sums = [checksum(w.piece.value) for w in self._watched]
        groups = together([w.piece for w in self._watched])
        number = {id(w.piece): i for i, w in enumerate(self._watched)}
        self._groups = [
            (g[0].place, min(p.start for p in g), max(p.start + p.nbytes for p in g),
             [number[id(p)] for p in g]) for g in groups
        ]  # fmt: skip
        self._groups.sort(key=lambda group: group[1])
        self._starts = [start for _, start, _, _ in self._groups]
        self._ends = list(accumulate((end for _, _, end, _ in self._groups), max))
        self._stale: set[int] = set()
        return super().__enter__()

    def _near(self, written: Any) -> bool:
        """Rule out quickly that a plain tensor lies where something is watched."""
        if type(written) not in (torch.Tensor, torch.nn.Parameter):
            return written is not None
        if written.layout is not torch.strided or written.is_nested:
            return True
        start = torch._C._data_address(written)
        number = bisect_left(self._starts, start + written.untyped_storage().nbytes())
        return number > 0 and start < self._ends[number - 1]

    def _hits(self, written: list) -> set[int]:
        """Return the numbers of what is watched and lies where a tensor lies that is written to."""
        hits: set[int] = set()
        flat = (t for part in written for t in (part if isinstance(part, list) else [part]))
        for _, part in leaves([t for t in flat if self._near(t)], ""):
            piece = look("", part)
            for place, start, end, numbers in self._groups:
                if (
                    place == piece.place
                    and start < piece.start + piece.nbytes
                    and piece.start < end
                ):
                    hits.update(n for n in numbers if self._same(self._watched[n].piece, piece))
        return hits

    @staticmethod
    def _same(watched: Piece, written: Piece) -> bool:
        if watched.cow or written.cow:  # the write makes the copy first
            return watched.cow == written.cow
        return overlap(watched.elements, written.elements) is not False

    def _settle(self) -> None:
        """Read the version counters: PyTorch moves them after an operator has returned."""
        for number, alias, before in self._pending:
            if before is not None and alias._version == before:
                self.writes[number] = self.writes[number]._replace(unnoticed=True)
        self._pending.clear()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operator; note it if it writes to what is watched."""
        kwargs = kwargs or {}
        slots = self._slots.get(func)
        if slots is None:
            slots = self._slots[func] = written_by(func)
        if not slots:
            return func(*args, **kwargs)
        self._settle()
        targets = [
            given(args, kwargs, number, name)
            for number, name, switch in slots
            if switch is None or given(args, kwargs, *switch)
        ]
        hits = self._hits(targets)
        lost = func.overloadpacket.__name__.startswith("_foreach_") and [
            (tensor, version_of(tensor)) for tensor in targets[0] if tensor.is_cpu
        ]
        for number in hits - self._stale:
            self._compare(number, small=True)
        before = {number: version_of(self._watched[number].piece.value) for number in hits}
        result = func(*args, **kwargs)
        for tensor, version in lost or ():  # under a dispatch mode the CPU's loop forgets to count
            if version is not None and tensor._version == version:
                torch.autograd.graph.increment_version(tensor)
        if not hits:
            return result
        line, operation = line_that_runs(), func.overloadpacket.__name__
        for number in sorted(hits):
            piece = self._watched[number].piece
            self._pending.append((len(self.writes), piece.value, before[number]))
            self.writes.append(Write(piece.path, line, operation, False))
            if piece.value.nbytes <= SMALL:
                self._sums[number] = checksum(piece.value)
            else:
                self._stale.add(number)
        return result

    def _compare(self, number: int, small: bool = False) -> None:
        piece = self._watched[number].piece
        if small and piece.value.nbytes > SMALL:
            return
        if piece.path not in self.unseen and checksum(piece.value) != self._sums[number]:
            self.unseen.append(piece.path)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._settle()
        for number, watched in enumerate(self._watched):
            if number not in self._stale:
                self._compare(number)
            elif watched.piece.path not in self.unseen:
                self.notes.append(f"{watched.piece.path}: whether something else wrote, too, is "
                                  "not known")  # fmt: skip
            now = watched.found()
            if now is not None and look("", now).start != watched.piece.start:
                self.moved.append(watched.piece.path)
        self._watched.clear()
        self._groups.clear()

    def report(self) -> Report:
        """Return what was seen: each line and operation once, and how often it wrote."""
        times: dict[tuple, list[str]] = {}
        for name, *rest in self.writes:
            times.setdefault(tuple(rest), []).append(name)
        rows = []
        for (line, operation, unnoticed), names in times.items():
            different = list(dict.fromkeys(names))
            often = len(names) // len(different)
            what = f"{operation}" + (f", {often} times" if often > 1 else "")
            what += "; the version counter did not move" if unnoticed else ""
            rows.append([brief(different), what, line])
        if self.unseen:
            who = "no operation that was seen (NumPy, another thread or process, compiled code …)"
            rows.append([brief(self.unseen), who, ""])
        if self.moved:
            rows.append([brief(self.moved), "lies in another memory now", ""])
        touched = {w.name for w in self.writes} | set(self.unseen)
        rest = [path for path in self._paths if path not in touched]
        rest = [path for path in rest if not any(n.startswith(f"{path}: ") for n in self.notes)]
        if rest:
            rows.append([brief(rest), "nothing that was seen", ""])
        _, html = table(["memory of", "written by", "in"], rows)
        text = "\n".join(f"{a}: {b}" + (f", in {c}" if c else "") for a, b, c in rows)
        html += "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        text = "\n".join([text, *self.notes]).strip()
        return Report(text, {"text/html": html}, bool(self.writes or self.unseen), rows)

    def __repr__(self) -> str:
        return self.report().text

    def __bool__(self) -> bool:
        return bool(self.writes or self.unseen)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self.report()._repr_mimebundle_()


def audit(*trained: Any, **kept: Any) -> Report:
    """Find what shares memory in a training script and probably should not.

    `trained`: the modules that are trained and their optimizers. Each keyword names what is kept
    beside them: the best weights, a target network, an EMA, a history of losses. A row is a problem
    or a note, as for tied weights, which are usually meant. `bool()` of the report is True if there
    is a problem. Raises TypeError for what is not accepted.
    """
    modules: dict[str, torch.nn.Module] = {}
    optimizers: dict[str, torch.optim.Optimizer] = {}
    for part in trained:
        kind = "model" if issubclass(type(part), torch.nn.Module) else "optimizer"
        if kind == "optimizer" and not issubclass(type(part), torch.optim.Optimizer):
            what = (
                f"a {type(part).__name__} has no name; accepted is a module or an optimizer, and "
            )
            raise TypeError(f"{what} with a name, as in best=best, {ACCEPTED}")
        among = modules if kind == "model" else optimizers
        among[kind if not among else f"{kind}_{len(among) + 1}"] = part
    live = pieces({**modules, **optimizers}) if trained else []
    stepped = {id(p) for o in optimizers.values() for g in o.param_groups for p in g["params"]}
    owned = {id(p): n for n, m in modules.items() for p in m.parameters()}
    for name, module in modules.items():
        grads = ((f"{name}.{n}.grad", p.grad) for n, p in module.named_parameters())
        live += [look(path, grad) for path, grad in grads if grad is not None]
    rows: list[list[str]] = []
    for name, module in modules.items():
        rows += within(name, module)
    for name, value in kept.items():
        rows += beside(name, value, live, stepped, optimizers)
    for a, b in ((a, b) for i, a in enumerate(kept) for b in list(kept)[i + 1 :]):
        if share(kept[a], kept[b]):
            rows.append(["problem", f"{a} and {b} share memory", "a copy of its own for each"])
    for name, optimizer in optimizers.items() if modules else ():
        params = [p for group in optimizer.param_groups for p in group["params"]]
        strange = [p for p in params if id(p) not in owned]
        on_model = [p for p in strange for q in live if id(q.value) in owned
                    and verdict(look("", p), q) in SHARED]  # fmt: skip
        if on_model:
            what = (
                f"{name} steps {len(on_model)} tensors that lie on the memory of a model and are "
            )
            rows.append(["problem", what + "not its parameters", f"{name} with model.parameters()"])
        elif strange:
            kind = "problem" if len(strange) == len(params) else "note"
            what = (
                f"{name} steps {len(strange)} of {len(params)} tensors that belong to no model here"
            )
            rows.append([kind, what, "make the optimizer from the parameters of this model"])
    if optimizers:
        free = [id(p) for m in modules.values() for p in m.parameters() if p.requires_grad]
        if missing := sum(p not in stepped for p in free):
            rows.append(["note", f"no optimizer steps {missing} parameters that require grad", ""])
    rows = rows or [["nothing", "nothing that is kept lies on memory that training changes", ""]]
    _, html = table(["", "what", "instead"], rows)
    text = "\n".join(f"{a}: {b}" + (f" → {c}" if c else "") for a, b, c in rows)
    return Report(text, {"text/html": html}, any(row[0] == "problem" for row in rows), rows)


def within(name: str, module: torch.nn.Module) -> Iterator[list[str]]:
    """Yield what is shared inside a module."""
    layers: dict[int, list[str]] = {}
    for path, layer in module.named_modules(remove_duplicate=False):
        if next(leaves(layer, path), None) is None:
            continue  # as one ReLU in two places: nothing to share
        layers.setdefault(id(layer), []).append(f"{name}.{path}" if path else name)
    several = [paths for paths in layers.values() if len(paths) > 1]
    inner = tuple(f"{path}." for paths in several for path in paths)
    for paths in several:
        if not all(path.startswith(inner) for path in paths):
            yield ["problem", f"{brief(paths)} are one layer", "copy.deepcopy(layer) for each"]
    for same, what in relations(pieces({name: module})):
        paths = [p.path for p in same]
        if what == "one object" and not all(path.startswith(inner) for path in paths):
            yield ["note", f"{brief(paths)} are one Parameter: tied weights", ""]
        elif what in SHARED[1:] and not all(path.startswith(inner) for path in paths):
            tip = "nn.Parameter(t.clone()) for each, or one Parameter for both"
            yield ["problem", f"{brief(paths)} are different objects on one memory", tip]


def beside(
    name: str, value: Any, live: list, stepped: set, optimizers: dict
) -> Iterator[list[str]]:
    """Yield what is wrong with a thing that is kept beside the training."""
    found = pieces({name: value})
    changed: dict[str, list[tuple[Piece, Piece]]] = {}
    for piece in found:
        hit = next((q for q in live if verdict(piece, q) in SHARED), None)
        if hit is not None:
            if hit.path.endswith(".grad"):
                why = "backward() and zero_grad() change"
            elif hit.path.startswith("optimizer") or id(hit.value) in stepped:
                why = "the next step changes"
            elif not isinstance(hit.value, torch.nn.Parameter):
                why = "a forward pass may change"
            elif hit.value.requires_grad and not optimizers:
                why = "the next step changes"
            else:
                why = ""
            changed.setdefault(why, []).append((piece, hit))
    copy = "copy.deepcopy" if not isinstance(value, torch.Tensor) else ".detach().clone()"
    copy += "(…) when you keep it" if copy[0] != "." else " when you keep it"
    for why, pairs in changed.items():
        what = f"{len(pairs)} of {len(found)} tensors of {name}" if len(found) > 1 else name
        where = f"on the memory of the model, as {pairs[0][0].path} on {pairs[0][1].path}"
        if why:
            kind = "note" if why.startswith("a forward") else "problem"  # few buffers change
            yield [kind, f"{what} lie {where}: {why} them as well", copy]
        else:
            yield ["note", f"{what} lie {where}, which no optimizer steps", ""]
    own = [p for p in found if not any(p is q for pairs in changed.values() for q, _ in pairs)]
    if isinstance(value, (list, tuple, deque)):
        for same, what in relations(own):
            if what in SHARED:
                kind = "note" if what == SHARED[2] else "problem"
                paths = brief([p.path for p in same])
                yield [kind, f"{paths}: {what}", ".detach().clone() of each"]
    graphs = [p for p in own if not is_array(p.value) and p.value.grad_fn is not None]
    if graphs:
        what = f"{len(graphs)} of {len(found)} tensors of {name} keep their graph alive"
        what += f", as {graphs[0].path} with {type(graphs[0].value.grad_fn).__name__}"
        yield ["problem", what, ".detach() or .item() of what you keep"]
    groups = together([p for p in own if not p.note])
    parts = [(g, sum(p.value.nbytes for p in g), max(p.nbytes for p in g)) for g in groups]
    if parts := [(g, used, size) for g, used, size in parts if size > max(2 * used, 1024)]:
        what = brief([p.path for g, *_ in parts for p in g])
        what += f" keep {sum(size for *_, size in parts):,} bytes of memory alive for "
        what += f"{sum(used for _, used, _ in parts):,}"
        yield ["problem", what, ".clone() of the part"]


if __name__ == "__main__" and "__file__" in globals():  # not in the cell of a notebook
    print(f"whoshares {__version__}\n\n{__doc__}")
    for function in (share, sharing, draw, steps, watch, audit):
        print(f"{function.__name__}:\n    {function.__doc__}")
