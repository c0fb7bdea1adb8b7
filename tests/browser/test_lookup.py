"""The two pages where a reader looks something up: every operation, and what a line does."""

import json
import re

import pytest

from verify import ROOT
from verify.book import pinned_torch
from verify.chains import RECORDS
from verify.chains.machine import Machine, starts
from verify.chains.shorter import better
from verify.records import file_of

OPERATIONS = "reference/operations.html"
LINE = "reference/line.html"


def recorded() -> Machine:
    """Return the machine that the page holds."""
    file = file_of(RECORDS, pinned_torch(ROOT))
    return Machine(json.loads(file.read_text(encoding="utf-8")))


def behind() -> dict:
    """Return what programs get of the machine: the same as the page, with the claims."""
    from tools import chromium

    return json.loads((chromium.SITE / "data" / "chains.json").read_text(encoding="utf-8"))


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
    for typed in ("shared: sometimes", "SHARED, sometimes", "sháred sometimes"):  # as in all tables
        page.get_by_label("Show the operations with").fill(typed)
        found = page.locator("table.operations tr[id]:visible").count()
        assert 10 < found < total, typed
    page.get_by_label("Show the operations with").fill("nn.functional.relu")
    assert page.locator("#op-nn\\.functional\\.relu").is_visible()
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
        choice = page.locator(f".line-tool [name={name}]")
        if choice.input_value() != value:  # each choice is answered
            choice.select_option(value)
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
    said = ask(page, "x.detach().clone().cpu().numpy()", device="cuda", source="plain")
    shortest = said.partition("Shortest with the same result: ")[2].partition("\n")[0]
    assert "x.detach().cpu().numpy()" not in shortest or "not run" in shortest
    assert shortest.startswith("x.numpy(force=True), 24 bytes copied, not run")
    assert "not run" not in ask(page, "x.clone().detach()", device="cpu").partition("Shortest")[2]
    said = ask(page, "x.cuda().cpu()")  # on the CPU no chain through a GPU is offered
    assert "x.clone(), 24 bytes copied." in said.partition("Shortest")[2]


def test_slices_and_other_dtypes(visit):
    page = visit(LINE)
    shapes = {
        "x[:, 1:]": "shape (2, 2), strides (3, 1), offset 1",
        "x[1:3]": "shape (1, 3), strides (3, 1), offset 3",
        "x[ 1: ]": "shape (1, 3), strides (3, 1), offset 3",
        "x[::2]": "shape (1, 3), strides (6, 1), offset 0",
        "x[None]": "shape (1, 2, 3), strides (6, 3, 1), offset 0",
        "x[..., 0]": "shape (2), strides (3), offset 0",
        "x[:, 0]": "shape (2), strides (3), offset 0",
    }
    for line, shape in shapes.items():
        said = ask(page, line)
        assert shape in said and "yes, and autograd notices" in said, line
        assert "0 bytes copied" in said and "views.basic" in said, line
    said = ask(page, "x[:, 1:].contiguous()")
    assert "16 bytes copied" in said
    for dtype, copied in (("bool", 6), ("float16", 12), ("bfloat16", 12), ("complex64", 48)):
        assert f"{copied} bytes copied" in ask(page, "x.clone()", dtype=dtype), dtype
    assert "BFloat16" in ask(page, "x.numpy()", dtype="bfloat16")
    ask(page, "x.clone()", source="array")
    assert "no bfloat16" in page.locator("#line-problem").inner_text()
    ask(page, "x.clone()", source="parameter", dtype="bool")
    assert "can require grad" in page.locator("#line-problem").inner_text()


def test_channels_last(visit):
    page = visit(LINE)
    said = ask(page, "x.contiguous(memory_format=torch.channels_last)", source="images")
    assert "strides (12, 1, 6, 3), offset 0: channels_last" in said and "96 bytes copied" in said
    said = ask(page, "x.clone().contiguous()", source="images_last")
    assert "memory_format.contiguous" in said and "192 bytes copied" in said
    said = ask(page, "x.to(memory_format=torch.channels_last)", source="plain")
    assert "rank 4" in page.locator(".line-raises").inner_text()
    ask(page, "x.clone()", source="images", dtype="bool")
    assert "choose float32" in page.locator("#line-problem").inner_text()


def test_an_answer_links_to_its_claims(visit):
    page = visit(LINE)
    ask(page, "x.detach().clone().numpy()", source="parameter")
    links = page.locator(".line-claims a").evaluate_all("a => a.map(l => l.getAttribute('href'))")
    assert "../methods/detach.html#detach.memory" in links
    assert "../methods/clone.html#clone.memory" in links
    assert "../methods/clone.html#clone.gradient" not in links  # what is cloned requires no grad
    first = page.locator(".line-claims").first
    assert first.inner_text().startswith("Proved by")
    ask(page, "x.detach()", source="plain", dtype="int64")  # claims speak of floating-point tensors
    assert first.inner_text().startswith("See")
    page.locator(".line-claims a").first.click()
    page.wait_for_selector("blockquote.claim:target")


def test_every_claim_behind_an_answer_stands_in_the_book(visit):
    made = behind()
    assert set(made["behind"]) <= set(made["steps"])
    known = {claim for found in made["behind"].values() for claim in found.values()}
    assert known == set(made["claims"]) and len(known) > 40


def test_what_another_release_does_is_named(visit):
    page, machine = visit(LINE), recorded()
    names = list(machine.data["steps"])
    starts_at = {number: start for start, number in machine.data["start"].items()}
    shown = 0
    for release, found in behind()["releases"].items():
        for state, step, no_grad, words in found["steps"]:
            if state not in starts_at or no_grad or shown > 20:
                continue
            kind, dtype = starts_at[state].split()
            line = re.sub(r"\bv\b", "x", names[step])
            said = ask(page, line, source=kind, dtype=dtype)
            assert f"torch {release}: {found['words'][words]}"[:60] in " ".join(said.split()), line
            shown += 1
    assert shown


def test_what_is_not_known_is_said_with_the_nearest_form(visit):
    page = visit(LINE)
    said = ask(page, "x.t()[1:3]")
    assert (
        "contiguous value of shape 2×3 alone" in said and "nearest that is known of it: [0]" in said
    )
    assert "is not followed" in ask(page, "x[0][0].item().clone()")
    page.locator("#line-code").fill("x[2:5]")
    problem = page.locator("#line-problem").inner_text()
    assert "not known in this form" in problem and "The nearest that is known: [1:3]" in problem


def test_the_page_is_linked_beside_the_picker_and_back(visit):
    page = visit("index.html")
    section = page.locator("section#which-copy-do-i-need")
    assert section.locator("p a[href='reference/line.html']").count() == 1
    page = visit("reference/comparison.html")
    assert page.locator("article a[href='line.html']").count() >= 1
    page = visit(LINE)
    page.locator("article a[href='../index.html#which-copy-do-i-need']").click()
    page.wait_for_selector("form.picker:visible")


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
