"""What the source of a code cell says, for the gate, the records, the figures and `make run`."""

import ast
import re
import warnings

VERIFIED = "# snippet: verified"  # the first line of the first code cell
NEEDS_CUDA = "# needs: CUDA"  # what a cell tagged `gpu` begins with; `verified` obeys it
HIDDEN = "remove-cell"  # its tag: it is not on the site, which shows the evidence instead


def is_snippet(source):
    """Tell whether a cell is a copy of a file of book/_snippets."""
    return source.startswith("# snippet: ")


def tree_of(source):
    """Return the syntax tree; None if this is no Python even without IPython's magics."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as for `assert (x, "text")`
            return ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", source, flags=re.M))
    except SyntaxError:
        return None
