"""The arrows between the files of verify/ point downwards, as its docstring lists them."""

import re

import pytest

import verify
from verify import ROOT

PARTS = re.findall(r"^(\w+)(?:\.py|/) ", verify.__doc__, re.M)
FILES = sorted((ROOT / "verify").rglob("*.py"))


def part_of(file):
    """Return the entry of the list that a file belongs to: `book` or `mutants`."""
    return file.relative_to(ROOT / "verify").parts[0].removesuffix(".py")


def imported(file):
    """Return the parts of verify/ that a file imports from."""
    source = file.read_text(encoding="utf-8")
    named = re.findall(r"^\s*(?:from|import) verify\.(\w+)", source, re.M)
    for names in re.findall(r"^\s*from verify import (\([^)]*\)|.*)", source, re.M):
        named += re.findall(r"\w+(?= as|,|\s*[)\n]|$)", re.sub(r" as \w+", "", names))
    return set(named) & set(PARTS)


def test_every_file_is_listed_once():
    assert len(set(PARTS)) == len(PARTS)
    assert set(map(part_of, FILES)) - {"__init__"} == set(PARTS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_imports_only_from_below(file):
    part = part_of(file)
    if part == "__init__":
        assert not imported(file)
        return
    below = PARTS[PARTS.index(part) :]
    assert imported(file) <= set(below), f"{file.name} imports from above it in verify/__init__.py"
