"""A claim that cannot fail is reported, and so is a mutant that no claim notices."""

import json
import re
import subprocess
import sys

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

from verify import ROOT

CATALOGUE = ROOT / "verify" / "mutants" / "catalogue"

# Tensors of many kinds, made before anything is changed, print under every mutant as always.
PRINT = """
import os
import torch
from verify.mutants import catalogue, changes

leaf = torch.ones(2, requires_grad=True)
tensors = [
    torch.arange(3), torch.rand(2, 3).t(), torch.tensor(0.5), torch.ones(2) > 0, leaf.half(),
    torch.tensor([float("nan"), 1e9]), torch.tensor([1j]).conj(), torch.ones(1).expand(3),
    torch.ones(2, device="meta"), leaf, leaf * 2, leaf[:1], torch.nn.Parameter(torch.ones(2000)),
]
expected = list(map(str, tensors))
for name in changes.MUTATIONS:
    child = os.fork()
    if not child:
        try:
            changes.apply(name)
            os._exit(list(map(str, tensors)) != expected)
        except BaseException as error:
            print(name, repr(error), flush=True)
            os._exit(2)
    if os.waitpid(child, 0)[1]:
        print("does not print as it should:", name, flush=True)
print(len(changes.MUTATIONS), "mutants applied")
"""

# A few mutants instead of those of the book; each argument is a command line.
RUN = """
import os, shlex, sys
import torch
from verify.mutants import __main__ as mutants, changes
from verify.mutants.left import LEFT

def add(name, method, change):
    changes.mutant(name)(lambda: changes.wrap(torch.Tensor, method, change))

LEFT.clear()
LEFT["tiny.vacuous"] = {"torch.ones(2).clone().sum() == 2": "a sum"}
LEFT["tiny.good"] = {"t": "?"}
changes.MUTATIONS.clear()
add("clone shares memory", "clone", lambda real, x: x.detach())
add("changes nothing", "clone", lambda real, x: real(x))
add("is never met", "sin", lambda real, x: x.cos())
add("ends the process", "exp", lambda *_: os._exit(3))
for line in sys.argv[1:]:
    print("status", mutants.main(shlex.split(line)), "\\0", flush=True)
"""


def python(code, *arguments):
    """Run Python code at the root; return what it printed."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def claim(word, source, printed):
    """Return the two cells of a claim."""
    output = [new_output("stream", text=printed)] if printed else []
    proof = new_code_cell(f"# proof: tiny.{word}\n{source}", outputs=output)
    return [new_markdown_cell(f"> **Claim `tiny.{word}`** · A sentence."), proof]


SETUP = "x = torch.ones(2)\nassert x.clone().data_ptr() != x.data_ptr()"


def write(root, *claims, setup=SETUP, name="tiny"):
    """Write a notebook into a book; return the option that chooses the book."""
    cells = [new_code_cell("import torch"), new_code_cell(setup), *sum(claims, [])]
    path = root / f"book/methods/{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(writes(new_notebook(cells=cells)), encoding="utf-8")
    return f"--root '{root}'"


GOOD = claim("good", "t = torch.ones(2)\nt.clone()[0] = 7\nprint(t)", "tensor([1., 1.])\n")
VACUOUS = claim("vacuous", "assert torch.ones(2).clone().sum() == 2", "")
NEEDS_SETUP = claim("needs_setup", "x.clone()[0] = 7\nprint(x)", "tensor([1., 1.])\n")
WRONG = claim("wrong", "print(torch.ones(2).clone())", "tensor([7., 7.])\n")
TURNS_ON = claim("turns_on", "torch.set_warn_always(True)", "")
AFTER = claim("after", "torch.ones(2).clone()\nassert torch.is_warn_always_enabled()", "")
CRASHES = claim("crashes", "print(torch.zeros(1).exp())", "tensor([1.])\n")


def test_every_mutant_applies_and_tensors_still_print():
    printed = python(PRINT)
    assert len(printed.splitlines()) == 1, printed
    assert int(printed.split()[0]) >= 75


def test_a_call_in_another_form_does_what_it_always_does():
    """A keyword that a change asks for has to be there."""
    python("""
import torch
from verify.mutants import changes

changes.wrap(torch.Tensor, "clone", lambda real, x, *, memory_format: x)
t = torch.ones(2)
assert t.clone() is not t
assert t.clone(memory_format=torch.contiguous_format) is t
""")


def test_names_are_unique():
    """The decorator refuses a name that is there; here, names that a reader would confuse."""
    files = [file.read_text(encoding="utf-8") for file in CATALOGUE.glob("*.py")]
    names = re.findall(r'@mutant\("(.*?)"', "".join(files))
    simplified = [re.sub(r"\W+", " ", name).strip().lower() for name in names]
    assert len(set(simplified)) == len(names) >= 75


def test_what_is_reported(tmp_path):
    everything = write(
        tmp_path / "everything", GOOD, VACUOUS, NEEDS_SETUP, TURNS_ON, AFTER, CRASHES
    )
    good, wrong = write(tmp_path / "good", GOOD), write(tmp_path / "wrong", WRONG)
    lines = [everything, f"'clone shares' {good}", wrong, f"'no such mutant' {good}"]
    reports = python(RUN, *lines).split("\0")
    statuses = [int(report.split()[-1]) for report in reports[:-1]]
    assert statuses == [1, 0, 1, 2]

    assert "1 claims fail under: clone shares memory" in reports[0]
    assert set(re.findall(r"survives every mutant: tiny\.(\w+)", reports[0])) == {
        "vacuous",
        "needs_setup",  # its set-up cell broke: that does not count
        "turns_on",
        "after",  # it is not run without what it follows
        "crashes",
    }
    missed = set(re.findall(r"not caught by any claim: (.*)", reports[0]))
    assert missed == {"changes nothing", "is never met", "ends the process"}
    assert "tiny under ends the process: the process died" in reports[0]

    assert "1 of 5 facts of the claims fail" in reports[0]
    assert (
        "none breaks tiny.vacuous: torch.ones(2).clone().sum() == 2\n          a sum" in reports[0]
    )
    assert "1 have a reason, 3 have none" in reports[0]
    fact = "torch.zeros(1).exp()"
    assert f"has no reason (verify/mutants/left.py): tiny.crashes: {fact}" in reports[0]
    assert "has no need of a reason (verify/mutants/left.py): tiny.good: t" in reports[0]

    assert "1 of 1 claims fail under a mutant; 1 of 1 mutants are caught" in reports[1]
    assert "error: tiny under no mutant: {'tiny.wrong': 'another output'}" in reports[2]


@pytest.mark.parametrize(
    ("record", "runs"),
    [
        ({"good": {"clone shares memory": [0]}, "too": {"clone shares memory": [0]}}, 1),
        ({"good": {"clone shares memory": [0]}}, 3),  # a new claim: then all that touches it
        ({"good": {"changes nothing": [0], "gone": [7]}, "old": {"gone": [0]}}, 3),
        ({}, 2),
    ],
)
def test_what_is_on_record_comes_first(tmp_path, record, runs):
    """Fewer runs give the same answer; where the record is out of date, all of them are made."""
    root = write(tmp_path, GOOD, claim("too", GOOD[1].source, "tensor([1., 1.])\n"))
    known = {f"tiny.{word}": mutants for word, mutants in record.items()}
    (tmp_path / "evidence").mkdir()
    file = tmp_path / "evidence" / "mutants.json"
    file.write_text(json.dumps(known))
    report = python(RUN, f"--chapter tiny {root}")
    recorded = python(RUN, f"--chapter tiny --all --record '{file}' {root}")
    for printed, number in (report, runs), (recorded, 2):
        assert "2 of 2 claims fail under a mutant; 1 of 4 mutants are caught" in printed
        assert "2 of 2 facts of the claims fail" in printed
        assert f"are caught\n{number} runs" in printed
    found = json.loads(file.read_text())
    assert found == {f"tiny.{word}": {"clone shares memory": [0]} for word in ("good", "too")}


def test_a_failure_counts_whichever_other_claims_are_run(tmp_path):
    """The proof of another claim, on which a proof builds, may fail too."""
    first = claim("first", "t = x.clone()\nt[0] = 7\nassert x[0] == 1", "")
    then = claim("then", "x.clone()[0] = 7\nprint(x)", "tensor([1., 1.])\n")
    root = write(tmp_path, first, then, setup="x = torch.ones(2)")
    (tmp_path / "evidence").mkdir()
    known = {"tiny.first": {"changes nothing": [0]}, "tiny.then": {"clone shares memory": [0]}}
    (tmp_path / "evidence" / "mutants.json").write_text(json.dumps(known))
    report = python(RUN, f"--chapter tiny {root}")
    assert "2 of 2 claims fail under a mutant" in report
    assert "are caught\n3 runs" in report  # the first claim alone is still open after two


def test_two_snippets_may_define_one_name(tmp_path):
    """Each notebook has its own helper, whichever of them was read last."""
    for name, sign in {"tiny": "", "other": "-"}.items():
        helper = f"# snippet: {name}\ndef total(t):\n    return {sign}t.clone().sum()"
        proof = claim("helper", "print(total(torch.ones(2)))", f"tensor({sign}2.)\n")
        for cell in proof:
            cell.source = cell.source.replace("tiny.", f"{name}.")
        root = write(tmp_path, proof, setup=helper, name=name)
    report = python(RUN, f"'clone shares' {root}")
    assert "error" not in report, report


def test_a_broken_set_up_is_reported(tmp_path):
    root = write(tmp_path, GOOD, NEEDS_SETUP, setup="x = torch.ones(2)\nx.no_such_method()")
    report = python(RUN, root)
    assert "status 1" in report
    assert "no attribute 'no_such_method'" in report
