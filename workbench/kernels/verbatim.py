"""Whether a sentence stands word for word in a passage, so that a copy is never called unsupported."""

import re
from collections.abc import Sequence

from workbench.kernels import cues
from workbench.kernels.windows import Evidence
from workbench.records import Window

_TRIM = " \t\r\n.!?。！？…\"'“”‘’«»「」"


def find(claim: str, terms: frozenset[str], evidence: Evidence) -> Window | None:
    """The first place where ``claim``, whose content terms are ``terms``, stands in the evidence as it is, or None.

    Case, white space and the closing punctuation do not count. It has to end where words and numbers end
    ("3" is not in "3.5"). A negator in the same clause outside the copied words turns them: "Dogs are
    allowed" is not taken from "No dogs are allowed".
    """
    words = claim.strip(_TRIM).split()
    if not words:
        return None
    body = r"\s+".join(re.escape(word) for word in words)
    inside = r"(?<!\d[.,:])" if words[0][0].isdigit() else ""
    pattern = re.compile(rf"(?<![\w+€$£¥₹-]){inside}{body}(?!\w|[.,:]\d|\s?[%‰°])", re.IGNORECASE)
    for id, each in zip(evidence.ids, evidence.reads, strict=True):
        if not terms <= each.content:
            continue
        for match in pattern.finditer(each.text):
            low, high = _sentence(each.spans, *match.span())
            left, right = cues.clause(each.text, *match.span(), low, high)
            outside = cues.negators(each.text, left, match.start()) or cues.negators(each.text, match.end(), right)
            if not outside:
                return Window(id, *match.span())
    return None


def _sentence(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """From the sentence that holds ``start`` to the one that holds ``end``."""
    low = max((a for a, _ in spans if a <= start), default=start)
    high = min((b for _, b in spans if b >= end), default=end)
    return low, high
