"""Rule 13: what a cell measures is recorded, with its machine, and nothing else is."""

from collections.abc import Iterator

from verify import figures
from verify.book import Book, Notebook, Problem


def check_figures(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 13: what a cell measures is recorded, with its machine, and nothing else is."""
    file = figures.file_of(notebook.file)
    path = file.relative_to(book.root).as_posix()
    measure = f"make benchmarks CHAPTER={notebook.name}"
    named, recorded = {}, {}
    for cell in notebook.code:
        try:
            for name in figures.names_in(cell.tree):
                if name in named:
                    message = f"the figure {name!r} is measured twice"
                    yield notebook.problem(cell, message, "give each its own name")
                named[name] = cell
        except figures.FiguresError as error:
            yield notebook.problem(cell, str(error), "write the name of the figure out")
    try:
        recorded = figures.read(file)
    except figures.FiguresError as error:
        yield Problem(path, None, str(error), f"measure it anew: {measure}")
        return
    for name, cell in named.items():
        device = cell.metadata.get("recorded", {}).get("device")
        if cell.gpu and (name in recorded) != bool(device):
            message = f"the figure {name!r} and the cell are not recorded together"
            yield notebook.problem(cell, message, f"make benchmarks-gpu CHAPTER={notebook.name}")
        elif not cell.gpu and name not in recorded:
            yield notebook.problem(cell, f"the figure {name!r} is not recorded", measure)
        elif cell.gpu and device and recorded[name]["machine"]["device"] != device:
            message = f"the figure {name!r} was measured on another device than the cell"
            yield notebook.problem(cell, message, f"make benchmarks-gpu CHAPTER={notebook.name}")
    for name in recorded.keys() - named.keys():
        message = f"no cell of {notebook.path} measures the figure {name!r}"
        yield Problem(path, None, message, f"{measure}; without figures, delete the file")


def check_figure_files(book: Book) -> Iterator[Problem]:
    """Rule 13: each file of figures belongs to a notebook."""
    files = {figures.file_of(notebook.file) for notebook in book.notebooks}
    for file in sorted(book.root.glob("book/*/figures/*")):
        if file not in files:
            path = file.relative_to(book.root).as_posix()
            yield Problem(path, None, "it belongs to no notebook", "delete it")
