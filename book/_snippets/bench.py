# @title Helper: how times are measured
# snippet: bench
import contextlib
import json
import logging
import math
import os
import platform
import re
import subprocess
import sys
import textwrap
import timeit
import warnings
from datetime import datetime, timezone
from functools import partial
from html import escape
from itertools import product
from pathlib import Path
from time import perf_counter, thread_time

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
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
SECONDS, PASSES = (0.01, 6) if FIGURES else (0.004, 2)
ENOUGH, LONG = 4, 1.0  # passes at a point where one pass takes so many seconds
CLOCK = perf_counter if os.name == "nt" else thread_time  # which is coarse on Windows


def said(path):
    """Return what a file of the system says, nothing if there is none."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def logical_cpus():
    """Return on how many logical CPUs this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def machine(threads, on):
    """Return the card of this machine: what a time depends on."""
    info, cpu = said("/proc/cpuinfo"), Path("/sys/devices/system/cpu/cpu0")
    model = re.search(r"^model name\s*:\s*(.+)$", info, re.M)
    name = model[1].strip() if model else platform.processor() or platform.machine()
    card = {"device": name, "cores": logical_cpus(), "threads": threads}
    card |= {"torch": torch.__version__, "numpy": np.__version__}
    card["python"] = platform.python_version()
    card["date"] = datetime.now(timezone.utc).date().isoformat()
    beside = re.findall(r"(\d+)(?:-(\d+))?", said(cpu / "topology/thread_siblings_list"))
    if beside:
        card["threads_per_core"] = sum(
            int(last or first) - int(first) + 1 for first, last in beside
        )
    caches = []
    for cache in sorted(cpu.glob("cache/index*")):
        kilobytes = re.match(r"\d+", said(cache / "size"))
        if said(cache / "type") != "Instruction" and kilobytes:
            caches.append(f"L{said(cache / 'level')} {as_bytes(1024 * int(kilobytes[0]))}")
    enabled = re.search(r"\[(\w+)\]", said("/sys/kernel/mm/transparent_hugepage/enabled"))
    loaded = re.search(r"tcmalloc|jemalloc|mimalloc", said("/proc/self/maps"))
    told = re.compile("MALLOC_|GLIBC_TUNABLES|THP_MEM_ALLOC|NUMPY_MADVISE|OMP_|GOMP_|KMP_|MKL_")
    card |= {
        "caches": ", ".join(caches) or "unknown",
        "libc": " ".join(platform.libc_ver()).strip() or "unknown",
        "kernel": f"{platform.system()} {platform.release()} ({platform.machine()})",
        "huge_pages": enabled[1] if enabled else "unknown",
        "allocator": loaded[0] if loaded else "the C library's",
        "variables": ", ".join(sorted(filter(told.match, os.environ))) or "none",
        "virtual": bool(re.search(r"^flags.*\bhypervisor\b", info, re.M)),
    }
    if on == "cuda":
        card |= {"cpu": name, "device": torch.cuda.get_device_name(), "link": "unknown"}
        asked = "pcie.link.gen.max,pcie.link.width.max,driver_version"
        command = ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader", "--id=0"]
        with contextlib.suppress(OSError, subprocess.CalledProcessError, ValueError):
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            generation, width, driver = done.stdout.strip().split(", ")
            card["link"] = f"PCIe {generation} x{width}, driver {driver}"
    return card


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


class Times(list):
    """Medians, one for each point, with the lower and the upper quartiles as `spread`."""

    def __init__(self, quartiles):
        low, middle, high = np.asarray(quartiles).tolist()
        super().__init__(middle)
        self.spread = [low, high]


QUARTILES = (0.25, 0.5, 0.75)


def measured(name, points, take, short=None, bytes_each=0, threads=None, on="cpu"):
    """Return a figure: the points, the seconds at each of them, their spread, and the machine.

    `take(points)` measures; it returns {panel: {curve: [seconds at each point]}}. The short form
    takes the points `short`, or every fifth. A point n needs about n * `bytes_each` bytes of
    memory; points that do not fit are left out. `threads` are torch's; `on` is "cpu" or "cuda".
    """
    figures = json.loads(Path(FIGURES).read_text()) if FIGURES else {}
    if name in figures:
        return figures[name]
    points = list(points if FIGURES else short or points[::5])
    free = free_memory()
    if on == "cuda":  # the CPU holds as much as the GPU
        free = min(free, torch.cuda.mem_get_info()[0])
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
    taken = take(fit)
    seconds = round(perf_counter() - start, 1)
    torch.set_num_threads(usual)
    panels, spread = {}, {}
    for panel, lines in taken.items():
        panels[panel] = {curve: rounded(times) for curve, times in lines.items()}
        known = {curve: times for curve, times in lines.items() if isinstance(times, Times)}
        spread[panel] = {c: list(map(rounded, times.spread)) for c, times in known.items()}
    card = machine(threads or usual, on)
    figure = {"machine": card, "seconds": seconds, "points": fit, "panels": panels}
    figure |= {"spread": spread, "note": note}
    if FIGURES:
        Path(FIGURES).write_text(json.dumps(figures | {name: figure}))
    return figure


def rounded(times):
    """Return the times with four digits each."""
    return [float(f"{t:.4g}") for t in times]


def turns(number):
    """Return orders of so many ways: among them, each takes each place equally often.

    And each comes right after each other one equally often, since what ran before decides what is
    in the caches.
    """
    zigzag = [(place + 1) // 2 * (-1) ** (place + 1) for place in range(number)]
    rows = [[(start + step) % number for step in zigzag] for start in range(number)]
    return list(dict.fromkeys(map(tuple, rows + [row[::-1] for row in rows])))


def curves(ways, points, setup, check=None):
    """Return, for each way, the time of a call in seconds at each point, by perfplot.

    perfplot keeps the least time of many calls. It gets one way at a time, and the ways take turns:
    else it holds the result of the first, and the others find less memory free. The median of some
    such passes is returned, with their quartiles; fewer where a pass takes long. `check(first,
    other)` compares the results of two ways.
    """
    passes = PASSES
    if len(ways) < PASSES and FIGURES:  # so that each takes each place equally often
        passes = len(ways) * round(PASSES / len(ways))
    times, orders = np.full((passes, len(ways), len(points)), np.nan), turns(len(ways))
    slow = set()

    def bench(n, data, names, seconds, equality_check=None):
        options = {"n_range": [n], "setup": lambda n: data, "equality_check": equality_check}
        options |= {"target_time_per_measurement": seconds, "show_progress": False}
        return perfplot.bench(kernels=[ways[name] for name in names], labels=names, **options)

    with capture_output(), warnings.catch_warnings():  # perfplot shows an empty progress bar
        warnings.simplefilter("ignore")
        for number, (place, n) in product(range(passes), enumerate(points)):
            if number >= ENOUGH and place in slow:
                continue
            start, data = perf_counter(), setup(n)
            if check and number == 0:
                bench(n, data, list(ways), 0, check)
            for row in orders[number % len(orders)]:
                name = list(ways)[row]
                times[number, row, place] = bench(n, data, [name], SECONDS).timings_s[0, 0]
            if perf_counter() - start > LONG:
                slow.add(place)
    quartiles = np.nanquantile(times, QUARTILES, axis=0)
    return {name: Times(quartiles[:, row]) for row, name in enumerate(ways)}


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

    The ways take turns. Timer times blocks of calls, and waits for CUDA where there is one.
    """
    quartiles = {name: [] for name in ways}
    threads, orders = torch.get_num_threads(), turns(len(ways))  # Timer would use one thread
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for scope in ({"x": setup(n)} for n in points):
            options = {"num_threads": threads}
            timers = [
                benchmark.Timer("way(x)", globals=scope | {"way": way}, **options)
                for way in ways.values()
            ]
            blocks = [[] for _ in ways]
            for number, row in product(range(PASSES), range(len(ways))):
                row = orders[number % len(orders)][row]
                blocks[row] += timers[row].blocked_autorange(min_run_time=SECONDS).times
            for name, times in zip(ways, blocks, strict=True):
                quartiles[name].append(np.quantile(times, QUARTILES))
    return {name: Times(np.transpose(found)) for name, found in quartiles.items()}


def shares_of_time(ways, *args, rounds=300, calls=30, clock=CLOCK):
    """Return the share of each way in the time of a round, the median of all rounds.

    The ways take turns, so a machine that changes its pace changes all of a round, and each way
    takes each place of a round equally often: there are at least so many `rounds`. The clock is
    that of this thread, the one thread of torch here: it stands still while another program has the
    core. Where the thread waits, on CUDA, take `perf_counter`.
    """
    orders = turns(len(ways))
    rounds += -rounds % len(orders)
    times = np.empty((rounds, len(ways)))
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, row in product(range(rounds), range(len(ways))):
            place = orders[number % len(orders)][row]
            call = partial(list(ways.values())[place], *args)
            times[number, place] = timeit.timeit(call, timer=clock, number=calls)
    torch.set_num_threads(usual)
    shares = np.median(times / times.sum(axis=1, keepdims=True), axis=0)
    return dict(zip(ways, shares, strict=True))


# What is said of a figure is computed from it.


def as_bytes(n):
    """Write a number of bytes in the largest binary unit that fits."""
    place = min(3, int(math.log2(max(n, 1)) // 10))
    return f"{n / 1024**place:g} {('bytes', 'KiB', 'MiB', 'GiB')[place]}"


def as_count(n):
    """Write a number, a large power of two as such."""
    power = round(math.log2(n)) if n > 0 else 0
    if n < 100_000 or 2**power != n:
        return f"{n:,}"
    return "2" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def digits(number):
    """Write a number with about three digits."""
    return f"{number:,.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def span(values, unit=""):
    """Say from where to where values reach, two digits of each end, rounded outward."""
    ends = []
    for end, outward in ((np.min(values), math.floor), (np.max(values), math.ceil)):
        power = math.floor(math.log10(abs(end) or 1)) - 1
        end = outward(round(float(end) / 10.0**power, 6)) * 10.0**power
        ends.append(f"{end:,.{max(0, -power)}f}")
    return " to ".join(dict.fromkeys(ends)) + (unit and f" {unit}")


def where(figure, true, unit=as_count):
    """Say at which points of a figure something is true, neighbors as a range."""
    runs, before = [], False
    for n, here in zip(figure["points"], true, strict=True):
        if here and before:
            runs[-1][1:] = [unit(n)]
        elif here:
            runs.append([unit(n)])
        before = here
    return ", ".join(" to ".join(run) for run in runs) or "no size"


def points_between(figure, between):
    """Return which points of a figure lie between two ends."""
    return np.array([between[0] <= n <= between[1] for n in figure["points"]])


ALL = (0, float("inf"))


def ratios(figure, over, under, between=ALL, panels=None, how=np.divide):
    """Return the time of `over` divided by that of `under`, at each point of each panel.

    Both are names of curves, or lists of names: then of all pairs. Other panels are left out. With
    `how=np.subtract` it is the difference.
    """
    over, under = ([names] if isinstance(names, str) else list(names) for names in (over, under))
    keep, found = points_between(figure, between), []
    for panel, lines in figure["panels"].items():
        for one, other in product(over, under):
            if panel in (panels or figure["panels"]) and {one, other} <= lines.keys():
                found.append(how(np.array(lines[one]), np.array(lines[other]))[keep])
    return np.concatenate(found)


def slower_from(figure, slow, fast, panels=None):
    """Return the first point from which on each of `slow` takes longer than each of `fast`.

    None if at the last point it does not.
    """
    first = None
    for n in reversed(figure["points"]):
        if ratios(figure, slow, fast, (n, n), panels).min() <= 1:
            break
        first = n
    return first


def relative(figure, base):
    """Return the figure with each time divided by that of the curve `base` in its panel."""
    panels, spread = {}, {}
    for panel, lines in figure["panels"].items():
        unit = np.array(lines[base])
        panels[panel] = {name: (np.array(times) / unit).tolist() for name, times in lines.items()}
        found = figure.get("spread", {}).get(panel, {})
        spread[panel] = {name: (np.array(ends) / unit).tolist() for name, ends in found.items()}
    return figure | {"panels": panels, "spread": spread}


APART = 1.5


def scatter(figure, between=ALL, unit=as_count):
    """Say where times scatter: where the quartiles are more than `APART` times apart."""
    found, shown = {}, points_between(figure, between)
    for panel, lines in figure.get("spread", {}).items():
        for name, (low, high) in lines.items():
            if name in figure["panels"].get(panel, ()):
                wide = shown & (np.array(high) > APART * np.array(low))
                found[name] = found.get(name, False) | wide
    if not found:
        return ""
    parts = [f"{name} at {where(figure, at, unit)}" for name, at in found.items() if at.any()]
    if not parts:
        return f"Nowhere are the quartiles more than {APART} times apart."
    return f"Quartiles more than {APART} times apart: {'; '.join(parts)}."


def describe(figure):
    """Say on which machine a figure was measured, and what was left out."""
    card = figure["machine"]
    lines = ["{device}, logical CPUs: {cores}, torch threads: {threads}"]
    lines.append("torch {torch}, NumPy {numpy}, Python {python}, {date}")
    if "cpu" in card:
        lines.append("CPU: {cpu}; {link}")
    if "kernel" in card:
        lines[0] += ", threads per core: {threads_per_core}" * ("threads_per_core" in card)
        lines.append(
            "caches: {caches}; " + ("virtual machine" if card["virtual"] else "no hypervisor")
        )
        lines.append("{kernel}, {libc}, huge pages: {huge_pages}")
        lines.append("allocator: {allocator}, variables for it and for threads: {variables}")
    return "\n".join(filter(None, [*(line.format(**card) for line in lines), figure["note"]]))


COLORS = ("#2b7bba", "#d55e00", "#00876a", "#b3589a", "#a36f00", "#1f8fb8", "#7a6fc0", "#8a8a8a")
DASHES = ("", "7 3", "8 3 2 3", "2 3", "10 3 2 3 2 3", "4 2", "12 4", "1 2")
CHART = """
.chart text{font:13px system-ui,sans-serif;text-anchor:start;fill:#1b2430}
.chart .title{font-weight:600;font-size:15px}.chart .code{font:12px ui-monospace,Menlo,monospace}
.chart .note{font:11px system-ui,sans-serif;fill:#52606d}.chart .paper{fill:#fff}
.chart .middle{text-anchor:middle}.chart .end{text-anchor:end}
.chart polyline{fill:none}.chart .grid{stroke:#808080;stroke-opacity:.3}
"""


def in_us(n, seconds):
    """Return microseconds."""
    return seconds * 1e6


def ticks(low, high, log):
    """Return round numbers between two ends."""
    if log:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        many = math.log10(high / low) > 2.5
        found = [m * 10.0**d for d in decades for m in ((1,) if many else (1, 2, 5))]
    else:
        step = 10.0 ** math.floor(math.log10((high - low) / 4))
        step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 6)
        found = [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [tick for tick in found if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def apart(places, least):
    """Move places apart until each is at least so far from the next; keep their order."""
    order, placed = np.argsort(places), np.array(places, dtype=float)
    for _ in range(200):
        for one, other in zip(order, order[1:], strict=False):
            if (gap := placed[other] - placed[one]) < least - 1e-6:
                placed[one] -= (least - gap) / 2
                placed[other] += (least - gap) / 2
    return placed


def picture(
    title,
    figure,
    xlabel="number of float32 elements",
    ylabel="time per call in µs",
    value=in_us,
    limit=(),
    between=ALL,
    log=True,
    logx=True,
):
    """Draw a panel for each panel of the figure, with the points `between` two ends.

    `value(n, seconds)` is what stands on the y axis. Curves named in `limit` are wide and gray:
    what the others are compared with. A band is what lies between the quartiles. A letter at the
    end of each curve leads to its name, with the first and the last value. The picture is an SVG
    that can be read on light and on dark ground; its text says the same in words.
    """
    keep, unit = (
        points_between(figure, between),
        as_bytes if xlabel.startswith("bytes") else as_count,
    )
    points, wide, tall, left, right = np.array(figure["points"])[keep], 500, 230, 46, 474
    parts, words, y = [], [title + "."], 8

    def write(text, x, style="", step=18, width=None):
        nonlocal y
        for line in textwrap.wrap(text, width) if width else [text]:
            y += step
            parts.append(f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(line)}</text>')

    def drawn(panel, name, times):
        ends = figure.get("spread", {}).get(panel, {}).get(name)
        ends = [value(points, np.array(end)[keep]) for end in ends] if ends else None
        return value(points, np.array(times)[keep]), ends

    panels = {
        panel: {name: drawn(panel, name, times) for name, times in lines.items()}
        for panel, lines in figure["panels"].items()
    }
    both = [(line, *(ends or ())) for lines in panels.values() for line, ends in lines.values()]
    every = np.concatenate([values for line in both for values in line])
    low, high = (every.min() / 1.08, every.max() * 1.12) if log else (0, every.max() * 1.08)
    places = np.log2(points) if logx else points.astype(float)
    across = left + 10 + (places - places[0]) / max(np.ptp(places), 1) * (right - left - 20)
    write(title, 8, "title", 20, 54)
    for panel, lines in panels.items():
        y += 8
        write(panel, 8, "code")
        write(ylabel, 8, "note", 16)
        top, bottom = y + 8, y + 8 + tall

        def down(values, top=top):
            values = np.asarray(values, dtype=float)
            ends = np.log([low, high]) if log else (low, high)
            share = ((np.log(values) if log else values) - ends[0]) / (ends[1] - ends[0])
            return top + tall * (1 - share)

        for tick in ticks(low, high, log):
            at = float(down(tick))
            parts.append(f'<path class="grid" d="M{left} {at:.1f}H{right}"/>')
            label = f'<text class="note end" x="{left - 5}" y="{at + 4:.1f}">{tick:,g}</text>'
            parts.append(label)
        free = -1e9
        for n, at in zip(points.tolist(), across.tolist(), strict=True):
            label = unit(n)
            if at - free > 7 * len(label) + 8 and (logx or n % 100 == 0 or n == points[0]):
                free = at
                label = f'<text class="note middle" x="{at:.1f}" y="{bottom + 15}">{label}</text>'
                parts.append(f'<path class="grid" d="M{at:.1f} {top}V{bottom}"/>{label}')
        ends = apart([float(down(line[-1])) for line, _ in lines.values()], 13)
        rows, words_of, number = [], [], 0
        for (name, (line, quartiles)), end in zip(lines.items(), ends.tolist(), strict=True):
            gray, letter = name in limit, chr(ord("A") + len(rows))
            color = "#8a8a8a" if gray else COLORS[number % len(COLORS)]
            dash = "" if gray else DASHES[number % len(DASHES)]
            number += not gray
            style = f'stroke="{color}" stroke-width="{5 if gray else 1.8}"'
            style += f' stroke-dasharray="{dash}"' * bool(dash) + ' stroke-opacity=".55"' * gray
            if quartiles:
                around = [*zip(across, down(quartiles[0]), strict=True)]
                around += [*zip(across, down(quartiles[1]), strict=True)][::-1]
                band = " ".join(f"{x:.1f},{at:.1f}" for x, at in around)
                parts.append(f'<polygon points="{band}" fill="{color}" fill-opacity=".2"/>')
            path = [f"{x:.1f},{at:.1f}" for x, at in zip(across, down(line), strict=True)]
            parts.append(f'<polyline points="{" ".join(path)}" {style}/>')
            if len(points) < 30 and not gray:
                dots = (f'<circle cx="{p.replace(",", chr(34) + " cy=" + chr(34))}"' for p in path)
                parts.append("".join(f'{dot} r="2.4" fill="{color}"/>' for dot in dots))
            parts.append(f'<text x="{right + 6}" y="{end + 4:.1f}">{letter}</text>')
            ends_of = dict.fromkeys([digits(line[0]), digits(line[-1])])  # one, if they are equal
            rows.append((letter, style, f"{name}: {' … '.join(ends_of)}"))
            words_of.append(f"{name} {' to '.join(ends_of)}")
        y = bottom + 15
        write(f"{xlabel}, {unit(points[0].item())} to {unit(points[-1].item())}", left, "note")
        for letter, style, text in rows:
            write(letter, 8)
            parts.append(f'<path d="M24 {y - 4}H52" {style}/>')
            y -= 18
            write(text, 60, "code")
        words.append(f"{panel}, {ylabel}, at the first and the last point: {'; '.join(words_of)}.")
    wavy = scatter(figure, between, unit)
    if wavy:
        wavy = f"Lines: medians; bands: from the lower to the upper quartile. {wavy}"
    y += 6
    for text in (wavy, *describe(figure).splitlines()):
        write(text, 8, "note", 15, 84)
    words[1:1] = [f"{xlabel}: {unit(points[0].item())} to {unit(points[-1].item())}."]
    size = f'width="{wide}" height="{y + 14:g}" viewBox="0 0 {wide} {y + 14:g}"'
    paper = f'<style>{CHART}</style><rect class="paper" width="100%" height="100%"/>'
    svg = '<svg xmlns="http://www.w3.org/2000/svg" class="chart" '
    svg += f"{size}>{paper}{''.join(parts)}</svg>"
    display({"image/svg+xml": svg, "text/plain": " ".join([*words, wavy]).strip()}, raw=True)


def say(figure, *sentences):
    """Show sentences that were computed from a figure, below the name of its machine."""
    start = "Measured on {device}, {date}:".format(**figure["machine"])
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    html = f'<div class="chart-words"><p>{escape(start)}</p><ul>{items}</ul></div>'
    text = "\n".join([start, *(f"- {sentence}" for sentence in sentences)])
    display({"text/html": html, "text/plain": text}, raw=True)


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
    print(describe(figure), benchmark.Compare(results), scatter(figure), sep="\n\n")
