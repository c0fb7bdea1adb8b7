"""The figures of the benchmarks: measured once in full, recorded with their machine, then drawn."""

import json
import math
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from nbformat.v4 import new_code_cell, new_output

from tests.verify.books import H200, add, code_cells, run, text
from verify import ROOT, figures, nbval_plugin
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


def squares(points):
    return {"panel": {"a curve": [n**2 / 3 for n in points]}}


def test_without_a_file_a_short_form_is_measured(bench):
    names = bench()
    figure = names["measured"]("small", range(1, 12), squares)
    assert figure["points"] == [1, 6, 11]
    assert figure["panels"] == {"panel": {"a curve": [0.3333, 12.0, 40.33]}}
    short = names["measured"]("small", range(1, 12), squares, short=[2], threads=1)
    assert short["points"] == [2] and short["machine"]["threads"] == 1
    assert short["spread"] == {"panel": {}}  # measured once


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


def test_each_way_takes_each_place_and_follows_each_other_equally_often(bench):
    turns = bench()["turns"]
    assert turns(1) == [(0,)] and turns(2) == [(0, 1), (1, 0)]
    for number in range(2, 10):
        orders = turns(number)
        assert all(sorted(order) == list(range(number)) for order in orders)
        for place in range(number):
            stood = [order[place] for order in orders]
            assert {stood.count(way) for way in range(number)} == {len(orders) // number}
        pairs = [pair for order in orders for pair in zip(order, order[1:], strict=False)]
        assert {pairs.count(pair) for pair in pairs} == {len(pairs) // len(set(pairs))}
        assert len(set(pairs)) == number * (number - 1)


def test_rounds_are_enough_for_all_orders(bench):
    names, seen = bench(), []
    ways = {name: lambda name=name: seen.append(name) for name in "abc"}
    names["shares_of_time"](ways, rounds=7, calls=1)
    rounds = [seen[start : start + 3] for start in range(0, len(seen), 3)]
    assert len(rounds) == 12
    for place in range(3):
        assert sorted(order[place] for order in rounds) == sorted(4 * "abc")


def test_the_spread_is_recorded(bench, tmp_path):
    names = bench()
    quartiles = [[1.0, 2.0], [1.5, 2.5], [4.0, 3.0]]
    take = lambda points: {"p": {"a": names["Times"](quartiles), "b": [1.0, 1.0]}}  # noqa: E731
    figure = names["measured"]("small", [1, 2], take, [1, 2])
    assert figure["panels"] == {"p": {"a": [1.5, 2.5], "b": [1.0, 1.0]}}
    assert figure["spread"] == {"p": {"a": [[1.0, 2.0], [4.0, 3.0]]}}
    assert names["scatter"](figure) == "Quartiles more than 1.5 times apart: a at 1."
    assert names["scatter"](figure, (2, 2)).startswith("Nowhere are the quartiles")
    half = names["relative"](figure | {"panels": {"p": {"a": [2.0, 4.0], "b": [4.0, 8.0]}}}, "b")
    assert half["panels"]["p"]["a"] == [0.5, 0.5] and half["spread"]["p"]["a"][0] == [0.25, 0.25]
    file = tmp_path / "figures.json"
    too_few, too_high = [[1.0], [4.0]], [[2.0] * 2, [4.0] * 2]
    for wrong, message in [(too_few, "not as many times"), (too_high, "a median that is not")]:
        file.write_text(json.dumps({"small": figure | {"spread": {"p": {"a": wrong}}}}))
        with pytest.raises(figures.FiguresError, match=message):
            figures.read(file)
    for tool in ("curves", "medians"):
        (times,) = names[tool]({"clone": lambda x: x.clone()}, [1, 8], names["torch"].ones).values()
        low, high = times.spread
        assert all(a <= b <= c for a, b, c in zip(low, times, high, strict=True))


def test_the_card_of_the_machine(bench, monkeypatch):
    names = bench()
    card = names["machine"](1, "cpu")
    assert card["cores"] == names["logical_cpus"]() and card["caches"] and card["allocator"]
    figure = FIGURE | {"machine": card}
    assert json.loads(json.dumps(card)) == card
    figures.jsonschema.validate({"a": figure}, figures.SCHEMA)
    assert card["kernel"] in names["describe"](figure)

    class Done:
        stdout = "5, 16, 570.1\n"

    cuda = names["torch"].cuda
    monkeypatch.setattr(cuda, "get_device_name", lambda: "A GPU")
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: Done)
    both = names["machine"](1, "cuda")
    assert (both["device"], both["cpu"]) == ("A GPU", card["device"])
    assert both["link"] == "PCIe 5 x16, driver 570.1"


WORDS = {
    "p": {"slow": [2e-6, 4e-6, 9e-6], "fast": [1e-6, 4e-6, 3e-6]},
    "q": {"slow": [3.0, 3.0, 3.0], "fast": [1.0, 2.0, 1.0]},
}


def test_words_are_computed_from_the_figure(bench):
    names = bench()
    figure = FIGURE | {"points": [1, 2, 4], "panels": WORDS}
    of = lambda *args, **options: names["ratios"](figure, *args, **options).tolist()  # noqa: E731
    assert of("slow", "fast") == pytest.approx([2, 1, 3, 3, 1.5, 3])
    assert of(["slow"], ["fast"], (2, 4), ["p"]) == pytest.approx([1, 3])
    assert of("slow", "fast", panels=["q"], how=lambda a, b: a - b) == [2, 1, 2]
    assert names["slower_from"](figure, ["slow"], "fast") == 4
    assert names["slower_from"](figure, ["fast"], "slow") is None
    assert names["slower_from"](figure, "slow", "fast", ["q"]) == 1
    for values, words in [
        ([1.234, 1.877], "1.2 to 1.9"),
        ([0.0712, 12.01], "0.071 to 13"),
        ([2.0], "2.0"),
        ([-0.021, 1.1], "-0.021 to 1.1"),
        ([0.99, 1.0], "0.99 to 1.0"),
        ([1234], "1,200 to 1,300"),
    ]:
        assert names["span"](values) == words
    assert names["span"]([1.5], "µs") == "1.5 µs"
    assert names["where"](figure, [True, True, False]) == "1 to 2"
    assert names["where"](figure, [True, False, True]) == "1, 4"
    assert names["where"](figure, [False] * 3) == "no size"
    assert [names["as_bytes"](n) for n in (1, 2**10, 3 * 2**19, 2**30)] == [
        *("1 bytes", "1 KiB", "1.5 MiB", "1 GiB")
    ]
    counts = [names["as_count"](n) for n in (1, 1000, 2**16, 2**17)]
    assert counts == ["1", "1,000", "65,536", "2¹⁷"]


def test_a_chart_shows_each_curve_and_says_it_in_words(bench):
    names, shown = bench(), []
    names["display"] = lambda data, raw: shown.append(data)
    panels = {"left": {"a": [1e-6, 2e-6], "limit": [1e-6, 1e-6]}, "right": {"a": [3e-6, 4e-6]}}
    spread = {"left": {"a": [[0.5e-6, 1e-6], [2e-6, 3e-6]]}, "right": {}}
    figure = FIGURE | {"panels": panels, "spread": spread}
    names["picture"]("A title", figure, limit=["limit"], log=False)
    (chart,) = shown
    svg = ElementTree.fromstring(chart["image/svg+xml"])
    count = lambda tag: len(svg.findall(f".//{{*}}{tag}"))  # noqa: E731
    assert (count("polyline"), count("polygon")) == (3, 1)
    words = chart["text/plain"]
    parts = "A title.", "left, time per call in µs", "a 1.00 to 2.00; limit 1.00", "a 3.00 to 4.00"
    for part in parts:
        assert part in words
    names["say"](figure, "a < b")
    assert "a &lt; b" in shown[1]["text/html"] and "A CPU, 2026-11-21" in shown[1]["text/plain"]
    for data in shown:  # other times in a test are no difference
        assert nbval_plugin.is_chart(new_output("display_data", data))
    assert not nbval_plugin.is_chart(new_output("display_data", {"image/svg+xml": "<svg/>"}))


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
