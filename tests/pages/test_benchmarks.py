"""What the benchmarks say of time is computed from the recorded figures, or agrees with them."""

import ast
import io
import json
import re
from contextlib import redirect_stdout

import nbformat
import pytest
from nbformat.v4 import new_output

from verify import ROOT, figures, nbval_plugin
from verify.rules.frame import DEVICE

BENCHMARKS = ROOT / "book" / "benchmarks"
CHAPTERS = sorted(file.stem for file in (BENCHMARKS / "figures").glob("*.json"))


def cells_of(chapter, gpu=False):
    notebook = nbformat.read(BENCHMARKS / f"{chapter}.ipynb", 4)
    return [cell for cell in notebook.cells if gpu or "gpu" not in cell.metadata.get("tags", [])]


def is_text_of_a_chart(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("picture", "say")


ORDER = re.compile(
    r"\b(least|most|less|more|(long|short|fast|slow|quick|cheap|high|low|larg|small)(er|est)"
    r"|long|fast|slow|better|best|worse|worst|twice|half|thirds?|double|triple|same|equal|level"
    r"|always|never|whatever|only|beats?|leads?|wins?|as (long|much|fast) as)\b",
    re.I,
)
# What may stand beside a number that was computed: its unit, or an order that the code looks up.
COMPUTED = {
    **dict.fromkeys([" times as long", " times as long.", " times as long, "], "a factor"),
    **dict.fromkeys([" times as long as ", " times as long as a tensor that exists"], "a factor"),
    **dict.fromkeys([" longer than ", "µs more", " more."], "a difference, with its sign"),
    **dict.fromkeys(["From ", " took longer than "], "from slower_from()"),
    **dict.fromkeys(["With huge pages a clone took more time at ", ", less at "], "by where()"),
    " of the fastest plain copy": "the name of a curve",
    ", shares of the fastest plain copy: ": "the name of a curve",
    "For a small leaf that requires grad, ": "the sizes of the picture, which are small",
    "The price of the order, for each kind of source: from 2¹⁸ elements on ": "the sizes",
    "As a multiple of the fastest plain copy": "the name of a curve",
}
A_TIME = re.compile(
    r"[\d⁰-⁹][\d.,]*\s*(µs|ns|ms|GB/s|times as (long|fast)|of the (plain copy|limit))"
    r"|\bin (the|this|that) (recorded run|run|picture)\b",
    re.I,
)


def is_title(node):
    """Tell whether this gives a title, or a part of one."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    named = getattr(targets[0], "id", "") == "title"
    return named and isinstance(node, ast.Assign | ast.AugAssign)


def strings_in(node):
    """Yield the strings of an expression, and whether each stands alone or beside computed ones."""
    alone = isinstance(node, ast.Constant)
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value, alone


def written_out(cells):
    """Yield what texts of charts, and Markdown, say of times without computing it."""
    for cell in cells:
        if cell.cell_type == "markdown":
            if "<details>" in cell.source:  # a question of Check yourself, asserted there
                continue
            if found := A_TIME.search(re.sub(r"^> .*\*\*Claim.*$", "", cell.source, flags=re.M)):
                yield f"a measured number in the text, which can differ: {found}"
            continue
        if "# snippet: " in cell.source:
            continue
        tree = ast.parse(cell.source)
        calls = [node for node in ast.walk(tree) if is_text_of_a_chart(node)]
        if calls and "mystnb" in cell.metadata and "image" in cell.metadata["mystnb"]:
            yield f"{cell.id}: alt text is computed"
        texts = [node.value for node in ast.walk(tree) if is_title(node)] if calls else []
        for text_of in [*texts, *(argument for call in calls for argument in call.args)]:
            for words, alone in strings_in(text_of):
                number = alone and re.search(r"\d", words)
                if words not in COMPUTED and (number or ORDER.search(words)):
                    yield f"{cell.id}: {words}"


@pytest.mark.parametrize("chapter", sorted(file.stem for file in BENCHMARKS.glob("*.ipynb")))
def test_titles_that_name_an_order_are_computed(chapter):
    assert not list(written_out(cells_of(chapter, gpu=True)))


@pytest.mark.parametrize("chapter", CHAPTERS)
@pytest.mark.parametrize(
    "planted",
    [
        'title = "A clone takes half the time"',
        'title = f"{used} is always the fastest: {share}"',
        'title += ", and never less"',
        'say(figure, "It took 7 times that of the other.")',
        'picture("Level up to 16 MiB", figure)',
    ],
)
def test_a_title_that_is_not_computed_is_found(chapter, planted):
    cells = cells_of(chapter, gpu=True)
    chart = next(cell for cell in cells if "picture(" in cell.source.partition("snippet")[0])
    chart.source += f"\n{planted}"
    assert len(list(written_out(cells))) == 1


NEEDED = rf"\bmeasured\(|^{re.escape(DEVICE)}"


def drawn_and_stored(bench, chapter, file):
    """Draw the charts of a chapter from recorded figures; return their texts, and the stored."""
    names, shown = bench(file), []
    names["display"] = lambda data, **options: (
        shown.append(data["text/plain"])
        if nbval_plugin.is_chart(new_output("display_data", data))
        else None
    )
    names["__name__"] = chapter
    threads, stored = names["torch"].get_num_threads(), []
    for cell in cells_of(chapter, gpu=True):  # what is drawn of recorded figures needs no GPU
        if cell.cell_type == "markdown" or "# snippet: " in cell.source:
            continue
        charts = [out for out in cell.outputs if nbval_plugin.is_chart(out)]
        stored += ["".join(out.data["text/plain"]) for out in charts]
        starts = "# @title Helper", "ways = {", "into = {", "KEEP = "
        if charts or cell.source.startswith(starts) or re.search(NEEDED, cell.source, re.M):
            with redirect_stdout(io.StringIO()):
                exec(compile(cell.source, cell.id, "exec"), names)
    names["torch"].set_num_threads(threads)
    return shown, stored


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_stored_titles_and_words_are_those_of_the_recorded_figures(bench, chapter, tmp_path):
    file = BENCHMARKS / "figures" / f"{chapter}.json"
    shown, stored = drawn_and_stored(bench, chapter, file)
    assert stored and shown == stored, f"make run CHAPTER={chapter}"
    other = json.loads(file.read_text(encoding="utf-8"))
    for figure in other.values():  # the first curve takes twice as long, the second three times, …
        for lines in figure["panels"].values():
            for factor, name in enumerate(lines, 2):
                lines[name] = [factor * t for t in lines[name]]
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")
    shown, stored = drawn_and_stored(bench, chapter, tmp_path / "other.json")
    assert len(shown) == len(stored) and not set(shown) & set(stored)


# What the lead of a chapter says of time, and what its recorded figure has to show for it.
LEADS = [
    ("copy_methods", "`x.detach().clone()` takes the least time of the five", "five_ways",
     ["x.clone().detach()", "torch.empty_like(x).copy_(x)", "x.new_tensor(x)", "torch.tensor(x)"],
     "x.detach().clone()", (1, 1024), ["x = torch.randn(n, requires_grad=True)"]),
    ("to_ndarray", "for a small tensor it takes [the least time]", "three_ways",
     ["x.detach().clone().numpy()", "x.clone().detach().numpy()"],
     "x.detach().numpy().copy()", (1, 1024), None),
    ("clone_detach_order", "There `x.detach().clone()` takes less time", "by_size",
     "x.clone().detach()", "x.detach().clone()", (1, 1024), ["leaf that requires grad"]),
    ("large_copies", "`x.clone()` of 64 MiB [takes longer]", "fresh",
     "x.clone()", "out.copy_(x)", (2**26, 2**26), None),
    ("many_tensors", "[takes longest](#many_tensors.loop)", "loop",
     "a loop of copy_", ["torch._foreach_copy_", "one flat tensor"], (1, 1024), None),
    ("allocators", "A clone of 64 MiB [takes fresh pages each time]", "faults",
     "glibc, defaults", "glibc, told to keep", (2**26, 2**26), ["x.clone()"]),
]  # fmt: skip
# What it says is the same: half of the ratios lie within a fifth of 1.
SAME = [
    ("copy_methods", "take [the same time](#copy_methods.order), within noise", "five_ways",
     "x.clone().detach()", "x.detach().clone()", (1, 1024),
     ["x = torch.randn(n, requires_grad=False)"]),
    ("clone_detach_order", "the two take the same time, within noise", "by_size",
     "x.clone().detach()", "x.detach().clone()", (1, 1024), ["plain"]),
    ("clone_detach_order", "for [a million elements](#clone_detach_order.large)", "by_size",
     "x.clone().detach()", "x.detach().clone()", (2**19, 2**21), None),
]  # fmt: skip


def unknown_orders(chapter, lead):
    """Yield the sentences of a lead that name an order, link to no claim and are not listed."""
    known = [said for name, said, *_ in LEADS + SAME if name == chapter]
    for sentence in re.split(r"(?<=[.:]) ", lead.partition("\n")[2].strip()):
        linked = re.search(r"\(([\w./]+\.ipynb)?#\w+\.\w+\)", sentence)
        if ORDER.search(sentence) and not linked and not any(said in sentence for said in known):
            yield sentence


@pytest.mark.parametrize("chapter", sorted(file.stem for file in BENCHMARKS.glob("*.ipynb")))
def test_leads_name_an_order_only_where_it_is_checked(chapter):
    lead = cells_of(chapter)[0].source
    assert not list(unknown_orders(chapter, lead))
    assert list(unknown_orders(chapter, f"{lead} A clone is always the fastest."))


@pytest.mark.parametrize(("chapter", "said", "name", "one", "other", "between", "panels"), SAME)
def test_what_leads_call_the_same_is_so_in_the_recorded_figures(
    bench, chapter, said, name, one, other, between, panels
):
    assert said in cells_of(chapter)[0].source
    figure = figures.read(BENCHMARKS / "figures" / f"{chapter}.json")[name]
    found = bench()["ratios"](figure, one, other, between, panels).tolist()
    assert 1 / 1.2 < sorted(found)[len(found) // 2] < 1.2


@pytest.mark.parametrize(("chapter", "said", "name", "slow", "fast", "between", "panels"), LEADS)
def test_leads_agree_with_the_recorded_figures(
    bench, chapter, said, name, slow, fast, between, panels
):
    assert said in cells_of(chapter)[0].source
    figure = figures.read(ROOT / "book" / "benchmarks" / "figures" / f"{chapter}.json")[name]
    found = bench()["ratios"](figure, slow, fast, between, panels)
    assert found.size and found.min() > 1
