"""The rules of CONTRIBUTING.md that can be checked without running a notebook.

`python tests/gate.py` prints every problem and exits 1 if there is one.
"""

import ast
import base64
import io
import json
import re
import sys
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree

import figures
import nbformat
import releases
import yaml
from cells import HIDDEN, NEEDS_CUDA, VERIFIED, tree_of
from nbformat.validator import iter_validate
from nbval.plugin import comment_markers, metadata_tags
from PIL import Image

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest requires tomli there
    import tomli as tomllib

TAGS = {"gpu", "hide-input", "hide-output", "hide-cell"}
DEVICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"'
CLAIM = re.compile(r"^> \*\*Claim `([^`\n]+)`\*\* · \S.*$", re.M)
CLAIM_LIKE = re.compile(r"^[ \t]*(?:>[>\s]*[*_]*|[*_]{2})[ \t]*claim\b.*$", re.M | re.I)
FENCE = re.compile(r"^([ >]*)(`{3,}|~{3,})([^\n]*)\n.*?(?:^[ >]*\2[`~]*[ \t]*$|\Z)", re.M | re.S)
SPAN = re.compile(r"(\{[\w:.+-]+\})?(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)", re.S)
MYST = {
    ":::": re.compile(r"^[ >]*:{3,}", re.M),
    "(label)=": re.compile(r"^\([\w.: -]+\)=[ \t]*$", re.M),
    "{{ }}": re.compile(r"\{\{.*?\}\}"),
}
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|(?:href|src)=[\"']([^\"']+)|^ *\[[^\]^]+\]: *(\S+)", re.M)
CLAIM_LINK = re.compile(r"\]\([^)\s]*#[a-z_]+\.[a-z0-9_]+\)")
# "copies" may be a noun: it counts where the word before it can be its subject.
DOES = re.compile(
    r"\b(?:shares?|shared|copied|keeps?|kept|drops?|dropped|raises?|raised|warns?|warned|allocates?"
    r"|allocated)\b|(?:CODE\]?|\b(?:it|that|which|and|also|always|never|only|PyTorch))\s+copies\b",
    re.I,
)
NO_ALT = re.compile(r"!\[\s*\]\(|<img(?![^>]*\balt=[\"'][^\"'])[^>]*>")
LOCAL = re.compile(
    r"(?<![\w:/.<])/(?:home|root|tmp|usr|opt|var|content|Users)\b[^\s'\"]*"
    r"|[A-Z]:\\\w[^\s'\"]*|\S*site-packages\S*|\S*ipykernel_\S*|\bat 0x[0-9a-fA-F]+"
)
# Ordinary outputs, in which a change must show: no rule of the sanitizer may touch them.
PROBES = """\
True
False
None
42
-3.5
1e-05
0.125 s
2026-11-21
tensor(1.)
tensor([1., 2., 3.])
tensor([[0.1000, nan], [inf, 4.0000]], dtype=torch.float64)
tensor([1., 2.], requires_grad=True)
tensor([5.], grad_fn=<CloneBackward0>)
tensor(..., device='meta', size=(2, 3))
tensor([1.], device='cuda:1')
tensor([1.], device='cpu')
tensor([1.], device='cuda:1', grad_fn=<ToCopyBackward0>)
<CloneBackward0 object>
torch.float32 torch.int64 torch.strided torch.channels_last
device(type='cuda', index=0)
cuda:0 cpu meta
torch.Size([2, 3])
(3, 1) 16 bytes
version 0 -> version 1
RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
UserWarning: To copy construct from a tensor, use sourceTensor.detach().clone()
{'a': 1, 'b': [2, 3]}
""".splitlines()


class Problem(NamedTuple):
    """What is wrong, where, and what to do about it; `cell` is None for a whole file."""

    path: str
    cell: str | None
    message: str
    remedy: str

    def __str__(self):
        where = f"{self.path}, {self.cell}" if self.cell else self.path
        return f"{where}: {self.message}\n    Remedy: {self.remedy}"


class Cell:
    """A cell; `number` is the one in brackets that Jupyter shows, or will show next."""

    def __init__(self, raw, number):
        self.code = raw["cell_type"] == "code"
        self.id, self.number = raw.get("id"), number
        self.source = text(raw["source"])
        self.metadata = raw["metadata"]
        self.tags = self.metadata.get("tags", [])
        self.gpu = "gpu" in self.tags
        self.count = raw.get("execution_count")
        self.outputs = raw.get("outputs", [])
        self.first_line = self.source.split("\n", 1)[0].rstrip()

    def __str__(self):
        return f"{'' if self.code else 'the text above '}cell [{self.number}] (id {self.id})"

    @cached_property
    def claims(self):
        return CLAIM.findall(unfenced(self.source)) if not self.code else []

    @cached_property
    def tree(self):
        """The syntax tree; None if this is no Python."""
        return tree_of(self.source)

    def bundles(self):
        """Yield the data of each result and display: a dictionary from format to content."""
        for output in self.outputs:
            if "data" in output:
                yield output["data"]


class Notebook:
    """A notebook file that could be read, with its path as seen from the root of the book."""

    def __init__(self, path, root, raw):
        self.file, self.path, self.name = path, path.relative_to(root).as_posix(), path.stem
        self.metadata = raw["metadata"]
        self.cells, number = [], 1
        for cell in raw["cells"]:
            self.cells.append(Cell(cell, number))
            number += cell["cell_type"] == "code"
        self.code = [cell for cell in self.cells if cell.code]
        self.text = [cell for cell in self.cells if not cell.code]

    def problem(self, cell, message, remedy):
        return Problem(self.path, cell and str(cell), message, remedy)

    @property
    def run(self):
        return f"make run CHAPTER={self.name}"


class Book:
    """All notebooks of a book, and its problems with reading them."""

    def __init__(self, root):
        self.root, self.notebooks, self.unreadable = Path(root).resolve(), [], []
        for path in sorted(self.root.glob("book/**/*.ipynb")):
            if ".ipynb_checkpoints" in path.parts:
                continue
            if reason := self.read(path):
                self.unreadable.append(
                    Problem(
                        path.relative_to(self.root).as_posix(),
                        None,
                        f"the notebook cannot be read: {reason}",
                        "repair the file, or take it back from git: git restore FILE",
                    )
                )

    def read(self, path):
        """Add the notebook; return the reason if it cannot be read."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            if (raw["nbformat"], raw["nbformat_minor"]) < (4, 5):
                return "it is not in notebook format 4.5, the first with cell ids"
            if error := next(iter_validate(nbformat.from_dict(raw)), None):
                return f"no valid notebook format: {error.message.splitlines()[0][:200]}"
        except json.JSONDecodeError as error:
            return f"no valid JSON: {error}"
        except (KeyError, TypeError):
            return "no valid notebook format: it names no version"
        except (OSError, ValueError) as error:
            return str(error)
        ids = [cell["id"] for cell in raw["cells"]]
        if twice := {id for id in ids if ids.count(id) > 1}:
            return f"the cell ids {sorted(twice)} occur twice"
        self.notebooks.append(Notebook(path, self.root, raw))
        return None

    @cached_property
    def claims(self):
        """Every claim: its id, and the notebooks and cells where it stands."""
        found = {}
        for notebook in self.notebooks:
            for cell in notebook.text:
                for claim in cell.claims:
                    found.setdefault(claim, []).append((notebook, cell))
        return found

    @cached_property
    def torch(self):
        """The release of torch that requirements.txt pins, and that made the stored outputs."""
        file = self.root / "requirements.txt"
        pins = file.read_text(encoding="utf-8") if file.is_file() else ""
        pinned = re.search(r"^torch==(\S+)", pins, re.M)
        return pinned[1] if pinned else None


def text(value):
    """Join what a notebook may store as a list of lines."""
    return "".join(value) if isinstance(value, list) else str(value)


def unfenced(markdown):
    """Put a word in the place of fenced code."""
    return FENCE.sub("code\n", markdown)


def prose(markdown):
    """Blank fenced code, code spans and math: what is left is read as Markdown."""
    without_code = SPAN.sub("code", unfenced(markdown))
    return re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "math", without_code, flags=re.S)


# Checks of one notebook


def check_some_code(notebook, book):
    if not any(cell.source.strip() for cell in notebook.code):
        yield notebook.problem(
            None, "a notebook with no code proves nothing", "add code, or make it a .md page"
        )


def check_run(notebook, book):
    """Rules 9 and 10: every cell was run, in order; a `gpu` cell may wait for its record."""
    for number, cell in enumerate(notebook.code, 1):
        if not cell.source.strip():
            yield notebook.problem(cell, "an empty code cell", "delete it")
        elif cell.count is None and not (cell.gpu and "recorded" not in cell.metadata):
            yield notebook.problem(cell, "this cell was never run", notebook.run)
        elif cell.count not in (None, number):
            message = f"execution count {cell.count}, where {number} is due (1…n in order)"
            yield notebook.problem(cell, message, notebook.run)
        elif any(o.get("execution_count", cell.count) != cell.count for o in cell.outputs):
            message = "a result with another execution count than its cell"
            yield notebook.problem(cell, message, notebook.run)


def check_recorded(notebook, book):
    """Rule 9: the record of a `gpu` cell names its machine, and other cells have none."""
    for cell in notebook.cells:
        recorded = cell.metadata.get("recorded")
        if recorded is not None and not cell.gpu:
            message, remedy = "`recorded` on a cell that is not `gpu`", "remove it, or tag the cell"
        elif recorded is not None and not (
            isinstance(recorded, dict)
            and recorded.keys() == {"device", "torch"}
            and all(isinstance(value, str) and value.strip() for value in recorded.values())
        ):
            message = "`recorded` does not name the device and the torch version"
            remedy = 'write it as {"device": "NVIDIA H200", "torch": "2.11.0"}'
        elif cell.gpu and recorded is None and (cell.outputs or cell.count is not None):
            message = "a gpu cell with an output or a count, and no `recorded` that names a machine"
            remedy = f"record it on a machine with CUDA: make run-gpu CHAPTER={notebook.name}"
        else:
            continue
        yield notebook.problem(cell, message, remedy)


def check_needs(notebook, book):
    """Rule 9: a `gpu` cell says so in its source too, which is all that a kernel sees of it."""
    place = f"`{NEEDS_CUDA}` as the first line, or right under `# proof:`"
    for cell in notebook.code:
        head = cell.source.split("\n", 2)[cell.first_line.startswith("# proof:") :]
        found = re.findall(r"^[ \t]*#+[ \t]*needs[ \t]*:.*", cell.source, re.M | re.I)
        if cell.gpu and head[:1] != [NEEDS_CUDA]:
            message = "a gpu cell that would fail in Colab without a GPU"
            yield notebook.problem(cell, message, f"write {place}")
        elif len(found) > cell.gpu:
            message = f"`{found[-1].strip()}` does nothing here"
            yield notebook.problem(cell, message, f"tag the cell `gpu` and write {place}")


def check_errors(notebook, book):
    """Rule 6: no cell ends in a traceback, and none is expected to."""
    remedy = "catch the exception and print its message (rule 6)"
    for cell in notebook.code:
        for output in cell.outputs:
            if output["output_type"] == "error":
                yield notebook.problem(cell, f"it ends in {output.get('ename')}", remedy)
        for marker in markers(cell):
            if raises(marker):
                yield notebook.problem(cell, f"`{marker}`: it need not raise to pass", remedy)


def markers(cell):
    """Return the tags and the comments of a cell that nbval may obey, and all other tags."""
    lines = (line.strip() for line in cell.source.splitlines()) if cell.code else ()
    comments = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    return cell.tags + [comment for comment in comments if comment in comment_markers]


def raises(marker):
    return (comment_markers | metadata_tags).get(marker) == "check_exception"


def check_pictures(notebook, book):
    """A picture is one: it can be decoded, has a sane size, and is not blank."""
    for cell in notebook.code:
        for bundle in cell.bundles():
            for kind, content in bundle.items():
                if kind.startswith("image/") and (reason := no_picture(kind, text(content))):
                    message = f"the stored {kind} is no picture: {reason}"
                    yield notebook.problem(cell, message, notebook.run)


def no_picture(kind, content):
    """Return why the content is no picture, or None."""
    if kind == "image/svg+xml":
        try:
            svg = ElementTree.fromstring(content)
        except ElementTree.ParseError as error:
            return f"no XML: {error}"
        if svg.tag.rpartition("}")[2] != "svg":
            return f"its root is <{svg.tag}>, not <svg>"
        return None if len(svg) else "nothing is drawn in it"
    try:
        with Image.open(io.BytesIO(base64.b64decode(content))) as image:
            if f"image/{image.format}".lower() != kind:
                return f"it is {image.format}"
            if not all(16 <= side <= 8000 for side in image.size):
                return f"its size is {image.size}"
            if image.convert("RGB").getcolors(1):
                return "it has a single color"
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        return f"it cannot be decoded: {error}"
    return None


def check_alt_text(notebook, book):
    """Rule 11: who cannot see a picture can read what it shows."""
    for cell in notebook.text:
        if NO_ALT.search(prose(cell.source)):
            yield notebook.problem(cell, "a picture without alt text", "write ![what it shows](…)")
    for cell in notebook.code:
        match cell.metadata.get("mystnb"):
            case {"image": {"alt": str(alt)}} if alt.strip():
                continue
        for bundle in cell.bundles():
            plain = text(bundle.get("text/plain", "")).strip()
            if "image/svg+xml" in bundle and (not plain or plain.startswith("<")):
                remedy = "let the text/plain of the output say what the picture shows (rule 11)"
            elif any(kind in bundle for kind in ("image/png", "image/jpeg")):
                remedy = 'add "mystnb": {"image": {"alt": "…"}} to its metadata (rule 11)'
            else:
                continue
            yield notebook.problem(cell, "a picture without alt text", remedy)


def check_outputs(notebook, book):
    """Rule 6: no warning on stderr, and nothing that only this machine or this run has."""
    for cell in notebook.code:
        for output in cell.outputs:
            if output.get("name") == "stderr":
                first = text(output["text"]).strip().split("\n")[0][:80]
                remedy = "catch the warning and print its text (rule 6)"
                yield notebook.problem(cell, f"an output on stderr: {first}", remedy)
            texts = [text(output.get("text", ""))]
            for kind, content in output.get("data", {}).items():
                if not kind.startswith("image/") or kind == "image/svg+xml":
                    texts.append(text(content))
            if found := LOCAL.search("\n".join(texts)):
                message = f"an output holds a path or an address: {found[0][:80]}"
                yield notebook.problem(cell, message, "print something that is the same everywhere")


def check_device(notebook, book):
    """Rule 3: the first code cell looks at the release, the next says where the tensors live."""
    if not notebook.code:
        return
    first, *others = notebook.code
    if first.first_line != VERIFIED or first.tags != [HIDDEN]:
        message = f"the first code cell is not `{VERIFIED}`, tagged `{HIDDEN}`"
        yield notebook.problem(first, message, notebook.run)
    elif not others or DEVICE not in others[0].source.splitlines():
        message = "the code cell after the first does not define `device`"
        yield notebook.problem(others[0] if others else first, message, f"add this line: {DEVICE}")


def check_metadata(notebook, book):
    """Rule 10: no metadata that an editor left behind."""
    kernel = {"name": "python3", "display_name": "Python 3"}
    allowed = ({"kernelspec": kernel}, {"kernelspec": {**kernel, "language": "python"}})
    if notebook.metadata not in [{**k, "language_info": {"name": "python"}} for k in allowed]:
        message = "its metadata is not just the kernelspec and `language_info.name` of rule 10"
        yield notebook.problem(None, message, notebook.run)
    for cell in notebook.cells:
        if extra := cell.metadata.keys() - {"tags", "recorded", "mystnb"}:
            message = f"cell metadata that nobody needs: {', '.join(sorted(extra))}"
            yield notebook.problem(cell, message, "remove it (rule 10)")


def check_claims(notebook, book):
    """Rule 5: a claim is well formed, stands alone at the end of its cell, and has a proof."""
    form = re.compile(re.escape(notebook.name) + r"\.[a-z0-9_]+")
    for cell in notebook.text:
        source = unfenced(cell.source)
        for line in CLAIM_LIKE.findall(source):
            if not CLAIM.fullmatch(line):
                message = f"it looks like a claim and is none: {line.strip()[:80]}"
                remedy = "write > **Claim `chapter.word`** · sentence"
                yield notebook.problem(cell, message, remedy)
        for claim in cell.claims:
            if not form.fullmatch(claim):
                remedy = f"name it {notebook.name}.word, of a-z, 0-9 and _"
                yield notebook.problem(cell, f"`{claim}` is no claim id of this chapter", remedy)
            if len(places := book.claims[claim]) > 1 and places[0][1] is not cell:
                first = f"{places[0][0].path}, {places[0][1]}"
                yield notebook.problem(
                    cell, f"the claim id `{claim}` is taken by {first}", "choose another word"
                )
        if len(cell.claims) > 1:
            message = f"{len(cell.claims)} claims in one cell"
            yield notebook.problem(cell, message, "give each its own cell, and its proof below it")
        elif cell.claims and not re.fullmatch(
            r"(?:>.*\n?)+\s*", source[CLAIM.search(source).start() :]
        ):
            message = f"the claim `{cell.claims[0]}` is not the last thing in its cell"
            yield notebook.problem(cell, message, "move what follows below the proof")


def check_proofs(notebook, book):
    """Rule 5: the proof is the next cell, says so, and shows something."""
    claimed = {}
    for cell, below in pairwise([*notebook.cells, None]):
        if cell.claims and not (below and below.code):
            message = f"no code cell under the claim `{cell.claims[-1]}`"
            yield notebook.problem(cell, message, "put the proof in the next cell")
        elif cell.claims:
            claimed[below.id] = cell.claims[-1]
    for cell in notebook.code:
        claim = claimed.get(cell.id)
        proof = re.search(r"^[ \t]*#+[ \t]*proof[ \t]*:.*", cell.source, re.M | re.I)
        if claim and cell.first_line != f"# proof: {claim}":
            message = f"the proof of `{claim}` does not say so"
            yield notebook.problem(cell, message, f"make its first line: # proof: {claim}")
        elif proof and not claim:
            message = f"`{proof[0].strip()}` with no claim right above it"
            yield notebook.problem(cell, message, "write the claim, or remove the comment")
        if claim and cell.tree:
            nodes = list(ast.walk(cell.tree))
            asserts = any(isinstance(node, ast.Assert) for node in nodes)
            prints = any(
                isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
                for node in nodes
            )
            if not asserts and not (prints if cell.gpu else cell.outputs):
                message = f"the proof of `{claim}` neither asserts nor shows anything"
                yield notebook.problem(cell, message, "add an assert, or print what the claim says")


def check_releases(notebook, book):
    """Rule 5: sentence and proof name the same releases of torch; the pinned one is among them."""
    for cell, below in pairwise(notebook.cells):
        if not (cell.claims and below.code):
            continue
        sentence = cell.source[CLAIM.search(cell.source).start() :].replace("\n>", " ")
        said, written = releases.of_sentence(sentence), releases.of_cell(below.source)
        if said != written:
            lines = [f"# {word}: {bound}" for word, bound in (said or written).items()]
            message = f"the {'sentence' if said else 'proof'} of `{cell.claims[0]}` names a release"
            message += f", its {'proof' if said else 'sentence'} does not name the same"
            remedy = f"say it in the sentence, and under `# proof:` as {' and '.join(lines)}"
            yield notebook.problem(below, message, remedy)
    for cell in notebook.code:
        found = releases.LOOKS_LIKE.findall(cell.source)
        if len(found) != len(releases.of_cell(cell.source)):
            message = f"`{found[-1].strip()}` does nothing here"
            remedy = "write it so: # since: 2.9, as the first line or right under `# proof:`"
            yield notebook.problem(cell, message, remedy)
        elif book.torch and (bound := releases.excluded(cell.source, book.torch)):
            message = f"it {bound}, so the pinned torch {book.torch} does not run it"
            yield notebook.problem(cell, message, "write it for the pinned release")


def check_asserts(notebook, book):
    """An assert can fail, and its failure gets out of the cell."""
    for cell in notebook.code:
        if cell.tree is None:
            yield notebook.problem(cell, "this is no Python", "correct its syntax")
            continue
        for node in ast.walk(cell.tree):
            message = None
            if isinstance(node, ast.Assert) and always_true(node.test):
                message = f"it cannot fail: {ast.unparse(node)[:80]}"
            elif isinstance(node, ast.Try) and any(map(catches_assertion, node.handlers)):
                inner = (child for part in node.body for child in ast.walk(part))
                if any(isinstance(n, ast.Assert) or raises_assertion(n) for n in inner):
                    message = "its `except` catches the AssertionError too"
            if message:
                yield notebook.problem(cell, message, "assert what would be false if it broke")


def always_true(node):
    """Say whether a condition holds whatever the program does."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts)
    if isinstance(node, ast.BoolOp):
        return (any if isinstance(node.op, ast.Or) else all)(map(always_true, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return isinstance(node.op, ast.Not) and not node.operand.value
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        same = ast.dump(node.left) == ast.dump(node.comparators[0])
        calls = any(isinstance(child, ast.Call) for child in ast.walk(node))
        return same and not calls and isinstance(node.ops[0], (ast.Eq, ast.Is, ast.LtE, ast.GtE))
    return isinstance(node, (ast.JoinedStr, ast.Lambda))


def catches_assertion(handler):
    kinds = getattr(handler.type, "elts", [handler.type])
    names = {"AssertionError", "Exception", "BaseException"}
    return any(kind is None or getattr(kind, "id", "") in names for kind in kinds)


def raises_assertion(node):
    return isinstance(node, ast.Raise) and "AssertionError" in ast.unparse(node)


def check_snippets(notebook, book):
    """Rule 7: a snippet is its file, word for word."""
    for cell in notebook.code:
        found = re.search(r"^[ \t]*#+[ \t]*snippet[ \t]*:.*", cell.source, re.M | re.I)
        if not found:
            continue
        named = re.fullmatch(r"# snippet: ([\w-]+)", cell.first_line)
        file = book.root / "book" / "_snippets" / f"{named[1]}.py" if named else None
        if not named:
            message = f"`{found[0].strip()}` is not `# snippet: NAME` on the first line"
            yield notebook.problem(cell, message, "write it so, or reword the comment")
        elif not file.is_file():
            message = f"there is no snippet book/_snippets/{file.name}"
            yield notebook.problem(cell, message, "correct the name, or write the file")
        elif file.read_text(encoding="utf-8").rstrip("\n") != cell.source.rstrip("\n"):
            message = f"it differs from book/_snippets/{file.name}"
            yield notebook.problem(cell, message, f"edit the file, then {notebook.run}")


def check_plain_markdown(notebook, book):
    """Rule 1: nothing that only MyST understands."""
    for cell in notebook.text:
        fences = [fence[2] + fence[3] for fence in FENCE.finditer(cell.source)]
        found = [fence for fence in fences if fence.lstrip("`~ ").startswith("{")]
        spans = SPAN.finditer(unfenced(cell.source))
        found += [span[0] for span in spans if span[1]]
        found += [name for name, syntax in MYST.items() if syntax.search(prose(cell.source))]
        for syntax in found:
            message = f"`{syntax}` shows raw in Colab and on GitHub"
            yield notebook.problem(cell, message, "use plain Markdown (rule 1)")


def check_prose(notebook, book):
    """Rule 12: what the text says that a method does is proven nearby, or links to its proof."""
    near = {
        place + step
        for place, cell in enumerate(notebook.cells)
        if cell.claims
        for step in range(-2, 3)
    }
    for place, cell in enumerate(notebook.cells):
        if cell.code or place in near:
            continue
        for sentence in re.split(r"(?<=[.!?])\s+|\n(?=[-|#\d])|\n\n", unfenced(cell.source)):
            bare = re.sub(r"\]\([^)]*\)", "]", SPAN.sub("CODE", sentence))
            if bare.startswith("#") or CLAIM_LINK.search(sentence):
                continue
            if "CODE" in bare and DOES.search(bare):
                message = f"a statement far from any claim: {' '.join(sentence.split())[:90]}"
                remedy = "link it to the claim that proves it, or move it to within two cells of it"
                yield notebook.problem(cell, message, remedy)


def check_links(notebook, book):
    """Rule 1: a relative link leads to a file, and one to a claim leads to that claim."""
    for cell in notebook.text:
        for match in LINK.finditer(prose(cell.source)):
            link = next(filter(None, match.groups()))
            if re.match(r"[a-zA-Z][\w+.-]*:|//", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            file = (notebook.file.parent / path).resolve() if path else notebook.file
            places = [place.file for place, _ in book.claims.get(anchor, ())]
            if path.startswith("/") or not file.exists():
                message = f"the link {link} leads nowhere"
                yield notebook.problem(cell, message, "link to a file by relative path")
            elif re.fullmatch(r"[\w-]+\.\w+", anchor) and file not in places:
                message = f"there is no claim `{anchor}` in {path or 'this notebook'}"
                yield notebook.problem(cell, message, "correct the id or the path")


# Checks of the whole book


def check_tags(book):
    """Rule 8: no tag, and no comment to nbval, that nobody approved; no approval for nothing."""
    file = "tests/approved.toml"
    approvals = []
    try:
        approvals = tomllib.loads((book.root / file).read_text(encoding="utf-8"))["approved"]
    except FileNotFoundError:
        pass
    except (KeyError, ValueError) as error:
        yield Problem(file, None, f"it cannot be read: {error}", "write tables [[approved]]")
    keys = ("notebook", "cell", "tag", "reason")
    open_ones = {}
    for entry in approvals:
        if not isinstance(entry, dict) or not all(
            str(entry.get(key) or "").strip() for key in keys
        ):
            message = f"the approval {entry} lacks one of {', '.join(keys)}"
            yield Problem(file, None, message, "complete it")
        else:
            open_ones[tuple(entry[key] for key in keys[:3])] = entry
    used = set()
    for notebook in book.notebooks:
        for cell in notebook.cells:
            for marker in markers(cell):
                key = (notebook.path, cell.id, marker)
                used.add(key)
                if marker == HIDDEN and cell.first_line == VERIFIED:
                    continue
                if marker not in TAGS and key not in open_ones and not raises(marker):
                    remedy = f"remove it, or list it in {file} with a reason (rule 8)"
                    yield notebook.problem(cell, f"`{marker}` is not approved", remedy)
    for key in open_ones.keys() - used:
        message = f"an approval that matches nothing: {', '.join(map(str, key))}"
        yield Problem(file, None, message, "remove it")


def check_toc(book):
    """Every notebook is in the table of contents, and every entry leads to a page."""
    file = "_toc.yml"
    try:
        toc = yaml.safe_load((book.root / file).read_text(encoding="utf-8"))
        entries = list(toc_entries(toc))
    except (OSError, yaml.YAMLError) as error:
        yield Problem(file, None, f"it cannot be read: {error}", "write a Jupyter Book table")
        return
    if not isinstance(toc, dict) or "root" not in toc:
        yield Problem(file, None, "it names no root", "add root: the first page under book/")
    pages = set()
    for entry in entries:
        found = [
            page
            for suffix in ("", ".md", ".ipynb")
            if (page := book.root / "book" / f"{entry}{suffix}").is_file()
        ]
        pages.update(found)
        if not found:
            remedy = "correct the path, or remove the entry"
            yield Problem(file, None, f"the entry {entry} leads to no page under book/", remedy)
    for notebook in book.notebooks:
        if notebook.file not in pages:
            message = f"the notebook is in no table of contents ({file})"
            yield notebook.problem(None, message, f"add it to {file}")


def toc_entries(node):
    """Yield the pages that a table of contents names."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("root", "file"):
                yield value
            else:
                yield from toc_entries(value)
    elif isinstance(node, list):
        for value in node:
            yield from toc_entries(value)


def check_figure_files(book):
    """Rule 13: each file of figures belongs to a notebook."""
    files = {figures.file_of(notebook.file) for notebook in book.notebooks}
    for file in sorted(book.root.glob("book/*/figures/*")):
        if file not in files:
            path = file.relative_to(book.root).as_posix()
            yield Problem(path, None, "it belongs to no notebook", "delete it")


def check_sanitizer(book):
    """Each rule is one that nbval reads, says why it is there, and hides nothing else."""
    file = "tests/sanitize.cfg"
    path = book.root / file
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    lines.append("")
    for number, line in enumerate(lines):
        where = f"line {number + 1}"
        if not re.match(r"\s*regex\s*:", line):
            if re.match(r"\s*replace\s*:", line) and not lines[number - 1].startswith("regex: "):
                message = "nbval drops this `replace:`, which is not right under a `regex:`"
                yield Problem(file, where, message, "remove it, or write its regex above it")
            continue
        # What nbval reads: '^regex: (.*)$\n^replace: (.*)$'. It drops all else in silence, such
        # as a `replace:` whose last space an editor has removed.
        if not (line.startswith("regex: ") and lines[number + 1].startswith("replace: ")):
            message = "nbval drops this rule: it is not `regex: …` with `replace: …` right below"
            yield Problem(file, where, message, "write both lines so, or remove the rule")
            continue
        comments = []
        for above in reversed(lines[:number]):
            if not above.startswith("#"):
                break
            comments.append(above.lstrip("# "))
        examples = [c[9:].partition(" -> ") for c in comments if c.startswith("example: ")]
        regex, replace = line[len("regex: ") :], lines[number + 1][len("replace: ") :]
        if not [c for c in comments if c.strip() and not c.startswith("example:")]:
            yield Problem(file, where, "a rule without a reason", "write it in a comment above")
        if not examples:
            remedy = "add the comment: # example: BEFORE -> AFTER"
            yield Problem(file, where, "a rule without an example", remedy)
        try:
            for before, _, after in examples:
                if before == after or re.sub(regex, replace, before) != after:
                    message = f"the rule does not make {after!r} of its example {before!r}"
                    yield Problem(file, where, message, "correct the rule or the example")
            hidden = [probe for probe in PROBES if re.sub(regex, replace, probe) != probe]
        except re.error as error:
            message = f"the rule is no regular expression: {error}"
            yield Problem(file, where, message, "correct it")
            continue
        if hidden:
            message = f"the rule is so broad that it changes {hidden[0]!r}"
            yield Problem(file, where, message, "make it match only what its reason names")


def check_figures(notebook, book):
    """Rule 13: what a cell measures is recorded, with its machine, and nothing else is."""
    file = figures.file_of(notebook.file)
    path = file.relative_to(book.root).as_posix()
    measure = f"make benchmarks CHAPTER={notebook.name}"
    named, recorded = {}, {}
    for cell in notebook.code:
        try:
            for name in figures.names_in(cell.tree):
                if name in named:
                    message = f"the figure {name!r} is measured twice"
                    yield notebook.problem(cell, message, "give each its own name")
                named[name] = cell
        except figures.FiguresError as error:
            yield notebook.problem(cell, str(error), "write the name of the figure out")
    try:
        recorded = figures.read(file)
    except figures.FiguresError as error:
        yield Problem(path, None, str(error), f"measure it anew: {measure}")
        return
    for name, cell in named.items():
        device = cell.metadata.get("recorded", {}).get("device")
        if cell.gpu and (name in recorded) != bool(device):
            message = f"the figure {name!r} and the cell are not recorded together"
            yield notebook.problem(cell, message, f"make benchmarks-gpu CHAPTER={notebook.name}")
        elif not cell.gpu and name not in recorded:
            yield notebook.problem(cell, f"the figure {name!r} is not recorded", measure)
        elif cell.gpu and device and recorded[name]["machine"]["device"] != device:
            message = f"the figure {name!r} was measured on another device than the cell"
            yield notebook.problem(cell, message, f"make benchmarks-gpu CHAPTER={notebook.name}")
    for name in recorded.keys() - named.keys():
        message = f"no cell of {notebook.path} measures the figure {name!r}"
        yield Problem(path, None, message, f"{measure}; without figures, delete the file")


NOTEBOOK_CHECKS = (
    check_some_code,
    check_run,
    check_recorded,
    check_needs,
    check_errors,
    check_pictures,
    check_alt_text,
    check_outputs,
    check_device,
    check_metadata,
    check_claims,
    check_proofs,
    check_releases,
    check_asserts,
    check_snippets,
    check_plain_markdown,
    check_prose,
    check_links,
    check_figures,
)
BOOK_CHECKS = (check_tags, check_toc, check_sanitizer, check_figure_files)


def check(root):
    """Return every problem of the book under this root, which holds `_toc.yml` and `book/`."""
    book = Book(root)
    problems = list(book.unreadable)
    for notebook in book.notebooks:
        for check_one in NOTEBOOK_CHECKS:
            problems += check_one(notebook, book)
    for check_all in BOOK_CHECKS:
        problems += check_all(book)
    return problems


if __name__ == "__main__":
    found = check(Path(__file__).resolve().parents[1])
    print(*found, sep="\n")
    sys.exit(f"{len(found)} problems" if found else 0)
