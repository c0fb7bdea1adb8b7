"""Cells on the page: where the output of a `gpu` cell comes from."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


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
    """Register the transform; called by Sphinx."""
    app.add_transform(GpuCaptions)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
