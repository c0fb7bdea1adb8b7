"""Run the book against PyTorch with one behavior changed at a time: `make mutants`.

A claim that holds whatever PyTorch does proves nothing. Every claim must fail under at least one
mutant of the catalogue, and every mutant must make a claim fail. So must every property of a claim
(tests/properties), and every fact of a proof, each part of an assertion and each value printed,
unless left.py gives the reason why none breaks it.
"""

import argparse
import contextlib
import gc
import importlib
import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

from verify import ROOT, files
from verify.claims import Claim, claims_of
from verify.mutants import catalogue  # noqa: F401 (it registers the mutants)
from verify.mutants.changes import MUTATIONS
from verify.mutants.harness import (
    FACTS,
    USUAL,
    Job,
    make_shell,
    meets,
    read_ahead,
    run_all,
    slow_kind,
    without_mutants,
)
from verify.mutants.left import LEFT
from verify.mutants.properties import survivors as unbroken_properties

# A mutant under which more claims fail than this, and than a third of all, breaks too much.
TOO_MANY = 20


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants; return 1 if a claim survives them all or a mutant is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of the names of mutants; all if none")
    parser.add_argument("--chapter", help="only the claims of this chapter")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--record", type=Path, help="write which mutant breaks which claim (JSON)")
    parser.add_argument("--facts", type=Path, help="list the facts that no mutant breaks")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that holds book/")
    parser.add_argument("-n", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args(arguments)
    chosen = [n for n in MUTATIONS if not options.names or any(p in n for p in options.names)]
    if options.list:
        print(*chosen, sep="\n")
        return 0
    start = time.perf_counter()
    claims = [
        claim
        for claim in claims_of(options.root)
        if not claim.proof.gpu and options.chapter in (None, claim.notebook.name)
    ]
    if not claims or not chosen:
        print(f"error: there are {len(claims)} such claims and {len(chosen)} such mutants")
        return 2
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the stored outputs are those of the CPU
    # Imported once, here, for all the forks; later also what the notebooks are seen to import.
    import matplotlib.pyplot  # noqa: F401
    import torch
    import torch._dynamo
    from torch._inductor.runtime.cache_dir_utils import default_cache_dir

    # Compiled kernels stay from fork to fork, though each has a temporary folder of its own.
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", default_cache_dir())
    torch.set_num_threads(1)  # the processes run side by side
    shell = make_shell()
    read_ahead(shell, claims)
    print(f"{len(claims)} claims, {len(chosen)} mutants", flush=True)
    todo = []
    for run in without_mutants(shell, claims, chosen, options.n):
        if run.problem:
            print(f"error: {run.problem}")
            return 1
        for name in chosen:
            found = [
                claim
                for claim in run.job.claims
                if name in run.touched[claim.id] and meets(name, claim)
            ]
            if found:
                todo.append(Job(name, run.job.notebook, found))
        for name in run.imported:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy the memory of this process
    killers, caught, problems = defaultdict(list), defaultdict(list), []
    broken = defaultdict(set)  # the numbers of the facts of a claim
    for run in run_all(shell, todo, options.n):
        problems += [run.problem] if run.problem else []
        for claim in run.failed:
            killers[claim].append(run.job.mutant)
            caught[run.job.mutant].append(claim)
            broken[claim] |= run.noted[claim]
    for name in chosen:
        print(f"{len(caught[name]):4} claims fail under: {name}")
    survivors = [claim.id for claim in claims if not killers[claim.id]]
    missed = [name for name in chosen if not caught[name]]
    if not options.names:
        problems += [f"survives every mutant: {id}" for id in survivors]
    if not options.chapter:
        problems += [f"not caught by any claim: {name}" for name in missed]
        broad = max(TOO_MANY, len(claims) // 3)
        problems += [f"breaks too much: {name}" for name in chosen if len(caught[name]) > broad]
    facts = {
        id: [fact for fact in found if not fact.is_label(USUAL.get(id, {}).get(fact.number, []))]
        for id, found in FACTS.items()
    }
    if not options.names:
        unbroken = [
            (id, fact.code)
            for id, found in facts.items()
            for fact in found
            if fact.number not in broken[id]
        ]
        unexplained = report_facts(sum(map(len, facts.values())), unbroken, options.facts)
        meet_few = tuple(f"{claim.id}: " for claim in claims if slow_kind(claim) == "benchmarks")
        problems += [f"fails under no mutant, and has no reason (verify/mutants/left.py): {fact}"
                     for fact in unexplained if not fact.startswith(meet_few)]  # fmt: skip
        known = {(id, code) for id in facts for code in LEFT.get(id, {})}
        problems += [f"has no need of a reason (verify/mutants/left.py): {id}: {code}"
                     for id, code in sorted(known.difference(unbroken))]  # fmt: skip
    held = properties_of(claims) if options.root == ROOT else []
    if held and not options.names:
        wrong, unbroken = unbroken_properties(held, killers, options.n)
        problems += wrong
        problems += [f"survives every mutant: {found.name} ({found.claim})" for found in unbroken]
        print(f"{len(held) - len(unbroken)} of {len(held)} properties fail under a mutant")
    print(*problems, sep="\n", end="\n" * bool(problems))
    if options.record:
        order = list(MUTATIONS).index
        record = {claim: sorted(names, key=order) for claim, names in sorted(killers.items())}
        files.replace(options.record, json.dumps(record, indent=1) + "\n")
    print(f"{len(claims) - len(survivors)} of {len(claims)} claims fail under a mutant; "
          f"{len(chosen) - len(missed)} of {len(chosen)} mutants are caught; "
          f"{len(todo)} runs, {time.perf_counter() - start:.0f} s")  # fmt: skip
    return int(bool(problems))


def report_facts(total: int, unbroken: list[tuple[str, str]], file: Path | None) -> list[str]:
    """Say how many facts no mutant breaks, and why; return those without a reason."""
    print(f"{total - len(unbroken)} of {total} facts of the claims fail under a mutant")
    reasons = [(id, code, LEFT.get(id, {}).get(code)) for id, code in unbroken]
    for id, code, reason in reasons:
        if reason:
            print(f"     none breaks {id}: {code}\n          {reason}")
    unexplained = [f"{id}: {code}" for id, code, reason in reasons if not reason]
    print(f"{len(unbroken) - len(unexplained)} have a reason, {len(unexplained)} have none")
    if file:
        file.write_text("".join(f"{line}\n" for line in unexplained), encoding="utf-8")
    return unexplained


def properties_of(claims: list[Claim]) -> list:
    """Return the properties of these claims."""
    from tests.properties.holds import properties  # needs Hypothesis, and imports torch

    found = properties()
    return [one for claim in claims for one in found.get(claim.id, [])]


if __name__ == "__main__":
    sys.exit(main())
