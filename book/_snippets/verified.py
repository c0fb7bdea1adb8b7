# @title Helper: is this release of torch one that was verified?
# snippet: verified
# Says so if the book was not verified with the torch that is installed here. Does not run a cell
# whose first lines ask for what is not here: `# needs: CUDA`, or torch `# since: 2.9`.
from importlib.metadata import version

from IPython import get_ipython

VERIFIED = "2.8.0", "2.11.0", "2.13.0", "2.14.1", "2.15.0"
INSTALLED = version("torch").partition("+")[0]
if INSTALLED not in VERIFIED:
    print(f"This book was verified with torch {', '.join(VERIFIED)}.", end=" ")
    print(f"Here is torch {INSTALLED}: an output may differ.")


def why_not_run(source):
    """Return what the first lines of a cell ask for and this machine has not; None if nothing."""
    import os
    import re
    import shutil

    head = re.match(r"(?:#.*\n)*", source)[0]
    for word, what in re.findall(r"^# (needs|since|until): (.+)$", head, re.M):
        if what == "a C++ compiler":
            if not shutil.which(os.environ.get("CXX", "g++")):
                return f"needs {what} (on Debian and Ubuntu: apt install g++)"
        elif word == "needs":
            import torch

            if not torch.cuda.is_available():
                return f"needs {what} (in Colab: Runtime, Change runtime type, a GPU)"
        else:
            bound, here = (re.findall(r"\d+", release) for release in (what, INSTALLED))
            bound, here = list(map(int, bound)), list(map(int, here[: len(bound)]))
            if here < bound if word == "since" else here > bound:
                return f"holds {word} torch {what}"
    return None


def skip(lines):
    """Put one line that says why in the place of a cell that cannot be run here."""
    why = why_not_run("".join(lines))
    return [f"print({f'not run: {why}'!r})\n"] if why else lines


if get_ipython():
    get_ipython().input_transformers_post.append(skip)
