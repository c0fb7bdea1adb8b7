"""The data for programs: each file fits its schema, and each address leads to its place."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
import pytest

from book._ext.data import FOLDER, OFFERED, PAGES
from tests.site.test_site import ADDRESS, SITE, anchors, page
from verify import ROOT
from verify.chains.values import STEPS

NAMES = ("claims", "operations", "chains", "errors", "symptoms")
PLACES = re.compile(r"^[\w/]+\.html(#.*)?$")


@cache
def text(name: str) -> str:
    """Return a file of the data as text."""
    return (SITE / FOLDER / name).read_text(encoding="utf-8")


def data(name: str) -> dict:
    """Return a file of the data, a new object each time."""
    return json.loads(text(f"{name}.json"))


def places(value: object) -> Iterator[str]:
    """Yield each address in the data: the strings that are an address in the site."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from places(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from places(inner)
    elif isinstance(value, str) and PLACES.match(value):
        yield value


def exists(address: str) -> bool:
    """Tell whether a page of the site, and the anchor on it, are there."""
    url = urlsplit(address)
    file = SITE / url.path
    return file.is_file() and (not url.fragment or url.fragment in anchors(Path(url.path)))


def problems(made: dict, schema: dict, there: Callable[[str], bool] = exists) -> list[str]:
    """Return what is wrong with a file: where it does not fit its schema, dead addresses."""
    validator = jsonschema.Draft202012Validator(schema)
    found = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(made)]
    if made.get("$schema") != schema["$id"]:
        found.append("$schema is not the address of the schema")
    found += [
        f"leads nowhere: {place}" for place in dict.fromkeys(places(made)) if not there(place)
    ]
    return found


def test_the_files_are_those_that_are_offered():
    files = {path.name for path in (SITE / FOLDER).iterdir()}
    assert files == {f"{name}{kind}.json" for name in NAMES for kind in ("", ".schema")}
    assert set(OFFERED) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_fits_its_schema_and_leads_somewhere(name):
    schema = json.loads(text(f"{name}.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert problems(data(name), schema) == []
    assert schema["$id"] == f"{ADDRESS}{FOLDER}/{name}.schema.json"
    assert data(name)["site"] == ADDRESS and len(text(f"{name}.json")) < 1_000_000
    described = (key for key, about in schema["properties"].items() if "description" not in about)
    assert schema["description"].endswith(".") and set(described) <= {
        "title", "torch", "dtypes", "texts", name,
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_defect_is_found(name):
    """A field that is missing, one that is not known, a dead page, a dead anchor."""
    schema = json.loads(text(f"{name}.schema.json"))
    short = data(name)  # with few entries: each defect is looked for in the whole file
    for key in (name, "columns", "layout_sets", "groups"):
        short |= {key: short[key][:3]} if key in short else {}
    assert problems(short, schema) == []

    def broken(change: Callable[[dict], object]) -> list[str]:
        made = copy.deepcopy(short)
        change(made)
        return problems(made, schema)

    assert "'version' is a required property" in broken(lambda made: made.pop("version"))[0]
    assert "leads nowhere" in broken(lambda made: made.update(page="reference/gone.html"))[0]
    assert "'more' was unexpected" in broken(lambda made: made.update(more=1))[0]
    assert broken(lambda made: made.update({"$schema": "elsewhere"}))
    if name == "chains":
        assert broken(lambda made: made["groups"][0].pop())
        assert broken(lambda made: made["claims"].update({"a.b": "methods/clone.html#a.b"}))
        return
    first = next(iter(data(name)[name][0]))
    assert f"'{first}' is a required property" in broken(lambda made: made[name][0].pop(first))[0]
    dead = f"{data(name)[name][0]['url'].partition('#')[0]}#nowhere"
    assert broken(lambda made: made[name][0].update(url=dead)) == [f"leads nowhere: {dead}"]
    assert broken(lambda made: made[name][0].update(url="elsewhere"))


def test_the_counts_agree_with_the_pages():
    def ids(path: str, rows: str) -> list[str]:
        return [f"{path}#{row['id']}" for row in page(Path(path)).select(rows)]

    rows = page(Path("reference/claims.html")).select("table.ledger tr[id]")
    assert [row["id"] for row in rows] == [one["id"] for one in data("claims")["claims"]]
    kinds = {
        "operations": ids("reference/operations.html", "table.operations tr[id]"),
        "errors": ids("reference/errors.html", "article section section section"),
        "symptoms": ids("reference/silently_wrong.html", "table.filtered tbody tr[id]"),
    }
    for name, found in kinds.items():
        assert sorted(one["url"] for one in data(name)[name]) == sorted(found), name
    html = page(Path("reference/line.html"))
    states = sum(len(data("chains")["layout_sets"][n]) for *_, n in data("chains")["groups"])
    assert f"{states:,} states" in html.select_one(".line-release").get_text()
    steps = [button["data-step"] for button in html.select(".line-buttons [data-step]")]
    assert steps == list(data("chains")["steps"]) == list(STEPS)


def test_the_entries_say_what_their_places_say():
    html = page(Path("reference/errors.html"))
    for entry in data("errors")["errors"]:
        section = html.find(id=entry["url"].partition("#")[2])
        heading = section.find(["h2", "h3", "h4"]).find(string=True, recursive=True)
        assert entry["message"].startswith(heading.strip()[:20])
        cells = section.select("div.cell")
        code = "".join(cell.select_one("div.cell_input pre").get_text() for cell in cells)
        assert entry["code"].split() == code.split(), entry["url"]
    html = page(Path("reference/silently_wrong.html"))
    for entry in data("symptoms")["symptoms"]:
        row = html.find(id=entry["url"].partition("#")[2])
        assert row.find("td").get_text().split() == entry["symptom"].replace("`", "").split()
        links = {link["href"].partition("#")[2] for link in row.find_all("a")}
        assert set(entry["claims"]) <= links


def test_the_page_about_the_data_shows_each_file_and_an_entry_of_it():
    html = page(Path("reference/data.html"))
    shown = html.select("p.data-file")
    names = [Path(paragraph.a["href"]).stem for paragraph in shown]
    assert sorted(names) == sorted(NAMES)
    for paragraph, name in zip(shown, names, strict=True):
        assert (SITE / "reference" / paragraph.a["href"]).samefile(SITE / FOLDER / f"{name}.json")
        example = json.loads(paragraph.find_next("pre").get_text())
        if name == "chains":
            assert example["start"].items() <= data(name)["start"].items()
            continue
        assert example in data(name)[name]
        assert f"{len(data(name)[name]):,} {name}" in paragraph.get_text()


# llms.txt: https://llmstxt.org


def llms_problems(lines: list[str], there: Callable[[str], bool]) -> list[str]:
    """Return what is wrong with llms.txt: its form, or a link that leads nowhere."""
    found = [] if lines[0].startswith("# ") else ["the first line is no title"]
    found += [] if any(line.startswith("> ") for line in lines[1:4]) else ["there is no summary"]
    found += [] if sum(line.startswith("# ") for line in lines) == 1 else ["two titles"]
    sections = [n for n, line in enumerate(lines) if line.startswith("## ")]
    for line in lines[sections[0] :] if sections else ():
        link = re.fullmatch(r"- \[[^\]]+\]\((\S+)\): .+", line)
        if link and not there(link[1]):
            found.append(f"leads nowhere: {link[1]}")
        elif not link and line and not line.startswith("## "):
            found.append(f"no link: {line}")
    return found if sections else [*found, "there is no section"]


def file_is_there(address: str) -> bool:
    """Tell whether an address of the site is that of a file in it."""
    if not address.startswith(ADDRESS):
        return False
    path = address.removeprefix(ADDRESS).partition("#")[0] or "index.html"
    return (SITE / path).is_file()


def test_llms_txt_says_what_the_book_is_and_where_the_data_lie():
    lines = (SITE / "llms.txt").read_text(encoding="utf-8").splitlines()
    assert llms_problems(lines, file_is_there) == [] and len(lines) < 50
    for name in NAMES:
        assert any(f"{ADDRESS}{FOLDER}/{name}.json" in line for line in lines), name
    assert [f"## {title}" for title in ("Data", *PAGES)] == [
        line for line in lines if line.startswith("## ")
    ]
    cited = re.search(rf"{re.escape(ADDRESS)}(\S+#[\w.]+\w)", "\n".join(lines))[1]
    assert exists(cited)
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    assert f"title: {lines[0][2:]}" in config
    dead = [line.replace("data/errors.json", "data/gone.json") for line in lines]
    assert len(llms_problems(dead, file_is_there)) == 1
    assert "no title" in llms_problems(lines[1:], file_is_there)[0]
