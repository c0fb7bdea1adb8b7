"""Run the copying expressions of the comparison plain and compiled: `make differential`.

Each expression runs alone, after a write to a part, to a view and to the whole of the argument, and
twice on an intermediate result; as it is, and compiled with the default backend. Recorded is each
case in which the two differ in values, in who shares memory with whom, or in `requires_grad`.
`evidence/compiled/torch-RELEASE.json` holds them; the page *Compiled and not* shows them.
"""

import argparse
import ast
import contextlib
import copy
import io
import json
import linecache
import logging
import pickle
import sys
import warnings
from itertools import combinations
from pathlib import Path

from verify import ROOT, records
from verify.book import Notebook

COMPARISON = ROOT / "book" / "reference" / "comparison.ipynb"
RECORDS = ROOT / "evidence" / "compiled"
# What the function does before it evaluates the expression.
SITUATIONS = {
    "alone": "return {}",
    "after a write to a part": "x[0] = 5.0; return {}",
    "after a write to a view": "x[:, 1:].mul_(2); return {}",
    "after a write to the whole": "x.add_(1); return {}",
    "twice, of a result": "x = x * 3; return {0}, {0}",
}
SOURCES = ("plain", "non-leaf")


def expressions() -> list[str]:
    """Return the expressions on tensors that the comparison lists."""
    raw = json.loads(COMPARISON.read_text(encoding="utf-8"))
    for cell in Notebook(COMPARISON, ROOT, raw).code:
        for node in cell.tree.body if cell.tree else ():
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TENSOR":
                return [e for group in ast.literal_eval(node.value).values() for e in group]
    raise SystemExit(f"error: {COMPARISON} has no list TENSOR")


def save_and_load(x):
    import torch

    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    return torch.load(file)


def function_of(body: str):
    """Return a function of `x` and `y` with this body; the compiler finds its source."""
    import numpy as np
    import torch

    source = f"def function(x, y):\n    {body}\n"
    name = f"<differential {body}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    names = {"torch": torch, "np": np, "nn": torch.nn, "copy": copy, "pickle": pickle}
    names["save_and_load"] = save_and_load
    exec(compile(source, name, "exec"), names)
    return names["function"]


def arguments(source: str):
    """Return a 2×3 tensor with strides (1, 2), and a target of the same form."""
    import torch

    x = torch.arange(6.0, dtype=torch.float64).reshape(3, 2).t()
    if source == "non-leaf":
        x = x.requires_grad_() * 1
    return x, torch.empty_strided((2, 3), (1, 2), dtype=torch.float64).zero_()


def place(value) -> tuple[int, int]:
    """Return the first byte of the memory behind a value, and the byte after the last."""
    import torch

    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    start = value.__array_interface__["data"][0]
    return start, start + value.nbytes


def facts(function, source: str) -> dict[str, object]:
    """Call the function; return what can be seen of that."""
    import torch

    x, y = arguments(source)
    try:
        found = function(x, y)
    except Exception as error:
        return {"raises": type(error).__name__}
    results = list(found) if isinstance(found, tuple) else [found]
    tensors = [r for r in results if isinstance(r, torch.Tensor)]
    shared = [
        one is not other and place(one)[0] < place(other)[1] and place(other)[0] < place(one)[1]
        for one, other in combinations([x, y, *results], 2)
    ]
    same = [one is other for one, other in combinations([x, y, *results], 2)]
    return {
        "values": [r.tolist() for r in results if getattr(r, "device", "") != torch.device("meta")],
        "arguments": [x.tolist(), y.tolist()],
        "memory": [a or b for a, b in zip(shared, same, strict=True)],
        "requires_grad": [t.requires_grad for t in tensors],
    }


def compare(plain: dict, compiled: dict) -> list[str]:
    """Return in what the compiled function differs from the plain one, in words."""
    if "raises" in compiled:
        return [] if "raises" in plain else [f"raises {compiled['raises']}"]
    if "raises" in plain:
        return ["does not raise"]
    words = ["other values"] if plain["values"] != compiled["values"] else []
    written = plain["arguments"] != compiled["arguments"]
    words += ["other values in the arguments"] if written else []
    pairs = set(zip(plain["memory"], compiled["memory"], strict=True))
    words += ["shares memory"] if (False, True) in pairs else []
    words += ["does not share memory"] if (True, False) in pairs else []
    flags = set(zip(plain["requires_grad"], compiled["requires_grad"], strict=True))
    words += ["requires grad"] if (False, True) in flags else []
    words += ["does not require grad"] if (True, False) in flags else []
    return words


def differences() -> dict[str, object]:
    """Return the cases in which plain and compiled differ."""
    import torch
    import torch._functorch.config
    import torch._inductor.config

    torch._inductor.config.compile_threads = 1
    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False
    torch._logging.set_logs(all=logging.CRITICAL)
    logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)
    warnings.simplefilter("ignore")
    names, found = expressions(), []
    cases = [(s, w, e) for s in SOURCES for w in SITUATIONS for e in names]
    for number, (source, situation, expression) in enumerate(cases, 1):
        torch.compiler.reset()
        function = function_of(SITUATIONS[situation].format(expression))
        plain = facts(function, source)
        with contextlib.redirect_stderr(io.StringIO()):
            compiled = facts(torch.compile(function), source)
        if words := compare(plain, compiled):
            case = {"source": source, "situation": situation, "expression": expression}
            found.append({**case, "differ": words})
        if sys.stderr.isatty() or number % 50 == 0:
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{number} of {len(cases)}", end=end, file=sys.stderr, flush=True)
    return {
        **records.head(),
        "expressions": len(names),
        "cases": len(cases),
        "differences": found,
    }


def main(options: list[str] | None = None) -> int:
    """Write the record of the torch that is installed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=RECORDS)
    folder = parser.parse_args(options).folder
    record = differences()
    path = records.write(folder, record["torch"], json.dumps(record, indent=1) + "\n")
    print(f"{path}: {len(record['differences'])} of {record['cases']} cases differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
