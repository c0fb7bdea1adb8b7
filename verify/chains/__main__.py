"""`make chains`: learn the machine of chains and write it."""

import argparse
import json
import platform
import sys
from datetime import date
from pathlib import Path

from verify import files

from . import RECORDS


def main(options: list[str] | None = None) -> int:
    """Write the machine of the torch that is installed."""
    import torch

    from .machine import learn, pack

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=RECORDS)
    folder = parser.parse_args(options).folder
    release = torch.__version__.partition("+")[0]
    today = date.today().isoformat()
    head = {"torch": release, "python": platform.python_version(), "date": today}
    made = head | pack(learn())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"torch-{release}.json"
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in made.items()
    )
    files.replace(path, "{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path}: {len(made['states'])} states, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
