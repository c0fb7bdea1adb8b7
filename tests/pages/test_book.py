"""The book keeps its rules, its records can be read, and no name in its gpu cells is misspelled."""

import json
import runpy

from tests.verify import rehearsal
from verify import ROOT, evidence
from verify.differential import RECORDS, SITUATIONS, SOURCES, expressions
from verify.rules import check


def test_the_book():
    problems = check(ROOT)
    assert not problems, "\n" + "\n".join(map(str, problems))


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
