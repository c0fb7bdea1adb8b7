"""Rules 6, 9 and 10: every cell was run, in order, and none ends in a traceback."""

import re
from collections.abc import Iterator

from nbval.plugin import comment_markers, metadata_tags

from verify import heads
from verify.book import Book, Notebook, Problem


def check_some_code(notebook: Notebook, book: Book) -> Iterator[Problem]:
    if not any(cell.source.strip() for cell in notebook.code):
        yield notebook.problem(
            None, "a notebook with no code proves nothing", "add code, or make it a .md page"
        )


def check_run(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rules 9 and 10: every cell was run, in order; a `gpu` cell may wait for its record."""
    for number, cell in enumerate(notebook.code, 1):
        if not cell.source.strip():
            yield notebook.problem(cell, "an empty code cell", "delete it")
        elif cell.count is None and not (cell.gpu and "recorded" not in cell.metadata):
            yield notebook.problem(cell, "this cell was never run", notebook.run)
        elif cell.count not in (None, number):
            message = f"execution count {cell.count}, where {number} is due (1…n in order)"
            yield notebook.problem(cell, message, notebook.run)
        elif any(o.get("execution_count", cell.count) != cell.count for o in cell.outputs):
            message = "a result with another execution count than its cell"
            yield notebook.problem(cell, message, notebook.run)


def check_recorded(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 9: the record of a `gpu` cell names its machine, and other cells have none."""
    for cell in notebook.cells:
        recorded = cell.metadata.get("recorded")
        if recorded is not None and not cell.gpu:
            message, remedy = "`recorded` on a cell that is not `gpu`", "remove it, or tag the cell"
        elif recorded is not None and not (
            isinstance(recorded, dict)
            and recorded.keys() == {"device", "torch"}
            and all(isinstance(value, str) and value.strip() for value in recorded.values())
        ):
            message = "`recorded` does not name the device and the torch version"
            remedy = 'write it as {"device": "NVIDIA H200", "torch": "2.11.0"}'
        elif cell.gpu and recorded is None and (cell.outputs or cell.count is not None):
            message = "a gpu cell with an output or a count, and no `recorded` that names a machine"
            remedy = f"record it on a machine with CUDA: make run-gpu CHAPTER={notebook.name}"
        else:
            continue
        yield notebook.problem(cell, message, remedy)


def check_needs(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 9: a cell says in its source what it needs, which is all that a kernel sees of it."""
    place = f"`# needs: {heads.CUDA}` as the first line, or right under `# proof:`"
    for cell in notebook.code:
        needed = heads.needs(cell.source)
        found = re.findall(r"^[ \t]*#+[ \t]*needs[ \t]*:.*", cell.source, re.M | re.I)
        if cell.gpu and needed != heads.CUDA:
            message = "a gpu cell that would fail in Colab without a GPU"
            yield notebook.problem(cell, message, f"write {place}")
        elif len(found) > (cell.gpu or needed == heads.COMPILER):
            message = f"`{found[-1].strip()}` does nothing here"
            remedy = f"tag the cell `gpu` and write {place}, or write `# needs: {heads.COMPILER}`"
            yield notebook.problem(cell, message, remedy)


def check_errors(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 6: no cell ends in a traceback, and none is expected to."""
    remedy = "catch the exception and print its message (rule 6)"
    for cell in notebook.code:
        for output in cell.outputs:
            if output["output_type"] == "error":
                yield notebook.problem(cell, f"it ends in {output.get('ename')}", remedy)
        for marker in markers(cell):
            if raises(marker):
                yield notebook.problem(cell, f"`{marker}`: it need not raise to pass", remedy)


def markers(cell):
    """Return the tags and the comments of a cell that nbval may obey, and all other tags."""
    lines = (line.strip() for line in cell.source.splitlines()) if cell.code else ()
    comments = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    return cell.tags + [comment for comment in comments if comment in comment_markers]


def raises(marker):
    return (comment_markers | metadata_tags).get(marker) == "check_exception"
