"""The differential run says in what compiled code differs, and its records fit the comparison."""

import json

import pytest

from verify.differential import RECORDS, SITUATIONS, SOURCES, compare, expressions

PLAIN = {"values": [1], "arguments": [2], "memory": [False, True], "requires_grad": [True]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, []),
        ({"values": [3]}, ["other values"]),
        ({"arguments": [3]}, ["other values in the arguments"]),
        ({"memory": [True, True]}, ["shares memory"]),
        ({"memory": [False, False]}, ["does not share memory"]),
        ({"requires_grad": [False]}, ["does not require grad"]),
    ],
)
def test_differences_are_named(change, words):
    assert compare(PLAIN, PLAIN | change) == words


def test_errors_are_compared_by_whether_there_is_one():
    assert compare(PLAIN, {"raises": "TypeError"}) == ["raises TypeError"]
    assert compare({"raises": "TypeError"}, PLAIN) == ["does not raise"]
    assert compare({"raises": "TypeError"}, {"raises": "ValueError"}) == []


def test_the_records_are_those_of_the_expressions_of_the_comparison():
    names = expressions()
    for path in RECORDS.glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        assert record["cases"] == len(names) * len(SITUATIONS) * len(SOURCES)
        assert {case["expression"] for case in record["differences"]} <= set(names)
