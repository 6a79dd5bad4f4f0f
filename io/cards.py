"""Card facts from a file that the user names: a bulk file of Scryfall, or AtomicCards of MTGJSON.

Only the cards asked for are kept, whatever the size of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from headjudge.errors import DataError
from headjudge.filters import subtype_lists
from headjudge.io.json_stream import entries
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LETTERS: Final = dict(zip("WUBRG", v.COLORS, strict=True))
_SYMBOL: Final = re.compile(r"\{([^}]+)\}")
_WHOLE: Final = re.compile(r"[+-]?\d{1,9}")
#: Layouts of Scryfall that are no cards, whatever they are called.
_NO_CARDS: Final = ("token", "double_faced_token", "emblem", "art_series")
#: Layouts whose second face has the mana value of the first (CR 202.3b, 712.8e; 709.2c for flip cards).
_SHARED_COST: Final = ("transform", "flip", "battle")
#: Characters of names that files spell in more than one way.
_SPELLINGS: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "^": ","})


@dataclass(frozen=True)
class Face:
    """One face of a card, in the words of the board model."""

    name: str
    types: tuple[str, ...] = ()
    supertypes: tuple[str, ...] = ()
    subtypes: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()
    #: None = there is none, or it is no number: then `unread` says so.
    power: int | None = None
    toughness: int | None = None
    mana_value: int = 0
    #: What a planeswalker, a battle enters with; None = none, or not a number.
    loyalty: int | None = None
    defense: int | None = None
    text: str = ""
    #: Keywords as the file lists them, in lower case.
    keywords: tuple[str, ...] = ()
    #: What of it the board model has no words for: ``power *``.
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """A card: its faces in order, and the name of what it melds into."""

    name: str
    layout: str
    faces: tuple[Face, ...]
    melds_into: str | None = None
    #: Several different cards of the file have this name.
    ambiguous: bool = False

    @property
    def front(self) -> Face:
        """What it is while nothing else is said; a split card is both its halves (CR 709.4)."""
        return combined(self.faces) if self.layout in ("split", "aftermath") else self.faces[0]

    @property
    def back(self) -> Face | None:
        """Its other face, of a card that can show one."""
        return self.faces[1] if len(self.faces) > 1 and self.layout in (*_SHARED_COST, "modal_dfc") else None


def combined(faces: Iterable[Face]) -> Face:
    """Return several halves as one (CR 709.4): names joined, colors and types united, mana values added."""
    faces = tuple(faces)

    def union(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for face in faces for word in getattr(face, name)))

    return Face(
        " // ".join(face.name for face in faces),
        union("types"),
        union("supertypes"),
        union("subtypes"),
        union("colors"),
        keywords=union("keywords"),
        unread=union("unread"),
        mana_value=sum(face.mana_value for face in faces),
        text="\n".join(face.text for face in faces if face.text),
    )


def folded(name: str) -> str:
    """Return a name without what files spell differently: capitals, apostrophes, spaces around the double slash."""
    return re.sub(r"\s*//\s*", " // ", name.translate(_SPELLINGS).strip()).casefold()


@dataclass(frozen=True)
class CardBook:
    """Cards by their names, and where they come from."""

    path: Path
    _by_name: Mapping[str, Card] = field(default_factory=dict)
    #: Names of faces other than the first, and the cards that have them.
    _backs: Mapping[str, Card] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path, names: Iterable[str]) -> CardBook:
        """Read the cards with these names, of the whole card or of its front face.

        Parameters
        ----------
        path : str or Path
            ``oracle_cards`` or ``default_cards`` of Scryfall, or AtomicCards of MTGJSON, as JSON.
        names : iterable of str
            Capitals do not matter. What the cards found refer to is read as well.

        Raises
        ------
        DataError
            If the file cannot be read or is neither of these.
        """
        path = Path(path)
        wanted = {folded(name) for name in names}
        book = cls._read(path, wanted)
        referred = {folded(card.melds_into) for card in book._by_name.values() if card.melds_into} - wanted
        return cls._read(path, wanted | referred) if referred else book

    @classmethod
    def _read(cls, path: Path, wanted: set[str]) -> CardBook:
        by_name: dict[str, Card] = {}
        whole: set[str] = set()
        backs: dict[str, Card] = {}
        any_card = False
        for keys, entry in entries(path):
            if not keys and isinstance(entry, dict) and "name" in entry:
                is_scryfall = True
                names = _scryfall_names(entry)
            elif len(keys) == 2 and keys[0] == "data" and _is_atomic(entry):
                is_scryfall = False
                names = _mtgjson_names(keys[1], entry)
            else:
                continue
            any_card = True
            asked = [name for name in names if folded(name) in wanted]
            if not asked:
                continue
            try:
                card = _scryfall_card(entry) if is_scryfall else _mtgjson_card(entry)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise DataError(f"{path}: card {names[0]!r}: expected the fields of a card, found {error!r}") from None
            if card is None:
                continue
            for name in asked:
                key = folded(name)
                if key == folded(card.name) and key not in whole:
                    by_name[key] = card
                    whole.add(key)
                elif key == folded(card.faces[0].name):
                    by_name.setdefault(key, card)
                else:
                    backs.setdefault(key, card)
                    by_name.setdefault(folded(card.faces[0].name), card)  # so that it can be called by its front
        if not any_card:
            raise DataError(
                f"{path}: expected a bulk file of Scryfall (a list of cards) or AtomicCards of MTGJSON "
                "(cards by name under data), found no card in it"
            )
        return cls(path, by_name, backs)

    def get(self, name: str) -> Card | None:
        """Return the card of this name, or whose front face has it."""
        return self._by_name.get(folded(name))

    def whose_back(self, name: str) -> Card | None:
        """Return the card that has this name on another face than its first."""
        return self._backs.get(folded(name))


def _is_atomic(entry: Any) -> bool:
    return isinstance(entry, list) and bool(entry) and all(isinstance(face, dict) and "name" in face for face in entry)


def _scryfall_names(entry: dict[str, Any]) -> list[str]:
    faces = entry.get("card_faces") or []
    return [entry["name"], *(face["name"] for face in faces if isinstance(face, dict) and "name" in face)]


def _scryfall_card(entry: dict[str, Any]) -> Card | None:
    layout = entry.get("layout", "normal")
    if layout in _NO_CARDS:
        return None
    parts = entry.get("card_faces") or [entry]
    faces = tuple(_scryfall_face(part, entry) for part in parts)
    if layout == "reversible_card":  # one card, printed on both sides
        faces = faces[:1]
    melds = [part["name"] for part in entry.get("all_parts") or () if part.get("component") == "meld_result"]
    melds_into = next((name for name in melds if name != entry["name"]), None)
    name = faces[0].name if layout == "reversible_card" else entry["name"]
    return Card(name, layout, _sharing_cost(layout, faces), melds_into if layout == "meld" else None)


def _scryfall_face(part: dict[str, Any], entry: dict[str, Any]) -> Face:
    cost = part.get("mana_cost") or ""
    keywords = tuple(word.lower() for word in entry.get("keywords") or ())
    letters = part.get("colors")
    if letters is None:
        letters = [*_colors_of_cost(cost), *(part.get("color_indicator") or ())]
        letters = [] if "devoid" in keywords else letters
    types, supertypes, subtypes = _type_line(part.get("type_line") or entry.get("type_line") or "")
    return _face(
        part["name"], cost, letters, types, supertypes, subtypes, part, part.get("oracle_text") or "", keywords
    )


def _type_line(line: str) -> tuple[list[str], list[str], list[str]]:
    """Split "Legendary Creature — Time Lord Doctor" into card types, supertypes and subtypes."""
    left, _, right = line.split(" // ", maxsplit=1)[0].replace("\u2014", " - ").partition(" - ")
    words = left.split()
    supertypes = [word for word in words if word.lower() in v.SUPERTYPES]
    return [word for word in words if word not in supertypes], supertypes, joined_subtypes(right.split())


def joined_subtypes(words: list[str], separator: str = " ") -> list[str]:
    """Put the halves of "Time Lord" together again, wherever a list of subtypes has the whole."""
    known = {word for listed in subtype_lists().values() for word in listed}
    read: list[str] = []
    for word in words:
        both = f"{read[-1]}{separator}{word}" if read else word
        if read and both.lower() in known and word.lower() not in known:
            read[-1] = both
        else:
            read.append(word)
    return read


def _mtgjson_names(key: str, entry: list[dict[str, Any]]) -> list[str]:
    return [key, *(face["faceName"] for face in entry if face.get("faceName"))]


def _mtgjson_card(entry: list[dict[str, Any]]) -> Card:
    layout = entry[0].get("layout") or "normal"
    sided = sorted((face for face in entry if face.get("side")), key=lambda face: face["side"])
    faces = [_mtgjson_face(face) for face in sided or entry[:1]]
    melds_into = faces[1].name if layout == "meld" and len(faces) > 1 else None
    name = faces[0].name if layout == "meld" else entry[0]["name"]
    ambiguous = not sided and len({_mtgjson_face(face) for face in entry}) > 1
    return Card(name, layout, _sharing_cost(layout, tuple(faces)), melds_into, ambiguous)


def _mtgjson_face(face: dict[str, Any]) -> Face:
    return _face(
        face.get("faceName") or face["name"], face.get("manaCost") or "", face.get("colors") or [],
        face.get("types") or [], face.get("supertypes") or [], face.get("subtypes") or [], face,
        face.get("text") or "", tuple(word.lower() for word in face.get("keywords") or ()),
    )  # fmt: skip


def _sharing_cost(layout: str, faces: tuple[Face, ...]) -> tuple[Face, ...]:
    if layout not in _SHARED_COST or len(faces) < 2:
        return faces
    front, back = faces[:2]
    colors = front.colors if layout == "flip" else back.colors
    return (front, replace(back, mana_value=front.mana_value, colors=colors))


def _face(
    name: str,
    cost: str,
    letters: Iterable[str],
    types: Iterable[str],
    supertypes: Iterable[str],
    subtypes: Iterable[str],
    numbers: Mapping[str, Any],
    text: str,
    keywords: tuple[str, ...],
) -> Face:
    """Return a face; what the board model has no words for goes to `unread`."""
    unread: list[str] = []

    def known(words: Iterable[str], vocabulary: tuple[str, ...], what: str) -> tuple[str, ...]:
        lower = [{"tribal": "kindred"}.get(word.lower(), word.lower()) for word in words]
        unread.extend(f"{what} {word}" for word in lower if word not in vocabulary)
        return tuple(word for word in vocabulary if word in lower)

    def number(what: str) -> int | None:
        written = numbers.get(what)
        if written is None:
            return None
        if _WHOLE.fullmatch(str(written)):
            return int(written)
        unread.append(f"{what} {written}")
        return None

    colors = {_LETTERS[letter] for letter in letters}
    return Face(
        name,
        known(types, v.TYPES, "type"),
        known(supertypes, v.SUPERTYPES, "supertype"),
        tuple(sorted({word.lower().replace("\u2019", "'") for word in subtypes})),
        tuple(color for color in v.COLORS if color in colors),
        number("power"),
        number("toughness"),
        mana_value_of(cost),
        number("loyalty"),
        number("defense"),
        text,
        keywords,
        tuple(unread),
    )


def _colors_of_cost(cost: str) -> list[str]:
    return [letter for letter in _LETTERS if any(letter in symbol.split("/") for symbol in _SYMBOL.findall(cost))]


def mana_value_of(cost: str) -> int:
    """Return the mana value of a cost such as ``{2}{W/U}{X}`` (CR 202.3); half a mana is rounded down."""
    halves = 0
    for symbol in _SYMBOL.findall(cost):
        numbers = [int(part) for part in symbol.split("/") if part.isdecimal()]
        if numbers:
            halves += 2 * max(numbers)
        elif symbol in ("X", "Y", "Z"):
            continue
        else:
            halves += 1 if symbol.startswith("H") and len(symbol) == 2 else 2
    return min(halves // 2, v.LARGEST)
