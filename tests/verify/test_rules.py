"""Plant each defect in a tiny good book, and see it caught with its file, cell and remedy."""

import json
from xml.etree import ElementTree

import pytest

from tests.verify.books import (
    APPROVED,
    CLAIM,
    CLONE,
    FIGURES,
    SANITIZER,
    STRAY,
    SVG,
    TinyBook,
    code,
    display,
    error,
    markdown,
    png,
    result,
    save,
    stream,
)
from verify.rules.frame import DEVICE


def source(id, text):
    return lambda book: book[id].update(source=text)


def write(path, text):
    return lambda book: book.files.update({path: text})


def says(text):
    """Add a Markdown cell with this text; its id is `new`."""
    return lambda book: book.add(markdown("new", text))


def far(text):
    """Add a Markdown cell far from the claim of the good book."""
    return lambda book: book.add(markdown("new", text), after="result")


def exercise(source, *shown):
    """Add a section *Check yourself* with one cell of code."""
    cell = code("new-code", 11, source, *shown)
    heading = markdown("new", "## Check yourself")
    return lambda book: book.add(heading, cell, after="result")


def outputs(id, *values):
    return lambda book: book[id].update(outputs=list(values))


def tag(id, *tags):
    return lambda book: book[id]["metadata"].update(tags=list(tags))


def proof(text):
    return source("proof", "# proof: clone.memory\n" + text)


def silent_proof(text):
    def defect(book):
        book["proof"].update(source="# proof: clone.memory\n" + text, outputs=[])

    return defect


def gpu_proof(book):
    book["proof"].update(source="# proof: clone.memory\n1", outputs=[], execution_count=None)
    tag("proof", "gpu")(book)


def second_claim(path):
    """Add a notebook (in the table of contents) that makes the same claim."""

    def defect(book):
        cells = [book["setup"], book["claim"], book["proof"]]
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": book.metadata, "cells": cells}
        book.files[path] = json.dumps(notebook)
        book.files["_toc.yml"] += f"  - file: {path[5:-6]}\n"

    return defect


def approval(**changes):
    entry = {"notebook": CLONE, "cell": "result", "tag": "nbval-skip", "reason": "why"} | changes
    return "[[approved]]\n" + "".join(f'{key} = "{value}"\n' for key, value in entry.items())


def rule(regex, replace=" X", above="# a reason\n# example: (1 us) ->  X", between="\n"):
    return write(SANITIZER, f"{above}\nregex: {regex}{between}replace:{replace}\n")


def recorded_figures(**changes):
    """Record figures that are good but for these changes."""
    machine = {"device": "A CPU", "cores": 2, "threads": 1, "torch": "2.13.0", "numpy": "2.4.6"}
    machine |= {"python": "3.11.7", "date": "2026-11-21"}
    good = {"machine": machine, "seconds": 1.5, "points": [1, 2], "note": ""}
    good["panels"] = {"p": {"c": [1.0, 2.0]}}
    return write(FIGURES, json.dumps({name: good | change for name, change in changes.items()}))


def figure_cell(text, **changes):
    def defect(book):
        book["result"]["source"] = text
        if changes:
            recorded_figures(**changes)(book)

    return defect


def gpu_figure(cell, figures):
    def defect(book):
        book[cell]["source"] = '# needs: CUDA\nmeasured("a")\nprint(1)'
        recorded_figures(**figures)(book)

    return defect


MEASURE = "make benchmarks CHAPTER=clone"
MAKE_RUN = "make run CHAPTER=clone"
CATCH = "catch"
MISFORMED = "write > **Claim"
PLAIN = "use plain Markdown"
SWALLOWED = "try:\n    assert x == 1\nexcept Exception:\n    pass"

# What is planted; the cell (or the file) at which it is to be found; the message; the remedy.
DEFECTS = [
    # Files that cannot be read
    (write(CLONE, '{"cells": ['), None, "no valid JSON", "repair the file"),
    (write(CLONE, "[]"), None, "no valid notebook format", "repair"),
    (write(CLONE, '{"nbformat": 3, "nbformat_minor": 0}'), None, "format 4.5", "repair"),
    (lambda book: book["svg"].pop("outputs"), None, "no valid notebook format", "repair"),
    (lambda book: book["svg"].update(id="png"), None, "occur twice", "repair"),
    # Cells that were not run as they stand
    (lambda book: book["proof"].update(execution_count=None), "proof", "never run", MAKE_RUN),
    (lambda book: book["proof"].update(execution_count=7), "proof", "3 is due", MAKE_RUN),
    (outputs("result", result("42", 3)), "result", "another execution count", MAKE_RUN),
    (source("snippet", " "), "snippet", "empty code cell", "delete"),
    (lambda book: book.cells.__delitem__(slice(1, None)), None, "no code", "add code"),
    # Cells for a GPU
    (outputs("waiting", stream("1")), "waiting", "no `recorded`", "make run-gpu CHAPTER=clone"),
    (lambda book: book["waiting"].update(execution_count=7), "waiting", "no `recorded`", "run-gpu"),
    (tag("recorded"), "recorded", "not `gpu`", "tag the cell"),
    (lambda b: b["recorded"]["metadata"]["recorded"].pop("torch"), "recorded", "name", "write it"),
    *(
        (source("waiting", text), "waiting", "would fail in Colab", "write `# needs: CUDA` as")
        for text in ("print(1)", "print(1)\n# needs: CUDA", "#needs: CUDA", "# proof: clone.memory")
    ),
    (source("result", "# needs: CUDA\n42"), "result", "does nothing here", "tag the cell `gpu`"),
    (source("waiting", "# needs: CUDA\n# needs: x"), "waiting", "`# needs: x` does", "tag the"),
    (source("result", "# needs: g++\n42"), "result", "does nothing here", "a C++ compiler`"),
    # Exceptions
    (outputs("catch", error("TypeError", "no")), "catch", "ends in TypeError", CATCH),
    (tag("catch", "raises-exception"), "catch", "need not raise", CATCH),
    (tag("catch", "nbval-raises-exception"), "catch", "need not raise", CATCH),
    (source("catch", "# NBVAL_RAISES_EXCEPTION\nf()"), "catch", "need not raise", CATCH),
    # Tags, comments, approvals
    (tag("result", "nbval-skip"), "result", "not approved", "with a reason"),
    (tag("result", "nbval-ignore-output"), "result", "not approved", "with a reason"),
    (tag("title", "remove-cell"), "title", "not approved", "with a reason"),
    (source("result", "# NBVAL_SKIP\n42"), "result", "not approved", "with a reason"),
    (source("result", "## NBVAL_IGNORE_OUTPUT\n42"), "result", "not approved", "with a reason"),
    (source("result", "#PYTEST_VALIDATE_IGNORE_OUTPUT"), "result", "not approved", "with a reason"),
    (write(APPROVED, approval()), APPROVED, "matches nothing", "remove"),
    (write(APPROVED, approval(reason=" ")), APPROVED, "lacks", "complete"),
    (write(APPROVED, "approved = ["), APPROVED, "cannot be read", "write tables"),
    # Pictures
    (outputs("png", display(image_png="R0lGODlh")), "png", "cannot be decoded", MAKE_RUN),
    (outputs("png", display(image_png=png(40, 30)[:-40])), "png", "cannot be decoded", MAKE_RUN),
    (outputs("png", display(image_png=png(2, 2))), "png", "its size is (2, 2)", MAKE_RUN),
    (outputs("png", display(image_png=png(40, 30, color="red"))), "png", "single", MAKE_RUN),
    (outputs("png", display(image_jpeg=png(40, 30))), "png", "it is PNG", MAKE_RUN),
    (outputs("svg", display(image_svg="<svg>", text_plain="A")), "svg", "no XML", MAKE_RUN),
    (outputs("svg", display(image_svg="<p/>", text_plain="A")), "svg", "not <svg>", MAKE_RUN),
    (outputs("svg", display(image_svg="<svg/>", text_plain="A")), "svg", "nothing", MAKE_RUN),
    (outputs("svg", display(image_svg=SVG)), "svg", "without alt", "text/plain"),
    (outputs("svg", display(image_svg=SVG, text_plain="<SVG>")), "svg", "without alt", "text"),
    (lambda book: book["png"]["metadata"].clear(), "png", "without alt text", "mystnb"),
    (says("![](clone.ipynb)"), "new", "without alt text", "write !["),
    # Outputs that hold only here and now
    *(
        (outputs("proof", stream(f"see {text}\n")), "proof", "path or an address", "everywhere")
        for text in (
            "/home/me/x.py",
            "/root/x",
            "'/tmp/x'",
            "/usr/lib",
            "lib/site-packages/torch",
            "ipykernel_12/3.py:1:",
            "<object at 0x7f00>",
        )
    ),
    (outputs("svg", display(text_html="<p>/tmp/x")), "svg", "path or an address", "everywhere"),
    (outputs("proof", stream("Warning: x", "stderr")), "proof", "on stderr: Warning", CATCH),
    # The sanitizer
    (rule(r"\(\d us\)", between="\n\n"), SANITIZER, "nbval drops this rule", "both lines"),
    (rule(r"\(\d us\)", replace=""), SANITIZER, "nbval drops this rule", "both lines"),
    (write(SANITIZER, "regex: x"), SANITIZER, "nbval drops this rule", "both lines"),
    (write(SANITIZER, "\nreplace: x"), SANITIZER, "nbval drops this `replace:`", "above"),
    (rule(r"(\d us"), SANITIZER, "no regular expression", "correct"),
    (rule(r"\(\d us\)", above="# example: (1 us) -> X"), SANITIZER, "reason", "comment"),
    (rule(r"\(\d us\)", above="# a reason"), SANITIZER, "without an example", "# example:"),
    (rule(r"\(\d ms\)"), SANITIZER, "does not make", "correct"),
    (rule(r"\(\d us\)|\d+"), SANITIZER, "so broad that it changes", "only what its reason"),
    (rule(r"\(\d us\)|, device='.*?'"), SANITIZER, "so broad that it changes", "only what"),
    (rule(r"\(\d us\)|\w+Backward0"), SANITIZER, "so broad that it changes", "only what"),
    # The table of contents
    (write("_toc.yml", "root: index"), None, "in no table of contents", "add it"),
    (write("_toc.yml", "root: index\nchapters: [{file: x}]"), "_toc.yml", "entry x", "correct"),
    (write("_toc.yml", "root: x\n"), "_toc.yml", "entry x", "correct"),
    (write("_toc.yml", "chapters: []"), "_toc.yml", "no root", "add root"),
    (write("_toc.yml", "{"), "_toc.yml", "cannot be read", "write"),
    # Claims
    (second_claim("book/topics/clone.ipynb"), "book/topics/clone.ipynb", "taken by", "another"),
    (second_claim("book/x.ipynb"), "book/x.ipynb", "no claim id of this chapter", "name it x.word"),
    (source("claim", CLAIM.replace("memory", "Big-word")), "claim", "no claim id", "name it"),
    (source("claim", "> " + CLAIM[27:]), "claim", "nothing leads to the claim", "make run CHAPTER"),
    (source("claim", CLAIM.replace("memory", "other", 1)), "claim", "nothing leads", "its anchor"),
    *(
        (source("claim", text), "claim", "looks like a claim", MISFORMED)
        for text in (
            "> **Claim** · `clone.memory` is its own.",
            CLAIM.replace("·", "-"),
            CLAIM.replace("`", ""),
            CLAIM.replace("**", ""),
            CLAIM[2:],
        )
    ),
    (source("claim", CLAIM + "\n\nMore text."), "claim", "not the last", "move what follows"),
    (source("claim", CLAIM + "\n\n```\ncode\n```"), "claim", "not the last", "move what follows"),
    (source("claim", CLAIM + "\n\n" + CLAIM), "claim", "2 claims in one cell", "its own cell"),
    (says(CLAIM.replace("memory", "two")), "verified", "proof of `clone.two`", "first line: #"),
    (lambda b: b.add(markdown("new", "Text."), after="claim"), "claim", "no code cell", "next"),
    (source("result", "# proof: clone.memory\n42"), "result", "no claim right above", "write"),
    # Proofs
    (
        source("proof", "assert x == 1\nprint(x)"),
        "proof",
        "does not say so",
        "# proof: clone.memory",
    ),
    (source("proof", "# proof: clone.other\nprint(x)"), "proof", "does not say so", "first line"),
    (silent_proof("x = 1"), "proof", "neither asserts nor", "add an assert"),
    (gpu_proof, "proof", "neither asserts nor", "add an assert"),
    *(
        (proof(text), "proof", "cannot fail", "assert what")
        for text in (
            "assert True",
            "assert 1, 'text'",
            "assert (x == 2, 'text')",
            "assert x or True",
            "assert not False",
            "assert x is x",
        )
    ),
    (proof(SWALLOWED), "proof", "catches the AssertionError", "assert what"),
    (proof(SWALLOWED.replace(" Exception", "")), "proof", "catches the Asser", "assert what"),
    (proof("assert ("), "proof", "no Python", "syntax"),
    # Snippets
    (source("snippet", "# snippet: glance\nx = 2"), "snippet", "differs from", "edit the file"),
    (source("snippet", "# snippet: none\nx = 1"), "snippet", "no snippet", "correct the name"),
    (source("snippet", "x = 1\n#snippet: glance"), "snippet", "first line", "write it so"),
    # Folded cells
    (tag("setup", "hide-cell"), "setup", "but not both", "# @title Helper"),
    (source("setup", f"# @title Helper: a\n{DEVICE}"), "setup", "do not go together", MAKE_RUN),
    (source("setup", "x = 1\n" * 30 + DEVICE), "setup", "31 lines of code are seen", "fold what"),
    # Check yourself
    (exercise("print(x)", stream("1\n")), "new-code", "shows the answer", "print nothing"),
    (exercise("y = x"), "new-code", "not folded, or no folded cell", "# @title Check"),
    # Figures
    (figure_cell('measured("small", x)'), "result", "'small' is not recorded", MEASURE),
    (figure_cell("measured(name)"), "result", "not written out", "write the name"),
    (figure_cell('measured("a"), measured("a")', a={}), "result", "measured twice", "its own name"),
    (recorded_figures(small={}), FIGURES, "no cell of " + CLONE, MEASURE),
    (write(FIGURES, "{"), FIGURES, "cannot be read", MEASURE),
    (figure_cell('measured("a")', a={"machine": {}}), FIGURES, "'device' is a required", MEASURE),
    (figure_cell('measured("a")', a={"points": []}), FIGURES, "a/points: []", MEASURE),
    (
        figure_cell('measured("a")', a={"points": [1]}),
        FIGURES,
        "a/panels/p/c: not as many",
        MEASURE,
    ),
    (
        figure_cell('measured("a")', a={"panels": {"p": {"c": [1.0, 0]}}}),
        FIGURES,
        "a/panels/p/c/1: 0 is less than or equal",
        MEASURE,
    ),
    (write(STRAY, "{}"), STRAY, "it belongs to no notebook", "delete it"),
    *(
        (gpu_figure(cell, figures), cell, message, "make benchmarks-gpu CHAPTER=clone")
        for cell, figures, message in [
            ("waiting", {"a": {}}, "not recorded together"),
            ("recorded", {}, "not recorded together"),
            ("recorded", {"a": {}}, "measured on another device"),
        ]
    ),
    # Facts that the text repeats
    *(
        (says(f"See `{code}`."), "new", "is no name of torch", "correct it, or list it")
        for code in (
            *("x.detatch()", "requires_gard", "t.untyped_storge()", "x.data_prt()", "copy_from_"),
            *("torch.load(f, weights_onyl=True)", "CloneBackwrd0", "torch.gels(x)", "x.is_lef"),
            "nn.Parametr",
        )
    ),
    *(
        (says(f"It gives {number}."), "new", f"holds the number {number}", "correct it, or list it")
        for number in ("2", "7", "0.5", "3.14", "1,000", "1,048,577", "41", "43", "100", "12")
    ),
    (says("It gives 2 bytes, or 42."), "new", "holds the number 2", "correct it"),
    (
        write(APPROVED, '[[word]]\nword = "x"\nreason = "y"'),
        APPROVED,
        "matches nothing: x",
        "remove",
    ),
    (write(APPROVED, '[[word]]\nword = "x"'), APPROVED, "lacks one of word, reason", "complete"),
    (write("book/a.md", "See `detatch`."), "book/a.md", "`detatch` is no name", "correct it"),
    # Markdown
    *(
        (says(text), "new", "shows raw in Colab", PLAIN)
        for text in (
            ":::{note}\nText\n:::",
            "```{note}\nText\n```",
            "See {ref}`clone`.",
            "(label)=\n## Title",
            "Version {{ version }}.",
        )
    ),
    (says("[x](none.ipynb)"), "new", "leads nowhere", "relative path"),
    (says('<a href="none.md">x</a>'), "new", "leads nowhere", "relative path"),
    (says("[x](clone.ipynb#clone.none)"), "new", "no claim `clone.none`", "correct the id"),
    (says("[x](#clone.none)"), "new", "no claim `clone.none` in this", "correct the id"),
    (says("[x](clone.ipynb#none)"), "new", "no heading `none` in clone.ipynb", "correct"),
    (says("# None\n\n[x](#none)"), "new", "nothing leads to the heading in Jupyter", "its anchor"),
    (says('## <a id="none"></a>None'), "new", "no notebook links to the heading", "removes its"),
    (says('## <a id="a"></a>A\n\n## A\n[](#a-1)'), "new", "no notebook links", "removes its"),
    (says('## <a id="a"></a>A\n\n## A\n[](#a-1)'), "new", "nothing leads to the", "its anchor"),
    # Prose
    (far("`clone()` copies the values."), "new", "far from any claim", "link it to the claim"),
    (far("It is `detach` that warns."), "new", "far from any claim", "link it to the claim"),
    # Metadata and the first cell
    (lambda book: book.metadata.update(authors=[]), None, "its metadata", MAKE_RUN),
    (lambda b: b.metadata["language_info"].update(version="3"), None, "its metadata", MAKE_RUN),
    (lambda book: book["svg"]["metadata"].update(vscode=1), "svg", "vscode", "remove"),
    (source("setup", "import torch"), "setup", "does not define `device`", DEVICE),
    (source("verified", "import torch"), "verified", "is not the snippet `verified`", MAKE_RUN),
    (tag("verified", "hide-cell"), "verified", "tagged `remove-cell`", MAKE_RUN),
    (tag("setup", "remove-cell"), "setup", "`remove-cell` is not approved", "rule 8"),
]


@pytest.mark.parametrize(
    ("defect", "where", "message", "remedy"),
    DEFECTS,
    ids=[f"{number}-{where}-{message}" for number, (_, where, message, _) in enumerate(DEFECTS)],
)
def test_defect_is_caught(tmp_path, defect, where, message, remedy):
    book = TinyBook(tmp_path)
    defect(book)
    problems = book.check()
    path, id = (where, None) if where and "." in where else (CLONE, where)
    text = "\n".join(map(str, problems))
    assert any(
        problem.path == path
        and (id is None or f"(id {id})" in str(problem.cell))
        and message in problem.message
        and remedy in problem.remedy
        for problem in problems
    ), text
    assert path in text
    assert "Remedy: " in text


def test_good_book(tmp_path):
    assert TinyBook(tmp_path).check() == []


def test_approved_tag(tmp_path):
    book = TinyBook(tmp_path)
    tag("result", "nbval-skip")(book)
    book.files[APPROVED] = approval()
    assert book.check() == []


def test_one_broken_notebook_does_not_hide_another(tmp_path):
    book = TinyBook(tmp_path)
    book.files["book/broken.ipynb"] = "{"
    source("setup", "x = 1")(book)
    assert {problem.path for problem in book.check()} == {"book/broken.ipynb", CLONE}


# Holes of nbval that only a run can show

RAISED = "try:\n    {}\n    raise AssertionError('no error was raised')\nexcept TypeError as e:\n"
SHOW = "from IPython.display import display\ndisplay({!r}, raw=True)"
FOREIGN = "No module named"

# Source, stored outputs, and what the failure says (None: it passes; "skipped": it is skipped).
CELLS = {
    "empty folder": ("import os\nos.listdir()", [result("[]", 1)], None),
    "what readers have": ("import torch, numpy, matplotlib, perfplot", [], None),
    "optional modules": (
        "from importlib.util import find_spec\nprint(find_spec('pytest'), find_spec('absent'))",
        [stream("None None\n")],
        None,
    ),
    "CUDA shows": ("print(\"tensor([1.], device='cuda:0')\")", [stream("tensor([1.])\n")], None),
    "CUDA on a new line": (
        "print(\"tensor([1.],\\n       device='cuda:0', requires_grad=True)\")",
        [stream("tensor([1.], requires_grad=True)\n")],
        None,
    ),
    "other PNG": (SHOW.format({"image/png": "AAAA"}), [display(image_png="BBBB")], None),
    "other SVG": (SHOW.format({"image/svg+xml": SVG}), [display(image_svg="<svg/>")], "differ"),
    "other HTML": (SHOW.format({"text/html": "a"}), [display(text_html="b")], "differ"),
    "no PNG": ("1;", [display(image_png="BBBB")], "display_data (image/png)"),
    "order": ("print('a')\n'b'", [result("'b'", 1), stream("a\n")], "or their order, differ"),
    "order of streams": (
        *(SHOW.format({"text/plain": "a"}) + "\nprint('b')", [stream("b\n")]),
        "or their order, differ",
    ),
    "display or result": ("'b'", [display(text_plain="'b'")], "or their order, differ"),
    "output missing": ("x = 1", [stream("1\n")], "now:    nothing"),
    "output added": ("print(3)", [], "stored: nothing"),
    "number changed": ("print(2)", [stream("1\n")], "Cell outputs differ"),
    "other stream": (
        *("import sys\nprint(1, file=sys.stderr)", [stream("1\n")]),
        "now:    stderr",
    ),
    "foreign module": ("import pytest", [], FOREIGN + " 'pytest' for a notebook"),
    "absent module": ("import absent", [], FOREIGN + " 'absent' for a notebook"),
    "local file": ("import helper", [], FOREIGN + " 'helper' for a notebook"),
    "local data": ("open('helper.py')", [], "FileNotFoundError"),
    "not raised": (RAISED.format("len('')") + "    pass", [], "no error was raised"),
    "error invented": (
        *(RAISED.format("len(1)") + "    print(e)", [stream("invented\n")]),
        "Cell outputs differ",
    ),
    "not caught": ("len(1)", [error("TypeError", "no")], "TypeError"),
    "never run": ("x = 1", [], "never run"),
    "needs CUDA": ("import absent", [], "skipped"),
    "approved": ("import absent", [], "skipped"),
}


def test_facts_that_cells_hold(tmp_path):
    """Names of torch and of cells; numbers of cells near by, releases, years, computed ones."""
    book = TinyBook(tmp_path)
    book["snippet"]["source"] = "# snippet: glance\nx = 1"
    book.add(code("size", 4, "size = 2**20"), after="claim")
    text = (
        "`x.clone()`, `nn.Linear(bias=False)`, `CloneBackward0`, `size`: 1,048,576 since torch 2.9."
    )
    book.add(markdown("facts", text), after="claim")
    assert not [
        found for found in book.check() if "number" in found.message or "name" in found.message
    ]


def test_a_cell_may_need_a_compiler(tmp_path):
    book = TinyBook(tmp_path)
    book["result"]["source"] = "# needs: a C++ compiler\n42"
    assert book.check() == []


def test_holes_of_nbval(tmp_path, run_pytest):
    cells = {}
    for number, (name, (text, stored, _)) in enumerate(CELLS.items(), 1):
        cells[name] = code(name.replace(" ", "-"), number, text, *stored)
    cells["never run"]["execution_count"] = None
    tags = {"needs CUDA": "gpu", "approved": "nbval-skip", "not caught": "raises-exception"}
    for name, value in tags.items():
        cells[name]["metadata"]["tags"] = [value]
    save(tmp_path / "book" / "holes.ipynb", *cells.values())
    (tmp_path / "book" / "helper.py").write_text("")
    save(tmp_path / "book" / "dies.ipynb", code("die", 1, "import os\nos._exit(1)"))
    (tmp_path / "book" / "broken.ipynb").write_text("{")

    status, output = run_pytest("-n", "2", "--continue-on-collection-errors", "--junitxml", "x.xml")

    assert status == 1, output
    assert "broken.ipynb: not a readable notebook" in output
    assert "notebook cells: 25 compared; 1 not run: needs CUDA; 1 skipped" in output
    assert not list((tmp_path / "tmp").glob("notebook-*")), "temporary folders are left"
    reports = list(ElementTree.parse(tmp_path / "x.xml").iter("testcase"))
    died = next(r for r in reports if "dies" in r.get("classname") + r.get("name"))
    assert "the kernel died in this cell" in died.find("failure").text
    for number, (name, (_, _, expected)) in enumerate(CELLS.items(), 1):
        report = next(
            r
            for r in reports
            if r.get("name") == f"Cell {number}" and "holes" in r.get("classname")
        )
        failure, skipped = report.find("failure"), report.find("skipped")
        if expected is None:
            assert failure is None, f"{name}: {failure.text}"
        elif expected == "skipped":
            assert skipped is not None, name
        else:
            assert failure is not None, f"{name} passed"
            assert expected in failure.text, f"{name}: {failure.text}"
            for part in (f"book/holes.ipynb, cell [{number}]", "make run CHAPTER=holes"):
                assert part in failure.text
    assert "not run: needs CUDA" in output


def test_refused_runs(tmp_path, run_pytest):
    save(tmp_path / "book" / "one.ipynb", code("one", 1, "x = 1"))
    for options, reason in [
        (["-n", "2", "--dist", "load"], "--dist loadfile"),
        (["--require-cuda"], "torch finds no CUDA here"),
        (["--nbval-kernel-name", "none"], "the kernel 'none' did not start"),
        (["--nbval-kernel-startup-timeout", "0"], "did not start: its outputs do not arrive"),
    ]:
        status, output = run_pytest(*options)
        assert status != 0, output
        assert reason in output


def test_gpu_cells_where_cuda_is(tmp_path, run_pytest):
    """They run: one is compared with its record, one has none to be compared with."""
    (tmp_path / "fake_cuda.py").write_text(
        "from verify import nbval_plugin\nnbval_plugin.has_cuda = lambda: True\n"
    )
    waiting = code("waiting", None, "print(1)", tags=["gpu"])
    recorded = code("recorded", 2, "print(2)", stream("1\n"), tags=["gpu"])
    save(tmp_path / "book" / "gpu.ipynb", waiting, recorded)

    status, output = run_pytest("-p", "fake_cuda", "--require-cuda")

    assert status == 1, output
    assert "1 compared; 0 not run: needs CUDA; " in output
    assert "1 ran with nothing recorded to compare with" in output
    assert "make run-gpu CHAPTER=gpu" in output
    assert "1 failed, 1 passed" in output
