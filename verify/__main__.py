"""Check the rules that need no run: `python -m verify` prints every problem, exits 1 if any."""

import sys

from verify import ROOT
from verify.rules import check

found = check(ROOT)
print(*found, sep="\n")
sys.exit(f"{len(found)} problems" if found else 0)
