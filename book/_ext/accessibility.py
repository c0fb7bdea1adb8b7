"""Mends what in the HTML of others keeps a reader from hearing or seeing a part of a page."""

from sphinx.application import Sphinx

MENDS = {
    # MyST-NB's label would be read in the place of the words of the fold.
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # The corner of a table of facts, printed by a cell, heads nothing.
    '<th scope="col"></th>': "<td></td>",
}


def mend(app: Sphinx, pagename: str, template: str, context: dict, doctree: object) -> None:
    """Mend the body of a page."""
    for before, after in MENDS.items():
        if "body" in context:
            context["body"] = context["body"].replace(before, after)


def setup(app: Sphinx) -> dict[str, object]:
    """Register the hook; called by Sphinx."""
    app.connect("html-page-context", mend)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
