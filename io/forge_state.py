"""What a state text of Forge's says before any card facts: players, cards, and what of it is passed over.

References between cards are positions in `ForgeState.cards`, players are ``-1 - seat``, as in the board model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from headjudge.errors import DataError
from headjudge.io import forge_tokens
from headjudge.io.forge_text import SECTIONS, Document, Line
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from headjudge.io.forge_tokens import Token

SEATS: Final = {"human": 0, "ai": 1}
#: Zones by the keys of their lines.
ZONES: Final = {
    "hand": "hand",
    "library": "library",
    "graveyard": "graveyard",
    "battlefield": "battlefield",
    "play": "battlefield",
    "exile": "exile",
    "command": "command",
}
#: Forge's phases in the order of v.STEPS.
PHASES: Final = (
    "UNTAP", "UPKEEP", "DRAW", "MAIN1", "COMBAT_BEGIN", "COMBAT_DECLARE_ATTACKERS", "COMBAT_DECLARE_BLOCKERS",
    "COMBAT_FIRST_STRIKE_DAMAGE", "COMBAT_DAMAGE", "COMBAT_END", "MAIN2", "END_OF_TURN", "CLEANUP",
)  # fmt: skip
_STEP_OF: Final = dict(zip(PHASES, v.STEPS, strict=True))
_PLAYER_KEY: Final = re.compile(r"(p\d|human|ai)([a-z]+)")
_MANY: Final = "UnlockedRoom"
#: Attributes that the board model holds; a trailing colon = with a value.
_HELD: Final = (
    "Tapped", "FaceDown", "Transformed", "Modal", "Flipped", "Meld", "IsCommander", "Id:", "AttachedTo:", "Attaching:",
    "EnchantingPlayer:", "Owner:", "Damage:", "Counters:", "Attacking", "MergedCards:", "IsToken", "PhasedOut",
    "UnlockedRoom:",
)  # fmt: skip
#: Attributes that say nothing about a game.
_DECORATION: Final = ("Set", "Art")
FACES: Final = ("Transformed", "Modal", "Flipped", "Meld")
_POWER_COUNTER: Final = re.compile(r"([PM])(\d{1,6})([PM])(\d{1,6})")
_SIGNS: Final = {"P": "+", "M": "-"}


@dataclass(frozen=True)
class ForgeCard:
    """One card or token of a zone."""

    line: int
    seat: int
    zone: str
    #: The entry as written, with the spaces around it.
    raw: str
    name: str
    #: `card` or `token`.
    kind: str = "card"
    #: Of a token that is written out, or known by its script.
    token: Token | None = None
    #: Of a token that is known by its script.
    script: str = ""
    id: int | None = None
    owner: int | None = None
    tapped: bool = False
    phased_out: bool = False
    face_down: bool = False
    #: A word of `FACES`, or nothing.
    face: str = ""
    melded_with: str = ""
    merged: tuple[str, ...] = ()
    #: Halves of a Room that are unlocked: 0, 1.
    rooms: tuple[int, ...] = ()
    commander: bool = False
    attached_to: int | None = None
    damage: int = 0
    #: Kinds in the words of the board model, sorted.
    counters: tuple[tuple[str, int], ...] = ()
    #: `player` = the defending player, or a card.
    attacking: int | str | None = None
    #: What of it the board model does not hold.
    passed_over: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """How messages call it."""
        return self.name or f"T:{self.script}"


@dataclass(frozen=True)
class ForgePlayer:
    """What is said of one player; None = nothing."""

    life: int | None = None
    counters: tuple[tuple[str, int], ...] = ()
    speed: int | None = None


@dataclass(frozen=True)
class ForgeState:
    """What a file says."""

    document: Document
    players: tuple[ForgePlayer, ...]
    cards: tuple[ForgeCard, ...]
    active_player: int | None = None
    step: str | None = None
    #: What of it the board model does not hold: (where, what).
    passed_over: tuple[tuple[str, str], ...] = ()


def parse(document: Document) -> ForgeState:
    """Read the state of a document.

    Raises
    ------
    DataError
        For what contradicts itself or cannot be a number, a player, a phase, a card; names file and line.
    """
    return _Parser(document).parse()


def key_parts(key: str) -> tuple[int, str] | None:
    """Return the seat and the rest of a key such as ``p1battlefield`` or ``ailife``; None for any other."""
    match = _PLAYER_KEY.fullmatch(key)
    if not match:
        return None
    return SEATS[match[1]] if match[1] in SEATS else int(match[1][1:]), match[2]


def cut(value: str) -> list[str]:
    """Return the entries of a zone as written, empty ones too."""
    return value.split(";")


@dataclass
class _Parser:
    document: Document
    cards: list[ForgeCard] = field(default_factory=list)
    #: By card: attributes that refer to others, to be looked up when all are there: (attribute, value).
    references: list[dict[str, str]] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)

    def parse(self) -> ForgeState:
        state = self.document.state
        if not state:
            raise DataError(f"{self.document.origin}: expected a section [state] with lines key=value, found none")
        seats = [parts[0] for parts in map(key_parts, state) if parts]
        self.seats = max([1, *seats]) + 1
        stated: dict[int, dict[str, Any]] = {seat: {} for seat in range(self.seats)}
        general: dict[str, Any] = {}
        meant: dict[tuple[int, str], Line] = {}
        for key, line in state.items():
            parts = key_parts(key)
            if parts:
                other = meant.setdefault((parts[0], ZONES.get(parts[1], parts[1])), line)
                if other is not line:
                    message = f"expected {key} once for a player, found {other.key} on line {other.number} as well"
                    raise self._error(line, message)
            if parts and parts[1] in ZONES:
                self._read_zone(line, parts[0], ZONES[parts[1]])
            elif parts and parts[1] in ("life", "speed"):
                low = 0 if parts[1] == "speed" else -v.LARGEST
                stated[parts[0]][parts[1]] = self._number(line.value, line, key, low)
            elif parts and parts[1] == "counters":
                stated[parts[0]]["counters"] = self._counters(line.value, line, key)
            elif key == "activeplayer":
                general["active_player"] = self._seat(line.value, line, key)
            elif key == "activephase":
                general["step"] = self._step(line)
            elif line.value.strip():
                self.passed_over.append((f"line {line.number}", f"{key}={line.value.strip()}"))
        for line in self.document.lines:
            if line.is_unread and line.section != "metadata":
                self.passed_over.append((f"line {line.number}", f"{line.text.strip()} (Forge does not read it)"))
            elif line.key is not None and line.section not in SECTIONS:
                self.passed_over.append((f"line {line.number}", f"{line.text.strip()} (not in [state])"))
        for seat, player in stated.items():
            if player.get("speed", 0) > v.MAX_SPEED:
                line = next(x for key, x in state.items() if key_parts(key) == (seat, "speed"))
                raise self._error(line, f"speed: expected 0 to {v.MAX_SPEED}, found {player['speed']}")
        self._refer()
        players = tuple(ForgePlayer(**stated[seat]) for seat in range(self.seats))
        return ForgeState(self.document, players, tuple(self.cards), passed_over=tuple(self.passed_over), **general)

    def _error(self, line: Line | int, message: str) -> DataError:
        number = line if isinstance(line, int) else line.number
        return DataError(f"{self.document.origin}: line {number}: {message}")

    def _number(self, text: str, line: Line, what: str, low: int = 0) -> int:
        text = text.strip()
        if not re.fullmatch(r"[+-]?\d{1,10}", text, re.ASCII) or not low <= int(text) <= v.LARGEST:
            raise self._error(line, f"{what}: expected a whole number from {low} to {v.LARGEST}, found {text!r}")
        return int(text)

    def _seat(self, text: str, line: Line, what: str) -> int:
        word = text.strip().lower()
        seat = SEATS.get(word, int(word[1:]) if re.fullmatch(r"p\d", word, re.ASCII) else self.seats)
        if seat >= self.seats:
            expected = f"human, ai or p0 to p{self.seats - 1}"
            raise self._error(line, f"{what}: expected a player of the file ({expected}), found {text.strip()!r}")
        return seat

    def _step(self, line: Line) -> str | None:
        word = re.sub(r"[\s_]+", "_", line.value.strip().upper())
        if word in ("NONE", ""):
            return None
        if word not in _STEP_OF:
            raise self._error(
                line, f"activephase: expected one of {', '.join(PHASES)} or NONE, found {line.value.strip()!r}"
            )
        return _STEP_OF[word]

    def _counters(self, text: str, line: Line, what: str) -> tuple[tuple[str, int], ...]:
        counts: dict[str, int] = {}
        for entry in text.split(","):
            if not entry.strip():
                continue
            kind, equals, number = entry.partition("=")
            if not equals or not kind.strip():
                raise self._error(line, f"{what}: expected counters as KIND=NUMBER, found {entry.strip()!r}")
            word = counter_word(kind.strip())
            counts[word] = counts.get(word, 0) + self._number(number, line, f"{what} {kind.strip()}")
        return tuple(sorted((kind, count) for kind, count in counts.items() if count))

    def _read_zone(self, line: Line, seat: int, zone: str) -> None:
        for raw in cut(line.value):
            if raw.strip():
                self._read_card(raw, line, seat, zone)

    def _read_card(self, raw: str, line: Line, seat: int, zone: str) -> None:
        head, *attributes = (part.strip() for part in raw.split("|"))
        where = f"{self.document.origin}: line {line.number}"
        if head.startswith("t:"):
            token = forge_tokens.parse(head[2:], where)
            card = ForgeCard(line.number, seat, zone, raw, token.face.name, "token", token)
        elif head.startswith("T:"):
            card = ForgeCard(
                line.number, seat, zone, raw, "", "token", forge_tokens.script(head[2:].strip()), head[2:].strip()
            )
        else:
            card = ForgeCard(line.number, seat, zone, raw, head.removesuffix("+"))  # a foil
        if not card.name and not card.script:
            raise self._error(line, f"expected the name of a card, found {raw.strip()!r}")
        read: dict[str, Any] = {}
        references: dict[str, str] = {}
        passed_over: list[str] = []
        seen: set[str] = set()
        for attribute in attributes:
            name, colon, value = attribute.partition(":")
            form = f"{name}:" if colon else name
            if form not in _HELD and not (name in _HELD and name in ("FaceDown", "Meld", "Attacking", "PhasedOut")):
                if attribute and name not in _DECORATION:
                    passed_over.append(attribute)
                continue
            kind = "AttachedTo" if name in ("Attaching", "EnchantingPlayer") else name
            kind = "face" if name in FACES else kind
            if kind in seen and name != _MANY:
                raise self._error(line, f"{card.label}: expected {name} once, found {raw.strip()!r}")
            seen.add(kind)
            if name in ("AttachedTo", "Attaching", "EnchantingPlayer", "Attacking"):
                references[name] = value
            else:
                read |= self._attribute(name, value.strip(), line, card, read, passed_over)
        if "FaceDown" in seen and zone != "battlefield":
            read.pop("face_down")
            passed_over.append("FaceDown")
        self.cards.append(replace(card, passed_over=tuple(passed_over), **read))
        self.references.append(references)

    def _attribute(
        self, name: str, value: str, line: Line, card: ForgeCard, read: dict[str, Any], passed_over: list[str]
    ) -> dict[str, Any]:
        what = f"{card.label}: {name}"
        match name:
            case "Tapped":
                return {"tapped": True}
            case "IsToken":
                return {"kind": "token"}
            case "IsCommander":
                return {"commander": True}
            case "FaceDown":
                if value:
                    passed_over.append(f"FaceDown:{value} (how it came to be face down)")
                return {"face_down": True}
            case "PhasedOut":
                if value and self._seat(value, line, what) != card.seat:
                    passed_over.append(f"PhasedOut:{value} (whose untap step it waits for)")
                return {"phased_out": True}
            case "Meld":
                return {"face": name, "melded_with": value.replace("^", ",").removesuffix("+")}
            case "MergedCards":
                names = (part.strip().replace("^", ",").removesuffix("+") for part in value.split(","))
                return {"merged": tuple(part for part in names if part)}
            case "Id":
                return {"id": self._number(value, line, what)}
            case "Owner":
                return {"owner": self._seat(value, line, what)}
            case "Damage":
                return {"damage": self._number(value, line, what)}
            case "Counters":
                return {"counters": self._counters(value, line, what)}
            case "UnlockedRoom":
                halves = {"LeftSplit": 0, "RightSplit": 1}
                if value not in halves:
                    raise self._error(line, f"{what}: expected LeftSplit or RightSplit, found {value!r}")
                return {"rooms": tuple(sorted({*read.get("rooms", ()), halves[value]}))}
        return {"face": name}  # Transformed, Modal, Flipped

    def _refer(self) -> None:
        """Look up what attributes refer to by the Id of a card."""
        by_id: dict[int, int] = {}
        for i, card in enumerate(self.cards):
            if card.id is None:
                continue
            if card.id in by_id:
                other = self.cards[by_id[card.id]]
                raise self._error(
                    card.line, f"{card.label}: expected another Id than {card.id}, which {other.label} has"
                )
            by_id[card.id] = i
        for i, references in enumerate(self.references):
            for name, value in references.items():
                self.cards[i] = replace(self.cards[i], **self._reference(name, value.strip(), self.cards[i], by_id))

    def _reference(self, name: str, value: str, card: ForgeCard, by_id: dict[int, int]) -> dict[str, Any]:
        what = f"{card.label}: {name}"
        line = next(line for line in self.document.lines if line.number == card.line)
        if name == "EnchantingPlayer":
            return {"attached_to": -1 - self._seat(value, line, what)}
        if name == "Attacking" and not value:
            return {"attacking": "player"}
        target = self._number(value, line, what)
        if target not in by_id:
            raise self._error(line, f"{what}: expected the Id of a card in this file, found {target}")
        return {"attacking" if name == "Attacking" else "attached_to": by_id[target]}


def counter_word(kind: str) -> str:
    """Return a kind of counter as the board model calls it: ``P1P1`` is ``+1/+1``, ``LOYALTY`` is ``loyalty``."""
    match = _POWER_COUNTER.fullmatch(kind.upper())
    if match:
        return f"{_SIGNS[match[1]]}{match[2]}/{_SIGNS[match[3]]}{match[4]}"
    return kind.lower()


def counter_kind(word: str) -> str:
    """Return a kind of counter as Forge writes it."""
    match = re.fullmatch(r"([+-])(\d{1,6})/([+-])(\d{1,6})", word)
    if match:
        return f"{'PM'[match[1] == '-']}{match[2]}{'PM'[match[3] == '-']}{match[4]}"
    return word.upper()
