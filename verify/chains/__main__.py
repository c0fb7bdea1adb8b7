"""`make chains`: learn the machine of chains and write it; with another torch, compare."""

import argparse
import json
import sys
from pathlib import Path

from verify import ROOT, records
from verify.book import pinned_torch

from . import RECORDS


def main(options: list[str] | None = None) -> int:
    """Write the machine of the pinned torch; of another one, in what it differs."""

    from .machine import learn, pack
    from .releases import compare

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=RECORDS)
    folder = parser.parse_args(options).folder
    made = records.head()
    pinned = pinned_torch(ROOT)
    if made["torch"] == pinned:
        made |= pack(learn())
        said = f"{len(made['shown'])} states"
    else:
        made |= compare(json.loads(records.file_of(folder, pinned).read_text(encoding="utf-8")))
        said = f"{len(made['differences']['steps'])} of {made['compared']} steps differ"
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in made.items()
    )
    path = records.write(folder, made["torch"], "{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path}: {said}, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
