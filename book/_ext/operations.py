"""The directive `{operations}`: which operations copy, a row for each, and what other releases do.

The records in evidence/operations/ come from verify/operations/, `make operations`. The table needs
no script; `_static/lookup/operations.js` filters it by what the reader types. Script and style are
loaded by this page alone.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from book._ext import data
from book._ext.tables import with_joints
from verify.book import pinned_torch

NOTHING = " class='nothing'"  # of a cell that a phone does not show
GROUPS = {
    "": "torch and Tensor",
    "nn.functional": "torch.nn.functional",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
    "special": "torch.special",
}
COLUMNS = ("Operation", "Memory", "Itself", "View", "Graph", "In place", "out=", "Strides", "dtype")
MEMORY = {"always": "shared: always", "never": "shared: never", "sometimes": "shared: sometimes"}
VIEW = {"always": "registered", "never": "not registered", "sometimes": "registered: sometimes"}
GRAPH = {"always": "yes", "never": "no", "sometimes": "sometimes", "raises": "raises"}
DTYPE = {"always": "kept", "never": "changed", "sometimes": "kept: sometimes"}
LEAF = {
    "always": "refuses a leaf",
    "never": "takes a leaf",
    "sometimes": "refuses a leaf: sometimes",
}
SHARE = {"always": "a strided view is written", "never": "a strided view is replaced"}
SHARE["sometimes"] = "a strided view is written: sometimes"


class OperationsDirective(SphinxDirective):
    """`{operations}`: the table of the pinned release."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir).parent
        records = load(root)
        for file in sorted((root / "evidence" / "operations").glob("*.json")):
            self.env.note_dependency(str(file))
        top = "../" * self.env.docname.count("/")
        return [nodes.raw("", page(records, top), format="html")]


def load(root: Path) -> list[dict]:
    """Return the records, that of the pinned release first."""
    folder = root / "evidence" / "operations"
    pinned = pinned_torch(root)
    records = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*.json")]
    records.sort(key=lambda r: (r["torch"] != pinned, [int(n) for n in r["torch"].split(".")]))
    if not records or records[0]["torch"] != pinned:
        raise ExtensionError(f"{folder} has no record of torch {pinned}: run make operations")
    return records


def anchor(name: str) -> str:
    """Return the address of a row on its page: `op-nn.functional.relu`."""
    return f"op-{name}"


def page(records: list[dict], top: str) -> str:
    """Return the HTML: the runs, the filter, the table and what was not asked."""
    pinned, others = records[0], records[1:]
    groups: dict[str, list[str]] = {space: [] for space in GROUPS}
    for name, row in pinned["operations"].items():
        space = name.rpartition(".")[0]
        groups[space].append(row_of(name, row, others))
    head = "".join(f"<th scope='col' role='columnheader'>{escape(text)}</th>" for text in COLUMNS)
    bodies = "".join(
        f"<tbody role='rowgroup'><tr role='row' class='space'><th scope='rowgroup' "
        f"role='rowheader' colspan='{len(COLUMNS)}'>{title} ({len(groups[space])})</th></tr>"
        f"{''.join(groups[space])}</tbody>"
        for space, title in GROUPS.items()
        if groups[space]
    )
    runs = "".join(
        f"<li>torch {record['torch']}, {record['date']}: {len(record['operations'])} operations "
        f"asked, {len(record['not_asked'])} not asked</li>"
        for record in records
    )
    missing = "".join(
        f"<li><code>{escape(name)}</code>: {escape(why)}</li>"
        for name, why in pinned["not_asked"].items()
    )
    names = ", ".join(f"<code>{escape(name)}</code>" for name in pinned["no_tensor"])
    programs = f"{top}{data.PAGE}.html#operations"
    return f"""
<link rel="stylesheet" href="{top}_static/lookup/operations.css">
<script src="{top}_static/lookup/operations.js" defer></script>
<ul>{runs}</ul>
<p><a href="{programs}">The same as data for programs</a></p>
<form class="op-filter scripted" role="search">
<label for="op-find">Show the operations with</label>
<input id="op-find" type="search" autocomplete="off" spellcheck="false">
<output aria-live="polite"></output>
</form>
<div class="op-scroll" tabindex="0" role="region" aria-label="Table of the operations">
<table class="operations" role="table">
<thead role="rowgroup"><tr role="row">{head}</tr></thead>{bodies}</table>
</div>
<details><summary>Not asked: {len(pinned["not_asked"])}</summary>
<ul>{missing}</ul></details>
<details><summary>Takes a tensor and returns none: {len(pinned["no_tensor"])}</summary>
<p>{names}</p></details>"""


def row_of(name: str, row: dict, others: list[dict]) -> str:
    """Return the row of an operation; what another release does otherwise stands in it."""
    said = words(row)
    cells = "".join(
        f"<td role='cell' data-label='{escape(column)}'{NOTHING * (html == '–')}>{html}</td>"
        for column, html in said.items()
        if column != "Forms"
    )
    notes = ""
    for record in others:
        if text := difference(name, said, record):
            notes += f"<p class='release'>torch {record['torch']}: {text}</p>"
    return (
        f"<tr role='row' id='{anchor(name)}' data-name='{name}'>"
        f"<th scope='row' role='rowheader'><a href='#{anchor(name)}'>"
        f"<code>{with_joints(name)}</code></a>{notes}</th>{cells}</tr>"
    )


def difference(name: str, said: dict[str, str], record: dict) -> str:
    """Return in what the row of another release differs."""
    if name in record["not_asked"]:
        return "not asked"
    if name not in record["operations"]:
        return "not there"
    theirs = words(record["operations"][name])
    pairs = ((column, without_examples(theirs[column]), without_examples(said[column]))
             for column in said)  # fmt: skip
    return "; ".join(f"{column}: {one or '–'}" for column, one, other in pairs if one != other)


def without_examples(html: str) -> str:
    """Return what a cell says without the pair of inputs that shows it."""
    return re.sub("<small>.*?</small>", "", html)


def words(row: dict) -> dict[str, str]:
    """Return what a row says, as HTML, by column."""
    memory = MEMORY.get(row.get("memory", ""), "not asked")
    itself = row.get("same", "never")
    itself = "–" if itself == "never" else itself
    return {
        "Memory": memory + when(row, "memory", "shared", "its own"),
        "Itself": itself
        + ("" if row.get("memory") == "sometimes" else when(row, "same", "itself", "another")),
        "View": view(row),
        "Graph": GRAPH.get(row.get("graph", ""), "–"),
        "In place": "<br>".join(in_place(row)) or "–",
        "out=": written(row["out"], "") if "out" in row else "–",
        "Strides": " or ".join(row.get("strides", [])) or "–",
        "dtype": DTYPE.get(row.get("dtype", ""), "–"),
    }


def when(row: dict, key: str, yes: str, no: str) -> str:
    """Return the smallest pair of inputs that shows both."""
    if f"{key} when" not in row:
        return ""
    pair = row[f"{key} when"]
    sides = ((yes, pair["yes"]), (no, pair["no"]))
    texts = (
        f"{word}: <code>{with_joints(call)}</code>, x {escape(words)}"
        for word, (call, words) in sides
    )
    return f"<small>{'<br>'.join(texts)}</small>"


def view(row: dict) -> str:
    """Return whether a result that shares memory is registered as a view, and what it keeps."""
    if "view" not in row:
        return "–"
    kept = {"always": "keeps the whole storage", "sometimes": "keeps the whole storage: sometimes"}
    text = VIEW[row["view"]] + when(row, "view", "registered", "not registered")
    return f"{text}; {kept[row['whole']]}" if row.get("whole") in kept else text


def in_place(row: dict) -> Iterator[str]:
    """Yield what the forms do that write to the input."""
    for form in row["forms"]:
        if form.endswith("_") and "in place" in row:
            last = form.rpartition(".")[2]
            yield written(row["in place"], f"<code>{last}</code>: ")
            break
    if "inplace=True" in row:
        yield written(row["inplace=True"], "<code>inplace=True</code>: ")


def written(facts: dict, name: str) -> str:
    """Return what a form that writes does."""
    moves = " or ".join(f"+{number}" for number in facts["moves"])
    texts = [f"counter {moves}"]
    texts += [LEAF[facts["refuses"]]] if "refuses" in facts else []
    texts += [SHARE[facts["view"]]] if facts.get("view") in ("never", "sometimes") else []
    return name + ", ".join(texts)


# --- The same as data

PAGE = "reference/operations"
SKIPPED = ("forms", "runs")  # of a row: no facts


def published(app: Sphinx) -> data.Made:
    """Return the rows as data: the facts of the pinned release, and what differs on others."""
    pinned, *others = records = load(Path(app.srcdir).parent)
    page = app.builder.get_target_uri(PAGE)
    rows = []
    for name, row in pinned["operations"].items():
        facts = facts_of(row)
        differs = {record["torch"]: changes(name, facts, record) for record in others}
        rows.append(
            {
                "name": name,
                "url": f"{page}#{anchor(name)}",
                "forms": row["forms"],
                "runs": row["runs"],
                "facts": facts,
                "same_on": [r["torch"] for r in records if not differs.get(r["torch"])],
            }
            | ({"differs": found} if (found := {k: v for k, v in differs.items() if v}) else {})
        )
    runs = [
        {key: record[key] for key in ("torch", "python", "date")}
        | {"asked": len(record["operations"]), "not_asked": len(record["not_asked"])}
        for record in records
    ]
    return {
        "page": page,
        "torch": pinned["torch"],
        "runs": runs,
        "operations": rows,
        "not_asked": pinned["not_asked"],
        "no_tensor": pinned["no_tensor"],
    }


def facts_of(row: dict) -> dict:
    """Return the facts of a row, by names without spaces."""
    return {
        key.replace("inplace=True", "inplace_true").replace(" ", "_"): value
        for key, value in row.items()
        if key not in SKIPPED
    }


def changes(name: str, facts: dict, record: dict) -> dict | str:
    """Return which facts another release has otherwise, or why it has none."""
    if name in record["not_asked"]:
        return f"not asked: {record['not_asked'][name]}"
    if name not in record["operations"]:
        return "not there"
    theirs = facts_of(record["operations"][name])
    keys = [key for key in {**facts, **theirs} if not key.endswith("_when")]
    return {key: theirs.get(key) for key in keys if theirs.get(key) != facts.get(key)}


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive and the data; called by Sphinx."""
    app.add_directive("operations", OperationsDirective)
    data.offer("operations", published)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
