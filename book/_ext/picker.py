"""The directive `{picker}`: "Which copy do I need?", a form over the table of all candidates.

What each expression shares, keeps and costs comes from the data that reference/comparison.ipynb
prints, as stored; the words, the links and the order come from reference/picker.yml: the first row
that fits is the usual answer. Without JavaScript the whole table is shown; _static/picker.js shows
the form and narrows the table.
"""

import json
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book._ext.tables import with_joints

DATA, WORDS = "reference/comparison.ipynb", "reference/picker.yml"
INLINE = MarkdownIt("commonmark", {"html": False})
INLINE.add_render_rule(
    "code_inline",
    lambda self, tokens, index, *rest: f"<code>{with_joints(tokens[index].content)}</code>",
)
# The questions of the form: name, legend, and the answers; a row fits if it has the answer.
QUESTIONS = (
    ("to", "I want", {"tensor": "a tensor", "into": "its values in a tensor that exists",
                      "leaf": "a new leaf to train", "module": "a module",
                      "weights": "a `state_dict`", "array": "a NumPy array"}),
    ("memory", "Memory", {"": "does not matter", "own": "its own", "shared": "shared"}),
    ("gradients", "Gradients", {"": "do not matter", "flow": "flow back", "stop": "stop"}),
)  # fmt: skip
DEVICE = r"""["'](\w+)["']"""
FRACTIONS = {0.5: "½", 0.25: "¼"}


class Candidate(NamedTuple):
    """An expression: its words from picker.yml, and the facts read from the live table."""

    words: dict[str, str]
    live: dict[str, str]
    source: dict[str, str]  # the row of the source itself, or of its plain copy
    size: int  # the bytes of the source

    @property
    def write(self) -> str:
        return self.words.get("write", self.words["row"])

    @property
    def answers(self) -> dict[str, set[str]]:
        """Return what the row answers to each question of the form."""
        changed = any(self.live[key] != self.source[key] for key in ("dtype", "device"))
        return {
            "source": {self.words["source"]},
            "to": {self.to},
            "memory": {"shared" if self.live["memory"] == "shared" else "own"},
            "gradients": {"flow" if self.live["gradients reach x"] == "yes" else "stop"},
            "change": {"yes" if changed else "no"},
        }

    @property
    def to(self) -> str:
        """Return what the result is: one of the answers to "I want"."""
        if self.live["type"] == "ndarray":
            return "array"
        if self.words["source"] == "module":  # the live row is that of one of its tensors
            return "module" if self.live["type"] == "Parameter" else "weights"
        if self.live["object"] == "existing":
            return "into"
        trainable = self.live["requires_grad"] == self.live["is_leaf"] == "True"
        return "leaf" if trainable and self.live["object"] != "itself" else "tensor"

    @property
    def times(self) -> float:
        """Return the new memory as a multiple of that of the source."""
        return int(self.live["new bytes"]) / self.size

    @property
    def node(self) -> bool:
        """Say whether the expression makes a node of the graph."""
        return self.live["object"] != "itself" and self.live["grad_fn"] not in ("None", "–")

    @property
    def warns(self) -> bool:
        return self.live["warns"] != "no"

    @property
    def gives(self) -> str:
        """Say in words what the result is."""
        answers, existing = self.answers, self.live["object"] == "existing"
        parts = ["an array"] if self.to == "array" else []
        parts += ["the source itself"] if self.live["object"] == "itself" else []
        parts += ["its own memory" if "own" in answers["memory"] else "shared memory"]
        parts[-1] += ", that exists" * existing
        if self.to != "array" and self.words["source"] != "array":
            parts += ["gradients flow" if "flow" in answers["gradients"] else "gradients stop"]
        parts += ["a leaf that requires grad"] if self.to == "leaf" else []
        parts += ["its parameters are leaves"] if self.to == "module" else []
        if self.live["dtype"] != self.source["dtype"]:
            parts += [self.live["dtype"]]
        if self.live["device"] != self.source["device"]:
            # The row may be measured on a stand-in: what is written names the reader's device.
            parts += [f"on `{re.search(DEVICE, self.write)[1]}`"]
        return "; ".join(parts)

    @property
    def costs(self) -> str:
        """Say in words what the expression costs."""
        times = FRACTIONS.get(self.times, f"{self.times:g}")
        name = {"tensor": "x", "array": "a", "module": "m"}[self.words["source"]]
        parts = [f"{times} × the memory of {name}" if self.times else "no new memory"]
        parts += ["1 graph node"] if self.node else []
        return "; ".join(parts + ["a warning"] * self.warns)


def load(book: Path) -> tuple[list[Candidate], dict]:
    """Return the candidates with their facts, and all the words; `book` holds both files."""
    words = yaml.safe_load((book / WORDS).read_text(encoding="utf-8"))
    live = live_data(book)
    candidates = []
    for entry in words["candidates"]:
        rows = live[words["sources"][entry["source"]]["rows"]]
        copies = ("x.clone()", "a.copy()", "copy.deepcopy(m)")
        plain_copy = next(rows[name] for name in copies if name in rows)
        if len(rows.get(entry["row"], {})) < 2:
            raise ExtensionError(f"{WORDS}: {DATA} has no result for {entry['row']}")
        size = int(plain_copy["new bytes"])
        candidates.append(Candidate(entry, rows[entry["row"]], plain_copy, size))
    return candidates, words


def live_data(book: Path) -> dict[str, dict[str, dict[str, str]]]:
    """Return the stored data of the comparison: source, expression, property, value."""
    for cell in json.loads((book / DATA).read_text(encoding="utf-8"))["cells"]:
        if "".join(cell["source"]).startswith("# data: ") and cell["outputs"]:
            found = json.loads("".join(cell["outputs"][0]["text"]))
            head = found.pop("").split(" | ")
            return {
                kind: {
                    name: dict(zip(head, row.split(" | "), strict=False))
                    for name, row in rows.items()
                }
                for kind, rows in found.items()
            }
    raise ExtensionError(f"{DATA} holds no data; run it: make run CHAPTER=comparison")


def to_html(text: str, uri: Callable[[str], str]) -> str:
    """Render a line of Markdown; `uri` turns a link relative to book/ into one of the page."""
    tokens = INLINE.parseInline(text)
    for token in tokens[0].children:
        if token.type == "link_open":
            token.attrSet("href", uri(token.attrGet("href")))
    return INLINE.renderer.render(tokens, INLINE.options, {})


def render(candidates: list[Candidate], words: dict, uri: Callable[[str], str]) -> str:
    """Return the HTML of the form and the table."""
    form = fieldset("source", "I have", {k: v["name"] for k, v in words["sources"].items()})
    form += "".join(fieldset(*question) for question in QUESTIONS)
    form += (
        '<fieldset><legend>Also</legend><label><input type="checkbox" name="change" value="yes"> '
        'another device or dtype</label><button type="reset">Start again</button></fieldset>'
    )
    nothing = "".join(
        f"<p data-when='{escape(json.dumps(entry['when']))}' hidden>"
        f"No row does all that. {to_html(entry['say'], uri)}</p>"
        for entry in words["nothing"]
    )
    bodies = ""
    for source, about in words["sources"].items():
        rows = [row(found, uri) for found in candidates if found.words["source"] == source]
        head = f"From {to_html(about['name'], uri)}"
        bodies += f"<tbody><tr class='from'><th scope='rowgroup' colspan='4'>{head}</th></tr>"
        bodies += f"{''.join(rows)}</tbody>"
    titles = ("What you get, and how to write it", "Gives", "Costs", "Good to know")
    head = "".join(f"<th scope='col'>{title}</th>" for title in titles)
    return f"""
<form class="picker" hidden>{form}
<div class="picker-answer" aria-live="polite"><output></output>{nothing}</div></form>
<table class="picker"><thead><tr>{head}</tr></thead>{bodies}</table>"""


def fieldset(name: str, legend: str, answers: dict[str, str]) -> str:
    """Return one question as radio buttons; the first answer is chosen."""
    html = f"<fieldset><legend>{legend}</legend>"
    for number, (value, label) in enumerate(answers.items()):
        checked = " checked" if number == 0 else ""
        html += f'<label><input type="radio" name="{name}" value="{value}"{checked}> '
        html += f"{INLINE.renderInline(label)}</label>"
    return f"{html}</fieldset>"


def row(found: Candidate, uri: Callable[[str], str]) -> str:
    """Return one row of the table, with its answers for the form."""
    data = "".join(f' data-{key}="{" ".join(sorted(v))}"' for key, v in found.answers.items())
    need = to_html(found.words["need"], uri)
    code = to_html(f"[`{found.write}`]({found.words['chapter']})", uri)
    mind = to_html(found.words["mind"], uri)
    return f"""<tr{data}><th scope="row"><span>{need}</span> {code}</th>
<td>{INLINE.renderInline(found.gives)}</td><td>{found.costs}</td><td>{mind}</td></tr>"""


class PickerTable(nodes.General, nodes.Element):
    """Stands for the form and the table until the page is written."""


class PickerDirective(SphinxDirective):
    """`{picker}`: the form and the table; the page is built anew when the data change."""

    def run(self) -> list[nodes.Node]:
        for file in (DATA, WORDS):
            self.env.note_dependency(str(Path(self.env.srcdir, file)))
        return [PickerTable()]


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the HTML in the place of the directive."""

    def uri(link: str) -> str:
        path, _, anchor = link.partition("#")
        page = path.rsplit(".", 1)[0]
        if page not in app.env.found_docs:
            logging.getLogger(__name__).warning("%s: the link %s leads nowhere", WORDS, link)
            return link
        return app.builder.get_relative_uri(docname, page) + (f"#{anchor}" if anchor else "")

    for place in list(doctree.findall(PickerTable)):
        html = render(*load(Path(app.srcdir)), uri)
        place.replace_self(nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive; called by Sphinx."""
    app.add_node(PickerTable)
    app.add_directive("picker", PickerDirective)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
