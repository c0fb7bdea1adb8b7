"""The facts of a proof: what each `assert` asks and each `print` shows, told apart.

A proof often shows several things, and a mutant that breaks one of them makes the claim fail. So
`instrument` rewrites the syntax tree of a proof: each part of an assertion (`a and b`, or the
elements of `(a, b) == (c, d)`) and each argument of a call of `print` is noted by itself. An
assertion that fails does not end the cell, so what follows is seen as well.
"""

import ast
import os
from collections import defaultdict
from typing import NamedTuple

NOTES = "__facts__"  # the name under which a rewritten proof finds `Notes`


class Fact(NamedTuple):
    """A part of a proof: its number there, its code, and the strings written out in the proof."""

    number: int
    code: str
    strings: frozenset[str] = frozenset()

    def is_label(self, texts: list[str]) -> bool:
        """Tell whether all that was printed stands in the proof itself: no mutant changes that."""
        return bool(texts) and all(text.strip() in self.strings for text in texts)


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


class Rewrite(ast.NodeTransformer):
    """Has each part of an `assert` and of a `print` noted."""

    def __init__(self):
        self.facts: list[Fact] = []

    def note(self, node: ast.AST) -> ast.Constant:
        self.facts.append(Fact(len(self.facts), ast.unparse(node)))
        return ast.Constant(len(self.facts) - 1)

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        found = [call("check", self.note(part), part, text(part)) for part in parts(node.test)
                 if not is_pair(part)]  # fmt: skip
        for part in filter(is_pair, parts(node.test)):
            for one, other in zip(part.left.elts, part.comparators[0].elts, strict=True):
                both = ast.Compare(one, [ast.Eq()], [other])
                found.append(call("same", self.note(both), one, other, text(both)))
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


def instrument(tree: ast.Module) -> list[Fact]:
    """Rewrite the tree of a proof in place; return its facts."""
    constants = (node.value for node in ast.walk(tree) if is_constant(node))
    strings = frozenset(value.strip() for value in constants if isinstance(value, str))
    rewrite = Rewrite()
    rewrite.visit(tree)
    ast.fix_missing_locations(tree)
    return [fact._replace(strings=strings) for fact in rewrite.facts]
