"""What a scenario says, checked: `given` as records, choices as columns, `expect` and `claim` against known words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headjudge import effects
from headjudge.errors import DataError
from headjudge.filters import Filter, check_word
from headjudge.io import choices
from headjudge.io.board_records import BoardRecord, EffectRecord
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS, Field, Record, read_record
from headjudge.io.scenario_values import (
    Flag,
    Names,
    Number,
    Word,
    check_protection,
    known_keys,
    listed,
    mapping,
    sequence,
)
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import BY_NAME, SBAS

if TYPE_CHECKING:
    from headjudge.kernels.tables import Choices

VERDICTS: Final = ("agree", "disagree", "rejected")
FINDING_KINDS: Final = ("missed", "spurious", "wrong_result")
OUTCOME_KEYS: Final = (
    "passes", "actions", "consequences", "objects", "players", "lost", "outcome", "next_step", "waiting",
    "players_get_priority", "status",
)  # fmt: skip
REST: Final = ("same", "any")
_DEFAULT_PLAYERS: Final = 2
_EFFECT_FIELDS: Final = ("id", "source", "controller", "until", "timestamp", *effects.TEXT_FIELDS)
#: Rows of `actions` about an effect: named by its id.
EFFECT_RULES: Final = ("effect_expires",)


class Given(NamedTuple):
    """A board, and the handles by which its scenario names things."""

    record: BoardRecord
    handles: tuple[str, ...]
    effect_ids: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def names(self) -> Names:
        """What handles and seats may be."""
        return Names({handle: row for row, handle in enumerate(self.handles)}, len(self.record.players))


def default_effect_id(position: int) -> str:
    """Return the name of an effect that has none."""
    return f"effect_{position + 1}"


def read_given(value: Any, where: str) -> Given:
    """Read a board; `DataError` naming `where` and the field for whatever cannot be understood."""
    given = mapping(value, where)
    known_keys(given, (*STATE_FIELDS, "players", "objects", "effects"), where)
    players = sequence(given.get("players", [{}] * _DEFAULT_PLAYERS), f"{where}.players")
    objects = mapping(given.get("objects", {}), f"{where}.objects")
    names = Names({handle: row for row, handle in enumerate(objects)}, len(players))
    if len(players) > v.MOST_PLAYERS:
        raise DataError(f"{where}.players: expected at most {v.MOST_PLAYERS} players, found {len(players)}")
    problems: list[str] = []

    def records(fields: Mapping[str, Field], entries: Collection[tuple[Any, Any]], place: str) -> list[Record]:
        return [
            read_record(entry, fields, row, f"{where}.{place.format(key)}", names=names, problems=problems)
            for row, (key, entry) in enumerate(entries)
        ]

    state = {key: x for key, x in given.items() if key in STATE_FIELDS}
    ids, effect_records = _read_effects(given.get("effects", []), f"{where}.effects", names)
    record = BoardRecord(
        read_record(state, STATE_FIELDS, 0, where, names=names, problems=problems),
        records(PLAYER_FIELDS, list(enumerate(players)), "players[{}]"),
        records(OBJECT_FIELDS, objects.items(), "objects.{}"),
        effect_records,
    )
    return Given(record, tuple(objects), ids, tuple(problems))


def _read_effects(value: Any, where: str, names: Names) -> tuple[tuple[str, ...], list[EffectRecord]]:
    entries = [mapping(entry, f"{where}[{i}]") for i, entry in enumerate(sequence(value, where))]
    ids = [entry.get("id", default_effect_id(i)) for i, entry in enumerate(entries)]
    seen: set[str] = set()
    for i, effect_id in enumerate(ids):
        if not isinstance(effect_id, str):
            raise DataError(f"{where}[{i}].id: expected text, found {effect_id!r} (put it in quotes)")
        if effect_id in seen:
            raise DataError(f"{where}[{i}].id: {effect_id!r} is the name of another effect")
        seen.add(effect_id)
    return tuple(ids), [_read_effect(entry, f"{where}[{i}]", names) for i, entry in enumerate(entries)]


def _read_effect(given: Mapping[str, Any], where: str, names: Names) -> EffectRecord:
    known_keys(given, _EFFECT_FIELDS, where)
    source = given.get("source")
    controller, timestamp = given.get("controller"), given.get("timestamp")
    objects, affects = _read_affects(given.get("affects"), f"{where}.affects", names)
    if source is None and affects in ("self", "host"):
        raise DataError(f"{where}.affects: {affects!r} needs a source, found none")
    fields = {key: x for key, x in given.items() if key in effects.TEXT_FIELDS and key != "affects"}
    text = effects.parse_text(fields, affects, where)
    if isinstance(text.control, int):
        names.seat(text.control, f"{where}.control")
    check_protection(text.gain_protection or (), f"{where}.gain_protection", names)
    return EffectRecord(
        text,
        None if source is None else names.row(source, f"{where}.source"),
        None if controller is None else names.seat(controller, f"{where}.controller"),
        Word(tuple(d for d in v.DURATIONS if d), nullable=True).read(given.get("until"), f"{where}.until", names),
        OBJECT_FIELDS["timestamp"].kind.read(timestamp, f"{where}.timestamp", names) if timestamp is not None else None,
        objects,
    )


def _read_affects(value: Any, where: str, names: Names) -> tuple[tuple[int, ...], effects.Affects]:
    if isinstance(value, list):
        return tuple(sorted({names.row(handle, where) for handle in value})), effects.Objects()
    if isinstance(value, Mapping) and "player" in value:
        known_keys(value, ("player",), where)
        who = value["player"]
        if isinstance(who, str):
            check_word(who, v.PLAYER_RELATIONS, f"{where}.player")
            return (), effects.PlayersAffected(who)
        return (), effects.PlayersAffected(names.seat(who, f"{where}.player"))
    if isinstance(value, Mapping):
        return (), Filter.parse(value, where)
    if value in ("self", "host"):
        return (), value
    raise DataError(f"{where}: expected self, host, a list of objects, a filter or {{player: ...}}, found {value!r}")


def read_choices(value: Any, where: str, given: Given) -> Choices:
    """Read what players choose."""
    names = given.names
    known_keys(mapping(value, where), v.CHOICES, where)
    rows: list[tuple[int, int, int]] = []
    for choice, chosen in value.items():
        here = f"{where}.{choice}"
        if choice == "keep":
            kept = [names.row(handle, here) for handle in sequence(chosen, here)]
            if len(set(kept)) < len(kept):
                raise DataError(f"{here}: expected each object once, found {chosen!r}")
            entries = [(row, 0) for row in kept]
        elif not isinstance(chosen, Mapping):
            raise DataError(f"{here}: expected a mapping, found {chosen!r}")
        elif choice == "loss_replacement":
            entries = [
                (-1 - names.seat(seat, here), _loss_replacement(source, f"{here}.{seat}", given))
                for seat, source in chosen.items()
            ]
        else:
            entries = [
                (names.row(handle, here), _read_choice(choice, option, f"{here}.{handle}", names))
                for handle, option in chosen.items()
            ]
        rows += [(v.CHOICES.index(choice), subject, option) for subject, option in entries]
    return choices.columns_of(rows)


def _loss_replacement(source: Any, where: str, given: Given) -> int:
    """Return the row of an object whose effect is used, or -1 - the row of the effect that is named."""
    if source in given.handles:
        return given.handles.index(source)
    if source in given.effect_ids:
        return -1 - given.effect_ids.index(source)
    known = listed([*given.handles, *given.effect_ids])
    raise DataError(f"{where}: unknown object or effect {source!r}; expected one of {known}")


def _read_choice(choice: str, option: Any, where: str, names: Names) -> int:
    match choice:
        case "command_zone":
            return int(Flag().read(option, where, names))
        case "protector":
            return names.seat(option, where)
        case "sector":
            return v.SECTORS.index(check_word(option, v.SECTORS, where))
        case "destination":
            return v.ZONES.index(check_word(option, v.ZONES, where))
    if not isinstance(option, str) or option not in choices.REPLACE_WORDS:
        return names.row(option, where)
    if option in names.rows:
        raise DataError(f"{where}: {option!r} is a word here; give the object of that name another handle")
    return choices.REPLACE_WORDS[option]


def check_expect(value: Any, where: str, given: Given, claimed: bool) -> Mapping[str, Any]:
    """Return `expect` if all its keys, words, handles and seats are known."""
    expect = mapping(value, where)
    if not claimed:
        return _check_outcome(expect, (*OUTCOME_KEYS, "rest"), where, given)
    known_keys(expect, ("verdict", "findings"), where)
    if "verdict" not in expect:
        raise DataError(f"{where}: verdict is missing; expected one of {listed(VERDICTS)}")
    check_word(expect["verdict"], VERDICTS, f"{where}.verdict")
    findings = sequence(expect.get("findings", []), f"{where}.findings")
    if findings and expect["verdict"] != "disagree":
        raise DataError(f"{where}.findings: expected none with verdict {expect['verdict']}, found {findings!r}")
    for i, finding in enumerate(findings):
        _check_finding(mapping(finding, f"{where}.findings[{i}]"), f"{where}.findings[{i}]", given.names)
    return expect


def _check_finding(finding: Mapping[str, Any], where: str, names: Names) -> None:
    known_keys(finding, ("kind", "rule", "object", "player"), where)
    if "kind" in finding:
        check_word(finding["kind"], FINDING_KINDS, f"{where}.kind")
    if finding.get("rule") is not None:
        check_word(finding["rule"], tuple(BY_NAME), f"{where}.rule")
    if "object" in finding and "player" in finding:
        raise DataError(f"{where}: expected an object or a player, found both")
    if "object" in finding:
        names.row(finding["object"], f"{where}.object")
    if "player" in finding:
        names.seat(finding["player"], f"{where}.player")


def check_claim(value: Any, where: str, given: Given) -> Mapping[str, Any]:
    """Return `claim` if all its keys, words, handles and seats are known."""
    return _check_outcome(mapping(value, where), OUTCOME_KEYS, where, given)


def _check_outcome(outcome: Mapping[str, Any], known: Collection[str], where: str, given: Given) -> Mapping[str, Any]:
    names = given.names
    known_keys(outcome, known, where)
    for key, value in outcome.items():
        here = f"{where}.{key}"
        match key:
            case "passes":
                Number(0).read(value, here, names)
            case "actions":
                for i, performed in enumerate(sequence(value, here)):
                    _check_rows(performed, SBAS, f"{here}[{i}]", given)
            case "consequences":
                _check_rows(value, [name for name in BY_NAME if name not in SBAS], here, given)
            case "objects":
                for handle, fields in mapping(value, here).items():
                    names.row(handle, here)
                    _check_fields(fields, OBJECT_FIELDS, f"{here}.{handle}", names)
            case "players":
                _check_players(value, here, names)
            case "lost":
                for seat in sequence(value, here):
                    names.seat(seat, here)
            case "outcome":
                _check_end(value, here, names)
            case "waiting":
                for handle in sequence(value, here):
                    names.row(handle, here)
            case "players_get_priority":
                Flag().read(value, here, names)
            case "next_step" if value is None:
                pass
            case _:
                check_word(value, {"next_step": v.STEPS, "status": v.STATUSES, "rest": REST}[key], here)
    return outcome


def _check_rows(rows: Any, rules: Collection[str], where: str, given: Given) -> None:
    for rule, entries in mapping(rows, where).items():
        if rule not in rules:
            raise DataError(f"{where}: unknown rule {rule!r}; expected one of {listed(rules)}")
        for entry in sequence(entries, f"{where}.{rule}"):
            if rule == "skipped_to":
                check_word(entry, v.STEPS, f"{where}.{rule}")
            elif rule not in EFFECT_RULES:
                given.names.reference(entry, f"{where}.{rule}")
            elif entry not in given.effect_ids:
                raise DataError(f"{where}.{rule}: unknown effect {entry!r}; expected one of {listed(given.effect_ids)}")


def _check_fields(fields: Any, known: Mapping[str, Field], where: str, names: Names) -> None:
    known_keys(mapping(fields, where), known, where)
    for name, value in fields.items():
        known[name].kind.read(value, f"{where}.{name}", names)


def _check_players(players: Any, where: str, names: Names) -> None:
    if not isinstance(players, Mapping):
        raise DataError(f"{where}: expected a mapping from seats, found {players!r}")
    for seat, fields in players.items():
        names.seat(seat, where)
        _check_fields(fields, PLAYER_FIELDS, f"{where}.{seat}", names)


def _check_end(outcome: Any, where: str, names: Names) -> None:
    if isinstance(outcome, Mapping):
        known_keys(outcome, ("win",), where)
        for seat in sequence(outcome.get("win"), f"{where}.win"):
            names.seat(seat, f"{where}.win")
    elif outcome not in ("ongoing", "draw"):
        raise DataError(f"{where}: expected ongoing, draw or {{win: [seats]}}, found {outcome!r}")
