# @title Helper: pictures of memory and graph
# snippet: draw
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


def draw(**named):
    """Draw the storages, the tensors (or arrays) on them and the way that gradients take.

    All of it is read from the live objects: storages by address, the graph by `next_functions`.
    """
    storages, storage_of = [], {}
    for name, value in named.items():
        if isinstance(value, torch.Tensor):
            raw = value.untyped_storage()
            start, size = raw.data_ptr(), raw.nbytes()
            numbers = torch.empty(0, dtype=value.dtype, device=value.device).set_(raw).tolist()
        else:
            start, size, numbers = value.ctypes.data, value.nbytes, value.ravel("K").tolist()
        known = (i for i, (at, length, _) in enumerate(storages) if at <= start < at + length)
        storage_of[name] = next(known, len(storages))
        if storage_of[name] == len(storages):
            storages.append((start, size, numbers))
    tracked = [name for name, value in named.items() if getattr(value, "requires_grad", False)]
    owner = {get_gradient_edge(named[name]).node: name for name in tracked}
    columns, edges, todo = list(named), [], list(owner)
    for node in todo:  # `todo` grows: a result without a name gets a column of its own
        for following, _ in node.next_functions:
            if following is not None:
                edges.append((node, following))
                if following not in owner:
                    owner[following] = f"unnamed result {len(owner)}"
                    columns.insert(columns.index(owner[node]), owner[following])
                    todo.append(following)

    words, parts = [], []
    middle = {name: 146 + 160 * i for i, name in enumerate(columns)}
    reach = [abs(columns.index(owner[a]) - columns.index(owner[b])) for a, b in edges]
    top = 26 + 16 * max(reach, default=0) if owner else -56

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

    for (node, following), away in zip(edges, reach, strict=True):
        a, b, up = middle[owner[node]] - 14, middle[owner[following]] + 14, top - 8 - 20 * away
        parts.append(f'<path class="gradient" d="M{a} {top}C{a} {up},{b} {up},{b} {top - 6}"/>')
        parts.append(f'<path class="tip" d="M{b - 5} {top - 8}h10l-5 8z"/>')
        names = [f"{type(n).__name__} ({owner[n]})" for n in (node, following)]
        words.append(f"Gradients flow from {names[0]} to {names[1]}.")
    for node, name in owner.items():
        box("node", middle[name], top, type(node).__name__)
        if name in named:
            parts.append(f'<path class="made" d="M{middle[name]} {top + 42}v22"/>')
    users = [[middle[n] for n in named if storage_of[n] == i] for i in range(len(storages))]
    centers, places, right = [sum(xs) / len(xs) for xs in users], {}, -20
    for index in sorted(range(len(storages)), key=centers.__getitem__):
        right = places[index] = max(centers[index], right + 160)
    for name, value in named.items():
        at = places[storage_of[name]]
        parts.append(f'<path class="use" d="M{middle[name]} {top + 106}L{at:g} {top + 140}"/>')
        kind = "ndarray"
        if isinstance(value, torch.Tensor):
            kind = "leaf" if value.is_leaf else "non-leaf"
        kind += ", requires grad" if name in tracked else ""
        box("tensor", middle[name], top + 64, name, kind)
        words.append(f"{name} ({kind}) uses storage {chr(65 + storage_of[name])}.")
    for index, (_, size, numbers) in enumerate(storages):
        few = [f"{n:.4g}" for n in numbers[:6]]
        while len(" ".join(few)) > 22:
            few.pop()
        shown = " ".join(few + ["…"] * (len(few) < len(numbers)))
        letter = chr(65 + index)
        box("storage", places[index], top + 140, shown, f"storage {letter}, {size} bytes")
        words.append(f"Storage {letter} holds {shown}.")
    rows = {"gradient": top, "tensor": top + 64, "storage": top + 140}
    for row, y in list(rows.items())[0 if owner else 1 :]:
        parts.append(f'<text class="row" x="66" y="{y + 25}">{row}</text>')
    wide, high = max(max(middle.values()), right) + 84, top + 192
    size = f'viewBox="0 0 {wide:g} {high}" width="{wide:g}" height="{high}"'
    paper = f'<style>{STYLE}</style><rect class="paper" width="100%" height="100%"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{paper}{"".join(parts)}</svg>'
    display({"image/svg+xml": svg, "text/plain": "\n".join(words)}, raw=True)
