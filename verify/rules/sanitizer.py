"""Each rule of the sanitizer is read by nbval, says why it is there, and hides nothing else."""

import re
from collections.abc import Iterator

from verify.book import Book, Problem

# Ordinary outputs, in which a change must show: no rule of the sanitizer may touch them.
PROBES = """\
True
False
None
42
-3.5
1e-05
0.125 s
2026-11-21
tensor(1.)
tensor([1., 2., 3.])
tensor([[0.1000, nan], [inf, 4.0000]], dtype=torch.float64)
tensor([1., 2.], requires_grad=True)
tensor([5.], grad_fn=<CloneBackward0>)
tensor(..., device='meta', size=(2, 3))
tensor([1.], device='cuda:1')
tensor([1.], device='cpu')
tensor([1.], device='cuda:1', grad_fn=<ToCopyBackward0>)
<CloneBackward0 object>
torch.float32 torch.int64 torch.strided torch.channels_last
device(type='cuda', index=0)
cuda:0 cpu meta
torch.Size([2, 3])
(3, 1) 16 bytes
version 0 -> version 1
RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
UserWarning: To copy construct from a tensor, use sourceTensor.detach().clone()
{'a': 1, 'b': [2, 3]}
""".splitlines()


def check_sanitizer(book: Book) -> Iterator[Problem]:
    """Each rule is one that nbval reads, says why it is there, and hides nothing else."""
    file = "verify/sanitize.cfg"
    path = book.root / file
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    lines.append("")
    for number, line in enumerate(lines):
        where = f"line {number + 1}"
        if not re.match(r"\s*regex\s*:", line):
            if re.match(r"\s*replace\s*:", line) and not lines[number - 1].startswith("regex: "):
                message = "nbval drops this `replace:`, which is not right under a `regex:`"
                yield Problem(file, where, message, "remove it, or write its regex above it")
            continue
        # What nbval reads: '^regex: (.*)$\n^replace: (.*)$'. It drops all else in silence, such
        # as a `replace:` whose last space an editor has removed.
        if not (line.startswith("regex: ") and lines[number + 1].startswith("replace: ")):
            message = "nbval drops this rule: it is not `regex: …` with `replace: …` right below"
            yield Problem(file, where, message, "write both lines so, or remove the rule")
            continue
        comments = []
        for above in reversed(lines[:number]):
            if not above.startswith("#"):
                break
            comments.append(above.lstrip("# "))
        examples = [c[9:].partition(" -> ") for c in comments if c.startswith("example: ")]
        regex, replace = line[len("regex: ") :], lines[number + 1][len("replace: ") :]
        if not [c for c in comments if c.strip() and not c.startswith("example:")]:
            yield Problem(file, where, "a rule without a reason", "write it in a comment above")
        if not examples:
            remedy = "add the comment: # example: BEFORE -> AFTER"
            yield Problem(file, where, "a rule without an example", remedy)
        try:
            for before, _, after in examples:
                if before == after or re.sub(regex, replace, before) != after:
                    message = f"the rule does not make {after!r} of its example {before!r}"
                    yield Problem(file, where, message, "correct the rule or the example")
            hidden = [probe for probe in PROBES if re.sub(regex, replace, probe) != probe]
        except re.error as error:
            message = f"the rule is no regular expression: {error}"
            yield Problem(file, where, message, "correct it")
            continue
        if hidden:
            message = f"the rule is so broad that it changes {hidden[0]!r}"
            yield Problem(file, where, message, "make it match only what its reason names")
