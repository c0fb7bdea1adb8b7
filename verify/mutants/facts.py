"""The facts of a proof: what each `assert` asks and each `print` shows, told apart.

A proof often shows several things, and a mutant that breaks one of them makes the claim fail. So
`instrument` rewrites the syntax tree of a proof: each part of an assertion (`a and b`, or the
elements of `(a, b) == (c, d)`) and each argument of a call of `print` is noted by itself. An
assertion that fails does not end the cell, so what follows is seen as well. An error that ends the
cell breaks the fact in which it arises, and what an `except` shows of the error that it waits for.
"""

import ast
import builtins
import os
from collections import defaultdict
from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple

NOTES = "__facts__"  # the name under which a rewritten proof finds `Notes`
MODULES = {"torch", "np", "nn"}
Place = tuple[tuple[int, int], tuple[int, int]]  # line and column where it begins and ends
Values = dict[str, list[ast.expr | None]]  # what names are bound to; None is something else


class Fact(NamedTuple):
    """A part of a proof: its number there and its code."""

    number: int
    code: str
    places: tuple[Place, ...]  # an error that arises here and ends the cell breaks it
    written: bool  # it is made of nothing but what the proof writes out
    strings: frozenset[str] = frozenset()  # written out in the proof

    def is_label(self, texts: list[str]) -> bool:
        """Tell whether all that was printed stands in the proof itself: no mutant changes that."""
        known = self.written or all(text.strip() in self.strings for text in texts)
        return bool(texts) and known


class Notes:
    """What became of the facts of a cell: assertions that failed, and what was printed."""

    def __init__(self):
        self.clear()

    def clear(self) -> None:
        """Forget what was noted; called before each cell."""
        self.process = os.getpid()
        self.failed: dict[int, str] = {}
        self.printed: dict[int, list[str]] = defaultdict(list)

    def check(self, number: int, value: object, code: str) -> None:
        """Note an assertion that fails; in a process that the cell started it raises."""
        if not value:
            self.failed[number] = code
            if os.getpid() != self.process:
                raise AssertionError(code)

    def same(self, number: int, one: object, other: object, code: str) -> None:
        """Note that two elements of tuples differ, compared as tuples compare them."""
        self.check(number, one is other or one == other, code)

    def show(self, numbers: list[int | None], *values: object, **options: object) -> None:
        """Print, and note what each argument that has a number looks like."""
        texts = [str(value) for value in values]
        for number, text in zip(numbers, texts, strict=True):
            if number is not None:
                self.printed[number].append(text)
        print(*texts, **options)

    def show_all(self, number: int, *values: object, **options: object) -> None:
        """Print, and note what all the arguments together look like."""
        texts = [str(value) for value in values]
        self.printed[number].append(" ".join(texts))
        print(*texts, **options)

    def broken(self, expected: dict[int, list[str]]) -> set[int]:
        """Return the facts that do not hold, given what is printed when PyTorch is as it is.

        A `print` that was not reached says nothing.
        """
        other = {
            number
            for number, texts in self.printed.items()
            if texts != expected.get(number, [])[: len(texts)]
        }
        return other | self.failed.keys()


def ended_by(error: BaseException, facts: list[Fact]) -> set[int]:
    """Return the facts that an error breaks by ending the cell."""
    places = list(places_of(error.__traceback__))
    return {
        fact.number
        for fact in facts
        for start, end in fact.places
        if any(start <= at and until <= end for at, until in places)
    }


def places_of(frame: TracebackType | None) -> Iterator[Place]:
    """Yield where in a cell an error went through."""
    cell = None
    while frame:
        code = frame.tb_frame.f_code
        if code.co_name == "<module>" and cell is None:
            cell = code.co_filename
        if code.co_filename == cell:
            line, last, column, end = [*code.co_positions()][frame.tb_lasti // 2]
            if None not in (line, last, column, end):
                yield (line, column), (last, end)
        frame = frame.tb_next


class Rewrite(ast.NodeTransformer):
    """Has each part of an `assert` and of a `print` noted."""

    def __init__(self, values: Values):
        self.facts: list[Fact] = []
        self.values = values
        self.awaited: list[Place] = []  # where the errors should arise of the handlers around here
        self.sure = True  # is what stands here run in any case?

    def note(self, node: ast.expr, *elements: ast.expr) -> ast.Constant:
        places = (*map(place, elements or [node]), *self.awaited)
        written = self.sure and is_written(node, self.values)
        self.facts.append(Fact(len(self.facts), ast.unparse(node), places, written))
        return ast.Constant(len(self.facts) - 1)

    def visit_Try(self, node: ast.Try) -> ast.Try:
        outside, sure, last = self.awaited, self.sure, node.body[-1]
        body = place(node.body[0])[0], place(last)[1]
        self.sure = False
        node.body = self.visit_all(node.body)
        if isinstance(last, ast.Raise):  # AssertionError("no error was raised")
            self.awaited = [*outside, body]
        node.handlers, self.awaited = self.visit_all(node.handlers), outside
        node.orelse, node.finalbody = map(self.visit_all, (node.orelse, node.finalbody))
        self.sure = sure
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        sure, self.sure = self.sure, False
        self.generic_visit(node)
        self.sure = sure
        return node

    def visit_all(self, nodes: list) -> list:
        made = [self.visit(node) for node in nodes]
        return [node for new in made for node in (new if isinstance(new, list) else [new])]

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        found = [call("check", self.note(part), part, text(part)) for part in parts(node.test)
                 if not is_pair(part)]  # fmt: skip
        for part in filter(is_pair, parts(node.test)):
            for one, other in zip(part.left.elts, part.comparators[0].elts, strict=True):
                both = ast.Compare(one, [ast.Eq()], [other])
                found.append(call("same", self.note(both, one, other), one, other, text(both)))
        return [ast.copy_location(ast.Expr(one), node) for one in found]

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if getattr(node.func, "id", "") != "print" or all(map(is_constant, node.args)):
            return node
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            show = call("show_all", self.note(node), *node.args)
        else:
            numbers = [
                ast.Constant(None) if is_constant(argument) else self.note(argument)
                for argument in node.args
            ]
            show = call("show", ast.List(numbers, ast.Load()), *node.args)
        show.keywords = node.keywords
        return ast.copy_location(show, node)


def parts(test: ast.expr) -> list[ast.expr]:
    """Return what an assertion asks, one after the other."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in parts(value)]
    return [test]


def is_pair(test: ast.expr) -> bool:
    """Tell whether two written-out tuples of one length are compared."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    sides = [test.left, test.comparators[0]]
    return (
        isinstance(test.ops[0], ast.Eq)
        and all(isinstance(side, ast.Tuple) for side in sides)
        and not any(isinstance(one, ast.Starred) for side in sides for one in side.elts)
        and len(sides[0].elts) == len(sides[1].elts)
    )


def is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def text(node: ast.AST) -> ast.Constant:
    return ast.Constant(ast.unparse(node))


def call(method: str, *arguments: ast.expr) -> ast.Call:
    """Return the call of a method of the notes."""
    notes = ast.Attribute(ast.Name(NOTES, ast.Load()), method, ast.Load())
    return ast.Call(notes, list(arguments), [])


def place(node: ast.AST) -> Place:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def values_of(tree: ast.Module) -> Values:
    """Return what the names of a proof are bound to, as far as that is written out."""
    found: Values = defaultdict(list)
    known = set()

    def bind(target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            found[target.id].append(value)
            known.add(target)
        elif isinstance(target, ast.Tuple):
            fits = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
            values = value.elts if fits else [None] * len(target.elts)
            for one, other in zip(target.elts, values, strict=True):
                bind(one, other)

    nodes = [*ast.walk(tree)]
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                bind(target, node.value)
        elif isinstance(node, ast.AugAssign):
            bind(node.target, node.value)
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            for value in elements(node.iter, found):
                bind(node.target, value)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in known:
            found[node.id].append(None)
        elif isinstance(node, ast.arg | ast.ExceptHandler | ast.FunctionDef | ast.ClassDef):
            found[getattr(node, "arg", None) or node.name].append(None)
    return found


def elements(node: ast.expr | None, values: Values) -> list[ast.expr | None]:
    """Return what a loop goes through, if it is written out."""
    match node:
        case ast.Tuple() | ast.List():
            return node.elts
        case ast.Name():
            return [one for value in values.get(node.id, [None]) for one in elements(value, {})]
        case ast.Call(ast.Attribute(ast.Constant(), "split"), []):
            return [node.func.value]
        case ast.Call(ast.Attribute(ast.Dict() as shown, "items"), []):
            pairs = zip(shown.keys, shown.values, strict=True)
            return [ast.Tuple([*pair], ast.Load()) for pair in pairs]
        case ast.Call(ast.Name("range"), arguments) if all(map(is_constant, arguments)):
            return arguments
    return [None]


def is_written(node: ast.expr | None, values: Values) -> bool:
    """Tell whether a value is made of nothing but what the proof writes out."""
    match node:
        case ast.Name():
            others = {**values, node.id: []}
            if node.id in values:
                return all(is_written(value, others) for value in values[node.id])
            return node.id in MODULES or hasattr(builtins, node.id)
        case ast.Constant() | ast.Attribute() | ast.Tuple() | ast.List() | ast.Dict() | ast.BinOp():
            pass
        case ast.JoinedStr() | ast.FormattedValue() | ast.UnaryOp():
            pass
        case _:
            return False
    inner = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return all(is_written(child, values) for child in inner)


def instrument(tree: ast.Module) -> list[Fact]:
    """Rewrite the tree of a proof in place; return its facts."""
    constants = (node.value for node in ast.walk(tree) if is_constant(node))
    strings = frozenset(value.strip() for value in constants if isinstance(value, str))
    rewrite = Rewrite(values_of(tree))
    rewrite.visit(tree)
    ast.fix_missing_locations(tree)
    return [fact._replace(strings=strings) for fact in rewrite.facts]
