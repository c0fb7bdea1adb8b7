"""Runs the properties of claims under mutants: one that holds whatever PyTorch does says nothing.

A property meets the mutants that break its claim first, then the others that break a claim of its
chapter, until one of them breaks it: most are broken by the first. Examples that cannot be made
under a mutant do not count.
"""

import multiprocessing
import os
import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from typing import Protocol

from verify.mutants import changes

EXAMPLES = 20
TIME_LIMIT = 120  # seconds for some properties under one mutant


class Property(Protocol):
    """What tests/properties registers."""

    claim: str
    name: str

    def run(self, examples: int) -> str | None:
        """Return why it fails on one of so many examples, or None."""


def in_fork(mutant: str, properties: list[Property], pipe) -> None:
    """Run properties under a mutant, under none if it has no name; send what came out so far."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(TIME_LIMIT)
    if mutant:
        changes.apply(mutant)
    broken = {}
    for property in properties:
        try:
            if reason := property.run(EXAMPLES):
                broken[property.name] = reason
        except Exception as error:
            if not mutant:
                broken[property.name] = f"{type(error).__name__}: {error}"
    pipe.send(broken)


def run_all(jobs: dict[str, list[Property]], processes: int) -> Iterator[tuple[str, dict]]:
    """Yield each mutant with the properties that it breaks, and why; none where a process dies."""
    context = multiprocessing.get_context("fork")
    waiting, running = iter(jobs.items()), {}
    for _ in jobs:
        while len(running) < processes and (job := next(waiting, None)):
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=in_fork, args=(*job, there))
            process.start()
            there.close()
            running[here] = job[0], process
        here = wait(running)[0]
        mutant, process = running.pop(here)
        try:
            yield mutant, here.recv()
        except EOFError:
            yield mutant, {}
        here.close()
        process.join()


def survivors(
    properties: Iterable[Property],
    killers: dict[str, list[str]],
    processes: int = os.cpu_count() or 1,
) -> tuple[list[str], list[Property]]:
    """Return what is wrong without a mutant, and the properties that no mutant breaks.

    `killers` holds the mutants that break each claim.
    """
    alive = {property.name: property for property in properties}
    by_chapter = defaultdict(list)
    for property in alive.values():
        by_chapter[chapter_of(property.claim)].append(property)
    wrong = []
    for group in by_chapter.values():
        for _, broken in run_all({"": group}, processes):
            wrong += [f"{name} fails under no mutant: {reason}" for name, reason in broken.items()]
    # First one mutant at a time, for most properties need no second one; then all the others.
    todo = {name: list(killers.get(property.claim, [])) for name, property in alive.items()}
    while jobs := next_jobs(alive, todo):
        drop_broken(alive, jobs, processes)
    drop_broken(alive, jobs_of_chapters(alive, killers), processes)
    return wrong, list(alive.values())


def drop_broken(alive: dict[str, Property], jobs: dict[str, list], processes: int) -> None:
    """Run jobs; what a mutant breaks is no longer alive."""
    for _, broken in run_all(jobs, processes):
        for name in broken:
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
    """Return for each mutant the properties whose claim it leaves, in chapters where it breaks one."""
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
