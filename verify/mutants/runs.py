"""The runs of a book under mutants, and what they gave."""

import contextlib
import gc
import importlib
import os
from collections import defaultdict
from collections.abc import Iterable

from verify.claims import Claim
from verify.mutants import harness
from verify.mutants.facts import Fact
from verify.mutants.harness import Job, Run, meets, slow_kind
from verify.mutants.left import LEFT


class Runs:
    """What became of claims, without a mutant and under mutants.

    `killers` holds for each claim the mutants that break it, and the numbers of the facts broken;
    `caught` for each mutant the claims; `problems` what is wrong with the runs themselves.
    """

    def __init__(self, claims: list[Claim], processes: int):
        """Import once, for all forks, what notebooks import, and read the cells of the claims."""
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the stored outputs are those of the CPU
        import matplotlib.pyplot  # noqa: F401
        import torch
        import torch._dynamo
        from torch._inductor.runtime.cache_dir_utils import default_cache_dir

        # Compiled kernels stay from fork to fork, though each has a temporary folder of its own.
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", default_cache_dir())
        torch.set_num_threads(1)  # the processes run side by side
        self.processes = processes
        self.shell = harness.make_shell()
        harness.read_ahead(self.shell, claims)
        self.killers: dict[str, dict[str, list[int]]] = defaultdict(dict)
        self.caught: dict[str, list[str]] = defaultdict(list)
        self.met: dict[str, set[str]] = defaultdict(set)
        self.problems: list[str] = []
        self.number = 0

    def without_mutants(self, claims: list[Claim], mutants: list[str]) -> list[Job]:
        """Run claims as they are; return the runs of those that use what a mutant replaces."""
        jobs = []
        for run in harness.without_mutants(self.shell, claims, mutants, self.processes):
            self.problems += [f"error: {run.problem}"] if run.problem else []
            jobs += [job for name in mutants if (job := self.job(name, run))]
            for name in run.imported:
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        gc.collect()
        gc.freeze()  # a collection in a fork would copy the memory of this process
        return jobs

    def job(self, mutant: str, run: Run) -> Job | None:
        """Return the run under a mutant of what it touches and has not met, if there is any."""
        claims = [
            claim
            for claim in run.job.claims
            if mutant in run.touched[claim.id]
            and mutant not in self.met[claim.id]
            and meets(mutant, claim)
        ]
        return Job(mutant, run.job.notebook, claims) if claims else None

    def under_mutants(self, jobs: Iterable[Job]) -> None:
        """Do the runs and keep what they gave."""
        jobs = list(jobs)
        for run in harness.run_all(self.shell, jobs, self.processes):
            self.number += 1
            self.problems += [run.problem] if run.problem else []
            for claim in run.job.claims:
                self.met[claim.id].add(run.job.mutant)
            for id in run.failed:
                self.killers[id][run.job.mutant] = sorted(run.noted[id])
                self.caught[run.job.mutant].append(id)

    def facts(self, claim: Claim) -> list[Fact]:
        """Return the facts of a claim that a mutant may break."""
        usual = harness.USUAL.get(claim.id, {})
        found = harness.FACTS.get(claim.id, [])
        return [fact for fact in found if not fact.is_label(usual.get(fact.number, []))]

    def unbroken(self, claim: Claim) -> list[Fact]:
        """Return the facts of a claim that no mutant has broken so far."""
        broken = set().union(*self.killers[claim.id].values())
        return [fact for fact in self.facts(claim) if fact.number not in broken]

    def unsettled(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return the claims of which something was not seen to fail, and should be."""
        return [
            claim
            for claim in claims
            if not self.killers[claim.id]
            or (needs_reasons(claim) and any(not reason(claim, f) for f in self.unbroken(claim)))
        ]

    def missed(self, mutants: Iterable[str]) -> list[str]:
        """Return the mutants under which no claim has failed."""
        return [name for name in mutants if not self.caught[name]]


def reason(claim: Claim, fact: Fact) -> str | None:
    """Return why no mutant breaks a fact, if somebody has said so."""
    return LEFT.get(claim.id, {}).get(fact.code)


def needs_reasons(claim: Claim) -> bool:
    """Tell whether each fact must fail or have a reason: the benchmarks meet few mutants."""
    return slow_kind(claim) != "benchmarks"
