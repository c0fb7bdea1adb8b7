# @title Helper: the table “At a glance”
# snippet: glance
from html import escape

from IPython.display import display


def memory_of(value):
    """Return the (first byte, number of bytes) of the memory behind a tensor or an ndarray."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    return value.__array_interface__["data"][0], value.nbytes


def properties(source, copy):
    """Return what `copy` shares with `source` and what it keeps. Overwrites `copy` with zeros."""
    (start, size), (other, copied) = memory_of(source), memory_of(copy)
    shared = max(start, other) < min(start + size, other + copied)
    row = {"memory": "same object" if copy is source else "shared" if shared else "its own"}
    if isinstance(copy, torch.Tensor):
        row["requires_grad"] = str(copy.requires_grad)
        row["grad_fn"] = type(copy.grad_fn).__name__ if copy.grad_fn else "None"
        row["is_leaf"] = str(copy.is_leaf)
        row["device"] = "kept" if copy.device == source.device else copy.device.type
        same_layout = copy.stride() == source.stride()
    else:
        row.update(requires_grad="–", grad_fn="–", is_leaf="–", device="cpu")
        same_layout = tuple(s // copy.itemsize for s in copy.strides) == source.stride()
    same_dtype = str(copy.dtype).endswith(str(source.dtype).removeprefix("torch."))
    row["dtype"] = "kept" if same_dtype else str(copy.dtype).removeprefix("torch.")
    row["strides"] = "kept" if same_layout else "changed"
    row["new bytes"] = "0" if shared else str(copied)
    row["version counter"] = "–"
    if isinstance(copy, torch.Tensor):  # write to the copy: does the counter of the source move?
        before = source._version
        with torch.no_grad():
            copy.zero_()
        row["version counter"] = "shared" if source._version != before else "its own"
    return row


def show_table(head, rows):
    """Display rows of text as a table: HTML where it can be shown, aligned text elsewhere."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in [head, *rows]]
    cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) for row in rows]
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{rest}</tr>'
        for row, rest in zip(rows, cells, strict=True)
    )
    top = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
    html = f'<table class="glance"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
    display({"text/plain": "\n".join(lines), "text/html": html}, raw=True)


def three_sources(**options):
    """Return a plain tensor, a leaf that requires grad and a non-leaf, all with strides (1, 2)."""
    plain = torch.arange(6.0, dtype=torch.float64, **options).reshape(3, 2).t()
    leaf = plain.clone().requires_grad_()
    return {"plain tensor": plain, "leaf, requires grad": leaf, "non-leaf": leaf * 1}


def at_a_glance(make_copy, sources=None):
    """Show what `make_copy(source)` shares and keeps, for three kinds of source."""
    sources = sources or three_sources(device=device)
    columns = [properties(source, make_copy(source)) for source in sources.values()]
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    show_table(["source:", *sources], rows)
