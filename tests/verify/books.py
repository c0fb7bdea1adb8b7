"""Small books for the tests: cells, a good book of one notebook, and `make run` in this process."""

import base64
import io
import json

from nbformat.v4 import new_code_cell, new_notebook, writes
from PIL import Image

from verify.heads import VERIFIED
from verify.rules import check
from verify.rules.frame import DEVICE
from verify.run import main

CLONE = "book/methods/clone.ipynb"
SANITIZER = "verify/sanitize.cfg"
APPROVED = "verify/approved.toml"
FIGURES = "book/methods/figures/clone.json"
STRAY = "book/methods/figures/data.json"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'
CLAIM = '> <a id="clone.memory"></a>**Claim `clone.memory`** · A copy has its own memory.'
HEADING = '## <a id="copy_-and-b"></a>`copy_()` and **b**\n\n[Above](#copy_-and-b)\n\n## Not led to'
GPU = {"tags": ["gpu"]}
H200 = {"device": "NVIDIA H200", "torch": "2.11.0"}


def png(*size, color=None):
    """Return a picture in base64: two halves, or all of one color."""
    image = Image.new("RGB", size, color or "white")
    if color is None:
        image.paste("black", (0, 0, size[0] // 2, size[1]))
    image.save(file := io.BytesIO(), "PNG")
    return base64.b64encode(file.getvalue()).decode()


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def display(**data):
    data = {kind.replace("_", "/").replace("svg", "svg+xml"): value for kind, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def result(text, count):
    return display(text_plain=text) | {"output_type": "execute_result", "execution_count": count}


def error(name, text):
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": []}


def markdown(id, source):
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": source}


def code(id, count, source, *outputs, **metadata):
    cell = {"cell_type": "code", "id": id, "metadata": metadata, "source": source}
    return cell | {"execution_count": count, "outputs": list(outputs)}


class TinyBook:
    """A good book of one notebook; `book["id"]` is a cell, `book.files` are the other files."""

    def __init__(self, root):
        self.root = root
        self.cells = [
            markdown(
                "title", "# Copy\n\n[Here](clone.ipynb#clone.memory) `{k: v}` `{{k}}` $x_{1}$"
            ),
            code(
                "verified",
                1,
                f"# snippet: {VERIFIED}\nprint(1)",
                stream("1\n"),
                tags=["remove-cell"],
            ),
            code("setup", 2, f"import torch\n\n{DEVICE}"),
            markdown("claim", f"{HEADING}\n\nA sentence.\n\n{CLAIM}\n> It goes on."),
            code("proof", 3, "# proof: clone.memory\nassert x == 1\nprint(x)", stream("1\n")),
            code("snippet", 4, "# snippet: glance\nx = 1"),
            code("svg", 5, "draw()", display(image_svg=SVG, text_plain="Two boxes")),
            code(
                *("png", 6, "plot()", display(image_png=png(40, 30), text_plain="<Figure>")),
                mystnb={"image": {"alt": "A curve"}},
            ),
            code("catch", 7, "try:\n    f()\nexcept TypeError as e:\n    print(e)", stream("no\n")),
            code("waiting", None, "# needs: CUDA\nprint(1)", tags=["gpu"]),
            code(
                *("recorded", 9, "# needs: CUDA\nprint(1)", stream("1\n")),
                tags=["gpu"],
                recorded={"device": "NVIDIA H200", "torch": "2.11.0"},
            ),
            code("result", 10, "%matplotlib inline\n42", result("42", 10)),
        ]
        self.metadata = {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        }
        self.files = {
            "_toc.yml": "format: jb-book\nroot: index\nchapters:\n  - file: methods/clone\n",
            "book/index.md": "# Copying",
            "book/_snippets/glance.py": "# snippet: glance\nx = 1\n",
            "book/_snippets/verified.py": f"# snippet: {VERIFIED}\nprint(1)\n",
            SANITIZER: "# a reason\n# example: (1 us) -> (time)\nregex: \\(\\d us\\)\n"
            "replace: (time)\n",
            APPROVED: "approved = []\n",
        }

    def __getitem__(self, id):
        return next(cell for cell in self.cells if cell["id"] == id)

    def add(self, *cells, after="title"):
        place = self.cells.index(self[after]) + 1
        self.cells[place:place] = cells

    def check(self):
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": self.metadata}
        self.files.setdefault(CLONE, json.dumps(notebook | {"cells": self.cells}))
        for path, content in self.files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(content, encoding="utf-8")
        return check(self.root)


def save(path, *cells):
    path.parent.mkdir(exist_ok=True)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def add(book, *cells, name="methods/clone"):
    """Write a notebook that was never run; strings are code cells."""
    cells = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    path = book / f"{name}.ipynb"
    path.write_text(writes(new_notebook(cells=cells)) + "\n", encoding="utf-8")
    return path


def run(book, *arguments):
    """Run the command in this process and return its exit status."""
    return main([*arguments, "--book", str(book)])


def code_cells(path):
    """Return the code cells as they are stored."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def text(cell):
    """Return everything that a cell printed."""
    return "".join("".join(output.get("text", [])) for output in cell["outputs"])
