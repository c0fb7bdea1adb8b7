"""Bad input gets a clear sentence and a non-zero exit, and leaves nothing half written."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.verify.books import add, run
from verify import ROOT, files

# A python3 that writes down what it is asked, creates environments made of itself, and can be old,
# offline or slow. The Makefile's own questions (`-c`) are answered by the real Python.
FAKE_PYTHON = """#!/bin/sh
echo "$*" >>'{log}'
case "$*" in
  --version) echo "Python $FAKE_VERSION" ;;
  -c*) exec '{real}' -c "import sys; sys.version_info = tuple(map(int, '$FAKE_VERSION'.split('.')))
exec(sys.argv[1])" "$2" ;;
  "-m venv"*)
    for folder; do :; done
    mkdir -p "$folder/bin"
    cp "$0" "$folder/bin/python" ;;
  *"pip install"*)
    # One process that an interrupt ends at any moment. A shell that is interrupted while `touch`
    # ends would go on to `sleep`, and Python's own handler might wait for the end of its sleep.
    [ -z "$FAKE_SLOW" ] || exec '{real}' -c "from signal import *; signal(SIGINT, SIG_DFL)
import time; open('{log}.slow', 'w'); time.sleep(60)"
    exit "$FAKE_PIP_STATUS" ;;
esac
"""


class Project:
    """A folder with the Makefile, a small requirements.txt and a fake python3 first on the PATH."""

    def __init__(self, folder):
        self.folder, self.log = folder, folder / "log"
        self.pins, self.venv = folder / "requirements.txt", folder / ".venv"
        shutil.copy(ROOT / "Makefile", folder)
        self.pins.write_text("no-such-package==1.0\n", encoding="utf-8")
        programs = folder / "programs"
        programs.mkdir()
        fake = programs / "python3"
        fake.write_text(FAKE_PYTHON.format(log=self.log, real=sys.executable), encoding="utf-8")
        fake.chmod(0o755)
        self.environment = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "FAKE_VERSION": "3.12.1",
            "FAKE_PIP_STATUS": "0",
        }

    def make(self, *arguments, **environment):
        """Run make and return what became of it."""
        return subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def calls(self, word):
        """Count the calls of the fake Python that contain a word."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return sum(word in line for line in lines)

    def use_this_python(self):
        """Give the project a ready .venv whose Python is the one that runs the tests."""
        (self.venv / "bin").mkdir(parents=True)
        python = self.venv / "bin" / "python"
        python.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n", encoding="utf-8")
        python.chmod(0o755)
        shutil.copy(self.pins, self.venv)
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "verify", self.folder / "verify", ignore=ignore)
        shutil.copy(ROOT / "pyproject.toml", self.folder)
        (self.folder / "book").mkdir()


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


# --- The set-up -----------------------------------------------------------------------------------


def test_make_alone_lists_the_targets(project):
    result = project.make()
    assert result.returncode == 0
    assert "make book" in result.stdout and "make test" in result.stdout
    assert not project.venv.exists()


def test_a_second_set_up_installs_nothing(project):
    assert project.make("setup").returncode == 0
    assert project.calls("pip install") == 1
    assert project.make("setup").stdout == ""
    assert project.calls("pip install") == 1


def test_changed_pins_are_installed(project):
    assert project.make("setup").returncode == 0
    project.pins.write_text("no-such-package==2.0\n", encoding="utf-8")
    assert project.make("setup").returncode == 0
    assert project.calls("pip install") == 2
    assert project.calls("--clear") == 1  # the first time; then .venv is kept


def test_a_link_to_another_environment_is_left_alone(project):
    assert project.make("setup").returncode == 0
    project.venv.rename(project.folder / "shared")
    project.venv.symlink_to(project.folder / "shared")
    assert project.make("setup").returncode == 0  # it holds the pins
    project.pins.write_text("no-such-package==2.0\n", encoding="utf-8")
    result = project.make("setup")
    assert result.returncode != 0
    assert "error: .venv is a link to an environment with other pins" in result.stderr
    assert project.calls("pip install") == 1 and (project.folder / "shared/bin/python").exists()


@pytest.mark.parametrize("version", ["3.8.10", "3.9.19"])
def test_a_python_too_old(project, version):
    result = project.make("test", FAKE_VERSION=version)
    assert result.returncode != 0
    assert f"error: Python {version} (python3) is too old: 3.10 or newer" in result.stderr
    assert not project.venv.exists()


def test_no_python(project):
    result = project.make("book", "PYTHON=python3.99")
    assert result.returncode != 0
    assert "error: there is no 'python3.99'" in result.stderr
    assert not project.venv.exists()


def test_no_network(project):
    offline = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",  # nothing listens there
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
    }
    result = project.make("test", f"PYTHON={sys.executable}", **offline)
    assert result.returncode != 0
    assert "error: the set-up failed" in result.stderr and "network" in result.stderr
    assert not project.venv.exists()


def test_a_set_up_that_failed_is_made_anew(project):
    assert project.make("setup", FAKE_PIP_STATUS="1").returncode != 0
    assert not project.venv.exists()
    assert project.make("setup").returncode == 0
    assert project.calls("pip install") == 2


def test_another_torch_has_an_environment_of_its_own(project):
    project.pins.write_text("torch==2.13.0\nnumpy==2.4.6\n", encoding="utf-8")
    assert project.make("setup").returncode == 0
    assert project.make("setup", "TORCH=2.8.0").returncode == 0
    other = project.folder / ".venv-torch-2.8.0" / "requirements.txt"
    assert other.read_text(encoding="utf-8") == "torch==2.8.0\nnumpy==2.4.6\n"
    pins = project.pins.read_text(encoding="utf-8")
    assert (project.venv / "requirements.txt").read_text(encoding="utf-8") == pins
    assert project.make("setup", "TORCH=2.8.0").stdout == ""


@pytest.mark.parametrize("torch", ["../x", "2.8; ls", "newest"])
def test_no_release_of_torch(project, torch):
    result = project.make("test", f"TORCH={torch}")
    assert result.returncode != 0
    assert "is no release of torch. Name one: make test TORCH=2.15.0" in result.stderr
    assert [path.name for path in project.folder.glob(".*")] == []


def test_an_interrupted_set_up_is_not_believed(project):
    environment = {**project.environment, "FAKE_SLOW": "1"}
    process = subprocess.Popen(
        ["make", "setup"],
        cwd=project.folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # A run in the background (`make test &`) ignores the interrupt, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(project.folder / "log.slow")
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=30) != 0
    assert not (project.venv / "requirements.txt").exists()
    assert project.make("setup").returncode == 0
    assert project.calls("pip install") == 2
    assert project.calls("--clear") == 2


# --- Chapters and notebooks -----------------------------------------------------------------------


def wait_for(path):
    """Wait until a file is there."""
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")


def test_no_chapter_named(project):
    project.use_this_python()
    result = project.make("run")
    assert result.returncode != 0
    assert "error: name a chapter: make run CHAPTER=clone" in result.stderr


def test_unknown_chapter(project):
    project.use_this_python()
    (project.folder / "book" / "clone.ipynb").touch()
    result = project.make("run", "CHAPTER=clnoe")
    assert result.returncode != 0
    assert "error: there is no chapter 'clnoe'. Did you mean clone?" in result.stderr


def test_ambiguous_chapter(book, capsys):
    for name in ("methods/clone", "topics/clone"):
        add(book, "1", name=name)
    assert run(book, "clone") == 1
    assert "give one of methods/clone, topics/clone" in capsys.readouterr().err
    assert run(book, "topics/clone") == 0


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"nbformat": 3}', '{"nbformat": 4}', '{"nbformat": 4, "cells": [1]}']
    + ['{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "cod"}]}'],
)
def test_broken_notebook(book, capsys, content):
    path = book / "methods" / "clone.ipynb"
    path.write_text(content, encoding="utf-8")
    assert run(book, "clone") == 1
    assert f"error: {path} is no readable notebook: " in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == content


def test_full_disk(book, capsys, monkeypatch):
    def no_space(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = add(book, "print(1)")
    before = path.read_bytes()
    monkeypatch.setattr(files.os, "fsync", no_space)
    assert run(book, "clone") == 1
    assert "could not be written (No space left on device); the old file is" in (
        capsys.readouterr().err
    )
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run(book, tmp_path, number):
    started = tmp_path / "started"
    path = add(book, f"open({str(started)!r}, 'w').close()\nimport time\ntime.sleep(60)")
    before = path.read_bytes()
    process = subprocess.Popen(
        [sys.executable, "-m", "verify.run", "all", "--book", book],
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(started)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted: notebooks whose run had not ended are unchanged" in errors
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


# --- No CUDA --------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("run-gpu", "CHAPTER=all"), ("test-gpu",)])
def test_no_cuda(project, arguments):
    project.use_this_python()
    result = project.make(*arguments, CUDA_VISIBLE_DEVICES="")
    assert result.returncode != 0
    assert "torch finds no" in result.stderr + result.stdout
    assert "passed" not in result.stdout
