"""The differential run says in what compiled code differs."""

import pytest

from verify.differential import compare

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
