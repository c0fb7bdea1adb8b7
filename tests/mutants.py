"""Run the book against PyTorch with one behavior changed at a time: `make mutants`.

A claim that holds whatever PyTorch does proves nothing. Each mutant of mutations.py changes one
behavior; every claim must fail under at least one of them, and every mutant must make a claim fail.
A failure counts only if the cells that the proof needs still run: a mutant that breaks everything
shows nothing. torch is imported once; each run of a notebook is a fork of that process with one
change made. It runs the proofs that use what the mutant replaces, and the cells that they need.
"""

import argparse
import contextlib
import functools
import gc
import importlib
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import NamedTuple

import mutations
from cells import is_snippet
from claims import Claim, Names, claims_of
from gate import Cell, Notebook, text
from mutations import MUTATIONS

ROOT = Path(__file__).parent.parent
TIME_LIMIT = 300  # seconds for one notebook under one mutant
# A mutant under which more claims fail than this, and than a third of all, breaks too much.
TOO_MANY = 20
# Benchmarks take seconds a run: they meet only the mutants that are marked for them.
SLOW = "benchmarks"


class Job(NamedTuple):
    """A notebook to run under a mutant; with an empty name under none."""

    mutant: str
    notebook: Notebook
    claims: list[Claim]
    watched: list[str] = []  # mutants to look out for: would they make a difference?


class Run(NamedTuple):
    """What a job gave: the claims that failed, with the reason."""

    job: Job
    failed: dict[str, str]
    uncounted: dict[str, str]  # failed too, but a cell that their proof needs had failed before
    touched: dict[str, set[str]]  # for each claim the mutants watched that replace what it uses
    imported: list[str]  # modules of torch that were not there before
    crashed: bool = False

    @property
    def problem(self) -> str | None:
        """Say what is wrong if no mutant was there, or if the process died."""
        name = f"{self.job.notebook.name} under {self.job.mutant or 'no mutant'}"
        if self.crashed:
            return f"{name}: the process died, or took more than {TIME_LIMIT} s"
        found = self.failed | self.uncounted
        return f"{name}: {found}" if found and not self.job.mutant else None


def stored(cell: Cell) -> list[str]:
    """Return the comparable parts of a cell's stored outputs: text, and no pictures."""
    printed = "".join(text(o["text"]) for o in cell.outputs if o["output_type"] == "stream")
    return [printed, *shown(cell.bundles())]


def shown(bundles) -> list[str]:
    """Return the text of the displays and results that are no bitmaps."""
    kept = (data for data in bundles if "image/png" not in data)
    return [text(data.get("text/html", data.get("text/plain", ""))) for data in kept]


def make_shell():
    """Return an IPython shell that keeps no history: its thread would not survive a fork."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.showtraceback = lambda *args, **options: None  # takes longer than most notebooks
    return shell


def read_ahead(shell, notebooks: list[Notebook]) -> None:
    """Parse every cell and run the snippets once, here, for all the forks."""
    sources = {cell.source: cell for notebook in notebooks for cell in notebook.code}
    shell.transform_cell = functools.cache(shell.transform_cell)
    parse, trees = shell.compile.ast_parse, {}
    for source, cell in sources.items():
        transformed = shell.transform_cell(source)
        with contextlib.suppress(SyntaxError):
            trees[transformed] = parse(transformed)
        if is_snippet(source):  # it only defines helpers: no mutant can change that
            _, error = run_cell(shell, cell)
            if error is not None:
                raise error
    shell.compile.ast_parse = lambda source, *args, **options: (
        trees.get(source) or parse(source, *args, **options)
    )


def run_cell(shell, cell: Cell) -> tuple[list[str], BaseException | None]:
    """Run a cell; return what it showed in the form of `stored`, and its error."""
    from IPython.utils.capture import capture_output

    with capture_output() as captured:
        result = shell.run_cell(cell.source, store_history=False)
    seen = [captured.stdout, *shown(output.data for output in captured.outputs)]
    return seen, result.error_before_exec or result.error_in_exec


def run_notebook(shell, job: Job) -> tuple[dict, dict, dict]:
    """Run the proofs of a job and what they need; return `failed`, `uncounted` and `touched`."""
    claim_of = {claim.proof.id: claim for claim in job.claims}
    wanted = set(claim_of).union(*({cell.id for cell in claim.needs} for claim in job.claims))
    broken, failed, uncounted, used, touched = set(), {}, {}, {}, {}
    find_used = mutations.watch(job.watched) if job.watched else set
    for cell in job.notebook.code:
        if cell.id not in wanted or cell.gpu or is_snippet(cell.source):
            continue
        seen, error = run_cell(shell, cell)
        used[cell.id] = find_used()
        reason = None
        if error is not None:
            broken.add(cell.id)
            reason = f"{type(error).__name__}: {error}".split("\n")[0][:120]
        elif seen != stored(cell):
            reason = "another output"
        if claim := claim_of.get(cell.id):
            needed = (used.get(need.id, set()) for need in claim.needs)
            touched[claim.id] = used[cell.id].union(*needed)
            if reason:
                without_base = any(
                    need.id in broken and (need.id not in claim_of or gives_names(need, cell))
                    for need in claim.needs
                )
                (uncounted if without_base else failed)[claim.id] = reason
    return failed, uncounted, touched


def gives_names(cell: Cell, proof: Cell) -> bool:
    """Tell whether a cell defines a name that the proof takes from outside."""
    return not Names(cell.tree).defined.isdisjoint(Names(proof.tree).free)


def in_fork(shell, job: Job, pipe) -> None:
    """Do a job and send what it gave. The process ends with it, or by the alarm."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(TIME_LIMIT)
    before = set(sys.modules)
    if job.mutant:
        mutations.apply(job.mutant)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        result = run_notebook(shell, job)
        os.chdir(ROOT)
    imported = [name for name in sys.modules if name.startswith("torch.") and name not in before]
    pipe.send((*result, imported))


def run_all(shell, todo: list[Job], processes: int) -> Iterator[Run]:
    """Do jobs side by side, each in a fork of this process."""
    context = multiprocessing.get_context("fork")
    waiting, running = iter(todo), {}
    for number in range(1, len(todo) + 1):
        while len(running) < processes and (job := next(waiting, None)):
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=in_fork, args=(shell, job, there))
            process.start()
            there.close()
            running[here] = job, process
        here = wait(running)[0]
        job, process = running.pop(here)
        try:
            yield Run(job, *here.recv())
        except EOFError:
            yield Run(job, {}, {}, {}, [], crashed=True)
        here.close()
        process.join()
        if sys.stderr.isatty() or number % 1000 == 0:
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{number} of {len(todo)} runs", end=end, file=sys.stderr, flush=True)


def without_mutants(shell, claims: list[Claim], names: list[str], processes: int) -> Iterator[Run]:
    """Run each notebook as it is, and see which mutants may make a difference to it."""
    groups = defaultdict(list)
    for claim in sorted(claims, key=lambda claim: SLOW not in claim.notebook.path):
        groups[claim.notebook.path].append(claim)
    todo = [Job("", group[0].notebook, group, names) for group in groups.values()]
    for run in run_all(shell, todo, processes):
        if run.problem:  # does it mind being watched? Then any mutant may make a difference
            (run,) = run_all(shell, [run.job._replace(watched=[])], 1)
            run = run._replace(touched={claim.id: set(names) for claim in run.job.claims})
        yield run


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants; return 1 if a claim survives them all or a mutant is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of the names of mutants; all if none")
    parser.add_argument("--chapter", help="only the claims of this chapter")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--record", type=Path, help="write which mutant breaks which claim (JSON)")
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

    torch.set_num_threads(1)  # the processes run side by side
    shell = make_shell()
    read_ahead(shell, list({claim.notebook.path: claim.notebook for claim in claims}.values()))
    print(f"{len(claims)} claims, {len(chosen)} mutants", flush=True)
    todo = []
    for run in without_mutants(shell, claims, chosen, options.n):
        if run.problem:
            print(f"error: {run.problem}")
            return 1
        slow = SLOW in run.job.notebook.path
        for name in chosen:
            found = [claim for claim in run.job.claims if name in run.touched[claim.id]]
            if found and (MUTATIONS[name].benchmarks or not slow):
                todo.append(Job(name, run.job.notebook, found))
        for name in run.imported:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy the memory of this process
    killers, caught, problems = defaultdict(list), defaultdict(list), []
    for run in run_all(shell, todo, options.n):
        problems += [run.problem] if run.problem else []
        for claim in run.failed:
            killers[claim].append(run.job.mutant)
            caught[run.job.mutant].append(claim)
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
    print(*problems, sep="\n", end="\n" * bool(problems))
    if options.record:
        order = list(MUTATIONS).index
        record = {claim: sorted(names, key=order) for claim, names in sorted(killers.items())}
        options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"{len(claims) - len(survivors)} of {len(claims)} claims fail under a mutant; "
          f"{len(chosen) - len(missed)} of {len(chosen)} mutants are caught; "
          f"{len(todo)} runs, {time.perf_counter() - start:.0f} s")  # fmt: skip
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
