"""Rules 3, 7 and 10: the first cells, the metadata, the snippets and what is folded."""

import re
from collections.abc import Iterator

from verify.book import HIDDEN, Book, Notebook, Problem
from verify.heads import FOLDED, VERIFIED
from verify.markdown import ANCHOR

DEVICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"'


def check_device(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 3: the first code cell looks at the release, the next says where the tensors live."""
    if not notebook.code:
        return
    first, *others = notebook.code
    if first.snippet != VERIFIED or first.tags != [HIDDEN]:
        message = f"the first code cell is not the snippet `{VERIFIED}`, tagged `{HIDDEN}`"
        yield notebook.problem(first, message, notebook.run)
    elif not others or DEVICE not in others[0].source.splitlines():
        message = "the code cell after the first does not define `device`"
        yield notebook.problem(others[0] if others else first, message, f"add this line: {DEVICE}")


def check_metadata(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 10: no metadata that an editor left behind."""
    kernel = {"name": "python3", "display_name": "Python 3"}
    allowed = ({"kernelspec": kernel}, {"kernelspec": {**kernel, "language": "python"}})
    if notebook.metadata not in [{**k, "language_info": {"name": "python"}} for k in allowed]:
        message = "its metadata is not just the kernelspec and `language_info.name` of rule 10"
        yield notebook.problem(None, message, notebook.run)
    for cell in notebook.cells:
        if extra := cell.metadata.keys() - {"tags", "recorded", "mystnb", *FOLDED}:
            message = f"cell metadata that nobody needs: {', '.join(sorted(extra))}"
            yield notebook.problem(cell, message, "remove it (rule 10)")


def check_snippets(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 7: a snippet is its file, word for word."""
    for cell in notebook.code:
        found = re.search(r"^[ \t]*#+[ \t]*snippet[ \t]*:.*", cell.source, re.M | re.I)
        if not found:
            continue
        named = re.fullmatch(r"# snippet: ([\w-]+)", cell.first_line)
        file = book.root / "book" / "_snippets" / f"{named[1]}.py" if named else None
        if not named:
            message = f"`{found[0].strip()}` is not `# snippet: NAME` on the first line"
            remedy = "write it so (a `# @title` may stand above), or reword the comment"
            yield notebook.problem(cell, message, remedy)
        elif not file.is_file():
            message = f"there is no snippet book/_snippets/{file.name}"
            yield notebook.problem(cell, message, "correct the name, or write the file")
        elif file.read_text(encoding="utf-8").rstrip("\n") != cell.source.rstrip("\n"):
            message = f"it differs from book/_snippets/{file.name}"
            yield notebook.problem(cell, message, f"edit the file, then {notebook.run}")


def check_folded(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 7: what does not teach is folded, in Jupyter and in Colab as on the site."""
    visible = 0
    for cell in notebook.code:
        hidden = {"hide-cell", "hide-input"} & set(cell.tags)
        folded = {key: cell.metadata[key] for key in FOLDED if key in cell.metadata}
        if folded != (FOLDED if cell.title else {}):
            message = "the metadata that folds a cell and its title do not go together"
            yield notebook.problem(cell, message, notebook.run)
        elif bool(hidden) != bool(cell.title) and HIDDEN not in cell.tags:
            message = "a cell is hidden on the site, or has a `# @title`, but not both"
            remedy = "give it the tag `hide-cell` and, as its first line, `# @title Helper: …`"
            yield notebook.problem(cell, message, remedy)
    seen = (cell for cell in notebook.code if not cell.title and HIDDEN not in cell.tags)
    for cell in seen:
        if cell.outputs:
            break
        visible += len(cell.source.splitlines())
        if visible > 25:
            message = f"{visible} lines of code are seen before a cell that shows something"
            yield notebook.problem(cell, message, "fold what does not teach: `# @title Helper: …`")
            break


def check_exercises(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 2: the answers of *Check yourself* are folded, and a folded cell asserts them."""
    inside, answers, checks, last = False, 0, 0, None
    for cell in notebook.cells:
        if not cell.code:
            if headings := re.findall(rf"^## {ANCHOR}(.+)$", cell.source, re.M):
                inside = "Check yourself" in headings
            answers += inside * cell.source.count("<details>")
        elif inside:
            last = cell
            checks += bool(cell.title) and "assert " in cell.source
            if cell.outputs:
                message = "a cell of *Check yourself* shows the answer"
                yield notebook.problem(cell, message, "assign what it returns, print nothing")
    if last and not (answers and checks):
        message = "the answers of *Check yourself* are not folded, or no folded cell asserts them"
        remedy = "write `<details><summary>Answer</summary>`, and a cell `# @title Check: …`"
        yield notebook.problem(last, message, remedy)
