"""What the search finds: the entries of the whole book, in one script beside the search page.

An entry is a place with an address of its own: a page, a section, a claim, an error message, a
row of a table of answers, a term of the glossary. `_static/search/rank.js` ranks them, with
MiniSearch. Sphinx's own index is not made. No other page loads any of this.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from book._ext.ledger import title_of

# The pages whose rows are entries, and what a row is called. It gets an anchor from its first cell;
# if that is a link, it leads elsewhere, and the row is none. What the head of the first column says
# belongs to the titles of the rows: what is often said is not always true.
HEADS = {"Often said": "Often said: {}", "I want …": "I want {}"}
ROWS = {
    "index": "Need",
    "reference/questions": "Question",
    "reference/silently_wrong": "Symptom",
    "reference/errors": "Symptom",
    "reference/since": "Change",
}
MESSAGES = ("reference/errors",)  # the pages whose sections of the third level are messages

# The names of a method in the chapter that is about it, besides the titles in the table of contents
# ("numpy, from_numpy"), which are names already. `search.js` takes `x.detach()` for `detach`.
NAMES = {
    "methods/clone": ["torch.clone"],
    "methods/data": ["set_data"],
    "methods/detach": ["detach_"],
    "methods/detach_clone": ["clone().detach"],
    "methods/deepcopy_pickle": ["copy.deepcopy", "copy.copy", "torch.save", "torch.load"],
    "methods/dlpack": ["from_dlpack", "to_dlpack", "__dlpack__"],
    "methods/memory_format": ["channels_last", "contiguous_format", "preserve_format"],
    "methods/to_cpu": ["cpu", "cuda", "to", "float", "double", "half", "type"],
    "methods/views": ["view", "reshape", "transpose", "expand", "flatten", "contiguous", "repeat"],
    "topics/checkpoints_on_disk": ["safetensors", "save_file", "load_file", "mmap", "checkpoint"],
    "topics/gradient_flow": ["retain_grad", "register_hook"],
    "topics/gradients_as_tensors": ["grad", "zero_grad"],
    "topics/inplace_and_version_counter": ["_version"],
    "topics/leaf_tensors": ["is_leaf", "requires_grad_", "requires_grad", "grad_fn"],
    "topics/logging_values": ["item", "tolist"],
    "topics/parameters_and_modules": ["state_dict", "load_state_dict", "nn.Parameter"],
    "topics/processes_and_loaders": ["share_memory_", "DataLoader"],
    "topics/sharded_and_replicated": ["DTensor", "DDP", "FSDP", "fully_shard", "full_tensor"],
    "topics/target_networks_ema": ["lerp_"],
    "topics/what_is_a_copy": ["untyped_storage", "data_ptr"],
}

SKIPPED = (
    nodes.title, nodes.raw, nodes.image, nodes.comment, nodes.math_block, addnodes.index,
    addnodes.toctree, nodes.target,
)  # fmt: skip
WORD = re.compile(r"[A-Za-z_]\w{2,}")
# A row of a table in HTML that says its name: an operation, and what the first cell says of it.
NAMED_ROW = re.compile(r"<tr\b[^>]*\bid='([^']+)' data-name='([^']+)'>.*?<td[^>]*>(.*?)</td>", re.S)


def names_of(app: Sphinx, page: str) -> list[str]:
    """Return the names under which a page is to be found."""
    entry = app.config.external_site_map.get(page)
    title = entry.title if entry is not None and entry.title else ""
    titles = [part.removeprefix(".").removesuffix("()") for part in title.split(", ") if part]
    return list(dict.fromkeys([*titles, *NAMES.get(page, [])]))


def entry(name: str, anchor: str = "") -> addnodes.index:
    """Return a main entry of the alphabetical index: this is the place about the name."""
    return addnodes.index(entries=[("single", name, anchor, "main", None)])


def text_of(node: nodes.Node) -> str:
    """Return the text of a paragraph or a cell in one line, code in backticks."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    if isinstance(node, SKIPPED) and not isinstance(node, nodes.title):
        return ""
    space = " " if isinstance(node, nodes.entry | nodes.definition | nodes.list_item) else ""
    return space.join(text_of(child) for child in node.children)


def plain(node: nodes.Node) -> str:
    """Return the text of a node without any breaks."""
    return " ".join(text_of(node).split())


def is_link(cell: nodes.Node) -> bool:
    """Say whether a cell holds links alone."""
    links = [*cell.findall(nodes.reference), *cell.findall(addnodes.pending_xref)]
    text = "".join(link.astext() for link in links)
    return bool(links) and re.sub(r"[\s;,]", "", cell.astext()) == re.sub(r"[\s;,]", "", text)


def rows_of(document: nodes.document, page: str) -> Iterator[tuple[nodes.row, list[nodes.entry]]]:
    """Yield the rows of a page that are entries, with their cells."""
    for body in document.findall(nodes.tbody) if page in ROWS else ():
        for row in body.findall(nodes.row):
            cells = list(row.findall(nodes.entry))
            answer = "".join(cell.astext() for cell in cells[1:]).strip()
            if answer and cells[0].astext().strip() and not is_link(cells[0]):
                yield row, cells


def row_anchor(text: str) -> str:
    """Return the anchor of a row from its first cell or its title; `rank.js` does the same."""
    words = nodes.make_id(text.replace("`", "")).split("-")
    while len("-".join(words)) > 60:
        words.pop()
    return "row-" + "-".join(words)


class Names(SphinxTransform):
    """Give rows their anchors, and put the names of a page and its claims into the index."""

    default_priority = 805  # after the claims have their ids

    def apply(self, **kwargs: object) -> None:
        for row, cells in rows_of(self.document, self.env.docname):
            name = first = row_anchor(cells[0].astext())
            number = 1
            while name in self.document.ids:
                number += 1
                name = f"{first}-{number}"
            row["ids"].append(name)
            self.document.ids[name] = row
        for quote in self.document.findall(nodes.block_quote):
            if "claim" in quote["classes"]:
                quote.insert(0, entry(quote["ids"][0], quote["ids"][0]))
        section = next(iter(self.document.findall(nodes.section)), None)
        if section is not None:
            for name in names_of(self.app, self.env.docname):
                section.insert(1, entry(name))


# --- The entries of a page: kind, anchor, title, text, and words of code. A row has in their place
# the claims and pages to which it links: what they say is asked in its words.


def collect(app: Sphinx, document: nodes.document) -> None:
    """Keep the entries of a page that was read."""
    page = app.env.docname
    found = [list(one) for one in entries_of(document, page)]
    entries(app.env)[page] = found


def entries(env: BuildEnvironment) -> dict[str, list[list[str]]]:
    """Return the entries of all pages that were read, in this build or before."""
    if not hasattr(env, "search_entries"):
        env.search_entries = {}
    return env.search_entries


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Forget the entries of a page that is read anew, or is no more."""
    entries(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: list[str], other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    entries(env).update({page: entries(other)[page] for page in pages if page in entries(other)})


def entries_of(document: nodes.document, page: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the entries of a page."""
    tops = [node for node in document.children if isinstance(node, nodes.section)]
    for section in tops:
        yield from entries_of_section(section, page, 1)
    for row, cells in rows_of(document, page):
        head = next(iter(row.parent.parent.findall(nodes.entry)), nodes.entry()).astext().strip()
        title = HEADS.get(head, "{}").format(plain(cells[0]))
        texts = [plain(cell) for cell in cells[1:] if not is_link(cell)]
        answer = " – ".join(text for text in texts if text)
        yield ROWS[page], row["ids"][0], title, answer, " ".join(targets_of(row))


def targets_of(row: nodes.row) -> Iterator[str]:
    """Yield the claims, and the pages as wholes, to which a row links."""
    for link in row.findall(addnodes.pending_xref):
        name = link.get("reftargetid")
        if name and "." in name:
            yield name
        elif not name and link["refdomain"] == "doc":
            yield link["reftarget"]


def entries_of_section(
    section: nodes.section, page: str, level: int
) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the entry of a section, and those of what stands in it."""
    texts: list[str] = []
    words: list[str] = []
    inner: list[tuple[str, str, str, str, str]] = []
    for node in section.children:
        read(node, page, level, texts, words, inner)
    title = next(iter(section.findall(nodes.title)), nodes.title())
    kind = "Page" if level == 1 else "Section"
    if level > 2 and page in MESSAGES:
        kind = "Message"
    anchor = "" if level == 1 else section["ids"][0]
    yield kind, anchor, plain(title), "\n".join(texts), " ".join(sorted(set(words)))
    yield from inner


def read(node: nodes.Node, page: str, level: int, texts: list, words: list, inner: list) -> None:
    """Sort what stands in a section: its text, words of code and tables, and entries."""
    if isinstance(node, nodes.section):
        inner.extend(entries_of_section(node, page, level + 1))
    elif isinstance(node, nodes.block_quote) and "claim" in node["classes"]:
        sentence = re.sub(r"^Claim\s*\S+\s*·\s*", "", plain(node))
        inner.append(("Claim", node["ids"][0], "", sentence, ""))
    elif isinstance(node, nodes.definition_list_item) and node.children[0].get("ids"):
        term, *_ = node.children
        text = " ".join(plain(part) for part in node.findall(nodes.definition))
        inner.append(("Term", term["ids"][0], plain(term), text, ""))
    elif isinstance(node, nodes.table):
        if page not in ROWS:
            words.extend(WORD.findall(node.astext()))
    elif isinstance(node, nodes.container) and "cell" in node["classes"]:
        for code in node.findall(nodes.literal_block):
            helper = code.astext().startswith("# @title ")
            if "cell_input" in code.parent["classes"] and not helper:
                words.extend(WORD.findall(re.sub(r"#.*", "", code.astext())))
    elif isinstance(node, nodes.paragraph):
        if text := plain(node):
            texts.append(text)
    elif isinstance(node, nodes.literal_block):
        words.extend(WORD.findall(node.astext()))
    elif isinstance(node, nodes.raw):
        for anchor, name, cell in NAMED_ROW.findall(node.astext()):
            inner.append(
                (
                    "Operation",
                    anchor,
                    f"`{name}`",
                    " ".join(re.sub(r"<[^>]+>", " ", cell).split()),
                    "",
                )
            )
    elif not isinstance(node, SKIPPED):
        for child in node.children:
            read(child, page, level, texts, words, inner)


# --- The script with the entries, and the search page


def frequent_words(found: dict[str, list[list[str]]]) -> set[str]:
    """Return the words of code that stand in many places: they tell no place from another."""
    places = Counter(
        word for page in found.values() for kind, *_, words in page
        if kind in ("Page", "Section", "Message") for word in words.split()
    )  # fmt: skip
    return {word for word, number in places.items() if number > 3}


def stored_anchor(anchor: str, title: str) -> str | int:
    """Return 0 for the anchor of a row that `rank.js` makes from its title: it weighs nothing."""
    return 0 if title.isascii() and anchor == row_anchor(title) else anchor


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the entries beside the scripts of the search page, and those with them."""
    if exception is not None or app.builder.format != "html":
        return
    order = [page for page in app.config.external_site_map if page in app.env.found_docs]
    order += sorted(app.env.found_docs - set(order))
    found = {page: entries(app.env).get(page, []) for page in order}
    frequent = frequent_words(found)
    pages = [
        [
            app.builder.get_target_uri(page),
            title_of(app, page),
            [name.lower() for name in names_of(app, page)],
            [
                [
                    kind,
                    stored_anchor(anchor, title),
                    title,
                    text,
                    " ".join(word for word in words.split() if word not in frequent),
                ]
                for kind, anchor, title, text, words in found[page]
            ],
        ]
        for page in order
    ]
    folder = Path(app.outdir, "_static", "search")
    shutil.copytree(Path(app.srcdir, "_static", "search"), folder, dirs_exist_ok=True)
    lines = ",\n".join(
        json.dumps(page, ensure_ascii=False, separators=(",", ":")) for page in pages
    )
    folder.joinpath("entries.js").write_text(f"const BOOK = [\n{lines}\n];\n", encoding="utf-8")


def no_other_index(app: Sphinx) -> None:
    """Let Sphinx make no index of its own, nor the page for it."""
    app.builder.search = False


def search_page(app: Sphinx) -> Iterator[tuple[str, dict, str]]:
    """Yield the search page."""
    parts = [
        (part.caption, [(page, title_of(app, page)) for page in part.items])
        for part in app.config.external_site_map.root.subtrees
    ]
    yield "search", {"parts": parts}, "search.html"


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform and the hooks; called by Sphinx."""
    app.add_transform(Names)
    app.connect("builder-inited", no_other_index)
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
