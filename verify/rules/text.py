"""Rules 1 and 12: plain Markdown, links that lead somewhere, statements near their proof."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from verify.book import Book, Notebook, Problem
from verify.markdown import FENCE, SPAN, anchored, prose, unfenced

MYST = {
    ":::": re.compile(r"^[ >]*:{3,}", re.M),
    "(label)=": re.compile(r"^\([\w.: -]+\)=[ \t]*$", re.M),
    "{{ }}": re.compile(r"\{\{.*?\}\}"),
}
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|(?:href|src)=[\"']([^\"']+)|^ *\[[^\]^]+\]: *(\S+)", re.M)
CLAIM_LINK = re.compile(r"\]\([^)\s]*#[a-z_]+\.[a-z0-9_]+\)")
# "copies" may be a noun: it counts where the word before it can be its subject.
DOES = re.compile(
    r"\b(?:shares?|shared|copied|keeps?|kept|drops?|dropped|raises?|raised|warns?|warned|allocates?"
    r"|allocated)\b|(?:CODE\]?|\b(?:it|that|which|and|also|always|never|only|PyTorch))\s+copies\b",
    re.I,
)


def check_plain_markdown(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 1: nothing that only MyST understands."""
    for cell in notebook.text:
        fences = [fence[2] + fence[3] for fence in FENCE.finditer(cell.source)]
        found = [fence for fence in fences if fence.lstrip("`~ ").startswith("{")]
        spans = SPAN.finditer(unfenced(cell.source))
        found += [span[0] for span in spans if span[1]]
        found += [name for name, syntax in MYST.items() if syntax.search(prose(cell.source))]
        for syntax in found:
            message = f"`{syntax}` shows raw in Colab and on GitHub"
            yield notebook.problem(cell, message, "use plain Markdown (rule 1)")


def check_prose(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 12: what the text says that a method does is proven nearby, or links to its proof."""
    near = {
        place + step
        for place, cell in enumerate(notebook.cells)
        if cell.claims
        for step in range(-2, 3)
    }
    for place, cell in enumerate(notebook.cells):
        if cell.code or place in near:
            continue
        for sentence in re.split(r"(?<=[.!?])\s+|\n(?=[-|#\d])|\n\n", unfenced(cell.source)):
            bare = re.sub(r"\]\([^)]*\)", "]", SPAN.sub("CODE", sentence))
            if bare.startswith("#") or CLAIM_LINK.search(sentence):
                continue
            if "CODE" in bare and DOES.search(bare):
                message = f"a statement far from any claim: {' '.join(sentence.split())[:90]}"
                remedy = "link it to the claim that proves it, or move it to within two cells of it"
                yield notebook.problem(cell, message, remedy)


def check_links(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 1: a relative link leads to a file, and one to a claim leads to that claim."""
    for cell in notebook.text:
        for match in LINK.finditer(prose(cell.source)):
            link = next(filter(None, match.groups()))
            if re.match(r"[a-zA-Z][\w+.-]*:|//", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            file = (notebook.file.parent / path).resolve() if path else notebook.file
            places = [place.file for place, _ in book.claims.get(anchor, ())]
            if path.startswith("/") or not file.exists():
                message = f"the link {link} leads nowhere"
                yield notebook.problem(cell, message, "link to a file by relative path")
            elif re.fullmatch(r"[\w-]+\.\w+", anchor) and file not in places:
                message = f"there is no claim `{anchor}` in {path or 'this notebook'}"
                yield notebook.problem(cell, message, "correct the id or the path")
            elif anchor and "." not in anchor and anchor not in book.headings.get(file, anchor):
                message = f"there is no heading `{anchor}` in {path or 'this notebook'}"
                yield notebook.problem(cell, message, "correct the anchor or the path")


def check_anchors(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rules 1 and 5: what links lead to has an anchor in Jupyter, too, and no other heading."""
    texts, _ = anchored([cell.source for cell in notebook.text], book.targets[notebook.file])
    for cell, text in zip(notebook.text, texts, strict=True):
        for line, right in zip(cell.source.split("\n"), text.split("\n"), strict=True):
            if line == right:
                continue
            what = "claim" if right.startswith(">") else "heading"
            message, does = f"nothing leads to the {what} in Jupyter", "puts its anchor before it"
            if "<a id=" not in right:
                message, does = f"no notebook links to the {what}", "removes its anchor"
            remedy = f"make run CHAPTER={notebook.name} {does}"
            yield notebook.problem(cell, f"{message}: {line[:80]}", remedy)
