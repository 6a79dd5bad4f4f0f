"""What of a card's rules text the board model has fields for, and which of its lines are left over.

Static abilities are not read: lines that may change characteristics, control, abilities or rules of a board are
returned as `not_modelled`, rather one too many than one too few.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from headjudge.filters import Filter
from headjudge.io.enchant_text import enchant_of
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headjudge.io.cards import Face
    from headjudge.io.enchant_text import Enchant

_REMINDER: Final = re.compile(r"\s*\([^()]*\)")
#: "Landfall — Whenever ...": an ability word or a flavour word, which has no meaning of its own (CR 207.2c, d).
_ABILITY_WORD: Final = re.compile(r"^[\u2022\s]*[A-Z][\w' -]{2,40} \u2014 (?=[A-Z{\[+\u2212-])")
_CHAPTER: Final = re.compile(r"^([IVX]+(?:, [IVX]+)*) \u2014 ")
_ROMAN: Final = {"I": 1, "V": 5, "X": 10}
_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LIMIT: Final = re.compile(r"can't have more than (\w+) ([\w+/-]+) counters? on (?:it|him|her|them)\b", re.IGNORECASE)

#: Keywords of the board model and how cards write them.
_MODELLED: Final = {
    "indestructible": "indestructible",
    "umbra armor": "umbra_armor",
    "totem armor": "umbra_armor",
    "bestow": "bestow",
    "reconfigure": "reconfigure",
    "start your engines!": "start_your_engines",
    "space sculptor": "space_sculptor",
    "ascend": "ascend",
    "storied": "storied",
    "changeling": "changeling",
}
#: What makes a sentence of a line that starts like a keyword: "Flying creatures get +1/+1."
_VERB: Final = re.compile(r"\b(gets?|have|has|gains?|loses?|are|is|can't|becomes?|doesn't)\b")
#: Keywords that change characteristics in ways the board model would need an effect for.
_CHANGING: Final = ("level up", "living metal", "prototype", "impending", "station", "soulbond")
#: Keywords that no state-based action looks at, for texts that come without a list of their keywords (tokens).
PLAIN_KEYWORDS: Final = (
    "flying", "first strike", "double strike", "haste", "vigilance", "trample", "deathtouch", "lifelink", "reach",
    "menace", "defender", "hexproof", "shroud", "flash", "prowess", "infect", "wither", "toxic", "decayed", "ward",
    "fear", "intimidate", "shadow", "skulk", "horsemanship", "flanking", "banding", "equip", "crew", "fortify",
    "exalted", "devoid", "islandwalk", "forestwalk", "swampwalk", "mountainwalk", "plainswalk",
)  # fmt: skip
#: Keywords whose ability triggers when the permanent dies, or leaves the battlefield.
_DYING: Final = ("persist", "undying", "afterlife", "haunt", "modular", "soulshift", "recover")
_SELF_RULES: Final = {
    "be sacrificed": "cant_be_sacrificed",
    "be regenerated": "cant_be_regenerated",
    "be enchanted": "cant_be_enchanted",
    "be equipped": "cant_be_equipped",
}
#: Static abilities that touch nothing a state-based action looks at.
_HARMLESS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(this|it)\b[^.]* enters( the battlefield)? (tapped|with)\b[^.]*\.( it enters [^.]*\.)?$",
        r"^[^.]* enters( the battlefield)? tapped( unless [^.]*)?\.$",
        r"^as [^.]* enters[^.]*, (choose|you may (pay|reveal|choose))\b.*$",
        r"^as an additional cost\b",
        r"^this spell (costs|can't be countered)\b",
        r"^[^.\"]* cost \{[^.\"]* (less|more) to [^.\"]*\.$",
        r"^(once [^.,\"]*, )?you may (cast|play|look at|spend)\b",
        r"^you have no maximum hand size\.$",
        r"^[^.\",]*\b(can't|must|attacks?|blocks?|can) (be blocked|block|attack|each combat)\b[^.\"]*\.$",
        r"^all creatures able to block [^.\"]* do so\.$",
        r"^[^.\",]* (doesn't|don't) untap during\b[^.\"]*\.$",
        r"^(skip|players? (can't|play)|your opponents can't (cast|gain|search|activate))\b",
        r"^enchanted creature can attack as though it (had haste|didn't have defender)\.$",
        r"^if an effect causes you to discard\b",
        r"^companion \u2014 ",
        r"^if a source\b[^\"]*\bdamage\b",
    )
)
#: What makes such a line matter all the same: "Equipped creature gets +1/+1 and can't be blocked."
_CHANGE: Final = re.compile(
    r"[+\u2212-][\dX*]+/[+\u2212-][\dX*]+|\bbase power\b|\bin addition to\b"
    r"|\b(has|have|gains?|loses?) (?!no maximum|\w+ or (more|fewer)|an? |the |been |cast )",
    re.IGNORECASE,
)
#: What a triggered or an activated ability may leave behind when it has resolved.
_LASTING: Final = re.compile(
    r"\b(gains?|loses?) (?!\d|x\b|that (much|life)|life|half|twice|the game|an amount|the (first|second))"
    r"|\b(has|have|get|gets) (\"|protection|base)|\bbecomes? (an?|the|all|colorless|\d) |in addition to|for as long as",
    re.IGNORECASE,
)
_PASSING: Final = re.compile(r"until (end of|your next)|this turn|this combat", re.IGNORECASE)
_TRIGGERED: Final = re.compile(r"^(When|Whenever|At the (beginning|end))\b", re.IGNORECASE)
_ACTIVATED: Final = re.compile(r"^(\[?[+\u2212-]?[0-9X]+\]?|[^\".]*?(\{[^}]+\}|\b[A-Z][^\".:]*)): ")
#: Where a static ability works although its card is not on the battlefield (CR 113.6).
_ELSEWHERE: Final = {
    "graveyard": re.compile(r"\bin (your|a|its owner's) graveyard\b|\bin all zones\b", re.IGNORECASE),
    "exile": re.compile(r"\bin exile\b|\bis exiled\b", re.IGNORECASE),
    "command": re.compile(r"\bin the command zone\b|\beminence\b", re.IGNORECASE),
    "hand": re.compile(r"\bin your hand\b", re.IGNORECASE),
    "library": re.compile(r"\bin your library\b", re.IGNORECASE),
}
_COLORED: Final = {f"from {color}": (color,) for color in v.COLORS} | {
    "from each color": v.COLORS,
    "from all colors": v.COLORS,
    "from everything": ("everything",),
}
_TYPED: Final = {
    "artifacts": "artifact", "battles": "battle", "creatures": "creature", "enchantments": "enchantment",
    "lands": "land", "planeswalkers": "planeswalker", "instants": "instant", "sorceries": "sorcery",
}  # fmt: skip


class Abilities(NamedTuple):
    """What was found in a rules text."""

    keywords: tuple[str, ...] = ()
    protection: tuple[str, ...] = ()
    enchant: Enchant | None = None
    final_chapter: int = 0
    counter_limits: tuple[tuple[str, int], ...] = ()
    dies_trigger: bool = False
    leaves_trigger: bool = False
    #: Lines whose effect on a board is not read.
    not_modelled: tuple[str, ...] = ()

    def merged(self, under: Abilities) -> Abilities:
        """Return these with those of a component below, which a merged permanent has as well (CR 702.140e)."""
        return Abilities(
            tuple(word for word in v.KEYWORDS if word in self.keywords + under.keywords),
            tuple(sorted({*self.protection, *under.protection})),
            self.enchant if self.enchant is not None else under.enchant,
            max(self.final_chapter, under.final_chapter),
            tuple(sorted({**dict(under.counter_limits), **dict(self.counter_limits)}.items())),
            self.dies_trigger or under.dies_trigger,
            self.leaves_trigger or under.leaves_trigger,
            (*self.not_modelled, *under.not_modelled),
        )


@dataclass
class _Reading:
    """The abilities of one face as they are found."""

    name: str
    is_creature: bool
    listed: tuple[str, ...]

    def __post_init__(self) -> None:
        self.keywords: set[str] = set()
        self.protection: set[str] = set()
        self.enchant: Enchant | None = None
        self.limits: dict[str, int] = {}
        self.chapter = 0
        self.dies = self.leaves = False
        self.left: list[str] = []
        short = re.split(r",| of | the |-", self.name)[0]
        self.selves = tuple(dict.fromkeys((self.name, short, self.name.split(" ")[0])))


def abilities_of(face: Face, zone: str = "battlefield") -> Abilities:
    """Return what the text of a face says to the board model; in other zones than the battlefield, what works there.

    Triggers count in the usual wordings: "When this creature dies", "Whenever a creature you control dies".
    """
    reading = _Reading(face.name, "creature" in face.types, face.keywords)
    for line in lines_of(face.text):
        _read_line(line, reading)
    if zone != "battlefield":
        reading.left = [line for line in reading.left if zone in _ELSEWHERE and _ELSEWHERE[zone].search(line)]
    elif "aura" in face.subtypes and reading.enchant is None and "bestow" not in reading.keywords:
        reading.left.append("(it is an Aura without a line Enchant)")
    return Abilities(
        tuple(word for word in v.KEYWORDS if word in reading.keywords),
        tuple(sorted(reading.protection)),
        reading.enchant,
        reading.chapter,
        tuple(sorted(reading.limits.items())),
        reading.dies,
        reading.leaves,
        tuple(dict.fromkeys(reading.left)),
    )


def lines_of(text: str) -> list[str]:
    """Return the abilities of a rules text, without reminder text."""
    text = text.replace("\u2019", "'")
    lines = (" ".join(_REMINDER.sub("", line).split()) for line in text.split("\n"))
    return [line for line in lines if line]


def _read_line(line: str, reading: _Reading) -> None:
    chapter = _CHAPTER.match(line)
    if chapter:
        reading.chapter = max(reading.chapter, *(_roman(number) for number in chapter[1].split(", ")))
        _read_resolving(line, reading)
        return
    if _read_keywords(line, reading):
        return
    plain = _ABILITY_WORD.sub("", line)
    if _TRIGGERED.match(plain):
        _read_trigger(plain, reading)
        _read_resolving(line, reading)
    elif plain.startswith("\u2022") or _ACTIVATED.match(plain):
        _read_resolving(line, reading)
    elif not _read_static(plain, reading) and not _is_harmless(plain, line):
        reading.left.append(line)


def _is_harmless(plain: str, line: str) -> bool:
    return not _CHANGE.search(plain) and any(p.search(plain) or p.search(line) for p in _HARMLESS)


def _roman(number: str) -> int:
    values = [_ROMAN[letter] for letter in number]
    return sum(-x if x < max(values[i:]) else x for i, x in enumerate(values))


def _read_resolving(line: str, reading: _Reading) -> None:
    """Read an ability that does something when it resolves: what it may have left behind is not on the board."""
    if _LASTING.search(line) and not _PASSING.search(line):
        reading.left.append(line)


def _read_trigger(line: str, reading: _Reading) -> None:
    condition = line.split(", ", maxsplit=1)[0].lower() if '"' not in line.split(", ", maxsplit=1)[0] else ""
    names = "|".join(re.escape(name.lower()) for name in reading.selves)
    myself = rf"(this \w+|{names})( or (another|an|a)\b[^,]*)?"
    if reading.is_creature:
        myself = rf"({myself}|an? (\w+ )?creature( you control)?|one or more creatures( you control)?)"
    if re.match(
        rf"when(ever)? {myself} (enters or )?(dies?|is put into (a|your|its owner's) graveyard from )", condition
    ):
        reading.dies = True
    if re.match(rf"when(ever)? {myself} (enters or )?leaves? the battlefield", condition):
        reading.leaves = True


def _read_static(line: str, reading: _Reading) -> bool:
    """Read the static abilities that objects have fields for."""
    limit = _LIMIT.search(line)
    if limit and limit[1].lower() in _NUMBERS:
        reading.limits[limit[2].lower()] = _NUMBERS.index(limit[1].lower())
        return line.count(".") == 1
    names = "|".join(re.escape(name) for name in reading.selves)
    rule = re.fullmatch(rf"(?:This \w+|{names}) can't (be \w+)\.", line)
    if rule and rule[1] in _SELF_RULES:
        reading.keywords.add(_SELF_RULES[rule[1]])
        return True
    return False


def _read_keywords(line: str, reading: _Reading) -> bool:
    """Read a line of keywords; False if it is none."""
    lower = line.lower().rstrip(".")
    if lower.startswith("enchant ") and '"' not in line and not lower.startswith("enchanted "):
        words = line[len("enchant ") :]
        reading.enchant = enchant_of(words)
        if reading.enchant is None:
            # Something that a filter cannot say: what it is attached to is taken for legal.
            reading.enchant = Filter()
            reading.left.append(line)
        return True
    pieces = re.split(r"[,;] (?:and (?=from ))?", lower)
    if _VERB.search(lower) or not all(_is_keyword(piece, reading.listed) for piece in pieces):
        return False
    for i, piece in enumerate(pieces):
        word = next((word for word in _MODELLED if re.match(rf"{re.escape(word)}($|[ \u2014])", piece)), None)
        if word:
            reading.keywords.add(_MODELLED[word])
        elif piece.startswith("protection from"):
            _read_protection(piece, reading)
        elif piece.startswith("from ") and pieces[i - 1].startswith(("protection", "from ")):
            _read_protection(f"protection {piece}", reading)
        elif piece.startswith(_CHANGING):
            reading.left.append(line)
        if piece.startswith(_DYING):
            reading.dies = True
    return True


def _is_keyword(piece: str, listed: Iterable[str]) -> bool:
    words = (*_MODELLED, "protection from", "from ", *_CHANGING, *_DYING, *PLAIN_KEYWORDS, *listed)
    # "Ward\u2014Pay 2 life" is a keyword; "Metalcraft \u2014 This creature gets +2/+2 ..." is a sentence.
    return (
        any(re.match(rf"{re.escape(word.strip())}($|\u2014| (?!\u2014))", piece) for word in words) and '"' not in piece
    )


def _read_protection(piece: str, reading: _Reading) -> None:
    for quality in re.split(r"(?:,? and )(?=from )", piece.removeprefix("protection ")):
        if quality in _COLORED:
            reading.protection.update(_COLORED[quality])
        elif quality.removeprefix("from ") in _TYPED:
            reading.protection.add(_TYPED[quality.removeprefix("from ")])
        else:
            reading.left.append(f"protection {quality}")
