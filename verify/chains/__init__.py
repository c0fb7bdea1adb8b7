"""What does my line do? A state machine of chains of calls, learned by running PyTorch.

`make chains` learns it and writes `evidence/chains/torch-RELEASE.json`; the page *What does my line
do?* answers from that file, without PyTorch.
"""

from verify import ROOT

RECORDS = ROOT / "evidence" / "chains"
