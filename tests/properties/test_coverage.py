"""Each claim of the chapters in reasons.py has a property, or a reason why not."""

from verify import ROOT
from verify.claims import claims_of

from .holds import properties
from .reasons import CHAPTERS, NO_PROPERTY

CLAIMS = {claim.id: claim for claim in claims_of(ROOT)}
WHERE = "tests/properties/test_{}.py, or why not: NO_PROPERTY in tests/properties/reasons.py"


def test_each_chapter_exists():
    assert set(CHAPTERS) <= {claim.notebook.name for claim in CLAIMS.values()}


def test_each_claim_has_a_property_or_a_reason():
    held = properties().keys() | NO_PROPERTY.keys()
    missing = [
        f"the claim {claim.id} has no property: add one to {WHERE.format(claim.notebook.name)}"
        for claim in CLAIMS.values()
        if claim.notebook.name in CHAPTERS and not claim.proof.gpu and claim.id not in held
    ]
    assert not missing, "\n".join(missing)


def test_each_property_is_of_a_claim():
    unknown = [
        f"{found.name} names {id}, which is no claim of the book"
        for id, all_of_it in properties().items()
        for found in all_of_it
        if id not in CLAIMS
    ]
    assert not unknown, "\n".join(unknown)


def test_each_property_stands_in_the_file_of_its_chapter():
    misplaced = [
        f"{found.name} is a property of {found.claim}"
        for all_of_it in properties().values()
        for found in all_of_it
        if not found.name.startswith(f"test_{found.claim.partition('.')[0]}.py::")
    ]
    assert not misplaced, "\n".join(misplaced)


def test_each_reason_is_needed():
    assert NO_PROPERTY.keys() <= CLAIMS.keys(), "a reason for what is no claim"
    both = NO_PROPERTY.keys() & properties().keys()
    assert not both, f"these have a property, so no reason is needed: {sorted(both)}"


def test_no_function_is_defined_twice():
    names = [found.name for all_of_it in properties().values() for found in all_of_it]
    assert len(names) == len(set(names))
