"""Print the site that `make book` built as one PDF, with bookmarks and contents: `make pdf`.

The articles of all pages are put into one document, so that a link from chapter to chapter is a
link within the PDF. It is printed twice: the numbers of the contents come from the first print.
"""

import posixpath
import sys
from html import escape
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag
from pikepdf import ObjectStreamMode, Page, Pdf, String
from playwright.sync_api import sync_playwright

from tools.chromium import SITE, executable

PDF = SITE.parent / "copying-tensors.pdf"
DOCUMENT = SITE.parent / "pdf" / "index.html"
STYLE = """
.cover { height: 200mm; display: flex; flex-direction: column; justify-content: center; }
.cover p:first-child { font-size: 2.6em; font-weight: 600; line-height: 1.2; margin-bottom: 0.5em; }
nav.book, article { break-before: page; }
nav.book ol { list-style: none; padding: 0; margin: 0 0 1em; }
nav.book li { display: flex; gap: 0.5em; padding: 0.1em 0; break-inside: avoid; }
nav.book li a { flex: 1; color: inherit; text-decoration: none; border-bottom: 1px dotted #aaa; }
nav.book p { font-weight: 600; margin: 1em 0 0.3em; }
nav.book h1 { font-size: 2em; margin: 0; }
h1.part { font-size: 1em; font-weight: 600; margin: 0 0 1em; color: var(--pst-color-text-muted); }
.bd-article h2 { font-size: 2em; margin: 0 0 0.5em; }
.bd-article h3 { font-size: 1.5em; }
.bd-article h4 { font-size: 1.2em; }
"""


def read(path: str) -> BeautifulSoup:
    """Return a page of the site, parsed."""
    return BeautifulSoup((SITE / path).read_text(encoding="utf-8"), "html.parser")


def parts_of(home: BeautifulSoup) -> dict[str, dict[str, str]]:
    """Return the table of contents: part, path of a chapter, its title."""
    parts = {"Start": {"index.html": "Which copy do I need?"}}
    part = parts["Start"]
    for tag in home.select("nav.bd-links p.caption, nav.bd-links a.internal"):
        if tag.name == "p":
            part = parts.setdefault(tag.get_text(strip=True), {})
        elif tag["href"] not in ("#", "index.html"):
            part[tag["href"]] = tag.get_text(strip=True)
    return parts


def article_of(path: str, pages: set[str]) -> Tag:
    """Return the article of a page, fit for a document that holds all pages."""
    article = read(path).select_one("article.bd-article")
    for tag in article.select("a.headerlink, script, form, .ledger-download, .helpers, .eyebrow"):
        tag.decompose()
    for fold in article.select("details"):
        if not fold.find_parent("table", "ledger"):
            fold["open"] = ""
    for tag in article.find_all(id=True):
        if not tag.find_parent("svg"):  # the arrows of all pictures are the same
            tag["id"] = f"{path}:{tag['id']}"
    for link in article.find_all("a", href=True):
        url = urlsplit(link["href"])
        if url.scheme:
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), url.path))
        target = target if url.path else path
        if target in pages:
            anchor = unquote(url.fragment)
            link["href"] = f"#{target}:{anchor}" if anchor else f"#{target}"
        else:
            link.unwrap()
    for image in article.find_all("img"):
        image["src"] = (SITE / path).parent.joinpath(unquote(image["src"])).resolve().as_uri()
        image.attrs.pop("loading", None)  # what loads late comes after the print
    for level in (3, 2, 1):  # a part stands above its chapters
        for heading in article.find_all(f"h{level}"):
            heading.name = f"h{level + 1}"
    article["id"] = path
    return article


def assemble() -> tuple[str, list[str]]:
    """Return the document of all pages, and the paths of these in their order."""
    home = read("index.html")
    parts = parts_of(home)
    pages = [path for chapters in parts.values() for path in chapters]
    title = home.select_one(".navbar-brand").get_text(strip=True)
    about = home.find("meta", attrs={"name": "description"})
    sheets = [
        f'<link rel="stylesheet" href="{(SITE / urlsplit(link["href"]).path).as_uri()}">'
        for link in home.select('link[rel~="stylesheet"]')
    ]
    contents, articles = "", ""
    for part, chapters in parts.items():
        rows = "".join(
            f'<li><a href="#{path}">{escape(name)}</a><span data-page="{path}">000</span></li>'
            for path, name in chapters.items()
        )
        contents += f"<p>{escape(part)}</p><ol>{rows}</ol>"
        for number, path in enumerate(chapters):
            article = article_of(path, set(pages))
            if number == 0:
                head = BeautifulSoup(f'<h1 class="part">{escape(part)}</h1>', "html.parser")
                article.insert(0, head)
            articles += str(article)
    document = f"""<!DOCTYPE html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{escape(title)}</title>
{"".join(dict.fromkeys(sheets))}<style>{STYLE}</style></head><body>
<main class="bd-main"><div class="bd-content"><div class="bd-article-container">
<div class="cover"><p>{escape(title)}</p><p>{escape(about["content"] if about else "")}</p></div>
<nav class="book" aria-label="Contents"><h1>Contents</h1>{contents}</nav>
{articles}</div></div></main></body></html>"""
    return document, pages


def name_bookmarks(pdf: Pdf, titles: list[str]) -> None:
    """Name the bookmarks anew: Chromium repeats what has several fonts."""
    names = iter(titles)

    def walk(item) -> None:
        while item is not None:
            item.Title = String(next(names))
            walk(item.get("/First"))
            item = item.get("/Next")

    walk(pdf.Root.Outlines.get("/First"))
    assert next(names, None) is None, "a heading has no bookmark"


def main() -> None:
    """Write the PDF."""
    document, pages = assemble()
    headings = BeautifulSoup(document, "html.parser").find_all(["h1", "h2", "h3", "h4", "h5"])
    titles = [" ".join(heading.get_text().split()) for heading in headings]
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(document, encoding="utf-8")
    printed, unfinished = DOCUMENT.with_name("printed.pdf"), PDF.with_suffix(".unfinished")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable())
        page = browser.new_page()
        page.goto(DOCUMENT.as_uri())
        for _ in range(2):
            page.pdf(path=printed, format="A4", outline=True, tagged=True,
                     prefer_css_page_size=True, print_background=True)  # fmt: skip
            with Pdf.open(printed) as pdf:
                places = pdf.Root.Dests
                found = {path: Page(places[f"/{path}"][0]).index + 1 for path in pages}
            page.evaluate(
                """found => document.querySelectorAll("[data-page]").forEach((place) => {
                     place.textContent = found[place.dataset.page];
                   })""",
                found,
            )
        browser.close()
    with Pdf.open(printed) as pdf:
        name_bookmarks(pdf, titles)
        # Chromium writes the tags of the PDF as they are: packed, it has less than half the size.
        pdf.save(unfinished, object_stream_mode=ObjectStreamMode.generate)
        number = len(pdf.pages)
    unfinished.replace(PDF)
    print(f"==> {PDF}: {number} pages, {PDF.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    if not (SITE / "index.html").is_file():
        sys.exit("error: there is no site yet: run make book first")
    main()
