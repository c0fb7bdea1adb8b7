"""The records of a release of torch, `evidence/SUBJECT/torch-RELEASE.json`."""

import platform
from datetime import date
from pathlib import Path

from verify import files


def head() -> dict[str, str]:
    """Return what such a record begins with: the release, that of Python, and the day."""
    import torch

    return {
        "torch": torch.__version__.partition("+")[0],
        "python": platform.python_version(),
        "date": date.today().isoformat(),
    }


def file_of(folder: Path, release: str) -> Path:
    """Return where the record of a release stands."""
    return folder / f"torch-{release}.json"


def write(folder: Path, release: str, text: str) -> Path:
    """Write the record of a release; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = file_of(folder, release)
    files.replace(path, text)
    return path
