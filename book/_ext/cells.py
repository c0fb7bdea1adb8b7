"""Cells on the page: where the output of a `gpu` cell comes from, and names for folded helpers."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from verify import heads


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


class HelperPrompts(SphinxTransform):
    """Name the folded helper cells, so that a reader knows that they can be passed over."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        for cell in self.document.findall(nodes.container):
            source = cell.astext() if cell.get("nb_element") == "cell_code" else ""
            title = heads.title(source)
            if "prompt_show" not in cell or not title:
                continue
            cell["classes"].append("helper")
            for key, verb in (("prompt_show", "Show"), ("prompt_hide", "Hide")):
                cell[key] = f"{verb} the {title[0].lower()}{title[1:]}"


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transforms; called by Sphinx."""
    app.add_transform(GpuCaptions)
    app.add_transform(HelperPrompts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
