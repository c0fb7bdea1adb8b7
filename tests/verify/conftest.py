"""What the tests of verify/ share: an empty book, and pytest in a process of its own."""

import os
import subprocess
import sys

import pytest

from verify import ROOT


@pytest.fixture
def book(tmp_path):
    """An empty book."""
    for folder in ("methods", "topics", "_snippets"):
        (tmp_path / "book" / folder).mkdir(parents=True)
    return tmp_path / "book"


@pytest.fixture
def run_pytest(tmp_path):
    """Return a function that runs the gate on the book in tmp_path, as if without a GPU."""

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml"]
        command += ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
        command += ["--rootdir", tmp_path, *options, tmp_path / "book"]
        (tmp_path / "tmp").mkdir(exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "CUDA_VISIBLE_DEVICES": ""}
        environment["PYTHONPATH"] = str(tmp_path)  # for `-p fake_cuda`
        for name in [name for name in environment if name.startswith("PYTEST_")]:
            del environment[name]  # of the run that this test is a part of
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    return run
