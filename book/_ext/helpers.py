"""The folded helper cells of a page: they stand at its end in one closed bar, after the lesson.

A helper cell has `# @title …` as its first line and the tag `hide-cell`. In the notebook it stands
where it is needed; on the page it would only stand between a reader and the next sentence.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from verify import heads

# A link to the bar, or to a cell in it, opens it: browsers do so for `details`.
START = """<details class="helpers" id="helper-cells">
<summary>Helper cells of this notebook</summary>
<p>The notebook runs them before the cells that use them. They are the code behind the tables, the
pictures and the checks of this page.</p>"""


class Helpers(SphinxTransform):
    """Name the helper cells, and put those that show no output at the end of the page."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        helpers = []
        for cell in list(self.document.findall(nodes.container)):
            source = cell.astext() if cell.get("nb_element") == "cell_code" else ""
            title = heads.title(source)
            if "prompt_show" not in cell or not title:
                continue
            cell["classes"].append("helper")
            for key, verb in (("prompt_show", "Show"), ("prompt_hide", "Hide")):
                cell[key] = f"{verb} the {title[0].lower()}{title[1:]}"
            if cell.get("hide_mode") == "all":
                helpers.append(cell)
        page = next(iter(self.document.findall(nodes.section)), None)
        if not helpers or page is None:
            return
        page += nodes.raw("", START, format="html")
        for cell in helpers:
            cell.parent.remove(cell)
            page += cell
        page += nodes.raw("", "</details>", format="html")


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform; called by Sphinx."""
    app.add_transform(Helpers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
