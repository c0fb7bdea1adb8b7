"""What checks the book. A file imports only from files that stand further down.

bench_suite.py     make bench-suite: how long the checks take
mutants/           make mutants: PyTorch with one behavior changed at a time
chains/            make chains: what a chain of calls does
operations/        make operations: which operations copy
differential.py    make differential: what differs when a copy is compiled
run.py             make run: runs a chapter and stores its outputs
normal_form.py     the form in which notebooks are committed
nbval_plugin.py    make test: nbval, made stricter (what it leaves out: sanitize.cfg)
kernel/            the kernels that run the notebooks in the tests
recorder.py        the record of a run
evidence.py        the records of runs, in evidence/
__main__.py        python -m verify: the rules alone
rules/             the rules that can be checked without a run (what is allowed: approved.toml)
vocabulary.py      the names that torch, NumPy and Python define
claims.py          the claims: sentence, proof, and what that needs
figures.py         the recorded figures of the benchmarks
book.py            the book: its notebooks and their cells
markdown.py        what the Markdown of a cell says
heads.py           what the first lines of a code cell say
records.py         how the records of a release begin, and where they stand
files.py           files that are replaced in one move
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
