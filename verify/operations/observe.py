"""What can be seen of an operation: the runs of its samples, and the row that they make."""

import inspect
import warnings
from collections.abc import Callable, Iterator
from itertools import product

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from .samples import Moved, Sample, by_hand, by_name, from_database, from_hand, seed

DTYPES = {torch.float32: 6, torch.complex64: 2, torch.int64: 2}  # samples of each
CHANGED = 3  # so many samples are asked with inputs of other shapes, too
ANSWERS = {(True, False): "always", (False, True): "never", (True, True): "sometimes"}


# --- Other inputs: the same values laid out otherwise, then other shapes


def transposed(x: Tensor) -> Tensor | None:
    """Return the tensor with its elements in the opposite order of dimensions in memory."""
    if x.dim() < 2:
        return None
    back = tuple(reversed(range(x.dim())))
    return x.permute(back).clone(memory_format=torch.contiguous_format).permute(back)


def stepped(x: Tensor) -> Tensor | None:
    """Return the tensor as every second element of a storage twice as large."""
    return torch.stack([x, x], -1)[..., 0] if x.dim() else None


def expanded(x: Tensor) -> Tensor | None:
    """Return a tensor of this shape whose first stride is 0."""
    return x[:1].clone().expand_as(x) if x.dim() and x.shape[0] > 1 else None


def zero_dim(x: Tensor) -> Tensor | None:
    """Return one element without dimensions."""
    return x.reshape(-1)[0].clone() if x.dim() and x.numel() else None


def empty(x: Tensor) -> Tensor | None:
    """Return the tensor with a first dimension of size 0."""
    return x.new_empty((0, *x.shape[1:])) if x.dim() and x.numel() else None


def single(x: Tensor) -> Tensor | None:
    """Return one element with all dimensions."""
    return x[(slice(1),) * x.dim()].clone() if x.dim() and x.numel() > 1 else None


LAYOUTS = {"": lambda x: x, "transposed": transposed, "stepped": stepped, "expanded": expanded}
SHAPES = {"0-d": zero_dim, "size 0": empty, "one element": single}


def words_of(leaf: Tensor, layout: str) -> str:
    """Return the input in words: `2×3, transposed`."""
    words = "×".join(map(str, leaf.shape)) or "0-d"
    words += "" if leaf.dtype == torch.float32 else f" {str(leaf.dtype).removeprefix('torch.')}"
    return words + (f", {layout}" if layout in LAYOUTS and layout else "")


# --- One run


def fresh(sample: Sample, change: Callable = lambda x: x, flags: int = 0) -> list | None:
    """Return new leaves for a run, the input changed; None if it cannot be changed so.

    The first floating-point ones, as many as `flags`, require grad.
    """
    leaves: list = []
    for number, leaf in enumerate(sample.leaves):
        if isinstance(leaf, Tensor):
            leaf = leaf.clone() if number >= sample.own else change(leaf.clone())
            if leaf is None:
                return None
            if flags and (leaf.is_floating_point() or leaf.is_complex()):
                leaf, flags = leaf.detach().requires_grad_(), flags - 1
        leaves.append(leaf)
    return leaves


def strided(made: object) -> list[Tensor]:
    """Return the tensors of a result that have strides."""
    leaves = [t for t in tree_leaves(made) if isinstance(t, Tensor)]
    return [t for t in leaves if t.layout == torch.strided and not t.is_quantized]


def places(x: Tensor) -> list[tuple[int, int]]:
    """Return the first byte of each memory of a tensor that has elements, and the byte after it."""
    parts = [x]
    if x.layout == torch.sparse_coo:
        parts = [x._indices(), x._values()]
    elif x.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = [x.crow_indices(), x.col_indices(), x.values()]
    elif x.layout in (torch.sparse_csc, torch.sparse_bsc):
        parts = [x.ccol_indices(), x.row_indices(), x.values()]
    elif x.layout != torch.strided:
        return []
    storages = [part.untyped_storage() for part in parts if part.numel()]
    found = [(storage.data_ptr(), storage.data_ptr() + storage.nbytes()) for storage in storages]
    return [(begin, end) for begin, end in found if begin]


def overlap(a: Tensor, b: Tensor) -> bool:
    """Tell whether two tensors use the same memory."""
    return any(p[0] < q[1] and q[0] < p[1] for p in places(a) for q in places(b))


def look(leaves: list, made: object) -> dict[str, object] | None:
    """Return the facts of a run without gradients; None if no tensor came back."""
    tensors = [t for t in leaves if isinstance(t, Tensor)]
    found = [t for t in tree_leaves(made) if isinstance(t, Tensor)]
    if not found:
        return None
    x, first = tensors[0], found[0]
    facts: dict[str, object] = {"same": any(t is r for t in tensors for r in found)}
    if full := [r for r in found if places(r)]:  # without elements there is no memory to share
        shared = [r for r in full if any(overlap(r, t) for t in tensors)]
        facts["memory"] = bool(shared)
        others = [r for r in shared if all(r is not t for t in tensors)]
        if others:  # the input itself is no view of itself
            facts["view"] = all(r._is_view() for r in others)
            used = [place for t in tensors for place in places(t)]
            facts["whole"] = all(place in used for r in others for place in places(r))
    strides = first.layout == x.layout == torch.strided and not first.is_quantized
    if strides and first.shape == x.shape and x.numel() > 1 and not x.is_contiguous():
        kept = first.stride() == x.stride()
        facts["strides"] = "kept" if kept else "contiguous" if first.is_contiguous() else "other"
    return facts | {"dtype": first.dtype == x.dtype}


def observe(sample: Sample, change: Callable = lambda x: x) -> dict[str, object] | None:
    """Run a sample; return what is seen, None if it takes no such input or returns no tensor."""
    leaves = fresh(sample, change)
    if leaves is None:
        return None
    before = [t._version if isinstance(t, Tensor) else 0 for t in leaves]
    try:
        seed()
        facts = look(leaves, sample.run(leaves))
    except Exception:
        return None
    if facts is None:
        return {}
    after = [t._version if isinstance(t, Tensor) else 0 for t in leaves[: len(before)]]
    facts["writes"] = max(b - a for a, b in zip(before, after, strict=True))
    return facts


def in_graph(sample: Sample, writes: bool) -> str | None:
    """Return whether a result of inputs that require grad requires grad, or "raises"."""
    found = None
    for most in (len(sample.leaves), 1):  # all inputs, or else the first one alone
        leaves = fresh(sample, lambda x: x, most)
        if not any(isinstance(t, Tensor) and t.requires_grad for t in leaves):
            return None
        try:
            seed()
            if writes:  # no leaf, which it would refuse
                leaves[0] = leaves[0] * 1
            made = [t for t in tree_leaves(sample.run(leaves)) if isinstance(t, Tensor)]
            return ("yes" if any(t.requires_grad for t in made) else "no") if made else None
        except RuntimeError as error:
            found = "raises" if "grad" in str(error) or "derivative" in str(error) else None
        except Exception:
            return None
    return found


def on_meta(sample: Sample) -> str | None:
    """Return the device of the result where the tensors are on the device meta, or None."""
    if "torch." in sample.call:  # makes tensors on the CPU
        return None
    leaves = [t.to("meta") if isinstance(t, Tensor) else t for t in sample.leaves]
    try:
        found = [t for t in tree_leaves(sample.run(leaves)) if isinstance(t, Tensor)]
    except Exception:
        return None
    return str(found[0].device) if found else None


# --- The forms that write


def refuses(call: Callable[[], object]) -> bool | None:
    """Tell whether a call raises because a tensor requires grad; None: for another reason."""
    try:
        seed()
        call()
    except RuntimeError as error:
        return True if "requires grad" in str(error) or "require grad" in str(error) else None
    except Exception:
        return None
    return False


def in_place(sample: Sample, run: Callable) -> dict[str, object] | None:
    """Run a form that writes to its input: by how much the counter moves, and a leaf's answer."""
    leaves = fresh(sample)
    x = leaves[0]
    before = x._version if isinstance(x, Tensor) else 0
    try:
        seed()
        made = run(leaves)
    except Exception:
        return None
    if not isinstance(x, Tensor):
        return None
    facts = {"moves": x._version - before, "returns": made is x}
    again = fresh(sample)
    if again[0].is_floating_point() or again[0].is_complex():
        again[0].requires_grad_()
        facts["refuses"] = refuses(lambda: run(again))
    return facts


def out(sample: Sample) -> dict[str, object] | None:
    """Run with `out=`: by how much the counter moves, what a leaf answers, what a view gets."""
    try:
        seed()
        made = sample.run(fresh(sample))
        results = strided(made)
        alone = isinstance(made, Tensor)
        given = [torch.zeros_like(r, memory_format=torch.contiguous_format) for r in results]
        seed()
        sample.run(fresh(sample), out=given[0] if alone else tuple(given))
    except Exception:
        return None
    facts: dict[str, object] = {"moves": given[0]._version}

    def again(change: Callable) -> Tensor:
        given = [change(torch.zeros_like(r)) for r in results]
        sample.run(fresh(sample), out=given[0] if alone else tuple(given))
        return given[0]

    if results[0].is_floating_point() or results[0].is_complex():
        facts["refuses"] = refuses(lambda: again(Tensor.requires_grad_))
    if results[0].dim() and results[0].numel():
        places = []
        try:
            seed()
            view = again(lambda r: places.append(stepped(r)) or places[-1])
            facts["view"] = view._is_view() and view.stride() == stepped(results[0]).stride()
        except Exception:
            facts["view"] = None
    return facts


# --- A row


def samples_of(name: str, forms: dict[str, Callable]) -> Iterator[tuple[Sample, bool]]:
    """Yield the samples of an operation, and whether they are tried with other shapes too."""
    known = not name.endswith("_") and not moved() and name in by_name()
    for number, sample in enumerate(from_hand(name, forms)):
        yield sample, number > 0 or not known
    if not known:
        return
    for dtype, most in DTYPES.items():
        for number, sample in enumerate(from_database(name, dtype, most)):
            yield sample, number < CHANGED


def runs_of(name: str, forms: dict[str, Callable]) -> Iterator[tuple[Sample, str, dict]]:
    """Yield what is seen of each run: the sample, the input in words, and the facts."""
    for sample, shapes in samples_of(name, forms):
        plain = observe(sample)
        if plain is None:
            continue
        for layout, change in {**LAYOUTS, **(SHAPES if shapes else {})}.items():
            facts = observe(sample, change) if layout else plain
            if facts is not None:
                first = change(next(t for t in sample.leaves if isinstance(t, Tensor)))
                yield sample, words_of(first, layout), facts and facts | {"layout": layout}


def answer(values: list[bool]) -> str | None:
    """Return always, never or sometimes; None if it was never asked."""
    return ANSWERS[True in values, False in values] if values else None


def smallest(runs: list[tuple[Sample, str, dict]], key: str) -> dict[str, list[str]]:
    """Return the smallest pair of runs that differ: the same call if there is one."""
    sides: dict[bool, list] = {True: [], False: []}
    for sample, words, facts in runs:
        if key in facts:
            size = sum(t.numel() for t in sample.leaves if isinstance(t, Tensor))
            long = len(sample.call) > 60, "<" in sample.call
            odd = facts["layout"] in SHAPES or words.startswith("0-d")
            cost = (*long, odd, size + len(words) + len(sample.call))
            sides[bool(facts[key])].append((cost, sample.call, words))
    yes, no = (list(dict.fromkeys(sorted(side))) for side in (sides[True], sides[False]))
    pairs = product(yes[:60], no[:60])
    one, other = min(pairs, key=lambda p: (p[0][1] != p[1][1] and p[0][2] != p[1][2], p))
    return {"yes": [one[1], one[2]], "no": [other[1], other[2]]}


def row(name: str, forms: dict[str, Callable]) -> dict[str, object] | str:
    """Ask an operation; return its row, or why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = list(runs_of(name, forms))
        if not runs:
            return why_not(name, forms)
        runs = [run for run in runs if run[2]]
        if not runs:
            return "returns no tensor"
        return summary(name, forms, runs)


def why_not(name: str, forms: dict[str, Callable]) -> str:
    """Return what the first sample of an operation raises."""
    if moved() and name not in by_hand():
        return "the operator database of this torch cannot be read"
    for sample in from_hand(name, forms):
        try:
            sample.run(fresh(sample))
        except Exception as error:
            text = f"{type(error).__name__}: {error}".splitlines()[0]
            return text if len(text) < 110 else f"{text[:108]} …"
    return "no sample"


def summary(name: str, forms: dict[str, Callable], runs: list) -> dict[str, object]:
    """Return the row that runs make."""
    made: dict[str, object] = {"forms": sorted(forms), "runs": len(runs)}
    for key in ("memory", "same", "view", "whole", "dtype"):
        made[key] = answer([bool(facts[key]) for *_, facts in runs if key in facts])
        if made[key] == "sometimes" and key in ("memory", "same", "view", "whole"):
            made[f"{key} when"] = smallest(runs, key)
    made["strides"] = sorted({facts["strides"] for *_, facts in runs if "strides" in facts})
    made["writes"] = sorted({facts["writes"] for *_, facts in runs})
    samples = list({id(sample): sample for sample, *_ in runs}.values())
    graph = [found for sample in samples if (found := in_graph(sample, name.endswith("_")))]
    made["graph"] = answer([found == "yes" for found in graph if found != "raises"])
    if "raises" in graph and made["graph"] is None:
        made["graph"] = "raises"
    devices = [found for sample in samples[:3] if (found := on_meta(sample))]
    made["device"] = answer([found == "meta" for found in devices])
    written = write_forms(name, forms, samples)
    return {key: value for key, value in {**made, **written}.items() if value not in (None, [])}


def together(found: list[dict]) -> dict[str, object] | None:
    """Return what several runs of a form say: each answer once."""
    if not found:
        return None
    keys = dict.fromkeys(key for facts in found for key in facts)
    made = {}
    for key in keys:
        values = {facts[key] for facts in found if facts.get(key) is not None}
        if key == "moves":
            made[key] = sorted(values)
        elif values:
            made[key] = answer(list(values))
    return made


def write_forms(name: str, forms: dict[str, Callable], samples: list[Sample]) -> dict:
    """Return what the forms do that write: the one with `_`, `inplace=True`, `out=`."""
    found: dict[str, object] = {}
    few = samples[:5]
    entries = [] if moved() else [entry for entry, _ in by_name().get(name, ())]
    writer = next((form for key, form in forms.items() if key.endswith("_")), None)
    if name.endswith("_"):
        tried = [f for sample in few if (f := in_place(sample, sample.run))]
        found["in place"] = together(tried)
    elif writer is not None:
        tried = [f for s in few if (f := in_place(s, lambda x, s=s: s.run(x, _function=writer)))]
        found["in place"] = together(tried)
    function = forms.get(f"torch.{name}")
    try:
        options = inspect.signature(function).parameters if function else {}
    except (TypeError, ValueError):
        options = {}
    if "inplace" in options:
        tried = [f for s in few if (f := in_place(s, lambda x, s=s: s.run(x, inplace=True)))]
        found["inplace=True"] = together(tried)
    if not entries or any(entry.supports_out for entry in entries):
        found["out"] = together([f for sample in few if (f := out(sample))])
    return found


def moved() -> bool:
    """Tell whether the operator database cannot be read."""
    try:
        by_name()
    except Moved:
        return True
    return False
