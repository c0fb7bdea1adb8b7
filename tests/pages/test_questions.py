"""The index of questions: every row answers, and links to a claim or a page that exists."""

import re

import pytest

from verify import ROOT
from verify.claims import claims_of

PAGE = ROOT / "book" / "reference" / "questions.md"
TEXT = PAGE.read_text(encoding="utf-8")
SAID = "## Often said, and what is true"
LINK = r"\[[^\]]+\]\((?:\.\./)?[\w./-]+\.(?:ipynb|md)(?:#[a-z_]+\.[a-z0-9_]+)?\)"
ROW = re.compile(rf"\| (\S.*?) \| (\S.*?) \| ({LINK}(?:; {LINK})*) \|")
HEADS = ("| Question |", "| Often said |", "| Subject |", "|---")


def lines(text):
    """Return the rows of all tables below the first one, which lists the sections."""
    below = text.partition("\n## ")[2]
    return [line for line in below.splitlines() if line[:1] == "|" and not line.startswith(HEADS)]


def test_every_row_is_a_question_an_answer_and_links():
    assert [line for line in lines(TEXT) if not ROW.fullmatch(line)] == []


def test_every_link_leads_to_a_page_and_its_claim():
    claims = {claim.id: claim.notebook.file for claim in claims_of(ROOT)}
    wrong = []
    for path, _, anchor in (
        link.partition("#")
        for line in lines(TEXT)
        for link in re.findall(r"\]\(([^)]+)\)", ROW.fullmatch(line)[3])
    ):
        file = (PAGE.parent / path).resolve()
        if not file.is_file() or anchor and claims.get(anchor) != file:
            wrong.append(f"{path}#{anchor}")
    assert wrong == []


def test_the_name_of_a_link_ends_in_the_word_of_its_claim():
    named = re.findall(r"\[[^\]]+: ([^\]]+)\]\([^)#]+#\w+\.(\w+)\)", TEXT)
    assert named and [pair for pair in named if pair[0] != pair[1].replace("_", " ")] == []


def test_no_question_stands_twice():
    questions = [ROW.fullmatch(line)[1].casefold() for line in lines(TEXT)]
    assert {q for q in questions if questions.count(q) > 1} == set()


@pytest.mark.parametrize(("part", "least"), [(0, 110), (2, 40)], ids=["questions", "often said"])
def test_nothing_was_lost(part, least):
    assert len(lines("\n## " + TEXT.partition(SAID)[part])) >= least


def test_the_numbers_of_the_sections_are_those_of_their_rows():
    counts = re.findall(r"^\| \[[^\]]+\]\(#questions-[\w-]+\) \| (\d+) \|$", TEXT, re.M)
    sections = re.split(r"^## ", TEXT, flags=re.M)[1:]
    assert [int(count) for count in counts] == [len(lines("\n## " + s)) for s in sections]
