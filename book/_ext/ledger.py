"""The evidence of every claim: a mark in its box, and the directive `{ledger}`, a table of all.

A claim that passed in every run has a check mark that leads to its row of the table. A line says
where something differs: not run on a release, stale, failed. One that no run has passed says so.

The claims come from the notebooks (verify/claims.py), the results from the records in evidence/
(verify/evidence.py). A claim whose proof has changed since it was run counts as stale.
"""

import hashlib
import json
import pickle
import re
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from pathlib import Path

from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from book._ext import data
from verify import evidence
from verify.claims import NAMES, Claim, claims_of
from verify.evidence import FAILED, NOT_RUN, PASSED, STALE

PAGE = "reference/claims"  # the page of the table
MARKS = {PASSED: "✓", FAILED: "✗", STALE: "↻", NOT_RUN: "○"}
KINDS = {"cpu": "CPU", "cuda": "CUDA"}
INLINE = MarkdownIt("commonmark", {"html": False})


class LedgerTable(nodes.General, nodes.Element):
    """Stands for the table until the page is written."""


class LedgerDirective(SphinxDirective):
    """`{ledger}`: the table of all claims and their evidence."""

    def run(self) -> list[nodes.Node]:
        return [LedgerTable()]


class Ledger:
    """The claims and the records of one build, and what the pages say of them."""

    def load(self, app: Sphinx) -> None:
        """Read claims and records, once in a build."""
        root = Path(app.srcdir).parent
        kept = Path(app.doctreedir, "names.pickle")  # what was found in the cells before
        with suppress(Exception):  # there is none, or it is from another version of this code
            NAMES.update(pickle.loads(kept.read_bytes()))
        known = len(NAMES)
        self.claims = {claim.id: claim for claim in claims_of(root)}
        if len(NAMES) > known:
            kept.write_bytes(pickle.dumps(NAMES))
        try:
            self.records = evidence.load_all(root / "evidence")
            self.mutants = evidence.load_mutants(root / "evidence")
        except evidence.BadRecord as error:
            raise ExtensionError(str(error)) from None

    def outdated(self, app: Sphinx, env: BuildEnvironment) -> set[str]:
        """Name the pages to write again because of new evidence, or of another claim elsewhere."""
        claims = [(claim.id, claim.digest) for claim in self.claims.values()]
        titles = sorted((page, title.astext()) for page, title in env.titles.items())
        parts = [self.records, [self.mutants, claims, titles]]
        state = [hashlib.sha256(json.dumps(part).encode()).hexdigest() for part in parts]
        before, env.ledger_state = getattr(env, "ledger_state", [None, None]), state
        pages = {PAGE} if state != before else set()
        if state[0] != before[0]:
            pages |= {page_of(claim) for claim in self.claims.values()}
        return pages & env.found_docs

    def resolve(self, app: Sphinx, doctree: nodes.document, docname: str) -> None:
        """Write the mark or the line of each claim of a page, and the table into its place."""
        for quote in doctree.findall(nodes.block_quote):
            if "claim" in quote["classes"] and quote["ids"][0] in self.claims:
                self.mark(app, docname, quote, self.claims[quote["ids"][0]])
        for table in list(doctree.findall(LedgerTable)):
            table.replace_self(nodes.raw("", self.table(app), format="html"))

    # --- The mark or the line in the box of a claim

    def mark(self, app: Sphinx, docname: str, quote: nodes.block_quote, claim: Claim) -> None:
        """Put a check mark into the box of a claim, or a line that says what is not as usual."""
        found = [evidence.status(record, claim)[0] for record in self.records]
        if found and all(one == PASSED for one in found):
            link = self.link(app, docname, claim, MARKS[PASSED], "proven", self.passed(claim))
            next(iter(quote.findall(nodes.paragraph))).extend([nodes.Text(" "), link])
            return
        line = nodes.paragraph(classes=["evidence"])
        line += self.link(app, docname, claim, "Evidence", "", "")
        if {*found} <= {NOT_RUN} and "recorded" not in claim.proof.metadata:
            quote["classes"].append("unrun")
        for status, text in self.summary(claim):
            # The mark and the words say it; the color of the class only repeats them.
            line += nodes.Text(" · " if len(line) > 1 else ": ")
            line += nodes.inline(
                "", f"{MARKS[status]}\N{NO-BREAK SPACE}{text}", classes=[css(status)]
            )
        quote += line

    def link(self, app, docname: str, claim: Claim, text: str, name: str, title: str) -> nodes.Node:
        """Return a link to the row of a claim."""
        if PAGE not in app.env.found_docs:
            return nodes.Text(text)
        uri = f"{app.builder.get_relative_uri(docname, PAGE)}#{claim.id}"
        more = f" class='{name}' title='{title}' aria-label='Evidence: {title}'" if title else ""
        return nodes.raw("", f"<a{more} href='{uri}'>{text}</a>", format="html")

    def passed(self, claim: Claim) -> str:
        """Say in words that a claim passed everywhere, and on how many inputs it was tried."""
        places: dict[str, list[str]] = {}
        for record in self.records:
            releases = places.setdefault(place_of(record), [])
            if record["torch"] not in releases:
                releases.append(record["torch"])
        text = "; ".join(f"{place}, torch {', '.join(found)}" for place, found in places.items())
        tried = max(record["claims"][claim.id].get("tried", 0) for record in self.records)
        return f"passed on {text}" + (f"; tried on {tried} more inputs" if tried else "")

    def summary(self, claim: Claim) -> Iterator[tuple[str, str]]:
        """Yield a status and a text; runs that say the same are one."""
        if not self.records:
            yield NOT_RUN, "not run yet"
        alike: dict[tuple, list[str]] = {}
        for record in self.records:
            found, why = evidence.status(record, claim)
            releases = alike.setdefault((place_of(record), found, why), [])
            if record["torch"] not in releases:
                releases.append(record["torch"])
        for (place, found, why), releases in alike.items():
            run = f"{place}, torch {', '.join(releases)}"
            if why == "needs CUDA":
                if not any(record["kind"] == "cuda" for record in self.records):
                    once = claim.proof.metadata.get("recorded")
                    run = once and f"its cell was run on {once['device']}, torch {once['torch']}"
                    yield found, f"needs CUDA; {run}" if run else "not run yet: it needs CUDA"
                continue
            yield (
                found,
                {
                    PASSED: f"passed: {run}",
                    FAILED: f"failed: {run}",
                    STALE: f"changed since it ran: {run}",
                    NOT_RUN: f"not run ({why}): {run}",
                }[found],
            )

    # --- The table of all claims

    def chapters(self, app: Sphinx) -> dict[str, list[Claim]]:
        """Return the claims by page, in the order of the table of contents."""
        by_page: dict[str, list[Claim]] = {}
        for claim in self.claims.values():
            if page_of(claim) in app.env.found_docs:
                by_page.setdefault(page_of(claim), []).append(claim)
        order = getattr(app.config, "external_site_map", ())
        return {page: by_page[page] for page in order if page in by_page} | by_page

    def data(self, app: Sphinx) -> dict:
        """Return all that the table shows, for it and for the download."""
        runs = [
            {key: value for key, value in record.items() if key not in ("schema", "claims")}
            for record in self.records
        ]
        claims = [
            {
                "id": claim.id,
                "chapter": title_of(app, page),
                "url": f"{app.builder.get_target_uri(page)}#{claim.id}",
                "sentence": claim.sentence,
                "digest": claim.digest,
                "evidence": [entry(record, claim) for record in self.records],
                "mutants": None if self.mutants is None else [*self.mutants.get(claim.id, {})],
            }
            for page, claims in self.chapters(app).items()
            for claim in claims
        ]
        return {"page": app.builder.get_target_uri(PAGE), "runs": runs, "claims": claims}

    def table(self, app: Sphinx) -> str:
        """Return the HTML of the page: the runs, the filter, the download and the table."""
        top = "../" * PAGE.count("/")
        shown = self.data(app)
        rows: dict[str, list[dict]] = {}
        for claim in shown["claims"]:
            rows.setdefault(claim["chapter"], []).append(claim)
        heads = ["Claim", *map(run_head, shown["runs"])]
        heads += ["Broken by"] if self.mutants is not None else []
        labels = ["Claim", *map(run_head, shown["runs"])]
        labels += ["Broken by"] if self.mutants is not None else []
        head = "".join(f"<th scope='col'>{text}</th>" for text in labels)
        groups = "".join(
            f"<details class='ledger-chapter' data-chapter='{escape(chapter)}'>"
            f"<summary>{escape(chapter)} <small>{tally(found)}</small></summary>"
            f"<table class='ledger'><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(row(claim, top, labels) for claim in found)}</tbody></table>"
            "</details>"
            for chapter, found in rows.items()
        )
        chapters = "".join(f"<option>{escape(chapter)}</option>" for chapter in rows)
        found = "".join(f"<option value='{css(name)}'>{name} in a run</option>" for name in MARKS)
        return f"""
{runs_table(shown["runs"])}
<form class="ledger-filter scripted">
<label>Chapter <select name="chapter"><option value="">all</option>{chapters}</select></label>
<label>Status <select name="status"><option value="">any</option>{found}</select></label>
<output aria-live="polite"></output>
</form>
<p class="ledger-download">{len(shown["claims"])} claims.
<a href="{top}{data.FOLDER}/claims.json" download>Download all this as JSON</a>
(<a href="{top}{data.PAGE}.html">what it holds</a>)</p>
{groups}"""


def page_of(claim: Claim) -> str:
    """Return the name that Sphinx gives the page of a claim: methods/clone."""
    return claim.notebook.path.removeprefix("book/").removesuffix(".ipynb")


def title_of(app: Sphinx, page: str) -> str:
    """Return the title of a page, the short one of the table of contents if there is one."""
    listed = getattr(app.config, "external_site_map", {}).get(page)
    if listed is not None and listed.title:
        return listed.title
    return app.env.titles[page].astext() if page in app.env.titles else page


def css(found: str) -> str:
    """Return the class of a status."""
    return found.replace(" ", "-")


def place_of(record: dict) -> str:
    """Return where a run took place: the CPU, or a GPU by its name."""
    name = KINDS[record["kind"]]
    return f"{name} ({record['device']})" if record["kind"] == "cuda" else name


def entry(record: dict, claim: Claim) -> dict:
    """Return what a record says of a claim: status, why, and how many inputs it was tried on."""
    status, why = evidence.status(record, claim)
    tried = record["claims"].get(claim.id, {}).get("tried") if status == PASSED else None
    return {"status": status, "why": why} | ({"tried": tried} if tried else {})


def tally(claims: list[dict]) -> str:
    """Say how many claims a chapter has, and how many did not pass in every run."""
    others = sum(any(run["status"] != PASSED for run in claim["evidence"]) for claim in claims)
    text = f"{len(claims)} claim{'s' * (len(claims) > 1)}"
    return f"{text}, {others} not passed in every run" if others else f"{text}, all passed"


def run_head(run: dict) -> str:
    """Return the head of the column of a run: where, and with what."""
    place = run["device"] if run["kind"] == "cuda" else KINDS[run["kind"]]
    if run["runner"] != run["kind"]:
        place += f" ({run['runner']})"
    return f"{escape(place)}, torch {run['torch']}"


def row(claim: dict, top: str, labels: list[str]) -> str:
    """Return one row of the table; `top` leads to the root of the site."""
    bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", claim["sentence"])  # links are relative to there
    link = f"<a href='{top}{claim['url']}'><code>{claim['id']}</code></a>"
    head = f"<th scope='row'>{INLINE.renderInline(bare)} {link}</th>"
    cells = []
    for run in claim["evidence"]:
        status, tried = run["status"], run.get("tried")
        why = run["why"] or (f"tried on {tried} more inputs" if tried else "")
        small = f"<small>{escape(why)}</small>" if why else ""
        cells.append(f"class='{css(status)}'>{MARKS[status]} {status}{small}")
    if claim["mutants"] is not None:
        cells.append(f">{mutants_cell(claim['mutants'])}")
    shown = zip(labels[1:], cells, strict=True)
    body = "".join(f"<td data-label='{escape(label)}' {cell}</td>" for label, cell in shown)
    found = " ".join(sorted({css(run["status"]) for run in claim["evidence"]}))
    return f"<tr id='{claim['id']}' data-status='{found}'>{head}{body}</tr>"


def mutants_cell(names: list[str]) -> str:
    """Return the number of mutants that break a claim, with their names folded under it."""
    if not names:
        return "no mutant"
    count = f"{len(names)} mutant{'s' * (len(names) > 1)}"
    # One line for each, not an element: there are thousands.
    return f"<details><summary>{count}</summary><p>{escape(chr(10).join(names))}</p></details>"


def runs_table(runs: list[dict]) -> str:
    """Return a table of the recorded runs, or say that there is none."""
    if not runs:
        return "<p>No run is recorded yet.</p>"
    heads = {"device": "Device", "torch": "torch", "python": "Python", "platform": "Platform",
             "date": "Date (UTC)", "commit": "Commit", "runner": "Runner"}  # fmt: skip
    head = "".join(f"<th scope='col'>{text}</th>" for text in heads.values())
    body = ""
    for run in runs:
        shown = run | {"commit": short(run["commit"])}
        cells = (f"<td data-label='{heads[key]}'>{escape(shown[key])}</td>" for key in heads)
        body += f"<tr>{''.join(cells)}</tr>"
    return f"""
<div class="ledger-scroll" tabindex="0" role="region" aria-label="Table of the runs">
<table class="ledger-runs"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>
</div>"""


def short(commit: str | None) -> str:
    """Return the first letters of a commit, and whether files had changed since."""
    if commit is None:
        return "unknown"
    return commit[:10] + (", with changes" if commit.endswith("+dirty") else "")


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive and the events; called by Sphinx."""
    ledger = Ledger()
    app.add_node(LedgerTable)
    app.add_directive("ledger", LedgerDirective)
    app.connect("builder-inited", ledger.load)
    app.connect("env-updated", ledger.outdated)
    app.connect("doctree-resolved", ledger.resolve)
    data.offer("claims", ledger.data)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
