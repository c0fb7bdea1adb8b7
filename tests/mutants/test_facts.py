"""What a proof asserts and prints is told apart."""

import ast

import pytest

from verify.mutants.facts import NOTES, Notes, ended_by, instrument


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


@pytest.mark.parametrize(
    ("source", "shown", "label"),
    [
        ("for n in (1, 2):\n    print(f'{n}:')", "f'{n}:'", True),
        ("for n in range(2):\n    print(f'{n}: {a}')", "f'{n}: {a}'", False),
        ("for f in (len, max):\n    print(f.__name__)", "f.__name__", True),
        ("for f in (len, a):\n    print(f)", "f", False),
        ("for n, t in {'x': a, 'y': 2}.items():\n    print(f'{n}:')", "f'{n}:'", True),
        ("for n, t in {'x': a, 'y': 2}.items():\n    print(t)", "t", False),
        ("cases = [(1, a)]\ncases += [(2, a)]\nfor n, t in cases:\n    print(n)", "n", True),
        ("cases = [(1, a)]\ncases += [a]\nfor n, t in cases:\n    print(n)", "n", False),
        ("for x in 'u v'.split():\n    print(x + '!')", "x + '!'", True),
        ("x = 1\nx = x + a\nprint(x)", "x", False),
        ("x = 1\nx += 1\nprint(x)", "x", True),
        ("def f(x=1):\n    print(x)\nf()", "x", False),
        ("with a as x:\n    print(x)", "x", False),
        ("(x, y), z = a, 1\nprint(x)", "x", False),
        ("for n in (1, 2):\n    if a:\n        print(n)", "n", False),
        ("for n in (1, 2):\n    try:\n        print(n)\n    finally:\n        a", "n", False),
    ],
)
def test_what_is_made_of_written_values_is_a_label(source, shown, label):
    (fact,) = instrument(ast.parse(source))
    assert fact.code == shown and fact.is_label(["seen"]) == label


AWAITS = """
print(a)
try:
    made = (a,
        b / a)
    raise AssertionError("no error was raised")
except {}:
    print(b, a)
print(1 / (a - b), c)
assert b and (b, c) == (c / (a - b),
    c)
"""


@pytest.mark.parametrize(
    ("awaited", "a", "b", "broken"),
    [
        ("ZeroDivisionError", 0, 1, set()),
        ("ZeroDivisionError", 1, 1, {"b", "a"}),  # no error was raised
        ("TypeError", 0, 1, {"b", "a"}),  # another error
        ("AssertionError", 1, 1, {"1 / (a - b)"}),
        ("AssertionError", 2, 1, set()),
    ],
)
def test_an_error_breaks_the_fact_in_which_it_arises(awaited, a, b, broken):
    tree = ast.parse(AWAITS.format(awaited))
    facts, notes = instrument(tree), Notes()
    names = {NOTES: notes, "a": a, "b": b, "c": b}
    error = None
    try:
        exec(compile(tree, "proof", "exec"), names)
    except Exception as caught:
        error = caught
    found = ended_by(error, facts) if error else set()
    assert {facts[number].code for number in found if number} == broken


def test_an_error_in_a_pair_breaks_one_of_them():
    tree = ast.parse("assert a and (a, b) == (b, 1 / 0)")
    facts = instrument(tree)
    with pytest.raises(ZeroDivisionError) as raised:
        exec(compile(tree, "proof", "exec"), {NOTES: Notes(), "a": 1, "b": 1})
    assert [facts[number].code for number in ended_by(raised.value, facts)] == ["b == 1 / 0"]


def test_an_assertion_in_another_process_raises():
    notes = Notes()
    notes.process += 1
    with pytest.raises(AssertionError, match="x == 1"):
        notes.check(0, False, "x == 1")
