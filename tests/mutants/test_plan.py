"""The runs that come first settle what all recorded runs settle, and are few."""

from typing import NamedTuple

import pytest

from verify.mutants import plan


class Book(NamedTuple):
    """What the plan asks of a notebook."""

    path: str


class Claim(NamedTuple):
    """What the plan asks of a claim; a slow one says of which kind it is."""

    id: str
    notebook: Book
    kind: str | None = None


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    monkeypatch.setattr(plan, "slow_kind", lambda claim: claim.kind)
    monkeypatch.setattr(plan, "meets", lambda mutant, claim: mutant != "meets none")


ONE, TWO = Book("one"), Book("two")
A, B, C = Claim("a", ONE), Claim("b", ONE), Claim("c", TWO)


def runs(record, claims=(A, B, C), mutants=("m", "n", "o")):
    jobs = plan.first_runs(record, claims, mutants)
    return [(job.mutant, [claim.id for claim in job.claims]) for job in jobs]


def test_each_fact_and_each_mutant_once():
    record = {"a": {"m": [0, 1], "n": [1], "o": [1]}, "b": {"n": []}, "c": {"n": [0]}}
    assert runs(record) == [("m", ["a"]), ("n", ["c"]), ("n", ["b"]), ("o", ["a"])]


def test_a_run_does_only_the_claims_that_it_settles():
    record = {"a": {"m": [0, 1], "n": [0]}, "b": {"m": [0], "n": [0, 1, 2, 3]}}
    assert runs(record) == [("n", ["a", "b"]), ("m", ["a"])]


def test_a_slow_run_comes_only_if_nothing_else_settles_it():
    slow = Claim("s", ONE, "compile")
    assert runs({"a": {"m": [0]}, "s": {"m": [0], "n": [0]}}, (A, slow)) == [
        ("m", ["a"]),
        ("n", ["s"]),
    ]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"no such claim": {"m": [0]}},
        {"a": {"no such mutant": [0]}},
        {"a": {}},
    ],
)
def test_what_is_not_there_gives_no_run(record):
    assert not runs(record)


def test_a_claim_that_a_mutant_no_longer_meets():
    assert not runs({"a": {"meets none": [0]}}, mutants=("meets none",))
