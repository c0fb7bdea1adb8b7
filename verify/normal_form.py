"""The one form in which notebooks are committed: counts, metadata, outputs and snippets.

A run that gives the same outputs gives the same file, byte for byte.
"""

import copy

import nbformat

from verify import heads
from verify.book import HIDDEN, is_gpu
from verify.markdown import anchored

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("mystnb", "recorded", "tags")  # an editor's other keys only make noise in a diff


class BadSnippet(Exception):
    """A snippet that cannot be copied into its cell; the message says why."""


def refresh_snippet(cell, book):
    """Copy `book/_snippets/NAME.py` into a cell that says `# snippet: NAME`."""
    name = heads.snippet(cell.source)
    if not name:
        return
    file = book / "_snippets" / f"{name}.py"
    if not file.is_file():
        raise BadSnippet(f"cell {cell.id} wants the snippet {name!r}, but {file} does not exist")
    source = file.read_text(encoding="utf-8").rstrip("\n")
    if heads.snippet(source) != name:
        # The next run would not know the cell again.
        raise BadSnippet(
            f"{file} must begin with the line '# snippet: {name}', or '# @title' above"
        )
    cell.source = source


def begin_with_verified(notebook, book):
    """Make the snippet `verified` the first code cell, if the book has it and the notebook not."""
    first = next((n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code"), None)
    if first is None or not (book / "_snippets" / "verified.py").is_file():
        return
    if heads.snippet(notebook.cells[first].source) != heads.VERIFIED:
        tags = {"tags": [HIDDEN]}
        notebook.cells.insert(
            first, nbformat.v4.new_code_cell(f"# snippet: {heads.VERIFIED}", metadata=tags)
        )


def normalize_outputs(outputs, count):
    """Join the pieces of a stream, drop empty metadata, number results like their cell."""
    joined = []
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type == "stream" and last and last.get("name") == output.name:
            last.text += output.text  # how a stream was cut into messages differs from run to run
            continue
        if "metadata" in output:
            output.metadata = {key: value for key, value in output.metadata.items() if value}
        if output.output_type == "execute_result":
            output.execution_count = count
        joined.append(output)
    return joined


def normalize(notebook, targets=()):
    """Bring anchors, counts, metadata and outputs into the form in which notebooks are committed.

    The targets are the headings to which notebooks link.
    """
    notebook.metadata = copy.deepcopy(NOTEBOOK_METADATA)
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    texts, _ = anchored([cell.source for cell in cells], targets)
    for cell, text in zip(cells, texts, strict=True):
        cell.source = text
    count = 0
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in CELL_METADATA if cell.metadata.get(key)}
        if cell.cell_type != "code":
            continue
        if heads.title(cell.source):
            cell.metadata |= copy.deepcopy(heads.FOLDED)
        count += 1
        if is_gpu(cell) and "recorded" not in cell.metadata:
            cell.outputs, cell.execution_count = [], None  # nobody ran it on a GPU that has a name
        if cell.execution_count is not None:
            cell.execution_count = count
            cell.outputs = normalize_outputs(cell.outputs, count)
