"""Rule 5: claims, their proofs, and the releases on which they hold."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from verify import heads
from verify.book import Book, Notebook, Problem
from verify.markdown import ANCHOR, CLAIM, unfenced

CLAIM_LIKE = re.compile(
    rf"^[ \t]*(?:>[>\s]*{ANCHOR}[*_]*|{ANCHOR}[*_]{{2}})[ \t]*claim\b.*$", re.M | re.I
)


def check_claims(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 5: a claim is well formed, stands alone at the end of its cell, and has a proof."""
    form = re.compile(re.escape(notebook.name) + r"\.[a-z0-9_]+")
    for cell in notebook.text:
        source = unfenced(cell.source)
        for line in CLAIM_LIKE.findall(source):
            if not CLAIM.fullmatch(line):
                message = f"it looks like a claim and is none: {line.strip()[:80]}"
                remedy = "write > **Claim `chapter.word`** · sentence"
                yield notebook.problem(cell, message, remedy)
        for claim in cell.claims:
            if not form.fullmatch(claim):
                remedy = f"name it {notebook.name}.word, of a-z, 0-9 and _"
                yield notebook.problem(cell, f"`{claim}` is no claim id of this chapter", remedy)
            if len(places := book.claims[claim]) > 1 and places[0][1] is not cell:
                first = f"{places[0][0].path}, {places[0][1]}"
                yield notebook.problem(
                    cell, f"the claim id `{claim}` is taken by {first}", "choose another word"
                )
        if len(cell.claims) > 1:
            message = f"{len(cell.claims)} claims in one cell"
            yield notebook.problem(cell, message, "give each its own cell, and its proof below it")
        elif cell.claims and not re.fullmatch(
            r"(?:>.*\n?)+\s*", source[CLAIM.search(source).start() :]
        ):
            message = f"the claim `{cell.claims[0]}` is not the last thing in its cell"
            yield notebook.problem(cell, message, "move what follows below the proof")


def check_proofs(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 5: the proof is the next cell, says so, and shows something."""
    claimed = {}
    for cell, below in pairwise([*notebook.cells, None]):
        if cell.claims and not (below and below.code):
            message = f"no code cell under the claim `{cell.claims[-1]}`"
            yield notebook.problem(cell, message, "put the proof in the next cell")
        elif cell.claims:
            claimed[below.id] = cell.claims[-1]
    for cell in notebook.code:
        claim = claimed.get(cell.id)
        proof = re.search(r"^[ \t]*#+[ \t]*proof[ \t]*:.*", cell.source, re.M | re.I)
        if claim and cell.first_line != f"# proof: {claim}":
            message = f"the proof of `{claim}` does not say so"
            yield notebook.problem(cell, message, f"make its first line: # proof: {claim}")
        elif proof and not claim:
            message = f"`{proof[0].strip()}` with no claim right above it"
            yield notebook.problem(cell, message, "write the claim, or remove the comment")
        if claim and cell.tree:
            nodes = list(ast.walk(cell.tree))
            asserts = any(isinstance(node, ast.Assert) for node in nodes)
            prints = any(
                isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
                for node in nodes
            )
            if not asserts and not (prints if cell.gpu else cell.outputs):
                message = f"the proof of `{claim}` neither asserts nor shows anything"
                yield notebook.problem(cell, message, "add an assert, or print what the claim says")


def check_releases(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 5: sentence and proof name the same releases of torch; the pinned one is among them."""
    for cell, below in pairwise(notebook.cells):
        if not (cell.claims and below.code):
            continue
        sentence = cell.source[CLAIM.search(cell.source).start() :].replace("\n>", " ")
        said, written = heads.bounds_said(sentence), heads.bounds(below.source)
        if said != written:
            lines = [f"# {word}: {bound}" for word, bound in (said or written).items()]
            message = f"the {'sentence' if said else 'proof'} of `{cell.claims[0]}` names a release"
            message += f", its {'proof' if said else 'sentence'} does not name the same"
            remedy = f"say it in the sentence, and under `# proof:` as {' and '.join(lines)}"
            yield notebook.problem(below, message, remedy)
    for cell in notebook.code:
        found = heads.LOOKS_LIKE.findall(cell.source)
        if len(found) != len(heads.bounds(cell.source)):
            message = f"`{found[-1].strip()}` does nothing here"
            remedy = "write it so: # since: 2.9, as the first line or right under `# proof:`"
            yield notebook.problem(cell, message, remedy)
        elif book.torch and (bound := heads.excluded(cell.source, book.torch)):
            message = f"it {bound}, so the pinned torch {book.torch} does not run it"
            yield notebook.problem(cell, message, "write it for the pinned release")
