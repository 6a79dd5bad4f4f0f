"""Scenarios: board states as YAML text, with what is done to them and what must come out.

``read`` and ``dumps`` are the two ways; ``from_board`` makes a scenario of a board of a data set.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from headjudge.effects import EffectText, LifeOfYou, Objects, PlayersAffected, While
from headjudge.errors import DataError
from headjudge.filters import Filter
from headjudge.io import scenario_yaml
from headjudge.io.board_records import BoardRecord, EffectRecord, boards_of, record_of
from headjudge.io.choices import REPLACE_WORDS, columns_of
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS, write_record
from headjudge.io.scenario_reading import check_claim, check_expect, default_effect_id, read_choices, read_given
from headjudge.io.scenario_values import known_keys, listed, mapping, sequence
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import NAMES

if TYPE_CHECKING:
    from headjudge.boards import Boards
    from headjudge.kernels.tables import Choices

_KEYS: Final = ("id", "title", "rules", "source", "given", "do", "choices", "claim", "expect")
_DEFAULT_PLAYERS: Final[list[dict[str, Any]]] = [{}, {}]


@dataclass(frozen=True, eq=False)
class Scenario:
    """One board state, what is done to it, and what must come out."""

    id: str
    #: A batch of one state.
    boards: Boards
    #: Names of the objects, by row.
    handles: tuple[str, ...]
    choices: Choices
    #: Names of the effects, by row.
    effect_ids: tuple[str, ...] = ()
    do: str = "settle"
    title: str | None = None
    rules: tuple[str, ...] = ()
    source: str | None = None
    #: What must come out, and what another engine says came out: as written, its keys and words known.
    expect: Mapping[str, Any] | None = None
    claim: Mapping[str, Any] | None = None
    #: The file it stands in.
    origin: str = "scenarios"

    def __repr__(self) -> str:
        return f"<Scenario {self.id}: {len(self.handles)} objects, do: {self.do}>"


def read(path: str | Path) -> list[Scenario]:
    """Read a file of scenarios.

    Raises
    ------
    DataError
        If the file is no list of scenarios; names file, scenario and field.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: expected UTF-8 text: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    return reads(text, str(path))


def reads(text: str, origin: str = "scenarios") -> list[Scenario]:
    """Read scenarios from YAML text; `origin` is what messages call it. Raises `DataError` like `read`."""
    document = scenario_yaml.load(text, origin)
    if isinstance(document, Mapping) and "given" in document:
        document = [document]
    if not isinstance(document, list) or not document:
        found = "nothing" if not document else type(document).__name__
        raise DataError(f"{origin}: expected a list of scenarios (entries that start with '- id: ...'), found {found}")
    scenarios: dict[str, Scenario] = {}
    for position, entry in enumerate(document):
        scenario = _read_scenario(entry, position, origin)
        if scenario.id in scenarios:
            raise DataError(f"{origin}: scenario {scenario.id}, id: expected another one, two scenarios have it")
        scenarios[scenario.id] = scenario
    return list(scenarios.values())


def _read_scenario(entry: Any, position: int, origin: str) -> Scenario:
    here = f"{origin}: entry {position + 1}"
    given_id = mapping(entry, here).get("id", f"{Path(origin).stem}-{position + 1}")
    if not isinstance(given_id, str) or not given_id:
        raise DataError(f"{here}.id: expected text, found {given_id!r} (put it in quotes)")
    where = f"{origin}: scenario {given_id}"
    known_keys(entry, _KEYS, where)
    if "given" not in entry:
        raise DataError(f"{where}: given is missing; expected a board")
    for name in ("title", "source"):
        if not isinstance(entry.get(name, ""), str):
            raise DataError(f"{where}, {name}: expected text, found {entry[name]!r} (put it in quotes)")
    given = read_given(entry["given"], f"{where}, given")
    rules = sequence(entry.get("rules", []), f"{where}, rules")
    for rule in rules:
        _one_of(rule, NAMES, f"{where}, rules")
    claim = check_claim(entry["claim"], f"{where}, claim", given) if "claim" in entry else None
    expected = "expect" in entry
    return Scenario(
        given_id,
        boards_of(given.record, position, given.problems),
        given.handles,
        read_choices(entry.get("choices", {}), f"{where}, choices", given),
        given.effect_ids,
        _one_of(entry.get("do", v.PROCEDURES[0]), v.PROCEDURES, f"{where}, do"),
        entry.get("title"),
        tuple(rules),
        entry.get("source"),
        check_expect(entry["expect"], f"{where}, expect", given, claim is not None) if expected else None,
        claim,
        origin,
    )


def _one_of(word: Any, known: Collection[str], where: str) -> str:
    if not isinstance(word, str) or word not in known:
        raise DataError(f"{where}: unknown word {word!r}; expected one of {listed(known)}")
    return word


def to_mapping(
    boards: Boards, row: int, handles: Sequence[str], effect_ids: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return a state as the mapping under `given`: only what differs from the defaults.

    Raises `DataError` for a board that could not be read when it came in.
    """
    for problem in boards[row].problems:
        raise DataError(f"state {boards.states.state_id[row]} cannot be written: {problem.reason}")
    return record_to_mapping(record_of(boards, row), handles, effect_ids)


def record_to_mapping(
    record: BoardRecord, handles: Sequence[str], effect_ids: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return a board as the mapping under `given`: only what differs from the defaults."""
    players = [write_record(p, PLAYER_FIELDS, seat, handles) for seat, p in enumerate(record.players)]
    objects = {
        handle: write_record(o, OBJECT_FIELDS, i, handles)
        for i, (handle, o) in enumerate(zip(handles, record.objects, strict=True))
    }
    effects = [
        _write_effect(effect, i, effect_ids[i] if effect_ids else default_effect_id(i), handles)
        for i, effect in enumerate(record.effects)
    ]
    return {
        **write_record(record.state, STATE_FIELDS, 0, handles),
        **({"players": players} if players != _DEFAULT_PLAYERS else {}),
        **({"objects": objects} if objects else {}),
        **({"effects": effects} if effects else {}),
    }


def _write_effect(effect: EffectRecord, position: int, effect_id: str, handles: Sequence[str]) -> dict[str, Any]:
    stated = {
        "id": None if effect_id == default_effect_id(position) else effect_id,
        "source": None if effect.source is None else handles[effect.source],
        "controller": effect.controller,
        "until": effect.until,
        "timestamp": effect.timestamp,
    }
    affects = effect.text.affects
    text = effect_text_mapping(effect.text)
    if isinstance(affects, Objects):
        text["affects"] = [handles[row] for row in effect.objects]
    return {**{k: x for k, x in stated.items() if x is not None}, **text}


def effect_text_mapping(text: EffectText) -> dict[str, Any]:
    """Return what an effect says as YAML writes it; `affects` of listed objects is left empty."""
    written = {"while" if f.name == "condition" else f.name: _plain(getattr(text, f.name)) for f in fields(text)}
    written["per_distinct"] = "types" if text.per_distinct else None
    return {k: x for k, x in written.items() if x is not None and x is not False}


def _plain(value: Any) -> Any:
    match value:
        case tuple():
            return list(value)
        case Filter():
            return value.to_mapping()
        case LifeOfYou():
            return {"life": "you"}
        case Objects():
            return []
        case PlayersAffected():
            return {"player": value.who}
        case While():
            counted = _plain(value.matching)
            bounds = {"at_least": value.at_least, "at_most": value.at_most}
            matching = counted if isinstance(value.matching, LifeOfYou) else {"matching": counted}
            return {**matching, **{k: x for k, x in bounds.items() if x is not None}}
    return value


_REPLACE_WORDS: Final = {value: word for word, value in REPLACE_WORDS.items()}


def choices_to_mapping(choices: Choices, handles: Sequence[str], effect_ids: Sequence[str]) -> dict[str, Any]:
    """Return the choices made on one state as the mapping under `choices`."""
    written: dict[str, Any] = {}
    for code, subject, value in zip(*(column.tolist() for column in choices), strict=True):
        choice = v.CHOICES[code]
        if choice == "keep":
            written.setdefault(choice, []).append(handles[subject])
            continue
        chosen = written.setdefault(choice, {})
        match choice:
            case "command_zone":
                chosen[handles[subject]] = bool(value)
            case "protector":
                chosen[handles[subject]] = value
            case "sector":
                chosen[handles[subject]] = v.SECTORS[value]
            case "destination":
                chosen[handles[subject]] = v.ZONES[value]
            case "replace":
                chosen[handles[subject]] = _REPLACE_WORDS[value] if value in _REPLACE_WORDS else handles[value]
            case "loss_replacement":
                chosen[-1 - subject] = handles[value] if value >= 0 else effect_ids[-1 - value]
    return written


#: Handles that YAML would read as something else, or that are words where objects may stand.
_TAKEN: Final = ("nothing", *REPLACE_WORDS, "self", "host", "null", "true", "false", "yes", "no", "on", "off")


def handles_of(boards: Boards, row: int = 0) -> tuple[str, ...]:
    """Return a handle for each object of a state: its name in snake case, or kind and object_id."""
    board = boards[row]
    names = ["" if code == v.NAMELESS else _snake_case(board.lexicon.names[code]) for code in board.objects.name]
    times = Counter(names)
    used: set[str] = set(_TAKEN)
    handles = []
    for name, kind, object_id in zip(names, board.objects.kind.tolist(), board.objects.object_id.tolist(), strict=True):
        handle = name if name and times[name] == 1 else f"{name or v.KINDS[kind]}_{object_id}"
        while handle in used:
            handle = f"{handle}_{object_id}"
        used.add(handle)
        handles.append(handle)
    return tuple(handles)


def _snake_case(name: str) -> str:
    plain = (
        unicodedata.normalize("NFKD", name.replace("'", "").replace("\u2019", "")).encode("ascii", "ignore").decode()
    )
    words = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    return words if words[:1].isalpha() else ""


def from_board(
    boards: Boards,
    row: int = 0,
    *,
    id: str | None = None,  # noqa: A002 (the field's own name)
    title: str | None = None,
    do: str = v.PROCEDURES[0],
    choices: Choices | None = None,
) -> Scenario:
    """Return a state of a data set as a scenario, with handles made from its names.

    Raises `DataError` for a board that could not be read when it came in.
    """
    board = boards[row]
    return Scenario(
        id or f"state-{board.states.state_id[0]}",
        board,
        handles_of(board),
        choices or columns_of([]),
        tuple(map(default_effect_id, range(len(board.effects.text)))),
        do,
        title,
    )


#: What stands in a block of its own, below it a line for each object, effect, pass or finding.
_BLOCKS: Final = ("given", "choices", "claim", "expect")
_LISTS: Final = ("effects", "actions", "findings")


def dumps(scenarios: Iterable[Scenario]) -> str:
    """Return scenarios as YAML text, an object a line; `reads` gives the same scenarios back."""
    return "\n".join("\n".join(_scenario_lines(scenario)) + "\n" for scenario in scenarios)


def _scenario_lines(scenario: Scenario) -> list[str]:
    entry: dict[str, Any] = {
        "id": scenario.id,
        "title": scenario.title,
        "rules": list(scenario.rules) or None,
        "source": scenario.source,
        "given": to_mapping(scenario.boards, 0, scenario.handles, scenario.effect_ids),
        "do": None if scenario.do == v.PROCEDURES[0] else scenario.do,
        "choices": choices_to_mapping(scenario.choices, scenario.handles, scenario.effect_ids) or None,
        "claim": scenario.claim,
        "expect": scenario.expect,
    }
    lines: list[str] = []
    for key, value in entry.items():
        if key in _BLOCKS and value:
            lines += [f"{key}:", *("  " + line for k, x in value.items() for line in _block(k, x))]
        elif value is not None:
            lines.append(scenario_yaml.line(key, value))
    return [("- " if i == 0 else "  ") + line for i, line in enumerate(lines)]


def _block(key: str, value: Any) -> list[str]:
    if key == "objects" and value:
        width = max(len(scenario_yaml.flow(handle)) for handle in value) + 2
        return [
            f"{key}:",
            *(f"  {scenario_yaml.flow(handle) + ':':{width}}{scenario_yaml.flow(x)}" for handle, x in value.items()),
        ]
    if key in _LISTS and value:
        return [f"{key}:", *(f"  - {scenario_yaml.flow(x)}" for x in value)]
    return [f"{key}: {scenario_yaml.flow(value)}"]
