"""The directive `{line}`: *What does my line do?*, answered in the reader's browser.

The machine comes from evidence/chains/ (verify/chains/, `make chains`); at the end of a build it is
put beside `line.js`, compressed. Both are loaded by this page alone.
"""

import base64
import json
import re
import zlib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from verify.book import pinned_torch
from verify.chains.values import ALIASES, DTYPES, SOURCES

DATA = "chains-data.js"
ERRORS = "book/reference/errors.ipynb"
STARTS = ("RuntimeError: ", "TypeError: ", "ValueError: ", "BufferError: ")


def record(root: Path) -> dict:
    """Return the machine of the pinned release."""
    file = root / "evidence" / "chains" / f"torch-{pinned_torch(root)}.json"
    if not file.is_file():
        raise ExtensionError(f"{file} is not there: run make chains")
    return json.loads(file.read_text(encoding="utf-8"))


def links(machine: dict, root: Path) -> dict[str, str]:
    """Return for each message the address of its entry in *Errors and warnings*, if it has one."""
    notebook = json.loads((root / ERRORS).read_text(encoding="utf-8"))
    texts = ("".join(cell["source"]) for cell in notebook["cells"])
    headings = [h for text in texts for h in re.findall(r"^### (.+)$", text, re.M)]
    found = {}
    for message in machine["texts"]:
        for heading in headings:
            words = heading.replace("\\", "")
            start = re.sub(r"\d+", "0", words.split("…")[0].strip())
            if message.startswith(STARTS) and start in re.sub(r"\d+", "0", message):
                found[message] = f"errors.html#{nodes.make_id(words)}"
    return found


def packed(machine: dict, root: Path) -> bytes:
    """Return the machine as the page gets it, compressed; without the chains that show it."""
    made = {key: value for key, value in machine.items() if key != "shown"}
    made |= {"aliases": ALIASES, "links": links(machine, root)}
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 9)


class LineDirective(SphinxDirective):
    """`{line}`: the form, and the place of the answer."""

    def run(self) -> list[nodes.Node]:
        machine = record(Path(self.env.srcdir).parent)
        top = "../" * self.env.docname.count("/")
        return [nodes.raw("", form(machine, top), format="html")]


def form(machine: dict, top: str) -> str:
    """Return the HTML of the page's tool."""
    sources = "".join(f"<option value='{key}'>{text}</option>" for key, text in SOURCES.items())
    dtypes = "".join(f"<option>{name}</option>" for name in DTYPES)
    buttons = "".join(
        f"<button type='button' data-step=\"{step}\">{label(step)}</button>"
        for step in machine["steps"]
    )
    return f"""
<link rel="stylesheet" href="{top}_static/lookup/line.css">
<script src="{top}_static/lookup/{DATA}" defer></script>
<script src="{top}_static/lookup/line.js" defer></script>
<noscript><p>The answer is worked out by a script in your browser; scripts are switched off.</p>
</noscript>
<form class="line-tool" hidden>
<label for="line-code">Your line, about one tensor or array <code>x</code> of shape 2×3</label>
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
<div class="line-answer" aria-live="polite"></div>
<p class="line-release">Learned by running torch {machine["torch"]}, {machine["date"]}:
{len(machine["states"])} states.</p>"""


def label(step: str) -> str:
    """Return a step as a button names it."""
    return step.replace("v.", ".").replace("(v)", "(…)").replace("v[", "[").replace("v *", "*")


def write(app: Sphinx, exception: Exception | None) -> None:
    """Put the machine beside the script."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.srcdir).parent
    text = base64.b64encode(packed(record(root), root)).decode()
    file = Path(app.outdir, "_static", "lookup", DATA)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'window.CHAINS = "{text}";\n', encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive; called by Sphinx."""
    app.add_directive("line", LineDirective)
    app.connect("build-finished", write, priority=960)  # after the assets are put together
    return {"parallel_read_safe": True, "parallel_write_safe": True}
