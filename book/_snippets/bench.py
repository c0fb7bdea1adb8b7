# @title Helper: how times are measured
# snippet: bench
import json
import logging
import os
import platform
import subprocess
import sys
import timeit
import warnings
from datetime import datetime, timezone
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter, thread_time

import matplotlib.pyplot as plt
import numpy as np
from IPython.utils.capture import capture_output

logging.disable(logging.WARNING)  # a build for CUDA logs here that it finds no GPU
from torch.utils import benchmark  # noqa: E402

logging.disable(logging.NOTSET)
with plt.rc_context():  # the import changes settings of matplotlib: take them back
    try:
        import perfplot
    except ModuleNotFoundError:  # in Colab, which has all the rest
        install = [sys.executable, "-m", "pip", "install", "--quiet", "perfplot==0.10.2"]
        subprocess.run(install, check=True)
        import perfplot

# The file of the recorded figures, when the book itself is made. Without it, in Colab or in the
# tests, a short form is measured: fewer points, less time for each.
FIGURES = os.environ.get("BOOK_FIGURES")
SECONDS, PASSES = (0.02, 6) if FIGURES else (0.004, 2)
CLOCK = perf_counter if os.name == "nt" else thread_time  # which is coarse on Windows


def machine(threads, on):
    """Return the card of this machine: what a time depends on."""
    name = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        models = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        name = models[0].split(":")[1].strip() if models else name
    if on == "cuda":
        name = torch.cuda.get_device_name()
    versions = {"torch": torch.__version__, "numpy": np.__version__}
    versions["python"] = platform.python_version()
    date = datetime.now(timezone.utc).date().isoformat()
    return {"device": name, "cores": os.cpu_count(), "threads": threads, **versions, "date": date}


def free_memory():
    """Return the bytes of memory that are free, as far as the system says it."""
    found = [float("inf")]
    if (info := Path("/proc/meminfo")).exists():
        fields = dict(line.split(":") for line in info.read_text().splitlines())
        found.append(int(fields["MemAvailable"].split()[0]) * 1024)
    group = Path("/sys/fs/cgroup")  # in a container
    if (most := group / "memory.max").exists() and most.read_text().strip() != "max":
        found.append(int(most.read_text()) - int((group / "memory.current").read_text()))
    return min(found)


def measured(name, points, take, short=None, bytes_each=0, threads=None, on="cpu"):
    """Return a figure: the points, the seconds at each of them, and the machine.

    `take(points)` measures; it returns {panel: {curve: [seconds at each point]}}. The short form
    takes the points `short`, or every fifth. A point n needs about n * `bytes_each` bytes of
    memory; points that do not fit are left out. `threads` are torch's; `on` is "cpu" or "cuda".
    """
    figures = json.loads(Path(FIGURES).read_text()) if FIGURES else {}
    if name in figures:
        return figures[name]
    points = list(points if FIGURES else short or points[::5])
    free = free_memory() if on == "cpu" else torch.cuda.mem_get_info()[0]
    fit = [n for n in points if n * bytes_each <= 0.8 * free]
    note = ""
    if fit != points:
        first = next(n for n in points if n not in fit)
        note = f"left out, from {first:,} on: {first * bytes_each / 1e9:.1f} GB of memory needed, "
        note += f"{free / 1e9:.1f} GB free"
    if not fit:
        raise MemoryError(note)
    usual = torch.get_num_threads()
    torch.set_num_threads(threads or usual)
    start = perf_counter()
    panels = {
        panel: {curve: [float(f"{t:.4g}") for t in times] for curve, times in lines.items()}
        for panel, lines in take(fit).items()
    }
    seconds = round(perf_counter() - start, 1)
    torch.set_num_threads(usual)
    card = machine(threads or usual, on)
    figure = {"machine": card, "seconds": seconds, "points": fit, "panels": panels, "note": note}
    if FIGURES:
        Path(FIGURES).write_text(json.dumps(figures | {name: figure}))
    return figure


def curves(ways, points, setup, check=None):
    """Return, for each way, the time of a call in seconds at each point, by perfplot.

    perfplot keeps the least time. It gets one way at a time, and the ways take turns: else it holds
    the result of the first, and the others find less memory free. An interruption, or a lucky find
    of free memory, can spoil a time: the lower quartile of some passes is taken.
    `check(first, other)` compares the results of two ways.
    """
    times = np.empty((PASSES, len(ways), len(points)))

    def bench(n, data, names, seconds, equality_check=None):
        options = {"n_range": [n], "setup": lambda n: data, "equality_check": equality_check}
        options |= {"target_time_per_measurement": seconds, "show_progress": False}
        return perfplot.bench(kernels=[ways[name] for name in names], labels=names, **options)

    with capture_output(), warnings.catch_warnings():  # perfplot shows an empty progress bar
        warnings.simplefilter("ignore")
        for number, (place, n) in product(range(PASSES), enumerate(points)):
            data = setup(n)
            if check and number == 0:
                bench(n, data, list(ways), 0, check)
            for turn in range(len(ways)):  # another one begins in each pass
                row = (number + turn) % len(ways)
                name = list(ways)[row]
                times[number, row, place] = bench(n, data, [name], SECONDS).timings_s[0, 0]
    return dict(zip(ways, np.quantile(times, 0.25, axis=0).tolist(), strict=True))


def tensors(**options):
    """Return what `curves` needs to time copies of one tensor of n elements: set-up and check.

    perfplot calls `setup` once per point. Its own check takes an alias for a copy, and cannot read
    tensors that require grad; this one compares the values and the memory.
    """
    source = None

    def setup(n):
        nonlocal source
        source = torch.randn(n, device="cpu", **options)
        return source

    def independent(first, other):
        if len({memory_of(value)[0] for value in (source, first, other)}) < 3:
            raise ValueError("a result shares memory with the source or with another result")
        return torch.equal(*(torch.as_tensor(value).detach() for value in (first, other)))

    return {"setup": setup, "check": independent}


def medians(ways, points, setup):
    """Return, for each way, the median time of a call in seconds at each point, by torch's Timer.

    Timer waits for CUDA where there is one.
    """
    times = {name: [] for name in ways}
    threads = torch.get_num_threads()  # Timer would use one
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for scope in ({"x": setup(n)} for n in points):
            for name, way in ways.items():
                timer = benchmark.Timer("way(x)", globals=scope | {"way": way}, num_threads=threads)
                times[name].append(timer.blocked_autorange(min_run_time=SECONDS * PASSES).median)
    return times


def shares_of_time(ways, *args, rounds=300, calls=30, clock=CLOCK):
    """Return the share of each way in the time of a round, the median of all rounds.

    The ways take turns, so a machine that changes its pace changes all of a round. The clock is
    that of this thread, the one thread of torch here: it stands still while another program has the
    core. Where the thread waits, on CUDA, take `perf_counter`.
    """
    times = np.empty((rounds, len(ways)))
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, row in product(range(rounds), range(len(ways))):
            place = (number + row) % len(ways)  # another one begins in each round
            call = partial(list(ways.values())[place], *args)
            times[number, place] = timeit.timeit(call, timer=clock, number=calls)
    torch.set_num_threads(usual)
    shares = np.median(times / times.sum(axis=1, keepdims=True), axis=0)
    return dict(zip(ways, shares, strict=True))


def describe(figure):
    """Say on which machine a figure was measured, and what was left out."""
    lines = "{device}, logical CPUs: {cores}, torch threads: {threads}\n"
    lines += "torch {torch}, NumPy {numpy}, Python {python}, {date}"
    return "\n".join(filter(None, [lines.format(**figure["machine"]), figure["note"]]))


STYLES = [
    {"color": "#0072B2", "linestyle": "-", "marker": "o"},
    {"color": "#D55E00", "linestyle": "--", "marker": "s"},
    {"color": "#007A5A", "linestyle": "-.", "marker": "^"},
    {"color": "#B3589A", "linestyle": ":", "marker": "D"},
    {"color": "#A36F00", "linestyle": (0, (6, 1, 1, 1, 1, 1)), "marker": "v"},
    {"color": "#56B4E9", "linestyle": (0, (1, 1)), "marker": "P"},
    {"color": "#222222", "linestyle": (0, (8, 2)), "marker": "X"},
]
GRAY = {"color": "#606060", "linestyle": "-", "marker": "", "linewidth": 4, "alpha": 0.5}


def in_us(n, seconds):
    """Return microseconds."""
    return seconds * 1e6


def picture(
    title,
    figure,
    xlabel="number of float32 elements",
    ylabel="time per call in µs",
    value=in_us,
    limit=(),
    between=(0, float("inf")),
    log=True,
):
    """Draw a panel for each panel of the figure, with the points `between` two ends.

    `value(n, seconds)` is what stands on the y axis. Curves named in `limit` are gray: what the
    others are compared with. The legend gives the first and the last value of each curve.
    """
    panels, keep = figure["panels"], [between[0] <= n <= between[1] for n in figure["points"]]
    points = np.array(figure["points"])[keep]
    fig, axes = plt.subplots(
        1, len(panels), figsize=(5.4 * len(panels), 5.6), sharey=True, squeeze=False, dpi=110
    )
    for axis, (subtitle, lines) in zip(axes[0], panels.items(), strict=True):
        width, styles = max(map(len, lines)), iter(STYLES)
        for name, times in lines.items():
            values = value(points, np.array(times)[keep])
            style = GRAY if name in limit else next(styles)
            ends = (f"{v:,.{0 if v >= 100 else 2}f}" for v in (values[0], values[-1]))
            label = f"{name:<{width}}  {' … '.join(ends)}"
            sizes = {"markersize": 4 if len(points) < 30 else 0, "linewidth": 1.6}
            axis.plot(points, values, label=label, **sizes | style)
        axis.set_xscale("log", base=2)
        if len(points) < 30:
            axis.set_xticks(points[:: 1 + len(points) // 8])
        if log:
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter("{x:,g}")
        axis.set_title(subtitle, fontsize=11)
        axis.set_xlabel(xlabel)
        axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
        axis.tick_params(labelleft=True)
        place = {"loc": "upper left", "bbox_to_anchor": (-0.06, -0.13)}
        font = {"family": "monospace", "size": 8.5}
        axis.legend(**place, frameon=False, prop=font, alignment="left")
    if not log:
        axes[0][0].set_ylim(bottom=0)  # of all panels: they share it
    axes[0][0].set_ylabel(ylabel)
    fig.suptitle(title, fontsize=13)
    card = {"ha": "center", "va": "center", "fontsize": 7.5, "color": "#404040"}
    fig.text(0.5, 0.92, describe(figure), **card)
    fig.subplots_adjust(top=0.84, wspace=0.18)
    plt.show()


def table(figure):
    """Print the times of a figure as a table, made by torch's Compare."""
    results = [
        benchmark.Measurement(
            number_per_run=1,
            raw_times=[times[place]],
            task_spec=benchmark.utils.common.TaskSpec(
                stmt=name,
                setup="",
                label=panel,
                description=f"{n:,}",
                num_threads=figure["machine"]["threads"],
            ),
        )
        for panel, lines in figure["panels"].items()
        for place, n in enumerate(figure["points"])
        for name, times in lines.items()
    ]
    print(describe(figure), benchmark.Compare(results), sep="\n\n")
