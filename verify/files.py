"""Files that are replaced in one move."""

import os
import shutil
import tempfile
from pathlib import Path


def replace(path: Path, text: str) -> None:
    """Replace `path` in one move, so that a full disk or an interruption leaves the old file."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner can read.
        shutil.copymode(path if path.exists() else path.parent, temporary)
        Path(temporary).chmod(Path(temporary).stat().st_mode & 0o666)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink()
        raise
