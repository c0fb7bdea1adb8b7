"""What Jupyter Book does not do by itself: the Sphinx extension of this book.

Notebooks hold plain Markdown only (it must read well in Colab and on GitHub). The extension
recognizes the parts that the book gives a meaning. Each file is an extension of its own:

    claim_boxes    a claim gets its anchor
    terms          a term of the glossary is a target of links
    ledger         the evidence of each claim, beside it and in one table
    compiled       where compiled code differs from plain code
    operations     which operations copy
    line           what a chain of calls does
    data           what is looked up, as JSON for programs; llms.txt
    messages       the messages and the symptoms as data
    picker         "Which copy do I need?" on the home page
    tables         tables of code on a phone: rows that stack, code that breaks at its joints
    contents       the eyebrow above a title: its part, and its place on the path
    tool           version and checksum of the tool beside the link to it
    search         the entries of the search; _static/search/ ranks and shows them
    cells          captions of gpu cells
    helpers        the folded helper cells: their names, and one bar for all at the end of a page
    pictures       SVG in the page, light figures, descriptions
    assets         one style sheet and one script of all that stand in _static/
    metadata       addresses, descriptions, the 404 page, sitemap
    accessibility  mends in the HTML of others
"""

import zlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

PARTS = ("claim_boxes", "terms", "cells", "helpers", "pictures", "accessibility", "ledger",
         "compiled", "operations", "line", "data", "messages", "picker", "tables", "contents",
         "tool", "search", "assets", "metadata")  # fmt: skip


def no_figure_numbers(app: Sphinx, config: Config) -> None:
    """Number no figures: Jupyter Book does, and reads every page for it at each build."""
    config["numfig"] = False


def setup(app: Sphinx) -> dict[str, object]:
    """Register the parts; called by Sphinx."""
    app.connect("config-inited", no_figure_numbers, priority=900)  # after Jupyter Book's own
    for part in PARTS:
        app.setup_extension(f"book._ext.{part}")
    # A change of this code concerns every page: what was kept of the pages is read anew.
    code = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    parallel = {"parallel_read_safe": True, "parallel_write_safe": True}
    return {"version": "1", "env_version": zlib.crc32(code), **parallel}
