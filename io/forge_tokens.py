"""Tokens as Forge's state text writes them: ``t:`` with their characteristics, ``T:`` with the name of a script."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from headjudge.errors import DataError
from headjudge.filters import subtype_lists
from headjudge.io.card_text import PLAIN_KEYWORDS, abilities_of
from headjudge.io.cards import Face, joined_subtypes, mana_value_of
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Iterable

_LETTERS: Final = dict(zip("WUBRG", v.COLORS, strict=True))
_FIELDS: Final = ("P", "T", "Cost", "Color", "Types", "Keywords", "Image")
#: A subtype that can stand between hyphens.
_SUBTYPE: Final = re.compile(r"[\w' ]+(-[\w' ]+)*")
_NO_COST: Final = "no cost"
#: Keywords of the board model that Forge has under the same name.
_KEYWORDS: Final = {"indestructible": "Indestructible", "changeling": "Changeling", "ascend": "Ascend"}
#: Forge's scripts are called by colors, power, toughness, types and abilities: ``wb_1_1_spirit_flying``.
_SCRIPT: Final = re.compile(r"(c|[wubrg]{1,5})_(?:(\d{1,3}|x)_(\d{1,3}|x)_)?([a-z0-9_]+)")
_SCRIPT_TYPES: Final = {"a": "artifact", "e": "enchantment", "l": "land"}


class Token(NamedTuple):
    """A token: its face, and what of its text has no place there."""

    face: Face
    #: What of `keywords` is no keyword of the board model, and not harmless.
    not_modelled: tuple[str, ...] = ()
    #: What it is taken to be, where only the name of a script says it.
    assumed: str = ""


def parse(text: str, where: str) -> Token:
    """Read what stands behind ``t:``, such as ``Knight,P:2,T:2,Cost:no cost,Types:Creature-Knight``.

    Raises `DataError` naming `where` for what is no number, an unknown field or one that stands there twice.
    """
    name, *fields = text.split(",")
    stated: dict[str, str] = {}
    for entry in fields:
        key, colon, value = entry.strip().partition(":")
        if not colon or key not in _FIELDS:
            known = ", ".join(_FIELDS)
            raise DataError(f"{where}: unknown field {entry.strip()!r} of a token; expected one of {known}")
        if key in stated:
            raise DataError(f"{where}: expected {key} of the token {name!r} once, found it twice")
        stated[key] = value.strip()
    types, supertypes, subtypes = _sorted_types(stated.get("Types", ""))
    words = stated.get("Keywords", "")
    lines = [word.strip() for word in words.split("-") if word.strip()]
    face = Face(
        name.strip().replace("^", ","),
        types,
        supertypes,
        subtypes,
        _colors(stated.get("Color", ""), where),
        _number(stated.get("P"), f"{where}: P of the token {name!r}"),
        _number(stated.get("T"), f"{where}: T of the token {name!r}"),
        _mana_value(stated.get("Cost", _NO_COST)),
        text="\n".join(lines),
    )
    return Token(face, abilities_of(face).not_modelled)


def _number(value: str | None, where: str) -> int | None:
    if value is None or not value:
        return None
    if not re.fullmatch(r"-?\d{1,10}", value, re.ASCII) or abs(int(value)) > v.LARGEST:
        raise DataError(f"{where}: expected a whole number from {-v.LARGEST} to {v.LARGEST}, found {value!r}")
    return int(value)


def _sorted_types(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Split ``Legendary-Artifact-Creature-Assembly-Worker``."""
    words = [word for word in text.lower().split("-") if word]
    types = tuple(word for word in v.TYPES if word in words)
    supertypes = tuple(word for word in v.SUPERTYPES if word in words)
    others = [word for word in words if word not in types and word not in supertypes]
    return types, supertypes, tuple(sorted(set(joined_subtypes(others, "-"))))


def _colors(text: str, where: str) -> tuple[str, ...]:
    """Read ``B``, ``WU``, ``white,blue`` or nothing."""
    found: set[str] = set()
    for word in re.findall(r"[A-Za-z]+", text):
        if word.lower() in v.COLORS:
            found.add(word.lower())
        elif word.lower() in ("colorless", "c"):
            continue
        elif all(letter in _LETTERS for letter in word.upper()):
            found.update(_LETTERS[letter] for letter in word.upper())
        else:
            raise DataError(f"{where}: Color of a token: expected letters of WUBRG, found {text!r}")
    return tuple(color for color in v.COLORS if color in found)


def _mana_value(cost: str) -> int:
    """Read Forge's way to write a cost: ``no cost``, ``2 W W``, ``X R``."""
    return 0 if cost == _NO_COST else mana_value_of("".join(f"{{{symbol}}}" for symbol in cost.split()))


def script(name: str) -> Token | None:
    """Return the token whose script has this name, as far as the name tells; None if it tells nothing."""
    match = _SCRIPT.fullmatch(name.lower())
    if not match:
        return None
    colors, power, toughness, rest = match.groups()
    words = rest.split("_")
    types = {_SCRIPT_TYPES[word] for word in words if word in _SCRIPT_TYPES} | ({"creature"} if power else set())
    words = [word for word in words if word not in _SCRIPT_TYPES]
    lists = subtype_lists()
    allowed = {word for kind in types for word in lists.get(kind, ())}
    subtypes = []
    while words and words[0] in allowed:
        subtypes.append(words.pop(0))
    if not types or not subtypes:
        return None
    keywords = [word.replace("firststrike", "first strike").replace("doublestrike", "double strike") for word in words]
    known = [word for word in keywords if word in PLAIN_KEYWORDS or word in _KEYWORDS]
    unknown = tuple(word for word in keywords if word not in known)
    face = Face(
        " ".join(word.capitalize() for word in subtypes) + " Token",
        tuple(word for word in v.TYPES if word in types),
        (),
        tuple(sorted(set(subtypes))),
        () if colors == "c" else tuple(color for letter, color in _LETTERS.items() if letter.lower() in colors),
        int(power) if power and power != "x" else None,
        int(toughness) if toughness and toughness != "x" else None,
        text="\n".join(known),
        unread=("power and toughness x",) if power == "x" or toughness == "x" else (),
    )
    return Token(face, (f"({' '.join(unknown)})",) if unknown else (), _described(face, known))


def _described(face: Face, keywords: Iterable[str]) -> str:
    numbers = f"{face.power}/{face.toughness} " if "creature" in face.types else ""
    words = [*face.colors, *face.types, *face.subtypes]
    ending = f" with {', '.join(keywords)}" if keywords else ""
    return f"{numbers}{' '.join(words)}{ending}"


def written(face: Face) -> str:
    """Return a token as Forge writes it, without the ``t:``; of its text only keywords of the board model."""
    types = [word.capitalize() for word in (*face.supertypes, *face.types)]
    words = (word for word in face.subtypes if _SUBTYPE.fullmatch(word))
    types += ["-".join(part.capitalize() for part in word.split("-")) for word in words]
    fields = {
        "P": "" if face.power is None else str(face.power),
        "T": "" if face.toughness is None else str(face.toughness),
        "Cost": str(face.mana_value) if face.mana_value else _NO_COST,
        "Color": "".join(letter for letter, color in _LETTERS.items() if color in face.colors),
        "Types": "-".join(types),
        "Keywords": "-".join(_KEYWORDS[word] for word in sorted(_KEYWORDS) if word in face.text.lower().split("\n")),
    }
    stated = [f"{key}:{value}" for key, value in fields.items() if value]
    return ",".join([face.name.replace(",", "^"), *stated])


def sayable(keywords: Iterable[str]) -> tuple[str, ...]:
    """Return those keywords of the board model that the text can say of a token."""
    return tuple(word for word in keywords if word in _KEYWORDS)
