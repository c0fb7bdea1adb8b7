"""Every operation: does it copy? `make operations` asks PyTorch's operations, one after the other.

An operation is a public method of `Tensor`, or a function of `torch`, `torch.nn.functional`,
`torch.linalg`, `torch.fft` or `torch.special`, that takes a tensor and returns one. Each is run on
sample inputs and on these laid out in other ways; a row says what was seen.
`evidence/operations/torch-RELEASE.json` holds the rows, the page *Every operation* shows them.
"""

from verify import ROOT

RECORDS = ROOT / "evidence" / "operations"
