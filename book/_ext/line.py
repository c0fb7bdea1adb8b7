"""The directive `{line}`: *What does my line do?*, answered in the reader's browser.

The machine comes from evidence/chains/ (verify/chains/, `make chains`); at the end of a build it is
put beside `line.js`, compressed. Both are loaded by this page alone.
"""

import base64
import json
import re
import zlib
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from book._ext import data
from verify.book import pinned_torch
from verify.chains.values import ALIASES, DTYPES, SLICES, SOURCES
from verify.claims import claims_of
from verify.markdown import ANCHOR
from verify.records import file_of

PAGE = "reference/line"
DATA = "chains-data.js"
ERRORS = "book/reference/errors.ipynb"
STARTS = ("RuntimeError: ", "TypeError: ", "ValueError: ", "BufferError: ")


# The claims behind an answer: by step, and by what the step does or meets. `tensor` and `array` say
# what stands before the step, `grad` that it requires grad, `quiet` that it does so inside no_grad,
# `plain` that it does not, `part` that it shows a part of its storage; `itself`, `shared`, `copy`
# say what the step gives, `said` that it warns. Without a word: each tensor. line.js reads them.
VIEW = {"": "views.basic", "grad": "views.graph", "quiet": "no_grad.view"}
CONVERSION = {
    "itself": "to_cpu.same_object", "copy": "to_cpu.dtype", "copy grad": "to_cpu.gradient",
    "copy quiet": "to_cpu.no_grad",
}  # fmt: skip
RESHAPE = {"": "views.reshape", "shared grad": "views.graph"}
BEHIND: dict[str, dict[str, str]] = {
    "v.clone()": {
        "": "clone.memory", "grad": "clone.gradient", "quiet": "clone.no_grad",
        "part": "clone.size",
    },
    "v.detach()": {"": "detach.memory", "grad": "detach.graph", "quiet": "detach.graph"},
    "v.data": {"": "data.memory", "grad": "data.graph", "shared": "data.version"},
    "v.cpu()": {"itself": "to_cpu.same_object"},
    "v.to('cpu', copy=True)": {"": "to_cpu.copy", "quiet": "to_cpu.no_grad"},
    "v.float()": CONVERSION,
    "v.double()": CONVERSION,
    "v.half()": CONVERSION,
    "v.bfloat16()": CONVERSION,
    "v.long()": {
        "itself": "to_cpu.same_object", "copy": "to_cpu.dtype", "copy grad": "to_cpu.integer",
    },
    "v.numpy()": {"": "numpy.memory", "quiet": "no_grad.numpy"},
    "v.numpy(force=True)": {"grad": "numpy.force", "quiet": "numpy.force"},
    "np.array(v)": {"plain": "numpy.array"},
    "np.asarray(v)": {"plain": "numpy.array"},
    "torch.from_numpy(v)": {"array shared": "numpy.from_numpy"},
    "torch.as_tensor(v)": {
        "itself": "as_tensor_asarray.same_object", "array shared": "as_tensor_asarray.array",
    },
    "torch.asarray(v)": {
        "itself": "as_tensor_asarray.same_object", "array shared": "as_tensor_asarray.array",
    },
    "torch.tensor(v)": {
        "": "torch_tensor.memory", "grad": "torch_tensor.leaf", "quiet": "torch_tensor.leaf",
        "array": "as_tensor_asarray.array", "said": "torch_tensor.warning",
    },
    "v.new_tensor(v)": {
        "": "new_tensor.memory", "grad": "new_tensor.leaf", "quiet": "new_tensor.leaf",
        "said": "new_tensor.warning",
    },
    "torch.from_dlpack(v)": {
        "": "dlpack.tensor", "shared": "dlpack.version", "array": "dlpack.memory",
    },
    "copy.deepcopy(v)": {
        "": "deepcopy_pickle.memory", "grad": "deepcopy_pickle.leaf",
        "quiet": "deepcopy_pickle.leaf", "part": "deepcopy_pickle.storage",
    },
    "copy.copy(v)": {"": "deepcopy_pickle.memory", "shared": "deepcopy_pickle.counter",
                       "nonleaf": "deepcopy_pickle.non_leaf"},
    "v.contiguous()": {"itself": "views.same_object", "copy": "memory_format.contiguous"},
    "v.clone(memory_format=torch.contiguous_format)": {"": "memory_format.contiguous"},
    "v.contiguous(memory_format=torch.channels_last)": {"images": "memory_format.channels_last"},
    "v.to(memory_format=torch.channels_last)": {"images": "memory_format.channels_last"},
    "v.view(-1)": {"": "views.view", "grad": "views.graph"},
    "v.reshape(-1)": RESHAPE,
    "v.flatten()": RESHAPE | {"itself": "views.same_object"},
    "v[0]": VIEW,
    **dict.fromkeys(SLICES, VIEW),
    "v[[0, 1]]": {"": "views.advanced"},
    "v.t()": {"grad": "views.graph"},
    "v.expand(2, -1, -1)": {"": "views.expand", "grad": "views.graph"},
    "v.detach_()": {"nonleaf": "detach.inplace"},
    "nn.Parameter(v)": {"": "views.kept"},
    "v * 2": {"grad": "leaf_tensors.result", "quiet": "no_grad.records_nothing"},
    "v.tolist()": {"": "logging_values.item"},
    "v.item()": {"": "logging_values.item"},
}  # fmt: skip


def record(root: Path, release: str = "") -> dict:
    """Return the machine of a release, by default that of the pinned one."""
    file = file_of(root / "evidence" / "chains", release or pinned_torch(root))
    if not file.is_file():
        raise ExtensionError(f"{file} is not there: run make chains")
    return json.loads(file.read_text(encoding="utf-8"))


def others(root: Path) -> list[dict]:
    """Return what other releases do otherwise, the oldest first."""
    pinned = pinned_torch(root)
    names = (f.stem.removeprefix("torch-") for f in (root / "evidence" / "chains").glob("*.json"))
    releases = sorted(names, key=lambda name: [int(part) for part in name.split(".")])
    return [record(root, release) for release in releases if release != pinned]


def links(machine: dict, root: Path) -> dict[str, str]:
    """Return for each message the address of its entry in *Errors and warnings*, if it has one."""
    notebook = json.loads((root / ERRORS).read_text(encoding="utf-8"))
    texts = ("".join(cell["source"]) for cell in notebook["cells"])
    headings = [h for text in texts for h in re.findall(rf"^### {ANCHOR}(.+)$", text, re.M)]
    found = {}
    for message in machine["texts"]:
        for heading in headings:
            words = heading.replace("\\", "")
            start = re.sub(r"\d+", "0", words.split("…")[0].strip())
            if message.startswith(STARTS) and start in re.sub(r"\d+", "0", message):
                found[message] = f"reference/errors.html#{nodes.make_id(words)}"
    return found


def addresses(root: Path) -> dict[str, str]:
    """Return where the claims behind the answers stand."""
    wanted = {claim for behind in BEHIND.values() for claim in behind.values()}
    found = {
        claim.id: f"{claim.notebook.path[len('book/') : -len('.ipynb')]}.html#{claim.id}"
        for claim in claims_of(root)
        if claim.id in wanted
    }
    if lost := wanted - found.keys():
        raise ExtensionError(f"line.py names claims that are not there: {', '.join(sorted(lost))}")
    return found


def machine_of(root: Path) -> dict:
    """Return the machine as the page and programs get it; without the chains that show it."""
    made, releases = record(root), others(root)
    runs = [{key: one[key] for key in ("torch", "python", "date")} for one in (made, *releases)]
    kept = {key: made[key] for key in made if key not in ("shown", "python", "date")}
    return kept | {
        "runs": runs,
        "graph_fields": GRAPHS,
        "aliases": ALIASES,
        "slices": SLICES,
        "links": links(made, root),
        "behind": {step: found for step, found in BEHIND.items() if step in made["steps"]},
        "claims": addresses(root),
        "releases": {one["torch"]: one["differences"] for one in releases},
    }


# What the parts of an entry of "graphs" say, by its first.
TENSOR = ["kind", "shares memory with x", "is x itself", "is a leaf", "requires grad", "is a view"]
TENSOR += ["gradients reach x", "a write moves the version counter of x"]
GRAPHS = {
    "tensor": TENSOR,
    "parameter": TENSOR,
    "array": ["kind", "shares memory with x", "is x itself", "can be written to"],
    "list": ["kind", "shares memory with x", "is x itself"],
    "number": ["kind", "shares memory with x", "is x itself"],
}


def published(app: Sphinx) -> data.Made:
    """Return the machine as data."""
    return {"page": app.builder.get_target_uri(PAGE), **machine_of(Path(app.srcdir).parent)}


def example(made: data.Made, wanted: str) -> object:
    """Return how a step is looked up: the start, its state, and what the step leads to."""
    kind, dtype, step = wanted.split(" ", 2)
    number = made["start"][f"{kind} {dtype}"]
    sets = [made["layout_sets"][layouts] for *_, layouts in made["groups"]]
    firsts = list(accumulate(map(len, sets), initial=0))
    group = bisect_right(firsts, number) - 1
    (graph, of, layouts), members = made["groups"][group], sets[group]
    place = number - firsts[group]
    columns = [made["columns"][n] for n in made["steps"][step][group]]
    outcome, layout = (c if isinstance(c, int) else c[place] for c in columns)
    found = made["outcomes"][outcome - 1]
    return {
        "start": {f"{kind} {dtype}": number},
        f"groups[{group}]": [graph, of, layouts],
        f"graphs[{graph}]": made["graphs"][graph],
        f"dtypes[{of}]": made["dtypes"][of],
        f"layouts[{members[place]}]": made["layouts"][members[place]],
        f"steps[{step!r}][{group}]": made["steps"][step][group],
        "the columns, at this state": [outcome, layout],
        f"outcomes[{outcome - 1}]": found,
        f"graphs[{found[0]}]": made["graphs"][found[0]],
        f"texts[{found[3]}]": made["texts"][found[3]],
    }


def packed(root: Path) -> bytes:
    """Return the machine as the page gets it, compressed."""
    text = json.dumps(machine_of(root), ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 9)


class LineDirective(SphinxDirective):
    """`{line}`: the form, and the place of the answer."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir).parent
        machine = record(root)
        for file in sorted((root / "evidence" / "chains").glob("*.json")):
            self.env.note_dependency(str(file))
        top = "../" * self.env.docname.count("/")
        return [nodes.raw("", form(machine, others(root), top), format="html")]


def form(machine: dict, releases: list[dict], top: str) -> str:
    """Return the HTML of the page's tool."""
    sources = "".join(f"<option value='{key}'>{text}</option>" for key, text in SOURCES.items())
    dtypes = "".join(f"<option>{name}</option>" for name in DTYPES)
    buttons = "".join(
        f"<button type='button' data-step=\"{step}\">{label(step)}</button>"
        for step in machine["steps"]
    )
    states = states_of(machine)
    compared = "".join(f" {compared_with(one)}" for one in releases)
    return f"""
<link rel="stylesheet" href="{top}_static/lookup/line.css">
<script src="{top}_static/lookup/{DATA}" defer></script>
<script src="{top}_static/lookup/line.js" defer></script>
<noscript><p>The answer is worked out by a script in your browser; scripts are switched off.</p>
</noscript>
<form class="line-tool scripted">
<label for="line-code">Your line, about one tensor or array <code>x</code>; its shape is 2×3 if
nothing else is said</label>
<input id="line-code" value="x.clone().detach().cpu().numpy()" autocomplete="off"
 autocapitalize="off" spellcheck="false" aria-describedby="line-problem">
<p id="line-problem" role="status"></p>
<div class="line-choices">
<label>x is <select name="source">{sources}</select></label>
<label>of dtype <select name="dtype">{dtypes}</select></label>
<label>on <select name="device"><option value="cpu">the CPU</option>
<option value="cuda">a GPU (not run)</option></select></label>
<label><input type="checkbox" name="quiet"> inside <code>with torch.no_grad():</code></label>
</div>
<details><summary>Build it from buttons</summary><div class="line-buttons">{buttons}
<button type="button" data-undo>remove the last step</button></div></details>
</form>
<div class="line-answer scripted" aria-live="polite" aria-busy="true"></div>
<p class="line-release">Learned by running torch {machine["torch"]}, {machine["date"]}:
{states:,} states.{compared}
<a href="{top}{data.PAGE}.html#chains">The same as data for programs</a></p>"""


def states_of(machine: dict) -> int:
    """Return how many states a machine has."""
    return sum(len(machine["layout_sets"][layouts]) for *_, layouts in machine["groups"])


def compared_with(release: dict) -> str:
    """Say how many steps were compared with another release, and how many differ there."""
    differ, compared = len(release["differences"]["steps"]), f"{release['compared']:,}"
    if not differ:
        return f"Compared with torch {release['torch']}: all {compared} steps do the same."
    return (
        f"Compared with torch {release['torch']}: {differ:,} of {compared} steps do something else "
        "there, and an answer that meets one of them says so."
    )


def label(step: str) -> str:
    """Return a step as a button names it."""
    return step.replace("v.", ".").replace("(v)", "(…)").replace("v[", "[").replace("v *", "*")


def write(app: Sphinx, exception: Exception | None) -> None:
    """Put the machine beside the script."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.srcdir).parent
    text = base64.b64encode(packed(root)).decode()
    file = Path(app.outdir, "_static", "lookup", DATA)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'window.CHAINS = "{text}";\n', encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive; called by Sphinx."""
    app.add_directive("line", LineDirective)
    data.offer("chains", published, example, lambda made: f"{states_of(made):,} states")
    app.connect("build-finished", write, priority=960)  # after the assets are put together
    return {"parallel_read_safe": True, "parallel_write_safe": True}
