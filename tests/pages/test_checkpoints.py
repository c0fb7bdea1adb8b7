"""The notebooks that install safetensors install the pinned release."""

import re

import pytest

from verify import ROOT

PIN = re.search(r"^safetensors==(\S+)$", (ROOT / "requirements.txt").read_text(), re.M)[1]


@pytest.mark.parametrize("page", ["topics/checkpoints_on_disk", "reference/errors"])
def test_the_release_of_safetensors_is_the_pinned_one(page):
    text = (ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert set(re.findall(r"safetensors==([\d.]+\w*)", text)) == {PIN}
    assert set(re.findall(r'__version__ != \\"([^"\\]+)\\"', text)) == {PIN}
