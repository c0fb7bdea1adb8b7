"""Copy into the snippets of the book what they take from the tool, `book/_static/whoshares.py`.

A function, class or constant of `book/_snippets/*.py` that the tool defines, too, is the tool's,
word for word. `python -m tools.snippets` makes it so; `tests/tool/` checks that it is so. The
snippet `whoshares` is the whole tool.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOL = ROOT / "book" / "_static" / "whoshares.py"
SNIPPETS = ROOT / "book" / "_snippets"
HEAD = "# @title Helper: the tool whoshares\n# snippet: whoshares\n"


def definitions(source: str) -> dict[str, tuple[int, int]]:
    """Return the lines, as a slice, of each name that a file defines at its top."""
    found = {}
    for node in ast.parse(source).body:
        names = [getattr(node, "name", None)]
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        for name in filter(None, names):
            found[name] = node.lineno - 1, node.end_lineno
    return found


def with_definitions_of(tool: str, snippet: str) -> str:
    """Return a snippet with the definitions of the tool in the place of its own."""
    of_tool, tool_lines = definitions(tool), tool.split("\n")
    lines = snippet.split("\n")
    for name, (start, end) in sorted(definitions(snippet).items(), key=lambda item: -item[1][0]):
        if name in of_tool and name != "draw":
            lines[start:end] = tool_lines[slice(*of_tool[name])]
    return "\n".join(lines)


def wanted() -> dict[Path, str]:
    """Return what the snippets should hold."""
    tool = TOOL.read_text(encoding="utf-8")
    texts = {SNIPPETS / "whoshares.py": HEAD + tool}
    for name in ("draw", "glance"):
        file = SNIPPETS / f"{name}.py"
        texts[file] = with_definitions_of(tool, file.read_text(encoding="utf-8"))
    return texts


if __name__ == "__main__":
    for file, text in wanted().items():
        file.write_text(text, encoding="utf-8")
