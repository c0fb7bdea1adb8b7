"""The book: its notebooks, their cells, and the claims that stand in them."""

import ast
import json
import re
import uuid
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.validator import iter_validate

from verify import heads
from verify.markdown import CLAIM, anchored, unfenced

HIDDEN = "remove-cell"  # the tag of the first cell: the site shows the evidence in its place
TO_HEADING = re.compile(r"\]\(([^()\s#]*)#([^().\s]+)\)")  # the id of a claim has a dot


class Problem(NamedTuple):
    """What is wrong, where, and what to do about it; `cell` is None for a whole file."""

    path: str
    cell: str | None
    message: str
    remedy: str

    def __str__(self):
        where = f"{self.path}, {self.cell}" if self.cell else self.path
        return f"{where}: {self.message}\n    Remedy: {self.remedy}"


class Unreadable(Exception):
    """A file that is no notebook; the message says why."""


class Cell:
    """A cell; `number` is the one in brackets that Jupyter shows, or will show next."""

    def __init__(self, raw: dict, number: int | None = None):
        self.code = raw["cell_type"] == "code"
        self.id, self.number = raw.get("id"), number
        self.source = text(raw["source"])
        self.metadata = raw["metadata"]
        self.tags = self.metadata.get("tags", [])
        self.gpu = is_gpu(raw)
        self.count = raw.get("execution_count")
        self.outputs = raw.get("outputs", [])
        self.title = heads.title(self.source) if self.code else None
        self.first_line = heads.untitled(self.source).split("\n", 1)[0].rstrip()

    def __str__(self):
        return f"{'' if self.code else 'the text above '}cell [{self.number}] (id {self.id})"

    @cached_property
    def claims(self) -> list[str]:
        """Return the ids of the claims in a cell of text."""
        return CLAIM.findall(unfenced(self.source)) if not self.code else []

    @cached_property
    def snippet(self) -> str | None:
        """Return the name of the snippet that this is a copy of."""
        return heads.snippet(self.source)

    @cached_property
    def tree(self) -> ast.Module | None:
        """Return the syntax tree; None if this is no Python."""
        return tree_of(self.source)

    def bundles(self) -> Iterator[dict]:
        """Yield the data of each result and display: a dictionary from format to content."""
        for output in self.outputs:
            if "data" in output:
                yield output["data"]


class Notebook:
    """A notebook file that could be read, with its path as seen from the root of the book."""

    def __init__(self, path: Path, root: Path, raw: dict):
        self.file, self.path, self.name = path, path.relative_to(root).as_posix(), path.stem
        self.metadata = raw["metadata"]
        self.cells, number = [], 1
        for cell in raw["cells"]:
            self.cells.append(Cell(cell, number))
            number += cell["cell_type"] == "code"
        self.code = [cell for cell in self.cells if cell.code]
        self.text = [cell for cell in self.cells if not cell.code]

    def problem(self, cell: Cell | None, message: str, remedy: str) -> Problem:
        """Return a problem of a cell, or of the whole notebook."""
        return Problem(self.path, cell and str(cell), message, remedy)

    @property
    def run(self) -> str:
        """Return the command that runs it."""
        return f"make run CHAPTER={self.name}"


class Book:
    """All notebooks of a book, and its problems with reading them."""

    def __init__(self, root: Path):
        self.root, self.notebooks, self.unreadable = Path(root).resolve(), [], []
        for path in notebook_files(self.root / "book"):
            try:
                self.notebooks.append(Notebook(path, self.root, read(path)))
            except Unreadable as reason:
                where = path.relative_to(self.root).as_posix()
                remedy = "repair the file, or take it back from git: git restore FILE"
                message = f"the notebook cannot be read: {reason}"
                self.unreadable.append(Problem(where, None, message, remedy))

    @cached_property
    def claims(self) -> dict[str, list[tuple[Notebook, Cell]]]:
        """Every claim: its id, and the notebooks and cells where it stands."""
        found = {}
        for notebook in self.notebooks:
            for cell in notebook.text:
                for claim in cell.claims:
                    found.setdefault(claim, []).append((notebook, cell))
        return found

    @cached_property
    def headings(self) -> dict[Path, set[str]]:
        """The anchors that the headings of each notebook have on the site."""
        texts = {one.file: [cell.source for cell in one.text] for one in self.notebooks}
        return {file: anchored(sources, ())[1] for file, sources in texts.items()}

    @cached_property
    def targets(self) -> dict[Path, set[str]]:
        """The headings to which notebooks link, by the notebook in which they are to stand."""
        return targets(self.root / "book")

    @cached_property
    def torch(self) -> str | None:
        """The release of torch that requirements.txt pins, and that made the stored outputs."""
        return pinned_torch(self.root)


def pinned_torch(root: Path) -> str | None:
    """Return the release of torch that requirements.txt pins, None if it pins none."""
    file = root / "requirements.txt"
    pins = file.read_text(encoding="utf-8") if file.is_file() else ""
    pinned = re.search(r"^torch==(\S+)", pins, re.M)
    return pinned[1] if pinned else None


def notebook_files(folder: Path) -> list[Path]:
    """Return the notebooks below a folder, in the order of their paths."""
    found = folder.rglob("*.ipynb")
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def targets(folder: Path) -> dict[Path, set[str]]:
    """Return the headings to which the notebooks below a folder link, by their notebook."""
    found = defaultdict(set)
    for file in notebook_files(folder):
        text = file.read_text(encoding="utf-8", errors="replace")
        for path, anchor in TO_HEADING.findall(text):
            found[(file.parent / path).resolve() if path else file].add(anchor)
    return found


def read(path: Path, older: bool = False) -> dict:
    """Return the content of a notebook file, or raise Unreadable.

    `older` takes a notebook of format 4.0 to 4.4, too, and gives each cell the id that it lacks.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise Unreadable(f"no valid JSON: {error}") from None
    except (OSError, ValueError) as error:
        raise Unreadable(str(error)) from None
    try:
        if (raw["nbformat"], raw["nbformat_minor"]) < ((4, 0) if older else (4, 5)):
            raise Unreadable("it is not in notebook format 4.5, the first with cell ids")
        if older:
            raw["nbformat_minor"] = max(raw["nbformat_minor"], 5)
            for cell in raw["cells"]:
                cell.setdefault("id", uuid.uuid4().hex[:8])
        if error := next(iter_validate(nbformat.from_dict(raw)), None):
            raise Unreadable(f"no valid notebook format: {error.message.splitlines()[0][:200]}")
    except (AttributeError, KeyError, TypeError):
        raise Unreadable("no valid notebook format: it names no version") from None
    ids = [cell["id"] for cell in raw["cells"]]
    if twice := {id for id in ids if ids.count(id) > 1}:
        raise Unreadable(f"the cell ids {sorted(twice)} occur twice")
    return raw


def is_gpu(raw: dict) -> bool:
    """Tell whether a cell, as a notebook file holds it, needs CUDA."""
    return raw["cell_type"] == "code" and "gpu" in raw["metadata"].get("tags", ())


def text(value: str | list[str]) -> str:
    """Join what a notebook may store as a list of lines."""
    return "".join(value) if isinstance(value, list) else str(value)


def tree_of(source: str) -> ast.Module | None:
    """Return the syntax tree; None if this is no Python even without IPython's magics."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as for `assert (x, "text")`
            return ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", source, flags=re.M))
    except SyntaxError:
        return None
