"""Boards of Forge: what comes in, what goes out, what is told of what cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

import headjudge
from headjudge import cli, effects
from headjudge.effects import Objects, PlayersAffected
from headjudge.errors import DataError
from headjudge.filters import Filter
from headjudge.io import forge, forge_state, forge_text
from headjudge.io.board_records import BoardRecord, EffectRecord, boards_of, record_of
from headjudge.io.cards import CardBook
from headjudge.io.forge_export import text_of
from headjudge.io.forge_import import ImportedBoard, Unknown, board_of, names_of
from headjudge.testing import strategies

if TYPE_CHECKING:
    from collections.abc import Callable

    from headjudge.io.scenario_fields import Record

CARDS = Path(__file__).parent / "forge_cards.json"
#: Puzzles that come with Forge, where this checkout has them beside it.
SAMPLES = sorted((Path(__file__).parent.parent.parent / "shared" / "data" / "forge").glob("*.pzl"))
with_samples = pytest.mark.skipif(not SAMPLES, reason="the puzzles of Forge are not here")
HEAD = "[metadata]\nName:Test\n[state]\nactiveplayer=p0\nactivephase=MAIN1\np0life=20\np1life=20\n"

#: Beside the real cards: one of each layout that the samples lack.
ODD_CARDS: dict[str, list[dict[str, Any]]] = {
    "Budoka // Dokai": [
        {"faceName": "Budoka", "side": "a", "layout": "flip", "manaCost": "{1}{G}", "colors": ["G"],
         "types": ["Creature"], "power": "2", "toughness": "1"},
        {"faceName": "Dokai", "side": "b", "layout": "flip", "supertypes": ["Legendary"], "types": ["Creature"],
         "power": "3", "toughness": "3"},
    ],
    "Valki // Tibalt": [
        {"faceName": "Valki", "side": "a", "layout": "modal_dfc", "manaCost": "{1}{B}", "colors": ["B"],
         "types": ["Creature"], "power": "2", "toughness": "1"},
        {"faceName": "Tibalt", "side": "b", "layout": "modal_dfc", "manaCost": "{5}{B}{R}", "colors": ["B", "R"],
         "types": ["Planeswalker"], "loyalty": "5"},
    ],
    "Bruna // Brisela": [
        {"faceName": "Bruna", "side": "a", "layout": "meld", "manaCost": "{5}{W}{W}", "colors": ["W"],
         "types": ["Creature"], "power": "5", "toughness": "7"},
        {"faceName": "Brisela", "side": "b", "layout": "meld", "colors": ["W"], "types": ["Creature"], "power": "9",
         "toughness": "10"},
    ],
    "Gisela": [{"layout": "meld", "manaCost": "{2}{W}{W}", "colors": ["W"], "types": ["Creature"], "power": "4",
                "toughness": "3"}],
    "Closet // Cellar": [
        {"faceName": "Closet", "side": "a", "layout": "split", "manaCost": "{2}{G}", "colors": ["G"],
         "types": ["Enchantment"], "subtypes": ["Room"]},
        {"faceName": "Cellar", "side": "b", "layout": "split", "manaCost": "{3}{G}{G}", "colors": ["G"],
         "types": ["Enchantment"], "subtypes": ["Room"], "text": "Creatures you control get +1/+1."},
    ],
    "Fire // Ice": [
        {"faceName": "Fire", "side": "a", "layout": "split", "manaCost": "{1}{R}", "colors": ["R"],
         "types": ["Instant"]},
        {"faceName": "Ice", "side": "b", "layout": "split", "manaCost": "{1}{U}", "colors": ["U"],
         "types": ["Instant"]},
    ],
    "Tarmogoyf": [{"manaCost": "{1}{G}", "colors": ["G"], "types": ["Creature"], "power": "*", "toughness": "1+*"}],
    "Curse": [{"types": ["Enchantment"], "subtypes": ["Aura"], "text": "Enchant player"}],
    "Jace": [{"types": ["Planeswalker"], "supertypes": ["Legendary"], "loyalty": "4"}],
    "Keep": [{"types": ["Battle"], "defense": "3"}],
    "Bolt": [{"types": ["Instant"], "manaCost": "{R}", "colors": ["R"]}],
}  # fmt: skip


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all cards that the tests need."""
    content = json.loads(CARDS.read_text(encoding="utf-8"))
    for name, faces in ODD_CARDS.items():
        plain = {"name": name, "layout": "normal", "colors": [], "supertypes": [], "subtypes": []}
        content["data"][name] = [{**plain, **face} for face in faces]
    path = tmp_path_factory.mktemp("cards") / "cards.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def imported(text: str, cards: Path, unknown: Unknown = "refuse") -> ImportedBoard:
    state = forge_state.parse(forge_text.parse(text if "[" in text else HEAD + text + "\n", "test.pzl"))
    return board_of(state, CardBook.read(cards, names_of(state)), unknown)


def things(text: str, cards: Path) -> list[Record]:
    return imported(text, cards).record.objects


def told(board: ImportedBoard, kind: str) -> list[tuple[str, str]]:
    return [(finding.subject, finding.detail) for finding in board.findings if finding.kind == kind]


# --- the puzzles of Forge ---


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "imported"
    forge.save(forge.read_files(SAMPLES, CARDS), folder)
    return folder


#: What is not modelled in the samples and holds something up, and the effects that say it.
HELD_UP: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "Duelist_Number_5": ("Unstable Mutation", [{"affects": "host", "add_power": 3, "add_toughness": 3}]),
    "PC_072115": (
        "Revenant",
        [{"affects": "self", "define_power": 1, "define_toughness": 1,
          "per": {"types": ["creature"], "zone": "graveyard", "owner": "you"}}],
    ),
    "PS_NEO4": (
        "Cloudsteel Kirin",
        [{"affects": PlayersAffected("you"), "rule": "cant_lose", "while": {"matching": {"host": True}}}],
    ),
}  # fmt: skip


@with_samples
def test_samples_come_back_the_same(samples: Path, tmp_path: Path) -> None:
    files = list(forge.export(samples, tmp_path / "out"))
    assert [file.path.name for file in files] == [path.name for path in SAMPLES]
    assert not [finding for file in files for finding in file.findings]
    for path in SAMPLES:
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes(), path.name


@with_samples
def test_samples_come_back_the_same_without_their_texts(samples: Path, tmp_path: Path) -> None:
    boards = headjudge.load(samples)
    boards.save(tmp_path / "boards")  # a data set that does not know where it came from
    files = list(forge.export(tmp_path / "boards", tmp_path / "out", cards=CARDS))
    assert not [finding for file in files for finding in file.findings]
    again = forge.read_files([tmp_path / "out" / f"state-{i}.pzl" for i in range(len(SAMPLES))], CARDS)
    for board, other in zip(boards, again.boards, strict=True):
        one, two = (sorted(map(str, known(record_of(b).objects))) for b in (board, other))
        assert one == two
        assert record_of(board).players == record_of(other).players
        assert record_of(board).state == record_of(other).state


def known(objects: list[Record]) -> list[Record]:
    """Objects without what the order of a text changes."""
    names = [thing["name"] for thing in objects]
    return [
        {
            **{key: value for key, value in thing.items() if key not in ("timestamp", "world_since")},
            **{
                key: names[thing[key]]
                for key in ("attached_to", "attacking")
                if isinstance(thing[key], int) and thing[key] >= 0
            },
        }
        for thing in objects
    ]


@with_samples
def test_samples_are_settled_but_for_what_was_named(samples: Path) -> None:
    boards = headjudge.load(samples)
    resolution = headjudge.settle(boards, threads=1)
    assert set(resolution.results["status"].to_pylist()) == {"settled"}
    passes = dict(zip([path.stem for path in SAMPLES], resolution.results["passes"].to_pylist(), strict=True))
    assert {name for name, count in passes.items() if count} == set(HELD_UP)
    read = forge.read_files(SAMPLES, CARDS)
    for row, path in enumerate(SAMPLES):
        if path.stem in HELD_UP:
            name, texts = HELD_UP[path.stem]
            assert name in {finding.subject for finding in read.files[row].findings if finding.kind == "not_modelled"}
            quiet = headjudge.settle(with_effects(boards[row], name, texts), threads=1)
            assert quiet.results["passes"].to_pylist() == [0]
            assert quiet.results["outcome"].to_pylist() == ["ongoing"]


def with_effects(board: headjudge.Boards, name: str, texts: list[dict[str, Any]]) -> headjudge.Boards:
    """The board with effects whose source has this name."""
    record = record_of(board)
    (source,) = (row for row, thing in enumerate(record.objects) if thing["name"] == name)
    for text in texts:
        affects = text["affects"]
        fields = {key: value for key, value in text.items() if key != "affects"}
        record.effects.append(EffectRecord(effects.parse_text(fields, affects, "test"), source))
    return boards_of(record)


# --- the same three cases without the samples ---


@pytest.mark.parametrize(
    ("entries", "name", "texts"),
    [
        ("Hypnotic Specter|Counters:M1M1=3|Id:1;Unstable Mutation|AttachedTo:1", *HELD_UP["Duelist_Number_5"]),
        ("Revenant\np0graveyard=Grizzly Bears;Hill Giant", *HELD_UP["PC_072115"]),
        ("Grizzly Bears|Id:1;Cloudsteel Kirin|AttachedTo:1\np0counters=POISON=10", *HELD_UP["PS_NEO4"]),
    ],
)
def test_what_holds_something_up_is_named(entries: str, name: str, texts: list[dict[str, Any]], cards: Path) -> None:
    found = imported(f"p0battlefield={entries}", cards)
    assert name in {subject for subject, _ in told(found, "not_modelled")}
    board = boards_of(found.record)
    assert headjudge.settle(board, threads=1).results["passes"].to_pylist() != [0]
    quiet = headjudge.settle(with_effects(board, name, texts), threads=1)
    assert (quiet.results["passes"].to_pylist(), quiet.results["outcome"].to_pylist()) == ([0], ["ongoing"])


# --- reading ---


def test_facts_and_attributes(cards: Path) -> None:
    specter, aura = things(
        "p1battlefield=Hypnotic Specter|Counters:M1M1=1,REV=2|Id:1|Tapped|Owner:P0|Damage:1;"
        "Unstable Mutation|AttachedTo:1",
        cards,
    )
    assert (specter["power"], specter["toughness"], specter["mana_value"], specter["colors"]) == (2, 2, 3, ("black",))
    assert (specter["controller"], specter["owner"], specter["tapped"], specter["damage"]) == (1, 0, True, 1)
    assert specter["counters"] == (("-1/-1", 1), ("rev", 2))
    assert (aura["attached_to"], aura["enchant"], aura["subtypes"]) == (0, Filter(types=("creature",)), ("aura",))


def test_players_and_step(cards: Path) -> None:
    text = "[state]\nactiveplayer=ai\nactivephase=COMBAT_DAMAGE\nhumanlife=-2\naicounters=POISON=3,ENERGY=2\naispeed=0"
    found = imported(text, cards)
    one, other = found.record.players
    assert (one["life"], one["speed"], other["life"], other["poison"], other["speed"]) == (-2, None, 20, 3, None)
    assert (found.record.state["active_player"], found.record.state["step"]) == (1, "combat_damage")
    assert told(found, "not_held") == [("p1 counters", "energy 2")]
    assert told(found, "assumed") == [("p1 life", "the text does not say; taken for 20")]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("Budoka|Flipped", {"name": "Dokai", "power": 3, "supertypes": ("legendary",), "mana_value": 2}),
        ("Valki|Modal", {"name": "Tibalt", "types": ("planeswalker",), "mana_value": 7}),
        ("The Shattered States Era|Transformed", {"name": "Nameless Conqueror", "toughness": 3, "mana_value": 5}),
        ("The Shattered States Era", {"name": "The Shattered States Era", "final_chapter": 3, "power": None}),
        ("Bruna|Meld:Gisela", {"name": "Brisela", "toughness": 10, "mana_value": 11}),
        ("Closet // Cellar|UnlockedRoom:LeftSplit", {"name": "Closet", "mana_value": 3, "subtypes": ("room",)}),
        ("Closet // Cellar|UnlockedRoom:RightSplit|UnlockedRoom:LeftSplit", {"mana_value": 8}),
        ("Closet // Cellar", {"name": None, "mana_value": 0, "types": ("enchantment",)}),
        ("Bonesplitter|FaceDown:Manifested", {"name": None, "types": ("creature",), "power": 2, "colors": ()}),
        ("Invasion of Karsus|Counters:DEFENSE=4", {"protector": 1, "counters": (("defense", 4),)}),
        ("Keep|Counters:DEFENSE=1", {"protector": 0}),
        ("Cloudsteel Kirin", {"keywords": ("reconfigure",), "power": 3}),
        ("Black Knight", {"protection": ("white",)}),
        ("Guardian Automaton", {"dies_trigger": True}),
        ("Grizzly Bears|IsToken", {"kind": "token", "power": 2, "name": "Grizzly Bears"}),
        ("t:Odd Knight,P:2,T:3,Color:WU,Types:Creature-Knight,Keywords:Vigilance-Indestructible",
         {"kind": "token", "toughness": 3, "colors": ("white", "blue"), "keywords": ("indestructible",)}),
        ("T:wb_1_1_spirit_flying", {"kind": "token", "name": "Spirit Token", "power": 1}),
        ("grizzly bears+", {"name": "Grizzly Bears"}),
    ],
)  # fmt: skip
def test_what_is_up(entry: str, expected: dict[str, Any], cards: Path) -> None:
    found = imported(f"p0battlefield={entry}", cards, "blank").record.objects[0]
    assert {field: found[field] for field in expected} == expected


def test_merged_permanents_have_the_abilities_below(cards: Path) -> None:
    found = imported("p0battlefield=Cubwarden|MergedCards:Guardian Automaton,Shadow-Rite Priest", cards)
    (cub,) = found.record.objects
    assert (cub["power"], cub["dies_trigger"]) == (3, True)
    assert [part.name for part in cub["components"]] == ["Cubwarden", "Guardian Automaton", "Shadow-Rite Priest"]
    assert told(found, "not_modelled") == [("Shadow-Rite Priest", "Other Clerics you control get +1/+1.")]


def test_split_cards_elsewhere_are_both_halves(cards: Path) -> None:
    (fire,) = things("p0hand=Fire // Ice", cards)
    assert (fire["name"], fire["colors"], fire["mana_value"]) == ("Fire // Ice", ("red", "blue"), 4)


def test_power_that_is_no_number_is_named(cards: Path) -> None:
    found = imported("p0battlefield=Tarmogoyf\np0hand=Tarmogoyf", cards)
    assert told(found, "not_modelled") == [("Tarmogoyf", "power *"), ("Tarmogoyf", "toughness 1+*")]


def test_statics_elsewhere_do_not_work(cards: Path) -> None:
    assert not told(imported("p0hand=Shadow-Rite Priest\np0graveyard=Conversion", cards), "not_modelled")


def test_combat_and_more_than_two_players(cards: Path) -> None:
    text = "p0battlefield=Grizzly Bears|Attacking;Hill Giant|Attacking:3\np1battlefield=Jace|Id:3|Counters:LOYALTY=2"
    bear, giant, _ = things(text, cards)
    assert (bear["attacking"], giant["attacking"]) == (-2, 2)
    found = imported(f"{text}\np2life=3\np2battlefield=Invasion of Karsus|Counters:DEFENSE=3", cards)
    assert told(found, "assumed") == [
        ("Grizzly Bears", "attacks p1: the text does not say which opponent"),
        ("Invasion of Karsus", "no protector: the text does not say which opponent"),
    ]
    assert found.record.objects[-1]["protector"] is None


def test_planeswalkers_without_counters_are_told(cards: Path) -> None:
    assert told(imported("p0battlefield=Jace", cards), "assumed") == [
        ("Jace", "no loyalty counters, as the text has none; the card enters with 4")
    ]


def test_commanders_make_commander(cards: Path) -> None:
    found = imported("p0command=Jace|IsCommander", cards)
    assert found.record.state["variant"] == ("commander",)
    assert told(found, "assumed") == [("variant", "commander, as a card is one")]


def test_auras_on_players(cards: Path) -> None:
    (curse,) = things("p0battlefield=Curse|EnchantingPlayer:P1", cards)
    assert (curse["attached_to"], curse["enchant"]) == (-2, "any")


def test_unknown_cards(cards: Path) -> None:
    text = "p0battlefield=Grizzly Bears;Nonesuch;T:mystery\np1hand=Nonesuch;Nameless Conqueror"
    with pytest.raises(DataError, match=r"test\.pzl: unknown cards: Nonesuch \(line 8\), T:mystery") as error:
        imported(text, cards)
    assert "Nameless Conqueror (line 9, the other side of The Shattered States Era // Name" in str(error.value)
    found = imported(text, cards, "blank")
    assert [subject for subject, _ in told(found, "unknown")] == [
        "Nonesuch",
        "T:mystery",
        "Nonesuch",
        "Nameless Conqueror",
    ]
    assert [(o["name"], o["types"]) for o in found.record.objects[1:3]] == [("Nonesuch", ()), ("mystery", ())]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("Grizzly Bears|Transformed", "Transformed: expected a card with another face to show"),
        ("Budoka|Transformed", "Transformed: found a card of layout flip"),
        ("Valki|Flipped", "Flipped: found a card of layout modal_dfc"),
        ("Grizzly Bears|Meld:Hill Giant", "Meld: expected what it melds into"),
    ],
)
def test_faces_that_are_not_there(entry: str, words: str, cards: Path) -> None:
    with pytest.raises(DataError, match=r"^test\.pzl: line 8: ") as error:
        imported(f"p0battlefield={entry}", cards)
    assert words in str(error.value)


@pytest.mark.parametrize("entries", ["Sol Ring|Id:1|AttachedTo:1", "Flight|Id:1|AttachedTo:2;Flight|Id:2|AttachedTo:1"])
def test_odd_attachments_settle(entries: str, cards: Path) -> None:
    board = boards_of(imported(f"p0battlefield={entries}", cards).record)
    after = headjudge.settle(board, threads=1)
    assert after.results["status"].to_pylist() == ["settled"]
    assert after.results["passes"].to_pylist()[0] >= 1


# --- writing ---


def changed(text: str, cards: Path, change: Callable[[BoardRecord], object]) -> tuple[str, list[tuple[str, str]]]:
    """The text again after a change of its board, and what it cannot say."""
    if "[" not in text:
        text = HEAD + text + "\n"
    state = forge_state.parse(forge_text.parse(text, "test.pzl"))
    record = imported(text, cards).record
    template = forge.Template(state, [thing["name"] for thing in record.objects])
    change(record)
    names = names_of(state) | {thing["name"] for thing in record.objects if thing["name"]}
    exported = text_of(record, range(len(record.objects)), "Test", template, CardBook.read(cards, names))
    return exported.document.text.removeprefix(HEAD), [(f.subject, f.detail) for f in exported.findings]


def test_only_what_changed_is_written(cards: Path) -> None:
    text = "p0hand= Bolt ;\n# keep me\np0battlefield=Hill Giant|Set:LEA|Tapped|Id:4; Flight|AttachedTo:4 ;Sol Ring|Odd"

    def change(board: BoardRecord) -> None:
        board.objects[1] |= {"tapped": False, "damage": 2}
        board.players[1]["poison"] = 3

    found, findings = changed(text, cards, change)
    assert found == (
        "p0hand= Bolt ;\n# keep me\np0battlefield=Hill Giant|Set:LEA|Id:4|Damage:2; Flight|AttachedTo:4 ;Sol Ring|Odd\n"
        "p1counters=POISON=3\n"
    )
    assert findings == []


def test_nothing_changed_is_nothing_written(cards: Path) -> None:
    text = "P0Hand=Bolt;;\r\np1play = Sol Ring | Tapped|Odd;\r\n\r\nfoo=1"
    assert changed(text, cards, lambda board: None)[0] == text + "\n"


def test_what_moves_is_listed_elsewhere(cards: Path) -> None:
    text = "p0battlefield=Hill Giant|Set:LEA|SummonSick|Id:4;Flight|AttachedTo:4;The Shattered States Era|Transformed"

    def change(board: BoardRecord) -> None:
        for thing in board.objects:
            thing |= {"zone": "graveyard", "attached_to": None}

    assert changed(text, cards, change)[0] == (
        "p0battlefield=\np0graveyard=Hill Giant|Set:LEA|Id:4;Flight;The Shattered States Era\n"
    )


def test_control_changes_hands(cards: Path) -> None:
    found, findings = changed(
        "p0battlefield=Hill Giant|SummonSick", cards, lambda board: board.objects[0].update(controller=1)
    )
    assert (found, findings) == ("p0battlefield=\np1battlefield=Hill Giant|SummonSick|Owner:P0\n", [])


def test_new_references_get_ids(cards: Path) -> None:
    text = "p0battlefield=Hill Giant;Sol Ring|Id:1;Flight|AttachedTo:1"
    found, findings = changed(text, cards, lambda board: board.objects[2].update(attached_to=0))
    assert (found, findings) == ("p0battlefield=Hill Giant|Id:2;Sol Ring|Id:1;Flight|AttachedTo:2\n", [])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"deathtouch_damage": True}, "deathtouch_damage: true"),
        ({"regeneration": 2}, "regeneration: 2"),
        ({"sector": "beta"}, "sector: beta"),
        ({"blocking": True}, "blocking: true"),
        ({"attacking": "nothing"}, "attacking: nothing"),
        ({"arrived": True}, "arrived: true"),
        ({"graveyard_replacement": "exile"}, "graveyard_replacement: exile"),
        ({"power": 5}, "power: 5"),
        ({"colors": ("red", "green")}, "colors: red, green"),
        ({"keywords": ("indestructible",)}, "keywords: indestructible"),
        ({"protector": 1}, "protector: 1"),
        ({"counters": (("a=b", 1),)}, "counters: ('a=b', 1)"),
        ({"zone": "stack"}, "left out: the text has no zone stack"),
        ({"kind": "emblem", "zone": "command"}, "left out: the text has no emblem"),
        ({"name": None}, "left out: it has no name"),
        ({"name": "A;B"}, "left out: the text cannot hold its name 'A;B'"),
        ({"name": "t:Bear"}, "left out: the text cannot hold its name 't:Bear'"),
    ],
)
def test_what_the_text_cannot_say_of_an_object(fields: Record, expected: str, cards: Path) -> None:
    _, findings = changed("p0battlefield=Hill Giant", cards, lambda board: board.objects[0].update(fields))
    name = fields.get("name", "Hill Giant")
    assert findings == [(f"{name} (object 0)" if name else "object 0", expected)]


def test_what_the_text_cannot_say_of_players_and_games(cards: Path) -> None:
    def change(board: BoardRecord) -> None:
        board.state.update(skips=("end",), round_expired=True)
        board.players[0] |= {"drew_from_empty": True, "speed": 0, "designations": ("city_blessing",)}
        board.players[1]["commander_damage"] = ((0, 7),)
        board.objects[0] |= {"timestamp": 9}
        board.effects.append(EffectRecord(effects.parse_text({"add_power": 1}, Objects(), "test"), objects=(0,)))

    assert changed("p0battlefield=Hill Giant;Sol Ring", cards, change)[1] == [
        ("state", "skips: end"),
        ("state", "round_expired: true"),
        ("p0", "drew_from_empty: true"),
        ("p0", "speed: 0"),
        ("p0", "designations: city_blessing"),
        ("p1", "commander_damage: 7 by object 0"),
        ("timestamp", "permanents came in another order than they are listed in"),
        ("Hill Giant", "world_since: 0"),
        ("effect (no source)", "{'affects': [0], 'add_power': 1}"),
    ]


@pytest.mark.parametrize(
    "entry",
    [
        "Budoka|Flipped", "Valki|Modal", "The Shattered States Era|Transformed", "Bruna|Meld:Gisela",
        "Closet // Cellar|UnlockedRoom:RightSplit", "Grizzly Bears|FaceDown",
        "Cubwarden|MergedCards:Cubwarden,Kura^ the Boundless Sky",
        "t:Odd Knight,P:2,T:3,Cost:no cost,Color:WU,Types:Creature-Knight,Keywords:Indestructible",
        "Grizzly Bears|Owner:P1|Tapped|PhasedOut:P0|Damage:1|Counters:P1P1=1,REV=2",
    ],
)  # fmt: skip
def test_written_anew(entry: str, cards: Path) -> None:
    """Without the text that it came from, a board is written in the one way that headjudge has."""
    state = forge_state.parse(forge_text.parse(f"{HEAD}p0battlefield={entry}\n"))
    record = imported(f"p0battlefield={entry}", cards).record
    names = names_of(state) | {thing["name"] for thing in record.objects if thing["name"]}
    exported = text_of(record, [0], "Test", None, CardBook.read(cards, names))
    assert exported.findings == ()
    assert f"p0battlefield={entry}\n" in exported.document.text


@settings(max_examples=50)
@given(strategies.boards(max_players=3))
def test_every_board_is_written_and_read_again(board: headjudge.Boards) -> None:
    """Whatever a board says is in its text, or is told."""
    record = record_of(board)
    object_ids = board.objects.object_id.tolist()
    exported = text_of(record, object_ids, "Test")
    state = forge_state.parse(exported.document)
    again = board_of(state, CardBook(Path("none")), "blank").record
    subjects = {finding.subject for finding in exported.findings}
    for seat, player in enumerate(record.players):
        assert again.players[seat] == player or f"p{seat}" in subjects
    listed = [thing for thing in record.objects if thing["zone"] != "none"]
    left_out = [finding for finding in exported.findings if finding.detail.startswith("left out")]
    assert len(again.objects) + len(left_out) == len(listed)
    assert sum(thing["damage"] for thing in again.objects) <= sum(thing["damage"] for thing in listed)
    assert len(record.effects) == sum(finding.subject.startswith("effect (") for finding in exported.findings)


def test_too_many_players() -> None:
    board = record_of(headjudge.generate(1))
    crowd = BoardRecord(board.state, [board.players[0]] * 11, [])
    with pytest.raises(DataError, match="expected at most 10 players, p0 to p9, found 11"):
        text_of(crowd, [], "Test")


# --- files and the command line ---


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pzl").write_text(
        f"{HEAD}p0battlefield=Grizzly Bears|Damage:2;Shadow-Rite Priest\n", encoding="utf-8"
    )
    (tmp_path / "b.pzl").write_text(f"{HEAD}p0battlefield=Nonesuch\n", encoding="utf-8")
    (tmp_path / "c.pzl").write_bytes(HEAD.replace("\n", "\r\n").encode() + b"p1hand=Sol Ring\r\n")
    return tmp_path


def run(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def test_import_and_export(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("import", "forge", "a.pzl", "c.pzl", "--cards", CARDS, "-o", "boards") == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.pzl: state 0, 2 objects",
        "  not modelled: Shadow-Rite Priest: Other Clerics you control get +1/+1.",
        "c.pzl: state 1, 1 object",
        "",
        "2 of 2 files: boards",
    ]
    assert run("settle", "boards", "settled", "--after", "--threads", 1) == 0
    assert run("export", "forge", "boards", "-o", "same") == 0
    assert run("export", "forge", "settled/after", "--like", "boards", "--cards", CARDS, "-o", "after") == 0
    for name in ("a.pzl", "c.pzl"):
        assert (here / "same" / name).read_bytes() == (here / name).read_bytes()
    assert (here / "after" / "c.pzl").read_bytes() == (here / "c.pzl").read_bytes()
    assert (here / "after" / "a.pzl").read_text().removeprefix(HEAD) == (
        "p0battlefield=Shadow-Rite Priest\np0graveyard=Grizzly Bears\n"
    )
    capsys.readouterr()
    assert run("export", "forge", "boards", "--state", 1, "-o", "one", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["file"] == "one/c.pzl"
    assert [path.name for path in (here / "one").iterdir()] == ["c.pzl"]


def test_files_that_cannot_be_read_do_not_stop_the_others(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("import", "forge", ".", "gone.pzl", "--cards", CARDS, "-o", "boards", "--format", "json") == 2
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["file"], line["state_id"]) for line in lines] == [
        ("a.pzl", 0), ("b.pzl", None), ("c.pzl", 2), ("gone.pzl", None),
    ]  # fmt: skip
    assert "b.pzl: unknown cards: Nonesuch (line 8); expected them in" in lines[1]["error"]
    assert err.splitlines() == [
        f"headjudge: {lines[1]['error']}",
        "headjudge: gone.pzl: cannot be read: No such file or directory",
    ]
    assert headjudge.load("boards").states.state_id.tolist() == [0, 2]
    assert run("import", "forge", "b.pzl", "--cards", CARDS, "-o", "blank", "--unknown", "blank") == 0
    assert "unknown: Nonesuch" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "forge", "b.pzl", "--cards", CARDS, "-o", "out"], "b.pzl: unknown cards: Nonesuch"),
        (["import", "forge", "a.pzl", "--cards", "none.json", "-o", "out"], "none.json: cannot be read"),
        (["import", "forge", "a.pzl", "-o", "out"], "the following arguments are required: --cards"),
        (["import", "forge", "a.pzl", "--cards", CARDS, "-o", "."], "expected nothing or an empty folder"),
        (["import", "arena"], "invalid choice: 'arena'"),
        (["export", "forge", "none", "-o", "out"], "none: expected the folder of a data set"),
    ],
)
@pytest.mark.usefixtures("here")
def test_errors(arguments: list[object], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = run(*arguments)
    except SystemExit as error:
        code = int(error.code or 0)
    assert code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("headjudge: ")
    assert words in last
    assert not Path("out", "states").exists()


@pytest.mark.usefixtures("here")
def test_errors_of_export() -> None:
    forge.save(forge.read_files(["a.pzl"], CARDS), "boards")
    for arguments, words in (
        ({"state": 7}, "boards: expected a state with state_id 7, found none"),
        ({"like": "."}, r"expected a data set that headjudge import wrote, found no _forge/index\.json"),
    ):
        with pytest.raises(DataError, match=words):
            list(forge.export("boards", "out", **arguments))  # type: ignore[arg-type]
    list(forge.export("boards", "out"))
    with pytest.raises(DataError, match=r"a\.pzl: expected no such file, found one"):
        list(forge.export("boards", "out"))
    index = Path("boards/_forge/index.json")
    for content, words in (
        ("[", "expected what headjudge import wrote"),
        ('{"format": 9}', "expected format 1, found 9"),
    ):
        index.write_text(content)
        with pytest.raises(DataError, match=words):
            list(forge.export("boards", "out2"))


@pytest.mark.usefixtures("here")
def test_files_of_one_name_are_kept_apart() -> None:
    Path("sub").mkdir()
    Path("sub/a.pzl").write_text(f"{HEAD}p0hand=Sol Ring\n", encoding="utf-8")
    forge.save(forge.read_files(["a.pzl", "sub"], CARDS), "boards")
    assert [file.path.name for file in forge.export("boards", "out")] == ["a.pzl", "a-1.pzl"]


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected files \*\.pzl, found none in"):
        forge.read_files([tmp_path], CARDS)
