"""What becomes of destructions, and of permanents that would go to a graveyard (CR 614, 616, 701.8, 704.7)."""

from dataclasses import dataclass, field

from oracle.attachments import enchanting_umbras
from oracle.board import Handle, Object, Rejected
from oracle.layers import Picture
from oracle.parse import Choices
from oracle.permanents import may_use_command_zone


@dataclass(slots=True)
class Save:
    """A permanent that is not destroyed, and why: its regeneration shield, or an Aura with umbra armor."""

    handle: Handle
    umbra: Handle | None

    def replaced_by(self) -> str:
        return "regeneration" if self.umbra is None else "umbra_armor"


@dataclass(slots=True)
class Destructions:
    """All destructions of one event. Those of one object are one, and one replacement covers it (CR 704.7)."""

    picture: Picture
    choices: Choices
    # What state-based actions destroy; the rest is destroyed by umbra armor, which is an effect.
    by_rule: list[Handle]
    destroyed: set[Handle] = field(default_factory=set)
    saves: dict[Handle, Save] = field(default_factory=dict)
    shields_used: set[Handle] = field(default_factory=set)
    handled: set[Handle] = field(default_factory=set)
    umbras_used: set[Handle] = field(default_factory=set)

    def resolve(self) -> "Destructions":
        for handle in self.by_rule:
            self.destroy(self.picture.board.objects[handle])
        return self

    def destroy(self, obj: Object) -> None:
        if obj.handle in self.handled:
            return
        self.handled.add(obj.handle)
        umbras = {umbra.handle: umbra for umbra in enchanting_umbras(self.picture, obj)}
        offers = [handle for handle in umbras if handle not in self.umbras_used]
        if obj.regeneration > 0 and "cant_be_regenerated" not in self.picture.views[obj.handle].keywords:
            # CR 701.19a, 701.19c
            offers.insert(0, "regeneration")
        if obj.handle not in self.by_rule and obj.counters.get("shield", 0):
            # CR 122.1c: a shield counter replaces only what an effect destroys.
            offers.append("shield_counter")
        chosen = self.choices.replace.get(obj.handle)
        if chosen not in offers:
            chosen = offers[0] if offers else None
        if chosen == "regeneration":
            self.saves[obj.handle] = Save(obj.handle, None)
        elif chosen == "shield_counter":
            self.shields_used.add(obj.handle)
        elif chosen is not None:
            # CR 702.89a: the damage is removed and the Aura is destroyed instead.
            self.saves[obj.handle] = Save(obj.handle, chosen)
            self.umbras_used.add(chosen)
            if "indestructible" not in self.picture.views[chosen].keywords:
                self.destroy(umbras[chosen])
        else:
            self.destroyed.add(obj.handle)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an object goes, and what changed that."""

    zone: str
    replaced_by: str | None


def graveyard_replacements(picture: Picture, obj: Object) -> list[Destination]:
    """Find what sends a permanent elsewhere that would go to its owner's graveyard, in the order of preference."""
    found = []
    if obj.graveyard_replacement is not None:
        found.append(Destination(obj.graveyard_replacement, "graveyard_replacement"))
    if obj.counters.get("finality", 0):
        # CR 122.1h
        found.append(Destination("exile", "finality"))
    for given in picture.rules:
        if given.effect.rule != "graveyard_to_exile" or (given.effect.cards_only and obj.kind != "card"):
            continue
        if obj.handle in given.objects or obj.owner in given.seats:
            found.append(Destination("exile", "graveyard_to_exile"))
            break
    return found


def destination(picture: Picture, choices: Choices, obj: Object, *, dies: bool, effect_zones: list[str]) -> Destination:
    """Find where a permanent goes that a rule buries, effects move, or both (CR 400.6: its controller chooses)."""
    offers = []
    if dies:
        offers += graveyard_replacements(picture, obj) or [Destination("graveyard", None)]
    offers += [Destination(zone, None) for zone in sorted(effect_zones)]
    chosen = choices.destination.get(obj.handle)
    found = next((offer for offer in offers if offer.zone == chosen), offers[0])
    if found.zone == "graveyard" and obj.kind != "card" and any(c.kind == "card" for c in obj.components):
        for given in picture.rules:
            # CR 730.3e: then its tokens and its cards go apart, and one object of the board model has one zone.
            is_concerned = obj.handle in given.objects or obj.owner in given.seats
            if given.effect.rule == "graveyard_to_exile" and given.effect.cards_only and is_concerned:
                raise Rejected(f"given.objects.{obj.handle}.components: cards and tokens go to different zones")
    is_commander = obj.commander and obj.kind == "card" and may_use_command_zone(picture)
    if found.zone in ("hand", "library") and is_commander and choices.command_zone.get(obj.handle, True):
        # CR 903.9b: from wherever a commander would go to its owner's hand or library.
        return Destination("command", found.replaced_by)
    return found
