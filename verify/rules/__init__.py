"""The rules of CONTRIBUTING.md that can be checked without running a notebook.

Each is a function of a notebook and the book, or of the book alone, that yields problems. Its
docstring gives the rule's number in CONTRIBUTING.md.
"""

from pathlib import Path

from verify.book import Book, Problem
from verify.rules import (
    asserts,
    cells,
    claims,
    contents,
    facts,
    figures,
    frame,
    outputs,
    sanitizer,
    tags,
    text,
)

OF_A_NOTEBOOK = (
    cells.check_some_code,
    cells.check_run,
    cells.check_recorded,
    cells.check_needs,
    cells.check_errors,
    outputs.check_pictures,
    outputs.check_alt_text,
    outputs.check_outputs,
    frame.check_device,
    frame.check_metadata,
    claims.check_claims,
    claims.check_proofs,
    claims.check_releases,
    asserts.check_asserts,
    frame.check_snippets,
    frame.check_folded,
    frame.check_exercises,
    text.check_plain_markdown,
    text.check_prose,
    text.check_links,
    text.check_anchors,
    figures.check_figures,
)
OF_THE_BOOK = (
    tags.check_tags,
    contents.check_toc,
    sanitizer.check_sanitizer,
    figures.check_figure_files,
    facts.check_names,
    facts.check_numbers,
)


def check(root: Path) -> list[Problem]:
    """Return every problem of the book under this root, which holds `_toc.yml` and `book/`."""
    book = Book(root)
    problems = list(book.unreadable)
    for notebook in book.notebooks:
        for rule in OF_A_NOTEBOOK:
            problems += rule(notebook, book)
    for rule in OF_THE_BOOK:
        problems += rule(book)
    return problems
