# @title Helper: pictures of memory and graph
# snippet: draw
from contextlib import suppress
from html import escape

from IPython.display import display
from torch.autograd.graph import get_gradient_edge

STYLE = """
text{font:13px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#1b2430}
.note{font:11px system-ui,sans-serif;fill:#52606d}.paper{fill:#fff}rect{stroke-width:1.5}
.node{fill:#fdf0e7;stroke:#d55e00}.tensor{fill:#e8f2fa;stroke:#0072b2}
.storage{fill:#e6f5f0;stroke:#00876a}.gradient{fill:none;stroke:#d55e00;stroke-width:1.5}
.tip{fill:#d55e00}.row{font:600 11px system-ui,sans-serif;text-anchor:end;fill:#52606d}
.use{stroke:#00876a;stroke-width:1.5}.made{stroke:#d55e00;stroke-dasharray:3 3}
"""


def memory_of(value):
    """Return the (first byte, number of bytes) of the memory behind a tensor or an ndarray."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    return value.__array_interface__["data"][0], value.nbytes


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


def draw(**named):
    """Draw the storages, the tensors (or arrays) on them and the way that gradients take."""
    text, svg = picture(named)
    display({"image/svg+xml": svg, "text/plain": text}, raw=True)
