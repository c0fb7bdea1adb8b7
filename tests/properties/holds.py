"""`@claim` makes a property of a function, and `properties()` returns all of them."""

import functools
import importlib
import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.strategies import SearchStrategy

from .strategies import CannotMake, Recipe, paste

# The release of torch, for claims of which a part says "since 2.12".
RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))
FOLDER = Path(__file__).parent
SEARCH = os.environ.get("HYPOTHESIS_PROFILE") == "search"
# In an ordinary run the same examples each time: it fails for a reason or not at all. A search
# draws others each time. There is no database: what a search finds goes into the book.
PROFILE = settings(
    max_examples=5000 if SEARCH else 200,
    derandomize=not SEARCH,
    database=None,
    deadline=None,  # the machine may be busy
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


class Property(NamedTuple):
    """One property: `check` takes what `drawn` draws and raises where the claim does not hold."""

    claim: str
    check: Callable[..., None]
    drawn: dict[str, SearchStrategy]

    @property
    def name(self) -> str:
        return f"{self.check.__module__.rpartition('.')[2]}.py::{self.check.__name__}"

    def try_on(self, **drawn: object) -> None:
        """Check one example: recipes are made into tensors and arrays first."""
        made = {name: make(value) for name, value in drawn.items()}
        try:
            self.check(**made)
        except UnsatisfiedAssumption:
            raise
        except BaseException:
            note(paste(**drawn))  # shown for the example that is left after shrinking
            raise

    def run(self, examples: int) -> str | None:
        """Try so many examples, without pytest; return why the first one failed, or None.

        An example that could not be made counts for nothing; it is raised as CannotMake.
        """
        few = settings(PROFILE, max_examples=examples, derandomize=True, phases=[Phase.generate])
        found = []

        def check(**drawn: object) -> None:
            if found:  # the first one is enough: the rest is not tried
                return
            try:
                self.try_on(**drawn)
            except (CannotMake, UnsatisfiedAssumption):
                raise
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}".split("\n")[0][:120])

        few(given(**self.drawn)(check))()
        return found[0] if found else None


def make(drawn: object) -> object:
    """Make recipes into tensors and arrays, also those in a tuple."""
    if isinstance(drawn, tuple) and any(isinstance(part, Recipe) for part in drawn):
        return tuple(map(make, drawn))
    return drawn.make() if isinstance(drawn, Recipe) else drawn


PROPERTIES: list[Property] = []


def claim(
    id: str, since: tuple[int, int] = (0, 0), **drawn: SearchStrategy
) -> Callable[[Callable], Callable]:
    """Make of a function the property of a claim; `drawn` names what it is tried on.

    `since` is the release of torch for a part of a claim that says so; the proof says it for a
    whole claim. The test has `claim`, the id, and `tried`, on how many examples it ran.
    """

    def register(check: Callable[..., None]) -> Callable[[], None]:
        found = Property(id, check, drawn)
        PROPERTIES.append(found)

        def test(**drawn: object) -> None:
            found.try_on(**drawn)
            test.tried += 1  # not where an assumption left the example out

        functools.update_wrapper(test, check, updated=())
        del test.__wrapped__  # Hypothesis would look for the arguments of `check`
        given_test = PROFILE(given(**drawn)(test))

        @functools.wraps(check)
        def run_test() -> None:
            test.tried = 0
            try:
                given_test()
            finally:
                run_test.tried = test.tried

        del run_test.__wrapped__
        run_test.claim, run_test.since, run_test.tried = id, since, 0
        return run_test

    return register


def properties() -> dict[str, list[Property]]:
    """Return the properties of all chapters, by the ids of their claims."""
    for path in sorted(FOLDER.glob("test_*.py")):
        importlib.import_module(f"{__package__}.{path.stem}")
    found = defaultdict(list)
    for property in PROPERTIES:
        found[property.claim].append(property)
    return dict(found)
