"""A claim that cannot fail is reported, and so is a mutant that no claim notices."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

TESTS = Path(__file__).parent

# Tensors of many kinds, made before anything is changed, print under every mutant as they do always.
PRINT = """
import os
import mutations, torch, torch._dynamo

leaf = torch.ones(2, requires_grad=True)
tensors = [torch.arange(3), torch.rand(2, 3).t(), torch.tensor(0.5), torch.ones(2) > 0, leaf, leaf * 2]
tensors += [torch.ones(1).expand(3), torch.tensor([1j]).conj(), torch.ones(2, device="meta"), leaf[:1]]
tensors += [torch.nn.Parameter(torch.full((2000,), 0.1)), torch.tensor([float("nan"), 1e9]), leaf.half()]
expected = list(map(str, tensors))
for name in mutations.MUTATIONS:
    child = os.fork()
    if not child:
        try:
            mutations.apply(name)
            os._exit(list(map(str, tensors)) != expected)
        except BaseException as error:
            print(name, repr(error), flush=True)
            os._exit(2)
    if os.waitpid(child, 0)[1]:
        print("does not print as it should:", name, flush=True)
print(len(mutations.MUTATIONS), "mutants applied")
"""

# A few mutants instead of those of the book: one changes nothing.
RUN = """
import os
import sys
import torch
import mutants, mutations

kept = {"clone shares memory": mutations.MUTATIONS["clone shares memory"]}
mutations.MUTATIONS.clear()
mutations.MUTATIONS.update(kept)
mutations.mutant("changes nothing")(lambda: mutations.then(torch.Tensor, "clone", lambda y, x: y))
mutations.mutant("is never met")(lambda: mutations.then(torch.Tensor, "sin", lambda y, x: y.cos()))
mutations.mutant("ends the process")(lambda: mutations.wrap(torch.Tensor, "exp", lambda *_: os._exit(3)))
sys.exit(mutants.main(sys.argv[1:]))
"""


def python(code, *arguments):
    """Run Python code in the folder of the tests; return its exit status and what it printed."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def claim(word, source, printed):
    """Return the two cells of a claim."""
    output = [new_output("stream", text=printed)] if printed else []
    proof = new_code_cell(f"# proof: tiny.{word}\n{source}", outputs=output)
    return [new_markdown_cell(f"> **Claim `tiny.{word}`** · A sentence."), proof]


@pytest.fixture
def book(tmp_path):
    """Return a function that writes a book of one notebook."""

    def write(*claims):
        setup = "x = torch.ones(2)\nassert x.clone().data_ptr() != x.data_ptr()"
        cells = [new_code_cell("import torch"), new_code_cell(setup), *sum(claims, [])]
        path = tmp_path / "book/methods/tiny.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(writes(new_notebook(cells=cells)), encoding="utf-8")
        return tmp_path

    return write


GOOD = claim("good", "t = torch.ones(2)\nt.clone()[0] = 7\nprint(t)", "tensor([1., 1.])\n")
VACUOUS = claim("vacuous", "assert torch.ones(2).clone().sum() == 2", "")
NEEDS_SETUP = claim("needs_setup", "x.clone()[0] = 7\nprint(x)", "tensor([1., 1.])\n")
CRASHES = claim("crashes", "print(torch.zeros(1).exp())", "tensor([1.])\n")


def test_every_mutant_applies_and_tensors_still_print():
    status, printed = python(PRINT)
    assert (status, len(printed.splitlines())) == (0, 1), printed
    assert int(printed.split()[0]) >= 75


def test_names_are_unique():
    """The decorator refuses a name that is there; here, names that a reader would confuse."""
    names = re.findall(r'@mutant\("(.*?)"', (TESTS / "mutations.py").read_text(encoding="utf-8"))
    simplified = [re.sub(r"\W+", " ", name).strip().lower() for name in names]
    assert len(set(simplified)) == len(names) >= 75


def test_survivors_and_what_is_not_caught(book):
    status, printed = python(RUN, "--root", book(GOOD, VACUOUS, NEEDS_SETUP, CRASHES))
    assert status == 1
    assert "1 claims fail under: clone shares memory" in printed
    assert set(re.findall(r"survives every mutant: tiny\.(\w+)", printed)) == {
        "vacuous",
        "needs_setup",  # its set-up cell broke: that does not count
        "crashes",
    }
    missed = set(re.findall(r"not caught by any claim: (.*)", printed))
    assert missed == {"changes nothing", "is never met", "ends the process"}
    assert "tiny under ends the process: the process died" in printed


def test_all_is_well(book):
    status, printed = python(RUN, "clone shares", "--root", book(GOOD))
    assert status == 0, printed
    assert "1 of 1 claims fail under a mutant; 1 of 1 mutants are caught" in printed


def test_a_claim_that_fails_anyway(book):
    wrong = claim("wrong", "print(torch.ones(2).clone())", "tensor([7., 7.])\n")
    status, printed = python(RUN, "--root", book(wrong))
    assert status == 1
    assert "error: tiny under no mutant: {'tiny.wrong': 'another output'}" in printed


def test_nothing_to_run(book):
    assert python(RUN, "no such mutant", "--root", book(GOOD))[0] == 2
