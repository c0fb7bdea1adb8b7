"""Every page in a real browser: accessible in both schemes, never wider than a phone."""

import pytest

from tools import chromium

PAGES = sorted(
    str(path.relative_to(chromium.SITE))
    for path in chromium.SITE.rglob("*.html")
    if "_static" not in path.parts
)
COLORS = ("color-contrast", "link-in-text-block")  # the rules of axe-core that look at colors


def axe(page, only: tuple[str, ...] = (), drop: tuple[str, ...] = ()) -> str:
    """Return what axe-core finds on a page, a line each; empty if nothing."""
    from axe_playwright_python.sync_playwright import Axe

    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in drop}}
    options |= {"runOnly": {"type": "rule", "values": only}} if only else {}
    found = page.evaluate(
        "async (options) => (await axe.run(document, options)).violations", options
    )
    return "\n".join(
        f"{rule['id']}: {node['html'][:150]} {' '.join(node['failureSummary'].split())}"
        for rule in found
        for node in rule["nodes"]
    )


def axe_on_colors(page, known: set[str] | None = None) -> str:
    """Return what axe-core finds in the colors, looking once at each way to paint a text.

    The ways in `known` were looked at on other pages; those of this page are added to it.
    """
    ways = page.evaluate("known => look.showEachPaint(known)", list(known or ()))
    assert len(ways) >= 5
    found = "" if known and known.issuperset(ways) else axe(page, only=COLORS)
    page.evaluate("look.showAll()")
    if known is not None:
        known.update(ways)
    return found


def axe_on_all(page, known: set[str] | None = None) -> str:
    """Return what axe-core finds, in the scheme that the page has."""
    page.evaluate("look.dropRepeats()")
    return "\n".join(filter(None, (axe(page, drop=COLORS), axe_on_colors(page, known))))


@pytest.fixture(scope="module")
def sheet(opened):
    """Open one page for all that are looked at, with what failed on it, and the ways to paint."""
    page, problems = opened("404.html", width=320, reduced_motion="reduce")  # no sidebar moves
    yield page, problems, set()
    page.close()


@pytest.fixture(scope="module", params=PAGES)
def looked_at(request, sheet, site):
    """Load a page once, for a phone, the light scheme and the dark one; return what was found.

    pytest runs the tests of one page one after another, so each page is loaded once.
    """
    page, problems, known = sheet
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(site + request.param)
    page.evaluate("look.whole()")
    found = {"phone": page.evaluate("look.sideways()")}
    page.set_viewport_size({"width": 390, "height": 800})
    page.evaluate("look.whole()")
    found["phone"] += page.evaluate("look.sideways()")
    found["tables"] = page.evaluate("look.tables()")
    if page.evaluate("look.unreached()"):
        # What scrolls within itself only here must be in reach of the keyboard.
        found["phone"] += [axe(page, only=("scrollable-region-focusable",))]
    page.set_viewport_size({"width": 1280, "height": 800})
    found["light"] = axe_on_all(page, known)
    page.emulate_media(color_scheme="dark")
    page.locator("html[data-theme=dark]").wait_for()
    found["dark"] = axe_on_colors(page, known)
    found["problems"] = problems.copy()
    problems.clear()
    return found


def test_axe_finds_nothing(looked_at):
    assert not looked_at["light"], looked_at["light"]


def test_axe_finds_no_color_in_the_dark(looked_at):
    assert not looked_at["dark"], looked_at["dark"]


def test_no_page_is_wider_than_a_phone(looked_at):
    assert not any(looked_at["phone"]), "\n".join(looked_at["phone"])


def test_each_table_fits_a_phone_and_no_word_of_code_breaks(looked_at):
    assert looked_at["tables"] == []


def test_nothing_of_a_page_fails(looked_at):
    assert looked_at["problems"] == []


@pytest.mark.parametrize(("scheme", "color"), [("light", "#808080"), ("dark", "#606060")])
def test_a_pale_word_is_found(visit, scheme, color):
    """Of thousands of words axe-core looks at few; the one that is painted differently is there."""
    page, known = visit("methods/clone.html", color_scheme=scheme), set()
    assert axe_on_colors(page, known) == ""
    words = page.locator("article section section p:visible")
    words.nth(words.count() // 2).evaluate("(word, color) => { word.style.color = color; }", color)
    assert "color-contrast" in axe_on_colors(page, known)


def test_what_only_a_mouse_scrolls_is_found(visit):
    page = visit("methods/clone.html", width=390)
    page.evaluate("look.whole()")
    assert page.evaluate("look.unreached()") == 0
    paragraph = page.locator("article p:visible").first
    paragraph.evaluate("p => { p.style = 'height: 1em; overflow: auto; line-height: 4em'; }")
    assert page.evaluate("look.unreached()") == 1
    assert "scrollable-region-focusable" in axe(page, only=("scrollable-region-focusable",))
