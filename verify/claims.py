"""The claims of the book: sentence, proof, and the cells that the proof needs.

A proof rarely stands alone: it uses names that earlier cells of its notebook define. `needs` lists
those cells, so that the hash of a proof changes when any of them does.
"""

import ast
import builtins
import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from verify.book import Book, Cell, Notebook
from verify.markdown import SENTENCE

BUILTINS = set(dir(builtins))


class Claim(NamedTuple):
    """One claim: `needs` holds the earlier code cells that its proof depends on, in order."""

    id: str
    sentence: str
    notebook: Notebook
    proof: Cell
    needs: tuple[Cell, ...]

    @property
    def digest(self) -> str:
        """Return a hash of the sentence, the proof and all that it needs."""
        parts = [self.sentence, *(cell.source for cell in self.needs), self.proof.source]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class Names(ast.NodeVisitor):
    """The global names of a cell: `defined` by it, `code` if imported or defined as a function or
    class, `used` anywhere, and `free` if used before the cell defines them."""

    def __init__(self, tree: ast.AST, known: Iterable[str] = ()):
        self.defined, self.code, self.used, self.free = set(known), set(), set(), set()
        self.visit(tree)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use({node.id})
        else:
            self.defined.add(node.id)

    def use(self, names: set[str]) -> None:
        self.used |= names
        self.free |= names - self.defined - BUILTINS

    def visit_in_order(self, *parts: object) -> None:
        """Visit parts in the order in which Python evaluates them."""
        for part in parts:
            for node in part if isinstance(part, list) else [part]:
                if isinstance(node, ast.AST):
                    self.visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit_in_order(node.value, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.use({node.target.id})
        self.visit_in_order(node.value, node.target)

    def visit_For(self, node: ast.For) -> None:
        self.visit_in_order(node.iter, node.target, node.body, node.orelse)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.defined |= {node.name} - {None}
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        names = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        self.defined |= names
        self.code |= names

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.ClassDef | ast.Lambda) -> None:
        """Take from an inner scope only what it reads from outside."""
        name = getattr(node, "name", None)
        if name:
            self.visit_in_order(node.decorator_list)
            self.defined.add(name)
            self.code.add(name)
        arguments = getattr(node, "args", None)
        if arguments:
            self.visit_in_order(arguments.defaults, arguments.kw_defaults)
        else:
            self.visit_in_order(node.bases, node.keywords)
        inside = ast.walk(arguments) if arguments else ()
        known = {child.arg for child in inside if isinstance(child, ast.arg)}
        body = node.body if isinstance(node.body, list) else [ast.Expr(node.body)]
        self.use(Names(ast.Module(body, []), known).free)

    visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_ListComp(self, node: ast.AST) -> None:
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = Names(ast.Module([], []))
        for generator in node.generators:
            inner.visit_in_order(generator.iter, generator.target, generator.ifs)
        inner.visit_in_order(parts)
        self.use(inner.free)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


NAMES: dict[str, Names] = {}  # by source; the site keeps it from one build to the next


def names_of(cell: Cell) -> Names:
    """Return the names of a cell, looked up once: every proof below it asks for them."""
    if cell.source not in NAMES:
        NAMES[cell.source] = Names(cell.tree)
    return NAMES[cell.source]


def needs(cells: list[Cell], last: int) -> tuple[Cell, ...]:
    """Return the earlier cells that cell number `last` depends on.

    Going back from it: a cell that defines a name still wanted, and a cell that uses a wanted
    variable, for it may change that in place. Imports, functions and the names of the first cell
    that is no snippet (`device`) are not changed by use.
    """
    seen = [names_of(cell) for cell in cells[: last + 1]]
    own = (names for names, cell in zip(seen, cells, strict=False) if not cell.snippet)
    fixed = next(own).defined.union(*(cell.code for cell in seen))
    wanted, found = set(seen[last].free), []
    for index in reversed(range(last)):
        defines = seen[index].defined & wanted
        if defines or seen[index].used & wanted - fixed:
            wanted = (wanted - defines) | seen[index].free
            found.append(cells[index])
    return tuple(reversed(found))


def claims_of(root: Path) -> Iterator[Claim]:
    """Yield the claims of the book below `root`, in the order of its files."""
    for notebook in Book(root).notebooks:
        for above, proof in pairwise(notebook.cells):
            if above.claims and proof.code:
                sentence = " ".join(SENTENCE.search(above.source)[1].replace("\n>", " ").split())
                needed = needs(notebook.code, notebook.code.index(proof))
                yield Claim(above.claims[0], sentence, notebook, proof, needed)
