"""The record of a run: a pytest plugin that writes what became of each claim, and the machine."""

import contextlib
import datetime
import importlib.metadata
import platform
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from verify.claims import claims_of
from verify.evidence import FAILED, NOT_RUN, PASSED, SCHEMA, write

NO_RECORD = "ran with nothing recorded to compare with"


class Recorder:
    """A pytest plugin that writes the record of a run: registered in the main process only."""

    def __init__(self, root, path, runner, cuda):
        self.root, self.machine = Path(root), machine(cuda)
        self.runner = runner or self.machine["kind"]
        name = f"{self.runner}-torch-{self.machine['torch']}.json"
        self.path = Path(path, name) if path.endswith("/") or Path(path).is_dir() else Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)  # fails now, not after the run
        self.cells = {}  # from the id of a test, `book/methods/clone.ipynb::Cell 3`, to its result
        self.stopped = set()  # the ids of those that did not come to their end
        self.tried = Counter()  # from the id of a claim to the examples of its properties
        self.refuted = {}  # from the id of a claim to the property that found a counterexample
        self.message = None

    def pytest_sessionstart(self):
        self.digests = {claim.id: claim.digest for claim in claims_of(self.root)}

    def pytest_runtest_logreport(self, report):
        """Note the result of a cell; xdist passes on the reports of its workers."""
        notes = dict(report.user_properties)
        if report.when == "call" and "claim" in notes:
            self.note_property(report, notes)
            return
        found = None
        if report.failed and report.when == "setup":
            found = NOT_RUN, "its notebook could not start"
        elif report.failed:
            found = FAILED, notes.get("differs") or notes.get("why") or first_line(report.longrepr)
            if "differs" not in notes:
                self.stopped.add(report.nodeid)
        elif hasattr(report, "wasxfail"):
            found = NOT_RUN, "an earlier cell ran out of time"
        elif report.skipped:
            found = NOT_RUN, notes.get("cell", "skipped").removeprefix("not run: ")
        elif report.when == "call":
            # Without a stored output, only half of the proof was checked.
            found = (NOT_RUN, NO_RECORD) if notes.get("cell") == NO_RECORD else (PASSED, None)
        if found:
            self.cells[report.nodeid] = found

    def note_property(self, report, notes):
        """Note what became of a property of a claim (tests/properties)."""
        self.tried[notes["claim"]] += notes["tried"]
        if report.failed:
            self.refuted[notes["claim"]] = report.nodeid

    def pytest_collectreport(self, report):
        if report.failed:
            self.cells[report.nodeid] = NOT_RUN, "its notebook could not be read"

    def pytest_sessionfinish(self, session, exitstatus):
        """Write the record, unless the run was stopped: the record of a whole run is kept then."""
        if exitstatus not in (0, 1) or session.shouldstop or session.shouldfail:
            self.message = f"no record is written: the run was not finished ({self.path})"
            return
        try:
            write(self.path, self.record())
            self.message = f"record of the claims: {self.path}"
        except OSError as error:
            self.message = f"error: the record {self.path} cannot be written: {error.strerror}"
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        if self.message:
            terminalreporter.write_line(self.message)

    def record(self):
        """Return the record of this run."""
        return {
            "schema": SCHEMA["properties"]["schema"]["const"],
            "runner": self.runner,
            **self.machine,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "commit": commit(self.root),
            "claims": {claim.id: self.entry(claim) for claim in claims_of(self.root)},
        }

    def entry(self, claim):
        """Return what this run says of one claim."""
        found = self.cells.get(name_of(claim, claim.proof)) or self.cells.get(claim.notebook.path)
        result, why = found or (NOT_RUN, "not selected in this run")
        if self.digests.get(claim.id) != claim.digest:
            result, why = NOT_RUN, "its notebook was edited during the run"
        for needed in claim.needs if result == PASSED else ():
            if name_of(claim, needed) in self.stopped:
                result, why = FAILED, f"cell [{needed.number}], which its proof needs, failed"
        if result == PASSED and claim.id in self.refuted:
            result, why = FAILED, f"its property {self.refuted[claim.id]} fails"
        entry = {"result": result} | ({"why": why} if why else {})
        tried = self.tried[claim.id]
        return entry | {"digest": claim.digest} | ({"tried": tried} if tried else {})


def name_of(claim, cell):
    """Return the id that pytest gives a cell of the notebook of a claim."""
    return f"{claim.notebook.path}::Cell {claim.notebook.code.index(cell) + 1}"


def first_line(text):
    """Return the first line that says something."""
    return next((line.strip() for line in str(text).splitlines() if line.strip()), "unknown")[:300]


# --- The machine ---


def machine(cuda):
    """Name the device and all that a result may depend on."""
    return {
        "kind": "cuda" if cuda else "cpu",
        "device": gpu_name() if cuda else cpu_name(),
        "torch": torch_version().partition("+")[0],
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def torch_version():
    """Return the version of torch, without importing it into the process of pytest."""
    return importlib.metadata.version("torch")


def cpu_name():
    """Return the model of the CPU as far as the system tells it."""
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.+)", Path("/proc/cpuinfo").read_text(), re.M)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine() or "unknown CPU"


def gpu_name():
    """Return the name of the first GPU."""
    ask = "import torch; print(torch.cuda.get_device_name(0))"
    run = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def commit(root):
    """Return the commit of the book, with +dirty when files have changed; None without git."""

    def git(*arguments):
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        # Records themselves do not count: a new one does not change what was run.
        changed = git("status", "--porcelain", "--", ".", ":!evidence")
        return git("rev-parse", "HEAD") + ("+dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None
