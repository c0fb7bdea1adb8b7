"""The names that torch, NumPy, matplotlib and Python define, to tell a name from a misspelt one."""

import builtins
import importlib
import keyword
import re
import sys
import types
from functools import cache

PACKAGES = ("torch", "numpy", "matplotlib", "perfplot", "IPython")
# Modules that are not imported with their package.
MORE = (
    *("torch.utils.benchmark", "torch.utils.checkpoint", "torch.utils.dlpack", "torch.utils.data"),
    *("torch.optim.swa_utils", "torch.nn.utils.parametrizations", "torch.func", "torch.export"),
    *("torch.distributed.fsdp", "torch.distributed.tensor", "torch.autograd.graph"),
    *("torch.sparse", "matplotlib.pyplot"),
)
# Parts of the standard library that a book about memory names.
STANDARD = (
    *("array", "copy", "ctypes", "gc", "io", "math", "mmap", "multiprocessing", "os", "pickle"),
    *("sys", "threading", "time", "timeit", "types", "warnings", "weakref", "collections"),
    *("contextlib", "multiprocessing.shared_memory", "itertools", "functools", "logging"),
)


@cache
def known_names() -> frozenset[str]:
    """Return every name: modules, classes, functions, methods, attributes and parameters."""
    for name in PACKAGES + MORE + STANDARD:
        importlib.import_module(name)
    names = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *sys.stdlib_module_names}
    for kind in (
        str,
        bytes,
        list,
        dict,
        tuple,
        set,
        int,
        float,
        complex,
        memoryview,
        BaseException,
    ):
        names.update(dir(kind))
    seen = set()
    for name, module in list(sys.modules.items()):
        root, *parts = name.split(".")
        if (
            module is not None
            and (name in STANDARD or root in PACKAGES)
            and not any(part.startswith("_") for part in parts)
        ):
            names.update([root, *parts])
            names |= names_in(module, seen)
    return frozenset(names)


def names_in(module: types.ModuleType, seen: set[int]) -> set[str]:
    """Return the names in a module, in its classes, and in the signatures of its functions."""
    names = set()
    for name, value in list(vars(module).items()):
        names.add(name)
        if id(value) in seen:
            continue
        seen.add(id(value))
        names |= parameters(value)
        if issubclass(type(value), type):
            names.update(dir(value))
            for member in list(vars(value).values()):
                names |= parameters(member)
    return names


def parameters(value: object) -> set[str]:
    """Return the names of the parameters of a function: by its code, or by its docstring."""
    # By the exact type: torch has objects that answer `isinstance` by importing or warning.
    if type(value) in (classmethod, staticmethod):
        value = value.__func__
    if type(value) is types.FunctionType:
        code = value.__code__
        return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    if type(value) in (types.BuiltinFunctionType, types.MethodDescriptorType):
        head = re.search(r"\w\((.*?)\)", (value.__doc__ or "")[:1000], re.S)
        return set(re.findall(r"[a-z_]\w*", head[1])) if head else set()
    return set()
