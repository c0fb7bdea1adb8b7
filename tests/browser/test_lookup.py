"""The two pages where a reader looks something up: every operation, and what a line does."""

import json

import pytest

from verify import ROOT
from verify.book import pinned_torch
from verify.chains import RECORDS
from verify.chains.machine import Machine, starts
from verify.chains.shorter import better

OPERATIONS = "reference/operations.html"
LINE = "reference/line.html"


def recorded() -> Machine:
    """Return the machine that the page holds."""
    file = RECORDS / f"torch-{pinned_torch(ROOT)}.json"
    return Machine(json.loads(file.read_text(encoding="utf-8")))


# --- Every operation


def test_typing_filters_the_operations(visit):
    page = visit(OPERATIONS)
    rows = page.locator("table.operations tr[id]")
    total = rows.count()
    assert total >= 600
    for typed, expected in (("meshgrid", "op-meshgrid"), ("ravel", "op-ravel")):
        page.get_by_label("Show the operations with").fill(typed)
        names = page.locator("table.operations tr[id]:visible").evaluate_all(
            "a => a.map(r => r.id)"
        )
        assert expected in names and len(names) < 30
    page.get_by_label("Show the operations with").fill("memory nothing-like-this")
    assert page.locator(".op-filter output").inner_text() == "No operation has all these words."
    page.get_by_label("Show the operations with").fill("shared: sometimes")
    assert 10 < page.locator("table.operations tr[id]:visible").count() < total


def test_a_row_has_an_address(visit):
    page = visit(f"{OPERATIONS}#op-reshape")
    assert page.locator("tr:target").get_attribute("data-name") == "reshape"
    page.get_by_label("Show the operations with").fill("meshgrid")
    page.evaluate("location.hash = '#op-nn.functional.relu'")
    page.wait_for_function("document.querySelector('tr:target').offsetHeight > 0")


def test_the_operations_need_no_script_and_fit_a_phone(visit):
    page = visit(OPERATIONS, width=390, java_script_enabled=False)
    assert page.locator("table.operations tr[id]:visible").count() >= 600
    assert not page.locator(".op-filter").is_visible()
    row = page.locator("#op-reshape")
    assert row.bounding_box()["width"] <= 390


# --- What does my line do?


def ask(page, line: str, **choices) -> str:
    """Type a line; return the answer."""
    for name, value in choices.items():
        page.locator(f".line-tool [name={name}]").select_option(value)
    page.locator("#line-code").fill(line)
    return page.locator(".line-answer").inner_text()


def test_a_line_is_answered_step_by_step(visit):
    page = visit(LINE)
    said = ask(page, "x.clone().detach().cpu().numpy()")
    assert page.locator(".line-steps > li").count() == 5
    assert "its own memory; gradients do not reach x" in said and "24 bytes copied" in said
    assert ".cpu() returns the object itself here" in said
    said = ask(page, "x.detach().numpy()", source="parameter")
    assert "yes; autograd does not see a write through NumPy" in said and "0 bytes copied" in said


def test_a_step_that_raises_is_named(visit):
    page = visit(LINE)
    said = ask(page, "x.clone().numpy()", source="parameter")
    assert "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy()" in said
    href = page.locator(".line-raises a").get_attribute("href")
    page.locator(".line-raises a").click()
    page.wait_for_url(f"**/{href.removeprefix('../')}")
    page.locator(":target").wait_for(state="attached")


def test_rows_of_a_gpu_are_marked(visit):
    page = visit(LINE)
    said = ask(page, "x.detach().cpu().numpy()", source="parameter", device="cuda")
    assert "not run" in said and "its own memory" in said
    assert "cuda:0 device" in ask(page, "x.detach().numpy()", device="cuda")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x.clnoe()", ".clone"),
        ("x.clone(", "not closed"),
        ("x.clone())", "not opened"),
        ("x.clone(]", "not opened"),
        ("x.clone(); x.detach()", "more than one statement"),
        ("y = x.clone()", "an assignment"),
        ("__import__('os')", "nothing is run as code"),
        ("x.__class__", "not known"),
        ("x.to(1, 2)", "not known in this form"),
        ("model.state_dict()", "nothing is run as code"),
        ("x" + ".detach()" * 50, "more than 40 steps"),
        ("x + x", "not understood"),
        ("<img src=q onerror=alert(1)>", "not understood"),
        ("", "Type a line"),
        ("x.clone() x", "not understood"),
        ("x.numpy().constructor", "not known"),
        ("'", "not understood"),
    ],
)
def test_bad_input_gets_a_sentence(visit, line, said):
    page = visit(LINE)
    page.locator("#line-code").fill(line)
    assert said in page.locator("#line-problem").inner_text()
    assert page.locator(".line-answer").inner_text() == ""


def test_the_page_finds_what_python_finds(visit):
    """The chains that the page offers are those of verify/chains/shorter.py."""
    page, machine = visit(LINE), recorded()
    lines = {
        "x.clone().detach()": ("v.clone()", "v.detach()"),
        "x.detach().clone().detach().contiguous()": (
            "v.detach()", "v.clone()", "v.detach()", "v.contiguous()",
        ),
        "x.t().contiguous().view(-1)": ("v.t()", "v.contiguous()", "v.view(-1)"),
        "copy.deepcopy(x.detach())": ("v.detach()", "copy.deepcopy(v)"),
        "torch.tensor(x.tolist())": ("v.tolist()", "torch.tensor(v)"),
    }  # fmt: skip
    for start in starts():
        for line, steps in lines.items():
            found = better(machine, start, steps, False)
            if found is None:
                continue
            said = ask(page, line, source=start[0], dtype=start[1])
            if len(found[0].steps) < len(steps):
                assert f"{found[0].bytes} bytes copied" in said.partition("Shortest")[2], line
            else:
                assert "Shortest" not in said


def test_the_line_by_keyboard_on_a_phone_in_the_dark(visit):
    page = visit(LINE, width=390, color_scheme="dark")
    field = page.locator("#line-code")
    field.focus()
    page.keyboard.press("End")
    page.keyboard.type(".copy()")
    assert ".copy()" in page.locator(".line-steps").inner_text()
    page.locator(".line-tool summary").focus()
    page.keyboard.press("Enter")
    page.locator("[data-undo]").focus()
    page.keyboard.press("Enter")
    assert field.input_value() == "x.clone().detach().cpu().numpy()"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_machine_is_small_and_loaded_by_its_page_alone(visit, site):
    import base64
    import re

    from tools import chromium

    text = (chromium.SITE / "_static" / "lookup" / "chains-data.js").read_text(encoding="utf-8")
    assert len(base64.b64decode(re.search('"(.*)"', text)[1])) <= 150_000
    for file in chromium.SITE.rglob("*.html"):
        asks = "chains-data.js" in file.read_text(encoding="utf-8")
        assert asks == (file.name == "line.html"), file


def test_the_line_works_from_a_file(browser):
    from tools import chromium

    page = browser.new_page()
    page.goto((chromium.SITE / "reference" / "line.html").as_uri())
    page.wait_for_selector(".line-sum")
    page.close()
