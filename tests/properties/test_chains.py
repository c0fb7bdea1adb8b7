"""The machine of chains says what PyTorch does, state for state; the same result is the same."""

import copy
import json
import random
import re
from itertools import product

import numpy as np
import pytest
import torch

from verify import ROOT
from verify.book import pinned_torch
from verify.chains import RECORDS
from verify.chains.machine import NAMES, Machine, all_warnings, follow, learn, mode, pack, starts
from verify.chains.releases import compare
from verify.chains.shorter import better
from verify.chains.values import ALIASES, SLICED, SLICES, STEPS, run, source
from verify.records import file_of

RELEASE = torch.__version__.partition("+")[0]
PINNED = pinned_torch(ROOT)


def recorded(release: str) -> dict:
    """Return the record of a release."""
    return json.loads(file_of(RECORDS, release).read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def each_warning():
    """Let each step warn, not the first one alone."""
    with all_warnings():
        yield


@pytest.fixture(scope="module")
def machine():
    """Return the machine of this release."""
    if RELEASE != PINNED:
        pytest.skip(f"not run: the machine is that of torch {PINNED}")
    return Machine(recorded(PINNED))


def differ(machine: Machine, chains) -> tuple[int, list]:
    """Run chains; return how many, and those of which the machine says something else."""
    number, wrong = 0, []
    for start, steps, no_grad in chains:
        said = machine.follow(start, steps, no_grad)
        if said is None:  # after a list or a number; such a step is not in the machine
            continue
        number += 1
        if said != follow(start, steps, no_grad):
            wrong.append((start, steps, no_grad, said, follow(start, steps, no_grad)))
    return number, wrong[:5]


def drawn(machine: Machine, number: int, lengths: range, seed: int):
    """Yield random chains; most of their steps do not raise."""
    random.seed(seed)
    places = list(starts())
    for _ in range(number):
        start, no_grad = random.choice(places), random.random() < 0.25
        steps, here = [], machine.data["start"][" ".join(start)]
        for _ in range(random.choice(lengths)):
            for step in random.sample(NAMES, len(NAMES)):
                found = machine.step(here, step, no_grad)
                if found is not None and (not isinstance(found, str) or random.random() < 0.05):
                    steps.append(step)
                    break
            else:
                break
            if isinstance(found, str):
                break
            here = found[0]
        yield start, steps, no_grad


@pytest.mark.parametrize("no_grad", [False, True])
def test_chains_of_one_step(machine, no_grad):
    number, wrong = differ(machine, ((x, [step], no_grad) for x in starts() for step in NAMES))
    assert not wrong and number >= 1400


@pytest.mark.parametrize("kind", ["plain", "parameter", "array", "images_last"])
def test_chains_of_two_steps(machine, kind):
    pairs = product(NAMES, NAMES)
    number, wrong = differ(machine, (((kind, "float32"), list(pair), False) for pair in pairs))
    assert not wrong and number >= 500


@pytest.mark.parametrize("seed", [0, 1])
def test_chains_of_three_steps(machine, seed):
    number, wrong = differ(machine, drawn(machine, 3000, range(3, 4), seed))
    assert not wrong and number == 3000


def test_longer_chains(machine):
    number, wrong = differ(machine, drawn(machine, 5000, range(4, 8), 2))
    assert not wrong and number == 5000


def values(value: object) -> object:
    """Return the values of a tensor, an array or a list."""
    return value.tolist() if isinstance(value, (torch.Tensor, np.ndarray, np.generic)) else value


def test_a_chain_with_the_same_result_has_it(machine):
    found = 0
    for start, steps, no_grad in drawn(machine, 150, range(2, 5), 3):
        chains = better(machine, start, tuple(steps), no_grad)
        if chains is None:
            continue
        with mode(no_grad):
            made = values(run(source(*start), steps))
            ended = follow(start, steps, no_grad)[0]
            for chain in chains:
                assert values(run(source(*start), chain.steps)) == made, (start, steps, chain)
                assert follow(start, list(chain.steps), no_grad)[0] == ended, (start, steps, chain)
                found += len(chain.steps) < len(steps)
        assert len(chains[0].steps) <= len(chains[1].steps) and chains[1].bytes <= chains[0].bytes
    assert found > 30


def test_rounding_is_not_the_same(machine):
    """Half precision and back loses digits, though the state of the result is that of a copy."""
    start, rounded = ("plain", "float32"), ("v.half()", "v.float()")
    assert better(machine, start, rounded, False)[0].steps == rounded
    assert better(machine, start, ("v.double()", "v.float()"), False)[0].steps != ("v.double()",)
    doubled = ("v * 2", "v.long()"), ("v.long()", "v * 2")
    assert all(better(machine, start, chain, False)[0].steps == chain for chain in doubled)


def as_written(code: str, step: str, start: tuple) -> tuple:
    """Return what the code of a step gives, and what the step of the machine gives."""
    names = {"torch": torch, "np": np, "nn": torch.nn, "copy": copy}
    compiled = compile(code, "<step>", "eval")
    STEPS["written"] = lambda v: eval(compiled, names, {"v": v})
    try:
        return follow(start, ["written"], False), follow(start, [step], False)
    finally:
        del STEPS["written"]


def test_another_way_to_write_a_step_is_the_same(machine):
    for written, step in ALIASES.items():
        for start in starts():
            if step in SLICES and start[0].startswith("images"):  # slices are not known of these
                continue
            seen, known = as_written(written, step, start)
            named = (re.sub("no attribute '.*'", "", str(found)) for found in (seen, known))
            assert len(set(named)) == 1, (written, start, seen, known)


def test_the_steps_are_what_they_are_called():
    for name in NAMES:
        for start in starts():
            seen, known = as_written(name, name, start)
            assert seen == known, (name, start)


def test_the_machine_is_what_is_learned_anew(machine):
    """Each start, each state and each step; some two minutes of one core."""
    made = json.loads(json.dumps(pack(learn())))
    different = [part for part in made if made[part] != machine.data[part]]
    assert not different, f"{different}: run `make chains`; `git diff evidence/chains` says in what"


def test_slices_are_known_of_a_contiguous_value_of_the_shape_of_x(machine):
    for number in range(len(machine.rows)):
        shape_and_strides = machine.state(number)[2][:2]
        for step in SLICES:
            known = machine.step(number, step, False) is not None
            assert not known or shape_and_strides == SLICED
    x = torch.arange(6).reshape(2, 3)
    for step, elements in SLICES.items():
        assert tuple(STEPS[step](x).flatten().tolist()) == elements


def test_a_difference_between_releases_is_found(machine):
    """Of a machine that names a node otherwise, the comparison names the steps that make it."""
    assert compare(machine.data, near=1)["differences"]["steps"] == []
    texts = [text.replace("CloneBackward0", "OtherBackward0") for text in machine.data["texts"]]
    found = compare(machine.data | {"texts": texts}, near=0)["differences"]
    assert found["words"] == ["the node is CloneBackward0"]
    clones = {step for step in NAMES if step.startswith("v.clone(")}
    assert {NAMES[step] for _, step, *_ in found["steps"]} >= clones


def test_what_this_release_does_otherwise_is_recorded():
    if not file_of(RECORDS, RELEASE).is_file() or RELEASE == PINNED:
        pytest.skip(f"not run: no comparison of torch {RELEASE} with {PINNED} is recorded")
    found = json.loads(json.dumps(compare(recorded(PINNED))))
    assert found.items() <= recorded(RELEASE).items()
