"""Rules 6 and 11: pictures are pictures with a description, outputs are the same everywhere."""

import base64
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from PIL import Image

from verify.book import Book, Notebook, Problem, text
from verify.markdown import prose

NO_ALT = re.compile(r"!\[\s*\]\(|<img(?![^>]*\balt=[\"'][^\"'])[^>]*>")
LOCAL = re.compile(
    r"(?<![\w:/.<])/(?:home|root|tmp|usr|opt|var|content|Users)\b[^\s'\"]*"
    r"|[A-Z]:\\\w[^\s'\"]*|\S*site-packages\S*|\S*ipykernel_\S*|\bat 0x[0-9a-fA-F]+"
)


def check_pictures(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """A picture is one: it can be decoded, has a sane size, and is not blank."""
    for cell in notebook.code:
        for bundle in cell.bundles():
            for kind, content in bundle.items():
                if kind.startswith("image/") and (reason := no_picture(kind, text(content))):
                    message = f"the stored {kind} is no picture: {reason}"
                    yield notebook.problem(cell, message, notebook.run)


def no_picture(kind, content):
    """Return why the content is no picture, or None."""
    if kind == "image/svg+xml":
        try:
            svg = ElementTree.fromstring(content)
        except ElementTree.ParseError as error:
            return f"no XML: {error}"
        if svg.tag.rpartition("}")[2] != "svg":
            return f"its root is <{svg.tag}>, not <svg>"
        return None if len(svg) else "nothing is drawn in it"
    try:
        with Image.open(io.BytesIO(base64.b64decode(content))) as image:
            if f"image/{image.format}".lower() != kind:
                return f"it is {image.format}"
            if not all(16 <= side <= 8000 for side in image.size):
                return f"its size is {image.size}"
            if image.convert("RGB").getcolors(1):
                return "it has a single color"
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        return f"it cannot be decoded: {error}"
    return None


def check_alt_text(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 11: who cannot see a picture can read what it shows."""
    for cell in notebook.text:
        if NO_ALT.search(prose(cell.source)):
            yield notebook.problem(cell, "a picture without alt text", "write ![what it shows](…)")
    for cell in notebook.code:
        match cell.metadata.get("mystnb"):
            case {"image": {"alt": str(alt)}} if alt.strip():
                continue
        for bundle in cell.bundles():
            plain = text(bundle.get("text/plain", "")).strip()
            if "image/svg+xml" in bundle and (not plain or plain.startswith("<")):
                remedy = "let the text/plain of the output say what the picture shows (rule 11)"
            elif any(kind in bundle for kind in ("image/png", "image/jpeg")):
                remedy = 'add "mystnb": {"image": {"alt": "…"}} to its metadata (rule 11)'
            else:
                continue
            yield notebook.problem(cell, "a picture without alt text", remedy)


def check_outputs(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """Rule 6: no warning on stderr, and nothing that only this machine or this run has."""
    for cell in notebook.code:
        for output in cell.outputs:
            if output.get("name") == "stderr":
                first = text(output["text"]).strip().split("\n")[0][:80]
                remedy = "catch the warning and print its text (rule 6)"
                yield notebook.problem(cell, f"an output on stderr: {first}", remedy)
            texts = [text(output.get("text", ""))]
            for kind, content in output.get("data", {}).items():
                if not kind.startswith("image/") or kind == "image/svg+xml":
                    texts.append(text(content))
            if found := LOCAL.search("\n".join(texts)):
                message = f"an output holds a path or an address: {found[0][:80]}"
                yield notebook.problem(cell, message, "print something that is the same everywhere")
