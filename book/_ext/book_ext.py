"""What Jupyter Book does not do by itself: claims with anchors, and the outputs' two captions.

Notebooks hold plain Markdown only (it must read well in Colab and on GitHub). This extension
recognizes the parts that the book gives a meaning:

* a block quote ``**Claim `chapter.word`** · sentence``: gets its id as anchor, and is a target for
  links such as ``[…](clone.ipynb#clone.memory)`` or, in a ``.md`` page, ``[…](#clone.memory)``;
* a cell tagged ``gpu``: its output names the GPU on which it was recorded, or says that it was not;
* an SVG output: stands in the page itself (so that it follows the theme), described by the
  ``text/plain`` that the same cell made from the same tensors.
"""

import re
import zlib
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

CLAIM_ID = re.compile(r"[a-z_]+\.[a-z0-9_]+")


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


class InlineSvg(SphinxPostTransform):
    """Put SVG outputs into the page, with their text as description for screen readers."""

    formats = ("html",)
    # After MyST-NB chose among the output's media types (priority 4).
    default_priority = 6

    def run(self, **kwargs: object) -> None:
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir, image["uri"])
            if path.suffix != ".svg" or "jupyter_execute" not in path.parts:
                continue
            svg = path.read_text(encoding="utf-8")
            # On a phone a wide picture scrolls within itself, a small one keeps its size.
            width = min(480, int(re.search(r'width="(\d+)"', svg)[1]))
            start = f'<svg role="img" aria-label="{escape(image.get("alt", ""))}" '
            start += f'style="min-width: {width}px" '
            # The theme's script puts an "output" that scrolls within the reach of the keyboard.
            html = f'<div class="picture output">{svg.replace("<svg ", start, 1)}</div>'
            image.replace_self(nodes.raw("", html, format="html"))


class HelperPrompts(SphinxTransform):
    """Name the folded helper cells, so that a reader knows that they can be passed over."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        for cell in self.document.findall(nodes.container):
            source = cell.astext() if cell.get("nb_element") == "cell_code" else ""
            if "prompt_show" not in cell or not source.startswith("# "):
                continue
            comment = source.split("\n", 1)[0].removeprefix("# ")
            what = comment[0].lower() + comment[1:]
            if comment.startswith("snippet: "):
                what = f"the helper “{comment.removeprefix('snippet: ')}”, the same in all chapters"
            cell["classes"].append("helper")
            for key, verb in (("prompt_show", "Show"), ("prompt_hide", "Hide")):
                cell[key] = f"{verb} {what}"


class PictureText(SphinxTransform):
    """Take an SVG output's alternative text from the `text/plain` of the same output."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        for bundle in self.document.findall(nodes.container):
            if bundle.get("nb_element") != "mime_bundle":
                continue
            texts = [part for part in bundle if part.get("mime_type") == "text/plain"]
            for image in bundle.findall(nodes.image):
                if texts and not image.get("alt") and image["uri"].endswith(".svg"):
                    image["alt"] = " ".join(texts[0].astext().split())


def no_figure_numbers(app: Sphinx, config: Config) -> None:
    """Number no figures: Jupyter Book does, and reads every page for it at each build."""
    config["numfig"] = False


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transforms; called by Sphinx."""
    for transform in (Claims, GpuCaptions, HelperPrompts, PictureText):
        app.add_transform(transform)
    app.add_post_transform(InlineSvg)
    app.connect("config-inited", no_figure_numbers, priority=900)  # after Jupyter Book's own
    app.setup_extension("accessible")  # mends in the HTML of others
    app.setup_extension("ledger")  # the evidence of the claims
    app.setup_extension("picker")  # "Which copy do I need?"
    app.setup_extension("names")  # what the search finds by name
    app.setup_extension("lean")  # one style sheet, one script, light figures
    app.setup_extension("whole")  # addresses, descriptions, the 404 page
    # A change of this code concerns every page: what was kept of the pages is read anew.
    code = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    parallel = {"parallel_read_safe": True, "parallel_write_safe": True}
    return {"version": "1", "env_version": zlib.crc32(code), **parallel}
