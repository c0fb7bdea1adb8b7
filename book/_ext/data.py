"""What can be looked up in the book as data: `data/NAME.json` with a schema, and `llms.txt`.

Another extension offers what its page shows (`offer`). The directive `{data-file}` shows a file and
one of its entries on the page about them. The schemas stand in schemas/; what all files have in
common (`HEAD`) is added to each.
"""

import json
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

FOLDER = "data"  # at the root of the site
PAGE = "reference/data"  # the page about the files
VERSION = "1.0"  # the first number moves when a field goes or changes its meaning
# What each file says first.
HEAD = {
    "$schema": {"description": "The address of this schema.", "type": "string"},
    "version": {
        "description": "The first number moves when a field goes or changes its meaning, "
        "the second when one is added.",
        "type": "string",
        "pattern": "^[0-9]+\\.[0-9]+$",
    },
    "title": {"type": "string", "minLength": 1},
    "license": {"description": "An identifier of SPDX.", "type": "string"},
    "site": {"description": "Each `url` goes on from here.", "type": "string"},
    "page": {"description": "The page that shows the same to a reader.", "type": "string"},
}

Made = dict[str, object]
OFFERED: dict[str, Callable[[Sphinx], Made]] = {}
EXAMPLES: dict[str, Callable[[Made, str], object]] = {}
COUNTS: dict[str, Callable[[Made], str]] = {}


def offer(
    name: str,
    made: Callable[[Sphinx], Made],
    example: Callable[[Made, str], object] | None = None,
    count: Callable[[Made], str] | None = None,
) -> None:
    """Publish what a function makes as `data/NAME.json`; the others say what stands on the page.

    By default `made` has its entries under NAME: `example` takes one, and `count` counts them.
    """
    OFFERED[name] = made
    EXAMPLES[name] = example or (lambda found, wanted: entry_of(found[name], wanted))
    COUNTS[name] = count or (lambda found: f"{len(found[name]):,} {name}")


def schema_of(name: str, site: str) -> Made:
    """Return the schema of a file, with what all have in common."""
    path = Path(__file__).with_name("schemas") / f"{name}.schema.json"
    own = json.loads(path.read_text(encoding="utf-8"))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{site}{FOLDER}/{name}.schema.json",
        **own,
        "type": "object",
        "additionalProperties": False,
        "required": [*HEAD, *own["required"]],
        "properties": HEAD | own["properties"],
    }


def content(app: Sphinx, name: str) -> Made:
    """Return what a file holds; it is made once in a build."""
    kept = app.__dict__.setdefault("book_data", {})
    if name not in kept:
        site = app.config.html_baseurl
        own = OFFERED[name](app)
        head = {
            "$schema": f"{site}{FOLDER}/{name}.schema.json",
            "version": VERSION,
            "title": schema_of(name, site)["title"],
            "license": "CC-BY-4.0",
            "site": site,
        }
        kept[name] = head | own
    return kept[name]


def text_of(made: Made) -> str:
    """Return a file as text, without spaces between its parts."""
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"


def entry_of(entries: list[dict], wanted: str) -> dict:
    """Return the entry with a name or an id, or the first with these words, in its first field."""
    first = [next(iter(entry.values())) for entry in entries]
    places = [n for n, text in enumerate(first) if text == wanted]
    places += [n for n, text in enumerate(first) if wanted in text]
    if not places:
        raise ExtensionError(f"reference/data.md: there is no entry {wanted}")
    return entries[places[0]]


def runs(app: Sphinx) -> list[dict]:
    """Return the recorded runs, the same as in claims.json."""
    keys = ("kind", "device", "torch", "python", "date")
    return [{key: run[key] for key in keys} for run in content(app, "claims")["runs"]]


# --- The page about the files


class DataExample(nodes.General, nodes.Element):
    """Stands for the links to a file and an entry of it until the page is written."""


class DataDirective(SphinxDirective):
    """`{data-file} NAME`, with `:entry:`: a file, its schema, how much it holds, and one entry."""

    required_arguments = 1
    option_spec = {"entry": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        return [DataExample(name=self.arguments[0], entry=self.options["entry"])]


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the links and the entry into their places."""
    top = "../" * docname.count("/")
    for place in list(doctree.findall(DataExample)):
        name = place["name"]
        made = content(app, name)
        size = round(len(text_of(made).encode()) / 1000)
        html = (
            f"<p class='data-file'><a href='{top}{FOLDER}/{name}.json'><code>{FOLDER}/{name}.json"
            f"</code></a>: {escape(COUNTS[name](made))}, {size} kB "
            f"(<a href='{top}{FOLDER}/{name}.schema.json'>schema</a>)</p>"
        )
        example = EXAMPLES[name](made, place["entry"])
        text = in_lines(example)
        code = nodes.literal_block(text, text, language="json")
        place.replace_self([nodes.raw("", html, format="html"), code])


def in_lines(example: object) -> str:
    """Return an example as JSON in lines, a short list in one."""

    def short(found: re.Match) -> str:
        inner = " ".join(found[1].split())
        return f"[{inner}]" if len(inner) < 70 else found[0]

    text = json.dumps(example, ensure_ascii=False, indent=2)
    return re.sub(r"\[\n\s+([^\[\]{}]*?)\n\s*\]", short, text)


def anew(app: Sphinx, env: BuildEnvironment) -> set[str]:
    """Write the page about the files at each build: all that it shows may have changed."""
    return {PAGE} & env.found_docs


# --- The files


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the files, their schemas and llms.txt, at the end of a build that went well."""
    if exception is not None or app.builder.format != "html" or PAGE not in app.env.found_docs:
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    for name in OFFERED:
        folder.joinpath(f"{name}.json").write_text(text_of(content(app, name)), encoding="utf-8")
        schema = json.dumps(schema_of(name, app.config.html_baseurl), ensure_ascii=False, indent=1)
        folder.joinpath(f"{name}.schema.json").write_text(schema + "\n", encoding="utf-8")
    Path(app.outdir, "llms.txt").write_text("\n".join(llms(app)) + "\n", encoding="utf-8")


# What llms.txt lists besides the data: a page, and what a reader finds there.
PAGES = {
    "Look up": {
        "index": "the usual answers in one table, and a form that finds the right copy",
        "reference/operations": "for each operation, whether it shares memory with its input",
        "reference/line": "type a chain of calls, see what each step does",
        "reference/errors": "messages with cause and remedy",
        "reference/silently_wrong": "symptoms without a message",
        "reference/comparison": "every way to copy, side by side",
        "reference/questions": "short answers, each with the claim that proves it",
        "reference/claims": "every claim, and the runs that verified it",
    },
    "Read": {
        "start/five_minutes": "the whole subject in short",
        "topics/what_is_a_copy": "tensor, storage, view",
        "methods/clone": "the copy that lets gradients flow back",
        "methods/detach": "the values without gradients, and no new memory",
        "methods/detach_clone": "the usual copy, independent of its source",
    },
    "Optional": {
        "reference/scope": "for which tensors and modes a claim holds",
        "reference/glossary": "what a term means here",
        "reference/data": "the fields of the data files, with examples",
    },
}


def llms(app: Sphinx) -> Iterator[str]:
    """Yield the lines of llms.txt: what the book is, and where the data and the pages lie."""
    site = app.config.html_baseurl
    releases = list(dict.fromkeys(run["torch"] for run in runs(app)))
    yield f"# {app.config.ogp_site_name}"
    yield ""
    yield (
        "> The ways to copy a tensor in PyTorch, and what each one shares, keeps and costs. "
        "Under each claim stands its proof, a cell that is run; "
        f"the runs are recorded with torch {', '.join(releases)}."
    )
    yield ""
    yield (
        "For an independent copy without gradients write `x.detach().clone()`; for a copy through "
        "which gradients flow write `x.clone()`. Cite a claim by its address, such as "
        f"{site}methods/clone.html#clone.memory."
    )
    yield ""
    yield "## Data"
    yield ""
    for name in OFFERED:
        schema = schema_of(name, site)
        yield f"- [{name}.json]({site}{FOLDER}/{name}.json): {schema['description']}"
    for title, pages in PAGES.items():
        yield ""
        yield f"## {title}"
        yield ""
        for page, words in pages.items():
            uri = "" if page == app.config.root_doc else app.builder.get_target_uri(page)
            yield f"- [{app.env.titles[page].astext()}]({site}{uri}): {words}"


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive and the hooks; called by Sphinx."""
    app.add_node(DataExample)
    app.add_directive("data-file", DataDirective)
    app.connect("env-updated", anew)
    app.connect("doctree-resolved", resolve)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
