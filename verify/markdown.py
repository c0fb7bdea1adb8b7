"""What the Markdown of a cell says: claims, code and links, told apart from prose."""

import re
from collections.abc import Collection, Iterable

# Jupyter makes no anchor of a claim, and another one of a heading than the site: `make run` puts
# one before each claim and each heading to which notebooks link, so that links lead there, too.
ANCHOR = r'(?:<a id="[^"\n]*"></a>)?'
CLAIM = re.compile(rf"^> {ANCHOR}\*\*Claim `([^`\n]+)`\*\* · \S.*$", re.M)
SENTENCE = re.compile(rf"^> {ANCHOR}\*\*Claim `[^`]+`\*\* · (.*(?:\n>.*)*)", re.M)
FENCE = re.compile(r"^([ >]*)(`{3,}|~{3,})([^\n]*)\n.*?(?:^[ >]*\2[`~]*[ \t]*$|\Z)", re.M | re.S)
SPAN = re.compile(r"(\{[\w:.+-]+\})?(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)", re.S)
# A heading with an anchor on the site (`myst_heading_anchors` in _config.yml), outside of code.
HEADING = re.compile(
    rf"{FENCE.pattern}|^(?P<level>#{{1,3}} +){ANCHOR}(?P<title>\S[^\n]*)", FENCE.flags
)


def anchored(texts: Iterable[str], targets: Collection[str]) -> tuple[list[str], set[str]]:
    """Put an anchor before each claim and each target, a heading, in the texts of a notebook.

    Return the texts, and the anchors that the headings have on the site.
    """
    known: set[str] = set()

    def heading(found: re.Match) -> str:
        if not found["title"]:
            return found[0]
        name = slug(found["title"])
        number = 1
        while name in known:  # as MyST counts
            name, number = f"{name}-{number}", number + 1
        known.add(name)
        anchor = f'<a id="{name}"></a>' if name in targets else ""
        return found["level"] + anchor + found["title"]

    claim = re.compile(rf"^> {ANCHOR}(\*\*Claim `([^`\n]+)`\*\* · )", re.M)
    with_claims = [claim.sub(r'> <a id="\2"></a>\1', text) for text in texts]
    return [HEADING.sub(heading, text) for text in with_claims], known


def slug(title: str) -> str:
    """Return the anchor of a heading on the site, as MyST makes it."""
    shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title.strip())
    return re.sub(r"[^\w -]", "", shown.lower()).replace(" ", "-")


def unfenced(markdown: str) -> str:
    """Put a word in the place of fenced code."""
    return FENCE.sub("code\n", markdown)


def prose(markdown: str) -> str:
    """Blank fenced code, code spans and math: what is left is read as Markdown."""
    without_code = SPAN.sub("code", unfenced(markdown))
    return re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "math", without_code, flags=re.S)
