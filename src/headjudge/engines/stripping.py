"""Taking from a board what an engine that is fed with cards cannot express."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from headjudge.effects import Objects
from headjudge.engines import card_text
from headjudge.filters import Filter
from headjudge.io.scenario_fields import OBJECT_FIELDS, PLAYER_FIELDS, STATE_FIELDS, Record
from headjudge.io.scenarios import effect_text_mapping
from headjudge.record_edits import copy_of, without_effects, without_objects, without_players

if TYPE_CHECKING:
    from headjudge.io.board_records import BoardRecord, EffectRecord

MOST_PLAYERS: Final = 6
MOST_CHAPTERS: Final = len(card_text.ROMAN)
KINDS: Final = ("card", "token")
ZONES: Final = ("battlefield", "graveyard", "exile", "hand", "library", "command")
TYPES: Final = (
    "artifact",
    "battle",
    "creature",
    "enchantment",
    "kindred",
    "land",
    "planeswalker",
    "instant",
    "sorcery",
)
PERMANENT_TYPES: Final = ("artifact", "battle", "creature", "enchantment", "land", "planeswalker")
SUPERTYPES: Final = ("basic", "legendary", "snow", "world")
#: Fields that it knows nothing of, or that make no difference to it: they are reset to their defaults.
_OBJECT_FIELDS_RESET: Final = (
    "counter_limits", "keeps_attachments", "bestowed", "regeneration", "graveyard_replacement", "source",
    "triggered_during", "resolving", "blocking", "attacking", "dies_trigger", "leaves_trigger", "sector",
    "bottommost_room", "face_up", "components", "world_since",
)  # fmt: skip
_STATE_FIELDS_RESET: Final = ("step", "skips", "round_expired", "planar_controller")
CREATURE: Final = Filter(types=("creature",))
#: What has no meaning off the battlefield.
_ON_BATTLEFIELD_ONLY: Final = ("damage", "deathtouch_damage", "counters", "attached_to", "tapped", "phased_out")


class Stripping:
    """A board from which everything is taken that an engine cannot express; remembers what that was."""

    zones: tuple[str, ...] = ZONES
    most_players: int = MOST_PLAYERS

    def __init__(self, record: BoardRecord) -> None:
        self.record = copy_of(record)
        self.left_out: Counter[str] = Counter()

    def done(self) -> tuple[BoardRecord | None, Counter[str]]:
        """Return the board and what was left out."""
        players = len(self.record.players)
        if players < 2 or sum(p["in_game"] for p in self.record.players) < 2:
            return None, Counter({"fewer than two players in the game": 1})
        if players > self.most_players:
            self.left_out[f"players: more than {self.most_players}"] += 1
            self.record = copy_of(without_players(self.record, range(self.most_players, players)))
            if sum(p["in_game"] for p in self.record.players) < 2:
                return None, self.left_out
        self._state()
        self._players()
        self._gone()
        for o in self.record.objects:
            self._object(o)
        self._attachments()
        self._effects()
        return self.record, self.left_out

    def _reset(self, record: Record, name: str, value: Any, what: str | None = None) -> None:
        if record[name] != value:
            record[name] = value
            self.left_out[what or name] += 1

    def _state(self) -> None:
        state = self.record.state
        self._reset(state, "variant", ("commander",) if "commander" in state["variant"] else ())
        for name in _STATE_FIELDS_RESET:
            self._reset(state, name, STATE_FIELDS[name].default)
        if not self.record.players[state["active_player"]]["in_game"]:
            seat = next(seat for seat, p in enumerate(self.record.players) if p["in_game"])
            self._reset(state, "active_player", seat)

    def _players(self) -> None:
        for seat, player in enumerate(self.record.players):
            self._reset(player, "team", seat)
            self._reset(player, "designations", tuple(w for w in player["designations"] if w == "city_blessing"))
            for name in ("cant_lose", "no_loss_at_zero_life"):
                self._reset(player, name, PLAYER_FIELDS[name].default)
            if "commander" not in self.record.state["variant"]:
                self._reset(player, "commander_damage", ())

    def _gone(self) -> None:
        """Drop the objects that it has no place for."""
        commander = "commander" in self.record.state["variant"]
        dropped = {}
        for row, o in enumerate(self.record.objects):
            on_battlefield = o["zone"] == "battlefield"
            if o["kind"] not in KINDS:
                dropped[row] = f"kind: {o['kind']}"
            elif o["zone"] not in self.zones or (o["zone"] == "command" and not (commander and o["commander"])):
                dropped[row] = f"zone: {o['zone']}"
            elif not set(o["types"]) <= set(TYPES):
                dropped[row] = "types: " + next(word for word in o["types"] if word not in TYPES)
            elif on_battlefield and not set(o["types"]) & set(PERMANENT_TYPES):
                dropped[row] = "a permanent without a permanent's type"
        self.left_out.update(dropped.values())
        self.record = copy_of(without_objects(self.record, dropped))

    def _object(self, o: Record) -> None:
        for name in _OBJECT_FIELDS_RESET:
            self._reset(o, name, o["timestamp"] if name == "world_since" else OBJECT_FIELDS[name].default)
        if o["zone"] != "battlefield":
            for name in _ON_BATTLEFIELD_ONLY:
                self._reset(o, name, OBJECT_FIELDS[name].default, f"{name} off the battlefield")
            self._reset(o, "controller", o["owner"], "controller off the battlefield")
        if o["name"] is None:
            self._reset(o, "name", f"Nameless {o['timestamp']}", "a nameless object")
        self._reset(o, "supertypes", tuple(word for word in o["supertypes"] if word in SUPERTYPES))
        if "commander" not in self.record.state["variant"] or o["kind"] != "card":
            self._reset(o, "commander", False)
        lost_commander = o["commander"] and o["zone"] in ("graveyard", "exile")
        self._reset(o, "arrived", lost_commander)
        self._reset(o, "keywords", tuple(word for word in o["keywords"] if word in card_text.KEYWORD_LINES), "keywords")
        if "reconfigure" in o["keywords"] and not {"creature", "artifact"} <= set(o["types"]):
            self._reset(o, "keywords", tuple(word for word in o["keywords"] if word != "reconfigure"), "keywords")
        known = tuple(word for word in o["protection"] if word in card_text.PROTECTIONS)
        self._reset(o, "protection", known)
        if "aura" in o["subtypes"]:
            enchant = o["enchant"]
            written = OBJECT_FIELDS["enchant"].kind.write(enchant, ())
            if card_text.enchant_line(written) is None:
                self._reset(o, "enchant", CREATURE)
        else:
            self._reset(o, "enchant", None)
        if "saga" in o["subtypes"]:
            self._reset(o, "final_chapter", min(o["final_chapter"], MOST_CHAPTERS))
        else:
            self._reset(o, "final_chapter", 0)
        if o["protector"] is not None and "battle" not in o["types"]:
            self._reset(o, "protector", None)

    def _attachments(self) -> None:
        """Bestowed objects came off in `_object`; phase has no other cards that attach to what is not there."""
        for o in self.record.objects:
            host = o["attached_to"]
            if host is None:
                continue
            if host >= 0 and self.record.objects[host]["zone"] in ("hand", "library"):
                self._reset(o, "attached_to", None, "attached to a hidden card")

    def _effects(self) -> None:
        dropped = {row: reason for row, e in enumerate(self.record.effects) if (reason := self._unsaid(e))}
        self.left_out.update(dropped.values())
        self.record = without_effects(self.record, dropped)
        for row, e in enumerate(self.record.effects):
            if e.timestamp is not None or e.controller is not None:
                self.left_out["effects: timestamp or controller of its own"] += 1
                self.record.effects[row] = replace(e, timestamp=None, controller=None)

    def _unsaid(self, effect: EffectRecord) -> str | None:
        """Return why an effect cannot be said as a card says it."""
        if effect.source is None or effect.until is not None or isinstance(effect.text.affects, Objects):
            return "effects: not of a permanent"
        source = self.record.objects[effect.source]
        if source["zone"] != "battlefield":
            return "effects: its source is not on the battlefield"
        if card_text.effect_line(effect_text_mapping(effect.text), written(source)) is None:
            return "effects: no words for it"
        return None


def written(o: Record) -> dict[str, Any]:
    """Return the fields of an object that the words of its abilities depend on, as scenarios write them."""
    return {name: OBJECT_FIELDS[name].kind.write(o[name], ()) for name in ("types", "subtypes", "enchant")}
