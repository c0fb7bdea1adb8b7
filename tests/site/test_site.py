"""What the built site shows is what the notebooks hold: `make book`, then `make check-site`."""

import base64
import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import evidence
import pytest
import yaml
from bs4 import BeautifulSoup
from claims import claims_of

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / "_build" / "html"
NOTEBOOKS = sorted(path.relative_to(ROOT / "book") for path in (ROOT / "book").rglob("*.ipynb"))
FIGURES = sorted((ROOT / "book").glob("*/figures/*.json"))
PAGES = sorted(path.relative_to(SITE) for path in SITE.rglob("*.html"))
CLAIM = re.compile(r"> \*\*Claim `([a-z_]+\.[a-z0-9_]+)`\*\*")


@cache
def page(path: Path) -> BeautifulSoup:
    """Return a page of the site, parsed."""
    return BeautifulSoup((SITE / path).read_text(encoding="utf-8"), "html.parser")


def html_of(notebook: Path) -> BeautifulSoup:
    """Return the page of a notebook, parsed."""
    return page(notebook.with_suffix(".html"))


def cells_of(notebook: Path, kind: str) -> list[dict]:
    """Return the cells of a notebook of one kind, `code` or `markdown`."""
    cells = json.loads((ROOT / "book" / notebook).read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


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
                shown.append(
                    (kind.replace("/plain", ""), data if isinstance(data, str) else "".join(data))
                )
                break
    return shown


def shown_outputs(cell: BeautifulSoup, notebook: Path) -> list[tuple[str, str]]:
    """Return the same pairs, read from the page."""
    shown = []
    for part in cell.select(
        "div.cell_output pre, div.cell_output svg, div.cell_output img, table.glance"
    ):
        if part.name == "pre":
            shown.append(("text", part.get_text()))
        elif part.name == "table":
            shown.append(("text/html", str(part)))
        elif part.name == "svg":
            shown.append(("image/svg+xml", str(part)))
        else:
            file = (SITE / notebook).parent / part["src"]
            shown.append(("image/png", base64.b64encode(file.read_bytes()).decode()))
    return shown


def plain(kind: str, content: str) -> str:
    """Return an output in the form in which page and notebook must agree."""
    if kind in ("text/html", "image/svg+xml"):
        soup = BeautifulSoup(content, "html.parser")
        drawn = [
            (tag.name, tag.get("class"), tag.get("d"), tag.get("x")) for tag in soup.find_all()
        ]
        return f"{soup.get_text()} {drawn}"
    return content.strip() if kind == "image/png" else content.rstrip("\n")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=str)
def test_outputs_on_the_page_are_those_of_the_notebook(notebook):
    on_page = html_of(notebook).select("div.cell")
    removed, *in_notebook = cells_of(notebook, "code")
    assert removed["metadata"]["tags"] == ["remove-cell"]
    assert len(on_page) == len(in_notebook)
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
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]
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


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_nothing_is_loaded_from_another_host(path):
    html = page(path)
    loaded = [tag["src"] for tag in html.find_all(src=True)]
    loaded += [
        tag["href"] for tag in html.find_all("link", href=True) if "canonical" not in tag["rel"]
    ]
    assert [url for url in loaded if urlsplit(url).netloc] == []


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_internal_links_lead_somewhere(path):
    broken = []
    for link in page(path).find_all("a", href=True):
        url = urlsplit(link["href"])
        if url.scheme or url.netloc or link["href"] in ("#", ""):
            continue
        target = (SITE / path).parent / unquote(url.path) if url.path else SITE / path
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            broken.append(link["href"])
        elif url.fragment and target.suffix == ".html":
            there = page(target.resolve().relative_to(SITE.resolve()))
            broken += [link["href"]] if there.find(id=unquote(url.fragment)) is None else []
    assert broken == []


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_pictures_say_what_they_show(path):
    html = page(path)
    images = {image["src"]: image.get("alt", "") for image in html.select("article img")}
    assert [src for src, alt in images.items() if not alt.strip()] == []
    drawings = [svg.get("aria-label", "") for svg in html.select("div.picture svg")]
    assert all(label.strip() for label in drawings)


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
        line = quote.select_one("p.evidence")
        assert line["class"] == ["evidence"] and line.find_next_sibling() is None
        assert line.a["href"].endswith(f"claims.html#{quote['id']}")
        text = line.get_text().replace("\N{NO-BREAK SPACE}", " ")
        for record in recorded():
            found, why = evidence.status(record, claims()[quote["id"]])
            assert f"{MARKS[found]} {'CPU' if record['kind'] == 'cpu' else 'CUDA'}" in text
            assert why == "needs CUDA" or record["torch"] in text
        if not any(record["kind"] == "cuda" for record in recorded()):
            assert "○ CUDA not run yet" in text


def test_the_table_holds_every_claim():
    rows = page(LEDGER).select("table.ledger tr[id]")
    assert sorted(row["id"] for row in rows) == sorted(claims())
    mutants = evidence.load_mutants(ROOT / "evidence")
    for row in rows:
        claim, (head, *cells) = claims()[row["id"]], row.find_all(["th", "td"], recursive=False)
        assert head.a["href"] == f"../{claim.notebook.path[5:-6]}.html#{claim.id}"
        spans = [code.get_text() for code in head.find_all("code")[1:]]
        assert spans == re.findall(r"`([^`]+)`", claim.sentence)
        if mutants is not None:
            names = [item.get_text() for item in cells.pop().select("li")]
            assert names == mutants.get(claim.id, [])
        for record, cell in zip(recorded(), cells, strict=True):
            found, why = evidence.status(record, claim)
            assert cell.get_text() == f"{MARKS[found]} {found}{why or ''}"


def test_the_download_agrees_with_the_table():
    link = page(LEDGER).select_one(".ledger-download a")["href"]
    data = json.loads((SITE / LEDGER).with_name(link).read_text(encoding="utf-8"))
    assert [run["torch"] for run in data["runs"]] == [record["torch"] for record in recorded()]
    rows = page(LEDGER).select("table.ledger tr[id]")
    for row, claim in zip(rows, data["claims"], strict=True):
        assert (row["id"], row.a["href"]) == (claim["id"], f"../{claim['url']}")
        assert claim["sentence"] == claims()[claim["id"]].sentence
        shown = [cell.get_text() for cell in row.find_all("td")][: len(data["runs"])]
        said = [
            f"{MARKS[one['status']]} {one['status']}{one['why'] or ''}" for one in claim["evidence"]
        ]
        assert shown == said
