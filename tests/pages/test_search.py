"""The entries of the search, after a build of some pages as after one of all."""

import json
from pathlib import Path

import pytest
from sphinx.testing.util import SphinxTestApp

CONFIGURATION = """\
extensions = ["myst_parser", "book._ext.claim_boxes", "book._ext.search"]
myst_enable_extensions = ["deflist"]
templates_path = ["_templates"]
from tests.pages.test_search import Contents
def setup(app):
    app.add_config_value("external_site_map", Contents(), "")
"""
ROWS = """
| Often said | What is true | Shown by |
|---|---|---|
| “`clone()` copies  nothing.” | [Clone](../methods/clone.md) | |
| “`clone()` copies nothing.” | It does. | |
| **A group** | | |
| [a link](../methods/clone.md) | leads elsewhere | |
| “It can be proven.” | It. | [One](../methods/clone.md#clone.one), [all](../methods/clone.md) |
"""


class Contents(dict):
    """A table of contents without parts."""

    @property
    def root(self):
        return self

    @property
    def subtrees(self):
        return []


@pytest.fixture
def build(tmp_path):
    """Return a function that builds a small site; it returns the entries by page."""
    site = tmp_path / "site"
    pages = ["methods/clone", "methods/detach", "reference/questions"]
    for folder in ("methods", "reference", "_templates", "_static/search"):
        (site / folder).mkdir(parents=True)
    (site / "_static/search/search.js").write_text("// ours\n", encoding="utf-8")
    (site / "_templates/search.html").write_text("{% extends 'page.html' %}", encoding="utf-8")
    (site / "conf.py").write_text(CONFIGURATION, encoding="utf-8")

    def write(page, text=""):
        text = f"# {page.split('/')[-1].title()}\n\nA page.\n\n{text}"
        (site / f"{page}.md").write_text(text, encoding="utf-8")

    for page in pages:
        write(page)
    write("index", "```{toctree}\n" + "\n".join(pages) + "\n```\n")

    def start():
        app = SphinxTestApp("html", srcdir=site)
        app.build()
        app.cleanup()
        folder = Path(app.outdir, "_static", "search")
        assert (folder / "search.js").is_file() and Path(app.outdir, "search.html").is_file()
        text = (folder / "entries.js").read_text(encoding="utf-8")
        found = json.loads(text.removeprefix("const BOOK = ").removesuffix(";\n"))
        return {url: (names, entries) for url, _, names, entries in found}

    start.write = write
    return start


def test_entries_stay_when_other_pages_are_built(build):
    first = build()
    assert first["methods/clone.html"] == (["torch.clone"], [["Page", "", "Clone", "A page.", ""]])
    build.write("methods/clone", "More.")
    changed = build()
    assert changed["methods/clone.html"][1] == [["Page", "", "Clone", "A page.\nMore.", ""]]
    assert changed.keys() == first.keys()
    assert build() == changed  # no page changed
    build.write("methods/clone")
    assert build() == first


def test_a_claim_a_section_and_code(build):
    text = "## Ways of `x`\n\nFirst `x.y`.\n\n> **Claim `clone.one`** · It *copies*.\n\n"
    text += "```python\nlerp_(2)\n```"
    build.write("methods/clone", text)
    assert build()["methods/clone.html"][1][1:] == [
        ["Section", "ways-of-x", "Ways of `x`", "First `x.y`.", "lerp_"],
        ["Claim", "clone.one", "", "It copies.", ""],
    ]


def test_rows_of_answers(build):
    build.write("reference/questions", ROWS)
    anchor, title = "row-clone-copies-nothing", "Often said: “`clone()` copies nothing.”"
    proven = "Often said: “It can be proven.”"
    assert build()["reference/questions.html"][1][1:] == [
        ["Question", anchor, title, "", "methods/clone"],
        ["Question", f"{anchor}-2", title, "It does.", ""],
        ["Question", "row-it-can-be-proven", proven, "It.", "clone.one methods/clone"],
    ]


def test_a_row_in_html_that_says_its_name(build):
    row = "<tr id='op-abs' data-name='abs'><th>abs</th><td class='x'>shared: <b>never</b></td></tr>"
    build.write("methods/clone", f"<table>\n{row}\n</table>\n")
    found = build()["methods/clone.html"][1][1:]
    assert found == [["Operation", "op-abs", "`abs`", "shared: never", ""]]
