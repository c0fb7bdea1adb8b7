"""Records of runs: what became of each claim, on which machine, with which release of torch.

`pytest --record FILE` writes one (see strict_nbval.py), `make record` keeps it in evidence/, and
the site reads those files. evidence.schema.json describes the format.
"""

import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
from claims import claims_of

SCHEMA = json.loads(Path(__file__).with_name("evidence.schema.json").read_text(encoding="utf-8"))
MUTANTS = "mutants.json"  # stands beside the records: which mutants break each claim
MUTANTS_SCHEMA = {
    "type": "object",
    "additionalProperties": {"type": "array", "items": {"type": "string"}},
}
RUNNER = SCHEMA["properties"]["runner"]["pattern"]
PASSED, FAILED, NOT_RUN, STALE = "passed", "failed", "not run", "stale"
NO_RECORD = "ran with nothing recorded to compare with"


class BadRecord(Exception):
    """A file that is no record; the message names it and what is wrong."""


# --- Reading --------------------------------------------------------------------------------------


def load(path, schema=SCHEMA):
    """Return the record in a file, or raise BadRecord."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # neither UTF-8 nor JSON
        raise BadRecord(f"{path} is damaged, it is no JSON: {error}") from None
    wrong = jsonschema.Draft202012Validator(schema).iter_errors(record)
    # The outermost problem says most, and of a foreign file, what it lacks.
    if error := min(wrong, key=lambda e: (len(e.path), e.validator != "required"), default=None):
        place = ".".join(map(str, error.path))
        message = f"{place}: {error.message}" if place else error.message
        raise BadRecord(f"{path} is no record of this book's evidence: {message[:300]}")
    return record


def load_all(folder):
    """Return the records in a folder: the CPU's first, then by release and runner."""
    paths = sorted(path for path in Path(folder).glob("*.json") if path.name != MUTANTS)
    return sorted(map(load, paths), key=order)


def order(record):
    """Return the key that sorts records: the CPU first, newer releases of torch first."""
    release = [-int(number) for number in re.findall(r"\d+", record["torch"])]
    return record["kind"], release, record["runner"]


def load_mutants(folder):
    """Return the mutants that break each claim, or None if nobody has recorded them."""
    path = Path(folder, MUTANTS)
    return load(path, MUTANTS_SCHEMA) if path.exists() else None


def status(record, claim):
    """Return what a record says of a claim today, and why where it did not pass."""
    found = record["claims"].get(claim.id)
    if found is None:
        return NOT_RUN, "the claim is newer than this run"
    if found["result"] == NOT_RUN:
        return NOT_RUN, found["why"]
    if found["digest"] != claim.digest:
        return STALE, f"the claim or its proof has changed since it {found['result']}"
    return found["result"], found.get("why")


# --- Writing --------------------------------------------------------------------------------------


def write(path, record):
    """Write a record in one move: an interruption or a full disk leaves the old file."""
    jsonschema.validate(record, SCHEMA)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        os.chmod(temporary, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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
        self.message = None

    def pytest_sessionstart(self):
        self.digests = {claim.id: claim.digest for claim in claims_of(self.root)}

    def pytest_runtest_logreport(self, report):
        """Note the result of a cell; xdist passes on the reports of its workers."""
        notes = dict(report.user_properties)
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
        entry = {"result": result} | ({"why": why} if why else {})
        return entry | {"digest": claim.digest}


def name_of(claim, cell):
    """Return the id that pytest gives a cell of the notebook of a claim."""
    return f"{claim.notebook.path}::Cell {claim.notebook.code.index(cell) + 1}"


def first_line(text):
    """Return the first line that says something."""
    return next((line.strip() for line in str(text).splitlines() if line.strip()), "unknown")[:300]
