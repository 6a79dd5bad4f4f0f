"""What a state text cannot say of a board: everything that is not the same once the text is read again."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headjudge.effects import Objects
from headjudge.errors import DataError
from headjudge.io import forge_state
from headjudge.io.cards import CardBook
from headjudge.io.forge_import import board_of, protector_of
from headjudge.io.forge_report import Finding
from headjudge.io.forge_writing import Template, why_not_listed, write
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS
from headjudge.io.scenarios import effect_text_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from headjudge.io.board_records import BoardRecord
    from headjudge.io.forge_text import Document
    from headjudge.io.scenario_fields import Field, Record

#: Fields that a name stands for: compared with card facts, where there are any.
CHARACTERISTICS: Final = (
    "name", "types", "supertypes", "subtypes", "colors", "power", "toughness", "mana_value", "keywords", "protection",
    "enchant", "final_chapter", "counter_limits", "dies_trigger", "leaves_trigger",
)  # fmt: skip
#: Compared as an order: the text has no numbers for them.
_TIMES: Final = ("timestamp", "world_since")
_REFERENCES: Final = ("attached_to", "attacking", "source")
#: Forge numbers players by one digit.
MOST_PLAYERS: Final = 10
_NO_CARDS: Final = CardBook(Path("no file"))


class ExportedBoard(NamedTuple):
    """A text, and what the board says beyond it."""

    document: Document
    findings: tuple[Finding, ...]


def text_of(
    record: BoardRecord,
    object_ids: Sequence[int],
    name: str,
    template: Template | None = None,
    cards: CardBook | None = None,
) -> ExportedBoard:
    """Return a board as Forge's text, and by field and object what the text cannot say.

    Parameters
    ----------
    record : BoardRecord
        The board.
    object_ids : sequence of int
        Of its objects, by row.
    name : str
        How the puzzle is called, without a template.
    template : Template, optional
        The text that the board came from: what is still so stays as it is written there.
    cards : CardBook, optional
        Card facts: without them, cards are taken to be what their names say.

    Raises
    ------
    DataError
        If there are more players than the text can name.
    """
    if len(record.players) > MOST_PLAYERS:
        raise DataError(f"{name}: expected at most {MOST_PLAYERS} players, p0 to p9, found {len(record.players)}")
    written = write(record, object_ids, name, template, cards)
    state = forge_state.parse(written.document)
    again = board_of(state, cards or _NO_CARDS, "blank")
    findings = _state_findings(record, again.record, object_ids)
    labels = [
        thing["name"] or f"object {object_id}" for thing, object_id in zip(record.objects, object_ids, strict=True)
    ]
    for row, thing in enumerate(record.objects):
        reason = why_not_listed(thing)
        if reason and thing["zone"] != "none":
            findings.append(Finding("not_said", _subject(labels[row], object_ids[row]), f"left out: {reason}"))
    if cards is not None:
        findings += [finding for finding in again.findings if finding.kind == "unknown"]
    unknown = {finding.subject for finding in again.findings if finding.kind == "unknown"}
    for card, found, row in zip(state.cards, again.record.objects, written.rows, strict=True):
        left_out: tuple[str, ...] = _TIMES
        if card.name in unknown and not card.face_down:
            left_out = (*_TIMES, *CHARACTERISTICS)
            found["protector"] = protector_of(record.objects[row], len(record.players))
        compared = tuple(field for field in OBJECT_FIELDS if field not in left_out)
        for field, value in _different(record.objects[row], found, OBJECT_FIELDS, compared, written.rows):
            shown = _shown(field, value, object_ids)
            findings.append(Finding("not_said", _subject(labels[row], object_ids[row]), f"{field}: {shown}"))
    findings += _time_findings(record, written.rows)
    for effect in record.effects:
        source = "no source" if effect.source is None else _subject(labels[effect.source], object_ids[effect.source])
        text = effect_text_mapping(effect.text)
        if isinstance(effect.text.affects, Objects):
            text["affects"] = [object_ids[row] for row in effect.objects]
        findings.append(Finding("not_said", f"effect ({source})", str(text)))
    return ExportedBoard(written.document, tuple(findings))


def _subject(label: str, object_id: int) -> str:
    return label if label == f"object {object_id}" else f"{label} (object {object_id})"


def _state_findings(record: BoardRecord, again: BoardRecord, object_ids: Sequence[int]) -> list[Finding]:
    findings = [
        Finding("not_said", "state", f"{field}: {_shown(field, value, object_ids)}")
        for field, value in _different(record.state, again.state, STATE_FIELDS, tuple(STATE_FIELDS))
    ]
    for seat, player in enumerate(record.players):
        if seat >= len(again.players):
            findings.append(Finding("not_said", f"p{seat}", "left out: the text has nothing to say of this player"))
            continue
        for field, value in _different(player, again.players[seat], PLAYER_FIELDS, tuple(PLAYER_FIELDS)):
            findings.append(Finding("not_said", f"p{seat}", f"{field}: {_shown(field, value, object_ids)}"))
    return findings


def _different(
    one: Record,
    other: Record,
    known: Mapping[str, Field],
    fields: Sequence[str],
    rows: Sequence[int] = (),
) -> list[tuple[str, Any]]:
    """Return the fields of `one` that `other` does not have; `rows` are those of the objects that `other` refers to."""
    found = []
    for field in known:
        if field not in fields:
            continue
        value = other[field]
        if field in _REFERENCES and isinstance(value, int) and value >= 0:
            value = rows[value]
        if one[field] != value:
            found.append((field, one[field]))
    return found


def _shown(field: str, value: Any, object_ids: Sequence[int]) -> str:
    """Return a value as a person reads it."""
    if field in _REFERENCES and isinstance(value, int):
        return f"player {-1 - value}" if value < 0 else f"object {object_ids[value]}"
    if field == "keeps_attachments":
        return ", ".join(f"object {object_ids[row]}" for row in value) or "none"
    if field == "commander_damage":
        return ", ".join(f"{amount} by object {object_ids[row]}" for row, amount in value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if hasattr(value, "to_mapping"):
        return str(value.to_mapping())
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _time_findings(record: BoardRecord, rows: Sequence[int]) -> list[Finding]:
    """Say where timestamps are not in the order of the text."""
    times = [record.objects[row]["timestamp"] for row in rows if record.objects[row]["zone"] == "battlefield"]
    findings = []
    if any(later <= earlier for earlier, later in pairwise(times)):
        findings.append(Finding("not_said", "timestamp", "permanents came in another order than they are listed in"))
    for row in rows:
        thing = record.objects[row]
        if thing["world_since"] != thing["timestamp"]:
            findings.append(Finding("not_said", thing["name"] or "a permanent", f"world_since: {thing['world_since']}"))
    return findings
