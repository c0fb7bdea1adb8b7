"""Start a kernel in which only what every reader has can be imported.

A notebook stands alone: it may import the standard library, the distributions named below
and what these require. Anything else that happens to be installed here is hidden.
"""

import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

READERS_HAVE = ("torch", "numpy", "matplotlib", "perfplot", "safetensors", "ipykernel")
WRITTEN = "_remote_module_non_scriptable"  # torch.distributed.nn writes it, and imports it


def modules_of(distributions):
    """Return the top-level modules of the distributions and of everything they require."""
    modules, seen = set(), set()
    todo = [(name, "") for name in distributions]
    while todo:
        name, extras = wanted = todo.pop()
        if wanted in seen:
            continue
        seen.add(wanted)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # required on other systems only
            continue
        files = found.read_text("RECORD") or ""
        listed = found.read_text("top_level.txt") or files
        modules.update(re.split(r"[/.,]", line, maxsplit=1)[0] for line in listed.splitlines())
        # setuptools, which torch.utils.benchmark imports, brings modules of its own along.
        modules.update(re.findall(r"/_vendor/(\w+)/", files))
        if "setuptools/_distutils/" in files:  # the only one since Python 3.12
            modules.add("distutils")
        for requirement in found.requires or ():
            needs, its_extras = re.match(r"([\w.-]+)\s*(?:\[(.*?)\])?", requirement).groups()
            only_for = re.search(r"extra\s*==\s*['\"]([\w.-]+)", requirement)
            if only_for is None or only_for[1] in re.split(r"\s*,\s*", extras):
                todo.append((re.sub(r"[-_.]+", "-", needs).lower(), its_extras or ""))
    return modules


class Hide:
    """A finder of `sys.meta_path` that finds no foreign module."""

    def __init__(self, finder, allowed):
        self.finder, self.allowed = finder, allowed

    def __getattr__(self, name):  # importlib.metadata asks the finders for distributions
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.allowed:
            return self.finder.find_spec(name, path, target)
        return None


class Explain:
    """The last finder of `sys.meta_path`: says why a foreign module is not there."""

    def __init__(self, allowed):
        self.allowed = allowed

    def find_spec(self, name, path=None, target=None):
        # `importlib.util.find_spec` only asks whether a module is there, and wants a None;
        # torch asks so for its optional imports.
        importing = sys._getframe(2).f_code.co_name.startswith("_find_and_load")
        if importing and name.partition(".")[0] not in self.allowed:
            raise ModuleNotFoundError(
                f"No module named {name!r} for a notebook of this book: it stands alone and "
                f"imports only the standard library, {', '.join(READERS_HAVE[:-1])} and what "
                "these require (CONTRIBUTING.md).",
                name=name,
            )


def hide_what_readers_lack() -> None:
    """Let this process import nothing but what every reader has."""
    allowed = modules_of(READERS_HAVE) | sys.stdlib_module_names | {"__main__", WRITTEN}
    # A part of the standard library that `stdlib_module_names` leaves out.
    allowed |= {file.stem for file in Path(os.__file__).parent.glob("_sysconfigdata*.py")}
    sys.meta_path[:] = [Hide(finder, allowed) for finder in sys.meta_path] + [Explain(allowed)]
    del sys.path[0]  # the folder of this file


if __name__ == "__main__":
    hide_what_readers_lack()

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
