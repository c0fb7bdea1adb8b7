""" "Which copy do I need?" says what the comparison prints, and has an answer to every choice."""

import itertools
import json
import re

import pytest
import torch
import yaml
from bs4 import BeautifulSoup

from book._ext import picker
from verify import ROOT
from verify.claims import claims_of

BOOK = ROOT / "book"
CANDIDATES, WORDS = picker.load(BOOK)
LIVE = picker.live_data(BOOK)
HTML = BeautifulSoup(picker.render(CANDIDATES, WORDS, lambda link: link), "html.parser")
ROWS = HTML.select("tr[data-to]")
LINKS = sorted({link["href"] for link in HTML.find_all("a")})
IDS = [f"{found.words['source']}: {found.words['row']}" for found in CANDIDATES]


def shown(kind: str, columns: list[str]) -> dict[str, dict[str, str]]:
    """Return the rows of the table that a cell of the comparison displays for these columns."""
    notebook = json.loads((BOOK / picker.DATA).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            soup = BeautifulSoup(
                "".join(output.get("data", {}).get("text/html", "")), "html.parser"
            )
            head = [cell.get_text() for cell in soup.select("thead th")][1:]
            if f'compare("{kind}", ' in "".join(cell["source"]) and set(columns) <= set(head):
                return {
                    row.th.get_text(): dict(
                        zip(head, [cell.get_text() for cell in row("td")], strict=False)
                    )
                    for row in soup.select("tbody tr:has(td)")
                }
    raise AssertionError(f"the comparison shows no table of {columns} for {kind}")


@pytest.mark.parametrize("kind", LIVE)
def test_data_are_those_of_the_table_that_is_shown(kind):
    for columns in (["object", "memory"], ["requires_grad", "is_leaf"]):
        table = shown(kind, columns)
        assert table.keys() == LIVE[kind].keys()
        for name, row in table.items():
            for column, value in row.items():
                assert value == LIVE[kind][name].get(column, LIVE[kind][name]["object"])


@pytest.mark.parametrize("found", CANDIDATES, ids=IDS)
def test_row_of_the_page_agrees_with_the_data(found):
    row = ROWS[CANDIDATES.index(found)]
    assert row["data-source"] == found.words["source"]
    live = LIVE[WORDS["sources"][found.words["source"]]["rows"]][found.words["row"]]
    assert (row["data-memory"] == "shared") == (live["memory"] == "shared")
    assert (row["data-gradients"] == "flow") == (live["gradients reach x"] == "yes")
    assert ("array" in row["data-to"]) == (live["type"] == "ndarray")
    gives, costs = (cell.get_text() for cell in row("td")[:2])
    assert ("shared memory" in gives) == (live["memory"] == "shared")
    assert ("its own memory" in gives) == (live["memory"] == "its own")
    assert ("no new memory" in costs) == (live["new bytes"] == "0")
    assert ("warning" in costs) == (live["warns"] != "no")
    assert ("graph node" in costs) == ("Backward" in live["grad_fn"])


@pytest.mark.parametrize("found", CANDIDATES, ids=IDS)
def test_typed_words_agree_with_the_data(found):
    """The need is typed: its key words must be true of the live row."""
    need, live, answers = found.words["need"], found.live, found.answers
    if re.search(r"independent|by way of a file|own", need):
        assert live["memory"] == "its own"
    if re.search(r"same memory|on the memory of|view", need):
        assert live["memory"] == "shared"
    if re.search(r"without gradients|outside the graph", need):
        assert live["gradients reach x"] == "no"
    if re.search(r"inside the graph", need):
        assert live["gradients reach x"] == "yes"
    assert ("new leaf" in need) == (found.to == "leaf")
    assert bool(re.search(r"module to train|a module `other`", need)) == (found.to == "module")
    assert ("array" in need) == ("array" in answers["to"])
    assert bool(re.search(r"another (dtype|device)", need)) == (answers["change"] == {"yes"})
    assert ("exists" in need) == (live["object"] == "existing")


def test_what_is_written_is_what_was_run():
    """A row shows another expression only where the live one needs a stand-in or a helper."""
    other = {found.words["row"] for found in CANDIDATES if "write" in found.words}
    assert other == {"x[:]", "save_and_load(x)", "x.to('meta')"}


def test_a_row_on_another_device_names_the_device_that_is_written():
    """No reader has a meta device: what is measured there says what it gives on a GPU."""
    moved = [found for found in CANDIDATES if found.live["device"] != found.source["device"]]
    assert [found.write for found in moved] == ['x.to("cuda")']
    assert moved[0].gives.endswith("; on `cuda`") and "meta" not in str(HTML)


def test_the_source_is_the_one_that_the_page_names():
    (said,) = re.findall(r"`x` is a `(\w+)` tensor", (BOOK / "index.md").read_text("utf-8"))
    dtypes = {c.source["dtype"] for c in CANDIDATES if c.words["source"] == "tensor"}
    assert dtypes == {said} == {str(torch.get_default_dtype()).removeprefix("torch.")}
    for found in CANDIDATES:
        assert f"torch.{found.source['dtype']}" not in found.write  # it would change nothing


def test_plain_table_holds_every_candidate_once():
    assert len(ROWS) == len(CANDIDATES) == len(set(IDS)) >= 30
    assert not [row for row in ROWS if row.has_attr("hidden")]
    assert HTML.form.has_attr("hidden")  # shown by the script only
    assert HTML.select_one("form.picker [aria-live=polite] output")


@pytest.mark.parametrize("link", LINKS)
def test_link_leads_to_a_chapter_or_a_claim(link):
    path, _, anchor = link.partition("#")
    assert (BOOK / path).is_file()
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = {page["file"] for part in toc["parts"] for page in part["chapters"]}
    assert path.rsplit(".", 1)[0] in pages
    if anchor:
        assert (anchor, path) in CLAIMS


CLAIMS = {(claim.id, claim.notebook.path.removeprefix("book/")) for claim in claims_of(ROOT)}


def test_every_candidate_and_every_hint_links_to_a_claim():
    for place in [*(row("td")[-1] for row in ROWS), *HTML.select("[data-when]")]:
        assert place.select("a[href*='#']"), place.get_text()


def test_every_choice_has_an_answer():
    """What the script does, for every combination: at least one row, or a hint."""
    fields: dict[str, list[str]] = {}
    for button in HTML.select("input"):
        empty = ["no"] if button["type"] == "checkbox" else []
        fields.setdefault(button["name"], empty).append(button["value"])
    hints = [json.loads(hint["data-when"]) for hint in HTML.select("[data-when]")]
    used, silent = set(), []
    combinations = list(itertools.product(*fields.values()))
    assert len(combinations) >= 200
    for values in combinations:
        choices = {name: value for name, value in zip(fields, values, strict=True) if value}
        if any(all(v in row[f"data-{k}"].split() for k, v in choices.items()) for row in ROWS):
            continue
        fitting = [n for n, hint in enumerate(hints) if hint.items() <= choices.items()]
        if fitting:
            used.add(fitting[0])
        else:
            silent.append(choices)
    assert not silent, "no expression and no hint"
    assert used == set(range(len(hints))), "a hint that is never shown"


@pytest.mark.parametrize(
    ("choices", "usual"),
    [
        ({}, "x.detach().clone()"),
        ({"gradients": "flow"}, "x.clone()"),
        ({"memory": "shared"}, "x.detach()"),
        ({"memory": "own", "gradients": "stop"}, "x.detach().clone()"),
        ({"to": "leaf"}, "x.detach().clone().requires_grad_()"),
        ({"to": "into"}, "y.copy_(x.detach())"),
        ({"to": "array"}, "x.detach().cpu().numpy().copy()"),
        ({"to": "array", "memory": "shared"}, "x.detach().numpy()"),
        ({"source": "array"}, "torch.tensor(a)"),
        ({"source": "module", "to": "module"}, "copy.deepcopy(m)"),
        ({"change": "yes"}, "x.to('meta')"),
    ],
)
def test_the_usual_answer(choices, usual):
    """The first row that fits, in the order of picker.yml."""
    wanted = {"source": "tensor", "to": "tensor", "change": "no"} | choices
    fits = [c for c in CANDIDATES if all(v in c.answers[k] for k, v in wanted.items())]
    assert fits[0].words["row"] == usual
