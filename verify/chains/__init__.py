"""What does my line do? A state machine of chains of calls, learned by running PyTorch.

`make chains` learns it and writes `evidence/chains/torch-RELEASE.json`; the page *What does my line
do?* answers from that file, without PyTorch. `make chains TORCH=2.8.0` compares another release
with it, for chains of up to three steps, and writes what differs.
"""

from verify import ROOT

RECORDS = ROOT / "evidence" / "chains"
