"""Chooses the runs that come first: those that settled something when all runs were recorded.

Each claim, each fact and each mutant needs one run that breaks or catches it, and most runs break
only what others break as well.
"""

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from verify.claims import Claim
from verify.mutants.harness import Job, meets, slow_kind

Record = dict[str, dict[str, list[int]]]  # for each claim the mutants that break it: which facts
SLOW = 20  # so many times as long as others takes a run of a claim that is slow to prove


class Candidate(NamedTuple):
    """A run that may come first, and what it settles for each of its claims."""

    mutant: str
    slow: bool
    claims: list[tuple[Claim, set]]

    def gain(self, settled: set) -> float:
        """Return how much is settled that was not, for its cost."""
        new = set().union(*(what for _, what in self.claims)) - settled
        return len(new) / (SLOW if self.slow else 1)


def first_runs(record: Record, claims: Iterable[Claim], mutants: Iterable[str]) -> Iterator[Job]:
    """Yield runs that settle what is on record; each is the one that settles most at the time."""
    known = set(mutants)
    found: dict[tuple, Candidate] = {}
    for claim in claims:
        kind = slow_kind(claim)
        for mutant, facts in record.get(claim.id, {}).items():
            if mutant in known and meets(mutant, claim):
                key = mutant, claim.notebook.path, kind
                candidate = found.setdefault(key, Candidate(mutant, bool(kind), []))
                settles = {mutant, claim.id, *((claim.id, number) for number in facts)}
                candidate.claims.append((claim, settles))
    settled: set = set()
    candidates = list(found.values())
    heap = [(-candidate.gain(settled), number) for number, candidate in enumerate(candidates)]
    heapq.heapify(heap)
    while heap:
        _, number = heapq.heappop(heap)
        candidate = candidates[number]
        gain = candidate.gain(settled)  # smaller than it was, if others have settled some of it
        if heap and gain < -heap[0][0]:
            heapq.heappush(heap, (-gain, number))
        elif gain:
            chosen = []
            for claim, what in candidate.claims:
                if what - settled:
                    chosen.append(claim)
                    settled |= what
            yield Job(candidate.mutant, chosen[0].notebook, chosen)
