"""PyTorch with one behavior changed at a time, to see that each claim can fail.

python -m verify.mutants     __main__.py   the command, and its report
                             harness.py    runs notebooks under mutants
                             facts.py      tells what a proof asserts and prints apart
                             left.py       why no mutant breaks some of these facts
                             properties.py runs the properties of claims (tests/properties)
                             catalogue/    the mutants, in files by subject
                             changes.py    ways to change a behavior, and the list of mutants
"""
