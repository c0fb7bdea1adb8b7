"""What the built site shows is what the notebooks hold: `make book`, then `make check-site`."""

import base64
import gzip
import hashlib
import io
import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup
from PIL import Image
from pygments.styles import get_style_by_name

from book._ext.accessibility import MENDS
from book._ext.cells import PLAIN
from book._ext.search import row_anchor
from verify import ROOT, evidence
from verify.claims import claims_of

SITE = ROOT / "_build" / "html"
NOTEBOOKS = sorted(path.relative_to(ROOT / "book") for path in (ROOT / "book").rglob("*.ipynb"))
FIGURES = sorted((ROOT / "book").glob("*/figures/*.json"))
PAGES = sorted(path.relative_to(SITE) for path in SITE.rglob("*.html"))
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
OWNER, BOOK = urlsplit(CONFIG["repository"]["url"]).path.strip("/").split("/")
FOLDER = f"/{BOOK}/"  # the site's place on GitHub Pages
ADDRESS = f"https://{OWNER.lower()}.github.io{FOLDER}"
MADE = [Path(f"{name}.html") for name in ("404", "genindex", "search")]  # by Sphinx
# What a page loads besides: style sheets and scripts.
MORE = {
    "search.html": (["search.css"], ["search.js", "minisearch.js", "entries.js", "rank.js"]),
    "reference/line.html": (["line.css"], ["chains-data.js", "line.js"]),
    "reference/operations.html": (["operations.css"], ["operations.js"]),
}
CLAIM = re.compile(r"> (?:<a id=\"[^\"]+\"></a>)?\*\*Claim `([a-z_]+\.[a-z0-9_]+)`\*\*")


@cache
def page(path: Path) -> BeautifulSoup:
    """Return a page of the site, parsed."""
    return BeautifulSoup((SITE / path).read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(path: Path) -> set[str]:
    """Return the ids of a page."""
    return {tag["id"] for tag in page(path).find_all(id=True)}


def html_of(notebook: Path) -> BeautifulSoup:
    """Return the page of a notebook, parsed."""
    return page(notebook.with_suffix(".html"))


def cells_of(notebook: Path, kind: str) -> list[dict]:
    """Return the cells of a notebook of one kind, `code` or `markdown`."""
    cells = json.loads((ROOT / "book" / notebook).read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


def is_helper(cell: dict) -> bool:
    """Say whether a cell stands in the bar at the end of the page."""
    folded = "hide-cell" in cell["metadata"].get("tags", [])
    return folded and "".join(cell["source"]).startswith("# @title ")


def expected_outputs(cell: dict) -> list[tuple[str, str]]:
    """Return what a reader must see of a cell: pairs of a kind and its content."""
    shown: list[tuple[str, str]] = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            text = "".join(output["text"])
            if shown and shown[-1][0] == "text":
                text = shown.pop()[1] + text
            shown.append(("text", text))
            continue
        for kind in ("text/html", "image/svg+xml", "image/png", "text/plain"):
            if kind in output["data"]:
                data = output["data"][kind]
                data = data if isinstance(data, str) else "".join(data)
                data = pixels(base64.b64decode(data)) if kind == "image/png" else data
                shown.append((kind.replace("/plain", ""), data))
                break
    return shown


def pixels(picture: bytes) -> str:
    """Return the pixels of a picture: the site shows a PNG as WebP, without loss."""
    image = Image.open(io.BytesIO(picture)).convert("RGBA")
    return f"{image.size} {hashlib.sha256(image.tobytes()).hexdigest()}"


def shown_outputs(cell: BeautifulSoup, notebook: Path) -> list[tuple[str, str]]:
    """Return the same pairs, read from the page."""
    shown = []
    for part in cell.select("div.cell_output :is(pre, svg, img), table.glance, div.chart-words"):
        if part.name == "pre":
            shown.append(("text", part.get_text()))
        elif part.name in ("table", "div"):
            shown.append(("text/html", str(part)))
        elif part.name == "svg":
            shown.append(("image/svg+xml", str(part)))
        else:
            file = (SITE / notebook).parent / part["src"]
            shown.append(("image/png", pixels(file.read_bytes())))
    return shown


def plain(kind: str, content: str) -> str:
    """Return an output in the form in which page and notebook must agree."""
    for before, after in MENDS.items():
        content = content.replace(before, after)
    if kind in ("text/html", "image/svg+xml"):
        soup = BeautifulSoup(content, "html.parser")
        for tag in soup.find_all(["wbr", "table"]):  # what the page adds for a phone
            if tag.name == "wbr":
                tag.decompose()
            else:
                tag["class"] = [name for name in tag["class"] if name != "stacks"]
        drawn = [
            (tag.name, tag.get("class"), tag.get("d"), tag.get("x")) for tag in soup.find_all()
        ]
        return f"{soup.get_text()} {drawn}"
    return content.rstrip("\n")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=str)
def test_outputs_on_the_page_are_those_of_the_notebook(notebook):
    on_page = html_of(notebook).select("div.cell")
    removed, *in_notebook = cells_of(notebook, "code")
    assert removed["metadata"]["tags"] == ["remove-cell"]
    assert len(on_page) == len(in_notebook)
    in_notebook.sort(key=is_helper)  # on the page they stand at the end, in their order
    folded = html_of(notebook).select("article > section > details.helpers > div.cell")
    assert len(folded) == sum(map(is_helper, in_notebook))
    assert folded == on_page[len(on_page) - len(folded) :]
    for number, (shown, cell) in enumerate(zip(on_page, in_notebook, strict=True), 2):
        source = shown.select_one("div.cell_input pre").get_text()
        assert source.rstrip("\n") == "".join(cell["source"]).rstrip("\n"), (
            f"source of cell {number}"
        )
        got = [(kind, plain(kind, content)) for kind, content in shown_outputs(shown, notebook)]
        want = [(kind, plain(kind, content)) for kind, content in expected_outputs(cell)]
        assert got == want, f"{notebook}, code cell {number}: the site shows something else"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=str)
def test_every_claim_is_an_anchor(notebook):
    html = html_of(notebook)
    claims = CLAIM.findall("\n".join("".join(c["source"]) for c in cells_of(notebook, "markdown")))
    assert [quote["id"] for quote in html.select("blockquote.claim")] == claims
    for claim in claims:
        assert len(html.find_all(id=claim)) == 1


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=str)
def test_gpu_cells_say_where_their_output_comes_from(notebook):
    gpu = [cell for cell in cells_of(notebook, "code") if "gpu" in cell["metadata"].get("tags", [])]
    captions = [caption.get_text() for caption in html_of(notebook).select("p.gpu-caption")]
    assert len(captions) == len(gpu)
    for cell, caption in zip(gpu, captions, strict=True):
        recorded = cell["metadata"].get("recorded")
        assert (recorded["device"] if recorded else "not recorded yet") in caption


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=str)
def test_colab_and_download_buttons(notebook):
    config = CONFIG["repository"]
    repository = urlsplit(config["url"]).path.strip("/")
    links = [link["href"] for link in html_of(notebook).find_all("a", href=True)]
    colab = "https://colab.research.google.com/github"
    assert f"{colab}/{repository}/blob/{config['branch']}/book/{notebook}" in links
    assert any(link.endswith(f"_sources/{notebook}") for link in links)


@pytest.mark.parametrize("file", FIGURES, ids=lambda file: file.stem)
def test_the_figures_of_a_benchmark_can_be_downloaded(file):
    notebook = (file.parent.parent / file.name).relative_to(ROOT / "book")
    links = [link["href"] for link in html_of(notebook).find_all("a", href=True)]
    found = [(SITE / notebook).parent / link for link in links if link.endswith(f"/{file.name}")]
    assert [linked.read_bytes() for linked in found] == [file.read_bytes()]


def loaded_by(html: BeautifulSoup) -> list[str]:
    """Return the addresses of what a page loads."""
    links = [tag for tag in html.find_all("link", href=True) if "canonical" not in tag["rel"]]
    return [tag["src"] for tag in html.find_all(src=True)] + [tag["href"] for tag in links]


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_nothing_is_loaded_from_another_host(path):
    assert [url for url in loaded_by(page(path)) if urlsplit(url).netloc] == []


def test_style_and_script_name_no_other_host():
    for name in ("site.css", "site.js"):
        text = (SITE / "_static" / name).read_text(encoding="utf-8")
        assert re.findall(r"(?:url\(|@import |fetch\()[\"']?(?:https?:)?//[^\"')]*", text) == []


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_internal_links_lead_somewhere(path):
    broken = []
    for link in page(path).find_all("a", href=True):
        url = urlsplit(link["href"])
        if url.scheme or url.netloc or link["href"] in ("#", ""):
            continue
        target = (SITE / path).parent / unquote(url.path) if url.path else SITE / path
        if url.path.startswith(FOLDER):  # on the 404 page, which is shown under any address
            target = SITE / unquote(url.path.removeprefix(FOLDER))
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            broken.append(link["href"])
        elif url.fragment and target.suffix == ".html":
            there = anchors(target.resolve().relative_to(SITE.resolve()))
            broken += [link["href"]] if unquote(url.fragment) not in there else []
    assert broken == []


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_pictures_say_what_they_show(path):
    html = page(path)
    images = {image["src"]: image.get("alt", "") for image in html.select("article img")}
    assert [src for src, alt in images.items() if not alt.strip()] == []
    drawings = [svg.get("aria-label", "") for svg in html.select("div.picture svg")]
    assert all(label.strip() for label in drawings)


# Light: one style sheet, one script, sized pictures, no icon font.


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_page_loads_one_style_sheet_and_one_script(path):
    loaded = [urlsplit(url).path for url in loaded_by(page(path)) if url != "#"]
    names = [Path(url).name for url in loaded]
    styles, more = MORE.get(path.as_posix(), ([], []))
    assert [name for name in names if name.endswith(".css")] == ["site.css", *styles]
    assert [name for name in names if name.endswith(".js")] == ["site.js", *more]
    scripts = page(path).find_all("script", src=True)
    assert all(script.has_attr("defer") for script in scripts)
    for url in loaded:
        file = (
            SITE / url.removeprefix(FOLDER) if url.startswith("/") else (SITE / path).parent / url
        )
        assert file.is_file(), f"{url} is not there"


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_every_icon_is_drawn(path):
    css = (SITE / "_static" / "site.css").read_text(encoding="utf-8")
    icons = set(re.findall(r"\bfa-(?!solid|regular|brands|lg)[a-z-]+", str(page(path))))
    assert [icon for icon in icons if f".{icon}{{--icon:url(" not in css] == []


def test_no_icon_font_is_published():
    fonts = [file for file in SITE.rglob("*") if file.suffix in (".woff", ".woff2", ".ttf")]
    assert fonts == [] and list(SITE.rglob("*fontawesome*")) == []


def test_the_style_sheet_keeps_what_the_pages_use():
    css = (SITE / "_static" / "site.css").read_text(encoding="utf-8")
    for name in ("claim", "glance", "ledger", "picker", "dropdown-menu", "copybtn", "tooltip"):
        assert f".{name}" in css, f"no rule for {name}"
    assert ".carousel" not in css and len(css) < 200_000


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_figures_are_sized_and_come_late(path):
    for image in page(path).select("article img"):
        size = Image.open((SITE / path).parent / image["src"]).size
        assert (int(image["width"]), int(image["height"])) == size
        assert (image["loading"], image["decoding"]) == ("lazy", "async")


# Whole: an address, a description and a card for each page, a map of the site, a 404 page.


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_every_page_says_what_it_is(path):
    head = page(path).head
    (description,) = head.find_all("meta", attrs={"name": "description"})
    assert len(description["content"]) >= 20
    canonical = [link["href"] for link in head.find_all("link", rel="canonical")]
    own = ADDRESS + ("" if path == Path("index.html") else path.as_posix())
    assert canonical == ([] if path == Path("404.html") else [own])
    hidden = head.find("meta", attrs={"name": "robots"})
    assert (hidden is not None) == (path in (Path("404.html"), Path("search.html")))
    if path in MADE:
        return
    tags = {tag["property"]: tag["content"] for tag in head.find_all("meta", property=True)}
    assert tags["og:url"] == own and tags["og:title"]
    assert tags["og:image"].startswith(ADDRESS)
    card = SITE / tags["og:image"].removeprefix(ADDRESS)
    size = (int(tags["og:image:width"]), int(tags["og:image:height"]))
    assert Image.open(card).size == pytest.approx(size, abs=2)
    assert tags["og:description"] == tags["og:image:alt"] == description["content"]


def test_descriptions_are_whole_sentences_and_differ():
    texts = [
        page(path).head.find("meta", attrs={"name": "description"})["content"] for path in PAGES
    ]
    assert [text for text in texts if not re.search(r"[.?!:]$", text)] == []
    assert len(set(texts)) == len(texts)


def test_the_map_of_the_site_is_complete():
    found = ElementTree.parse(SITE / "sitemap.xml").findall(".//{*}loc")
    pages = [ADDRESS + path.as_posix() for path in PAGES if path not in MADE]
    pages[pages.index(f"{ADDRESS}index.html")] = ADDRESS
    assert sorted(loc.text for loc in found) == sorted(pages)
    robots = (SITE / "robots.txt").read_text(encoding="utf-8")
    assert f"Sitemap: {ADDRESS}sitemap.xml" in robots.splitlines()


def test_the_404_page_works_under_any_address():
    html = page(Path("404.html"))
    local = [url for url in loaded_by(html) if not url.startswith("data:")]
    local += [link["href"] for link in html.select("a[href]") if not urlsplit(link["href"]).netloc]
    local += [form["action"] for form in html.find_all("form")]
    assert [url for url in local if not url.startswith((FOLDER, "#"))] == []
    chapters = {link["href"].removeprefix(FOLDER) for link in html.select("ul.chapters a")}
    assert {path.with_suffix(".html").as_posix() for path in NOTEBOOKS} <= chapters
    assert html.select_one("form.lost input[name=q]") is not None


# Search: its entries hold each claim, method, question and message (tests/browser searches them).

SEARCH = SITE / "_static" / "search"


@cache
def search_pages() -> list:
    """Return the pages of the search: address, title, names, and entries."""
    text = (SEARCH / "entries.js").read_text(encoding="utf-8")
    pages = json.loads(text.removeprefix("const BOOK = ").removesuffix(";\n"))
    for _, _, _, entries in pages:
        for entry in entries:
            if entry[1] == 0:  # rank.js makes it from the title
                entry[1] = row_anchor(entry[2])
    return pages


def search_entries(*kinds: str) -> list[tuple[str, str, str]]:
    """Return address, anchor and title of the entries of some kinds."""
    return [
        (url, anchor, title)
        for url, _, _, entries in search_pages()
        for kind, anchor, title, *_ in entries
        if kind in kinds
    ]


def test_the_search_knows_every_page_and_every_section():
    pages = [path.as_posix() for path in PAGES if path not in MADE]
    assert sorted(url for url, *_ in search_pages()) == sorted(pages)
    assert sorted(url for url, *_ in search_entries("Page")) == sorted(pages)
    for path in NOTEBOOKS:
        html = html_of(path)
        sections = {tag["id"] for tag in html.select("article section section")}
        url = path.with_suffix(".html").as_posix()
        found = {one[1] for one in search_entries("Section", "Message") if one[0] == url}
        assert found == sections, path


def test_the_search_knows_every_claim():
    found = {anchor: url for url, anchor, _ in search_entries("Claim")}
    assert found.keys() == claims().keys()
    for claim in claims().values():
        page_of_claim = claim.notebook.path.removeprefix("book/").removesuffix(".ipynb")
        assert found[claim.id] == f"{page_of_claim}.html"


def test_the_search_knows_the_tables_of_answers_the_messages_and_the_terms():
    count = {kind: len(search_entries(kind)) for kind in ("Question", "Symptom", "Message", "Term")}
    least = {"Question": 180, "Symptom": 12, "Message": 90, "Term": 30}
    assert {kind for kind in least if count[kind] < least[kind]} == set(), count


def test_every_entry_of_the_search_leads_to_a_place():
    for url, _, _, entries in search_pages():
        places = [anchor for _, anchor, *_ in entries if anchor]
        assert set(places) <= anchors(Path(url)) and len(places) == len(set(places)), url


def test_the_texts_of_the_search_read_well():
    for url, _, _, entries in search_pages():
        for kind, anchor, title, text, *_ in entries:
            assert title or kind == "Claim", (url, anchor)
            assert not re.search(r"<\w|#\s?@title|\bimport torch\b(?!`)", text), (url, anchor)
            assert kind != "Claim" or text and "Claim `" not in text, (url, anchor)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("detach", "methods/detach"),
        ("clone", "methods/clone"),
        ("data", "methods/data"),
        ("copy_", "methods/copy_"),
        ("torch.tensor", "methods/torch_tensor"),
        ("detach().clone", "methods/detach_clone"),
        ("from_numpy", "methods/numpy"),
        ("asarray", "methods/as_tensor_asarray"),
        ("item", "topics/logging_values"),
    ],
)
def test_the_search_knows_a_method_by_its_name(name, where):
    assert [url for url, _, names, _ in search_pages() if name in names] == [f"{where}.html"]


def test_no_name_leads_to_two_chapters():
    names = [name for _, _, names, _ in search_pages() for name in names]
    assert len(names) == len(set(names))


def test_the_search_is_light_and_sphinx_makes_no_other():
    size = sum(len(gzip.compress(file.read_bytes())) for file in SEARCH.iterdir())
    assert size < 300_000  # loaded by the first search, not with a page
    assert "Permission is hereby granted" in (SEARCH / "minisearch.js").read_text(encoding="utf-8")
    made = [*SITE.glob("searchindex*"), *SITE.glob("_static/searchtools*")]
    assert [*made, *SITE.glob("_static/language_data*")] == []
    assert "highlight_terms" not in (SITE / "_static" / "site.js").read_text(encoding="utf-8")


# The evidence: the line beside each claim, the table of all claims, and the download.

LEDGER = Path("reference/claims.html")
MARKS = {"passed": "✓", "failed": "✗", "stale": "↻", "not run": "○"}


@cache
def recorded() -> list[dict]:
    """Return the recorded runs, in the order of the table's columns."""
    return evidence.load_all(ROOT / "evidence")


@cache
def claims() -> dict:
    """Return the claims of the book by id."""
    return {claim.id: claim for claim in claims_of(ROOT)}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=str)
def test_every_claim_shows_its_evidence(notebook):
    for quote in html_of(notebook).select("blockquote.claim"):
        found = [evidence.status(record, claims()[quote["id"]]) for record in recorded()]
        states = {state for state, why in found}
        (link,) = quote.select(f"a[href$='claims.html#{quote['id']}']")
        line = quote.select_one("p.evidence")
        if states == {"passed"}:  # a quiet mark that says more when it is asked
            assert line is None and link.get_text() == "✓" and link["class"] == ["proven"]
            assert all(record["torch"] in link["aria-label"] for record in recorded())
            continue
        assert link in line.find_all("a") and line.find_next_sibling() is None
        text = line.get_text().replace("\N{NO-BREAK SPACE}", " ")
        nowhere = "recorded" not in claims()[quote["id"]].proof.metadata
        assert ("unrun" in quote["class"]) == (states == {"not run"} and nowhere)
        on_cuda = any(record["kind"] == "cuda" for record in recorded())
        assert "needs CUDA" not in text or not on_cuda
        for record, (state, why) in zip(recorded(), found, strict=True):
            if why == "needs CUDA":  # a run on a GPU says more
                assert on_cuda or (MARKS[state] in text and "needs CUDA" in text)
            else:
                assert MARKS[state] in text and record["torch"] in text


def test_code_without_an_element_has_the_color_it_would_have():
    css = (SITE / "_static" / "site.css").read_text(encoding="utf-8")
    for scheme in ("light", "dark"):
        start = f'html[data-theme="{scheme}"] .highlight'
        around = re.search(rf"{re.escape(start)}{{[^}}]*?color: (#\w+)}}", css)[1]
        style = get_style_by_name(f"a11y-high-contrast-{scheme}")
        for token in PLAIN:
            color = style.style_for_token(token)["color"]
            assert color is None or f"#{color}".lower() == around.lower(), (scheme, token)
    for path in ("methods/clone.html", "reference/errors.html"):
        for short in ("n", "nn", "p", "w"):
            assert page(Path(path)).select(f".highlight span.{short}") == [], (path, short)


def said(record: dict, claim) -> str:
    """Return what a cell of the table says."""
    found, why = evidence.status(record, claim)
    tried = record["claims"].get(claim.id, {}).get("tried") if found == "passed" else None
    return f"{MARKS[found]} {found}{why or ''}" + f"tried on {tried} more inputs" * bool(tried)


def test_the_table_holds_every_claim():
    rows = page(LEDGER).select("table.ledger tr[id]")
    assert sorted(row["id"] for row in rows) == sorted(claims())
    mutants = evidence.load_mutants(ROOT / "evidence")
    for row in rows:
        claim, (head, *cells) = claims()[row["id"]], row.find_all(["th", "td"], recursive=False)
        assert head.a["href"] == f"../{claim.notebook.path[5:-6]}.html#{claim.id}"
        spans = [code.get_text() for code in head.find_all("code")[:-1]]
        assert spans == re.findall(r"`([^`]+)`", claim.sentence)
        if mutants is not None:
            names = cells.pop().p
            assert (names.get_text().split("\n") if names else []) == [*mutants.get(claim.id, {})]
        for record, cell in zip(recorded(), cells, strict=True):
            assert cell.get_text() == said(record, claim)


def test_the_download_agrees_with_the_table():
    link = page(LEDGER).select_one(".ledger-download a")["href"]
    data = json.loads((SITE / LEDGER.parent / link).read_text(encoding="utf-8"))
    assert [run["torch"] for run in data["runs"]] == [record["torch"] for record in recorded()]
    rows = page(LEDGER).select("table.ledger tr[id]")
    for row, claim in zip(rows, data["claims"], strict=True):
        assert (row["id"], row.a["href"]) == (claim["id"], f"../{claim['url']}")
        assert claim["sentence"] == claims()[claim["id"]].sentence
        shown = [cell.get_text() for cell in row.find_all("td")][: len(data["runs"])]
        assert shown == [said(record, claims()[claim["id"]]) for record in recorded()]
        assert [one["status"] for one in claim["evidence"]] == [
            evidence.status(record, claims()[claim["id"]])[0] for record in recorded()
        ]


# The contents: each page says in which part it stands, and on the path of a beginner where.

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]


@pytest.mark.parametrize("part", TOC, ids=lambda part: part["caption"])
def test_a_page_says_where_it_stands(part):
    for number, chapter in enumerate(part["chapters"], 1):
        place = f" · {number} of {len(part['chapters'])}" if part is TOC[0] else ""
        title = page(Path(f"{chapter['file']}.html")).select_one("article h1")
        line = title.find_previous_sibling("p")
        assert line["class"] == ["eyebrow"] and line.get_text() == part["caption"] + place


def test_code_in_a_table_breaks_at_its_joints_alone():
    for name in ("index", "reference/questions", "reference/compiled"):
        for code in page(Path(f"{name}.html")).select("table.stacks code"):
            parts = str(code).split("<wbr/>")
            assert not [part for part in parts[1:] if not re.match(r"\.?\w", part)]
            assert not [part for part in parts[:-1] if re.search(r"\.$", part)]
