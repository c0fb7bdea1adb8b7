"""A reader's ways through the site, in a real browser."""

import json
import re

import pytest

from verify import ROOT

KINDS = [  # one page of each kind
    "index.html",
    "methods/clone.html",
    "benchmarks/copy_methods.html",
    "reference/comparison.html",
    "reference/claims.html",
    "reference/articles.html",
    "search.html",
]


def fully_loaded(page) -> None:
    """Wait until nothing of a page is under way."""
    page.wait_for_load_state("networkidle")


# --- From the home page to the evidence


def test_from_the_home_page_to_the_evidence(visit, site):
    from playwright.sync_api import expect

    page = visit("index.html")
    form = page.locator("form.picker")
    form.get_by_role("group", name="Memory").get_by_label("its own").check()
    form.get_by_role("group", name="Gradients").get_by_label("flow back").check()
    rows = page.locator("table.picker tr[data-to]:visible")
    assert form.locator("output").inner_text() == f"The usual answer, and {rows.count() - 1} more:"
    assert rows.first.get_attribute("class") == "usual"
    assert page.locator("table.picker tr.usual").count() == 1
    for row in rows.all():
        assert row.get_attribute("data-memory") == "own"
        assert row.get_attribute("data-gradients") == "flow"

    rows.get_by_role("link", name="x.clone()", exact=True).first.click()
    assert page.url == f"{site}methods/clone.html"
    claim = page.locator("blockquote.claim").first
    name = claim.get_attribute("id")
    claim.locator("a.claim-link").click()
    assert page.url == f"{site}methods/clone.html#{name}"
    assert claim.evaluate("claim => claim.matches(':target')")

    claim.get_by_role("link", name="Evidence").click()
    assert page.url == f"{site}reference/claims.html#{name}"
    row = page.locator("table.ledger tr:target")
    assert row.get_attribute("id") == name
    expect(row).to_be_in_viewport()


def test_the_picker_says_when_nothing_fits(visit):
    page = visit("index.html")
    form = page.locator("form.picker")
    form.get_by_label("a new leaf to train").check()
    form.get_by_role("group", name="Memory").get_by_label("shared").check()
    form.get_by_role("group", name="Gradients").get_by_label("flow back").check()
    assert page.locator("table.picker").is_hidden()
    assert "No row does all that" in form.locator(".picker-answer").inner_text()
    assert "nowhere" in form.locator("label", has_text="flow back").get_attribute("class")
    form.get_by_role("button", name="Start again").click()
    page.locator("table.picker tr.usual").wait_for()
    assert form.get_by_label("a tensor", exact=True).is_checked()


def test_another_source_asks_for_another_result(visit):
    page = visit("index.html")
    form = page.locator("form.picker")
    form.get_by_label("a module m").check()
    assert form.get_by_label("a module", exact=True).is_checked()
    usual = page.locator("table.picker tr.usual")
    assert "copy.deepcopy(m)" in usual.inner_text()


def test_the_ledger_filters(visit):
    page = visit("reference/claims.html")
    form, rows = page.locator(".ledger-filter"), page.locator("table.ledger tr[data-status]")
    every = rows.count()
    form.locator("[name=chapter]").select_option("clone")
    shown = page.locator("table.ledger tr[data-status]:visible")
    assert 0 < shown.count() < every
    ids = shown.evaluate_all("rows => rows.map((row) => row.id)")
    assert all(name.startswith("clone.") for name in ids)
    assert form.locator("output").inner_text() == f"{shown.count()} shown"
    form.locator("[name=chapter]").select_option("")
    form.locator("[name=status]").select_option("not-run")
    assert 0 < shown.count() < every
    states = shown.evaluate_all("rows => rows.map((row) => row.dataset.status)")
    assert all("not-run" in state.split() for state in states)
    form.locator("[name=status]").select_option("")
    assert shown.count() == 0  # folded again, by chapter
    assert page.locator("details.ledger-chapter:visible").count() > 20


def test_a_claim_that_nothing_has_run_does_not_look_proven(visit):
    page = visit("topics/devices.html")
    unrun = page.locator("blockquote.claim.unrun")
    proven = page.locator("blockquote.claim:has(a.proven)")
    for quote in unrun.all():
        assert "not run" in quote.text_content()
        color = "quote => getComputedStyle(quote).backgroundColor"
        assert quote.evaluate(color) != proven.first.evaluate(color)


# --- Schemes, motion, and no JavaScript


def test_the_switch_of_the_scheme_is_kept(visit):
    page = visit("index.html")
    html, switch = page.locator("html"), page.locator("button.theme-switch-button:visible")
    seen = [html.get_attribute("data-theme")]
    for _ in range(3):  # the system's, then each scheme
        switch.click()
        seen.append(html.get_attribute("data-theme"))
    assert seen[0] == "light" and "dark" in seen
    while html.get_attribute("data-mode") != "dark":
        switch.click()
    fully_loaded(page)
    page.goto(page.url.replace("index.html", "methods/clone.html"))
    assert html.get_attribute("data-theme") == "dark"
    page.evaluate("localStorage.clear()")  # the other tests use the same browser


def test_less_motion_where_it_is_asked_for(visit):
    page = visit("methods/clone.html", reduced_motion="reduce")
    assert page.evaluate("look.moving()") == []


def test_a_link_to_a_claim_leads_to_it_at_once(visit):
    page = visit("methods/deepcopy_pickle.html#deepcopy_pickle.mmap")
    look = "document.getElementById('deepcopy_pickle.mmap').getBoundingClientRect().top"
    assert 0 < page.evaluate(look) < 400


def test_without_javascript_the_tables_stand_there(visit):
    page = visit("index.html", java_script_enabled=False)
    assert page.locator("form.picker").is_hidden()
    rows = page.locator("table.picker tr[data-to]")
    seen = page.locator("table.picker tr[data-to]:visible")
    assert 10 < rows.count() == seen.count()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Claims").click()
    page.wait_for_url("**/claims.html")  # until all of the page is there
    assert page.locator(".ledger-filter").is_hidden()
    rows = page.locator("table.ledger tr[data-status]")
    assert rows.count() > 100
    fold = page.locator("details.ledger-chapter").first
    fold.locator("summary").first.click()
    assert fold.locator("tr[data-status]").first.is_visible()


# --- What stands in the cells


def test_the_copy_button_copies_the_code_alone(visit):
    page = visit("methods/clone.html", permissions=("clipboard-read", "clipboard-write"))
    cells = json.loads((ROOT / "book/methods/clone.ipynb").read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    first = next(source for source in sources if not source.startswith("# @title "))
    cell = page.locator("div.cell:not(.helper) div.cell_input").first
    cell.hover()
    cell.locator("button.copybtn").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == first.strip()


def test_the_helper_cells_stand_at_the_end_and_open_by_keyboard(visit):
    page = visit("methods/clone.html")
    bar = page.locator("article > section > *").last
    assert bar.get_attribute("class") == "helpers"
    assert page.locator("div.helper:not(details.helpers *)").count() == 0
    for fold in (bar, bar.locator("details.hide").first):
        assert fold.locator("pre").first.is_hidden()
        fold.locator("summary").first.focus()
        page.keyboard.press("Enter")
    assert bar.locator("pre").first.is_visible()


# --- The keyboard


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", KINDS)
def test_the_keyboard_reaches_everything(visit, path, width):
    page = visit(path, width=width, reduced_motion="reduce")
    fully_loaded(page)
    if path == "reference/claims.html":  # a chapter of it: the others are like it
        page.locator("[name=chapter]").select_option("clone")
        page.evaluate("document.activeElement.blur()")
    if path == "search.html":  # its field has the focus at once: start from the top all the same
        page.evaluate("document.body.tabIndex = -1; document.body.focus()")
        page.evaluate("document.body.removeAttribute('tabindex')")
    found = []
    page.keyboard.press("Tab")
    while (said := page.evaluate("look.focused()")) is not None:
        found += [said] if said else []
        page.keyboard.press("Tab")
    assert found == []
    assert page.evaluate("look.missed()") == []


def test_on_a_phone_the_keyboard_opens_and_leaves_the_contents(visit):
    page = visit("methods/clone.html", width=390)
    link = page.get_by_role("navigation", name="Main").get_by_role("link").first
    assert not link.is_visible()
    page.get_by_role("button", name=re.compile("primary sidebar")).focus()
    page.keyboard.press("Enter")
    link.wait_for()
    # The focus moves when the sidebar has come, or gone.
    page.wait_for_function("document.activeElement.closest('.bd-sidebar-primary')")
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")
    page.wait_for_function("document.activeElement.matches('.primary-toggle')")


# --- Lost readers


def test_an_address_that_leads_nowhere_leads_on(visit, site):
    page = visit("index.html")
    page.goto(f"{site}methods/no_such_page.html")
    assert page.locator("article h1").inner_text() == "There is no such page"
    page.locator("form.lost input").fill("clone")
    page.locator("form.lost button").click()
    page.wait_for_url("**/search.html?*")
    visit.problems[:] = [found for found in visit.problems if "no_such_page" not in found]


# --- Print


@pytest.mark.parametrize("path", KINDS)
def test_print_shows_all_of_a_page_and_nothing_else(visit, path):
    page = visit(path)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 670, "height": 900})  # as wide as the text on A4
    for part in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".bd-header-article", ".copybtn"):
        assert page.locator(f"{part}:visible").count() == 0, part
    assert page.evaluate("look.unprinted()") == []
    assert page.locator("article div.helper:visible").count() == 0


def test_a_chart_fits_a_sheet_of_paper(visit):
    page = visit("benchmarks/copy_methods.html")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 670, "height": 900})
    heights = page.locator("svg.chart").evaluate_all("all => all.map(a => a.clientHeight)")
    assert heights and max(heights) <= 240 * 96 / 25.4 + 1  # in pixels; A4 less its margins: 259 mm
    code = page.locator("article .cell_input").first
    assert code.evaluate("code => getComputedStyle(code).display") == "block"


def test_paper_is_white(visit):
    page = visit("methods/clone.html", color_scheme="dark")
    page.evaluate(
        "onbeforeprint = () => { window.printed = document.documentElement.dataset.theme; }"
    )
    page.pdf()
    assert page.evaluate("printed") == "light"
    assert page.locator("html").get_attribute("data-theme") == "dark"
