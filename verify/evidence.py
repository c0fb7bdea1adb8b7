"""Records of runs: what became of each claim, on which machine, with which release of torch.

`pytest --record FILE` writes one (see recorder.py), `make record` keeps it in evidence/, and the
site reads those files. evidence.schema.json describes the format.
"""

import json
import re
from pathlib import Path

import jsonschema

from verify import files

SCHEMA = json.loads(Path(__file__).with_name("evidence.schema.json").read_text(encoding="utf-8"))
MUTANTS = "mutants.json"  # stands beside the records: the mutants that break each claim
MUTANTS_SCHEMA = {  # for each claim the mutants, for each mutant the numbers of the broken facts
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "integer"}},
    },
}
RUNNER = SCHEMA["properties"]["runner"]["pattern"]
PASSED, FAILED, NOT_RUN, STALE = "passed", "failed", "not run", "stale"


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


def load_mutants(folder, name=MUTANTS):
    """Return for each claim the mutants that break it, and which facts; None without a record."""
    path = Path(folder, name)
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
    """Write a record."""
    jsonschema.validate(record, SCHEMA)
    path.parent.mkdir(parents=True, exist_ok=True)
    files.replace(path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
