"""The record of a run says what happened, and only a sound record is believed."""

import json
import os
import runpy
import subprocess
import sys
from types import SimpleNamespace

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from tests.verify.books import TinyBook, code, markdown, save, stream
from verify import ROOT, evidence, heads, nbval_plugin, recorder
from verify.book import Cell
from verify.claims import claims_of, needs
from verify.evidence import BadRecord, load, status

VERIFIED = ROOT / "book" / "_snippets" / "verified.py"

SAID = {  # the claims of the tiny book: what follows `# proof:`, what is stored, its tags
    "tiny.passes": ("print(1)", "1", []),
    "tiny.prints": ("x = 2\nprint(x)", "3", []),
    "tiny.raises": ("y = 2\nraise ValueError('no copy\\nat all')", "", []),
    "tiny.needs_what_prints": ("print(x)", "2", []),
    "tiny.needs_what_raises": ("print(y)", "2", []),
    "tiny.cuda": ("print(1)", "1", ["gpu"]),
    "tiny.later": ("# since: 99.0\nprint(1)", "1", []),
    "other.passes": ("print(1)", "1", []),
}
RESULTS = {
    "tiny.passes": ("passed", None),
    "tiny.prints": ("failed", "Cell outputs differ: stored: 3; now: 2"),
    "tiny.raises": ("failed", "ValueError: no copy"),
    "tiny.needs_what_prints": ("passed", None),
    "tiny.needs_what_raises": ("failed", "cell [3], which its proof needs, failed"),
    "tiny.cuda": ("not run", "needs CUDA"),
    "tiny.later": ("not run", "holds since torch 99.0"),
    "other.passes": ("passed", None),
}


def write_book(root):
    """Write the notebooks tiny and other, with the claims above."""
    cells = {"tiny": [], "other": []}
    for claim, (source, stored, tags) in SAID.items():
        place = cells[claim.split(".")[0]]
        proof = f"# proof: {claim}\n{source}"
        place.append(markdown(f"m{len(place)}", f"> **Claim `{claim}`** · It holds."))
        stored = [stream(stored + "\n")] if stored else []
        place.append(code(f"c{len(place)}", len(place) // 2 + 1, proof, *stored, tags=tags))
    for name, found in cells.items():
        save(root / "book" / f"{name}.ipynb", *found)


def results(path):
    """Return what a record says of each claim."""
    return {name: (c["result"], c.get("why")) for name, c in load(path)["claims"].items()}


@pytest.fixture
def record():
    """Return a sound record."""
    claims = {
        "clone.memory": {"result": "passed", "digest": "0" * 16},
        "clone.dtype": {"result": "failed", "why": "AssertionError", "digest": "0" * 16},
        "clone.cuda": {"result": "not run", "why": "needs CUDA", "digest": "0" * 16},
    }
    return {
        **{"schema": 1, "runner": "cpu", "kind": "cpu", "device": "A CPU", "torch": "2.13.0"},
        **{"python": "3.11.7", "platform": "Linux x86_64", "date": "2026-11-21"},
        **{"commit": "a" * 40, "claims": claims},
    }


# --- Runs -----------------------------------------------------------------------------------------


def test_a_run_and_the_same_run_with_xdist(tmp_path, run_pytest):
    write_book(tmp_path)
    code, output = run_pytest("--record", "serial.json")
    assert code == 1 and "record of the claims: serial.json" in output, output
    assert "1 not run: holds since torch 99.0" in output
    run_pytest("-n", "2", "--record", "records/", "--runner", "two-workers")
    (parallel,) = (tmp_path / "records").iterdir()
    serial, parallel = load(tmp_path / "serial.json"), load(parallel)
    assert results(tmp_path / "serial.json") == RESULTS
    assert parallel == serial | {"runner": "two-workers"}
    assert (serial["runner"], serial["kind"], serial["commit"]) == ("cpu", "cpu", None)
    digests = {claim.id: claim.digest for claim in claims_of(tmp_path)}
    assert {name: claim["digest"] for name, claim in serial["claims"].items()} == digests


def test_claims_that_a_run_says_nothing_of(tmp_path, run_pytest):
    write_book(tmp_path)
    no_kernel = ("--nbval-kernel-name", "none")
    run_pytest("--record", "x.json", "-k", "other", *no_kernel)
    found = results(tmp_path / "x.json")
    assert found.pop("other.passes") == ("not run", "its notebook could not start")
    assert set(found.values()) == {("not run", "not selected in this run")}


def test_a_run_that_is_not_finished_leaves_the_record(tmp_path, run_pytest):
    write_book(tmp_path)
    (tmp_path / "x.json").write_text("the old record", encoding="utf-8")
    code, output = run_pytest("-x", "--record", "x.json", "--nbval-kernel-name", "none")
    assert code != 0 and "no record is written: the run was not finished" in output
    assert (tmp_path / "x.json").read_text(encoding="utf-8") == "the old record"


@pytest.mark.parametrize(
    "options, reason",
    [
        (["--runner", "../x"], "--runner: a name of"),
        (["--record", "book/tiny.ipynb/x"], "ERROR: --record book/tiny.ipynb/x: "),
    ],
)
def test_what_cannot_be_recorded(tmp_path, run_pytest, options, reason):
    write_book(tmp_path)
    code, output = run_pytest(*options, "-k", "nothing")
    assert code != 0 and reason in output


def test_a_proof_without_a_stored_output_does_not_pass(tmp_path, run_pytest):
    (tmp_path / "fake_cuda.py").write_text(
        "from verify import nbval_plugin, recorder\n"
        "nbval_plugin.has_cuda = lambda: True\nrecorder.gpu_name = lambda: 'A GPU'\n"
    )
    cell = code("c", None, "# proof: gpu.waits\nassert True", tags=["gpu"])
    save(tmp_path / "book" / "gpu.ipynb", markdown("m", "> **Claim `gpu.waits`** · Yes."), cell)
    run_pytest("-p", "fake_cuda", "--record", "./")
    (path,) = tmp_path.glob("cuda-torch-*.json")
    assert load(path)["device"] == "A GPU"
    assert results(path) == {"gpu.waits": ("not run", recorder.NO_RECORD)}


def test_a_notebook_edited_during_the_run(tmp_path):
    write_book(tmp_path)
    recording = recorder.Recorder(tmp_path, "x.json", None, cuda=False)
    recording.pytest_sessionstart()
    before = (tmp_path / "book" / "other.ipynb").read_text(encoding="utf-8")
    (tmp_path / "book" / "other.ipynb").write_text(
        before.replace("It holds", "It does not hold"), encoding="utf-8"
    )
    claim = recording.record()["claims"]["other.passes"]
    assert (claim["result"], claim["why"]) == ("not run", "its notebook was edited during the run")


def test_the_commit(tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        command = ["git", *who, "-c", "commit.gpgsign=false", "-C", str(tmp_path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    (tmp_path / "file").write_text("1")
    assert recorder.commit(tmp_path) is None  # nothing is committed yet
    git("add", ".")
    git("commit", "-q", "-m", "One")
    head = git("rev-parse", "HEAD")
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "cpu.json").write_text("{}")
    assert recorder.commit(tmp_path) == head
    (tmp_path / "file").write_text("2")
    assert recorder.commit(tmp_path) == head + "+dirty"


# --- Files ----------------------------------------------------------------------------------------


def test_a_record_is_read_as_it_was_written(tmp_path, record):
    path = tmp_path / "evidence" / "cpu.json"
    evidence.write(path, record)
    assert load(path) == record
    assert path.stat().st_mode & 0o777 == 0o644


def test_an_interrupted_write_leaves_the_old_record(tmp_path, record, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    path = tmp_path / "cpu.json"
    evidence.write(path, record)
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        evidence.write(path, record | {"runner": "new"})
    assert load(path) == record and list(tmp_path.iterdir()) == [path]


def set_claim(**changes):
    return lambda record: record["claims"]["clone.memory"].update(changes)


@pytest.mark.parametrize(
    "damage, reason",
    [
        (lambda record: record.pop("torch"), "'torch' is a required property"),
        (lambda record: record.update(schema=2), "schema: 1 was expected"),
        (lambda record: record.update(date="yesterday"), "date: 'yesterday' does not match"),
        (lambda record: record.update(runner="../../x"), "runner: "),
        (lambda record: record.update(claims=[]), "claims: [] is not of type 'object'"),
        (lambda record: record["claims"].update(clone={}), "claims: 'clone' does not match"),
        (set_claim(result="perhaps", why="x"), "'perhaps' is not one of"),
        (set_claim(result="failed"), "'why' is a required property"),
        (set_claim(why="for fun"), "claims.clone.memory: "),
        (set_claim(digest="none"), "claims.clone.memory.digest: 'none' does not match"),
    ],
)
def test_a_record_that_is_none(tmp_path, record, damage, reason):
    damage(record)
    path = tmp_path / "cpu.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(BadRecord) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path} is no record of this book's evidence: ")
    assert reason in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "is damaged, it is no JSON"),
        (b'{"schema": 1, "run', "is damaged, it is no JSON"),
        (b"\xff\xfe", "is damaged, it is no JSON"),
        (b"[]", "is not of type 'object'"),
        (b'{"cells": [], "nbformat": 4}', "'schema' is a required property"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_is_no_record(tmp_path, content, reason):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadRecord, match=reason) as refused:
        load(path)
    assert str(path) in str(refused.value)


def test_the_mutants(tmp_path):
    assert evidence.load_mutants(tmp_path) is None
    (tmp_path / "mutants.json").write_text('{"clone.memory": {"clone shares": [0, 2]}}')
    assert evidence.load_mutants(tmp_path) == {"clone.memory": {"clone shares": [0, 2]}}
    assert evidence.load_all(tmp_path) == []
    (tmp_path / "mutants.json").write_text('{"clone.memory": ["clone shares"]}')
    with pytest.raises(BadRecord, match=r"mutants\.json is no record.*is not of type 'object'"):
        evidence.load_mutants(tmp_path)


# --- What a record says today ---------------------------------------------------------------------


def test_a_reader_with_another_release_is_told(monkeypatch, capsys):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.0+cpu")
    runpy.run_path(VERIFIED)
    assert capsys.readouterr().out.startswith(nbval_plugin.UNVERIFIED)
    known = runpy.run_path(VERIFIED)["VERIFIED"][0]
    capsys.readouterr()
    monkeypatch.setattr("importlib.metadata.version", lambda name: known)
    runpy.run_path(VERIFIED)
    assert capsys.readouterr().out == ""


def test_a_proof_does_not_need_what_only_uses_the_device():
    cells = [
        code("verified", 1, "# snippet: verified\nx = 1"),
        code("setup", 2, "device = 'cpu'"),
        code("other", 3, "print(device)"),
        code("own", 4, "t = [device]"),
        code("proof", 5, "print(t, device)"),
    ]
    cells = [Cell(cell, number) for number, cell in enumerate(cells, 1)]
    assert [cell.id for cell in needs(cells, 4)] == ["setup", "own"]


def test_a_claim_that_has_changed_is_stale(record):
    def of(name, digest="0" * 16):
        return status(record, SimpleNamespace(id=name, digest=digest))

    assert of("clone.memory") == ("passed", None)
    assert of("clone.memory", "1" * 16)[0] == "stale"
    assert of("clone.dtype") == ("failed", "AssertionError")
    assert of("clone.dtype", "1" * 16) == (
        "stale",
        "the claim or its proof has changed since it failed",
    )
    assert of("clone.cuda", "1" * 16) == ("not run", "needs CUDA")
    assert of("clone.new") == ("not run", "the claim is newer than this run")


def test_the_line_beside_a_claim(record, monkeypatch):
    from book._ext.ledger import Ledger

    proof = SimpleNamespace(metadata={})
    ledger, claim = Ledger(), SimpleNamespace(id="clone.memory", digest="0" * 16, proof=proof)

    def line(*records):
        ledger.records = list(records)
        return [text for _, text in ledger.summary(claim)]

    gpu = record | {"kind": "cuda", "device": "A GPU", "runner": "cuda", "date": "2026-11-22"}
    changed = {"clone.memory": {"result": "passed", "digest": "1" * 16}}
    waits = {"clone.memory": record["claims"]["clone.cuda"]}
    assert line() == ["not run yet"]
    assert line(record | {"torch": "2.15.0"}, record, gpu) == [
        "passed: CPU, torch 2.15.0, 2.13.0",
        "passed: CUDA (A GPU), torch 2.13.0",
    ]
    assert line(record | {"claims": waits}) == ["not run yet: it needs CUDA"]
    proof.metadata["recorded"] = {"device": "A GPU", "torch": "2.11.0"}
    assert line(record | {"claims": waits}) == [
        "needs CUDA; its cell was run on A GPU, torch 2.11.0"
    ]
    assert line(record | {"claims": waits}, gpu | {"claims": changed}) == [
        "changed since it ran: CUDA (A GPU), torch 2.13.0",
    ]


# --- Releases -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line, torch, runs",
    [
        ("# since: 2.9", "2.8.0", False),
        ("# since: 2.9", "2.9.0", True),
        ("# since: 2.9", "2.10.1+cpu", True),
        ("# since: 2.9.1", "2.9.0", False),
        ("# until: 2.8", "2.8.1", True),
        ("# until: 2.8", "2.9.0a0+git1", False),
        ("# until: 2.8", "2.10.0", False),
        ("# since: 2.9\n# until: 2.13", "2.13.0", True),
        ("# since: 2.9\n# until: 2.13", "2.15.0", False),
        ("x = 1\n# since: 2.9", "2.8.0", True),  # not at the head of the cell
    ],
)
def test_on_which_releases_a_proof_runs(line, torch, runs, monkeypatch):
    source = f"# proof: clone.memory\n{line}\nx = 1"
    why = heads.excluded(source, torch)
    assert (why is None) == runs
    monkeypatch.setattr("importlib.metadata.version", lambda name: torch)
    assert runpy.run_path(VERIFIED)["why_not_run"](source) == why  # what Colab does with it


def test_without_cuda_a_reader_can_run_all():
    """The snippet `verified` is all that a plain kernel has; it does not see the tags."""
    cells = [VERIFIED.read_text(), "# needs: CUDA\nraise RuntimeError", "print(1)"]
    notebook = new_notebook(cells=[*map(new_code_cell, cells)])
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
    NotebookClient(notebook, kernel_name="python3").execute(env=environment)
    _, skipped, run = ([output.text for output in cell.outputs] for cell in notebook.cells)
    assert [line.partition(" (")[0] for line in skipped] == [nbval_plugin.NEEDS_CUDA]
    assert run == ["1\n"]


@pytest.mark.parametrize("compiler, runs", [("sh", True), ("no-such-compiler", False)])
def test_a_cell_that_needs_a_compiler(tmp_path, run_pytest, monkeypatch, compiler, runs):
    source = "# proof: clone.compiled\n# needs: a C++ compiler\nprint(1)"
    monkeypatch.setenv("CXX", compiler)
    why = runpy.run_path(VERIFIED)["why_not_run"](source)  # what Colab does with it
    assert (why is None) == runs
    save(tmp_path / "book" / "compiled.ipynb", code("c", 1, source, stream("1\n")))
    status, output = run_pytest()
    assert status == 0
    assert (nbval_plugin.NEEDS_COMPILER in output) != runs
    assert runs or f"not run: {why}".startswith(nbval_plugin.NEEDS_COMPILER)


def test_with_cuda_a_cell_that_needs_it_stays_as_it_is(monkeypatch):
    torch = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: True))
    monkeypatch.setitem(sys.modules, "torch", torch)
    lines = ["# needs: CUDA\n", "raise RuntimeError\n"]
    assert runpy.run_path(VERIFIED)["skip"](lines) == lines


@pytest.mark.parametrize(
    "sentence, line, problem",
    [
        ("Since 2.9 a copy\n> has its own memory.", "# since: 2.9", None),
        ("A copy has its own memory until\n> PyTorch 2.14.", "# until: 2.14", None),
        ("Since 2.9 a copy has its own memory.", "x = 1", "does not name the same"),
        ("Since 2.9 a copy has its own memory.", "# since: 2.8", "does not name the same"),
        ("Since 2.9 a copy has its own memory.", "#since: 2.9", "does not name the same"),
        ("A copy has its own memory.", "# since: 2.9", "does not name the same"),
        ("A copy has its own memory.", "x = 1\n# since: 2.9", "does nothing here"),
        ("Since 2.9 a copy has its own memory.", "# since: 2.9\n# Until: 3", "does nothing here"),
        ("Until 2.8 a copy has its own memory.", "# until: 2.8", "the pinned torch 2.13.0"),
    ],
)
def test_sentence_and_proof_name_the_same_releases(tmp_path, sentence, line, problem):
    book = TinyBook(tmp_path)
    book.files["requirements.txt"] = "# torch\ntorch==2.13.0\n"
    anchor = '<a id="clone.memory"></a>'
    book["claim"]["source"] = f"> {anchor}**Claim `clone.memory`** · {sentence}"
    book["proof"]["source"] = f"# proof: clone.memory\n{line}\nassert x == 1\nprint(x)"
    found = [found.message for found in book.check()]
    assert bool(found) == bool(problem), found
    assert problem is None or problem in found[0]


@pytest.mark.parametrize(
    "line, problem",
    [
        ("# since: 2.9", None),
        ("# until: 2.8", "the pinned torch 2.13.0"),
        ("x = 1\n# since: 2.9", "does nothing here"),
    ],
)
def test_a_cell_that_is_no_proof_may_name_a_release(tmp_path, line, problem):
    book = TinyBook(tmp_path)
    book.files["requirements.txt"] = "torch==2.13.0\n"
    book["result"]["source"] = f"{line}\n42"
    assert [problem in found.message for found in book.check()] == [True] * bool(problem)


# --- Properties -----------------------------------------------------------------------------------


def report_of(name, **notes):
    """Return what pytest reports of a test."""
    return SimpleNamespace(
        nodeid=name,
        when="call",
        failed=notes.pop("failed", False),
        skipped=False,
        longrepr="",
        user_properties=list(notes.items()),
    )


def test_the_record_says_on_how_much_a_claim_was_tried(tmp_path):
    write_book(tmp_path)
    plugin = recorder.Recorder(tmp_path, f"{tmp_path}/record.json", None, cuda=False)
    plugin.pytest_sessionstart()
    for number in (1, 2, 3):
        plugin.pytest_runtest_logreport(
            report_of(f"book/tiny.ipynb::Cell {number}", cell="compared")
        )
    plugin.pytest_runtest_logreport(
        report_of("test_tiny.py::test_a", claim="tiny.passes", tried=200)
    )
    plugin.pytest_runtest_logreport(
        report_of("test_tiny.py::test_b", claim="tiny.passes", tried=34)
    )
    refuted = report_of("test_tiny.py::test_c", claim="tiny.prints", tried=5, failed=True)
    plugin.pytest_runtest_logreport(refuted)
    plugin.pytest_sessionfinish(SimpleNamespace(shouldstop=False, shouldfail=False), 1)
    claims = load(tmp_path / "record.json")["claims"]
    assert (claims["tiny.passes"]["result"], claims["tiny.passes"]["tried"]) == ("passed", 234)
    assert (claims["tiny.prints"]["result"], claims["tiny.prints"]["tried"]) == ("failed", 5)
    assert claims["tiny.prints"]["why"] == "its property test_tiny.py::test_c fails"
    assert "tried" not in claims["tiny.raises"] and claims["tiny.raises"]["result"] == "passed"


@pytest.mark.parametrize("tried", [0, "200", 1.5])
def test_a_wrong_number_of_examples_is_refused(tmp_path, record, tried):
    record["claims"]["clone.memory"]["tried"] = tried
    (path := tmp_path / "cpu.json").write_text(json.dumps(record))
    with pytest.raises(BadRecord, match="tried"):
        load(path)
