"""The recorded figures of the benchmark chapters: book/benchmarks/figures/CHAPTER.json.

A cell that measures calls `measured("name", …)` of book/_snippets/bench.py. `make benchmarks` has
it measure in full and keeps what it gave under that name; `make run` lets it draw what is kept;
anywhere else it measures a short form. figures.schema.json describes the file.
"""

import ast
import json
import re
from pathlib import Path

import jsonschema

SCHEMA = json.loads(Path(__file__).with_suffix(".schema.json").read_text(encoding="utf-8"))


class FiguresError(Exception):
    """A file of figures, or a call of `measured`, that is not as it should be."""


def file_of(notebook):
    """Return the file that holds the figures of this notebook; it need not exist."""
    return notebook.parent / "figures" / f"{notebook.stem}.json"


def names_in(tree):
    """Return the names of the figures that a cell with this syntax tree measures."""
    if tree is None:
        return []  # the run, or the gate, says so
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = [node.args[:1] for node in calls if getattr(node.func, "id", "") == "measured"]
    for name in names:
        if not (name and isinstance(name[0], ast.Constant) and isinstance(name[0].value, str)):
            raise FiguresError('the name of a figure is not written out: measured("name", …)')
    return [name[0].value for name in names]


def read(file):
    """Return the figures in a file, none if there is no file, or say why they cannot be used."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FiguresError(f"it cannot be read: {error}") from error
    wrong = next(jsonschema.Draft202012Validator(SCHEMA).iter_errors(found), None)
    if wrong:
        raise FiguresError(f"{'/'.join(map(str, wrong.path)) or 'the file'}: {wrong.message[:200]}")
    for name, figure in found.items():
        for panel, lines in figure["panels"].items():
            for curve, times in lines.items():
                where = f"{name}/panels/{panel}/{curve}"
                spread = figure.get("spread", {}).get(panel, {}).get(curve, [times, times])
                if {len(part) for part in (times, *spread)} != {len(figure["points"])}:
                    raise FiguresError(f"{where}: not as many times as there are points")
                if any(
                    not a <= b <= c for a, b, c in zip(spread[0], times, spread[1], strict=True)
                ):
                    raise FiguresError(f"{where}: a median that is not between its quartiles")
    return found


def text_of(figures):
    """Return the text of a file of figures: a line for each list of numbers."""
    text = json.dumps(figures, indent=1, ensure_ascii=False)
    return re.sub(r"\[[\s\d.,e+-]*\]", lambda found: " ".join(found[0].split()), text) + "\n"
