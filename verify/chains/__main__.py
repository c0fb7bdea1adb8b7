"""`make chains`: learn the machine of chains and write it; with another torch, compare."""

import argparse
import json
import platform
import sys
from datetime import date
from pathlib import Path

from verify import ROOT, files
from verify.book import pinned_torch

from . import RECORDS


def main(options: list[str] | None = None) -> int:
    """Write the machine of the pinned torch; of another one, in what it differs."""
    import torch

    from .machine import learn, pack
    from .releases import compare

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=RECORDS)
    folder = parser.parse_args(options).folder
    release = torch.__version__.partition("+")[0]
    today = date.today().isoformat()
    made = {"torch": release, "python": platform.python_version(), "date": today}
    pinned = pinned_torch(ROOT)
    if release == pinned:
        made |= pack(learn())
        said = f"{len(made['shown'])} states"
    else:
        made |= compare(json.loads((folder / f"torch-{pinned}.json").read_text(encoding="utf-8")))
        said = f"{len(made['differences']['steps'])} of {made['compared']} steps differ"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"torch-{release}.json"
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in made.items()
    )
    files.replace(path, "{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path}: {said}, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
