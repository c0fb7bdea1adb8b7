"""Every notebook is in the table of contents, and every entry leads to a page."""

from collections.abc import Iterator

import yaml

from verify.book import Book, Problem


def check_toc(book: Book) -> Iterator[Problem]:
    """Every notebook is in the table of contents, and every entry leads to a page."""
    file = "_toc.yml"
    try:
        toc = yaml.safe_load((book.root / file).read_text(encoding="utf-8"))
        entries = list(toc_entries(toc))
    except (OSError, yaml.YAMLError) as error:
        yield Problem(file, None, f"it cannot be read: {error}", "write a Jupyter Book table")
        return
    if not isinstance(toc, dict) or "root" not in toc:
        yield Problem(file, None, "it names no root", "add root: the first page under book/")
    pages = set()
    for entry in entries:
        found = [
            page
            for suffix in ("", ".md", ".ipynb")
            if (page := book.root / "book" / f"{entry}{suffix}").is_file()
        ]
        pages.update(found)
        if not found:
            remedy = "correct the path, or remove the entry"
            yield Problem(file, None, f"the entry {entry} leads to no page under book/", remedy)
    for notebook in book.notebooks:
        if notebook.file not in pages:
            message = f"the notebook is in no table of contents ({file})"
            yield notebook.problem(None, message, f"add it to {file}")


def toc_entries(node):
    """Yield the pages that a table of contents names."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("root", "file"):
                yield value
            else:
                yield from toc_entries(value)
    elif isinstance(node, list):
        for value in node:
            yield from toc_entries(value)
