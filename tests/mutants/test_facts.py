"""What a proof asserts and prints is told apart."""

import ast

import pytest

from verify.mutants.facts import NOTES, Notes, instrument


def run(source, **names):
    """Run a rewritten proof; return its facts and its notes."""
    tree = ast.parse(source)
    facts, notes = instrument(tree), Notes()
    exec(compile(tree, "proof", "exec"), {NOTES: notes, **names})
    return facts, notes


@pytest.mark.parametrize(
    ("source", "codes"),
    [
        ("assert a == 1 and b", ["a == 1", "b"]),
        ("assert (a, b) == (1, 2), 'why'", ["a == 1", "b == 2"]),
        ("assert a < b < 3", ["a < b < 3"]),
        ("print('label:', a, b)", ["a", "b"]),
        ("print('only a label')", []),
        ("print(*[a, b])", ["print(*[a, b])"]),
        ("for i in (1, 2):\n    print(i + a)", ["i + a"]),
    ],
)
def test_facts(source, codes, capsys):
    facts, notes = run(source, a=1, b=2)
    assert [fact.code for fact in facts] == codes and not notes.failed
    plain = source.replace("assert", "0 #")
    rewritten = capsys.readouterr().out
    exec(plain, {"a": 1, "b": 2})
    assert capsys.readouterr().out == rewritten  # it prints what it printed


def test_each_fact_breaks_by_itself(capsys):
    source = "assert a == 1 and b == 2\nassert (a, b) == (1, 2)\nprint(a, b)\nassert b"
    _, usual = run(source, a=1, b=2)
    facts, notes = run(source, a=1, b=3)
    broken = notes.broken(usual.printed)
    assert [facts[number].code for number in sorted(broken)] == ["b == 2", "b == 2", "b"]
    facts, notes = run(source, a=1, b=0)
    assert [facts[number].code for number in notes.failed] == ["b == 2", "b == 2", "b"]


def test_what_was_not_reached_is_not_broken():
    source = "print(a)\nprint(1 / a)\nprint(b)"
    _, usual = run(source, a=1, b=2)
    tree, notes = ast.parse(source), Notes()
    instrument(tree)
    with pytest.raises(ZeroDivisionError):
        exec(compile(tree, "proof", "exec"), {NOTES: notes, "a": 0, "b": 2})
    assert notes.broken(usual.printed) == {0}


def test_what_stands_in_the_proof_is_a_label():
    source = "for name in ('one', 'two'):\n    print(f'{name:5}', a)"
    facts, notes = run(source, a=1)
    assert [fact.is_label(notes.printed[fact.number]) for fact in facts] == [True, False]


def test_an_assertion_in_another_process_raises():
    notes = Notes()
    notes.process += 1
    with pytest.raises(AssertionError, match="x == 1"):
        notes.check(0, False, "x == 1")
