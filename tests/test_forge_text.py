"""Forge's state text as text: nothing is lost, and what cannot be read is said with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headjudge.errors import DataError
from headjudge.io import forge_state, forge_text, forge_tokens
from headjudge.io.forge_state import ForgeState, counter_kind, counter_word

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "[metadata]\nName:Test\n[state]\n"


def state(text: str) -> ForgeState:
    return forge_state.parse(forge_text.parse(text, "test.pzl"))


def refusal(text: str) -> str:
    """Why a text cannot be read; nothing if it can."""
    try:
        state(text)
    except DataError as error:
        return str(error)
    return ""


def battlefield(*entries: str) -> ForgeState:
    return state(f"{HEAD}p0battlefield={';'.join(entries)}\n")


# --- documents ---


@given(st.text())
def test_any_text_comes_back_the_same(text: str) -> None:
    assert forge_text.parse(text).text == text


PIECES = st.sampled_from(
    ["[state]", "[metadata]", "# a comment", "", " ", "p0life=3", "P1Life = 4", "AIBattlefield=Forest;;Bear|Tapped",
     "=", "no equals", "unknown=1", "p0battlefield=", "Name:x", "\ufeff", "\x85", "\u2028", "[odd"]
)  # fmt: skip


@given(st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n", "\r"]))), st.booleans())
def test_bytes_come_back_the_same(pieces: list[tuple[str, str]], marked: bool) -> None:
    data = (b"\xef\xbb\xbf" if marked else b"") + "".join(line + end for line, end in pieces).encode()
    document = forge_text.from_bytes(data, "test.pzl")
    assert document.data == data
    reason = refusal(document.text)
    said = {line.key for line in document.lines if line.section == "state" and line.key}
    assert (
        reason.startswith("test.pzl: ") if reason else len(state(document.text).cards) == 2 * ("aibattlefield" in said)
    )


def test_line_ends_marks_and_sections() -> None:
    document = forge_text.from_bytes(b"\xef\xbb\xbf[State]\r\nP0Life=3\r\n[other]\r\np0life=9", "test.pzl")
    assert document.has_mark
    assert {key: line.value for key, line in document.state.items()} == {"p0life": "3"}
    assert [line.end for line in document.lines] == ["\r\n", "\r\n", "\r\n", ""]
    assert forge_state.parse(document).passed_over == (("line 4", "p0life=9 (not in [state])"),)


def test_without_sections_all_is_state() -> None:
    assert state("humanlife=7\nailife=3").players[0].life == 7


def test_what_forge_does_not_read_is_told() -> None:
    found = state(f"{HEAD}p0life=3\nwhat is this\nturn=4\nhumanprecast=\np1manapool=G G\n# nothing\n")
    assert found.passed_over == (
        ("line 6", "turn=4"), ("line 8", "p1manapool=G G"), ("line 5", "what is this (Forge does not read it)"),
    )  # fmt: skip


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.pzl"
    path.write_bytes(b"[state]\np0life=3\np0hand=J\xf6tun Grunt\n")
    with pytest.raises(DataError, match=r"a\.pzl: line 3: expected UTF-8 text, found byte 0xf6"):
        forge_text.read(path)
    with pytest.raises(DataError, match=r"none\.pzl: cannot be read: No such file"):
        forge_text.read(tmp_path / "none.pzl")


# --- what it says ---


def test_players() -> None:
    found = state(f"{HEAD}humanlife=-2\nailife= 9\naicounters=POISON=7,ENERGY=2\np0speed=3\np2life=1\nActivePlayer=P2")
    assert [player.life for player in found.players] == [-2, 9, 1]
    assert found.players[1].counters == (("energy", 2), ("poison", 7))
    assert (found.players[0].speed, found.active_player, found.step) == (3, 2, None)


@pytest.mark.parametrize(
    ("phase", "step"),
    [
        ("MAIN1", "precombat_main"),
        ("Combat Declare Attackers", "declare_attackers"),
        ("end_of_turn", "end"),
        ("NONE", None),
    ],
)
def test_phases(phase: str, step: str) -> None:
    assert state(f"{HEAD}activephase={phase}").step == step


def test_attributes() -> None:
    bear, aura = battlefield(
        " Bear+|Set:LEA|Tapped|SummonSick|Id:7|Damage:2|Owner:P1|PhasedOut:P0|Counters:P1P1=2,REV=1,P0M1=3",
        "Pacifism|Attaching:7|IsCommander",
    ).cards
    assert (bear.name, bear.id, bear.damage, bear.owner, bear.tapped, bear.phased_out) == ("Bear", 7, 2, 1, True, True)
    assert bear.counters == (("+0/-1", 3), ("+1/+1", 2), ("rev", 1))
    assert bear.passed_over == ("SummonSick",)
    assert (aura.attached_to, aura.commander) == (0, True)


def test_attributes_are_written_as_forge_writes_them() -> None:
    (bear,) = battlefield("Bear|tapped|IsCommanderOf").cards  # Forge would not know the first either
    assert (bear.tapped, bear.passed_over) == (False, ("tapped", "IsCommanderOf"))


def test_references() -> None:
    text = f"{HEAD}p0battlefield=Bear|Attacking:2;Curse|EnchantingPlayer:P1;Wolf|Attacking\np1play=Jace|Id:2\n"
    cards = state(text).cards
    assert [card.attacking for card in cards] == [3, None, "player", None]
    assert cards[1].attached_to == -2
    assert [card.seat for card in cards] == [0, 0, 0, 1]


def test_cycles_can_be_said() -> None:
    one, two, three = battlefield("A|Id:1|AttachedTo:2", "B|Id:2|AttachedTo:1", "C|Id:3|AttachedTo:3").cards
    assert (one.attached_to, two.attached_to, three.attached_to) == (1, 0, 2)


def test_merged_and_melded() -> None:
    merged, melded = battlefield("Cub|MergedCards:Lurrus^ Den,Cub+", "Bruna|Meld:Gisela^ Blade").cards
    assert merged.merged == ("Lurrus, Den", "Cub")
    assert (melded.face, melded.melded_with) == ("Meld", "Gisela, Blade")


def test_tokens() -> None:
    written, scripted = battlefield(
        "t:Zombie Army,P:0,T:-1,Cost:no cost,Color:B,Types:Legendary-Creature-Zombie-Army,Keywords:,Image:x|Id:7",
        "T:wb_1_1_spirit_flying",
    ).cards
    assert written.token is not None
    assert written.kind == "token"
    face = written.token.face
    assert (face.power, face.toughness, face.colors, face.types) == (0, -1, ("black",), ("creature",))
    assert (face.supertypes, face.subtypes) == (("legendary",), ("army", "zombie"))
    assert scripted.token is not None
    face = scripted.token.face
    assert (face.name, face.power, face.colors, face.subtypes) == ("Spirit Token", 1, ("white", "black"), ("spirit",))
    assert scripted.token.assumed == "1/1 white black creature spirit with flying"


@pytest.mark.parametrize(
    ("name", "types", "subtypes", "left"),
    [
        ("c_a_treasure_sac", ("artifact",), ("treasure",), ("(sac)",)),
        ("c_1_1_a_thopter_flying", ("artifact", "creature"), ("thopter",), ()),
        ("g_x_x_ooze", ("creature",), ("ooze",), ()),
        ("r_3_2_elemental_knight_indestructible_odd", ("creature",), ("elemental", "knight"), ("(odd)",)),
    ],
)
def test_scripts(name: str, types: tuple[str, ...], subtypes: tuple[str, ...], left: tuple[str, ...]) -> None:
    token = forge_tokens.script(name)
    assert token is not None
    assert (token.face.types, token.face.subtypes, token.not_modelled) == (types, subtypes, left)


@pytest.mark.parametrize("name", ["", "walker", "w_1_1", "w_1_1_flying", "q_1_1_spirit", "w_1_1_"])
def test_scripts_that_tell_nothing(name: str) -> None:
    assert forge_tokens.script(name) is None


def test_hyphened_subtypes_of_tokens() -> None:
    face = forge_tokens.parse("Worker,P:2,T:2,Types:Artifact-Creature-Assembly-Worker", "x").face
    assert face.subtypes == ("assembly-worker",)
    assert forge_tokens.parse(forge_tokens.written(face), "x").face == face


@pytest.mark.parametrize("kind", ["P1P1", "M1M1", "P1P0", "M0M2", "LOYALTY", "LORE", "REV", "FIRST STRIKE"])
def test_counters(kind: str) -> None:
    assert counter_kind(counter_word(kind)) == kind


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("p0life=x", "line 4: p0life: expected a whole number from -1000000000 to 1000000000, found 'x'"),
        ("p0life=", "line 4: p0life: expected a whole number"),
        ("p0life=99999999999", "found '99999999999'"),
        ("p0speed=5", "line 4: speed: expected 0 to 4, found 5"),
        ("p0life=1\nP0LIFE=2", "line 5: expected p0life once, found it on line 4 as well"),
        ("p0life=1\nhumanlife=2", "line 5: expected humanlife once for a player, found p0life on line 4 as well"),
        ("p0play=A\np0battlefield=B", "line 5: expected p0battlefield once for a player, found p0play on line 4"),
        ("activeplayer=p2", "expected a player of the file (human, ai or p0 to p1), found 'p2'"),
        ("activephase=SIESTA", "line 4: activephase: expected one of UNTAP, UPKEEP"),
        ("p0counters=POISON", "p0counters: expected counters as KIND=NUMBER, found 'POISON'"),
        ("p0hand=A;|Tapped", "line 4: expected the name of a card, found '|Tapped'"),
        ("p0play=A|Damage:two", "line 4: A: Damage: expected a whole number from 0"),
        ("p0play=A|Damage:1|Damage:2", "line 4: A: expected Damage once"),
        ("p0play=A|Transformed|Flipped", "line 4: A: expected Flipped once"),
        ("p0play=A|Counters:P1P1=-1", "A: Counters P1P1: expected a whole number from 0"),
        ("p0play=A|Id:1;B|Id:1", "line 4: B: expected another Id than 1, which A has"),
        ("p0play=A\np1play=B|AttachedTo:9", "line 5: B: AttachedTo: expected the Id of a card in this file, found 9"),
        ("p0play=A|AttachedTo:A", "line 4: A: AttachedTo: expected a whole number"),
        ("p0play=A|Id:1|AttachedTo:1|EnchantingPlayer:P1", "line 4: A: expected EnchantingPlayer once"),
        ("p0play=A|Attacking:3", "line 4: A: Attacking: expected the Id of a card in this file, found 3"),
        ("p0play=A|Owner:P7", "line 4: A: Owner: expected a player of the file"),
        ("p0play=A|EnchantingPlayer:nobody", "A: EnchantingPlayer: expected a player of the file"),
        ("p0play=A|UnlockedRoom:Middle", "A: UnlockedRoom: expected LeftSplit or RightSplit, found 'Middle'"),
        ("p0play=t:A,P:x", "line 4: P of the token 'A': expected a whole number"),
        ("p0play=t:A,Power:1", "line 4: unknown field 'Power:1' of a token; expected one of P, T, Cost"),
        ("p0play=t:A,P:1,P:2", "line 4: expected P of the token 'A' once"),
        ("p0play=t:A,Color:Mauve", "line 4: Color of a token: expected letters of WUBRG, found 'Mauve'"),
    ],
)
def test_errors_name_file_and_line(lines: str, words: str) -> None:
    with pytest.raises(DataError, match=r"^test\.pzl: line \d") as error:
        state(HEAD + lines + "\n")
    assert words in str(error.value)


def test_state_must_be_there() -> None:
    for text in ("", "[metadata]\nName=x\n", "[state]\n# p0life=3\n", "any text\n"):
        assert refusal(text) == "test.pzl: expected a section [state] with lines key=value, found none"


NAMES = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters=";|=#^+[")).map(str.strip)
ATTRIBUTES = st.lists(
    st.sampled_from(
        ["Tapped", "SummonSick", "Set:ABC", "Id:1", "Id:2", "AttachedTo:1", "Attaching:2", "AttachedTo:9", "Damage:3",
         "Counters:P1P1=1,ODD=2", "Counters:", "Attacking", "FaceDown:Manifested", "Owner:P1", "Unheard:of", "", ":"]
    ), max_size=4,
)  # fmt: skip


@given(st.lists(st.tuples(NAMES, ATTRIBUTES)))
def test_odd_zones_are_read_or_refused_with_their_line(entries: list[tuple[str, list[str]]]) -> None:
    text = ";".join("|".join([name, *attributes]) for name, attributes in entries)
    text = f"{HEAD}p1life=3\np0battlefield={text}\n"
    reason = refusal(text)
    if reason:
        assert reason.startswith("test.pzl: line 5: ")
        return
    found = state(text)
    whole = [(name, attributes) for name, attributes in entries if "|".join([name, *attributes]).strip()]
    assert [card.raw for card in found.cards] == ["|".join([name, *attributes]) for name, attributes in whole]
    for card, (_, attributes) in zip(found.cards, whole, strict=True):
        assert card.tapped == ("Tapped" in attributes)
        assert "Unheard:of" not in attributes or "Unheard:of" in card.passed_over
        assert card.attached_to is None or found.cards[card.attached_to].id is not None
