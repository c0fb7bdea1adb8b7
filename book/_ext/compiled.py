"""The directive `{compiled}`: where compiled code differs from plain code, by release of torch.

The records in evidence/compiled/ come from verify/differential.py, `make differential`.
"""

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from verify.differential import SITUATIONS

TITLES = {"plain": "A plain tensor", "non-leaf": "A non-leaf, which requires grad"}


class CompiledDirective(SphinxDirective):
    """`{compiled}`: a table for each kind of source, a row for what differs alike."""

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.srcdir).parent / "evidence" / "compiled"
        files = sorted(folder.glob("*.json"))
        if not files:
            raise ExtensionError(f"there is no record in {folder}: run make differential")
        for file in files:
            self.env.note_dependency(str(file))
        records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        records.sort(key=lambda record: [int(part) for part in record["torch"].split(".")])
        found = nodes.container()
        lines = StringList(list(markdown(records)), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, found)
        return found.children


def markdown(records: list[dict]):
    """Yield the lines of the tables."""
    for record in records:
        differ, cases = len(record["differences"]), record["cases"]
        yield f"- torch {record['torch']}, {record['date']}: {differ} of {cases} cases differ"
    for source, title in TITLES.items():
        yield from (
            "",
            f"**{title}**",
            "",
            "| Compiled, it | When | Expressions |",
            "|---|---|---|",
        )
        for (said, releases, places), names in rows(records, source).items():
            on = "" if len(releases) == len(records) else f" (with {', '.join(releases)})"
            where = "in every case" if len(places) == len(SITUATIONS) else listed(places)
            yield f"| {said}{on} | {where} | {', '.join(f'`{name}`' for name in names)} |"


def listed(places: tuple[str, ...]) -> str:
    """Return situations in words, without saying twice what they begin with."""
    return "; ".join(places).replace("; after a write to", " or")


def rows(records: list[dict], source: str) -> dict[tuple, list[str]]:
    """Return the expressions that differ alike: in what, on which releases, in which situations."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for record in records:
        for case in record["differences"]:
            if case["source"] == source:
                places = found.setdefault((case["expression"], "; ".join(case["differ"])), {})
                places.setdefault(case["situation"], []).append(record["torch"])
    alike: dict[tuple, list[str]] = {}
    for (expression, said), places in found.items():
        for releases in dict.fromkeys(map(tuple, places.values())):
            where = tuple(name for name in SITUATIONS if tuple(places.get(name, ())) == releases)
            alike.setdefault((said, releases, where), []).append(expression)
    return dict(sorted(alike.items(), key=lambda row: -len(row[1])))


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive; called by Sphinx."""
    app.add_directive("compiled", CompiledDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
