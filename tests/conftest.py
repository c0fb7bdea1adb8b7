"""What tests of the pages and of verify/ share: the helper cells of the benchmarks."""

import pytest

from verify import ROOT


@pytest.fixture
def bench(monkeypatch):
    """Return a function that runs the snippets `glance` and `bench`; it returns their names."""

    def start(file=None):
        import torch

        monkeypatch.delenv("BOOK_FIGURES", raising=False)
        if file:
            monkeypatch.setenv("BOOK_FIGURES", str(file))
        names = {"torch": torch}
        for name in ("glance", "bench"):
            exec((ROOT / "book" / "_snippets" / f"{name}.py").read_text(encoding="utf-8"), names)
        return names

    return start
