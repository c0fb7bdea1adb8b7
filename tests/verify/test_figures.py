"""The figures of the benchmarks: measured once in full, recorded with their machine, then drawn."""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell

from tests.verify.books import H200, add, code_cells, run, text
from verify import ROOT, figures
from verify import run as command

SNIPPETS = ROOT / "book" / "_snippets"
MACHINE = {
    **{"device": "A CPU", "cores": 2, "threads": 1, "torch": "2.13.0", "numpy": "2.4.6"},
    **{"python": "3.11.7", "date": "2026-11-21"},
}
FIGURE = {"machine": MACHINE, "seconds": 7.0, "points": [1, 2], "panels": {"p": {"a": [1.0, 2.0]}}}
FIGURE["note"] = ""
# What the snippet `bench` does, with the number of this measurement in the place of a time.
MEASURED = f"""\
import json, os, pathlib
file = pathlib.Path(os.environ["BOOK_FIGURES"])
def measured(name):
    found = json.loads(file.read_text())
    if name not in found:
        found[name] = json.loads('{json.dumps(FIGURE)}') | {{"seconds": len(found) + 1}}
        file.write_text(json.dumps(found))
    return found[name]
"""


def record(path, **figures_of_it):
    """Write figures as the recorded ones of a notebook; return the file."""
    file = figures.file_of(path)
    file.parent.mkdir(exist_ok=True)
    file.write_text(figures.text_of(figures_of_it), encoding="utf-8")
    return file


def test_measured_once_then_drawn(book, capsys):
    path = add(book, MEASURED, 'measured("small")["seconds"]', 'print(measured("large")["points"])')
    file = record(path, small=FIGURE, gone=FIGURE)
    assert run(book, "clone", "--measure") == 0
    said = capsys.readouterr().out
    assert "2 figures, about 67 s of measuring, a guess" in said  # 7 s, and one not known
    recorded = json.loads(file.read_text(encoding="utf-8"))
    assert list(recorded) == ["small", "large"]  # the one that no cell measures is gone
    assert recorded["small"] == FIGURE | {"seconds": 1}
    assert text(code_cells(path)[2]) == "[1, 2]\n"
    assert "[ 1, 2 ]" in file.read_text(encoding="utf-8")  # a line for each list of numbers
    stored = path.read_bytes(), file.read_bytes()
    assert run(book, "clone") == 0
    assert "unchanged" in capsys.readouterr().out
    assert (path.read_bytes(), file.read_bytes()) == stored
    assert run(book, "clone", "--measure") == 0
    assert "2 figures, about 3 s of measuring as the last time" in capsys.readouterr().out


def test_a_figure_that_is_not_recorded(book, capsys):
    path = add(book, MEASURED, 'measured("small")')
    before = path.read_bytes()
    assert run(book, "clone") == 1
    assert "'small'" in (said := capsys.readouterr().err)
    assert "is not recorded: make benchmarks CHAPTER=clone" in said
    assert path.read_bytes() == before and not figures.file_of(path).exists()


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ('measured("small")\n1 / 0', "ZeroDivisionError"),
        ('if False:\n    measured("small")', "did not measure the figure 'small'"),
        ('name = "small"\nmeasured(name)', "is not written out"),
    ],
)
def test_a_run_that_fails_keeps_the_figures(book, capsys, cell, message):
    path = add(book, MEASURED, cell)
    file = record(path, small=FIGURE)
    before = path.read_bytes(), file.read_bytes()
    assert run(book, "clone", "--measure") == 1
    assert message in capsys.readouterr().err
    assert (path.read_bytes(), file.read_bytes()) == before


def test_cells_for_a_gpu_and_others_are_measured_apart(book, monkeypatch, capsys):
    gpu = new_code_cell('measured("on_gpu")["seconds"]', metadata={"tags": ["gpu"]})
    path = add(book, MEASURED, 'measured("small")["seconds"]', gpu)
    assert run(book, "clone", "--measure") == 0  # no CUDA: the gpu cell is not run
    file = figures.file_of(path)
    assert list(figures.read(file)) == ["small"]
    monkeypatch.setattr(command, "describe_gpu", lambda: H200)
    assert run(book, "clone", "--gpu") == 1
    assert "make benchmarks-gpu CHAPTER=clone" in capsys.readouterr().err
    assert run(book, "clone", "--gpu", "--measure") == 0
    both = figures.read(file)
    assert [both[name]["seconds"] for name in ("small", "on_gpu")] == [1, 2]
    assert run(book, "clone", "--measure") == 0
    assert figures.read(file)["on_gpu"] == both["on_gpu"]  # kept, it was not run


def test_a_chapter_without_figures(book, capsys):
    add(book, "1")
    assert run(book, "clone", "--measure") == 1
    assert "clone has no figure: nothing to measure" in capsys.readouterr().err


# The snippet itself


@pytest.fixture
def bench(monkeypatch):
    """Return a function that runs the snippets `glance` and `bench`; it returns their names."""

    def start(file=None):
        import torch

        monkeypatch.delenv("BOOK_FIGURES", raising=False)
        if file:
            monkeypatch.setenv("BOOK_FIGURES", str(file))
        names = {"torch": torch}
        for name in ("glance", "bench"):
            exec((SNIPPETS / f"{name}.py").read_text(encoding="utf-8"), names)
        return names

    return start


def squares(points):
    return {"panel": {"a curve": [n**2 / 3 for n in points]}}


def test_without_a_file_a_short_form_is_measured(bench):
    names = bench()
    figure = names["measured"]("small", range(1, 12), squares)
    assert figure["points"] == [1, 6, 11]
    assert figure["panels"] == {"panel": {"a curve": [0.3333, 12.0, 40.33]}}
    short = names["measured"]("small", range(1, 12), squares, short=[2], threads=1)
    assert short["points"] == [2] and short["machine"]["threads"] == 1


def test_with_a_file_it_is_measured_in_full_and_then_read(bench, tmp_path):
    file = tmp_path / "figures.json"
    file.write_text("{}", encoding="utf-8")
    names = bench(file)
    figure = names["measured"]("small", range(1, 12), squares)
    assert figure["points"] == list(range(1, 12))
    assert figures.read(file) == {"small": figure}  # it has the form that is asked for
    assert names["measured"]("small", range(1, 12), None) == figure  # nothing is measured again


def test_points_that_do_not_fit_into_memory_are_left_out(bench):
    names = bench()
    names["free_memory"] = lambda: 1e9
    sizes = [10**k for k in range(4, 10)]
    figure = names["measured"]("large", sizes, squares, short=sizes, bytes_each=4)
    assert figure["points"] == [10**k for k in range(4, 9)]
    assert figure["note"] == "left out, from 1,000,000,000 on: 4.0 GB of memory needed, 1.0 GB free"
    assert figure["note"] in names["describe"](figure)
    with pytest.raises(MemoryError, match="from 1,000,000,000 on: 4.0 GB"):
        names["measured"]("huge", sizes, squares, short=[10**9], bytes_each=4)
    assert 0 < bench()["free_memory"]() < math.inf or not Path("/proc/meminfo").exists()


def test_ways_are_timed_and_compared(bench):
    names = bench()
    ways = {"clone": lambda x: x.clone(), "detach, clone": lambda x: x.detach().clone()}
    ends = [1, 2**20]  # far apart: a busy machine delays either
    lines = names["curves"](ways, ends, **names["tensors"](requires_grad=True))
    assert list(lines) == list(ways)
    assert all(0 < small < large < 1 for small, large in lines.values())
    with pytest.raises(ValueError, match="shares memory with the source"):
        names["curves"](ways | {"alias": lambda x: x.detach()}, [4], **names["tensors"]())
    ones = names["torch"].ones
    lines = names["medians"](ways, ends, ones)
    assert all(0 < small < large < 1 for small, large in lines.values())
    twice = {"once": lambda x: x.clone(), "four times": lambda x: [x.clone() for _ in range(4)]}
    shares = names["shares_of_time"](twice, ones(2**16), rounds=30)
    assert shares["four times"] > 2 * shares["once"]
    seen, usual = [], names["torch"].get_num_threads()
    names["torch"].set_num_threads(2)
    probe = {"probe": lambda: seen.append(names["torch"].get_num_threads())}
    names["shares_of_time"](probe, rounds=1, calls=1)
    assert [*seen, names["torch"].get_num_threads()] == [1, 2]
    waits = {"works": lambda: sum(range(20_000)), "waits": lambda: time.sleep(0.005)}
    for clock, longer in ((names["CLOCK"], "works"), (time.perf_counter, "waits")):
        shares = names["shares_of_time"](waits, rounds=9, calls=1, clock=clock)
        assert max(shares, key=shares.get) == longer
    names["torch"].set_num_threads(usual)


def test_the_table_shows_the_times(bench):
    names, shown = bench(), []
    names["print"] = lambda *parts, sep: shown.append(sep.join(map(str, parts)))
    panels = {"copies": {"clone": [2.5e-6, 40e-6]}}
    names["table"](FIGURE | {"points": [1, 2048], "panels": panels})
    (printed,) = shown
    for part in ("A CPU, logical CPUs: 2", "copies", "2,048", "clone", "2.5", "40.0", "(us)"):
        assert part in printed


def test_the_import_of_perfplot_changes_no_setting_of_matplotlib(bench, monkeypatch):
    import matplotlib.pyplot as plt

    for name in [name for name in sys.modules if name.startswith("perfplot")]:
        monkeypatch.delitem(sys.modules, name)  # else the import does nothing
    before = dict(plt.rcParams)
    bench()
    assert dict(plt.rcParams) == before


def test_where_perfplot_is_missing_the_pinned_release_is_installed(bench, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("perfplot")]:
        monkeypatch.delitem(sys.modules, name)
    installed = []
    monkeypatch.setattr(sys, "meta_path", [Without("perfplot"), *sys.meta_path])

    def pip(command, check):
        assert check
        installed.append(command)
        del sys.meta_path[0]

    monkeypatch.setattr(subprocess, "run", pip)
    assert "perfplot" in bench()
    requirements = (SNIPPETS.parent.parent / "requirements.txt").read_text(encoding="utf-8")
    (pin,) = [line for line in requirements.split() if line.startswith("perfplot==")]
    assert installed == [[sys.executable, "-m", "pip", "install", "--quiet", pin]]


class Without:
    """A finder that does not find one package."""

    def __init__(self, package):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
