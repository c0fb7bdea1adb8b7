"""The messages and the symptoms as data, read from the pages that explain them."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from book._ext import data
from book._ext.search import plain
from verify.book import Notebook, pinned_torch, read, text
from verify.evidence import PASSED

CLAIM = re.compile(r"[a-z_]+\.[a-z0-9_]+")


def passed(app: Sphinx) -> dict[str, list[str]]:
    """Return for each claim the releases on which it passed."""
    kept = app.__dict__.setdefault("book_passed", {})
    if not kept:
        known = data.content(app, "claims")
        for claim in known["claims"]:
            pairs = zip(known["runs"], claim["evidence"], strict=True)
            kept[claim["id"]] = [run["torch"] for run, one in pairs if one["status"] == PASSED]
    return kept


def on_all(app: Sphinx, claims: list[str]) -> list[str]:
    """Return the releases on which all of the claims passed."""
    found = [passed(app)[claim] for claim in claims]
    return [release for release in (found[0] if found else []) if all(release in f for f in found)]


def claims_in(app: Sphinx, node: nodes.Node) -> list[str]:
    """Return the claims that a part of a page states or links to."""
    ids = [i for quote in node.findall(nodes.block_quote) for i in quote["ids"]]
    ids += [
        target
        for link in node.findall()
        if isinstance(link, nodes.Element)
        for target in (str(link.get("reftargetid", "")), str(link.get("refid", "")))
    ]
    return list(dict.fromkeys(i for i in ids if CLAIM.fullmatch(i) and i in passed(app)))


def errors(app: Sphinx) -> data.Made:
    """Return the entries of the page of messages."""
    page = "reference/errors"
    document = app.env.get_doctree(page)
    kinds = {}  # the message of a row of the table: error or warning
    for row in next(iter(document.findall(nodes.tbody))):
        link, kind = (cell.astext().strip() for cell in row)
        kinds[link] = kind
    root = Path(app.srcdir).parent
    cells = cells_of(Path(app.srcdir, f"{page}.ipynb"), root)
    entries = []
    for group in document.children[0].findall(nodes.section):
        if group.parent is not document.children[0]:
            continue
        for section in group.children:
            if not isinstance(section, nodes.section):
                continue
            title = next(iter(section.findall(nodes.title)))
            texts = [plain(p) for p in section.children if isinstance(p, nodes.paragraph)]
            claims = claims_in(app, section)
            entries.append(
                {
                    "message": title.astext(),
                    "url": f"{app.builder.get_target_uri(page)}#{section['ids'][0]}",
                    "kind": kinds[title.astext()],
                    "group": next(iter(group.findall(nodes.title))).astext(),
                    "cause": "\n".join(texts),
                    **cells[len(entries)],
                    "claims": claims,
                    "passed": on_all(app, claims),
                }
            )
    if len(entries) != len(cells):
        raise ExtensionError(f"{page}: {len(entries)} messages, {len(cells)} headings")
    return {
        "page": app.builder.get_target_uri(page),
        "torch": pinned_torch(root),
        "runs": data.runs(app),
        "errors": entries,
    }


def cells_of(file: Path, root: Path) -> list[dict]:
    """Return for each heading of the third level the code under it, and what it prints."""
    found: list[dict] = []
    for cell in Notebook(file, root, read(file)).cells:
        if not cell.code:
            level = re.findall(r"^(#+) ", cell.source, re.M)
            if "###" in level:
                found.append({"code": "", "output": ""})
            elif level and found:
                found.append({})  # another part begins
        elif found and found[-1] and not cell.title:  # helpers stand elsewhere
            printed = (text(output["text"]) for output in cell.outputs if "text" in output)
            found[-1]["code"] += cell.source + "\n"
            found[-1]["output"] += "".join(printed)
    return [one for one in found if one]


def symptoms(app: Sphinx) -> data.Made:
    """Return the rows of the table of symptoms."""
    page = "reference/silently_wrong"
    document = app.env.get_doctree(page)
    entries, group = [], ""
    for row in next(iter(document.findall(nodes.tbody))):
        first, *others = row
        if not any(cell.astext().strip() for cell in others):
            group = first.astext().strip()
            continue
        claims = claims_in(app, row)
        cause, remedy, *_ = map(plain, others)
        entries.append(
            {
                "symptom": plain(first),
                "url": f"{app.builder.get_target_uri(page)}#{row['ids'][0]}",
                "group": group,
                "cause": cause,
                "remedy": remedy,
                "claims": claims,
                "passed": on_all(app, claims),
            }
        )
    return {"page": app.builder.get_target_uri(page), "runs": data.runs(app), "symptoms": entries}


def setup(app: Sphinx) -> dict[str, object]:
    """Offer the data; called by Sphinx."""
    data.offer("errors", errors)
    data.offer("symptoms", symptoms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
