"""Ask all operations of the torch that is installed, and write the record."""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from verify import records

from . import RECORDS

PARTS = 8
# A matrix that rounding makes singular raises with one processor and not with another. So many runs
# more or less are no other answer.
ROUNDED = 3


def ask(part: int, parts: int = PARTS) -> dict[str, dict | str]:
    """Return the rows of one part of the operations: of each so many, one."""
    import torch

    from .observe import row
    from .samples import operations

    torch.set_num_threads(1)
    names = list(operations())[part::parts]
    return {name: row(name, operations()[name]) for name in names}


def head() -> dict[str, object]:
    """Return the release that is asked, and the day."""
    from .observe import moved

    return {**records.head(), "database": not moved()}


def record(rows: dict[str, dict | str]) -> dict[str, object]:
    """Return rows as they are kept: those that were asked, and the others with the reason."""
    rows = dict(sorted(rows.items()))
    return {
        "operations": {name: row for name, row in rows.items() if isinstance(row, dict)},
        "no_tensor": [name for name, row in rows.items() if row == "returns no tensor"],
        "not_asked": {
            name: row
            for name, row in rows.items()
            if isinstance(row, str) and row != "returns no tensor"
        },
    }


def text_of(record: dict[str, object]) -> str:
    """Return a record as text, a line for each operation."""
    lines = []
    for key, value in record.items():
        if isinstance(value, dict):
            inner = ",\n".join(
                f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}"
                for name, row in value.items()
            )
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def changes(old: dict, new: dict) -> list[str]:
    """Name what differs between two records, a line for each row."""
    lines = []
    for kind in ("operations", "not_asked"):
        for name in sorted({*old[kind], *new[kind]}):
            before, after = old[kind].get(name), new[kind].get(name)
            if before is None or after is None:
                lines.append(f"{name}: {kind.replace('_', ' ')} {'now' if after else 'no more'}")
            elif before != after and kind == "operations":
                keys = [k for k in {**before, **after} if before.get(k) != after.get(k)]
                if keys == ["runs"] and abs(after["runs"] - before["runs"]) <= ROUNDED:
                    continue
                words = (f"{key} {before.get(key)} → {after.get(key)}" for key in keys)
                lines.append(f"{name}: {'; '.join(words)}")
    return lines


def main(options: list[str] | None = None) -> int:
    """Write the record, and say in what it differs from the one that it replaces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=RECORDS)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(options)
    rows: dict[str, dict | str] = {}
    with ProcessPoolExecutor(given.workers, get_context("spawn")) as pool:
        for number, part in enumerate(pool.map(ask, range(PARTS)), 1):
            rows |= part
            print(f"{number} of {PARTS} parts", file=sys.stderr, flush=True)
    made = head() | record(rows)
    path = records.file_of(given.folder, made["torch"])
    if path.is_file():
        for line in changes(json.loads(path.read_text(encoding="utf-8")), made):
            print(line)
    records.write(given.folder, made["torch"], text_of(made))
    print(f"{path}: {len(made['operations'])} asked, {len(made['not_asked'])} not asked")
    return 0
