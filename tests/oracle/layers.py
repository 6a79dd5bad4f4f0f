"""Continuous effects, applied in layers (CR 613): from a board to a picture of what everything is now."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from oracle import words
from oracle.board import AffectedPlayers, Board, Effect, Filter, Handle, LifeOf, Object, Player, Seat
from oracle.views import Eye, View, Views, host_of, matches

POWER_TOUGHNESS_COUNTER = re.compile(r"([+-]\d+)/([+-]\d+)")

LAYERS = ("2", "4", "5", "6", "7a", "7b", "7c", "7d")
# Who controls an object, its types, its colors and its abilities decide what other effects apply to. Power and
# toughness do not: no filter, condition or count reads them. So no effect in layer 7 depends on another.
LAYERS_WITH_DEPENDENCIES = frozenset("2456")


@dataclass(slots=True)
class FixedAtStart:
    """What an effect without a source was fixed to when it began (CR 611.2c, 611.2d)."""

    objects: dict[Effect, frozenset[Handle]] = field(default_factory=dict)
    amounts: dict[Effect, int] = field(default_factory=dict)


@dataclass(slots=True)
class RuleGiven:
    """A rule that an effect gives to objects and players (CR 613.10, 613.11)."""

    effect: Effect
    objects: frozenset[Handle]
    seats: frozenset[Seat]


@dataclass(slots=True)
class Picture:
    """What everything is at one moment, after all effects."""

    board: Board
    views: Views
    player_protection: dict[Seat, frozenset[str]]
    rules: list[RuleGiven]

    def player_has_rule(self, seat: Seat, rule: str) -> bool:
        return any(given.effect.rule == rule and seat in given.seats for given in self.rules)

    def permanent_has_rule(self, handle: Handle, rule: str) -> bool:
        """Whether a rule was given to a permanent, or to its controller for all permanents they control."""
        controller = self.views[handle].controller
        return any(
            given.effect.rule == rule and (handle in given.objects or controller in given.seats) for given in self.rules
        )

    def permanents(self) -> Iterable[Object]:
        return (obj for obj in self.board.objects.values() if obj.on_battlefield())

    def controlled_by(self, seat: Seat) -> Iterable[Object]:
        return (obj for obj in self.permanents() if self.views[obj.handle].controller == seat)


def take_picture(board: Board, fixed: FixedAtStart) -> Picture:
    return _Applying(board, fixed, fixing=False).picture()


def fix_at_start(board: Board) -> FixedAtStart:
    """Find what the effects of resolved spells and abilities are fixed to, from the board at the start."""
    fixed = FixedAtStart()
    _Applying(board, fixed, fixing=True).picture()
    for effect in board.effects:
        if _is_fixed(effect):
            fixed.objects.setdefault(effect, frozenset())
    return fixed


def _is_fixed(effect: Effect) -> bool:
    # CR 611.2c: the set of objects that a resolved spell or ability affects does not change.
    return effect.source is None and isinstance(effect.affects, Filter)


def _base_view(obj: Object) -> View:
    """What an object is before any effect. Only in some zones has it a controller other than its owner (CR 108.4)."""
    return View(
        controller=obj.controller if obj.zone in words.CONTROLLED_ZONES else obj.owner,
        types=obj.types,
        supertypes=obj.supertypes,
        subtypes=obj.subtypes,
        colors=obj.colors,
        keywords=obj.keywords,
        protection=obj.protection,
        power=obj.power or 0,
        toughness=obj.toughness or 0,
    )


def _intrinsic_effects(board: Board) -> list[Effect]:
    """The layer 4 effects of being bestowed (CR 702.103b) and of being attached with reconfigure (CR 702.151b)."""
    effects = []
    for obj in board.objects.values():
        if obj.zone != "battlefield":
            continue
        if obj.bestowed:
            effects.append(
                Effect(
                    number=-1,
                    timestamp=obj.timestamp,
                    affects="self",
                    source=obj.handle,
                    add_types=frozenset({"enchantment"}),
                    remove_types=frozenset({"creature"}),
                    add_subtypes=frozenset({"aura"}),
                    intrinsic=True,
                ),
            )
        if "reconfigure" in obj.keywords and obj.attached_to is not None:
            effects.append(
                Effect(
                    number=-1,
                    timestamp=obj.timestamp,
                    affects="self",
                    source=obj.handle,
                    remove_types=frozenset({"creature"}),
                    intrinsic=True,
                ),
            )
    return effects


class _Applying:
    """One run through the layers."""

    def __init__(self, board: Board, fixed: FixedAtStart, *, fixing: bool) -> None:
        self.board = board
        self.fixed = fixed
        self.fixing = fixing
        self.views: Views = {obj.handle: _base_view(obj) for obj in board.objects.values()}
        effects = _intrinsic_effects(board) + board.effects
        # CR 613.7: older effects first; among equal timestamps the order of the list.
        self.effects = sorted(effects, key=lambda effect: (effect.timestamp, effect.number))
        # CR 613.6: effects that have started to apply, with the objects they go on applying to.
        self.begun: dict[Effect, frozenset[Handle]] = {}

    def picture(self) -> Picture:
        for layer in LAYERS:
            if layer == "4":
                self.apply_changeling()
            self.apply_layer(layer)
            if layer == "6":
                self.apply_keyword_counters()
            if layer == "7c":
                self.apply_counters()
        return Picture(self.board, self.views, self.protections_of_players(), self.rules())

    # -- the order within a layer ----------------------------------------------------------------------------------

    def apply_layer(self, layer: str) -> None:
        remaining = [effect for effect in self.effects if layer in effect.layers]
        while remaining:
            effect = remaining[0]
            if len(remaining) > 1 and layer in LAYERS_WITH_DEPENDENCIES:
                effect = self.next_effect(layer, remaining)
            remaining.remove(effect)
            self.apply(effect, layer)

    def next_effect(self, layer: str, remaining: list[Effect]) -> Effect:
        """Find the oldest effect that need not wait for another (CR 613.8b).

        Effects that wait for each other in a circle do not wait: among them the timestamps decide.
        """
        waits_for = self.dependencies(layer, remaining)
        reached = {effect: _reachable(effect, waits_for) for effect in remaining}
        for effect in remaining:
            if all(effect in reached[other] for other in reached[effect]):
                return effect
        raise AssertionError("some effect of a finite set waits for none outside its own circle")

    def dependencies(self, layer: str, remaining: list[Effect]) -> dict[Effect, set[Effect]]:
        """Find on which others each effect depends, by applying each of the others on trial (CR 613.8a)."""
        before = {effect: self.what_it_would_do(effect, layer) for effect in remaining}
        waits_for: dict[Effect, set[Effect]] = {effect: set() for effect in remaining}
        for other in remaining:
            found, seat, *_ = before[other]
            targets = self.changeable(found, other, layer)
            if not targets:
                continue
            kept = {handle: self.views[handle].copy() for handle in targets}
            for handle in targets:
                self.change(other, layer, handle, seat, 1)
            for effect in remaining:
                if effect is not other and self.what_it_would_do(effect, layer) != before[effect]:
                    waits_for[effect].add(other)
            self.views.update(kept)
        return waits_for

    def what_it_would_do(
        self, effect: Effect, layer: str
    ) -> tuple[frozenset[Handle], Seat | None, frozenset[tuple[Handle, str]], bool]:
        """What an effect applies to, what it does there as far as another can change that, and whether it exists."""
        seat = self.new_controller(effect) if layer == "2" else None
        targets = self.targets(effect)
        if layer != "4":
            return targets, seat, frozenset(), self.works(effect)
        # CR 205.3d, 305.7: which subtypes it can give, and whether a land loses its abilities, depends on card types.
        given = ((h, word) for h in targets for word in subtypes_it_can_give(effect, self.views[h]))
        return targets, seat, frozenset(given), self.works(effect)

    # -- what an effect applies to ---------------------------------------------------------------------------------

    def you(self, effect: Effect) -> Seat | None:
        return effect.controller if effect.source is None else self.views[effect.source].controller

    def exists(self, effect: Effect) -> bool:
        """Whether the static ability that makes an effect works (CR 604.1, 611.3b, 702.26b, 114.4)."""
        if effect.source is None:
            return True
        source = self.board.objects[effect.source]
        if source.moved:
            return False
        if effect.intrinsic:
            return True
        works = source.on_battlefield() or (source.kind == "emblem" and source.zone == "command")
        return works and self.views[effect.source].has_abilities

    def targets(self, effect: Effect) -> frozenset[Handle]:
        """Find the objects an effect applies to."""
        if effect in self.begun:
            # CR 613.6: it goes on, and to the same objects, whatever has become of its source.
            return self.begun[effect]
        return self.affected_objects(effect) if self.works(effect) else frozenset()

    def works(self, effect: Effect) -> bool:
        """Whether an effect has begun to apply, or would."""
        return effect in self.begun or (self.exists(effect) and self.condition_holds(effect))

    def changeable(self, found: frozenset[Handle], effect: Effect, layer: str) -> frozenset[Handle]:
        """Find of the objects an effect applies to those about which it can change anything in a layer."""
        if layer != "2":
            return found
        if self.new_controller(effect) is None:
            return frozenset()
        # CR 108.4, 603.3a: nobody gains control of a card elsewhere, nor of a trigger that waits.
        return frozenset(h for h in found if self.board.objects[h].zone in ("battlefield", "stack"))

    def affected_objects(self, effect: Effect) -> frozenset[Handle]:
        affects = effect.affects
        if isinstance(affects, Filter):
            if _is_fixed(effect) and (not self.fixing or self.fixed.objects.get(effect)):
                return self.still_there(self.fixed.objects[effect])
            return self.matching(affects, effect)
        if isinstance(affects, tuple):
            return self.still_there(affects)
        if affects == "self" and effect.source is not None:
            return frozenset({effect.source})
        if affects == "host" and effect.source is not None:
            host = host_of(self.board, self.views, self.board.objects[effect.source])
            return frozenset({host.handle}) if isinstance(host, Object) else frozenset()
        return frozenset()

    def still_there(self, handles: Iterable[Handle]) -> frozenset[Handle]:
        """Leave out what is a new object by now (CR 400.7), and what is phased out (CR 702.26b)."""
        objects = (self.board.objects[handle] for handle in handles)
        return frozenset(obj.handle for obj in objects if obj.exists() and not obj.moved)

    def matching(self, condition: Filter, effect: Effect) -> frozenset[Handle]:
        eye = Eye(self.you(effect), effect.source)
        return frozenset(
            obj.handle for obj in self.board.objects.values() if matches(self.board, self.views, condition, obj, eye)
        )

    def condition_holds(self, effect: Effect) -> bool:
        """Judge the `while` of an effect. Without bounds it means at least one."""
        condition = effect.condition
        if condition is None:
            return True
        if isinstance(condition.counted, LifeOf):
            life = self.life_of(condition.counted, effect)
            if life is None:
                return False
            count = life
        else:
            count = len(self.matching(condition.counted, effect))
        at_least = condition.at_least
        if at_least is None and condition.at_most is None:
            at_least = 1
        return (at_least is None or count >= at_least) and (condition.at_most is None or count <= condition.at_most)

    def life_of(self, life: LifeOf, effect: Effect) -> int | None:
        seat = self.you(effect) if isinstance(life.which, str) else life.which
        return None if seat is None else self.board.players[seat].life

    def amount(self, effect: Effect) -> int:
        """By how much `per` multiplies."""
        if effect in self.fixed.amounts:
            return self.fixed.amounts[effect]
        if effect.per is None:
            return 1
        if isinstance(effect.per, LifeOf):
            return self.life_of(effect.per, effect) or 0
        found = self.matching(effect.per, effect)
        if effect.per_distinct:
            return len({card_type for handle in found for card_type in self.views[handle].types})
        return len(found)

    def new_controller(self, effect: Effect) -> Seat | None:
        """Find who gets control. Nobody who has left the game can (CR 800.4a, 800.4b)."""
        seat = self.you(effect) if isinstance(effect.control, str) else effect.control
        return None if seat is None or self.board.players[seat].has_left else seat

    # -- what an effect does ---------------------------------------------------------------------------------------

    def apply(self, effect: Effect, layer: str) -> None:
        if self.fixing:
            self.fix(effect, layer)
        targets = self.targets(effect)
        seat = self.new_controller(effect) if layer == "2" else None
        amount = self.amount(effect) if layer in ("7a", "7c") else 1
        for handle in self.changeable(targets, effect, layer):
            self.change(effect, layer, handle, seat, amount)
        if targets:
            self.begun.setdefault(effect, targets)

    def fix(self, effect: Effect, layer: str) -> None:
        if _is_fixed(effect) and not self.fixed.objects.get(effect):
            self.fixed.objects[effect] = self.affected_objects(effect)
        if effect.source is None and effect.per is not None and layer in ("7a", "7c"):
            self.fixed.amounts.setdefault(effect, self.amount(effect))

    def change(self, effect: Effect, layer: str, handle: Handle, seat: Seat | None, amount: int) -> None:
        view = self.views[handle]
        mana_value = self.board.objects[handle].mana_value
        match layer:
            case "2" if seat is not None:
                view.controller = seat
            case "4":
                change_types(effect, view)
            case "5":
                if effect.set_colors is not None:
                    view.colors = effect.set_colors
                view.colors |= effect.add_colors
            case "6":
                change_abilities(effect, view)
            case "7a":
                if effect.define_power is not None:
                    view.power = effect.define_power * amount
                if effect.define_toughness is not None:
                    view.toughness = effect.define_toughness * amount
            case "7b":
                if effect.set_power is not None:
                    view.power = mana_value if isinstance(effect.set_power, str) else effect.set_power
                if effect.set_toughness is not None:
                    view.toughness = mana_value if isinstance(effect.set_toughness, str) else effect.set_toughness
            case "7c":
                if isinstance(effect.per, LifeOf):
                    # CR 107.1b: a negative number adds nothing.
                    amount = max(amount, 0)
                view.power += effect.add_power * amount
                view.toughness += effect.add_toughness * amount
            case "7d":
                view.power, view.toughness = view.toughness, view.power

    def apply_changeling(self) -> None:
        # CR 702.73a: a characteristic-defining ability, so it comes before the other effects of layer 4 (CR 613.3).
        for obj in self.board.objects.values():
            view = self.views[obj.handle]
            if "changeling" in obj.keywords and view.can_have_creature_types():
                view.subtypes |= words.CREATURE_TYPES

    def apply_keyword_counters(self) -> None:
        # CR 122.1b: an indestructible counter gives the keyword.
        for obj in self.board.objects.values():
            if obj.counters.get("indestructible", 0):
                self.views[obj.handle].keywords |= {"indestructible"}

    def apply_counters(self) -> None:
        # CR 613.4c: counters that change power and toughness.
        for obj in self.board.objects.values():
            for kind, count in obj.counters.items():
                if found := POWER_TOUGHNESS_COUNTER.fullmatch(kind):
                    view = self.views[obj.handle]
                    view.power += int(found[1]) * count
                    view.toughness += int(found[2]) * count

    # -- after the layers ------------------------------------------------------------------------------------------

    def works_after_layers(self, effect: Effect) -> bool:
        # A rule is no part of the layers: what has begun there (CR 613.6) does not keep it up.
        return self.exists(effect) and self.condition_holds(effect)

    def affected_seats(self, effect: Effect) -> frozenset[Seat]:
        affects = effect.affects
        if affects == "host" and effect.source is not None:
            host = host_of(self.board, self.views, self.board.objects[effect.source])
            return frozenset({host.seat}) if isinstance(host, Player) else frozenset()
        if not isinstance(affects, AffectedPlayers):
            return frozenset()
        if isinstance(affects.which, int):
            return frozenset({affects.which})
        seats = frozenset(player.seat for player in self.board.players)
        you = self.you(effect)
        if affects.which == "any":
            return seats
        if you is None:
            return frozenset()
        if affects.which == "you":
            return frozenset({you})
        return frozenset(seat for seat in seats if self.board.are_opponents(seat, you))

    def protections_of_players(self) -> dict[Seat, frozenset[str]]:
        # CR 613.10: effects on players are applied after those on objects.
        protections: dict[Seat, frozenset[str]] = {player.seat: frozenset() for player in self.board.players}
        for effect in self.effects:
            if effect.gain_protection and self.works_after_layers(effect):
                for seat in self.affected_seats(effect):
                    protections[seat] |= effect.gain_protection
        return protections

    def rules(self) -> list[RuleGiven]:
        # CR 613.11: rules come last, and are looked up afresh: they are fixed to nothing.
        given = []
        for effect in self.effects:
            if effect.rule is not None and self.works_after_layers(effect):
                affects = effect.affects
                if isinstance(affects, Filter):
                    objects = self.matching(affects, effect)
                else:
                    objects = self.affected_objects(effect)
                given.append(RuleGiven(effect, objects, self.affected_seats(effect)))
        return given


def _reachable(start: Effect, waits_for: dict[Effect, set[Effect]]) -> set[Effect]:
    reached: set[Effect] = set()
    todo = [start]
    while todo:
        for other in waits_for[todo.pop()]:
            if other not in reached:
                reached.add(other)
                todo.append(other)
    return reached


def change_card_types(effect: Effect, view: View) -> None:
    if effect.set_types is not None:
        view.types = effect.set_types
    view.types = (view.types | effect.add_types) - effect.remove_types


def subtypes_it_can_give(effect: Effect, view: View) -> Iterable[str]:
    changed = view.copy()
    change_card_types(effect, changed)
    return [word for word in effect.add_subtypes | (effect.set_subtypes or frozenset()) if _fits(word, changed)]


def change_types(effect: Effect, view: View) -> None:
    """Layer 4 of one effect: types set, added, removed; then subtypes; then supertypes."""
    before = view.types
    change_card_types(effect, view)
    lost = before - view.types
    # CR 205.1a: with a card type go the subtypes that belong to it and to none of the other card types.
    view.subtypes = frozenset(
        word for word in view.subtypes if not (words.CARD_TYPES_OF.get(word, frozenset()) & lost) or _fits(word, view)
    )
    if effect.set_subtypes is not None:
        view.subtypes = frozenset(word for word in effect.set_subtypes if _fits(word, view))
        if "land" in view.types and effect.set_subtypes & words.BASIC_LAND_TYPES:
            # CR 305.7: a land whose subtype is set to a basic land type loses its own abilities.
            view.has_abilities = False
            view.keywords = frozenset()
            view.protection = frozenset()
    view.subtypes |= {word for word in effect.add_subtypes if _fits(word, view)}
    view.subtypes -= effect.remove_subtypes
    view.supertypes = (view.supertypes | effect.add_supertypes) - effect.remove_supertypes


def _fits(subtype: str, view: View) -> bool:
    # CR 205.3d: no object has a subtype of a card type that it is not.
    return subtype not in words.CARD_TYPES_OF or bool(words.CARD_TYPES_OF[subtype] & view.types)


def change_abilities(effect: Effect, view: View) -> None:
    """Layer 6 of one effect: all abilities lost; keywords lost, gained; protection gained."""
    if effect.lose_all_abilities:
        view.has_abilities = False
        view.keywords = frozenset()
        view.protection = frozenset()
        view.gained_changeling = False
    view.keywords -= effect.lose_keywords
    if "changeling" in effect.lose_keywords:
        view.gained_changeling = False
    view.keywords |= effect.gain_keywords
    if "changeling" in effect.gain_keywords:
        view.gained_changeling = True
    view.protection |= effect.gain_protection
