"""Card facts: bulk files of Scryfall and MTGJSON, and what is read of rules texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headjudge.errors import DataError
from headjudge.filters import Filter
from headjudge.io import json_stream
from headjudge.io.card_text import abilities_of
from headjudge.io.cards import Card, CardBook, Face, mana_value_of
from headjudge.io.enchant_text import enchant_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a JSON file of cards."""

    def make(content: Any) -> Path:
        path = tmp_path / "cards.json"
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
        return path

    return make


def atomic(*faces: dict[str, Any]) -> dict[str, Any]:
    """A file in the form of AtomicCards with one card."""
    name = " // ".join(face.get("faceName", face["name"]) for face in faces)
    sides = {} if len(faces) == 1 else {"name": name}
    plain = {"layout": "normal", "types": ["Creature"], "colors": []}
    return {"meta": {"date": "2026-08-01"}, "data": {name: [{**plain, **face, **sides} for face in faces]}}


def card(book: CardBook, name: str) -> Card:
    found = book.get(name)
    assert found is not None, name
    return found


# --- files ---

SCRYFALL = [
    {"object": "card", "name": "Delver of Secrets // Insectile Aberration", "layout": "transform", "cmc": 1.0,
     "keywords": ["Flying", "Transform"], "type_line": "Creature — Human Wizard // Creature — Human Insect",
     "card_faces": [
         {"name": "Delver of Secrets", "mana_cost": "{U}", "type_line": "Creature — Human Wizard", "colors": ["U"],
          "power": "1", "toughness": "1", "oracle_text": "Look at the top card."},
         {"name": "Insectile Aberration", "mana_cost": "", "type_line": "Creature — Human Insect", "colors": ["U"],
          "power": "3", "toughness": "2", "oracle_text": "Flying"}]},
    {"object": "card", "name": "Fire // Ice", "layout": "split", "colors": ["R", "U"], "type_line": "Instant",
     "card_faces": [{"name": "Fire", "mana_cost": "{1}{R}", "type_line": "Instant", "oracle_text": "Burn."},
                    {"name": "Ice", "mana_cost": "{1}{U}", "type_line": "Instant", "oracle_text": "Tap."}]},
    {"object": "card", "name": "Bonecrusher Giant // Stomp", "layout": "adventure", "colors": ["R"],
     "card_faces": [{"name": "Bonecrusher Giant", "mana_cost": "{2}{R}", "type_line": "Creature — Giant",
                     "power": "4", "toughness": "3", "oracle_text": ""},
                    {"name": "Stomp", "mana_cost": "{1}{R}", "type_line": "Instant — Adventure", "oracle_text": "."}]},
    {"object": "card", "name": "Gisela, the Broken Blade", "layout": "meld", "mana_cost": "{2}{W}{W}", "colors": ["W"],
     "type_line": "Legendary Creature — Angel Horror", "power": "4", "toughness": "3", "oracle_text": "Flying",
     "all_parts": [{"component": "meld_part", "name": "Gisela, the Broken Blade"},
                   {"component": "meld_result", "name": "Brisela, Voice of Nightmares"}]},
    {"object": "card", "name": "Brisela, Voice of Nightmares", "layout": "meld", "mana_cost": "", "colors": ["W"],
     "type_line": "Legendary Creature — Eldrazi Angel", "power": "9", "toughness": "10", "oracle_text": "Flying",
     "all_parts": [{"component": "meld_result", "name": "Brisela, Voice of Nightmares"}]},
    {"object": "card", "name": "The Tenth Doctor", "layout": "normal", "mana_cost": "{3}{U}{R}", "colors": ["R", "U"],
     "type_line": "Legendary Creature — Time Lord Doctor", "power": "3", "toughness": "5", "oracle_text": ""},
    {"object": "card", "name": "Grizzly Bears", "layout": "token", "type_line": "Token Creature", "power": "9"},
    {"object": "card", "name": "Grizzly Bears", "layout": "normal", "mana_cost": "{1}{G}", "colors": ["G"],
     "type_line": "Creature — Bear", "power": "2", "toughness": "2", "oracle_text": ""},
    {"object": "card", "name": "Jötun Grunt", "layout": "normal", "mana_cost": "{1}{W}", "colors": ["W"],
     "type_line": "Creature — Giant Soldier", "power": "4", "toughness": "4", "oracle_text": ""},
    {"object": "card", "name": "Walk-In Closet // Forgotten Cellar", "layout": "split", "colors": ["G"],
     "card_faces": [{"name": "Walk-In Closet", "mana_cost": "{2}{G}", "type_line": "Enchantment — Room"},
                    {"name": "Forgotten Cellar", "mana_cost": "{3}{G}{G}", "type_line": "Enchantment — Room"}]},
]  # fmt: skip


def test_scryfall(file: Callable[[Any], Path]) -> None:
    names = ["Delver of Secrets", "Fire // Ice", "bonecrusher giant", "Gisela, the Broken Blade", "The Tenth Doctor"]
    book = CardBook.read(file(SCRYFALL), [*names, "Grizzly Bears", "Jötun Grunt", "Black Lotus"])
    delver = card(book, "Delver of Secrets")
    assert delver is card(book, "delver of secrets")
    assert (delver.front.power, delver.front.mana_value, delver.front.colors) == (1, 1, ("blue",))
    assert delver.back is not None
    assert (delver.back.name, delver.back.toughness, delver.back.mana_value) == ("Insectile Aberration", 2, 1)
    fire = card(book, "Fire // Ice").front
    assert (fire.name, fire.mana_value, fire.colors, fire.types) == ("Fire // Ice", 4, ("red", "blue"), ("instant",))
    giant = card(book, "Bonecrusher Giant")
    assert (giant.front.types, giant.front.mana_value, giant.back) == (("creature",), 3, None)
    gisela = card(book, "Gisela, the Broken Blade")
    assert gisela.melds_into == "Brisela, Voice of Nightmares"
    assert card(book, "Brisela, Voice of Nightmares").front.toughness == 10  # not asked for, but referred to
    assert card(book, "The Tenth Doctor").front.subtypes == ("doctor", "time lord")
    assert card(book, "Grizzly Bears").front.power == 2  # the token of that name is none
    assert card(book, "JÖTUN GRUNT").front.types == ("creature",)
    assert book.get("Black Lotus") is None


def test_back_faces_are_no_names_of_cards(file: Callable[[Any], Path]) -> None:
    book = CardBook.read(file(SCRYFALL), ["Insectile Aberration"])
    assert book.get("Insectile Aberration") is None
    back_of = book.whose_back("Insectile Aberration")
    assert back_of is not None
    assert back_of.name == "Delver of Secrets // Insectile Aberration"


def test_mtgjson(file: Callable[[Any], Path]) -> None:
    valki = [
        {"name": "Valki", "faceName": "Valki", "side": "a", "layout": "modal_dfc", "manaCost": "{1}{B}",
         "colors": ["B"], "supertypes": ["Legendary"], "subtypes": ["God"], "power": "2", "toughness": "1"},
        {"name": "Valki", "faceName": "Tibalt", "side": "b", "layout": "modal_dfc", "manaCost": "{5}{B}{R}",
         "colors": ["B", "R"], "types": ["Planeswalker"], "subtypes": ["Tibalt"], "loyalty": "5"},
    ]  # fmt: skip
    book = CardBook.read(file(atomic(*valki)), ["Valki"])
    back = card(book, "Valki").back
    assert back is not None
    assert (back.types, back.mana_value, back.loyalty) == (("planeswalker",), 7, 5)
    assert card(book, "Valki").front.supertypes == ("legendary",)


def test_melding_in_mtgjson(file: Callable[[Any], Path]) -> None:
    sides = [
        {"name": "", "faceName": "Gisela", "side": "a", "layout": "meld", "power": "4"},
        {"name": "", "faceName": "Brisela", "side": "b", "layout": "meld", "power": "9"},
    ]
    found = card(CardBook.read(file(atomic(*sides)), ["Gisela"]), "Gisela")
    assert (found.front.power, found.melds_into, found.back, found.faces[1].power) == (4, "Brisela", None, 9)


def test_flip_cards_keep_mana_value_and_colors(file: Callable[[Any], Path]) -> None:
    sides = [
        {"name": "", "faceName": "Erayo", "side": "a", "layout": "flip", "manaCost": "{1}{U}", "colors": ["U"]},
        {"name": "", "faceName": "Essence", "side": "b", "layout": "flip", "types": ["Enchantment"]},
    ]
    back = card(CardBook.read(file(atomic(*sides)), ["Erayo"]), "Erayo").back
    assert back is not None
    assert (back.name, back.mana_value, back.colors) == ("Essence", 2, ("blue",))


def test_what_has_no_words_is_unread(file: Callable[[Any], Path]) -> None:
    face = {
        "name": "Odd",
        "types": ["Creature", "Eaturecray"],
        "supertypes": ["Elite"],
        "power": "1+*",
        "toughness": "*",
    }
    front = card(CardBook.read(file(atomic(face)), ["Odd"]), "Odd").front
    assert (front.power, front.toughness) == (None, None)
    assert front.unread == ("type eaturecray", "supertype elite", "power 1+*", "toughness *")


def test_several_cards_of_one_name(file: Callable[[Any], Path]) -> None:
    one, other = ({"name": "Thing", "layout": "normal", "types": ["Creature"], "power": power} for power in "12")
    content = {"data": {"Thing": [one, other]}}
    found = card(CardBook.read(file(content), ["Thing"]), "Thing")
    assert (found.ambiguous, found.front.power) == (True, 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "character 1: expected a list or mapping of cards, found the end of the file"),
        ("[", "character 2: expected JSON, found the end of the file"),
        ("[1, 2", "expected ',', found the end of the file"),
        ("[{}] x", "character 6: expected the end of the file, found 'x'"),
        ('{"data": {"A": [{"name": "A"}}', "expected JSON"),
        ("[]", "found no card in it"),
        ('{"meta": 1}', "found no card in it"),
        ('[{"name": "A", "layout": "split", "card_faces": [{}]}]', "card 'A': expected the fields of a card"),
    ],
)
def test_files_that_are_none(file: Callable[[Any], Path], content: str, words: str) -> None:
    path = file(content)
    with pytest.raises(DataError, match=r".") as error:
        CardBook.read(path, ["A"])
    assert str(path) in str(error.value)
    assert words in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read: No such file"):
        CardBook.read(tmp_path / "none.json", ["A"])
    (tmp_path / "latin.json").write_bytes(b'[{"name": "J\xf6tun"}]')
    with pytest.raises(DataError, match="expected UTF-8 text"):
        CardBook.read(tmp_path / "latin.json", ["A"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(
    content=st.lists(JSON) | st.dictionaries(st.sampled_from(["a", "data", "meta"]), JSON),
    indent=st.sampled_from([None, 1]),
)
def test_entries_are_those_of_the_document(
    tmp_path_factory: pytest.TempPathFactory, content: Any, indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(content, indent=indent), encoding="utf-8")
    expected: list[Any] = []
    for key, value in content.items() if isinstance(content, dict) else [((), x) for x in content]:
        if key == "data" and isinstance(value, dict):
            expected += [(("data", inner), x) for inner, x in value.items()]
        else:
            expected.append(((key,) if isinstance(content, dict) else (), value))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", 3)  # every value lies across the end of a chunk
        assert list(json_stream.entries(path)) == expected


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ("", 0), ("{0}", 0), ("{15}", 15), ("{X}{X}{R}", 1), ("{2}{W/U}{B/P}", 4), ("{2/W}{2/W}", 4), ("{C}{S}", 2),
        ("{HW}", 0), ("{HW}{HW}", 1), ("{G/U/P}", 1), ("{1000000}", 1_000_000),
    ],
)  # fmt: skip
def test_mana_values(cost: str, expected: int) -> None:
    assert mana_value_of(cost) == expected


# --- what Auras enchant ---


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("creature", {"types": ["creature"]}),
        ("permanent", {}),
        ("creature you control", {"types": ["creature"], "controller": "you"}),
        ("creature an opponent controls", {"types": ["creature"], "controller": "opponent"}),
        ("artifact or creature", {"any_types": ["artifact", "creature"]}),
        ("artifact, creature, or planeswalker", {"any_types": ["artifact", "creature", "planeswalker"]}),
        ("red or green creature", {"types": ["creature"], "colors": ["green", "red"]}),
        ("black creature", {"types": ["creature"], "colors": ["black"]}),
        ("artifact creature", {"types": ["artifact", "creature"]}),
        ("non-Wall creature", {"types": ["creature"], "not_subtypes": ["wall"]}),
        ("nonbasic land", {"types": ["land"], "not_supertypes": ["basic"]}),
        ("nonland permanent", {"not_types": ["land"]}),
        ("snow land you control", {"types": ["land"], "supertypes": ["snow"], "controller": "you"}),
        ("Forest or Plains", {"any_subtypes": ["forest", "plains"]}),
        ("tapped creature", {"types": ["creature"], "tapped": True}),
        ("creature card in a graveyard", {"types": ["creature"], "zone": "graveyard"}),
    ],
)
def test_enchant(words: str, expected: dict[str, Any]) -> None:
    found = enchant_of(words)
    assert isinstance(found, Filter)
    assert found.to_mapping() == expected


@pytest.mark.parametrize(("words", "expected"), [("player", "any"), ("opponent", "opponent")])
def test_enchant_players(words: str, expected: str) -> None:
    assert enchant_of(words) == expected


@pytest.mark.parametrize(
    "words",
    ["creature without flying", "nonblack creature", "creature or Vehicle", "creature with power 3 or less", "zone"],
)
def test_enchant_that_no_filter_says(words: str) -> None:
    assert enchant_of(words) is None
    face = Face("Odd Aura", types=("enchantment",), subtypes=("aura",), text=f"Enchant {words}")
    found = abilities_of(face)
    assert found.enchant == Filter()
    assert found.not_modelled == (f"Enchant {words}",)


# --- rules texts ---


def creature(text: str, name: str = "Some Beast", keywords: tuple[str, ...] = (), types: str = "creature") -> Face:
    return Face(name, types=(types,), text=text, keywords=keywords)


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("Flying, indestructible", ("indestructible",)),
        ("Umbra armor (If it would die, it does not.)", ("umbra_armor",)),
        ("Totem armor", ("umbra_armor",)),
        ("Bestow {3}{W} (Reminder.)", ("bestow",)),
        ("Reconfigure {5}", ("reconfigure",)),
        ("Reconfigure\u2014Pay 3 life.", ("reconfigure",)),
        ("Start your engines! (Reminder.)", ("start_your_engines",)),
        ("Space sculptor", ("space_sculptor",)),
        ("Ascend", ("ascend",)),
        ("Changeling\nTrample; haste", ("changeling",)),
        ("This creature can't be sacrificed.", ("cant_be_sacrificed",)),
        ("Some Beast can't be regenerated.", ("cant_be_regenerated",)),
    ],
)
def test_keywords(text: str, keywords: tuple[str, ...]) -> None:
    found = abilities_of(creature(text))
    assert found.keywords == keywords
    assert not found.not_modelled


@pytest.mark.parametrize(
    ("text", "protection", "left"),
    [
        ("Protection from white", ("white",), ()),
        ("Flying, protection from black and from red", ("black", "red"), ()),
        ("Protection from artifacts, from creatures, and from green", ("artifact", "creature", "green"), ()),
        ("Protection from everything", ("everything",), ()),
        ("Protection from each color", ("black", "blue", "green", "red", "white"), ()),
        ("Protection from Dragons", (), ("protection from dragons",)),
        ("Protection from monocolored", (), ("protection from monocolored",)),
    ],
)
def test_protection(text: str, protection: tuple[str, ...], left: tuple[str, ...]) -> None:
    found = abilities_of(creature(text))
    assert (found.protection, found.not_modelled) == (protection, left)


@pytest.mark.parametrize(
    "text",
    [
        "Creatures you control get +1/+1.",
        "Enchanted creature gets -2/-1 and has flying.",
        "Equipped creature has protection from red.",
        "Metalcraft \u2014 This creature gets +2/+2 as long as you control three or more artifacts.",
        "Max speed \u2014 This creature gets +1/+0.",
        "Its power and toughness are the number of cards in your hand.",
        "Each creature is a Goblin in addition to its other types.",
        "All creatures lose all abilities and have base power and toughness 1/1.",
        "You control enchanted creature.",
        "You can't lose the game.",
        "You don't lose the game for having 0 or less life.",
        'The "legend rule" doesn\'t apply to permanents you control.',
        "If a card would be put into a graveyard from anywhere, exile it instead.",
        "If Some Beast would die, exile it instead.",
        "Damage dealt to creatures is compared with their power rather than their toughness.",
        "As long as it's your turn, this artifact is a creature.",
        "Flying creatures get +1/+1.",
        "Equipped creature gets +1/+1 and can't be blocked.",
        "Enchanted creature can't attack or block and loses all abilities.",
        "Spells you cast cost {1} less to cast and creatures you control have indestructible.",
        "You may have this creature enter as a copy of any creature on the battlefield.",
        "Level up {2}",
        "Living metal",
        "LEVEL 2-4",
        "{2}: This creature becomes a 4/4 Golem.",
        'When this creature enters, it gains "Enchanted creature loses flying."',
        "Exchange control of two creatures when you feel like it.",
    ],
)
def test_what_is_not_modelled_is_named(text: str) -> None:
    assert abilities_of(creature(text, keywords=("metalcraft", "max speed"))).not_modelled == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "Flying\nWard\u2014Pay 2 life.\nCycling {2} ({2}, Discard this card: Draw a card.)",
        "({T}: Add {G}.)",
        "This land enters tapped.",
        "This land enters tapped unless you control a Mountain or a Plains.",
        "As this land enters, you may pay 2 life. If you don't, it enters tapped.",
        "This creature can't be blocked.",
        "You have no maximum hand size.",
        "As an additional cost to cast this spell, sacrifice a creature.",
        "{R}: This creature gets +1/+0 until end of turn.",
        "Whenever this creature attacks, it gets +1/+1 until end of turn.",
        "[\u22122]: Target creature gets -1/-1 until end of turn.",
        "Channel \u2014 {1}{R}, Discard this card: Target creature gets +3/+1 until end of turn.",
    ],
)
def test_what_touches_no_board_is_not_named(text: str) -> None:
    assert not abilities_of(creature(text, keywords=("cycling", "channel"))).not_modelled


@pytest.mark.parametrize(
    ("text", "dies", "leaves"),
    [
        ("When this creature dies, draw a card.", True, False),
        ("Whenever Some Beast or another creature dies, draw a card.", True, False),
        ("Whenever a creature you control dies, draw a card.", True, False),
        ("Whenever another creature dies, draw a card.", False, False),
        ("When this creature leaves the battlefield, draw a card.", False, True),
        ("When this creature enters or leaves the battlefield, draw a card.", False, True),
        ("When this creature is put into a graveyard from the battlefield, draw a card.", True, False),
        ("Undying", True, False),
        ("When this creature enters, target creature dies of laughter.", False, False),
    ],
)
def test_triggers(text: str, dies: bool, leaves: bool) -> None:
    found = abilities_of(creature(text))
    assert (found.dies_trigger, found.leaves_trigger) == (dies, leaves)


def test_triggers_on_creatures_are_not_its_own_if_it_is_none() -> None:
    assert not abilities_of(creature("Whenever a creature dies, draw a card.", types="enchantment")).dies_trigger


def test_chapters_and_limits() -> None:
    saga = (
        "I, II \u2014 Draw a card.\nIII \u2014 Draw two.\nIV \u2014 Creatures you control get +1/+1 until end of turn."
    )
    assert abilities_of(creature(saga, types="enchantment")).final_chapter == 4
    dream = abilities_of(creature("Some Beast can't have more than seven dream counters on it."))
    assert (dream.counter_limits, dream.not_modelled) == ((("dream", 7),), ())


def test_elsewhere_only_what_works_there_is_named() -> None:
    anthem, glory = (
        "Creatures you control get +1/+1.",
        "As long as this is in your graveyard, your creatures have flying.",
    )
    face = creature(f"{anthem}\n{glory}")
    assert abilities_of(face).not_modelled == (anthem, glory)
    assert abilities_of(face, "graveyard").not_modelled == (glory,)
    assert abilities_of(face, "hand").not_modelled == ()


def test_aura_without_enchant_is_named() -> None:
    face = Face("Odd", types=("enchantment",), subtypes=("aura",))
    assert abilities_of(face).not_modelled == ("(it is an Aura without a line Enchant)",)
