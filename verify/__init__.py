"""What checks the book. Each file imports only from files further down.

python -m verify             rules/        the rules that can be checked without running a cell
make run                     run.py        runs a chapter and stores its outputs,
                             normal_form.py    in the form in which they are committed
make test                    nbval_plugin.py   nbval, made stricter, with
                             recorder.py       the record of a run, and
                             kernel/           the kernels that run the notebooks
make mutants                 mutants/      PyTorch with one behavior changed at a time
make differential            differential.py   what differs when it is compiled
make bench-suite             bench_suite.py    how long the checks take
                             evidence.py   the records of runs, in evidence/
                             claims.py     the claims: sentence, proof, and what that needs
                             figures.py    the recorded figures of the benchmarks
                             book.py       the book: its notebooks and their cells
                             markdown.py   what the Markdown of a cell says
                             heads.py      what the first lines of a code cell say
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
