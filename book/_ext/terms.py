"""Terms of the glossary as targets: ``[storage](../reference/glossary.md#term-storage)``."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class Terms(SphinxTransform):
    """Tell MyST the ids of terms, which it knows of headings alone."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        for term in self.document.findall(nodes.term):
            for id in term["ids"]:
                slugs[id] = (term.line or 0, id, term.astext())


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform; called by Sphinx."""
    app.add_transform(Terms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
