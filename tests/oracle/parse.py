"""From the parsed YAML of a scenario to a board and choices. Whatever cannot be read is rejected."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from oracle import words
from oracle.board import (
    AffectedPlayers,
    Board,
    Combat,
    Component,
    Effect,
    EnchantPlayer,
    Filter,
    Handle,
    LifeOf,
    Object,
    Player,
    PlayerRef,
    Rejected,
    Seat,
    While,
)


class Fields:
    """The fields of one mapping. Every field must be asked for once; what is left over is unknown."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise Rejected(f"{where}: expected a mapping, found {value!r}")
        self.values: dict[Any, Any] = dict(value)
        self.where = where

    def take(self, name: str, default: Any = None) -> Any:
        return self.values.pop(name, default)

    def has(self, name: str) -> bool:
        return name in self.values

    def end(self) -> None:
        if self.values:
            raise Rejected(f"{self.where}: unknown field {next(iter(self.values))!r}")

    def at(self, name: str) -> str:
        return f"{self.where}.{name}"

    def integer(self, name: str, default: int, at_least: int | None = None) -> int:
        return integer(self.take(name, default), self.at(name), at_least)

    def optional_integer(self, name: str, at_least: int | None = None) -> int | None:
        value = self.take(name)
        return None if value is None else integer(value, self.at(name), at_least)

    def number(self, name: str, default: float) -> float:
        value = self.take(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Rejected(f"{self.at(name)}: expected a number, found {value!r}")
        return value

    def optional_flag(self, name: str) -> bool | None:
        return self.flag(name) if self.has(name) else None

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.take(name, default)
        if not isinstance(value, bool):
            raise Rejected(f"{self.at(name)}: expected true or false, found {value!r}")
        return value

    def word(self, name: str, known: Collection[str], default: str) -> str:
        return word(self.take(name, default), self.at(name), known)

    def optional_word(self, name: str, known: Collection[str] | None) -> str | None:
        value = self.take(name)
        return None if value is None else word(value, self.at(name), known)

    def word_set(self, name: str, known: Collection[str] | None) -> frozenset[str]:
        return self.optional_word_set(name, known) or frozenset()

    def optional_word_set(self, name: str, known: Collection[str] | None) -> frozenset[str] | None:
        value = self.take(name)
        return None if value is None else word_set(value, self.at(name), known)

    def counts(self, name: str) -> dict[str, int]:
        value = self.take(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise Rejected(f"{self.at(name)}: expected a mapping, found {value!r}")
        return {
            word(kind, self.at(name), None): integer(count, f"{self.at(name)}.{kind}", 0)
            for kind, count in value.items()
        }


def integer(value: Any, where: str, at_least: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{where}: expected a whole number, found {value!r}")
    if at_least is not None and value < at_least:
        raise Rejected(f"{where}: expected {at_least} or more, found {value}")
    return value


def word(value: Any, where: str, known: Collection[str] | None) -> str:
    if not isinstance(value, str):
        raise Rejected(f"{where}: expected a word, found {value!r}")
    if known is not None and value not in known:
        raise Rejected(f"{where}: unknown word {value!r}")
    return value


def word_set(value: Any, where: str, known: Collection[str] | None) -> frozenset[str]:
    if not isinstance(value, list):
        raise Rejected(f"{where}: expected a list, found {value!r}")
    return frozenset(word(item, where, known) for item in value)


class Reader:
    """Reads one given state; knows its handles and seats."""

    def __init__(self, given: Any) -> None:
        self.fields = Fields(given, "given")
        players = self.fields.take("players")
        self.players_given: list[Any] = [{}, {}] if players is None else players
        if not isinstance(self.players_given, list):
            raise Rejected("given.players: expected a list of players")
        self.seats = len(self.players_given)
        objects = self.fields.take("objects")
        self.objects_given: dict[Any, Any] = {} if objects is None else objects
        if not isinstance(self.objects_given, dict):
            raise Rejected("given.objects: expected a mapping from handles to fields")
        self.handles = [word(handle, "given.objects", None) for handle in self.objects_given]

    # -- references ------------------------------------------------------------------------------------------------

    def seat(self, value: Any, where: str) -> Seat:
        seat = integer(value, where, 0)
        if seat >= self.seats:
            raise Rejected(f"{where}: there is no seat {seat}")
        return seat

    def handle(self, value: Any, where: str) -> Handle:
        if value not in self.handles:
            raise Rejected(f"{where}: unknown handle {value!r}")
        return str(value)

    def handle_list(self, value: Any, where: str) -> list[Handle]:
        if not isinstance(value, list):
            raise Rejected(f"{where}: expected a list of handles, found {value!r}")
        return [self.handle(item, where) for item in value]

    def object_or_player(self, value: Any, where: str) -> Handle | PlayerRef | None:
        if value is None:
            return None
        if isinstance(value, dict):
            fields = Fields(value, where)
            reference = PlayerRef(self.seat(fields.take("player"), where))
            fields.end()
            return reference
        return self.handle(value, where)

    def protections(self, value: Any, where: str) -> frozenset[str]:
        if value is None:
            return frozenset()
        for quality in (found := word_set(value, where, None)):
            if quality.startswith("player:"):
                number = quality.removeprefix("player:")
                self.seat(int(number) if number.isdigit() else number, where)
            elif quality != "everything" and quality not in words.COLORS | words.TYPES:
                raise Rejected(f"{where}: unknown word {quality!r}")
        return found

    # -- the tables ------------------------------------------------------------------------------------------------

    def board(self) -> Board:
        fields = self.fields
        active = fields.take("active_player", 0)
        if self.seats:
            self.seat(active, "given.active_player")
        planar = fields.take("planar_controller")
        skips = fields.word_set("skips", words.STEPS)
        effects_given = fields.take("effects")
        if effects_given is not None and not isinstance(effects_given, list):
            raise Rejected("given.effects: expected a list")
        objects = {
            handle: self.read_object(handle, row, value)
            for row, (handle, value) in enumerate(self.objects_given.items())
        }
        board = Board(
            variant=fields.word_set("variant", words.VARIANTS),
            active_player=active,
            step=fields.word("step", words.STEPS, "precombat_main"),
            skips=skips,
            round_expired=fields.flag("round_expired"),
            planar_controller=active if planar is None else self.seat(planar, "given.planar_controller"),
            players=[self.read_player(seat, value) for seat, value in enumerate(self.players_given)],
            objects=objects,
            effects=[self.read_effect(number, value, objects) for number, value in enumerate(effects_given or [])],
        )
        fields.end()
        reject_what_cannot_be(board)
        return board

    def read_player(self, seat: Seat, value: Any) -> Player:
        fields = Fields({} if value is None else value, f"given.players[{seat}]")
        damage = fields.counts("commander_damage")
        speed = fields.optional_integer("speed", 0)
        if speed is not None and speed > 4:
            raise Rejected(f"{fields.at('speed')}: expected 0 to 4, found {speed}")
        in_game = fields.flag("in_game", True)
        player = Player(
            seat=seat,
            team=fields.integer("team", seat),
            life=fields.integer("life", 20),
            poison=fields.integer("poison", 0, 0),
            drew_from_empty=fields.flag("drew_from_empty"),
            speed=speed,
            in_game=in_game,
            has_left=not in_game,
            designations=set(fields.word_set("designations", words.DESIGNATIONS)),
            cant_lose=fields.flag("cant_lose"),
            no_loss_at_zero_life=fields.flag("no_loss_at_zero_life"),
            commander_damage={self.handle(h, fields.at("commander_damage")): n for h, n in damage.items()},
        )
        fields.end()
        return player

    def read_object(self, handle: Handle, row: int, value: Any) -> Object:
        fields = Fields(value, f"given.objects.{handle}")
        if not fields.has("controller"):
            raise Rejected(f"{fields.at('controller')}: is required")
        controller = self.seat(fields.take("controller"), fields.at("controller"))
        owner = self.seat(fields.take("owner", controller), fields.at("owner"))
        protector = fields.take("protector")
        source = fields.take("source")
        timestamp = fields.number("timestamp", row)
        attacking = fields.take("attacking")
        obj = Object(
            handle=handle,
            row=row,
            controller=controller,
            owner=owner,
            timestamp=timestamp,
            world_since=fields.number("world_since", timestamp),
            name=fields.optional_word("name", None),
            kind=fields.word("kind", words.KINDS, "card"),
            zone=fields.word("zone", words.ZONES, "battlefield"),
            types=fields.word_set("types", words.TYPES),
            supertypes=fields.word_set("supertypes", words.SUPERTYPES),
            subtypes=fields.word_set("subtypes", None),
            colors=fields.word_set("colors", words.COLORS),
            power=fields.optional_integer("power"),
            toughness=fields.optional_integer("toughness"),
            mana_value=fields.integer("mana_value", 0, 0),
            damage=fields.integer("damage", 0, 0),
            deathtouch_damage=fields.flag("deathtouch_damage"),
            counters=fields.counts("counters"),
            counter_limits=fields.counts("counter_limits"),
            attached_to=self.object_or_player(fields.take("attached_to"), fields.at("attached_to")),
            enchant=self.read_enchant(fields.take("enchant"), fields.at("enchant")),
            keywords=fields.word_set("keywords", words.KEYWORDS),
            protection=self.protections(fields.take("protection"), fields.at("protection")),
            keeps_attachments=frozenset(
                self.handle_list(fields.take("keeps_attachments") or [], fields.at("keeps_attachments")),
            ),
            bestowed=fields.flag("bestowed"),
            regeneration=fields.integer("regeneration", 0, 0),
            graveyard_replacement=fields.optional_word("graveyard_replacement", words.GRAVEYARD_REPLACEMENTS),
            final_chapter=fields.integer("final_chapter", 0, 0),
            source=None if source is None else self.handle(source, fields.at("source")),
            triggered_during=fields.flag("triggered_during"),
            resolving=fields.flag("resolving"),
            commander=fields.flag("commander"),
            arrived=fields.flag("arrived"),
            tapped=fields.flag("tapped"),
            phased_out=fields.flag("phased_out"),
            blocking=fields.flag("blocking"),
            attacking=Combat.NOTHING
            if attacking == Combat.NOTHING.value
            else self.object_or_player(attacking, fields.at("attacking")),
            dies_trigger=fields.flag("dies_trigger"),
            leaves_trigger=fields.flag("leaves_trigger"),
            protector=None if protector is None else self.seat(protector, fields.at("protector")),
            sector=fields.optional_word("sector", words.SECTORS),
            bottommost_room=fields.flag("bottommost_room"),
            face_up=fields.flag("face_up", True),
            components=self.read_components(fields.take("components"), owner, fields.at("components")),
        )
        fields.end()
        return obj

    def read_components(self, value: Any, owner: Seat, where: str) -> list[Component]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise Rejected(f"{where}: expected a list")
        components = []
        for item in value:
            fields = Fields(item, where)
            components.append(
                Component(
                    name=fields.optional_word("name", None),
                    kind=fields.word("kind", {"card", "token"}, "card"),
                    owner=self.seat(fields.take("owner", owner), where),
                ),
            )
            fields.end()
        return components

    def read_enchant(self, value: Any, where: str) -> Filter | EnchantPlayer | None:
        if value is None:
            return None
        if isinstance(value, dict) and "player" in value:
            fields = Fields(value, where)
            enchant = EnchantPlayer(word(fields.take("player"), where, {"any", "you", "opponent"}))
            fields.end()
            return enchant
        return self.read_filter(value, where)

    def read_filter(self, value: Any, where: str) -> Filter:
        fields = Fields(value, where)
        sides = {"you", "opponent", "any"}
        found = Filter(
            types=fields.word_set("types", words.TYPES),
            any_types=fields.optional_word_set("any_types", words.TYPES),
            not_types=fields.word_set("not_types", words.TYPES),
            supertypes=fields.word_set("supertypes", words.SUPERTYPES),
            not_supertypes=fields.word_set("not_supertypes", words.SUPERTYPES),
            subtypes=fields.word_set("subtypes", None),
            any_subtypes=fields.optional_word_set("any_subtypes", None),
            not_subtypes=fields.word_set("not_subtypes", None),
            colors=fields.optional_word_set("colors", words.COLORS),
            keywords=fields.word_set("keywords", words.KEYWORDS),
            kind=fields.optional_word("kind", words.KINDS),
            named=fields.optional_word("named", None),
            controller=fields.word("controller", sides, "any"),
            owner=fields.word("owner", sides, "any"),
            other=fields.flag("other"),
            attacking=fields.optional_flag("attacking"),
            tapped=fields.optional_flag("tapped"),
            host=fields.flag("host"),
            zone=fields.word("zone", words.ZONES - {"none"}, "battlefield"),
        )
        fields.end()
        return found

    # -- effects ---------------------------------------------------------------------------------------------------

    def read_effect(self, number: int, value: Any, objects: dict[Handle, Object]) -> Effect:
        fields = Fields(value, f"given.effects[{number}]")
        source = fields.take("source")
        if source is not None:
            source = self.handle(source, fields.at("source"))
        controller = fields.take("controller")
        control = fields.take("control")
        if source is None and isinstance(value.get("affects"), dict) and "player" not in value["affects"]:
            reject_rule_beside_change(value, fields.at("rule"))
        per_distinct = fields.optional_word("per_distinct", {"types"})
        # A static ability has the timestamp of its object (CR 613.7a). What has no source and no timestamp is newer
        # than all else, in the order of the list.
        timestamp = objects[source].timestamp if source is not None else float("inf")
        effect = Effect(
            number=number,
            timestamp=fields.number("timestamp", timestamp),
            affects=self.read_affects(fields, source),
            name=fields.optional_word("id", None) or f"effect_{number + 1}",
            source=source,
            until=fields.optional_word("until", {"end_of_turn", "end_of_combat"}),
            controller=None if controller is None else self.seat(controller, fields.at("controller")),
            control=control if control in (None, "you") else self.seat(control, fields.at("control")),
            set_types=fields.optional_word_set("set_types", words.TYPES),
            add_types=fields.word_set("add_types", words.TYPES),
            remove_types=fields.word_set("remove_types", words.TYPES),
            set_subtypes=fields.optional_word_set("set_subtypes", None),
            add_subtypes=fields.word_set("add_subtypes", None),
            remove_subtypes=fields.word_set("remove_subtypes", None),
            add_supertypes=fields.word_set("add_supertypes", words.SUPERTYPES),
            remove_supertypes=fields.word_set("remove_supertypes", words.SUPERTYPES),
            set_colors=fields.optional_word_set("set_colors", words.COLORS),
            add_colors=fields.word_set("add_colors", words.COLORS),
            lose_all_abilities=fields.flag("lose_all_abilities"),
            gain_keywords=fields.word_set("gain_keywords", words.KEYWORDS),
            lose_keywords=fields.word_set("lose_keywords", words.KEYWORDS),
            gain_protection=self.protections(fields.take("gain_protection"), fields.at("gain_protection")),
            define_power=fields.optional_integer("define_power"),
            define_toughness=fields.optional_integer("define_toughness"),
            set_power=self.read_set_value(fields, "set_power"),
            set_toughness=self.read_set_value(fields, "set_toughness"),
            add_power=fields.integer("add_power", 0),
            add_toughness=fields.integer("add_toughness", 0),
            switch=fields.flag("switch"),
            per=self.read_counted(fields.take("per"), fields.at("per")),
            per_distinct=per_distinct is not None,
            condition=self.read_while(fields.take("while"), fields.at("while")),
            rule=fields.optional_word("rule", words.RULES),
            life=fields.optional_integer("life"),
            shuffle_owned=fields.flag("shuffle_owned"),
            exile_source=fields.flag("exile_source"),
            cards_only=fields.flag("cards_only"),
        )
        fields.end()
        return effect

    def read_affects(
        self,
        fields: Fields,
        source: Handle | None,
    ) -> str | tuple[Handle, ...] | Filter | AffectedPlayers:
        where = fields.at("affects")
        value = fields.take("affects")
        if isinstance(value, list):
            return tuple(self.handle_list(value, where))
        if isinstance(value, dict) and "player" in value:
            inner = Fields(value, where)
            which = inner.take("player")
            inner.end()
            return AffectedPlayers(which if which in ("you", "opponents", "any") else self.seat(which, where))
        if isinstance(value, dict):
            return self.read_filter(value, where)
        if source is None:
            raise Rejected(f"{where}: without a source expected a list, a filter or a player, found {value!r}")
        return word(value, where, {"self", "host"})

    def read_set_value(self, fields: Fields, name: str) -> int | str | None:
        value = fields.take(name)
        return value if value in (None, "mana_value") else integer(value, fields.at(name))

    def read_life(self, value: Any, where: str) -> LifeOf:
        return LifeOf(value if value == "you" else self.seat(value, where))

    def read_counted(self, value: Any, where: str) -> Filter | LifeOf | None:
        if value is None:
            return None
        if isinstance(value, dict) and "life" in value:
            fields = Fields(value, where)
            life = self.read_life(fields.take("life"), where)
            fields.end()
            return life
        return self.read_filter(value, where)

    def read_while(self, value: Any, where: str) -> While | None:
        if value is None:
            return None
        fields = Fields(value, where)
        counted: Filter | LifeOf
        if fields.has("life"):
            counted = self.read_life(fields.take("life"), where)
        else:
            counted = self.read_filter(fields.take("matching"), fields.at("matching"))
        condition = While(counted, fields.optional_integer("at_least"), fields.optional_integer("at_most"))
        fields.end()
        return condition


# What of an effect belongs to no layer: its row, its modifiers, and rules.
_NOT_IN_LAYERS = frozenset(
    {"id", "source", "controller", "until", "timestamp", "affects", "per", "per_distinct", "while"}
    | {"rule", "life", "shuffle_owned", "exile_source", "cards_only"},
)


def reject_rule_beside_change(effect: dict[str, Any], where: str) -> None:
    """Reject an effect of a resolved spell that is half fixed at the start (CR 611.2c) and half follows the board."""
    stated = {name for name, value in effect.items() if value is not None}
    if "rule" in stated and stated - _NOT_IN_LAYERS:
        raise Rejected(f"{where}: without a source a rule for what a filter matches is an effect of its own")


def reject_what_cannot_be(board: Board) -> None:
    """Reject what can be read but contradicts itself."""
    for obj in board.objects.values():
        # CR 701.42a, 702.140a: what one player owns melds or merges. CR 730.2d: what is on top makes it card or token.
        if any(component.owner != obj.owner for component in obj.components):
            raise Rejected(f"given.objects.{obj.handle}.components: not all of its owner")
        if obj.components and obj.components[0].kind != obj.kind:
            raise Rejected(f"given.objects.{obj.handle}.components: the topmost is no {obj.kind}")
    if board.shared_life():
        must_be_equal: list[tuple[str, Callable[[Player], int]]] = [("life", lambda player: player.life)]
        if board.two_headed_giant():
            must_be_equal.append(("poison", lambda player: player.poison))
        for name, value in must_be_equal:
            for player in board.in_game():
                if any(value(member) != value(player) for member in board.team_of(player.seat)):
                    raise Rejected(f"given.players[{player.seat}].{name}: differs within team {player.team}")
    if board.outcome() != "ongoing":
        return  # CR 104.1: the game has ended, and nobody leaves it any more
    for obj in board.objects.values():
        if obj.zone != "none" and not board.players[obj.owner].in_game:
            raise Rejected(f"given.objects.{obj.handle}.owner: seat {obj.owner} is not in the game")


# -- choices -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Choices:
    """What the players choose where the rules let them; what is missing is chosen by default."""

    keep: list[Handle] = field(default_factory=list)
    command_zone: dict[Handle, bool] = field(default_factory=dict)
    protector: dict[Handle, Seat] = field(default_factory=dict)
    sector: dict[Handle, str] = field(default_factory=dict)
    replace: dict[Handle, str] = field(default_factory=dict)
    destination: dict[Handle, str] = field(default_factory=dict)
    loss_replacement: dict[Seat, str] = field(default_factory=dict)
    # What of `keep` and `protector` has already been chosen, in an earlier check.
    kept: set[Handle] = field(default_factory=set)
    protected: set[Handle] = field(default_factory=set)


def read_choices(choices: Any, board: Board) -> Choices:
    if choices is None:
        return Choices()
    reader = Reader({"players": [{} for _ in board.players], "objects": {handle: {} for handle in board.objects}})
    fields = Fields(choices, "choices")
    effect_names = {effect.name for effect in board.effects}

    def by_handle(name: str) -> Iterator[tuple[Handle, Any, str]]:
        value = fields.take(name)
        for handle, chosen in Fields({} if value is None else value, fields.at(name)).values.items():
            yield reader.handle(handle, fields.at(name)), chosen, f"{fields.at(name)}.{handle}"

    found = Choices(
        keep=reader.handle_list(fields.take("keep") or [], "choices.keep"),
        command_zone={
            handle: Fields({"yes": chosen}, where).flag("yes") for handle, chosen, where in by_handle("command_zone")
        },
        protector={handle: reader.seat(chosen, where) for handle, chosen, where in by_handle("protector")},
        sector={handle: word(chosen, where, words.SECTORS) for handle, chosen, where in by_handle("sector")},
        replace={
            handle: word(chosen, where, {"regeneration", "shield_counter", *board.objects})
            for handle, chosen, where in by_handle("replace")
        },
        destination={handle: word(chosen, where, words.ZONES) for handle, chosen, where in by_handle("destination")},
    )
    for seat, chosen in Fields(fields.take("loss_replacement") or {}, "choices.loss_replacement").values.items():
        where = f"choices.loss_replacement.{seat}"
        found.loss_replacement[reader.seat(seat, where)] = word(chosen, where, {*board.objects, *effect_names})
    fields.end()
    for handle in found.command_zone:
        if not board.objects[handle].commander:
            raise Rejected(f"choices.command_zone.{handle}: is not a commander")
    return found
