"""Run notebooks and store their outputs in one normalized form.

    python -m verify.run clone          # one chapter, on the CPU
    python -m verify.run all            # every chapter, two at a time
    python -m verify.run all --gpu      # record the cells tagged `gpu`; needs CUDA
    python -m verify.run all --measure  # measure the figures of the benchmarks anew

The outputs of ordinary cells are always the CPU's, also on a machine with CUDA. A run that fails or
is interrupted leaves the notebook as it was. A second run leaves the file byte for byte the same.
"""

import argparse
import asyncio
import contextlib
import copy
import difflib
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from verify import ROOT, figures, files
from verify import book as books
from verify.book import is_gpu, notebook_files, targets, tree_of
from verify.kernel import QUIET
from verify.normal_form import BadSnippet, begin_with_verified, normalize, refresh_snippet

BOOK = ROOT / "book"
AT_ONCE = 2  # kernels at a time: each one takes some 400 MB once it has imported torch
CELL_TIMEOUT = 600  # seconds
GUESS = 60  # seconds to measure a figure that was never measured


class RunError(Exception):
    """Something the person who started the run can put right; the message says what."""


# --- Which notebooks ------------------------------------------------------------------------------


def choose(name, book):
    """Return the notebooks that `name` means: `all`, `clone`, `methods/clone` or a path."""
    notebooks = notebook_files(book)
    if name == "all":
        return notebooks
    wanted = name.removesuffix(".ipynb").removeprefix("./").removeprefix(f"{book.name}/")
    chapters = {path.relative_to(book).with_suffix("").as_posix(): path for path in notebooks}
    found = [path for chapter, path in chapters.items() if wanted in (chapter, path.stem)]
    if len(found) == 1:
        return found
    if found:
        full_names = [chapter for chapter, path in chapters.items() if path in found]
        raise RunError(f"{name!r} names more than one chapter; give one of {', '.join(full_names)}")
    stems = sorted({path.stem for path in notebooks})
    close = difflib.get_close_matches(Path(wanted).name, stems, cutoff=0.5)
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    raise RunError(f"there is no chapter {name!r}.{hint} The chapters are: all, {', '.join(stems)}")


# --- Reading and writing --------------------------------------------------------------------------


def read(path):
    """Return the notebook in `path`, or say why it cannot be one."""
    try:
        return nbformat.v4.to_notebook(books.read(path, older=True))
    except books.Unreadable as error:
        raise RunError(f"{path} is no readable notebook: {error}") from error


# --- The figures of the benchmarks ----------------------------------------------------------------


def figures_of(notebook, path, gpu, measure):
    """Return which figures a run is to measure, and the recorded ones that it needs or keeps."""
    try:
        recorded = figures.read(figures.file_of(path))
        names = {gpu: [], not gpu: []}
        for cell in notebook.cells:
            if cell.cell_type == "code":
                names[is_gpu(cell)] += figures.names_in(tree_of(cell.source))
    except figures.FiguresError as error:
        raise RunError(f"{path}, its figures: {error}") from error
    to_measure = names[gpu] if measure else []
    needed = names[False] + (names[True] if gpu else [])
    if missing := [name for name in needed if name not in {*recorded, *to_measure}]:
        target = "benchmarks-gpu" if missing[0] in names[True] else "benchmarks"
        message = f"the figure {missing[0]!r} of {path} is not recorded"
        raise RunError(f"{message}: make {target} CHAPTER={path.stem}")
    kept = {name: recorded[name] for name in names[False] + names[True] if name in recorded}
    return to_measure, kept


async def show_progress(file, to_measure, kept):
    """Draw a bar while figures are measured: each takes about as long as it took the last time."""
    expected = [kept.get(name, {}).get("seconds", GUESS) for name in to_measure]
    known = all(name in kept for name in to_measure)
    print(f"    {len(to_measure)} figures, about {sum(expected):.0f} s of measuring", end="")
    print(" as the last time" if known else ", a guess: not all were measured before", flush=True)
    done, since = 0, time.monotonic()
    while True:
        with contextlib.suppress(ValueError):  # it is being written
            if (now := len(json.loads(file.read_text()).keys() & set(to_measure))) > done:
                done, since = now, time.monotonic()
                if not sys.stdout.isatty():
                    print(f"    {done} of {len(to_measure)} figures measured", flush=True)
        rest = [*expected[done:], 0]
        here = min(time.monotonic() - since, rest[0])
        share = (sum(expected[:done]) + here) / max(sum(expected), 1)
        bar = "#" * int(30 * share)
        line = f"    [{bar:<30}] {share:4.0%}, {done} of {len(to_measure)} figures"
        if sys.stdout.isatty():
            print(f"\r{line}, about {sum(rest) - here:.0f} s left   ", end="", flush=True)
        try:
            await asyncio.sleep(0.5)
        except asyncio.CancelledError:
            print(end="\r\033[K" if sys.stdout.isatty() else "", flush=True)
            raise


# --- Running --------------------------------------------------------------------------------------


def describe_gpu():
    """Return what is recorded beside a `gpu` cell, or say that there is no CUDA."""
    import torch  # only a GPU run needs it here, and it takes seconds

    if not torch.cuda.is_available():
        raise RunError("--gpu needs a CUDA device, and torch finds none")
    return {"device": torch.cuda.get_device_name(0), "torch": torch.__version__.partition("+")[0]}


def failure(path, position, cell, error):
    """Say which cell of which notebook failed, and show it."""
    if isinstance(error, CellExecutionError):
        reason = error.traceback
    elif isinstance(error, CellTimeoutError):
        reason = f"it ran for more than {CELL_TIMEOUT} s"
    else:
        reason = "the kernel died (out of memory?)"
    where = f"{path}: code cell {position} (id {cell.id})"
    return RunError(f"{where} failed\n\n{cell.source}\n\n{reason}")


async def execute(notebook, path, gpu, to_measure=(), kept=None):
    """Run the cells in a fresh kernel in an empty folder; without `gpu`, hide CUDA.

    Return the figures that were there at the end: those `kept` were drawn, others measured.
    """
    measured = {name: kept[name] for name in kept or () if name not in to_measure}
    with tempfile.TemporaryDirectory() as folder:
        work, settings = Path(folder, "work"), Path(folder, "ipython")
        work.mkdir()
        file = Path(folder, "figures.json")
        file.write_text(json.dumps(measured), encoding="utf-8")
        # Not the user's start-up files.
        environment = dict(os.environ, IPYTHONDIR=str(settings), PYTHONWARNINGS=QUIET)
        if to_measure or kept:
            environment["BOOK_FIGURES"] = str(file)
        if not gpu:
            environment["CUDA_VISIBLE_DEVICES"] = ""  # stored outputs are the CPU's
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=CELL_TIMEOUT,
            record_timing=False,
            extra_arguments=["--log-level=ERROR"],  # no warning that the kernel talks over TCP
            resources={"metadata": {"path": str(work)}},
        )
        # Not client.async_setup_kernel(): it takes over the signal handlers, and two clients at a
        # time take them from each other.
        client.create_kernel_manager()
        progress = to_measure and asyncio.create_task(show_progress(file, to_measure, kept))
        try:
            await client.async_start_new_kernel(env=environment)
            await client.async_start_new_kernel_client()
            position = 0
            for index, cell in enumerate(notebook.cells):
                position += cell.cell_type == "code"
                if cell.cell_type != "code" or (is_gpu(cell) and not gpu):
                    continue
                try:
                    await client.async_execute_cell(cell, index)
                except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                    raise failure(path, position, cell, error) from error
                cell.execution_count = position  # an empty cell, too
            return json.loads(file.read_text(encoding="utf-8"))
        finally:
            if progress:
                progress.cancel()
            if client.kc is not None:
                client.kc.stop_channels()
            await client.km.shutdown_kernel(now=True)


async def run_one(path, book, recorded, measure=False):
    """Run one notebook and store its outputs; return whether a file changed."""
    gpu = recorded is not None
    notebook = read(path)
    before = path.read_text(encoding="utf-8")
    if not gpu:
        begin_with_verified(notebook, book)
    for cell in notebook.cells:
        if is_gpu(cell) == gpu:  # only cells whose outputs this run stores may change
            refresh_snippet(cell, book)
    stored = copy.deepcopy(notebook)
    to_measure, kept = figures_of(notebook, path, gpu, measure)
    found = await execute(notebook, path, gpu, to_measure, kept)
    if lost := [name for name in to_measure if name not in found]:
        raise RunError(f"{path}: the run of its cells did not measure the figure {lost[0]!r}")
    for index, cell in enumerate(notebook.cells):
        if gpu and is_gpu(cell):
            cell.metadata["recorded"] = dict(recorded)
        elif gpu:
            notebook.cells[index] = stored.cells[index]
    normalize(notebook, targets(book)[path])
    after = nbformat.writes(notebook) + "\n"
    if after == before and not to_measure:
        return False  # the time stamp stays too, so the site does not build the page again
    if path.read_text(encoding="utf-8") != before:
        raise RunError(f"{path} was edited during the run; the edit is kept, run the chapter again")
    file = figures.file_of(path)
    try:
        if to_measure:
            file.parent.mkdir(exist_ok=True)
            files.replace(
                file, figures.text_of({name: (kept | found)[name] for name in [*kept, *found]})
            )
            for name in to_measure:
                if note := found[name]["note"]:
                    print(f"    {path.stem}, figure {name!r}: {note}", flush=True)
        file = path
        files.replace(path, after)
    except OSError as error:
        message = f"{file} could not be written ({error.strerror}); the old file is unchanged"
        raise RunError(message) from error
    return True


async def run_all(paths, book, recorded, measure=False):
    """Run the notebooks, AT_ONCE at a time (one, on a GPU or to measure); return what failed."""
    everything = asyncio.current_task()
    places = asyncio.Semaphore(1 if recorded or measure else AT_ONCE)
    failures, done, stopping = [], 0, False

    def stop():
        nonlocal stopping
        stopping = True
        everything.cancel()

    async def one(path):
        nonlocal done
        async with places:
            start = time.monotonic()
            try:
                result = "stored" if await run_one(path, book, recorded, measure) else "unchanged"
            except (RunError, BadSnippet) as error:
                if stopping:  # nbclient reports a cancelled cell as a dead kernel
                    raise asyncio.CancelledError from error
                failures.append(str(error))
                result = "FAILED"
            done += 1
            what = f"{path.relative_to(book.parent)}  {time.monotonic() - start:.1f} s  {result}"
            print(f"[{done}/{len(paths)}] {what}", flush=True)

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    await asyncio.gather(*map(one, paths))
    return failures


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chapter", help="a chapter's name (clone, methods/clone) or all")
    parser.add_argument("--gpu", action="store_true", help="record the cells tagged gpu on CUDA")
    parser.add_argument("--measure", action="store_true", help="measure the figures anew")
    parser.add_argument("--book", type=Path, default=BOOK, help="default: %(default)s")
    options = parser.parse_args(arguments)
    book = options.book.resolve()
    try:
        paths = choose(options.chapter, book)
        recorded = describe_gpu() if options.gpu else None
        if options.gpu:
            with_gpu = [path for path in paths if any(map(is_gpu, read(path).cells))]
            if paths and not with_gpu and options.chapter != "all":
                raise RunError(f"{options.chapter} has no cell tagged gpu: nothing to record")
            paths = with_gpu
        if options.measure:
            with_figures = [
                path for path in paths if any(figures_of(read(path), path, options.gpu, True)[:1])
            ]
            if paths and not with_figures and options.chapter != "all":
                raise RunError(f"{options.chapter} has no figure: nothing to measure")
            paths = with_figures
        if options.gpu:
            print(f"Recording on {recorded['device']}, torch {recorded['torch']}", flush=True)
        failures = asyncio.run(run_all(paths, book, recorded, options.measure))
    except RunError as error:
        failures = [str(error)]
    except (asyncio.CancelledError, KeyboardInterrupt):
        print("interrupted: notebooks whose run had not ended are unchanged", file=sys.stderr)
        return 130
    for message in failures:
        print(f"\nerror: {message}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
