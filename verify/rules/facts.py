"""Rule 14: names in code font exist, and numbers in the text stand in a cell near by.

So a changed output turns the sentence beside it red as well, and a name that a release of PyTorch
removes, or that is misspelt, is noticed.
"""

import ast
import re
from collections.abc import Iterator

from verify.book import Book, Cell, Notebook, Problem, text
from verify.markdown import SPAN, prose, unfenced
from verify.rules.approvals import FILE, Approvals
from verify.vocabulary import known_names

NEAR = 3  # cells before and after the text in which its numbers are looked for
WORD = re.compile(r"(?<!\w)[A-Za-z_]\w*")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
NODE = re.compile(r"(\w+?)Backward(?:s|\d)?")  # AddBackward0; its class is known to C++ alone
NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?!\w|\.\d)")
ADDRESS = re.compile(r"\]\(([^)]*)\)")  # [pull request 144270](…/144270)
DIGITS = re.compile(r"\d+(?:\.\d+)?")
# Not read off a cell: releases, years, the numbers of a list or of a question, addresses of links.
SKIPPED = re.compile(
    r"\b(?:(?:Py)?torch|Python|NumPy|CUDA|GCC|releases?|since|until|in|to|and|from|or|before|after"
    r"|on|up to|of)\s+\d+\.\d+(?:\.\d+)?(?:(?:,| and| to| or)\s+\d+\.\d+(?:\.\d+)?)*"
    r"|\b(?:19|20)\d\d\b|^\s*\d+\.\s|\*\*\d+\.\*\*|cuda:\d|\]\([^)]*\)|<[^>]+>",
    re.M | re.I,
)


def check_names(book: Book) -> Iterator[Problem]:
    """Rule 14: a name in code font is one of torch, NumPy or Python, or stands in a cell."""
    approvals = Approvals(book, "word", "word")
    yield from approvals.problems
    remedy = f"correct it, or list it in {FILE} as a [[word]] with a reason"
    anywhere = set()
    for notebook in book.notebooks:
        here = set(WORD.findall(" ".join(map(content, notebook.code))))
        anywhere |= here
        for cell in notebook.text:
            for word in sorted(words_of(cell.source) - here):
                if not exists(word, book) and not approvals.allow(word):
                    message = f"`{word}` is no name of torch, NumPy or Python, nor of a cell here"
                    yield notebook.problem(cell, message, remedy)
    for page in sorted(book.root.glob("book/**/*.md")):
        for word in sorted(words_of(page.read_text(encoding="utf-8")) - anywhere):
            if not exists(word, book) and not approvals.allow(word):
                message = f"`{word}` is no name of torch, NumPy or Python, nor of a cell"
                yield Problem(page.relative_to(book.root).as_posix(), None, message, remedy)
    yield from approvals.unused()


def words_of(markdown: str) -> set[str]:
    """Return the names in the code spans of a text; what stands in quotes is none."""
    spans = (QUOTED.sub("", span[3]) for span in SPAN.finditer(unfenced(markdown)))
    return {word for span in spans for word in WORD.findall(span)}


def exists(word: str, book: Book) -> bool:
    """Tell whether a word is a name, a part of a claim's id, or a node of autograd."""
    known = known_names()
    if word in known or any(word in claim.split(".") for claim in book.claims):
        return True
    node = NODE.fullmatch(word)
    snake = node and re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node[1]).lower()
    return bool(node) and not {snake, f"{snake}_", node[1].lower()}.isdisjoint(known)


def check_numbers(book: Book) -> Iterator[Problem]:
    """Rule 14: a number in the text stands in a code cell, or its output, within three cells."""
    approvals = Approvals(book, "number", "notebook", "number")
    yield from approvals.problems
    for notebook in book.notebooks:
        for place, cell in enumerate(notebook.cells):
            if cell.code:
                continue
            wanted = {found[0].rstrip(",") for found in NUMBER.finditer(told(cell))}
            near = numbers_near(notebook, place) if wanted else set()
            near.update(map(float, DIGITS.findall(" ".join(ADDRESS.findall(cell.source)))))
            for number in sorted(wanted):
                value = float(number.replace(",", ""))
                if value not in near and not approvals.allow(notebook.path, number):
                    message = f"no cell near by holds the number {number}"
                    remedy = f"correct it, or list it in {FILE} as a [[number]] with a reason"
                    yield notebook.problem(cell, message, remedy)
    yield from approvals.unused()


def told(cell: Cell) -> str:
    """Return the text of a cell without code, links, releases and years."""
    return SKIPPED.sub(" ", prose(cell.source))


def numbers_near(notebook: Notebook, place: int) -> set[float]:
    """Return the numbers in the code cells around a cell, computed ones such as 2**20 as well."""
    found = set()
    for cell in notebook.cells[max(0, place - NEAR) : place + NEAR + 1]:
        if cell.code:
            plain = content(cell)
            for digits in (plain, plain.replace(",", ""), plain.replace("_", "")):
                found.update(map(float, DIGITS.findall(digits)))
            found.update(constants(cell))
    return found


def constants(cell: Cell) -> Iterator[float]:
    """Yield the values of expressions made of numbers alone, such as `2**20`."""
    for node in ast.walk(cell.tree) if cell.tree else ():
        if isinstance(node, ast.BinOp) and all(
            isinstance(part, (ast.BinOp, ast.Constant, ast.operator)) for part in ast.walk(node)
        ):
            try:
                yield float(eval(compile(ast.Expression(node), "cell", "eval")))
            except (ArithmeticError, TypeError, ValueError):
                continue


def content(cell: Cell) -> str:
    """Return the source of a code cell and the text of its outputs, without pictures."""
    parts = [cell.source]
    parts += [text(output.get("text", "")) for output in cell.outputs]
    for bundle in cell.bundles():
        parts += [text(value) for kind, value in bundle.items() if not kind.startswith("image/")]
    return "\n".join(parts)
