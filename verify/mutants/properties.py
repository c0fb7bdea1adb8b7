"""Runs the properties of claims under mutants: one that holds whatever PyTorch does says nothing.

A property meets the mutants that break its claim first, then the others that break a claim of its
chapter, until one of them breaks it: most are broken by the first. Examples that cannot be made
under a mutant do not count.
"""

import multiprocessing
import os
import signal
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from typing import Protocol

from verify.mutants import changes

EXAMPLES = 20
TIME_LIMIT = 60  # seconds for one property under one mutant


class Property(Protocol):
    """What tests/properties registers."""

    claim: str
    name: str

    def run(self, examples: int) -> str | None:
        """Return why it fails on one of so many examples, or None."""


def in_fork(mutant: str, properties: list[Property], pipe) -> None:
    """Run properties under a mutant; send for each why it fails, or None."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    warnings.simplefilter("ignore")  # a property that speaks of them records them itself
    changes.apply(mutant)
    for property in properties:
        signal.alarm(TIME_LIMIT)
        try:
            reason = property.run(EXAMPLES)
        except Exception:  # an example cannot be made
            reason = None
        pipe.send(reason)


def run_all(jobs: dict[str, list[Property]], processes: int) -> Iterator[str]:
    """Yield the names of the properties that break; a job is a mutant and some properties."""
    context = multiprocessing.get_context("fork")
    waiting, running = list(jobs.items()), {}
    while waiting or running:
        while waiting and len(running) < processes:
            mutant, properties = waiting.pop(0)
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=in_fork, args=(mutant, properties, there))
            process.start()
            there.close()
            running[here] = mutant, list(properties), process
        for here in wait(list(running)):
            mutant, left, process = running[here]
            try:
                if here.recv() is not None:
                    yield left[0].name
            except EOFError:  # it is done, or has died with the first of those that are left
                here.close()
                process.join()
                del running[here]
                waiting += [(mutant, left[1:])] if left[1:] else []
            else:
                del left[0]


def survivors(
    properties: Iterable[Property],
    killers: dict[str, list[str]],
    processes: int = os.cpu_count() or 1,
) -> tuple[list[str], list[Property]]:
    """Return what is wrong without a mutant, and the properties that no mutant breaks.

    `killers` holds the mutants that break each claim.
    """
    alive = {property.name: property for property in properties}
    # In this process, so that each fork finds Hypothesis and the examples ready.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reasons = {name: property.run(EXAMPLES) for name, property in alive.items()}
    wrong = [
        f"{name} fails under no mutant: {reason}" for name, reason in reasons.items() if reason
    ]
    # First one mutant at a time, for most properties need no second one; then all the others.
    todo = {name: list(killers.get(property.claim, [])) for name, property in alive.items()}
    while jobs := next_jobs(alive, todo):
        drop_broken(alive, jobs, processes)
    drop_broken(alive, jobs_of_chapters(alive, killers), processes)
    return wrong, list(alive.values())


def drop_broken(alive: dict[str, Property], jobs: dict[str, list], processes: int) -> None:
    """Run jobs; what a mutant breaks is no longer alive."""
    for name in run_all(jobs, processes):
        alive.pop(name, None)


def next_jobs(alive: dict[str, Property], todo: dict[str, list[str]]) -> dict[str, list[Property]]:
    """Take the next mutant of each property that is left; return the properties by mutant."""
    jobs = defaultdict(list)
    for name, property in alive.items():
        if todo[name]:
            jobs[todo[name].pop(0)].append(property)
    return dict(jobs)


def jobs_of_chapters(
    alive: dict[str, Property], killers: dict[str, list[str]]
) -> dict[str, list[Property]]:
    """Return for each mutant the properties of chapters in which it breaks another claim."""
    jobs = defaultdict(list)
    for property in alive.values():
        chapter = chapter_of(property.claim)
        others = {name for id in killers if chapter_of(id) == chapter for name in killers[id]}
        for mutant in sorted(others.difference(killers.get(property.claim, []))):
            jobs[mutant].append(property)
    return dict(jobs)


def chapter_of(claim: str) -> str:
    """Return the chapter of a claim."""
    return claim.partition(".")[0]
