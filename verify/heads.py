"""What the first lines of a code cell say: whose proof it is, and where it can be run.

    # @title Helper: …         a cell that is folded; its title is what is seen of it
    # proof: clone.memory      or    # snippet: draw
    # needs: CUDA              or    # needs: a C++ compiler
    # since: 2.9
    # until: 2.14

The sentence of a claim says "since 2.9" or "until 2.14", and the line under `# proof:` repeats it
for nbval. On another release the cell is not run. In Colab the snippet `verified` reads the same
lines.
"""

import re

VERIFIED = "verified"  # the snippet that is the first code cell
# The metadata that folds a cell with a `# @title`: in Colab, and in JupyterLab and VS Code.
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}
CUDA, COMPILER = "CUDA", "a C++ compiler"  # what a cell may need
LINE = re.compile(r"# (since|until): (\d+\.\d+(?:\.\d+)?)")
TITLE = re.compile(r"# @title (\S.*\S)\s*(?:\n|\Z)")
HEAD = re.compile(r"(?:# proof: .*\n)?((?:# needs: .*\n)?)((?:# (?:since|until): .*(?:\n|\Z))*)")
LOOKS_LIKE = re.compile(r"^[ \t]*#+[ \t]*(?:since|until)[ \t]*:.*", re.M | re.I)
WORDS = re.compile(r"\b(since|until)\s+(?:(?:Py)?torch\s+)?(\d+\.\d+(?:\.\d+)?)", re.I)
SNIPPET = re.compile(r"# snippet: (\S+)\s*$")


def title(source: str) -> str | None:
    """Return the title of a folded cell, the first line `# @title …`, as Colab writes it."""
    found = TITLE.match(source)
    return found and found[1]


def untitled(source: str) -> str:
    """Return the source of a cell without its title."""
    return TITLE.sub("", source, count=1)


def snippet(source: str) -> str | None:
    """Return the name of the snippet that a cell is a copy of: `draw` of book/_snippets/draw.py."""
    found = SNIPPET.match(untitled(source).split("\n", 1)[0])
    return found and found[1]


def needs(source: str) -> str | None:
    """Return what the machine must have for a cell: CUDA, a C++ compiler, or nothing."""
    line = HEAD.match(untitled(source))[1]
    return line.removeprefix("# needs: ").rstrip() or None


def bounds_said(sentence: str) -> dict[str, str]:
    """Return the bounds that a sentence names, as in {"since": "2.9"}."""
    return {word.lower(): release for word, release in WORDS.findall(sentence)}


def bounds(source: str) -> dict[str, str]:
    """Return the bounds that the lines at the head of a code cell name."""
    lines = HEAD.match(untitled(source))[2].splitlines()
    return dict(match.groups() for line in lines if (match := LINE.fullmatch(line)))


def excluded(source: str, torch: str) -> str | None:
    """Say why a cell does not apply to a version of torch, or return None."""
    for word, bound in bounds(source).items():
        limit = numbers(bound)
        # As many numbers as the bound has: 2.14.1 still counts as "until 2.14".
        version = numbers(torch)[: len(limit)]
        if version < limit if word == "since" else version > limit:
            return f"holds {word} torch {bound}"
    return None


def numbers(version: str) -> tuple[int, ...]:
    """Return the release numbers of a version: (2, 13, 0) for 2.13.0+cpu or 2.13.0a0."""
    return tuple(map(int, re.match(r"\d+(?:\.\d+)*", version)[0].split(".")))
