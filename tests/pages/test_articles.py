"""The page on the five articles accounts for every one of their statements, once."""

import re

from verify import ROOT

PAGE = ROOT / "book" / "reference" / "articles.md"
ROW = re.compile(r"^\| ([A-E]-[CX]\d\d) \| (.+) \| (.+) \| \[(.+)\]\((\S+)\) \|$", re.M)
# How many statements (C) and code examples (X) each article has.
COUNTS = {"A": (67, 10), "B": (20, 6), "C": (26, 8), "D": (40, 16), "E": (18, 4)}


def test_every_statement_stands_on_the_page_once():
    found = [row[0] for row in ROW.findall(PAGE.read_text(encoding="utf-8"))]
    expected = [
        f"{article}-{kind}{number:02}"
        for article, counts in COUNTS.items()
        for kind, count in zip("CX", counts, strict=True)
        for number in range(1, count + 1)
    ]
    assert len(expected) == 215
    assert sorted(found) == sorted(expected)


def test_every_row_of_the_tables_is_understood():
    rows = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| [A-E]-", line)
    ]
    assert [row for row in rows if not ROW.match(row)] == []


def test_wrong_and_outdated_statements_come_first():
    headings = re.findall(r"^## (\w+)", PAGE.read_text(encoding="utf-8"), re.M)
    assert headings[:2] == ["Wrong", "Outdated"]
    assert headings[-1] == "True"


def test_the_number_of_each_verdict_is_that_of_its_rows():
    text = PAGE.read_text(encoding="utf-8")
    counts = [
        int(count)
        for count in re.findall(r"^\| \[[^\]]+\]\(#articles-\w+\) \| (\d+) \|$", text, re.M)
    ]
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    assert counts == [len(ROW.findall(section)) for section in sections]
