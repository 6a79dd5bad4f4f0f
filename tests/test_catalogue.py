"""Every rule of the catalogue has a kernel, an oracle function, scenarios, and the right number in each edition."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from headjudge.kernels.catalogue import EDITIONS, RULES, SBAS, Rule
from oracle.losing import LOSING_RULES
from oracle.permanents import OBJECT_RULES

TESTS = Path(__file__).parent
KERNELS = TESTS.parent / "kernels"
ORACLE = TESTS / "oracle"
RULE_IDS = [rule.name for rule in RULES]


def trees(folder: Path) -> dict[str, ast.Module]:
    return {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))}


def constants() -> dict[str, str]:
    """Return the rule that each constant of kernels/bits.py stands for, by the constant's name."""
    found = {}
    for node in trees(KERNELS)["bits.py"].body:
        match node:
            case ast.AnnAssign(
                target=ast.Name(constant),
                value=ast.Call(func=ast.Attribute(attr="code"), args=[ast.Constant(str(rule))]),
            ):
                found[rule] = constant
    return found


def attributes(folder: Path) -> set[str]:
    """Return the names that the modules take from other modules."""
    return {node.attr for tree in trees(folder).values() for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


CONSTANTS = constants()
USED = attributes(KERNELS)
ORACLE_WORDS = {
    node.value
    for tree in trees(ORACLE).values()
    for node in ast.walk(tree)
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}
ORACLE_RULES = {rule.__name__ for rule in (*LOSING_RULES, *OBJECT_RULES)}


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_there_is_a_kernel(rule: Rule) -> None:
    assert CONSTANTS[rule.name] in USED


def test_constants_are_of_rules() -> None:
    assert sorted(CONSTANTS) == sorted(RULE_IDS)


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_there_is_an_oracle_function(rule: Rule) -> None:
    assert rule.name in ORACLE_WORDS
    if rule.kind == "sba":
        assert rule.name in ORACLE_RULES


def test_the_oracle_has_no_other_rules() -> None:
    assert sorted(ORACLE_RULES) == sorted(SBAS)


def cases() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the scenarios in which each rule that they name applies, and those in which it does not."""
    applies, misses = defaultdict(list), defaultdict(list)
    for path in sorted((TESTS / "scenarios").glob("*.yaml")):
        for scenario in yaml.safe_load(path.read_text(encoding="utf-8")):
            if "claim" in scenario:
                continue
            expected = expected_rules(scenario["expect"])
            for rule in scenario.get("rules", ()):
                (applies if rule in expected else misses)[rule].append(scenario["id"])
    return applies, misses


def expected_rules(expect: dict[str, Any]) -> set[str]:
    rows = [*expect.get("actions", ()), expect.get("consequences", {})]
    return {rule for by_rule in rows for rule, subjects in by_rule.items() if subjects}


APPLIES, MISSES = cases()


@pytest.mark.parametrize("rule", RULE_IDS)
def test_there_are_scenarios(rule: str) -> None:
    assert APPLIES[rule], "no scenario that names the rule and expects it"
    assert MISSES[rule], "no scenario that names the rule, where it does not apply"


# --- numbers

#: Rules whose number is not the same in all editions: February 2026, then August and September.
MOVED = {
    "siege_defense_zero": ("704.5v", "704.5v"),
    "battle_defense_zero": ("704.5v", "704.5w"),
    "battle_no_protector": ("704.5w", "704.5x"),
    "battle_illegal_protector": ("704.5x", "704.5y"),
    "extra_role": ("704.5y", "704.5z"),
    "start_engines": ("704.5z", "704.5aa"),
    "trigger_ceases": ("723.1a", "724.1a"),
    "exiled_from_stack": ("723.1b", "724.1b"),
    "ability_ceases": ("723.1b", "724.1b"),
    "effect_expires": ("723.2d", "724.2d"),
    "skipped_to": ("723.1d", "724.1d"),
}
#: The letters of 704.5 and 704.6 in the two texts; l and o were never used.
LETTERS = {
    "2026-02-27": ["a b c d e f g h i j k m n p q r s t u v w x y z", "a b c d e f"],
    "2026-08-07": ["a b c d e f g h i j k m n p q r s t u v w x y z aa", "a b c d e f"],
    "2026-09-25": ["a b c d e f g h i j k m n p q r s t u v w x y z aa", "a b c d e f"],
}


def test_numbers_of_each_edition() -> None:
    assert tuple(LETTERS) == EDITIONS
    for rule in RULES:
        assert len(rule.numbers) == len(EDITIONS)
        february, august, september = rule.numbers
        assert august == september
        assert (february, august) == MOVED.get(rule.name, (august, august)), rule.name


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_letter_is_there(edition: str) -> None:
    where = EDITIONS.index(edition)
    numbers = {rule.numbers[where] for rule in RULES if rule.kind == "sba"}
    always, in_variants = LETTERS[edition]
    expected = {f"704.5{letter}" for letter in always.split()} | {f"704.6{letter}" for letter in in_variants.split()}
    assert numbers == expected | {"MTR 2.4"}
