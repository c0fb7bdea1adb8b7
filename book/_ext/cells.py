"""Cells on the page: where the output of a `gpu` cell comes from, and the colors of the code."""

from docutils import nodes
from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Whitespace
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge
from sphinx.transforms import SphinxTransform

# They have the color of the code around them in both schemes (tests/site compares).
PLAIN = (Name, Name.Namespace, Punctuation, Whitespace)


class Code(HtmlFormatter):
    """Write no element for what it would not color: more than half of the elements of a page."""

    def _get_css_classes(self, ttype: object) -> str:
        return "" if ttype in PLAIN else super()._get_css_classes(ttype)


class GpuCaptions(SphinxTransform):
    """Say under each `gpu` cell where its output comes from, or that there is none yet."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        for cell in self.document.findall(nodes.container):
            metadata = cell.get("cell_metadata", {})
            if cell.get("nb_element") != "cell_code" or "gpu" not in metadata.get("tags", []):
                continue
            recorded = metadata.get("recorded")
            text = "Needs CUDA. Output not recorded yet: no GPU has run this cell."
            if recorded:
                text = f"Needs CUDA. Recorded on {recorded['device']}, torch {recorded['torch']}."
            cell += nodes.paragraph("", text, classes=["gpu-caption"])


def setup(app: Sphinx) -> dict[str, object]:
    """Register both; called by Sphinx."""
    app.add_transform(GpuCaptions)
    PygmentsBridge.html_formatter = Code
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
