"""From Forge's state text to a board: card facts put to names, and a finding for all that is open or left over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from headjudge.errors import DataError
from headjudge.io.board_records import BoardRecord
from headjudge.io.card_text import Abilities, abilities_of
from headjudge.io.cards import Card, CardBook, Face, combined
from headjudge.io.forge_report import Finding
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, REQUIRED, STATE_FIELDS, Record
from headjudge.io.scenario_values import Component, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from headjudge.io.forge_state import ForgeCard, ForgePlayer, ForgeState
    from headjudge.io.scenario_fields import Field

Unknown = Literal["refuse", "blank"]
#: A face-down permanent (CR 708.2a).
_FACE_DOWN: Final = Face("", types=("creature",), power=2, toughness=2)
#: Player counters that the board model holds.
_POISON: Final = "poison"


@dataclass(frozen=True)
class ImportedBoard:
    """A board, and what did not come across."""

    record: BoardRecord
    findings: tuple[Finding, ...]


def names_of(state: ForgeState) -> set[str]:
    """Return the names of all cards that facts are needed for."""
    names: set[str] = set()
    for card in state.cards:
        if card.name and card.token is None:
            names.add(card.name)
        names.update(card.merged)
        if card.melded_with:
            names.add(card.melded_with)
    return names


def board_of(state: ForgeState, cards: CardBook, unknown: Unknown = "refuse") -> ImportedBoard:
    """Return the board that a state text describes.

    Parameters
    ----------
    state : ForgeState
        As read by `headjudge.io.forge_state.parse`.
    cards : CardBook
        Facts of the cards named in it.
    unknown : {'refuse', 'blank'}
        Whether a card without facts is an error, or an object with a name and nothing else.

    Raises
    ------
    DataError
        For unknown cards, unless they are to be blank; names file, lines and cards.
    """
    return _Import(state, cards, unknown).board()


@dataclass
class _Import:
    state: ForgeState
    cards: CardBook
    unknown: Unknown
    findings: list[Finding] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def board(self) -> ImportedBoard:
        for where, what in self.state.passed_over:
            self._note("not_held", where, what)
        record = BoardRecord(
            self._state_record(),
            [self._player_record(seat, player) for seat, player in enumerate(self.state.players)],
            [self._object_record(row, card) for row, card in enumerate(self.state.cards)],
        )
        if self.missing and self.unknown == "refuse":
            raise DataError(
                f"{self.state.document.origin}: unknown cards: {listed(self.missing)}; expected them in "
                f"{self.cards.path} (or --unknown blank, to take them for objects with nothing but a name)"
            )
        return ImportedBoard(record, tuple(self.findings))

    def _note(self, kind: str, subject: str, detail: str) -> None:
        self.findings.append(Finding(kind, subject, detail))

    def _state_record(self) -> Record:
        record = _plain(STATE_FIELDS, 0)
        for name, value in (("active_player", self.state.active_player), ("step", self.state.step)):
            if value is None:
                self._note("assumed", name, f"the text does not say; taken for {record[name]}")
            else:
                record[name] = value
        if any(card.commander for card in self.state.cards):
            record["variant"] = ("commander",)
            self._note("assumed", "variant", "commander, as a card is one")
        return record

    def _player_record(self, seat: int, player: ForgePlayer) -> Record:
        record = _plain(PLAYER_FIELDS, seat)
        if player.life is None:
            self._note("assumed", f"p{seat} life", f"the text does not say; taken for {record['life']}")
        else:
            record["life"] = player.life
        record["speed"] = player.speed or None  # Forge writes 0 for who has no speed
        for kind, count in player.counters:
            if kind == _POISON:
                record["poison"] = count
            else:
                self._note("not_held", f"p{seat} counters", f"{kind} {count}")
        return record

    def _object_record(self, row: int, card: ForgeCard) -> Record:
        face, abilities = self._characteristics(card)
        owner = card.seat if card.owner is None else card.owner
        record = _plain(OBJECT_FIELDS, row, controller=card.seat)
        record |= {
            "name": face.name or None,
            "kind": card.kind,
            "zone": card.zone,
            "owner": owner,
            **{name: getattr(face, name) for name in ("types", "supertypes", "subtypes", "colors", "mana_value")},
            **{name: getattr(face, name) for name in ("power", "toughness")},
            **{name: getattr(abilities, name) for name in Abilities._fields if name != "not_modelled"},
            **{name: getattr(card, name) for name in ("damage", "counters", "tapped", "phased_out", "commander")},
            "attached_to": card.attached_to,
            "attacking": self._attacked(card),
            "components": self._components(card),
        }
        record["protector"] = protector_of(record, len(self.state.players))
        if "battle" in face.types and card.zone == "battlefield" and record["protector"] is None:
            self._note("assumed", card.label, "no protector: the text does not say which opponent")
        for attribute in card.passed_over:
            self._note("not_held", card.label, attribute)
        return record

    def _characteristics(self, card: ForgeCard) -> tuple[Face, Abilities]:
        """Return the face that is up, with the abilities of all components."""
        if card.face_down:
            self._look_up(card, card.name)  # a card that nobody knows is unknown although it is face down
            return _FACE_DOWN, Abilities()
        if card.token is not None or card.script:
            face, not_modelled = self._token(card)
        else:
            face, not_modelled = self._face(card), ()
        abilities = abilities_of(face, card.zone)
        self._tell(face, (*face.unread, *not_modelled, *abilities.not_modelled), card)
        for name in card.merged:
            under = self._look_up(card, name)
            if under is None:
                continue
            more = abilities_of(under.front, card.zone)
            self._tell(under.front, more.not_modelled, card)
            abilities = abilities.merged(more)
        self._tell_counters(card, face)
        return face, abilities

    def _tell(self, face: Face, lines: Iterable[str], card: ForgeCard) -> None:
        for line in dict.fromkeys(lines):
            number = line.split(" ")[0] in ("power", "toughness", "loyalty", "defense") and line in face.unread
            if number and (card.zone != "battlefield" or line.startswith(("loyalty", "defense"))):
                continue  # looked at by no rule there; Forge writes counters
            self._note("not_modelled", face.name or card.label, line)

    def _tell_counters(self, card: ForgeCard, face: Face) -> None:
        """Say where a permanent has none of the counters without which it does not live."""
        kinds = dict(card.counters)
        for kind, what in (("loyalty", "planeswalker"), ("defense", "battle")):
            if card.zone == "battlefield" and what in face.types and not kinds.get(kind):
                printed = getattr(face, kind)
                enters = "" if printed is None else f"; the card enters with {printed}"
                self._note("assumed", card.label, f"no {kind} counters, as the text has none{enters}")

    def _token(self, card: ForgeCard) -> tuple[Face, tuple[str, ...]]:
        if card.token is None:
            self._missing(card, f"T:{card.script}", "the name of its script does not tell what it is")
            return Face(card.script), ()
        if card.script:
            self._note("assumed", f"T:{card.script}", f"{card.token.assumed}, as the name of its script has it")
        return card.token.face, card.token.not_modelled

    def _face(self, card: ForgeCard) -> Face:
        facts = self._look_up(card, card.name)
        if facts is None:
            return Face(card.name)
        if facts.ambiguous:
            self._note("assumed", card.name, "the first of several cards of that name")
        if card.face == "Meld":
            return self._melded(card, facts)
        if card.face:
            if facts.back is None:
                raise self._error(card, f"{card.name}: {card.face}: expected a card with another face to show")
            if (card.face == "Flipped") != (facts.layout == "flip"):
                raise self._error(card, f"{card.name}: {card.face}: found a card of layout {facts.layout}")
            return facts.back
        if "room" in facts.faces[0].subtypes and card.zone == "battlefield" and len(facts.faces) > 1:
            return self._room(card, facts)
        return facts.front

    def _melded(self, card: ForgeCard, facts: Card) -> Face:
        result = facts.faces[1] if len(facts.faces) > 1 else None
        if facts.melds_into and self.cards.get(facts.melds_into):
            result = self.cards.get(facts.melds_into).front  # type: ignore[union-attr]
        if result is None:
            raise self._error(card, f"{card.name}: Meld: expected what it melds into in {self.cards.path}, found none")
        other = self._look_up(card, card.melded_with) if card.melded_with else None
        if not card.melded_with:
            self._note("assumed", card.name, "melded with a card that the text does not name")
        # CR 712.8g: the mana value is that of both front faces together.
        return replace(result, mana_value=facts.front.mana_value + (other.front.mana_value if other else 0))

    def _room(self, card: ForgeCard, facts: Card) -> Face:
        """Return a Room with the doors that are unlocked (CR 709.5)."""
        if card.rooms:
            return combined(facts.faces[half] for half in card.rooms if half < len(facts.faces))
        return Face("", facts.faces[0].types, facts.faces[0].supertypes, facts.faces[0].subtypes)

    def _look_up(self, card: ForgeCard, name: str) -> Card | None:
        if card.token is not None or card.script:
            return None
        facts = self.cards.get(name)
        if facts is None:
            other = self.cards.whose_back(name)
            hint = f"the other side of {other.name}; Forge names cards by their front" if other else ""
            self._missing(card, name, hint)
        return facts

    def _missing(self, card: ForgeCard, name: str, hint: str = "") -> None:
        told = f"{name} (line {card.line}{f', {hint}' if hint else ''})"
        if told not in self.missing:
            self.missing.append(told)
        self._note("unknown", name, hint or f"in no card of {self.cards.path}")

    def _error(self, card: ForgeCard, message: str) -> DataError:
        return DataError(f"{self.state.document.origin}: line {card.line}: {message}")

    def _attacked(self, card: ForgeCard) -> int | None:
        if not isinstance(card.attacking, str):
            return card.attacking
        others = opponents(card.seat, len(self.state.players))
        if len(others) > 1:
            self._note("assumed", card.label, f"attacks p{others[0]}: the text does not say which opponent")
        return -1 - others[0]

    def _components(self, card: ForgeCard) -> tuple[Component, ...]:
        if card.face_down:
            return (Component(card.name, card.kind, None),)  # what it consists of is known although it has no name
        names = [*card.merged, *([card.melded_with] if card.melded_with else [])]
        if not names:
            return ()
        return (Component(card.name, card.kind, None), *(Component(name, "card", None) for name in names))


def protector_of(thing: Record, players: int) -> int | None:
    """Return who protects a battle, where that is clear: a Siege's only opponent, else its controller (CR 310.8)."""
    if "battle" not in thing["types"] or thing["zone"] != "battlefield":
        return None
    seat: int = thing["controller"]
    if "siege" not in thing["subtypes"]:
        return seat
    others = opponents(seat, players)
    return others[0] if len(others) == 1 else None


def opponents(seat: int, players: int) -> list[int]:
    """Return the other players, the next in turn order first."""
    return [(seat + i) % players for i in range(1, players)]


def _plain(fields: Mapping[str, Field], row: int, **stated: Any) -> Record:
    """Return a record of nothing but defaults, beside what is stated."""
    record: Record = dict(stated)
    for name, known in fields.items():
        if name not in record:
            record[name] = known.default_of(record, row)
            if record[name] is REQUIRED:
                raise KeyError(name)
    return record
