"""Boards in the words of the game: objects, players, filters and effects as a judge would name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from headjudge.effects import EffectText, LifeOfYou, Objects, PlayersAffected, While
from headjudge.filters import Filter
from headjudge.io.board_records import name_of, object_records
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from headjudge.boards import Boards
    from headjudge.io.board_records import EffectRecord
    from headjudge.io.scenario_fields import Record

#: Flags worth a word on the line of an object, and which are not told by their names.
_MARKS: Final = (
    "tapped", "phased_out", "blocking", "bestowed", "resolving", "commander", "arrived", "deathtouch_damage",
    "dies_trigger", "leaves_trigger", "triggered_during", "bottommost_room",
)  # fmt: skip
_MARK_WORDS: Final = {
    "bestowed": "bestowed (an Aura, no creature)",
    "triggered_during": "triggered while the turn or phase was ending",
}


#: So many objects of which the same is said are named.
_MOST_NAMES: Final = 8
#: Zones where objects have no controller, so that they stand with their owner.
OWNERS_ZONES: Final = ("graveyard", "exile", "hand", "library", "none")


def spaced(word: str) -> str:
    """Return a word of the vocabulary as people write it."""
    return word.replace("cant_", "can't ").replace("_", " ").replace("player:", "player ")


def zone(word: str) -> str:
    """Return where an object goes."""
    return "gone" if word == "none" else word


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with what it counts."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def enumerated(words: Iterable[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    *first, final = list(words) or [""]
    return f"{', '.join(first)} {last} {final}" if first else final


class Namer:
    """Names the objects of a batch of one state.

    Where several are called the same, those that something refers to get their object_id, or each its handle, which
    those get too that are called like the handle of another.
    """

    def __init__(
        self, board: Boards, handles: Sequence[str] | None = None, effect_ids: Sequence[str] | None = None
    ) -> None:
        self._board = board
        self._handles = handles
        self._effect_ids = effect_ids
        objects = board.objects
        codes, times = np.unique(objects.name, return_counts=True)
        repeated = codes[(times > 1) & (codes != v.NAMELESS)]
        pointed = np.concatenate(
            [
                *(objects.attached_to, objects.attacking, objects.source),
                *(board.effects.source, board.effect_objects.object),
                *(board.commander_damage.commander, board.keeps.attachment),
            ]
        )
        ambiguous = np.isin(objects.name, repeated)
        referred = np.zeros(len(objects.name), bool)
        referred[pointed[(pointed >= 0) & (pointed < len(objects.name))]] = True
        self._ambiguous = ambiguous & (referred if handles is None else True)
        rows = {handle: row for row, handle in enumerate(handles or ())}
        names = {} if handles is None else {name_of(board, code): code for code in codes.tolist()}
        for word in rows.keys() & names.keys():
            others = objects.name == names[word]
            others[rows[word]] = False
            self._ambiguous |= others
        self._taken = rows.keys() | names.keys()

    def __call__(self, reference: int) -> str:
        """Return the name of an object, or ``player N``."""
        if reference < 0:
            return f"player {-1 - reference}"
        if reference >= len(self._ambiguous):
            return "an object that is not there"
        objects = self._board.objects
        name = name_of(self._board, int(objects.name[reference]))
        if name and not self._ambiguous[reference]:
            return name
        if self._handles is not None:
            return f"{name} ({self._handles[reference]})" if name else self._handles[reference]
        number = int(objects.object_id[reference])
        return f"{name} #{number}" if name else f"{spaced(v.KINDS[objects.kind[reference]])} #{number}"

    def together(self, references: Sequence[int]) -> str:
        """Return the names of objects of which the same is said, or of the first of them."""
        shown = list(map(self, references[:_MOST_NAMES]))
        more = len(references) - len(shown)
        return enumerated([*shown, *([counted(more, "other")] if more else [])])

    def effect(self, row: int) -> str:
        """Return what an effect is called: by its source, or by its own name."""
        source = int(self._board.effects.source[row])
        if source != v.NONE:
            return self(source)
        if not self._effect_ids:
            return f"effect {self._board.effects.effect_id[row]}"
        own = self._effect_ids[row]
        return f"effect {own}" if own in self._taken else own

    def effect_of(self, effect_id: int) -> str:
        """Return what an effect is called, by its effect_id."""
        return self.effect(self._board.effects.effect_id.tolist().index(effect_id))


def object_lines(board: Boards, rows: Sequence[int], name: Namer) -> list[str]:
    """Return a line for each of some objects of a batch of one state."""
    return [
        _object_line(record, name(row), name) for row, record in zip(rows, object_records(board, rows), strict=True)
    ]


def type_line(record: Record) -> str:
    """Return supertypes, card types and subtypes."""
    before = " ".join([*record["supertypes"], *record["types"]])
    return f"{before} ({', '.join(record['subtypes'])})".strip() if record["subtypes"] else before


def size(power: int | None, toughness: int | None) -> str:
    """Return ``2/2``; null counts as 0."""
    return f"{power or 0}/{toughness or 0}"


def _object_line(record: Record, label: str, name: Namer) -> str:
    facts = [" ".join(filter(None, (*record["colors"], type_line(record))))]
    if record["power"] is not None or record["toughness"] is not None or "creature" in record["types"]:
        facts[0] = f"{facts[0]} {size(record['power'], record['toughness'])}".strip()
    if record["kind"] != "card":
        facts.append(spaced(record["kind"]))
    if record["owner"] != record["controller"] and record["zone"] not in OWNERS_ZONES:
        facts.append(f"owned by player {record['owner']}")
    facts += [f"{count} {kind} counter{'' if count == 1 else 's'}" for kind, count in record["counters"]]
    if record["damage"]:
        facts.append(f"{record['damage']} damage")
    facts += [] if record["enchant"] is None else [f"enchants {_enchanted(record['enchant'])}"]
    facts += [spaced(word) for word in record["keywords"]]
    facts += [f"protection from {enumerated(map(spaced, record['protection']))}"] if record["protection"] else []
    kept = record["keeps_attachments"]
    facts += [f"keeps {enumerated(map(name, kept))} attached"] if kept else []
    facts += [_MARK_WORDS.get(mark, spaced(mark)) for mark in _MARKS if record[mark]]
    facts += [] if record["face_up"] else ["face down"]
    facts += [counted(record["regeneration"], "regeneration shield")] if record["regeneration"] else []
    if record["attacking"] is not None:
        attacked = record["attacking"]
        facts.append(f"attacking {name(attacked) if isinstance(attacked, int) else attacked}")
    if record["source"] is not None:
        facts.append(f"of {name(record['source'])}")
    if record["protector"] is not None:
        facts.append(f"protected by player {record['protector']}")
    facts += [f"sector {record['sector']}"] if record["sector"] else []
    facts += [f"{record['final_chapter']} chapters"] if record["final_chapter"] else []
    facts += [f"at most {counted(most, f'{kind} counter')}" for kind, most in record["counter_limits"]]
    if record["graveyard_replacement"]:
        facts.append(f"goes to {record['graveyard_replacement']} instead of the graveyard")
    if record["components"]:
        facts.append(f"made of {enumerated(part.name or part.kind for part in record['components'])}")
    host = "" if record["attached_to"] is None else f" -> {name(record['attached_to'])}"
    return f"{label}{host}: {', '.join(fact for fact in facts if fact)}".removesuffix(": ")


def _enchanted(enchant: Filter | str) -> str:
    if isinstance(enchant, Filter):
        return filter_words(enchant)
    return {"any": "players", "you": "you", "opponent": "opponents"}[enchant]


def player_facts(record: Record, name: Namer, in_teams: bool) -> str:
    """Return what is to be said about a player, life first."""
    facts = [f"{record['life']} life"]
    facts += [f"team {record['team']}"] if in_teams else []
    facts += [f"{record['poison']} poison"] if record["poison"] else []
    facts += [] if record["speed"] is None else [f"speed {record['speed']}"]
    facts += [spaced(word) for word in record["designations"]]
    facts += [f"{amount} damage from commander {name(row)}" for row, amount in record["commander_damage"]]
    facts += ["drew from an empty library"] if record["drew_from_empty"] else []
    facts += ["can't lose"] if record["cant_lose"] else []
    facts += ["doesn't lose at 0 life"] if record["no_loss_at_zero_life"] else []
    facts += [] if record["in_game"] else ["is out of the game"]
    return ", ".join(facts)


def state_facts(record: Record) -> str:
    """Return what is to be said about the moment of the game."""
    facts = [f"{spaced(record['step'])}, turn of player {record['active_player']}"]
    facts += [spaced(word) for word in record["variant"]]
    facts += [f"skips {enumerated(map(spaced, record['skips']))}"] if record["skips"] else []
    facts += ["the round has expired"] if record["round_expired"] else []
    if record["planar_controller"] is not None:
        facts.append(f"player {record['planar_controller']} is the planar controller")
    return ", ".join(facts)


#: Filters for any of some words; without a word nothing passes.
_ANY_OF: Final = ("colors", "any_subtypes", "any_types")


def filter_words(conditions: Filter) -> str:
    """Return a filter as a plural: ``other red creatures that player 1 controls``."""
    stated = conditions.to_mapping()
    if any(key in stated and not stated[key] for key in _ANY_OF):
        return "nothing"
    before = ["other"] if stated.get("other") else []
    before += ["attacking"] if stated.get("attacking") else []
    before += ["tapped"] if stated.get("tapped") else []
    before += [f"non{word}" for key in ("not_supertypes", "not_types", "not_subtypes") for word in stated.get(key, ())]
    elsewhere = conditions.zone not in (None, "battlefield")
    by_type = "types" if stated.get("types") else "any_types" if stated.get("any_types") else None
    noun = None if elsewhere or "kind" in stated else by_type
    for key in ("supertypes", "colors", "any_subtypes", "subtypes", "any_types", "types"):
        if words := stated.get(key):
            any_of = key in _ANY_OF
            if key == noun:
                words = [_plural(word) for word in words] if any_of else [*words[:-1], *map(_plural, words[-1:])]
            before.append((" or " if any_of else " ").join(words))
    if "kind" in stated:
        before.append(_plural(spaced(stated["kind"])))
    elif noun is None:
        before.append("objects" if elsewhere else "permanents")
    after = [f"in {conditions.zone}"] if elsewhere else []
    after += [f"with {enumerated(map(spaced, stated['keywords']))}"] if stated.get("keywords") else []
    after += [f"named {stated['named']}"] if "named" in stated else []
    after += ["that are its host"] if stated.get("host") else []
    whose = []
    for key, verb in (("controller", "control"), ("owner", "own")):
        if stated.get(key, "any") != "any":
            whose.append(f"you {verb}" if stated[key] == "you" else f"your opponents {verb}")
    after += [enumerated(whose)] if whose else []
    return " ".join([*before, *after])


def _plural(noun: str) -> str:
    return {"sorcery": "sorceries", "phenomenon": "phenomena"}.get(noun, f"{noun}s")


def effect_line(effect: EffectRecord, origin: str, name: Callable[[int], str]) -> str:
    """Return an effect as a sentence."""
    until = f", until {spaced(effect.until)}" if effect.until else ""
    you = "" if effect.controller is None else f" (you: player {effect.controller})"
    return f"{origin}{you}: {affected_words(effect, name)}: {what_it_does(effect.text)}{until}"


def affected_words(effect: EffectRecord, name: Callable[[int], str]) -> str:
    """Return what an effect affects."""
    match effect.text.affects:
        case Objects():
            return enumerated(map(name, effect.objects)) or "nothing"
        case PlayersAffected(who):
            words = {"any": "all players", "you": "you", "opponents": "your opponents"}
            return f"player {who}" if isinstance(who, int) else words[who]
        case Filter() as conditions:
            return filter_words(conditions)
        case "host":
            return "its host"
    return "itself"


def what_it_does(text: EffectText) -> str:
    """Return what an effect does, in layer order."""
    seat = text.control
    does = [] if seat is None else [f"controlled by {seat if seat == 'you' else f'player {seat}'}"]
    for field, verb in _SET_VERBS.items():
        words: tuple[str, ...] | None = getattr(text, field)
        if words is not None:
            does.append(f"{verb} {enumerated(map(spaced, words)) or 'none'}")
    does += ["loses all abilities"] if text.lose_all_abilities else []
    for verb, power, toughness in (
        ("defined as", text.define_power, text.define_toughness),
        ("becomes", text.set_power, text.set_toughness),
    ):
        if power is not None or toughness is not None:
            does.append(f"{verb} {_setting(power)}/{_setting(toughness)}")
    if text.add_power is not None or text.add_toughness is not None:
        does.append(f"gets {text.add_power or 0:+}/{text.add_toughness or 0:+}")
    if text.per is not None:
        does.append(f"times {counted_words(text.per, 'card types among ' if text.per_distinct else '')}")
    does += ["power and toughness switched"] if text.switch else []
    if text.rule is not None:
        does.append(spaced(text.rule) + (" (cards only)" if text.cards_only else ""))
    does += [f"life becomes {text.life}"] if text.life is not None else []
    does += ["all permanents they own are shuffled away"] if text.shuffle_owned else []
    does += ["the source is exiled"] if text.exile_source else []
    return ", ".join(does) + (f", while {while_words(text.condition)}" if text.condition else "")


_SET_VERBS: Final = {
    "set_types": "has the types",
    "add_types": "is also",
    "remove_types": "is no longer",
    "set_subtypes": "has the subtypes",
    "add_subtypes": "is also",
    "remove_subtypes": "is no longer",
    "add_supertypes": "is also",
    "remove_supertypes": "is no longer",
    "set_colors": "has the colors",
    "add_colors": "is also",
    "gain_keywords": "gains",
    "lose_keywords": "loses",
    "gain_protection": "gains protection from",
}


def _setting(value: Any) -> str:
    return "-" if value is None else spaced(str(value))


def counted_words(counted: Filter | LifeOfYou, of: str = "") -> str:
    """Return what is counted."""
    return "your life" if isinstance(counted, LifeOfYou) else f"the number of {of}{filter_words(counted)}"


def while_words(condition: While) -> str:
    """Return a condition."""
    bounds = [] if condition.at_least is None else [f"at least {condition.at_least}"]
    bounds += [] if condition.at_most is None else [f"at most {condition.at_most}"]
    return f"{counted_words(condition.matching)} is {enumerated(bounds or ['at least 1'])}"
