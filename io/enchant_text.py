"""What an Aura may enchant, read from its line "Enchant ..." (CR 702.5)."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from headjudge.filters import Filter, subtype_lists
from headjudge.kernels import vocabulary as v

Enchant = Filter | Literal["any", "you", "opponent"]

_PLAYERS: Final[dict[str, Literal["any", "you", "opponent"]]] = {
    "player": "any",
    "opponent": "opponent",
    "an opponent": "opponent",
    "you": "you",
}
#: Endings and the conditions that they stand for.
_ENDINGS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    (" you control", {"controller": "you"}),
    (" you don't control", {"controller": "opponent"}),
    (" an opponent controls", {"controller": "opponent"}),
    (" your opponents control", {"controller": "opponent"}),
    (" you own", {"owner": "you"}),
    (" card in a graveyard", {"zone": "graveyard"}),
    (" card in your graveyard", {"zone": "graveyard", "owner": "you"}),
)


def enchant_of(words: str) -> Enchant | None:
    """Return what "Enchant" followed by `words` allows; None if it cannot be said as a filter.

    ``creature``, ``artifact or creature``, ``red or green creature``, ``non-Wall creature``, ``nonbasic land``,
    ``tapped creature``, ``Forest``, ``creature you control``, ``creature card in a graveyard``, ``player``, ...
    """
    words = " ".join(words.lower().replace("\u2019", "'").split()).rstrip(".")
    if words in _PLAYERS:
        return _PLAYERS[words]
    conditions: dict[str, Any] = {}
    for ending, stated in _ENDINGS:
        if words.endswith(ending):
            words = words.removesuffix(ending)
            conditions |= stated
            break
    options = re.split(r",? or |, ", words)
    read = _all_of(options[0].split()) if len(options) == 1 else _one_of(options)
    return None if read is None else Filter.parse({**read, **conditions}, "enchant")


def _is_subtype(word: str) -> bool:
    return word in v.SUBTYPES or any(word in listed for listed in subtype_lists().values())


def _one_of(options: list[str]) -> dict[str, Any] | None:
    """Read "artifact or creature", "Forest or Plains", "red or green creature"."""
    if all(option in v.TYPES for option in options):
        return {"any_types": options}
    if all(_is_subtype(option) for option in options):
        return {"any_subtypes": options}
    last, *noun = options[-1].split()
    colors = [*options[:-1], last]
    rest = _all_of(noun) if noun else None
    return {"colors": colors, **rest} if rest is not None and all(color in v.COLORS for color in colors) else None


def _all_of(words: list[str]) -> dict[str, Any] | None:
    """Read words that must all hold."""
    read: dict[str, list[str]] = {}
    flags: dict[str, Any] = {}
    for word in words:
        bare = word.removeprefix("non").removeprefix("-") if word.startswith("non") else ""
        if word == "permanent" and word == words[-1]:
            continue
        for known, key in ((v.TYPES, "types"), (v.SUPERTYPES, "supertypes"), (v.COLORS, "colors")):
            if word in known and not (key == "colors" and "colors" in read):
                read.setdefault(key, []).append(word)
                break
            if bare in known and key != "colors":
                read.setdefault(f"not_{key}", []).append(bare)
                break
        else:
            if word in ("tapped", "untapped", "attacking"):
                flags["attacking" if word == "attacking" else "tapped"] = word != "untapped"
            elif word in ("token", "nontoken"):
                flags["kind"] = "token" if word == "token" else "card"
            elif bare and _is_subtype(bare):
                read.setdefault("not_subtypes", []).append(bare)
            elif _is_subtype(word):
                read.setdefault("subtypes", []).append(word)
            else:
                return None
    return {**read, **flags}
