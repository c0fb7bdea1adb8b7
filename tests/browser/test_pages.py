"""Every page in a real browser: accessible in both schemes, never wider than a phone."""

import pytest

from tools import chromium

PAGES = sorted(
    str(path.relative_to(chromium.SITE))
    for path in chromium.SITE.rglob("*.html")
    if "_static" not in path.parts
)
COLORS = ["color-contrast", "link-in-text-block"]  # the rules of axe-core that look at colors


def axe(page, **options) -> str:
    """Return what axe-core finds on a page, a line each; empty if nothing."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("look.dropRepeats()")
    done = Axe().run(page, options={"resultTypes": ["violations"]} | options)
    found = done.response["violations"]
    return "\n".join(
        f"{rule['id']}: {node['html'][:150]} {' '.join(node['failureSummary'].split())}"
        for rule in found
        for node in rule["nodes"]
    )


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(visit, path):
    found = axe(visit(path))
    assert not found, found


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_color_in_the_dark(visit, path):
    page = visit(path, color_scheme="dark")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    found = axe(page, runOnly={"type": "rule", "values": COLORS})
    assert not found, found


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_a_phone(visit, path):
    page = visit(path, width=320, reduced_motion="reduce")  # no sidebar on its way out
    found = page.evaluate("look.sideways()")
    page.set_viewport_size({"width": 390, "height": 800})
    found += page.evaluate("look.sideways()")
    assert not found, "\n".join(found)
    # What scrolls within itself only here must be in reach of the keyboard.
    found = axe(page, runOnly={"type": "rule", "values": ["scrollable-region-focusable"]})
    assert not found, found
