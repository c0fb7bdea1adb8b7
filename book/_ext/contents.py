"""Where a reader is: above the title of a page its part, and on the path of a beginner its place.

Both are read from _toc.yml, whose first part is the path: "Start: half an hour · 2 of 6".
"""

from html import escape

from sphinx.application import Sphinx


def eyebrow(app: Sphinx, page: str) -> str:
    """Return the part of a page, with its place in the first part; empty for the home page."""
    parts = app.config.external_site_map.root.subtrees
    for number, part in enumerate(parts):
        pages = list(part.items)
        if page in pages:
            place = f" · {pages.index(page) + 1} of {len(pages)}" if number == 0 else ""
            return f"{part.caption}{place}"
    return ""


def put(app: Sphinx, pagename: str, template: str, context: dict, doctree: object) -> None:
    """Put the line above the title."""
    text = eyebrow(app, pagename)
    if text and "body" in context:
        line = f'<p class="eyebrow">{escape(text)}</p>\n<h1'
        context["body"] = context["body"].replace("<h1", line, 1)


def setup(app: Sphinx) -> dict[str, object]:
    """Register the hook; called by Sphinx."""
    app.connect("html-page-context", put)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
