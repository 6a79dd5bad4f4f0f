"""What is told of a file of Forge's that was read or written: what one side says and the other cannot hold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Kinds of findings, in the order in which they are told.
KINDS: Final = {
    "unknown": "cards that the file of cards does not have",
    "not_modelled": "rules text that may change the board and is not read",
    "assumed": "what the text leaves open, and what was taken for it",
    "not_held": "what the text says and the board model has no place for",
    "not_said": "what the board says and the text has no words for",
}


class Finding(NamedTuple):
    """One thing that did not come across."""

    kind: str
    #: The card, the field, the line.
    subject: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')}: {self.subject}: {self.detail}"


def gathered(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """Return findings in the order of `KINDS`, each once with how often it was found."""
    counts = Counter(findings)
    order = list(KINDS)
    return sorted(counts.items(), key=lambda item: order.index(item[0].kind))
