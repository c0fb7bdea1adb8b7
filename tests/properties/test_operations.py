"""Every operation is asked anew, and says what the record of this release says.

On a release without a record, and where PyTorch's operator database has moved, it is *not asked*.
"""

import json

import pytest
import torch

from tests.properties.holds import RELEASE
from verify.operations import RECORDS
from verify.operations.observe import moved
from verify.operations.record import PARTS, ask, changes, record, text_of
from verify.operations.samples import by_hand, database, operations
from verify.records import file_of

FILE = file_of(RECORDS, torch.__version__.partition("+")[0])


@pytest.fixture(scope="module")
def kept():
    """Return the record of this release."""
    if not FILE.is_file():
        pytest.skip(f"not asked: {FILE.name} is not there")
    if moved():
        pytest.skip("not asked: the operator database of this torch cannot be read")
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_operation_says_what_the_record_says(kept, part):
    made = record(ask(part))
    names = {*made["operations"], *made["not_asked"], *made["no_tensor"]}
    known = {key: kept[key] for key in ("operations", "not_asked")}
    old = {key: {n: row for n, row in rows.items() if n in names} for key, rows in known.items()}
    found = changes(old, json.loads(json.dumps(made)))
    assert not found, "make operations writes the record anew; changed are\n" + "\n".join(found)


def test_the_record_holds_every_operation(kept):
    held = [*kept["operations"], *kept["not_asked"], *kept["no_tensor"]]
    assert sorted(held) == sorted(operations())
    assert len(kept["operations"]) >= 600
    assert FILE.read_text(encoding="utf-8") == text_of(kept)


def test_a_row_that_changes_is_named():
    row = {"memory": "always", "runs": 3}
    old = {"operations": {"ravel": row, "abs": row, "t": row}, "not_asked": {}}
    new = {"operations": {"ravel": row | {"memory": "never"}, "t": row}, "not_asked": {"abs": "?"}}
    assert changes(old, old) == []
    assert changes(old, new) == [
        "abs: operations no more",
        "ravel: memory always → never",
        "abs: not asked now",
    ]


def test_runs_that_rounding_decides_may_differ():
    row = {"memory": "never", "runs": 38}
    old = {"operations": {"linalg.lu_factor": row}, "not_asked": {}}
    for runs, found in ((39, []), (30, ["linalg.lu_factor: runs 38 → 30"])):
        new = {"operations": {"linalg.lu_factor": row | {"runs": runs}}, "not_asked": {}}
        assert changes(old, new) == found


def test_without_the_database_operations_are_not_asked(monkeypatch):
    monkeypatch.setattr("verify.operations.observe.moved", lambda: True)
    from verify.operations.observe import row

    why = "the operator database of this torch cannot be read"
    assert row("addmm", operations()["addmm"]) == why
    assert row("type_as", operations()["type_as"])["memory"] == "sometimes"


def test_samples_by_hand_are_of_operations():
    if RELEASE < (2, 13):
        pytest.skip("not run: some of the operations are newer than this release of torch")
    written = {name + "_" for name in operations()}
    assert not by_hand().keys() - operations().keys() - written
    assert len(database()) > 600
