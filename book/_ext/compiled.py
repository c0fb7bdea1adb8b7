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
    """`{compiled}`: a table for each kind of source; a row for each expression that differs."""

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
        yield from ("", f"**{title}**", "")
        yield f"| Expression | {' | '.join(SITUATIONS)} |"
        yield f"|---|{'---|' * len(SITUATIONS)}"
        rows: dict[str, dict[str, dict[str, list[str]]]] = {}
        for record in records:
            for case in record["differences"]:
                if case["source"] == source:
                    cells = rows.setdefault(case["expression"], {})
                    words = cells.setdefault(case["situation"], {})
                    words.setdefault("; ".join(case["differ"]), []).append(record["torch"])
        for expression, cells in rows.items():
            texts = [cell(cells.get(situation, {}), len(records)) for situation in SITUATIONS]
            yield f"| `{expression}` | {' | '.join(texts)} |"


def cell(words: dict[str, list[str]], releases: int) -> str:
    """Return what stands in a cell: in what it differs, and on which releases if not on all."""
    texts = [
        said if len(found) == releases else f"{said} ({', '.join(found)})"
        for said, found in words.items()
    ]
    return ", ".join(texts) or "–"


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive; called by Sphinx."""
    app.add_directive("compiled", CompiledDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
