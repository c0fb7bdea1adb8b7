"""What the search finds by name: each claim, and each method in the chapter that is about it.

Both are entries of the index: the search puts a page whose entry is the query before the pages
that only hold the words. `_static/search_words.js` takes `torch.Tensor.detach` and `x.detach()`
for `detach`.
"""

import pickle
from contextlib import suppress
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

FORGOTTEN = ("_search_index_index_entries", "_search_index_all_titles")


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


def kept(app: Sphinx) -> Path:
    """Return the file that keeps what Sphinx forgets of the search index between two builds."""
    return Path(app.doctreedir, "search.pickle")


def remember(app: Sphinx, exception: Exception | None) -> None:
    """Keep the index entries and titles: Sphinx stores its environment before they are found."""
    if exception is None and app.builder.format == "html":
        kept(app).write_bytes(pickle.dumps({name: getattr(app.env, name) for name in FORGOTTEN}))


def recall(app: Sphinx, env: BuildEnvironment) -> None:
    """Take up those of the pages that are not written anew."""
    with suppress(Exception):  # there is no such file, or it is from another version
        for name, pages in pickle.loads(kept(app).read_bytes()).items():
            known = getattr(env, name)
            known |= {page: known.get(page, pages[page]) for page in pages.keys() & env.found_docs}


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform; called by Sphinx."""
    app.add_transform(Names)
    app.connect("env-updated", recall)
    app.connect("build-finished", remember)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
