"""nbval, stricter: what `pytest --nbval` lets through fails here.

pyproject.toml loads this plugin. It gives each notebook a kernel that stands alone in an empty
folder (kernel/), compares outputs in their order, and counts the cells that were not run. With
--record it writes what became of each claim (recorder.py).
"""

import ast
import contextlib
import functools
import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from queue import Empty

import nbval.plugin
import pytest
import zmq
from jupyter_client import KernelManager
from nbval.kernel import RunningKernel
from nbval.plugin import IPyNbCell, IPyNbFile

from verify import heads
from verify.book import is_gpu
from verify.evidence import RUNNER
from verify.kernel import QUIET
from verify.kernel.forked import ForkProvisioner, ForkServer, can_serve
from verify.recorder import NO_RECORD, Recorder, first_line, torch_version

COMPARED = "compared"
FORKED, STARTED = "forked", "started anew"
SERVER = pytest.StashKey[ForkServer]()
NEEDS_CUDA = f"not run: needs {heads.CUDA}"
NEEDS_COMPILER = f"not run: needs {heads.COMPILER}"
UNVERIFIED = "This book was verified with torch "
APPROVED = "skipped or not compared by approval (verify/approved.toml)"
# What takes long to import, in the order of a process of its own: a fork has it imported already
# if the notebook names it.
AHEAD = ("numpy", "torch", "matplotlib")
# MB that a kernel of these notebooks may hold, and a process that it starts, so that both together
# stay near 1 GB: the libraries, some 150 MB, are counted in each but lie in memory once. A process
# of allocators.ipynb holds 634 or 702 MB, by the run: two copies of 256 MiB and the libraries.
LIMITED, MOST = "benchmarks", (1000, 800)
PEAKS = "[__import__('resource').getrusage(who).ru_maxrss for who in (0, -1)]"


@functools.cache
def has_cuda():
    """Say whether torch finds CUDA, without importing torch into the process of pytest."""
    torch = importlib.util.find_spec("torch")
    if torch is None or runpy.run_path(Path(torch.origin).with_name("version.py"))["cuda"] is None:
        return False  # a CPU build: no need to start Python for the answer
    ask = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([sys.executable, "-c", ask]).returncode == 0


def has_limits():
    """Tell whether memory is limited: a build of torch for CUDA alone takes some 0.3 GB more."""
    return sys.platform == "linux" and torch_version().endswith("+cpu")


def has_compiler():
    """Say whether `torch.compile` finds a compiler; it looks where this does."""
    return shutil.which(os.environ.get("CXX", "g++")) is not None


def pytest_addoption(parser):
    parser.addoption(
        "--require-cuda", action="store_true", help="stop at once when there is no CUDA"
    )
    parser.addoption(
        "--plain-kernels",
        action="store_true",
        help="start each kernel anew, where kernels could be forked from one that has torch",
    )
    parser.addoption(
        "--record",
        metavar="PATH",
        help="write the result of every claim into this file, or into a file named RUNNER-torch-"
        "RELEASE.json in this folder (PATH ends in /)",
    )
    parser.addoption("--runner", help="the name of this machine in the record: cpu or cuda if none")


def pytest_configure(config):
    option = config.option
    if getattr(option, "numprocesses", None) and option.dist not in ("loadfile", "no"):
        raise pytest.UsageError(
            f"--dist {option.dist} would split the cells of a notebook over several kernels: "
            "run with -n and --dist loadfile"
        )
    if option.require_cuda and not has_cuda():
        raise pytest.UsageError(
            "--require-cuda: torch finds no CUDA here, so the gpu cells cannot be run"
        )
    if option.runner and not re.fullmatch(RUNNER, option.runner):
        raise pytest.UsageError("--runner: a name of a-z, 0-9 and -, such as laptop-cpu")
    if option.record and not hasattr(config, "workerinput"):  # not in the workers of xdist
        try:
            recorder = Recorder(config.rootpath, option.record, option.runner, has_cuda())
        except OSError as error:
            raise pytest.UsageError(f"--record {option.record}: {error.strerror}") from None
        config.pluginmanager.register(recorder, "recorder")
    kernels = str(Path(__file__).parent / "kernel")
    os.environ["JUPYTER_PATH"] = os.pathsep.join(
        filter(None, [kernels, os.environ.get("JUPYTER_PATH")])
    )
    os.environ["PYTHONWARNINGS"] = QUIET
    if option.nbval_sanitize_with and config.inipath:  # so that pytest runs from any folder
        option.nbval_sanitize_with = str(config.inipath.parent / option.nbval_sanitize_with)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put our collector in the place of nbval's."""
    return [
        Notebook.from_parent(parent, path=file_path) if isinstance(found, IPyNbFile) else found
        for found in (yield)
    ]


def fork_server(config):
    """Return the process of this worker that forks kernels, or None where a fork is not to be had.

    Not after CUDA was touched, and not on systems that cannot pass it a file.
    """
    if config.option.plain_kernels or sys.platform != "linux" or has_cuda():
        return None
    if SERVER not in config.stash:
        config.stash[SERVER] = ForkServer()
    return config.stash[SERVER]


def pytest_unconfigure(config):
    if SERVER in config.stash:
        config.stash[SERVER].close()


def pytest_terminal_summary(terminalreporter):
    """Print two lines that say what became of the cells, and where the kernels came from."""
    reports = [r for found in terminalreporter.stats.values() for r in found]
    cells = Counter(
        value
        for report in reports
        if getattr(report, "when", None) == "call" or getattr(report, "skipped", False)
        for key, value in getattr(report, "user_properties", ())
        if key == "cell"
    )
    if cells:
        parts = [f"{cells.pop(COMPARED, 0)} {COMPARED}"]
        parts += [f"{cells.pop(kind, 0)} {kind}" for kind in (NEEDS_CUDA, APPROVED)]
        parts += [f"{number} {kind}" for kind, number in cells.items()]
        terminalreporter.write_line("notebook cells: " + "; ".join(parts))
    kernels = {
        (report.nodeid.split("::")[0], value)
        for report in reports
        for key, value in getattr(report, "user_properties", ())
        if key == "kernel"
    }
    if kernels:
        origins = Counter(origin for _, origin in kernels)
        parts = [f"{number} {origin}" for origin, number in origins.items()]
        terminalreporter.write_line("kernels: " + ", ".join(parts))


class Kernel(RunningKernel):
    """nbval's kernel, which keeps its stderr and notices its death."""

    def __init__(self, name, folder, startup_timeout, server=None, imports=()):
        work, settings = folder / "work", folder / "ipython"
        work.mkdir()
        self.stderr = (folder / "stderr").open("w+", errors="replace")
        environment = dict(os.environ, IPYTHONDIR=str(settings))  # not the user's start-up files
        # Sockets in the folder: two kernels that start at once may be given one TCP port.
        # One context for all: the garbage collector ends one of its own, and if it comes before a
        # socket that is still open, it waits forever.
        ours = zmq.Context.instance()
        place = str(folder / "socket")
        self.km = KernelManager(kernel_name=name, transport="ipc", ip=place, context=ours)
        self.kc, self.origin = None, STARTED
        if server is not None and can_serve(server, environment):
            self.km.provisioner = ForkProvisioner(parent=self.km, kernel_spec=self.km.kernel_spec)
            self.km.provisioner.server, self.km.provisioner.imports = server, imports
            self.origin = FORKED
        try:
            self.km.start_kernel(stderr=self.stderr, cwd=str(work), env=environment)
            self.kc = self.km.client(context=ours)
            self.kc.start_channels()
            self.await_output(startup_timeout)
        except Exception as error:
            reason = f"the kernel {name!r} did not start: {error}\n{self.log()}"
            with contextlib.suppress(Exception):  # there may be less of it than it wants to end
                self.stop()
            raise pytest.fail.Exception(reason, pytrace=False) from None

    def await_output(self, timeout):
        """Wait until the kernel answers and its outputs arrive: the first ones may be lost.

        jupyter_client and nbval do the same with pauses of up to a second.
        """
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            message = self.kc.kernel_info()
            self.await_reply(message, timeout)
            with contextlib.suppress(Empty):
                return self.await_idle(message, timeout=0.05)
        raise RuntimeError("its outputs do not arrive")

    def log(self):
        """Return the end of what the kernel wrote to its stderr."""
        self.stderr.seek(0)
        return self.stderr.read()[-3000:]

    def peaks(self):
        """Return how many MB the kernel held at most, and the largest process that it started."""
        ask = {"silent": True, "user_expressions": {"peaks": PEAKS}, "reply": True, "timeout": 10}
        with contextlib.suppress(Empty, TimeoutError, RuntimeError):  # it died, or is still busy
            found = self.kc.execute("", **ask)["content"]["user_expressions"]["peaks"]
            return [kb * 1024 / 1e6 for kb in ast.literal_eval(found["data"]["text/plain"])]
        return [0, 0]

    def stop(self):
        """End the kernel, whether it has started or not, and close its sockets."""
        if self.origin == FORKED and self.km.has_kernel:
            self.km.provisioner.end()
        if self.kc is not None:
            self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)
        self.stderr.close()

    def await_reply(self, msg_id, timeout):
        """Wait for the reply; nbval alone would wait the whole time for a dead kernel."""
        end = time.monotonic() + timeout
        while True:
            with contextlib.suppress(Empty):
                return super().await_reply(msg_id, timeout=1)
            if not self.is_alive():
                raise RuntimeError(f"the kernel died in this cell\n{self.log()}")
            if time.monotonic() > end:
                raise Empty


class Notebook(IPyNbFile):
    """A notebook, run by a kernel of its own in an empty folder."""

    def setup(self):
        self.folder = tempfile.TemporaryDirectory(prefix="notebook-")
        option = self.config.option
        name = option.nbval_kernel_name or self.nb.metadata.kernelspec.name
        timeout = option.nbval_kernel_startup_timeout
        server = fork_server(self.config) if name == "stands-alone" else None
        sources = [cell.source for cell in self.nb.cells if cell.cell_type == "code"]
        imports = [name for name in AHEAD if any(name in source for source in sources)]
        self.kernel = Kernel(name, Path(self.folder.name), timeout, server, imports)
        self.setup_sanitize_files()

    def teardown(self):
        try:
            limited = self.path.parent.name == LIMITED and has_limits()
            peaks = self.kernel.peaks() if limited and self.kernel.is_alive() else [0, 0]
            super().teardown()
        finally:
            self.folder.cleanup()
        limits = zip(("kernel", "process"), peaks, MOST, strict=True)
        if found := [
            f"a {what} of {self.path.name} held {peak:,.0f} MB, more than {most:,} MB"
            for what, peak, most in limits
            if peak > most
        ]:
            pytest.fail("\n".join(found), pytrace=False)

    def collect(self):
        try:
            cells = list(super().collect())
        except Exception as error:
            raise self.CollectError(f"{self.path}: not a readable notebook: {error}") from None
        for number, theirs in enumerate(cells, 1):
            cell = Cell.from_parent(
                self,
                name=f"Cell {number}",
                cell_num=number,
                cell=theirs.cell,
                options=theirs.options,
            )
            if cell.gpu and not has_cuda():
                cell.skip(NEEDS_CUDA)
            elif heads.needs(cell.cell.source) == heads.COMPILER and not has_compiler():
                cell.skip(NEEDS_COMPILER)
            elif bound := heads.excluded(cell.cell.source, torch_version()):
                cell.skip(f"not run: {bound}")
            elif cell.options["skip"]:
                cell.skip(APPROVED)
            yield cell


class Cell(IPyNbCell):
    """A code cell; `cell_num` counts from 1, as the numbers in Jupyter do."""

    difference = ""

    @property
    def gpu(self):
        return is_gpu(self.cell)

    def runtest(self):
        never_run = self.cell.execution_count is None
        self.user_properties.append(("kernel", self.parent.kernel.origin))
        self.options["check_exception"] = False  # an error is caught and its message printed
        if self.gpu and never_run:
            self.note(NO_RECORD)
        else:
            self.note(COMPARED if self.options["check"] else APPROVED)
        super().runtest()
        if never_run and not self.gpu:
            self.raise_cell_error("The stored cell was never run: there is nothing to compare with")

    def skip(self, why):
        self.note(why)
        self.add_marker(pytest.mark.skip(reason=why))

    def note(self, what):
        """Record what became of this cell; reports carry it from the workers of xdist."""
        self.user_properties.append(("cell", what))

    def compare_outputs(self, test, ref, skip_compare=None):
        """Compare kinds and order first, which nbval does not, then the contents."""
        # The snippet `verified` speaks on releases without a record, as it should.
        test = [output for output in test if not output.get("text", "").startswith(UNVERIFIED)]
        stored, now = [kind(output) for output in ref], [kind(output) for output in test]
        if stored != now:
            self.difference = f"stored: {', '.join(stored)}; now: {', '.join(now)}"
            self.comparison_traceback = [
                "The kinds of output, or their order, differ:",
                f"  stored: {', '.join(stored) or 'nothing'}",
                f"  now:    {', '.join(now) or 'nothing'}",
                *(f"  now, {output.name}: {output.text}" for output in test if "text" in output),
            ]
            return False
        # Charts of times show the recorded ones; here a short form was measured.
        test, ref = ([output for output in part if not is_chart(output)] for part in (test, ref))
        return super().compare_outputs(test, ref, skip_compare)

    def format_output_compare(self, key, left, right):
        """Note the first line that differs, for the record."""
        pairs = zip_longest(str(left).splitlines(), str(right).splitlines(), fillvalue="nothing")
        stored, now = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
        self.difference = f"stored: {stored[:120]}; now: {now[:120]}"
        super().format_output_compare(key, left, right)

    def why(self, excinfo):
        """Say in one line why the cell failed."""
        if self.test_outputs and self.test_outputs[-1].output_type == "error":
            error = self.test_outputs[-1]
            return first_line(f"{error.ename}: {error.evalue}".removesuffix(": "))
        return first_line(f"{excinfo.value}: {self.difference}".removesuffix(": "))

    def repr_failure(self, excinfo):
        self.user_properties.append(("differs" if self.difference else "why", self.why(excinfo)))
        return (
            f"{self.parent.nodeid}, cell [{self.cell_num}] (id {self.cell.get('id')})\n"
            f"{super().repr_failure(excinfo)}\n"
            "Remedy: correct the cell, or if what it does now is right, record it: "
            f"make {'run-gpu' if self.gpu else 'run'} CHAPTER={self.path.stem}"
        )


def kind(output):
    """Name the kind of an output: the stream, or the result or display and its formats."""
    if output.output_type == "stream":
        return output.name
    return f"{output.output_type} ({', '.join(sorted(output.get('data', ())))})"


def is_chart(output):
    """Say whether an output is a chart of times, or sentences computed from one."""
    data = output.get("data", {})
    return 'class="chart' in data.get("image/svg+xml", "") + data.get("text/html", "")


def join_adjacent_streams(outputs):
    """Join only neighbors; nbval moves what is printed after a result in front of it."""
    joined = []
    for output in outputs:
        if output.output_type == "stream" and joined and kind(joined[-1]) == kind(output):
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


nbval.plugin.coalesce_streams = join_adjacent_streams
