"""What Auras, Equipment and Fortifications may be attached to (CR 301.5, 301.6, 303.4, 702.16)."""

from oracle import words
from oracle.board import Filter, Object, Player
from oracle.layers import Picture
from oracle.views import Eye, View, host_of, matches, side_matches


def qualities_match(protection: frozenset[str], view: View) -> bool:
    """Whether an object has one of the qualities something is protected from (CR 702.16a, j, k)."""
    return bool(
        "everything" in protection
        or protection & view.colors
        or protection & view.types
        or f"player:{view.controller}" in protection,
    )


def is_protected(picture: Picture, host: Object | Player, attachment: Object) -> bool:
    """Whether the host's protection lets go of the attachment (CR 702.16c, d), unless it spares it (CR 702.16n, p)."""
    view = picture.views[attachment.handle]
    if isinstance(host, Player):
        return qualities_match(picture.player_protection[host.seat], view)
    if attachment.handle in host.keeps_attachments or not host.on_battlefield():
        # CR 113.6: abilities of cards elsewhere do not function.
        return False
    return qualities_match(picture.views[host.handle].protection, view)


def is_legal_for_bestowed(picture: Picture, aura: Object, host: Object | Player) -> bool:
    # CR 702.103b: a bestowed Aura has enchant creature.
    return (
        isinstance(host, Object)
        and "creature" in picture.views[host.handle].types
        and can_be_enchanted(picture, aura, host)
    )


def is_legal_for_aura(picture: Picture, aura: Object, host: Object | Player) -> bool:
    """Whether an Aura may stay on what it enchants (CR 303.4c)."""
    view = picture.views[aura.handle]
    if aura.enchant is None or not view.has_abilities:
        # CR 702.5a: without an enchant ability nothing may be enchanted.
        return False
    if isinstance(aura.enchant, Filter):
        if isinstance(host, Player) or not matches(
            picture.board,
            picture.views,
            aura.enchant,
            host,
            Eye(view.controller, aura.handle),
        ):
            return False
    elif isinstance(host, Object) or not side_matches(
        # CR 702.5d: enchant player.
        picture.board,
        aura.enchant.which,
        host.seat,
        view.controller,
    ):
        return False
    return can_be_enchanted(picture, aura, host)


def can_be_enchanted(picture: Picture, aura: Object, host: Object | Player) -> bool:
    if host is aura:
        # CR 303.4d: an Aura cannot enchant itself.
        return False
    if (
        isinstance(host, Object)
        and host.on_battlefield()
        and "cant_be_enchanted" in picture.views[host.handle].keywords
    ):
        return False
    return not is_protected(picture, host, aura)


def is_legal_for_equipment(picture: Picture, attachment: Object, host: Object | Player) -> bool:
    """Whether an Equipment or Fortification may stay where it is (CR 301.5, 301.6)."""
    if isinstance(host, Player) or host is attachment or is_protected(picture, host, attachment):
        return False
    if not host.on_battlefield():
        # CR 109.2: a creature or land is a permanent.
        return False
    host_view = picture.views[host.handle]
    subtypes = picture.views[attachment.handle].subtypes
    if "equipment" in subtypes and ("creature" not in host_view.types or "cant_be_equipped" in host_view.keywords):
        return False
    return not ("fortification" in subtypes and "land" not in host_view.types)


def enchanting_umbras(picture: Picture, host: Object) -> list[Object]:
    """Find the Auras with umbra armor on a permanent, the oldest first (CR 702.89a)."""
    umbras = [
        obj
        for obj in picture.permanents()
        if host_of(picture.board, picture.views, obj) is host
        and "aura" in picture.views[obj.handle].subtypes
        and "umbra_armor" in picture.views[obj.handle].keywords
    ]
    return sorted(umbras, key=lambda obj: (obj.timestamp, obj.row))


def pending_triggers(picture: Picture, source: Object, kinds: frozenset[str] = words.TRIGGERED_KINDS) -> bool:
    """Whether a triggered ability of an object waits or is on the stack."""
    return any(
        obj.zone in ("stack", "waiting") and obj.kind in kinds and obj.source == source.handle and not source.moved
        for obj in picture.board.objects.values()
    )
