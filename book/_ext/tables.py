"""Tables that hold code: on a phone their rows stack, and their code breaks at its joints.

A table of two to four columns with code in it gets the class `stacks`; a short cell says there what
its column is. In the tables of the pages in FILTERED a reader can look for words
(_static/filter.js).
"""

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

FILTERED = ("reference/errors", "reference/silently_wrong", "reference/questions")
SHORT = 40  # characters: a longer cell is a sentence, which needs no label


def with_joints(code: str) -> str:
    """Return code as HTML that may break before a dot and after a bracket, not within a word."""
    html = escape(code, quote=False)
    return re.sub(r"(?<=\w)(?=\.\w)|(?<=[)\]])(?=\.)|(?<=[(\[])(?=\w)", "<wbr>", html)


class Tables(SphinxPostTransform):
    """Give tables with code their class and their labels, and code in a table its joints."""

    formats = ("html",)
    default_priority = 900

    def run(self, **kwargs: object) -> None:
        for table in self.document.findall(nodes.table):
            if self.env.docname in FILTERED:
                table["classes"].append("filtered")
            columns = len(list(table.findall(nodes.colspec)))
            literals = list(table.findall(nodes.literal))
            if "articles" in table["classes"]:
                continue
            if literals and 2 <= columns <= 4:
                table["classes"].append("stacks")
                if columns > 2:
                    label(table)
            for literal in literals:
                html = f"<code class='docutils literal notranslate'>{with_joints(literal.astext())}"
                literal.replace_self(nodes.raw("", f"{html}</code>", format="html"))


def label(table: nodes.table) -> None:
    """Put the title of its column before each short cell, where a phone shows it."""
    titles = [entry.astext() for head in table.findall(nodes.thead) for entry in head[0]]
    for body in table.findall(nodes.tbody):
        for row in body:
            for title, cell in list(zip(titles, row, strict=False))[1:]:
                if title and 0 < len(cell.astext()) < SHORT:
                    html = f"<span class='label' aria-hidden='true'>{escape(title)}: </span>"
                    cell[0].insert(0, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform; called by Sphinx."""
    app.add_post_transform(Tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
