"""How the pages are laid out: what is in sight, what stacks on a phone, what can be looked up."""

import pytest


@pytest.mark.parametrize("path", ["topics/compiled_and_functional.html", "reference/since.html"])
def test_the_sidebar_shows_the_chapter_that_is_read(visit, path):
    from playwright.sync_api import expect

    page = visit("methods/clone.html")
    page.evaluate("sessionStorage.setItem('sidebar-scroll-top', '0')")
    page.goto(page.url.replace("methods/clone.html", path))
    expect(page.locator(".bd-sidebar-primary li.current.active > a")).to_be_in_viewport()


def test_each_button_says_what_it_does(visit):
    page = visit("methods/clone.html")
    for button in page.locator(".article-header-buttons button.btn:visible").all():
        look = "button => button.title || button.dataset.bsOriginalTitle || button.innerText.trim()"
        assert button.evaluate(look), button.evaluate("button => button.outerHTML")


MOVED = """() => new Promise((found) => {
  let moved = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) moved += shift.hadRecentInput ? 0 : shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => found(moved), 500);
})"""


@pytest.mark.parametrize("width", [412, 1280])
@pytest.mark.parametrize("path", ["line", "operations", "claims", "errors", "comparison"])
def test_nothing_moves_while_a_page_comes(visit, path, width):
    page = visit(f"reference/{path}.html", width=width)
    page.wait_for_load_state("networkidle")
    if path == "line":
        page.locator(".line-steps").wait_for()
    assert page.evaluate(MOVED) < 0.01


def test_what_is_out_of_sight_is_laid_out_later(visit):
    page = visit("methods/clone.html")
    last = page.locator("article > section > section").last
    shown = "part => part.checkVisibility({ contentVisibilityAuto: true })"
    inside = last.locator("p, li").last
    assert not inside.evaluate(shown)
    inside.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    assert inside.evaluate(shown)


def test_code_that_scrolls_is_within_the_reach_of_the_keyboard(visit):
    page = visit("methods/clone.html", width=390)
    page.evaluate("look.whole()")
    parts = page.locator("article pre:visible")
    look = "part => [part.scrollWidth > part.clientWidth, part.getAttribute('tabindex')]"
    found = {tuple(part.evaluate(look)) for part in parts.all()}
    assert found == {(True, "0"), (False, None)}


STACKS = ["index.html", "reference/questions.html", "reference/compiled.html"]
STACKS += ["reference/since.html", "reference/articles.html"]


@pytest.mark.parametrize("path", STACKS)
def test_tables_of_code_stack_on_a_phone(visit, path):
    page = visit(path, width=390)
    row = page.locator("table.stacks tbody tr").first
    first, second = (row.locator("td").nth(n).bounding_box() for n in (0, 1))
    assert second["y"] >= first["y"] + first["height"] - 1 and second["x"] == first["x"]
    assert page.locator("table.stacks thead:visible").count() == 0


def test_a_cell_of_code_says_on_a_phone_what_its_column_is(visit):
    row = visit("start/five_minutes.html", width=390).locator("table.stacks tbody tr").first
    assert row.locator("td").nth(2).inner_text() == "No gradient reaches w: w.detach()"


@pytest.mark.parametrize("path", STACKS)
def test_code_in_a_table_stays_on_one_line_where_there_is_room(visit, path):
    page = visit(path)
    broken = """codes => codes.filter((code) => code.getClientRects().length > 1
      || code.offsetHeight > 1.8 * parseFloat(getComputedStyle(code).lineHeight)
      && code.offsetWidth < 0.8 * code.parentElement.offsetWidth).map((code) => code.textContent)"""
    assert page.locator("table.stacks code").evaluate_all(broken) == []


def test_an_answer_stands_under_its_question_at_every_width(visit):
    page = visit("reference/questions.html", width=1440)
    row = page.locator("table.faq tbody tr").first
    question, answer, shown = (row.locator("td").nth(n).bounding_box() for n in range(3))
    assert question["y"] + question["height"] <= answer["y"] + 1 and answer["x"] == question["x"]
    assert answer["y"] + answer["height"] <= shown["y"] + 1
    compared = page.locator("table.filtered:not(.faq)").last  # a mistake beside what is true
    assert "Often said" in compared.locator("thead").text_content()


@pytest.mark.parametrize("path", ["reference/questions.html", "reference/scope.html"])
def test_an_opening_bracket_stands_on_the_line_of_its_code(visit, path):
    apart = """cells => cells.filter((code) => /[(“]$/.test(code.previousSibling?.data ?? "")
      && code.parentElement.className !== "held").map((code) => code.textContent)"""
    assert visit(path, width=1440).locator("table.stacks code").evaluate_all(apart) == []


@pytest.mark.parametrize("path", ["reference/silently_wrong.html", "reference/scope.html"])
def test_no_line_of_a_table_begins_with_a_comma(visit, path):
    page = visit(path, width=1440)
    page.evaluate("look.whole()")
    begins = """cells => cells.flatMap((cell) => {
      const range = document.createRange();
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode()) {
        if (!/^([,;)]|\\.(?!\\w))/.test(texts.currentNode.data)) continue;
        range.setStart(texts.currentNode, 0);
        range.setEnd(texts.currentNode, 1);
        const left = range.getBoundingClientRect().left - cell.getBoundingClientRect().left;
        const edge = 1.2 * parseFloat(getComputedStyle(cell).paddingLeft);
        if (left < edge) found.push(cell.textContent);
      }
      return found;
    })"""
    assert page.locator("table.stacks td").evaluate_all(begins) == []


def test_a_folded_answer_stands_apart_from_the_next_question(visit):
    fold = visit("methods/clone.html").locator("article section > details:not([class])").first
    fold.scroll_into_view_if_needed()
    end, below = (
        fold.evaluate(look)
        for look in (
            "fold => fold.getBoundingClientRect().bottom",
            "fold => fold.nextElementSibling.getBoundingClientRect().top",
        )
    )
    assert below - end > 8


@pytest.mark.parametrize("path", ["reference/comparison.html", "topics/special_tensors.html"])
def test_a_wide_table_that_a_cell_printed_stacks_on_a_phone(visit, path):
    table = visit(path, width=390).locator("table.glance.stacks").first
    titles = table.locator("thead th").all_inner_texts()
    row = table.locator("tbody tr").first
    labels = row.locator("td").evaluate_all("cells => cells.map((cell) => cell.dataset.label)")
    assert labels == titles[-len(labels) :] and len(labels) >= 4
    head, cell = row.locator("th").bounding_box(), row.locator("td").first.bounding_box()
    assert cell["y"] >= head["y"] + head["height"] - 1
    assert "shared" in cell_text(row) or "its own" in cell_text(row)


def cell_text(row) -> str:
    """Return what the first cell of a row says, with the name of its column."""
    look = "cell => getComputedStyle(cell, '::before').content + cell.textContent"
    return row.locator("td").first.evaluate(look)


def test_a_picture_of_three_tensors_fits_a_phone(visit):
    picture = visit("methods/clone.html", width=390).locator(".picture svg").first
    box = picture.bounding_box()
    assert box["x"] + box["width"] <= 390


def test_a_reader_finds_a_message_in_the_table(visit):
    page = visit("reference/errors.html")
    rows = page.locator("table.filtered tbody tr:visible")
    every = rows.count()
    page.get_by_label("Find in the table").fill("deepcopy")
    assert 0 < rows.count() < every
    assert "found" in page.locator(".table-filter output").inner_text()
    page.get_by_label("Find in the table").fill("")
    assert rows.count() == every


def test_a_chart_follows_the_theme(visit):
    paints = set()
    for scheme in ("light", "dark"):
        page = visit("benchmarks/copy_methods.html", color_scheme=scheme)
        chart = page.locator("svg.chart").first
        fill = "(chart, part) => getComputedStyle(chart.querySelector(part)).fill"
        paints.add((chart.evaluate(fill, ".title"), chart.evaluate(fill, ".paper")))
    assert len({title for title, _ in paints}) == len({paper for _, paper in paints}) == 2
