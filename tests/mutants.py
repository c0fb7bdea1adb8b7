"""Run the book against PyTorch with one behavior changed at a time: `make mutants`.

A claim that holds whatever PyTorch does proves nothing. Each mutant of mutations.py changes one
behavior; every claim must fail under at least one of them, and every mutant must make a claim fail.
torch is imported once; each run of a notebook is a fork of that process with one change made.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from claims import Claim, claims_of
from gate import Notebook, text
from mutations import MUTATIONS

ROOT = Path(__file__).parent.parent
TIME_LIMIT = 60  # seconds for one notebook under one mutant
# Benchmarks take seconds a run: they meet only the mutants that are marked for them.
SLOW = "benchmarks"


class Run(NamedTuple):
    """What one notebook did under one mutant: the claims that failed, with the reason."""

    mutant: str
    notebook: str
    failed: dict[str, str]
    uncounted: dict[str, str]  # failed too, but a cell that their proof needs had failed before
    seconds: float


def stored(cell) -> list[str]:
    """Return the comparable parts of a cell's stored outputs: text, and no pictures."""
    printed = "".join(text(o["text"]) for o in cell.outputs if o["output_type"] == "stream")
    shown = [text(data.get("text/html", data.get("text/plain", ""))) for data in cell.bundles()
             if "image/png" not in data]  # fmt: skip
    return [printed.replace(", device='cuda:0'", ""), *shown]


def run_cell(shell, cell) -> tuple[list[str], BaseException | None]:
    """Run a cell in IPython; return what it showed in the form of `stored`, and its error."""
    from IPython.utils.capture import capture_output

    with capture_output() as captured:
        result = shell.run_cell(cell.source, store_history=False)
    data = [output.data for output in captured.outputs if "image/png" not in output.data]
    shown = [text(bundle.get("text/html", bundle.get("text/plain", ""))) for bundle in data]
    return [captured.stdout, *shown], result.error_before_exec or result.error_in_exec


def run_notebook(job: tuple[str, Notebook, list[Claim]]) -> tuple:
    """Run a notebook under a mutant, in a process of its own; return the fields of a `Run`."""
    mutant, notebook, claims = job
    start = time.perf_counter()
    from IPython.core.interactiveshell import InteractiveShell

    signal.signal(signal.SIGALRM, lambda *_: os._exit(3))
    signal.alarm(TIME_LIMIT)
    InteractiveShell.history_load_length = 0
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    if mutant:
        MUTATIONS[mutant].apply()
    by_proof = {claim.proof.id: claim for claim in claims}
    broken, failed, uncounted = set(), {}, {}
    for cell in notebook.code:
        if cell.gpu:
            continue
        now, error = run_cell(shell, cell)
        claim = by_proof.get(cell.id)
        reason = None
        if error is not None:
            broken.add(cell.id)
            reason = f"{type(error).__name__}: {error}".split("\n")[0][:120]
        elif now != stored(cell):
            reason = "another output"
        if claim and reason:
            needed = any(need.id in broken for need in claim.needs)
            (uncounted if needed else failed)[claim.id] = reason
    # A plain tuple: IPython has put another module in the place of __main__, where Run is defined.
    return mutant, notebook.name, failed, uncounted, time.perf_counter() - start


def jobs(names: list[str], claims: list[Claim]) -> list[tuple[str, Notebook, list[Claim]]]:
    """Pair mutants with notebooks; the slow notebooks only with mutants marked for them."""
    by_notebook = defaultdict(list)
    for claim in claims:
        by_notebook[claim.notebook.path].append(claim)
    return [
        (name, found[0].notebook, found)
        for name in names
        for path, found in by_notebook.items()
        if SLOW not in path or not name or MUTATIONS[name].benchmarks
    ]


def run_all(todo: list[tuple], processes: int) -> list[Run]:
    """Run jobs side by side, each in a fork of this process, with progress on the terminal."""
    runs = []
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, maxtasksperchild=1) as pool:
        for number, run in enumerate(pool.imap_unordered(run_notebook, todo), 1):
            runs.append(Run(*run))
            if sys.stderr.isatty() or number % 100 == 0 or number == len(todo):
                print(f"\r{number} of {len(todo)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return runs


def main() -> int:
    """Run the mutants; return 1 if a claim survives them all or a mutant is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of the names of mutants; all if none")
    parser.add_argument("--chapter", help="only the claims of this chapter")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--record", type=Path, help="write which mutant breaks which claim (JSON)")
    parser.add_argument("-n", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    chosen = [n for n in MUTATIONS if not options.names or any(p in n for p in options.names)]
    if options.list:
        print(*chosen, sep="\n")
        return 0
    start = time.perf_counter()
    claims = [
        claim
        for claim in claims_of(ROOT)
        if not claim.proof.gpu and options.chapter in (None, claim.notebook.name)
    ]
    import matplotlib.pyplot  # noqa: F401  imported once, here, for all the forks
    import torch  # noqa: F401

    print(f"{len(claims)} claims, {len(chosen)} mutants")
    for run in run_all(jobs([""], claims), options.n):
        if run.failed or run.uncounted:
            print(f"error: {run.notebook} fails without any mutant: {run.failed | run.uncounted}")
            return 1
    killers, caught = defaultdict(list), defaultdict(list)
    for run in run_all(jobs(chosen, claims), options.n):
        for claim, reason in run.failed.items():
            killers[claim].append(run.mutant)
            caught[run.mutant].append((claim, reason))
    for name in chosen:
        print(f"{len(caught[name]):4} claims fail under: {name}")
    survivors = [claim.id for claim in claims if not killers[claim.id]]
    missed = [name for name in chosen if not caught[name]]
    partial = bool(options.names)
    print(*(f"survives every mutant: {name}" for name in survivors if not partial), sep="\n")
    print(*(f"not caught by any claim: {name}" for name in missed), sep="\n")
    if options.record:
        order = {name: number for number, name in enumerate(MUTATIONS)}
        record = {claim: sorted(names, key=order.get) for claim, names in sorted(killers.items())}
        options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    seconds = time.perf_counter() - start
    print(f"{len(claims) - len(survivors)} of {len(claims)} claims fail under a mutant; "
          f"{len(chosen) - len(missed)} of {len(chosen)} mutants are caught; {seconds:.0f} s")  # fmt: skip
    return int(bool(missed) or bool(survivors and not partial))


if __name__ == "__main__":
    sys.exit(main())
