"""Run the cells that need CUDA with a stand-in for it: `python -m tests.verify.rehearsal [ROOT]`.

A rehearsal, so that the first run on a GPU does not end at a misspelled name. Tensors "on CUDA" are
CPU tensors; functions of `torch.cuda` check their arguments and do nothing; large sizes become
small ones, and nothing that a cell asserts is looked at. It records nothing and proves nothing:
what a cell claims is seen on a GPU alone.
"""

import ast
import contextlib
import inspect
import io
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

from verify import ROOT
from verify.book import Book
from verify.claims import needs

LARGE = 4096  # numbers from here on, and powers of two from 2**16 on, become their square root


class Rehearsed(ast.NodeTransformer):
    """Has assertions only computed, and makes sizes small."""

    def __init__(self, small):
        self.small = small

    def visit_BinOp(self, node):
        self.generic_visit(node)
        power = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant)
        if (
            self.small
            and power
            and getattr(node.left, "value", None) == 2
            and node.right.value >= 16
        ):
            node.right.value //= 2
        return node

    def visit_Constant(self, node):
        large = self.small and type(node.value) is int and node.value >= LARGE
        if large and node.value & (node.value - 1) == 0:
            return ast.copy_location(ast.Constant(1 << (node.value.bit_length() - 1) // 2), node)
        return node

    def visit_Assert(self, node):
        self.generic_visit(node)
        parts = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        return [ast.copy_location(ast.Expr(part), node) for part in parts]

    def visit_Try(self, node):
        """Let a body that is to raise an error raise another one, or none."""
        self.generic_visit(node)
        if is_no_error(node.body[-1]):
            node.body[-1] = ast.copy_location(ast.Pass(), node.body[-1])
            other = ast.parse("try: pass\nexcept (RuntimeError, ValueError): pass").body[0]
            node.handlers += other.handlers
        return node

    def visit_With(self, node):
        """Let the body of `with prints(TypeError)` raise it."""
        self.generic_visit(node)
        call = node.items[0].context_expr
        if getattr(getattr(call, "func", None), "id", "") == "prints":
            node.body += ast.parse(f"raise {ast.unparse(call.args[0])}('expected on CUDA')").body
        return node


def is_no_error(node):
    """Tell whether this is `raise AssertionError(…)`, under code that is to raise something."""
    return isinstance(node, ast.Raise) and "AssertionError" in ast.unparse(node.exc or node)


def unknown_names(tree, names):
    """Yield the dotted names that begin with one of `names` and lead nowhere."""
    for node in ast.walk(tree):
        parts, value = [], node
        while isinstance(value, ast.Attribute):
            parts.insert(0, value.attr)
            value = value.value
        if not parts or not isinstance(value, ast.Name) or value.id not in names:
            continue
        found = names[value.id]
        for number, part in enumerate(parts):
            if not (inspect.ismodule(found) or inspect.isclass(found)):
                break
            if not hasattr(found, part):
                yield ".".join([value.id, *parts[: number + 1]])
                break
            found = getattr(found, part)


def run(source, names, small=True):
    """Run code with these global names."""
    tree = ast.fix_missing_locations(Rehearsed(small).visit(ast.parse(source)))
    exec(compile(tree, "<rehearsed>", "exec"), names)


def stub(real, result=None):
    """Return a function that takes what `real` takes, and gives a result without doing anything."""
    signature = inspect.signature(real)

    def instead(*args, **options):
        signature.bind(*args, **options)
        return result() if callable(result) else result

    return instead


def stub_class(real, make, **results):
    """Return a class with the methods of `real`, none of which does anything; `make` takes what it
    is made with."""
    methods = {
        name: stub(method, results.get(name))
        for name, method in vars(real).items()
        if inspect.isfunction(method) and not name.startswith("__")
    }
    return type(real.__name__, (), methods | {"__init__": stub(make)})


def pretend_cuda():
    """Put the stand-in for CUDA in its place, in this process; return the mode to run cells in."""
    import torch
    from torch.overrides import TorchFunctionMode

    cuda = torch.cuda
    made = {name: getattr(cuda, name).__new__ for name in ("Event", "Stream")}
    event = stub_class(cuda.Event, made["Event"], query=True, elapsed_time=1.0)
    stream = stub_class(cuda.Stream, made["Stream"], query=True, record_event=event)
    counts = {"device_count": 1, "get_device_name": "a stand-in", "get_device_capability": (9, 0)}
    counts |= dict.fromkeys(("memory_stats", "host_memory_stats"), lambda: defaultdict(int))
    counts |= {"is_available": True, "current_device": 0, "mem_get_info": (2**40, 2**40)}
    counts |= {"current_stream": stream, "default_stream": stream, "stream": contextlib.nullcontext}
    counts["cudart"] = lambda: SimpleNamespace(
        cudaHostRegister=lambda address, size, flags: 0, cudaHostUnregister=lambda address: 0
    )
    for name, real in list(vars(cuda).items()):
        if inspect.isfunction(real) and not name.startswith("_"):
            number = 0 if name.startswith(("memory", "max_memory")) else None
            setattr(cuda, name, stub(real, counts.get(name, number)))
    graph = stub_class(cuda.CUDAGraph, cuda.CUDAGraph.__new__)
    enter = {"__enter__": lambda self: self, "__exit__": lambda self, *error: None}
    context = type("graph", (), {"__init__": stub(cuda.graph.__init__), **enter})
    cuda.Event, cuda.Stream, cuda.CUDAGraph, cuda.graph = event, stream, graph, context
    graphed, compiled = (
        inspect.signature(cuda.make_graphed_callables),
        inspect.signature(torch.compile),
    )
    cuda.make_graphed_callables = lambda *args, **options: graphed.bind(*args, **options).args[0]
    torch.compile = lambda *args, **options: compiled.bind(*args, **options).args[0]
    torch.Tensor.record_stream = lambda self, stream: None  # the real one wants a real stream

    def here(value):
        """Return the CPU in the place of CUDA."""
        if isinstance(value, tuple | list):
            return type(value)(map(here, value))
        on_cuda = isinstance(value, str | torch.device) and str(value).split(":")[0] == "cuda"
        return "cpu" if on_cuda else value

    class Pretend(TorchFunctionMode):
        pinned = set()

        def __torch_function__(self, real, types, args=(), options=None):
            options = {name: here(value) for name, value in (options or {}).items()}
            args = tuple(here(value) for value in args)
            pin = options.pop("pin_memory", False)
            name = getattr(real, "__name__", "")
            if name in ("cuda", "cpu", "pin_memory", "is_pinned"):
                return self.instead(name, *args, **options)
            result = real(*args, **options)
            if name == "to" and result is args[0] and not options.get("copy"):
                result = result.clone()  # as if the device had changed
            if pin:
                self.pinned.add(result.data_ptr())
            return result

        def instead(self, name, x, *args, **options):
            takes = {"cuda": {"device", "non_blocking", "memory_format"}, "cpu": {"memory_format"}}
            if unknown := options.keys() - takes.get(name, {"device"}):
                raise TypeError(f"{name}() got unexpected arguments {unknown}")
            if name == "is_pinned":
                return x.data_ptr() in self.pinned
            copy = x.clone()
            if name == "pin_memory":
                self.pinned.add(copy.data_ptr())
            return copy

    start = subprocess.run

    def in_this_process(command, *args, **options):
        """Run the Python code that a cell would run in a process of its own."""
        if list(command[:2]) != [sys.executable, "-c"]:
            return start(command, *args, **options)
        usual, sys.argv = sys.argv, ["-c", *command[3:]]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            run(command[2], {"__name__": "__main__"})
        sys.argv = usual
        return subprocess.CompletedProcess(command, 0, printed.getvalue(), "")

    subprocess.run = in_this_process
    return Pretend()


def rehearse(notebook, mode):
    """Yield what is wrong with the gpu cells of a notebook, and with what they need."""
    names, gpu = {"__name__": "__main__"}, [cell for cell in notebook.code if cell.gpu]
    wanted = {cell.id for cell in gpu}
    for cell in gpu:
        wanted |= {one.id for one in needs(notebook.code, notebook.code.index(cell))}
    for cell in notebook.code:
        if cell.id not in wanted:
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()), mode:
                run(cell.source, names, small=cell.gpu)
        except Exception as error:
            kind = type(error).__name__
            yield f"{notebook.path}, {cell}: {kind}: {str(error).splitlines()[:1]}"
        if cell.snippet == "bench":
            measure_little(names)


def measure_little(names):
    """Have `measured` take only the first point of what is measured on CUDA."""
    measured = names["measured"]

    def first_point(name, points, take, short=None, **options):
        if options.get("on") != "cuda":
            return measured(name, points, take, short, **options)
        first = list(points)[:1]
        return measured(name, first, take, first, **options)

    names["measured"] = first_point


def main(root=ROOT):
    """Rehearse the book below `root`; print what is wrong, and how much was run."""
    os.environ["MPLBACKEND"] = "agg"
    import numpy
    import torch

    known = {"torch": torch, "np": numpy}
    notebooks = [one for one in Book(root).notebooks if any(cell.gpu for cell in one.code)]
    for notebook in notebooks:
        for cell in notebook.code:
            if cell.gpu:  # with the real torch
                for name in unknown_names(cell.tree, known):
                    print(f"{notebook.path}, {cell}: there is no {name}")
    mode, number = pretend_cuda(), 0
    for notebook in notebooks:
        number += sum(cell.gpu for cell in notebook.code)
        for problem in rehearse(notebook, mode):
            print(problem)
    print(f"{number} cells rehearsed")


def in_a_process(root=ROOT):
    """Return the lines that the rehearsal of a book prints, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.verify.rehearsal", str(root)]
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
