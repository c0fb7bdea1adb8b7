"""What the search finds by name: each claim, and each method in the chapter that is about it.

Both are entries of the index: the search puts a page whose entry is the query before the pages
that only hold the words. `_static/search.js` takes `torch.Tensor.detach` and `x.detach()`
for `detach`.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

# Besides the titles in the table of contents ("numpy, from_numpy"), which are names already.
NAMES = {
    "methods/clone": ["torch.clone"],
    "methods/data": ["set_data"],
    "methods/detach": ["detach_"],
    "methods/detach_clone": ["clone().detach"],
    "methods/deepcopy_pickle": ["copy.deepcopy", "copy.copy", "torch.save", "torch.load"],
    "methods/dlpack": ["from_dlpack", "to_dlpack", "__dlpack__"],
    "methods/memory_format": ["channels_last", "contiguous_format", "preserve_format"],
    "methods/to_cpu": ["cpu", "cuda", "to", "float", "double", "half", "type"],
    "methods/views": ["view", "reshape", "transpose", "expand", "flatten", "contiguous", "repeat"],
    "topics/gradient_flow": ["retain_grad", "register_hook"],
    "topics/gradients_as_tensors": ["grad", "zero_grad"],
    "topics/inplace_and_version_counter": ["_version"],
    "topics/leaf_tensors": ["is_leaf", "requires_grad_", "requires_grad", "grad_fn"],
    "topics/logging_values": ["item", "tolist"],
    "topics/parameters_and_modules": ["state_dict", "load_state_dict", "nn.Parameter"],
    "topics/processes_and_loaders": ["share_memory_", "DataLoader"],
    "topics/target_networks_ema": ["lerp_"],
    "topics/what_is_a_copy": ["untyped_storage", "data_ptr"],
}


def names_of(app: Sphinx, page: str) -> list[str]:
    """Return the names under which a page is to be found."""
    entry = app.config.external_site_map.get(page)
    title = entry.title if entry is not None and entry.title else ""
    titles = [part.removeprefix(".").removesuffix("()") for part in title.split(", ") if part]
    return [*titles, *NAMES.get(page, [])]


def entry(name: str, anchor: str = "") -> addnodes.index:
    """Return an entry of the index; a main one, as this is the place about the name."""
    return addnodes.index(entries=[("single", name, anchor, "main", None)])


class Names(SphinxTransform):
    """Put the names of a page, and its claims, into the index."""

    default_priority = 805  # after the claims have their ids

    def apply(self, **kwargs: object) -> None:
        for quote in self.document.findall(nodes.block_quote):
            if "claim" in quote["classes"]:
                quote.insert(0, entry(quote["ids"][0], quote["ids"][0]))
        section = next(iter(self.document.findall(nodes.section)), None)
        if section is not None:
            for name in names_of(self.app, self.env.docname):
                section.insert(1, entry(name))


def recall(app: Sphinx, env: BuildEnvironment) -> None:
    """Take the entries of the pages that are not written anew from the index of the site.

    Sphinx does so with the words and titles. It forgets the entries between two builds.
    """
    file = Path(app.outdir, "searchindex.js")
    if app.builder.format != "html" or not file.is_file():
        return
    text = file.read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    entries = {page: [] for page in index["docnames"]}
    for name, places in index["indexentries"].items():
        for number, anchor, main in places:
            entries[index["docnames"][number]].append((name, anchor, "main" if main else ""))
    known = env._search_index_index_entries
    known.clear()
    known |= {page: named for page, named in entries.items() if page in env.found_docs}


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform; called by Sphinx."""
    app.add_transform(Names)
    app.connect("env-updated", recall)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
