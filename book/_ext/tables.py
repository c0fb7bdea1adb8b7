"""Tables that hold code: on a phone their rows stack, and their code breaks at its joints.

A table with code in it gets the class `stacks`; a short cell says there what its column is. A
table of questions stacks at every width (class `faq`): an answer needs a whole line. A table
that a cell printed gets the class `stacks` if it is too wide for a phone; its cells say what their
column is, and flow. In the tables of the pages in FILTERED a reader can look for words
(_static/filter.js).
"""

import re
from html import escape

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

FILTERED = ("reference/errors", "reference/silently_wrong", "reference/questions")
SHORT = 40  # characters: a longer cell is a sentence; one of two or three needs no label
FIELD = """<div class="table-filter scripted"><label>Find in the table
<input type="search" autocomplete="off"></label><output></output></div>"""
PHONE, LETTER, GAP = 358, 7.2, 9  # pixels: a line, a letter, the space after a cell
PRINTED = re.compile(r'<table class="glance.*?</table>', re.S)


def with_joints(code: str) -> str:
    """Return code as HTML that may break before a dot, after a `_`, before words in brackets."""
    html = escape(code, quote=False)
    joint = r"(?<=\w)(?=\.\w)|(?<=[)\]])(?=\.)|(?<=[(\[])(?=\w{3})|(?<=[^\W_]_)(?=[^\W_])"
    return re.sub(joint, "<wbr>", html)


class Tables(SphinxPostTransform):
    """Give tables with code their class and their labels, and code in a table its joints."""

    formats = ("html",)
    default_priority = 900

    def run(self, **kwargs: object) -> None:
        tables = list(self.document.findall(nodes.table))
        if tables and self.env.docname in FILTERED:
            first = tables[0]
            first.parent.insert(first.parent.index(first), nodes.raw("", FIELD, format="html"))
        for table in tables:
            if self.env.docname in FILTERED:
                table["classes"].append("filtered")
            columns = len(list(table.findall(nodes.colspec)))
            literals = list(table.findall(nodes.literal))
            if literals and columns > 1:
                table["classes"].append("stacks")
                titles = label(table) if columns > 2 else []
                if "Question" in titles:
                    table["classes"].append("faq")
            for literal in literals:
                hold(literal)
                html = f"<code class='docutils literal notranslate'>{with_joints(literal.astext())}"
                literal.replace_self(nodes.raw("", f"{html}</code>", format="html"))


def hold(literal: nodes.literal) -> None:
    """Keep code, or a link that is code, on one line with the signs before and after it."""
    code: nodes.Element = literal
    while isinstance(code.parent, nodes.inline | nodes.reference) and len(code.parent) == 1:
        code = code.parent
    place = code.parent.index(code)
    before = code.parent[place - 1] if place else None
    after = code.next_node(descend=False, siblings=True)
    opening = re.search(r"[(“]+$", before) if isinstance(before, nodes.Text) else None
    sign = re.match(r"[,;.:?)”]+", after) if isinstance(after, nodes.Text) else None
    if opening or sign:
        held = nodes.inline("", "", classes=["held"])
        code.replace_self(held)
        held += code
        if opening:
            held.insert(0, nodes.Text(opening[0]))
            held.parent.replace(before, nodes.Text(before[: opening.start()]))
        if sign:
            held += nodes.Text(sign[0])
            held.parent.replace(after, nodes.Text(after[sign.end() :]))


def label(table: nodes.table) -> list[str]:
    """Put its title before each short cell, where a phone shows it; return the titles."""
    titles = [entry.astext() for head in table.findall(nodes.thead) for entry in head[0]]
    for body in table.findall(nodes.tbody):
        for row in body:
            for title, cell in list(zip(titles, row, strict=False))[1:]:
                if title and cell.astext() and (len(titles) > 3 or len(cell.astext()) < SHORT):
                    html = f"<span class='label' aria-hidden='true'>{escape(title)}: </span>"
                    cell[0].insert(0, nodes.raw("", html, format="html"))
    return titles


def printed(app: Sphinx, pagename: str, template: str, context: dict, doctree: object) -> None:
    """Give the tables that cells printed their joints, and the wide ones their class and labels."""
    if "body" in context:
        context["body"] = PRINTED.sub(lambda found: for_a_phone(found[0]), context["body"])


def for_a_phone(html: str) -> str:
    """Return a printed table: its code breaks at joints; if that is not enough, its rows stack."""
    table = BeautifulSoup(html, "html.parser").table
    rows = [row.find_all(["th", "td"], recursive=False) for row in table.find_all("tr")]
    for cell in (cell for row in rows for cell in row):
        for text in list(cell.find_all(string=True)):
            text.replace_with(BeautifulSoup(with_joints(text), "html.parser"))
    head = [cell.get_text() for cell in rows[0]]
    whole = [row for row in rows if len(row) == len(head)]
    widest = (max(map(longest, column)) for column in zip(*whole, strict=True))
    wide = sum(LETTER * letters + GAP for letters in widest) > PHONE
    if wide or "compare" in table["class"]:  # expressions that break twice in a cell
        table["class"].append("stacks")
        for row in whole[1:]:
            for title, cell in list(zip(head, row, strict=True))[1:]:
                cell["data-label"] = title
    return str(table)


def longest(cell: Tag) -> int:
    """Return the number of letters of the longest piece of a cell that does not break."""
    return max(map(len, re.split(r"\s|<wbr/?>", re.sub(r"<(?!wbr)[^>]*>", "", str(cell)))))


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform and the hook; called by Sphinx."""
    app.add_post_transform(Tables)
    app.connect("html-page-context", printed)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
