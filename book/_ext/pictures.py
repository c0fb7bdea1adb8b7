"""Pictures on the page: SVG stands in the page itself, figures are light, and all are described."""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator


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
            # On a phone a picture shrinks as long as its words can be read; then it scrolls.
            width = int(re.search(r'width="(\d+)"', svg)[1])
            width = min(width, max(320, round(0.64 * width)))
            start = f'<svg role="img" aria-label="{escape(image.get("alt", ""))}" '
            start += f'style="min-width: {width}px" '
            # The theme's script puts an "output" that scrolls within the reach of the keyboard.
            html = f'<div class="picture output">{svg.replace("<svg ", start, 1)}</div>'
            image.replace_self(nodes.raw("", html, format="html"))


class Figures(SphinxPostTransform):
    """Take the pictures that a cell made as WebP without loss: the same pixels, half the bytes."""

    formats = ("html",)
    default_priority = 7  # after MyST-NB chose among the output's media types (4)

    def run(self, **kwargs: object) -> None:
        for image in self.document.findall(nodes.image):
            png = Path(self.env.srcdir, image["uri"])
            if png.suffix != ".png" or not png.is_file():
                continue
            webp = png.with_suffix(".webp")
            if not webp.exists():  # its name is a hash of the content
                Image.open(png).save(webp, lossless=True, method=6)
            image["uri"] = str(Path(image["uri"]).with_suffix(".webp"))
            image["candidates"] = {"*": image["uri"]}
            self.env.images.add_file(self.env.docname, image["uri"])


def visit_image(self: HTML5Translator, node: nodes.image) -> None:
    """Say how large a picture is, so that nothing moves when it comes, and load it late."""
    file = Path(self.builder.srcdir, node["uri"])
    before = len(self.body)
    HTML5Translator.visit_image(self, node)
    if file.is_file() and file.suffix != ".svg":
        width, height = Image.open(file).size
        size = f'<img width="{width}" height="{height}" loading="lazy" decoding="async" '
        self.body[before:] = [part.replace("<img ", size, 1) for part in self.body[before:]]


def depart_image(self: HTML5Translator, node: nodes.image) -> None:
    """Nothing comes after a picture."""
    HTML5Translator.depart_image(self, node)


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transforms; called by Sphinx."""
    app.add_transform(PictureText)
    app.add_post_transform(InlineSvg)
    app.add_post_transform(Figures)
    app.add_node(nodes.image, override=True, html=(visit_image, depart_image))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
