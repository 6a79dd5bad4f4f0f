"""From a board to Forge's state text: as few changes as possible to the text it came from, or a text of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from headjudge.io import forge_tokens
from headjudge.io.cards import Face
from headjudge.io.forge_state import FACES, PHASES, ZONES, ForgePlayer, counter_kind, cut, key_parts
from headjudge.io.forge_text import STATE, Document, Line, parse
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from headjudge.io.board_records import BoardRecord
    from headjudge.io.cards import CardBook
    from headjudge.io.forge_state import ForgeCard, ForgeState
    from headjudge.io.scenario_fields import Record

#: What a puzzle of Forge's has to have before its state.
_HEADER: Final = "[metadata]\nName:{name}\nGoal:Win\nTurns:1\nDifficulty:Easy\n[state]\n"
_PHASE_OF: Final = dict(zip(v.STEPS, PHASES, strict=True))
#: Zones that the text has lists for, in the order in which they are written.
_LISTED: Final = tuple(dict.fromkeys(ZONES.values()))
#: What an attribute is about, by its name.
_ABOUT: Final = {
    "IsCommander": "commander", "Id": "id", "Owner": "owner", "Tapped": "tapped", "PhasedOut": "phased_out",
    "AttachedTo": "attached_to", "Attaching": "attached_to", "EnchantingPlayer": "attached_to", "Damage": "damage",
    "Counters": "counters", "Attacking": "attacking", "FaceDown": "face", "MergedCards": "face", "IsToken": "face",
    "UnlockedRoom": "face", **dict.fromkeys(FACES, "face"),
}  # fmt: skip
#: Attributes that go with a card wherever it goes, beside those it still has.
_KEPT_EVERYWHERE: Final = ("Set", "Art")
#: A kind of counter that can stand before an equals sign.
_COUNTER: Final = re.compile(r"[^\s,=;|]([^,=;|\r\n]*[^\s,=;|])?")
_UNSAYABLE: Final = (";", "|", "\r", "\n")


class Template(NamedTuple):
    """The text that a board came from."""

    state: ForgeState
    #: The names of the objects when they were imported, by `object_id`.
    names: Sequence[str | None]


class Written(NamedTuple):
    """A text, and which objects stand in it."""

    document: Document
    #: Rows of the objects in the order of the text.
    rows: tuple[int, ...]


def write(
    record: BoardRecord,
    object_ids: Sequence[int],
    name: str,
    template: Template | None = None,
    cards: CardBook | None = None,
) -> Written:
    """Return a board as text; the parameters are those of `forge_export.text_of`.

    Lines, entries and attributes of the template stay as they are wherever they say what the board says. Card facts
    tell which names are those of back faces.
    """
    return _Writer(record, object_ids, template, cards).write(name)


@dataclass
class _Writer:
    record: BoardRecord
    object_ids: Sequence[int]
    template: Template | None
    cards: CardBook | None
    ids: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.listed = {row for row, thing in enumerate(self.record.objects) if is_listed(thing)}

    def write(self, name: str) -> Written:
        base = parse(_HEADER.format(name=name)) if self.template is None else self.template.state.document
        self._number()
        lines = self._with_values(base, self._scalars(base))
        lines, rows = self._with_zones(lines)
        return Written(Document(tuple(lines), base.origin, base.has_mark), tuple(rows))

    def _old(self, row: int) -> ForgeCard | None:
        """Return what the template says of an object."""
        if self.template is None or self.object_ids[row] >= len(self.template.state.cards):
            return None
        return self.template.state.cards[self.object_ids[row]]

    def _number(self) -> None:
        """Give an Id to every object that is referred to; those of the template stay."""
        rows = range(len(self.record.objects))
        for row in rows:
            old = self._old(row)
            if old is not None and old.id is not None:
                self.ids[row] = old.id
        taken = set(self.ids.values())
        targets = {o[name] for o in self.record.objects for name in ("attached_to", "attacking")}
        free = 1
        for row in rows:
            if row in targets and row in self.listed and row not in self.ids:
                while free in taken:
                    free += 1
                self.ids[row] = free
                taken.add(free)

    # --- whole game and players ---

    def _scalars(self, base: Document) -> dict[str, str]:
        """Return the values of keys that say something else than the base does."""
        state = self.record.state
        old = self.template.state if self.template else None
        seats = range(len(self.record.players))
        spelled = {(seat, rest): key for key in base.state for seat, rest in [key_parts(key) or (-1, "")]}
        changed: dict[str, str] = {}
        if old is None or state["active_player"] != (old.active_player or 0):
            changed["activeplayer"] = f"p{state['active_player']}"
        if old is None or state["step"] != (old.step or "precombat_main"):
            changed["activephase"] = _PHASE_OF[state["step"]]
        for seat in seats:
            player = self.record.players[seat]
            before = old.players[seat] if old is not None and seat < len(old.players) else ForgePlayer()

            def key(rest: str, seat: int = seat) -> str:
                return spelled.get((seat, rest), f"p{seat}{rest}")

            is_new = old is None or seat >= len(old.players)
            if is_new or player["life"] != (20 if before.life is None else before.life):
                changed[key("life")] = str(player["life"])
            counts = dict(before.counters)
            if player["poison"] != counts.get("poison", 0):
                counts["poison"] = player["poison"]
                changed[key("counters")] = _counters(sorted(counts.items()))
            if (player["speed"] or 0) != (before.speed or 0):
                changed[key("speed")] = str(player["speed"] or 0)
        return changed

    def _with_values(self, base: Document, changed: Mapping[str, str]) -> list[Line]:
        """Return the lines of the base with other values, and new lines for keys that it does not have."""
        lines = [
            line.with_value(changed[line.key]) if line.section == STATE and line.key and line.key in changed else line
            for line in base.lines
        ]
        for key, value in changed.items():
            if key not in base.state:
                lines = _inserted(lines, key, value)
        return lines

    # --- zones ---

    def _with_zones(self, lines: list[Line]) -> tuple[list[Line], list[int]]:
        wanted = self._listing()
        placed: dict[int, list[int]] = {}
        spelled: dict[tuple[int, str], int] = {}
        for i, line in enumerate(lines):
            parts = key_parts(line.key) if line.section == STATE and line.key else None
            if parts and parts[1] in ZONES:
                spelled[parts[0], ZONES[parts[1]]] = i
        new: list[tuple[str, list[int]]] = []
        for (seat, zone), rows in wanted.items():
            if (seat, zone) in spelled:
                placed[spelled[seat, zone]] = rows
            elif rows:
                new.append((f"p{seat}{zone}", rows))
        order: list[int] = []
        written: list[Line] = []
        for i, line in enumerate(lines):
            if i in spelled.values():
                rows = placed.get(i, [])
                written.append(self._zone_line(line, rows))
                order += rows
            else:
                written.append(line)
        for key, rows in new:
            written = _inserted(written, key, ";".join(self._entry(row) for row in rows))
            order += rows
        return written, order

    def _listing(self) -> dict[tuple[int, str], list[int]]:
        """Return the rows of each list: first those that stood in it, then the others by their timestamps."""
        wanted: dict[tuple[int, str], list[int]] = {}
        for seat in range(len(self.record.players)):
            for zone in _LISTED:
                wanted[seat, zone] = []
        for row in sorted(self.listed):
            thing = self.record.objects[row]
            wanted[listed_under(thing), thing["zone"]].append(row)
        for (seat, zone), rows in wanted.items():
            stood = [row for row in rows if self._stands(row, seat, zone)]
            stood.sort(key=lambda row: self.object_ids[row])
            others = [row for row in rows if row not in set(stood)]
            others.sort(key=lambda row: self.record.objects[row]["timestamp"])
            wanted[seat, zone] = stood + others
        return wanted

    def _stands(self, row: int, seat: int, zone: str) -> bool:
        old = self._old(row)
        return old is not None and (old.seat, old.zone) == (seat, zone)

    def _zone_line(self, line: Line, rows: Sequence[int]) -> Line:
        """Return a line of a zone; unchanged if its entries are."""
        entries = [self._entry(row) for row in rows]
        before = [raw for raw in cut(line.value) if raw.strip()]
        return line if entries == before else line.with_value(";".join(entries))

    # --- entries ---

    def _entry(self, row: int) -> str:
        thing = self.record.objects[row]
        old = self._old(row)
        if old is None or not self._is_still(row, old):
            head, face = self._head(thing)
            return "|".join([head, *face, *self._attributes(row).values()])
        head, *parts = old.raw.split("|")
        said, before = self._attributes(row), self._attributes_before(old)
        same_zone = old.zone == thing["zone"]
        stays = same_zone and old.seat == listed_under(thing)
        kept = []
        for part in parts:
            name = part.strip().partition(":")[0]
            about = _ABOUT.get(name)
            if about is None or about == "face":
                keep = same_zone or name in _KEPT_EVERYWHERE or name == "IsToken"
            else:
                keep = before.get(about) == said.get(about)
            if keep:
                kept.append(part)
        added = [text for about, text in said.items() if before.get(about) != text]
        entry = "|".join([head, *kept, *added])
        return entry if stays else entry.strip()

    def _is_still(self, row: int, old: ForgeCard) -> bool:
        """Whether the object is what the template's entry describes, apart from what happened to it."""
        assert self.template is not None
        thing = self.record.objects[row]
        object_id = self.object_ids[row]
        if (thing["name"], thing["kind"]) != (self.template.names[object_id], old.kind):
            return False
        if old.token is not None and not old.face_down:
            return forge_tokens.written(old.token.face) == forge_tokens.written(token_face(thing))
        under = (*old.merged, *([old.melded_with] if old.melded_with else []))
        names = (old.name, *under) if under or old.face_down else ()
        return tuple(component.name for component in thing["components"]) == names

    def _head(self, thing: Record) -> tuple[str, list[str]]:
        """Return how an object is called, and the attributes that go with it."""
        names = [component.name or "" for component in thing["components"]]
        if thing["name"] is None and len(names) == 1 and thing["kind"] == "card":
            return names[0], ["FaceDown"] if thing["zone"] == "battlefield" else []
        if thing["kind"] == "token":
            return f"t:{forge_tokens.written(token_face(thing))}", []
        if len(names) > 1 and names[0] != thing["name"]:
            return names[0], ["Meld:" + ",".join(name.replace(",", "^") for name in names[1:])]
        if len(names) > 1:
            return names[0], ["MergedCards:" + ",".join(name.replace(",", "^") for name in names[1:])]
        return self._name(thing)

    def _name(self, thing: Record) -> tuple[str, list[str]]:
        name: str = thing["name"]
        if self.cards is None:
            return name, []
        front = self.cards.get(name)
        if front is not None and "room" in thing["subtypes"] and len(front.faces) > 1:
            halves = [half for i, half in enumerate(("LeftSplit", "RightSplit")) if front.faces[i].name in name]
            return front.name, [f"UnlockedRoom:{half}" for half in halves]
        other = self.cards.whose_back(name) if front is None else None
        if other is not None and "room" in thing["subtypes"]:
            return other.name, ["UnlockedRoom:RightSplit"]
        if other is None or other.back is None:
            return name, []
        face = {"flip": "Flipped", "modal_dfc": "Modal"}.get(other.layout, "Transformed")
        return other.faces[0].name, [face] if thing["zone"] == "battlefield" else []

    def _attributes(self, row: int) -> dict[str, str]:
        """Return what is said of an object beside what it is, by what it is about."""
        thing = self.record.objects[row]
        said = {}
        if thing["commander"]:
            said["commander"] = "IsCommander"
        if row in self.ids:
            said["id"] = f"Id:{self.ids[row]}"
        if thing["zone"] == "battlefield" and thing["owner"] != thing["controller"]:
            said["owner"] = f"Owner:P{thing['owner']}"
        if thing["tapped"]:
            said["tapped"] = "Tapped"
        if thing["phased_out"]:
            said["phased_out"] = f"PhasedOut:P{thing['controller']}"
        host = thing["attached_to"]
        if host is not None and (host < 0 or host in self.listed):
            said["attached_to"] = f"EnchantingPlayer:P{-1 - host}" if host < 0 else f"AttachedTo:{self.ids[host]}"
        if thing["damage"]:
            said["damage"] = f"Damage:{thing['damage']}"
        counters = _counters(thing["counters"])
        if counters:
            said["counters"] = f"Counters:{counters}"
        attacked = thing["attacking"]
        if isinstance(attacked, int) and (attacked < 0 or attacked in self.listed):
            said["attacking"] = "Attacking" if attacked < 0 else f"Attacking:{self.ids[attacked]}"
        return said

    def _attributes_before(self, old: ForgeCard) -> dict[str, str]:
        """Return what the template says, in the same words; references by the Ids of the template."""
        assert self.template is not None
        cards = self.template.state.cards
        said = {}
        if old.commander:
            said["commander"] = "IsCommander"
        if old.id is not None:
            said["id"] = f"Id:{old.id}"
        if old.owner is not None and old.owner != old.seat:
            said["owner"] = f"Owner:P{old.owner}"
        if old.tapped:
            said["tapped"] = "Tapped"
        if old.phased_out:
            said["phased_out"] = f"PhasedOut:P{old.seat}"
        host = old.attached_to
        if host is not None:
            said["attached_to"] = f"EnchantingPlayer:P{-1 - host}" if host < 0 else f"AttachedTo:{cards[host].id}"
        if old.damage:
            said["damage"] = f"Damage:{old.damage}"
        if old.counters:
            said["counters"] = f"Counters:{_counters(old.counters)}"
        if old.attacking is not None:
            to_player = isinstance(old.attacking, str)
            said["attacking"] = "Attacking" if to_player else f"Attacking:{cards[int(old.attacking)].id}"
        return said


def is_listed(thing: Record) -> bool:
    """Whether an object can stand in a list of the text at all."""
    return thing["zone"] in _LISTED and not why_not_listed(thing)


def _can_hold(name: str) -> bool:
    """Whether a name comes back as it is: others would end an entry, or be taken for a token or a foil."""
    marks = any(character in name for character in _UNSAYABLE)
    return not marks and name == name.strip() and not name.startswith(("t:", "T:")) and not name.endswith("+")


def listed_under(thing: Record) -> int:
    """Return the player in whose list an object stands."""
    seat: int = thing["controller"] if thing["zone"] == "battlefield" else thing["owner"]
    return seat


def why_not_listed(thing: Record) -> str:
    """Return why an object cannot stand in the text; nothing if it can."""
    if thing["zone"] not in _LISTED:
        return f"the text has no zone {thing['zone']}"
    if thing["kind"] not in ("card", "token"):
        return f"the text has no {thing['kind']}"
    names = [component.name for component in thing["components"]] or [thing["name"]]
    if None in names or "" in names:
        return "it has no name"
    if any(not _can_hold(name) for name in names if name):
        return f"the text cannot hold its name {names[0]!r}"
    if len(names) > 1 and thing["kind"] == "token":
        return "the text has no merged tokens"
    return ""


def token_face(thing: Record) -> Face:
    """Return what a token is, as far as the text can say it."""
    return Face(
        thing["name"] or next((component.name for component in thing["components"]), None) or "",
        thing["types"],
        thing["supertypes"],
        thing["subtypes"],
        thing["colors"],
        thing["power"],
        thing["toughness"],
        thing["mana_value"],
        text="\n".join(forge_tokens.sayable(thing["keywords"])),
    )


def _counters(counts: Sequence[tuple[str, int]]) -> str:
    """Return counters as Forge writes them, without kinds that would be taken for something else."""
    said = ((counter_kind(kind), count) for kind, count in counts if count)
    return ",".join(f"{kind}={count}" for kind, count in said if _COUNTER.fullmatch(kind))


def _inserted(lines: Sequence[Line], key: str, value: str) -> list[Line]:
    """Return lines with one more at the end of the state, behind its last line that is read."""
    read = [i for i, line in enumerate(lines) if line.section == STATE and (line.key or line.text.startswith("["))]
    last = read[-1] if read else len(lines) - 1
    ends = next((line.end for line in lines if line.end), "\n")
    before = list(lines[: last + 1])
    end = ends
    if before and not before[-1].end:
        before[-1] = replace(before[-1], end=ends)
        end = ""
    return [*before, Line(0, f"{key}={value}", end, STATE, key, value), *lines[last + 1 :]]
