"""Run the book against PyTorch with one behavior changed at a time: `make mutants`.

A claim that holds whatever PyTorch does proves nothing. Every claim must fail under at least one
mutant of the catalogue, and every mutant must make a claim fail. So must every property of a claim
(tests/properties), and every fact of a proof, each part of an assertion and each value printed,
unless left.py gives the reason why none breaks it.

The record of an earlier run (evidence/mutants.json) says which runs settle something. These come
first, and only what they leave open meets all mutants: what is new, and what no longer fails.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from verify import ROOT, evidence, files
from verify.claims import Claim, claims_of
from verify.mutants import catalogue  # noqa: F401 (it registers the mutants)
from verify.mutants.changes import MUTATIONS
from verify.mutants.left import LEFT
from verify.mutants.plan import Record, first_runs
from verify.mutants.properties import survivors as unbroken_properties
from verify.mutants.runs import Runs, needs_reasons, reason

# A mutant under which more claims fail than this, and than a third of all, breaks too much.
TOO_MANY = 20
PLACE = "verify/mutants/left.py"  # of the reasons


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants; return 1 if a claim survives them all or a mutant is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of the names of mutants; all if none")
    parser.add_argument("--chapter", help="only the claims of this chapter")
    parser.add_argument("--all", action="store_true", help="do every run, whatever is on record")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--record", type=Path, help="bring a record of what breaks what up to date")
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
    runs = Runs(claims, options.n)
    print(f"{len(claims)} claims, {len(chosen)} mutants", flush=True)
    whole = bool(options.all or options.names)
    todo = runs.without_mutants(claims, chosen if whole else [])
    if runs.problems:
        print(*runs.problems, sep="\n")
        return 1
    record = evidence.load_mutants(options.root / "evidence") or {}
    if not whole:
        runs.under_mutants(first_runs(record, claims, chosen))
        todo = runs.without_mutants(runs.unsettled(claims), chosen)
    runs.under_mutants(todo)
    if not (whole or options.chapter) and (missed := runs.missed(chosen)):
        runs.under_mutants(runs.without_mutants(claims, missed))
    well = report(runs, claims, chosen, record, options)
    print(f"{runs.number} runs, {time.perf_counter() - start:.0f} s")
    if options.record:
        write_record(options.record, runs, claims, claims_of(options.root))
    return int(not well)


def report(runs: Runs, claims: list[Claim], mutants: list[str], known: Record, options) -> bool:
    """Print what was found; tell whether all is well. `known` is the record."""
    problems, everything = list(runs.problems), not options.names
    for name in mutants:
        print(f"{len(runs.caught[name]):4} claims fail under: {name}")
    survivors = [claim.id for claim in claims if not runs.killers[claim.id]]
    missed = runs.missed(mutants)
    if everything:
        problems += [f"survives every mutant: {id}" for id in survivors]
        problems += report_facts(runs, claims, options.facts)
    if not options.chapter:
        problems += [f"not caught by any claim: {name}" for name in missed]
        broad = max(TOO_MANY, len(claims) // 3)
        problems += [
            f"breaks too much: {name}" for name in mutants if len(runs.caught[name]) > broad
        ]
    held = properties_of(claims) if options.root == ROOT and everything else []
    if held:
        met = {claim.id: known.get(claim.id, {}) | runs.killers[claim.id] for claim in claims}
        killers = {id: [name for name in found if name in MUTATIONS] for id, found in met.items()}
        wrong, unbroken = unbroken_properties(held, killers, options.n)
        problems += wrong
        problems += [f"survives every mutant: {found.name} ({found.claim})" for found in unbroken]
        print(f"{len(held) - len(unbroken)} of {len(held)} properties fail under a mutant")
    print(*problems, sep="\n", end="\n" * bool(problems))
    print(f"{len(claims) - len(survivors)} of {len(claims)} claims fail under a mutant; "
          f"{len(mutants) - len(missed)} of {len(mutants)} mutants are caught")  # fmt: skip
    return not problems


def report_facts(runs: Runs, claims: list[Claim], file: Path | None) -> list[str]:
    """Say how many facts no mutant breaks, and why; return what is wrong with that."""
    facts = {claim.id: runs.facts(claim) for claim in claims}
    unbroken = [(claim, fact) for claim in claims for fact in runs.unbroken(claim)]
    total = sum(map(len, facts.values()))
    print(f"{total - len(unbroken)} of {total} facts of the claims fail under a mutant")
    unexplained = []
    for claim, fact in unbroken:
        if why := reason(claim, fact):
            print(f"     none breaks {claim.id}: {fact.code}\n          {why}")
        else:
            unexplained.append((claim, fact))
    print(f"{len(unbroken) - len(unexplained)} have a reason, {len(unexplained)} have none")
    if file:
        lines = [f"{claim.id}: {fact.code}\n" for claim, fact in unexplained]
        file.write_text("".join(lines), encoding="utf-8")
    known = {(id, code) for id in facts for code in LEFT.get(id, {})}
    needless = known.difference((claim.id, fact.code) for claim, fact in unbroken)
    return [
        *(
            f"fails under no mutant, and has no reason ({PLACE}): {claim.id}: {fact.code}"
            for claim, fact in unexplained
            if needs_reasons(claim)
        ),
        *(f"has no need of a reason ({PLACE}): {id}: {code}" for id, code in sorted(needless)),
    ]


def write_record(file: Path, runs: Runs, claims: list[Claim], book: list[Claim]) -> None:
    """Write which mutants break each claim, and which of its facts; keep what was not run."""
    known = evidence.load_mutants(file.parent, file.name) or {}
    there = {claim.id for claim in book}
    kept = {id: found for id, found in known.items() if id in there}
    for claim in claims:
        before = kept.get(claim.id, {}).items()
        not_run = {name: facts for name, facts in before if name not in runs.met[claim.id]}
        kept[claim.id] = not_run | runs.killers[claim.id]
    order = list(MUTATIONS)
    lines = []
    for id in sorted(kept):
        pairs = [(name, kept[id][name]) for name in order if name in kept[id]]
        listed = ",\n".join(f"  {json.dumps(name)}: {facts}" for name, facts in pairs)
        lines.append(f" {json.dumps(id)}: {{\n{listed}\n }}")
    files.replace(file, "{\n" + ",\n".join(lines) + "\n}\n")


def properties_of(claims: list[Claim]) -> list:
    """Return the properties of these claims."""
    from tests.properties.holds import properties  # needs Hypothesis, and imports torch

    found = properties()
    return [one for claim in claims for one in found.get(claim.id, [])]


if __name__ == "__main__":
    sys.exit(main())
