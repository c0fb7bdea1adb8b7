"""Cells that hold only since, or only until, a release of torch.

The sentence of a claim says "since 2.9" or "until 2.14", and the line under `# proof:` repeats it
for nbval: `# since: 2.9` or `# until: 2.14`. On another release the cell is not run. In a cell that
is no proof, the line is the first. A line `# needs: CUDA` stands above it. In Colab the snippet
`verified` reads the same lines.
"""

import re

LINE = re.compile(r"# (since|until): (\d+\.\d+(?:\.\d+)?)")
HEAD = re.compile(r"(?:# proof: .*\n)?(?:# needs: .*\n)?((?:# (?:since|until): .*(?:\n|\Z))*)")
LOOKS_LIKE = re.compile(r"^[ \t]*#+[ \t]*(?:since|until)[ \t]*:.*", re.M | re.I)
WORDS = re.compile(r"\b(since|until)\s+(?:(?:Py)?torch\s+)?(\d+\.\d+(?:\.\d+)?)", re.I)


def of_sentence(sentence):
    """Return the bounds that a sentence names, as in {"since": "2.9"}."""
    return {word.lower(): release for word, release in WORDS.findall(sentence)}


def of_cell(source):
    """Return the bounds that the lines at the head of a code cell name."""
    lines = HEAD.match(source)[1].splitlines()
    return dict(match.groups() for line in lines if (match := LINE.fullmatch(line)))


def excluded(source, torch):
    """Say why a cell does not apply to a version of torch, or return None."""
    for word, bound in of_cell(source).items():
        limit = numbers(bound)
        # As many numbers as the bound has: 2.14.1 still counts as "until 2.14".
        version = numbers(torch)[: len(limit)]
        if version < limit if word == "since" else version > limit:
            return f"holds {word} torch {bound}"
    return None


def numbers(version):
    """Return the release numbers of a version: (2, 13, 0) for 2.13.0+cpu or 2.13.0a0."""
    return tuple(map(int, re.match(r"\d+(?:\.\d+)*", version)[0].split(".")))
