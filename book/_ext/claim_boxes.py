"""Claims on the page: a block quote ``**Claim `chapter.word`** · sentence`` becomes a box.

It gets its id as anchor, and is a target for links such as ``[…](clone.ipynb#clone.memory)`` or, in
a ``.md`` page, ``[…](#clone.memory)``. The line of evidence under it comes from `ledger.py`, its
color from `_static/page.css`. The anchor that stands before it in the notebook, and before some
headings, is for Jupyter, and goes.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

CLAIM_ID = re.compile(r"[a-z_]+\.[a-z0-9_]+")


# In the JSON of a notebook, where a line begins.
ANCHOR = re.compile(r'(?<=")(> |#{1,3} +)<a id=\\"[^"\\]+\\"></a>')


def without_anchors(app: Sphinx, page: str, source: list[str]) -> None:
    """Remove from a notebook, as it is read, the anchors that are for Jupyter."""
    source[0] = ANCHOR.sub(r"\1", source[0])


def claim_of(quote: nodes.block_quote) -> tuple[nodes.strong, str] | None:
    """Return the bold label and the id of a block quote that is a claim, otherwise None."""
    label = next(iter(quote.findall(nodes.strong)), None)
    if label is None or not quote.astext().startswith(label.astext()):
        return None
    name = label.astext().removeprefix("Claim ")
    return (label, name) if CLAIM_ID.fullmatch(name) else None


class Claims(SphinxTransform):
    """Make every claim an anchor and a link target."""

    # Before MyST resolves `[text](#id)` (priority 879), so that claims are found by it.
    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        for quote in list(self.document.findall(nodes.block_quote)):
            claim = claim_of(quote)
            if claim is None:
                continue
            label, name = claim
            quote["classes"].append("claim")
            quote["ids"], quote["names"] = [name], [name]
            # As `note_explicit_target` would, but with the id as written (its dot is kept).
            self.document.ids[name] = quote
            self.document.nameids[name] = name
            self.document.nametypes[name] = True
            slugs[name] = (quote.line or 0, name, quote.astext())
            link = nodes.reference("", "", *label.children[1:], refid=name, classes=["claim-link"])
            label[1:] = [link]


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform and the hook; called by Sphinx."""
    app.connect("source-read", without_anchors)
    app.add_transform(Claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
