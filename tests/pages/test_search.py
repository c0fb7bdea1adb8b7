"""What the search finds by name, after a build of some pages as after one of all."""

import json
from pathlib import Path

import pytest
from sphinx.testing.util import SphinxTestApp

CONFIGURATION = """\
extensions = ["book._ext.search"]
def setup(app):
    app.add_config_value("external_site_map", {}, "")
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Return a function that builds a small site; it returns what the search finds by name."""
    pages = {"index": "Home", "methods/clone": "Clone", "methods/detach": "Detach"}
    (tmp_path / "site" / "methods").mkdir(parents=True)
    (tmp_path / "site" / "conf.py").write_text(CONFIGURATION, encoding="utf-8")

    def write(page, more=""):
        text = f"{pages[page]}\n======\n\nA page.{more}\n"
        text += "\n.. toctree::\n\n   methods/clone\n   methods/detach\n" * (page == "index")
        (tmp_path / "site" / f"{page}.rst").write_text(text, encoding="utf-8")

    for page in pages:
        write(page)

    def start():
        app = SphinxTestApp("html", srcdir=tmp_path / "site")
        app.build()
        app.cleanup()
        text = Path(app.outdir, "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
        return index["indexentries"]

    start.write = write
    return start


def test_names_stay_when_other_pages_are_built(build):
    first = build()
    assert first["torch.clone"] == [[1, "", True]] and first["detach_"] == [[2, "", True]]
    build.write("methods/clone", "\n\n.. index:: duplicate")
    named = build()
    assert named.keys() == {*first, "duplicate"}
    build.write("methods/detach", " More.")
    assert build() == named
    assert build() == named  # no page changed
    build.write("methods/clone")
    assert build() == first
