"""The facts that no mutant breaks, each with the reason: claim, code of the fact, reason.

`make mutants` says so if a reason is no longer needed.
"""

LEFT: dict[str, dict[str, str]] = {}
