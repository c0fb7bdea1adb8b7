"""What search engines, link previews and lost readers need: addresses, descriptions, a 404 page.

All follows from `repository: url:` in _config.yml: `https://github.com/NAME/BOOK` is published on
`https://NAME.github.io/BOOK/`. A site with an address of its own names it in `html: baseurl:`.
"""

import re
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from book._ext.ledger import title_of

LENGTH = 160  # what search engines show of a description
# The pages that Sphinx makes, which have no first sentence.
MADE = {
    "genindex": "All claims, methods and messages of the book, in the order of the alphabet.",
    "search": "Search the book: a claim, a method, or the words of an error message.",
    "404": "There is no such page. Search the book, or start from one of its chapters.",
}
NO_INDEX = '<meta name="robots" content="noindex"/>\n'


def address(repository: str) -> str:
    """Return where GitHub Pages publishes a repository."""
    owner, name = urlsplit(repository).path.strip("/").split("/")[:2]
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def addresses(app: Sphinx, config: Config) -> None:
    """Derive the site's address from the repository's, once for all who need it."""
    if not config.html_baseurl:
        config.html_baseurl = address(config.html_theme_options["repository_url"])
    config.ogp_site_url = config.html_baseurl
    config.notfound_urls_prefix = urlsplit(config.html_baseurl).path


def description(doctree: nodes.document) -> str:
    """Return the description in the front matter, else the first sentences of the page."""
    for meta in doctree.findall(nodes.meta):
        if meta.get("name") == "description":
            return meta["content"]
    paragraph = next(iter(doctree.findall(nodes.paragraph)), None)
    text = " ".join(paragraph.astext().split()) if paragraph else ""
    found, *others = re.split(r"(?<=[.!?]) ", text)
    for sentence in others:
        if len(f"{found} {sentence}") > LENGTH:
            break
        found += f" {sentence}"
    return found


def describe(
    app: Sphinx, pagename: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    """Give a page its description, and those that Sphinx makes what they need besides."""
    text = description(doctree) if doctree else MADE.get(pagename, "")
    if doctree:
        # Read by sphinxext.opengraph, which by itself would cut the text in a sentence.
        tags = {"og:description": escape(text), "og:image:alt": escape(text)}
        context["meta"] = {**(context["meta"] or {}), **tags}
    if 'name="description"' not in context.setdefault("metatags", ""):
        context["metatags"] += f'<meta name="description" content="{escape(text)}"/>\n'
    if pagename == app.config.root_doc:
        context["pageurl"] = app.config.html_baseurl
        context["meta"]["og:url"] = app.config.html_baseurl
    if pagename in ("404", "search"):
        context["metatags"] += NO_INDEX
    if pagename == "404":
        context["pageurl"], context["sidebars"] = None, []
        context["parts"] = [
            (part.caption, [(page, title_of(app, page)) for page in part.items])
            for part in app.config.external_site_map.root.subtrees
        ]


def for_crawlers(app: Sphinx, exception: Exception | None) -> None:
    """Write sitemap.xml, of all pages also when few were written anew, and robots.txt."""
    if exception is not None or app.builder.format != "html":
        return
    site, base = Path(app.outdir), app.config.html_baseurl
    pages = sorted(app.env.found_docs - {app.config.root_doc})
    urls = [base, *(base + app.builder.get_target_uri(page) for page in pages)]
    entries = "".join(f"<url><loc>{escape(url)}</loc></url>\n" for url in urls)
    site.joinpath("sitemap.xml").write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
        encoding="utf-8",
    )
    site.joinpath("robots.txt").write_text(
        f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n", encoding="utf-8"
    )


def setup(app: Sphinx) -> dict[str, object]:
    """Register the hooks; called by Sphinx."""
    app.connect("config-inited", addresses, priority=400)  # before those who read the addresses
    app.connect("html-page-context", describe, priority=490)  # before sphinxext.opengraph
    app.connect("build-finished", for_crawlers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
