"""Rule 5: an assert can fail, and its failure gets out of the cell."""

import ast
from collections.abc import Iterator

from verify.book import Book, Notebook, Problem


def check_asserts(notebook: Notebook, book: Book) -> Iterator[Problem]:
    """An assert can fail, and its failure gets out of the cell."""
    for cell in notebook.code:
        if cell.tree is None:
            yield notebook.problem(cell, "this is no Python", "correct its syntax")
            continue
        for node in ast.walk(cell.tree):
            message = None
            if isinstance(node, ast.Assert) and always_true(node.test):
                message = f"it cannot fail: {ast.unparse(node)[:80]}"
            elif isinstance(node, ast.Try) and any(map(catches_assertion, node.handlers)):
                inner = (child for part in node.body for child in ast.walk(part))
                if any(isinstance(n, ast.Assert) or raises_assertion(n) for n in inner):
                    message = "its `except` catches the AssertionError too"
            if message:
                yield notebook.problem(cell, message, "assert what would be false if it broke")


def always_true(node):
    """Say whether a condition holds whatever the program does."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts)
    if isinstance(node, ast.BoolOp):
        return (any if isinstance(node.op, ast.Or) else all)(map(always_true, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return isinstance(node.op, ast.Not) and not node.operand.value
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        same = ast.dump(node.left) == ast.dump(node.comparators[0])
        calls = any(isinstance(child, ast.Call) for child in ast.walk(node))
        return same and not calls and isinstance(node.ops[0], (ast.Eq, ast.Is, ast.LtE, ast.GtE))
    return isinstance(node, (ast.JoinedStr, ast.Lambda))


def catches_assertion(handler):
    kinds = getattr(handler.type, "elts", [handler.type])
    names = {"AssertionError", "Exception", "BaseException"}
    return any(kind is None or getattr(kind, "id", "") in names for kind in kinds)


def raises_assertion(node):
    return isinstance(node, ast.Raise) and "AssertionError" in ast.unparse(node)
