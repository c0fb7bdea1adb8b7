"""Measure the figures of the README side by side in one run: `make bench-suite`.

1. seconds of `make test`, against a plain serial `pytest --nbval` over the same notebooks
2. seconds to validate the notebooks, without the other tests, against the same
3. seconds of `make test` and `make test-verify` together, against the same
4. peak memory of `make test`
5. seconds to build the site again after an edit of one notebook, against a full build
"""

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

import psutil

from verify import ROOT
from verify.book import notebook_files

WORKERS = min(os.cpu_count(), 4)  # as in the Makefile
NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", "_build", ".ipynb_checkpoints", ".*_cache")


def timed(title, command, folder):
    """Run a command; return its seconds, the peak of all its processes in GB, and its success.

    What says that not one of its tests passed measured nothing, and ends the program.
    """
    print(f"==> {title}: {' '.join(map(str, command))}", flush=True)
    with tempfile.TemporaryFile("w+") as log:
        start = time.monotonic()
        process = psutil.Popen(command, cwd=folder, stdout=log, stderr=log)
        peak = 0
        while process.poll() is None:
            peak = max(peak, resident(process))
            time.sleep(0.1)
        seconds = time.monotonic() - start
        log.seek(0)
        lines = log.read().splitlines()
    print(f"    {seconds:.1f} s, peak {peak / 1e9:.2f} GB, exit status {process.returncode}")
    if lines and " error" in lines[-1] and " passed" not in lines[-1]:
        sys.exit(f"error: nothing passed, so nothing was measured: {lines[-1]}")
    print(*(f"    {line}" for line in lines[-1 if process.returncode == 0 else -15 :]), sep="\n")
    return seconds, peak / 1e9, process.returncode == 0


def resident(process):
    """Sum the resident memory of a process and its descendants; shared pages count each time."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += one.memory_info().rss
        except psutil.Error:  # it has just ended
            continue
    return total


def without_gpu_cells(book, folder):
    """Copy the notebooks into a folder, without the cells that plain nbval cannot run here."""
    for path in notebook_files(book):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["cells"] = [
            cell for cell in notebook["cells"] if "gpu" not in cell["metadata"].get("tags", [])
        ]
        copy = folder / path.relative_to(book)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(notebook), encoding="utf-8")


def validation(rounds):
    """Measure in turn; return the best seconds of plain nbval and of our commands, by name.

    Also the peak memory of `make test`, and the names of what did not pass.
    """
    pytest = [sys.executable, "-m", "pytest"]
    ours = {
        "validation": [*pytest, "-n", str(WORKERS), "--dist", "loadfile", "book"],
        "make test": ["make", "test"],
        "make test-verify": ["make", "test-verify"],
    }
    plain, best, memory, failed = [], {name: [] for name in ours}, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        without_gpu_cells(ROOT / "book", Path(folder))
        clean = ["--nbval", "-c", os.devnull, "--rootdir", folder, "-p", "no:cacheprovider"]
        for number in range(1, rounds + 1):
            where = f"round {number} of {rounds}"
            # Plain nbval has no sanitizer: its time counts, not its verdict.
            seconds, _, _ = timed(f"plain nbval, {where}", [*pytest, *clean, folder], folder)
            plain.append(seconds)
            for name, command in ours.items():
                seconds, peak, passed = timed(f"{name}, {where}", command, ROOT)
                best[name].append(seconds)
                memory = max(memory, peak) if name == "make test" else memory
                failed |= set() if passed else {name}
    return min(plain), {name: min(times) for name, times in best.items()}, memory, failed


def site():
    """Return the seconds of a full build, those after an edit of one notebook, and success."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "book")
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
        (copy / ".venv").symlink_to(ROOT / ".venv")
        full, _, good = timed("full build of the site", ["make", "book"], copy)
        edited = min((copy / "book" / "methods").glob("*.ipynb"))
        notebook = json.loads(edited.read_text(encoding="utf-8"))
        text = next(cell for cell in notebook["cells"][1:] if cell["cell_type"] == "markdown")
        text["source"] = ["".join(text["source"]) + "\n\nOne sentence more."]
        edited.write_text(json.dumps(notebook), encoding="utf-8")
        again, _, still_good = timed(
            f"build after an edit of {edited.name}", ["make", "book"], copy
        )
    return full, again, good and still_good


def machine():
    """Name the machine and the versions that the figures depend on."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), cpu)
    torch = importlib.metadata.version("torch")
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}, torch {torch}"


def main():
    """Measure, print the table, and fail when something that was measured failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2, help="of the validation; the best counts")
    rounds = parser.parse_args().rounds
    plain, ours, memory, failed = validation(rounds)
    full, again, built = site()
    failed |= set() if built else {"site"}
    print(f"\n{machine()}\n")
    print(f"{'what':40}{'measured':>34}{'target':>10}")
    against = {
        "make test": (ours["make test"], "0.50"),
        "validation": (ours["validation"], "0.60"),
        "make test and test-verify": (ours["make test"] + ours["make test-verify"], ""),
    }
    rows = [
        (f"{what} / plain nbval", f"{seconds:.1f} s / {plain:.1f} s = {seconds / plain:.2f}", aim)
        for what, (seconds, aim) in against.items()
    ]
    rows.append(("peak memory of make test", f"{memory:.2f} GB", "4 GB"))
    share = f"{again:.1f} s / {full:.1f} s = {again / full:.2f}"
    rows.append(("site after an edit / full build", share, "0.33"))
    for what, measured, target in rows:
        print(f"{what:40}{measured:>34}{target:>10}")
    if failed:
        print(
            f"\nerror: not passed, so its figure is not valid: {', '.join(sorted(failed))}",
            file=sys.stderr,
        )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
