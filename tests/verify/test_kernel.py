"""A kernel that was forked is as fresh as one that was started: both are asked the same."""

import json
import re
import shutil

from tests.verify.books import code, save, stream
from verify import ROOT
from verify.kernel.launch import modules_of

SERVER = (ROOT / "verify" / "kernel" / "fork_server.py").read_text(encoding="utf-8")
FEW = int(re.search(r"^FEW = (\d+)$", SERVER, re.M)[1])

# What a notebook could notice of its kernel: each is an expression.
SAME = {
    "folder": "os.listdir('.')",
    "arguments": "(len(sys.argv), sys.argv[1], sys.argv[3:])",
    "main": "(sys.modules['__main__'].__dict__ is globals(), __name__, '__file__' in globals())",
    "names": "sorted(name for name in before if not name.startswith('_'))",
    "threads": "sorted(thread.name for thread in threading.enumerate())",
    "processes": "(multiprocessing.parent_process(), multiprocessing.active_children())",
    "group": "os.getpgid(0) == os.getpid() == os.getsid(0)",
    "signals": "[signal.getsignal(number) for number in (2, 14, 15, 17)]",
    "environment": "sorted(os.environ)",
    "path": "([path for path in sys.path if 'verify' in path], sys.path[0])",
    "filters": "(len(warnings.filters), warnings.defaultaction)",
    "torch's threads": "(torch.get_num_threads(), torch.get_num_interop_threads())",
    "backend": "matplotlib.get_backend()",
    "hidden modules": "[importlib.util.find_spec(name) for name in ('nbval', 'pytest')]",
    "collector": "(gc.isenabled(), gc.get_threshold())",
    "hooks": "(sys.gettrace(), sys.getprofile(), sys.excepthook is sys.__excepthook__)",
    # Given once in a process: silent if the kernel came from a process that gave them.
    "warning of storage()": "warned(lambda: torch.ones(1).storage())",
    "warning of from_numpy": "warned(lambda: torch.from_numpy(read_only))",
    "warning of .grad": "warned(lambda: (torch.ones(1, requires_grad=True) * 1).grad)",
}
OTHER = {  # in each kernel
    "NumPy's random numbers": "numpy.random.rand(2)",
    "Python's random numbers": "random.random()",
    "torch's random numbers": "(torch.initial_seed(), torch.rand(3))",
    "process": "os.getpid()",
}
SLOW = {  # asked in one notebook only
    "pool, spawn": "multiprocessing.get_context('spawn').Pool(1).map(abs, [-1, -2])",
    "pool, fork": "multiprocessing.get_context('fork').Pool(1).map(abs, [-1, -2])",
    "loader, fork": "[int(one) for one in DataLoader(range(3), num_workers=1)]",
}
ASK = """\
before = dir()
import gc, importlib.util, json, multiprocessing, os, random, signal, sys, threading, warnings
import matplotlib, numpy, torch
from torch.utils.data import DataLoader

read_only = numpy.zeros(2)
read_only.flags.writeable = False

def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message)[:30] for warning in caught]

answers = {{name: str(eval(question)) for name, question in {questions}.items()}}
with open({file!r}, "w") as file:
    json.dump(answers, file)
"""


def ask(run_pytest, folder, asked, *options):
    """Ask notebooks; return their answers, by question, and what pytest printed."""
    shutil.rmtree(folder / "book", ignore_errors=True)
    for name, questions in asked.items():
        source = ASK.format(questions=questions, file=str(folder / name))
        save(folder / "book" / f"{name}.ipynb", code("ask", 1, source))
    status, output = run_pytest(*options)
    assert status == 0, output
    return [json.loads((folder / name).read_text(encoding="utf-8")) for name in asked] + [output]


def test_fresh_kernels(run_pytest, tmp_path):
    """A forked kernel is as fresh as one that was started."""
    # The name of this test is short, for its folder holds the sockets of a `DataLoader`: the
    # system allows 107 letters for the path of a socket.
    everything = SAME | OTHER | SLOW
    asked = {"a": SAME | OTHER, "b": SAME | OTHER, "c": everything}
    assert len(asked) > FEW  # so the last one comes from a server that has imported all it does
    *forked, output = ask(run_pytest, tmp_path, asked)
    assert "kernels: 3 forked" in output
    started, output = ask(run_pytest, tmp_path, {"a": everything}, "--plain-kernels")
    assert "kernels: 1 started anew" in output
    for name in SAME:
        assert [answers[name] for answers in forked] == [started[name]] * 3, name
    for name in SLOW:
        assert forked[-1][name] == started[name], name
    for name in OTHER:
        assert len({answers[name] for answers in [*forked, started]}) == 4, name
    for name in [name for name in SAME if name.startswith("warning")]:
        assert started[name] != "[]", f"no {name}"


def test_a_kernel_has_what_its_notebook_names(run_pytest, tmp_path):
    """What takes long is imported before the fork, if the notebook names it."""
    unnamed = "'tor' 'ch', 'num' 'py'"
    for name, names, there in (("a", unnamed, []), ("b", "'torch', 'numpy'", ["numpy", "torch"])):
        source = f"import sys\nprint(sorted({{{names}}} & sys.modules.keys()))"
        save(tmp_path / "book" / f"{name}.ipynb", code(name, 1, source, stream(f"{there}\n")))
    status, output = run_pytest()
    assert status == 0 and "kernels: 2 forked" in output, output


def test_where_no_kernel_is_forked(run_pytest, tmp_path):
    """After CUDA was touched no process may fork; nor where a kernel needs another environment."""
    save(tmp_path / "book" / "one.ipynb", code("one", 1, "x = 1"))
    fake = "from verify import nbval_plugin\nnbval_plugin.has_cuda = lambda: True\n"
    (tmp_path / "fake_cuda.py").write_text(fake)
    status, output = run_pytest("-p", "fake_cuda")
    assert status == 0 and "kernels: 1 started anew" in output, output
    other = "import os\ndef pytest_runtest_setup():\n    os.environ['A'] = str(len(os.environ))\n"
    (tmp_path / "other.py").write_text(other)
    save(tmp_path / "book" / "two.ipynb", code("two", 1, "x = 1"))
    status, output = run_pytest("-p", "other")
    assert status == 0 and "1 started anew" in output, output


def test_a_benchmark_that_holds_too_much_memory_fails(run_pytest, tmp_path):
    started = "import subprocess\ndone = subprocess.run(['true'])"
    for folder in ("benchmarks", "methods"):
        (tmp_path / "book" / folder).mkdir(parents=True)
        save(tmp_path / "book" / folder / "one.ipynb", code("one", 1, started))
    fake = "from verify import nbval_plugin\nnbval_plugin.MOST = 1, 1\n"
    fake += "nbval_plugin.has_limits = lambda: True\n"
    (tmp_path / "less.py").write_text(fake)
    status, output = run_pytest("-p", "less")
    assert status == 1 and "2 passed, 1 error" in output, output
    for what in ("kernel", "process"):
        assert f"a {what} of one.ipynb held" in output, output


def test_a_kernel_finds_the_distutils_of_setuptools():
    """Python 3.12 and newer have no other, and torch.utils.benchmark wants it."""
    assert "distutils" in modules_of(["setuptools"])
    assert "distutils" not in modules_of(["numpy"])
