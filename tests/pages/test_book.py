"""The book keeps its rules, its records can be read, and no name in its gpu cells is misspelled."""

import json
import re
import runpy

from tests.verify import rehearsal
from verify import ROOT, evidence
from verify.book import Book
from verify.differential import RECORDS, SITUATIONS, SOURCES, expressions
from verify.rules import check


def test_the_book():
    problems = check(ROOT)
    assert not problems, "\n" + "\n".join(map(str, problems))


def test_each_row_of_a_table_has_the_cells_of_its_head():
    """A `|` in code ends a cell as well: what follows the last column is lost on the site."""
    texts = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "book").rglob("*.md"))]
    for notebook in Book(ROOT).notebooks:
        texts += [cell.source for cell in notebook.cells if not cell.code]
    tables = [table for text in texts for table in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)]
    assert len(tables) >= 40
    for table in tables:
        head, *rows = (len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines())
        assert set(rows) == {head}, table[:300]


def test_the_gpu_cells_of_the_book():
    *problems, number = rehearsal.in_a_process()
    assert not problems, "\n".join(problems)
    assert int(number.split()[0]) >= 40


def test_the_records_of_the_book():
    names = {path.name for path in (ROOT / "evidence").glob("*.json")} - {evidence.MUTANTS}
    records = evidence.load_all(ROOT / "evidence")
    assert names == {f"{record['runner']}-torch-{record['torch']}.json" for record in records}
    evidence.load_mutants(ROOT / "evidence")


def test_a_reader_is_told_the_releases_of_the_records():
    snippet = runpy.run_path(ROOT / "book" / "_snippets" / "verified.py")
    releases = {record["torch"] for record in evidence.load_all(ROOT / "evidence")}
    in_order = sorted(releases, key=lambda release: [int(n) for n in release.split(".")])
    remedy = "write these into book/_snippets/verified.py, then make run CHAPTER=all"
    assert list(snippet["VERIFIED"]) == in_order, remedy


def test_the_compiled_runs_are_those_of_the_expressions_of_the_comparison():
    names = expressions()
    for path in RECORDS.glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        assert record["cases"] == len(names) * len(SITUATIONS) * len(SOURCES)
        assert {case["expression"] for case in record["differences"]} <= set(names)
