"""Rule 8: no tag, and no comment to nbval, that nobody approved; no approval for nothing."""

from collections.abc import Iterator

from verify.book import HIDDEN, Book, Problem
from verify.heads import VERIFIED
from verify.rules.approvals import FILE, Approvals
from verify.rules.cells import markers, raises

TAGS = {"gpu", "hide-input", "hide-output", "hide-cell"}


def check_tags(book: Book) -> Iterator[Problem]:
    """Rule 8: no tag, and no comment to nbval, that nobody approved; no approval for nothing."""
    approvals = Approvals(book, "approved", "notebook", "cell", "tag")
    yield from approvals.problems
    for notebook in book.notebooks:
        for cell in notebook.cells:
            for marker in markers(cell):
                approved = approvals.allow(notebook.path, cell.id, marker)
                if marker == HIDDEN and cell.snippet == VERIFIED:
                    continue
                if marker not in TAGS and not approved and not raises(marker):
                    remedy = f"remove it, or list it in {FILE} with a reason (rule 8)"
                    yield notebook.problem(cell, f"`{marker}` is not approved", remedy)
    yield from approvals.unused()
