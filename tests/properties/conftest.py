"""Skip properties whose claim does not hold here, and report on how much each was tried."""

import functools

import pytest

from verify import ROOT, heads
from verify.claims import claims_of

from .holds import RELEASE


@functools.cache
def bounds() -> dict[str, str | None]:
    """Return for each claim why it does not hold on this release of torch, if so."""
    import torch

    return {
        claim.id: heads.excluded(claim.proof.source, torch.__version__) for claim in claims_of(ROOT)
    }


def pytest_runtest_setup(item):
    id = getattr(item.obj, "claim", None)
    if id and (bound := bounds().get(id)):
        pytest.skip(f"not run: {bound}")
    if id and getattr(item.obj, "since", (0, 0)) > RELEASE:
        pytest.skip("not run: holds since torch {}.{}".format(*item.obj.since))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Put the claim and the number of examples on the report; xdist passes them on."""
    try:
        return (yield)
    finally:
        if id := getattr(item.obj, "claim", None):
            item.user_properties += [("claim", id), ("tried", item.obj.tried)]


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Let torch use one thread: the tensors are small, and the processes run side by side."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
