"""Runs notebooks under mutants, each in a fork of one process that has torch imported.

A failure counts only if the cells that the proof needs still run: a mutant that breaks everything
shows nothing. A job runs the proofs that use what the mutant replaces, and the cells they need.
"""

import contextlib
import functools
import multiprocessing
import os
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from typing import NamedTuple

from verify import heads
from verify.book import Cell, Notebook, text
from verify.claims import Claim, Names
from verify.mutants import changes, facts

NOTES = facts.Notes()  # of the cell that runs
SNIPPETS: dict[str, dict] = {}  # what each snippet defines
FACTS: dict[str, list[facts.Fact]] = {}  # of each claim
USUAL: dict[str, dict] = {}  # what each claim prints when PyTorch is as it is
STATE = "torch.set_warn_always("  # a cell that says so matters to all that follow
TIME_LIMIT = 300  # seconds for one notebook under one mutant
# What compiles minds being watched, and what other processes do is not seen. They meet few mutants:
# they are run under all of these.
UNWATCHED = ("compile", "distributed")


class Job(NamedTuple):
    """A notebook to run under a mutant; with an empty name under none."""

    mutant: str
    notebook: Notebook
    claims: list[Claim]
    watched: list[str] = []  # mutants to look out for: would they make a difference?
    watch: Callable = changes.watch  # how


class Run(NamedTuple):
    """What a job gave: the claims that failed, with the reason."""

    job: Job
    failed: dict[str, str]
    uncounted: dict[str, str]  # failed too, but a cell that their proof needs had failed before
    touched: dict[str, set[str]]  # for each claim the mutants watched that replace what it uses
    noted: dict[str, dict | set]  # for each claim what it printed; under a mutant, broken facts
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


def slow_kind(claim: Claim) -> str | None:
    """Say why a claim takes seconds to prove: it meets only the mutants that name this kind."""
    cells = (*claim.needs, claim.proof)
    if any(
        heads.needs(cell.source) == heads.COMPILER or "torch.export.export(" in cell.source
        for cell in cells
    ):
        return "compile"
    if any("import torch.distributed as dist\n" in cell.source for cell in cells):
        return "distributed"
    return "benchmarks" if "benchmarks" in claim.notebook.path else None


def meets(mutant: str, claim: Claim) -> bool:
    """Tell whether a claim is to be run under a mutant that replaces what it uses."""
    kind = slow_kind(claim)
    return kind is None or changes.MUTATIONS[mutant].slow in (True, kind)


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


def read_ahead(shell, claims: list[Claim]) -> None:
    """Parse every cell and run the snippets once, here, for all the forks.

    Note the facts of each claim. Those of what compiles are not told apart: a compiler reads the
    code itself.
    """
    notebooks = {claim.notebook.path: claim.notebook for claim in claims}.values()
    sources = {cell.source: cell for notebook in notebooks for cell in notebook.code}
    proofs = {claim.proof.source: claim for claim in claims if slow_kind(claim) != "compile"}
    shell.user_ns[facts.NOTES] = NOTES
    shell.transform_cell = functools.cache(shell.transform_cell)
    parse, trees = shell.compile.ast_parse, {}
    for source, cell in sources.items():
        transformed = shell.transform_cell(source)
        with contextlib.suppress(SyntaxError):
            trees[transformed] = parse(transformed)
            if claim := proofs.get(source):
                FACTS[claim.id] = facts.instrument(trees[transformed])
        if cell.snippet:  # it only defines helpers: no mutant can change that
            _, error = run_cell(shell, cell)
            if error is not None:
                raise error
            names = Names(cell.tree).defined
            SNIPPETS[source] = {n: shell.user_ns[n] for n in names & shell.user_ns.keys()}
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


def run_notebook(shell, job: Job) -> tuple[dict, dict, dict, dict]:
    """Run the proofs of a job and what they need.

    Return `failed`, `uncounted`, `touched` and `noted` of a run.
    """
    claim_of = {claim.proof.id: claim for claim in job.claims}
    wanted = set(claim_of).union(*({cell.id for cell in claim.needs} for claim in job.claims))
    states = {cell.id for cell in job.notebook.code if STATE in cell.source}
    broken, failed, uncounted, used, touched, noted = set(), {}, {}, {}, {}, {}
    find_used = job.watch(job.watched) if job.watched else set
    for cell in job.notebook.code:
        if cell.id not in wanted | states or cell.gpu or cell.snippet:
            continue
        NOTES.clear()
        seen, error = run_cell(shell, cell)
        used[cell.id] = find_used()
        reason = None
        if error is not None:
            broken.add(cell.id)
            reason = f"{type(error).__name__}: {error}".split("\n")[0][:120]
        elif NOTES.failed:
            broken.add(cell.id)
            reason = f"AssertionError: {min(NOTES.failed.items())[1]}"[:120]
        elif seen != stored(cell):
            reason = "another output"
        if error is not None and not job.mutant and cell.id in wanted - claim_of.keys():
            failed[cell.source.split("\n")[0]] = reason  # else no failure of a proof would count
        if claim := claim_of.get(cell.id):
            needed = (used.get(need.id, set()) for need in claim.needs)
            touched[claim.id] = used[cell.id].union(*needed)
            if reason:
                without_base = any(
                    need.id in broken
                    and (not need.first_line.startswith("# proof: ") or gives_names(need, cell))
                    for need in claim.needs
                )
                (uncounted if without_base else failed)[claim.id] = reason
            if not job.mutant:
                noted[claim.id] = dict(NOTES.printed)
            elif claim.id in failed:
                noted[claim.id] = NOTES.broken(USUAL.get(claim.id, {}))
                if error is not None:
                    noted[claim.id] |= facts.ended_by(error, FACTS.get(claim.id, []))
    return failed, uncounted, touched, noted


def gives_names(cell: Cell, proof: Cell) -> bool:
    """Tell whether a cell defines a name that the proof takes from outside."""
    return not Names(cell.tree).defined.isdisjoint(Names(proof.tree).free)


def in_fork(shell, job: Job, folder: str, pipe) -> None:
    """Do a job in a folder and send what it gave. The process ends with it, or by the alarm."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(TIME_LIMIT)
    before = set(sys.modules)
    for cell in job.notebook.code:  # two snippets may give one name to different helpers
        shell.user_ns.update(SNIPPETS.get(cell.source, {}))
    if job.mutant:
        changes.apply(job.mutant)
    os.chdir(folder)
    # A fork ends without the finalizers that would remove a notebook's own folders.
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    result = run_notebook(shell, job)
    imported = [name for name in sys.modules if name.startswith("torch.") and name not in before]
    pipe.send((*result, imported))


def run_all(shell, todo: list[Job], processes: int) -> Iterator[Run]:
    """Do jobs side by side, each in a fork of this process."""
    context = multiprocessing.get_context("fork")
    waiting, running = iter(todo), {}
    for number in range(1, len(todo) + 1):
        while len(running) < processes and (job := next(waiting, None)):
            here, there = context.Pipe(duplex=False)
            folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            process = context.Process(target=in_fork, args=(shell, job, folder.name, there))
            process.start()
            there.close()
            running[here] = job, process, folder
        here = wait(running)[0]
        job, process, folder = running.pop(here)
        try:
            yield Run(job, *here.recv())
        except EOFError:
            yield Run(job, {}, {}, {}, {}, [], crashed=True)
        here.close()
        process.join()
        folder.cleanup()
        if sys.stderr.isatty() or number % 1000 == 0:
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{number} of {len(todo)} runs", end=end, file=sys.stderr, flush=True)


def without_mutants(shell, claims: list[Claim], names: list[str], processes: int) -> Iterator[Run]:
    """Run each notebook as it is, and see which mutants may make a difference to it."""
    groups = defaultdict(list)
    for claim in sorted(claims, key=lambda claim: slow_kind(claim) is None):
        groups[claim.notebook.path, slow_kind(claim) in UNWATCHED].append(claim)
    todo = [
        Job("", group[0].notebook, group, [] if unwatched else names)
        for (_, unwatched), group in groups.items()
    ]
    for run in run_all(shell, todo, processes):
        if run.problem and run.job.watched:  # does it mind being watched?
            (run,) = run_all(shell, [run.job._replace(watch=changes.watch_calls)], 1)
        if run.problem and run.job.watched:  # and in this way, too? Then any mutant may matter
            (run,) = run_all(shell, [run.job._replace(watched=[])], 1)
        if not run.job.watched:
            run = run._replace(touched={claim.id: set(names) for claim in run.job.claims})
        USUAL.update(run.noted)
        yield run
