"""What the Markdown of a cell says: claims, code and links, told apart from prose."""

import re

# Jupyter makes no anchor of a claim: `make run` puts one before it, so that links lead there, too.
ANCHOR = r'(?:<a id="[^"\n]*"></a>)?'
CLAIM = re.compile(rf"^> {ANCHOR}\*\*Claim `([^`\n]+)`\*\* · \S.*$", re.M)
SENTENCE = re.compile(rf"^> {ANCHOR}\*\*Claim `[^`]+`\*\* · (.*(?:\n>.*)*)", re.M)
FENCE = re.compile(r"^([ >]*)(`{3,}|~{3,})([^\n]*)\n.*?(?:^[ >]*\2[`~]*[ \t]*$|\Z)", re.M | re.S)
SPAN = re.compile(r"(\{[\w:.+-]+\})?(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)", re.S)


def anchored(markdown: str) -> str:
    """Return the text of a cell with an anchor before its claim."""
    return re.sub(
        rf"^> {ANCHOR}(\*\*Claim `([^`\n]+)`\*\* · )", r'> <a id="\2"></a>\1', markdown, flags=re.M
    )


def unfenced(markdown: str) -> str:
    """Put a word in the place of fenced code."""
    return FENCE.sub("code\n", markdown)


def prose(markdown: str) -> str:
    """Blank fenced code, code spans and math: what is left is read as Markdown."""
    without_code = SPAN.sub("code", unfenced(markdown))
    return re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "math", without_code, flags=re.S)
