"""A property that no mutant breaks is reported."""

import os
from typing import NamedTuple

import pytest

from verify.mutants import changes, properties
from verify.mutants.properties import jobs_of_chapters, next_jobs, survivors

STATE = {"broken": ()}  # a mutant changes it, in its fork


class Fake(NamedTuple):
    """A property that fails under the mutants that it names; under others it does what it says."""

    claim: str
    name: str
    broken_by: tuple[str, ...] = ()
    says: str = ""

    def run(self, examples: int) -> str | None:
        assert examples == properties.EXAMPLES
        if STATE["broken"] and self.says == "cannot make":
            raise RuntimeError("the example cannot be made")
        if STATE["broken"] and self.says == "dies":
            os._exit(3)
        wrong = STATE["broken"] in self.broken_by or self.says == "wrong"
        return "AssertionError: wrong" if wrong else None


@pytest.fixture(autouse=True)
def mutants(monkeypatch):
    monkeypatch.setattr(changes, "apply", lambda name: STATE.update(broken=name))


def names(found):
    return [property.name for property in found]


def test_what_no_mutant_breaks_is_left():
    held = [
        Fake("tiny.a", "by its own", ("m1",)),
        Fake("tiny.a", "by another of its claim", ("m2",)),
        Fake("tiny.b", "by another of its chapter", ("m1",)),
        Fake("other.c", "by one of another chapter", ("m1",)),
        Fake("tiny.a", "by none"),
        Fake("tiny.a", "cannot be made", (), "cannot make"),
        Fake("tiny.b", "dies", (), "dies"),
    ]
    killers = {"tiny.a": ["m1", "m2"], "tiny.b": ["m3"], "other.c": ["m4"]}
    wrong, left = survivors(held, killers, 2)
    assert not wrong
    assert names(left) == ["by one of another chapter", "by none", "cannot be made", "dies"]


def test_a_property_that_fails_without_a_mutant_is_reported():
    wrong, _ = survivors([Fake("tiny.a", "wrong", (), "wrong")], {"tiny.a": ["m1"]}, 1)
    assert wrong == ["wrong fails under no mutant: AssertionError: wrong"]


def test_each_property_meets_the_next_mutant_of_its_claim():
    a, b = Fake("tiny.a", "a"), Fake("tiny.b", "b")
    alive, todo = {"a": a, "b": b}, {"a": ["m1", "m2"], "b": ["m1"]}
    assert next_jobs(alive, todo) == {"m1": [a, b]}
    assert next_jobs(alive, todo) == {"m2": [a]}
    assert next_jobs(alive, todo) == {}


def test_the_other_mutants_of_a_chapter():
    a = Fake("tiny.a", "a")
    killers = {"tiny.a": ["m1"], "tiny.b": ["m1", "m2"], "other.c": ["m3"]}
    assert jobs_of_chapters({"a": a}, killers) == {"m2": [a]}
