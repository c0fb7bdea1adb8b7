"""Rule 8: no tag, and no comment to nbval, that nobody approved; no approval for nothing."""

from collections.abc import Iterator

from verify.book import HIDDEN, Book, Problem
from verify.heads import VERIFIED
from verify.rules.cells import markers, raises

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest requires tomli there
    import tomli as tomllib

TAGS = {"gpu", "hide-input", "hide-output", "hide-cell"}


def check_tags(book: Book) -> Iterator[Problem]:
    """Rule 8: no tag, and no comment to nbval, that nobody approved; no approval for nothing."""
    file = "verify/approved.toml"
    approvals = []
    try:
        approvals = tomllib.loads((book.root / file).read_text(encoding="utf-8"))["approved"]
    except FileNotFoundError:
        pass
    except (KeyError, ValueError) as error:
        yield Problem(file, None, f"it cannot be read: {error}", "write tables [[approved]]")
    keys = ("notebook", "cell", "tag", "reason")
    open_ones = {}
    for entry in approvals:
        if not isinstance(entry, dict) or not all(
            str(entry.get(key) or "").strip() for key in keys
        ):
            message = f"the approval {entry} lacks one of {', '.join(keys)}"
            yield Problem(file, None, message, "complete it")
        else:
            open_ones[tuple(entry[key] for key in keys[:3])] = entry
    used = set()
    for notebook in book.notebooks:
        for cell in notebook.cells:
            for marker in markers(cell):
                key = (notebook.path, cell.id, marker)
                used.add(key)
                if marker == HIDDEN and cell.first_line == VERIFIED:
                    continue
                if marker not in TAGS and key not in open_ones and not raises(marker):
                    remedy = f"remove it, or list it in {file} with a reason (rule 8)"
                    yield notebook.problem(cell, f"`{marker}` is not approved", remedy)
    for key in open_ones.keys() - used:
        message = f"an approval that matches nothing: {', '.join(map(str, key))}"
        yield Problem(file, None, message, "remove it")
