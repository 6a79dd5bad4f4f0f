"""What an object is at some moment of applying effects, and whether it meets the conditions of a filter."""

from dataclasses import dataclass

from oracle import words
from oracle.board import Board, Filter, Handle, Object, Player, PlayerRef, Seat


@dataclass(slots=True)
class View:
    """The characteristics and the controller of one object, so far as effects have been applied."""

    controller: Seat
    types: frozenset[str]
    supertypes: frozenset[str]
    subtypes: frozenset[str]
    colors: frozenset[str]
    keywords: frozenset[str]
    protection: frozenset[str]
    power: int
    toughness: int
    # Its own abilities that are no keywords: static abilities, enchant, chapters, limits, triggers.
    has_abilities: bool = True
    # Changeling that an effect gave it, which is there from layer 6 on.
    gained_changeling: bool = False

    def copy(self) -> "View":
        return View(
            self.controller,
            self.types,
            self.supertypes,
            self.subtypes,
            self.colors,
            self.keywords,
            self.protection,
            self.power,
            self.toughness,
            self.has_abilities,
            self.gained_changeling,
        )

    def can_have_creature_types(self) -> bool:
        # CR 205.3d, 205.3m
        return "creature" in self.types or "kindred" in self.types

    def has_subtype(self, subtype: str) -> bool:
        if subtype in self.subtypes:
            return True
        return self.gained_changeling and subtype in words.CREATURE_TYPES and self.can_have_creature_types()


Views = dict[Handle, View]


def host_of(board: Board, views: Views, obj: Object) -> Object | Player | None:
    """What an object is attached to, if that is still there (CR 303.4c, 400.7, 702.26b)."""
    attached_to = obj.attached_to
    if attached_to is None:
        return None
    if isinstance(attached_to, PlayerRef):
        player = board.players[attached_to.seat]
        return player if player.in_game else None
    host = board.objects[attached_to]
    zone = "battlefield"
    if isinstance(obj.enchant, Filter) and not obj.bestowed and "aura" in views[obj.handle].subtypes:
        zone = obj.enchant.zone
    return host if host.exists() and host.zone == zone and not host.moved else None


def side_matches(board: Board, side: str, seat: Seat, you: Seat | None) -> bool:
    """Whether a player is "you", an "opponent" of you, or "any" player."""
    if side == "any":
        return True
    if you is None:
        return False
    return seat == you if side == "you" else board.are_opponents(seat, you)


@dataclass(frozen=True, slots=True)
class Eye:
    """From where a filter looks: who "you" is, and what the source is."""

    you: Seat | None
    source: Handle | None


def matches(board: Board, views: Views, condition: Filter, obj: Object, eye: Eye) -> bool:
    """Whether an object meets every condition of a filter."""
    if obj.zone != condition.zone or not obj.exists():
        return False
    view = views[obj.handle]
    if not condition.types <= view.types or condition.not_types & view.types:
        return False
    if condition.any_types is not None and not condition.any_types & view.types:
        return False
    if not condition.supertypes <= view.supertypes or condition.not_supertypes & view.supertypes:
        return False
    if not all(view.has_subtype(subtype) for subtype in condition.subtypes):
        return False
    if any(view.has_subtype(subtype) for subtype in condition.not_subtypes):
        return False
    if condition.any_subtypes is not None and not any(map(view.has_subtype, condition.any_subtypes)):
        return False
    if condition.colors is not None and not condition.colors & view.colors:
        return False
    if not condition.keywords <= view.keywords:
        return False
    if condition.kind is not None and obj.kind != condition.kind:
        return False
    if condition.named is not None and obj.name != condition.named:
        return False
    if condition.attacking is not None and condition.attacking != (obj.attacking is not None):
        return False
    if condition.tapped is not None and condition.tapped != obj.tapped:
        return False
    if condition.other and obj.handle == eye.source:
        return False
    if condition.host and (eye.source is None or host_of(board, views, board.objects[eye.source]) is not obj):
        return False
    return side_matches(board, condition.controller, view.controller, eye.you) and side_matches(
        board,
        condition.owner,
        obj.owner,
        eye.you,
    )
