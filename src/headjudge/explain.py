"""What happens on one board, pass by pass, in words with rule numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from headjudge import attribution, display, rulebook, wording
from headjudge.course import Course
from headjudge.errors import one_line
from headjudge.full_result import INSTEAD, FullResult, carry_out, tells_a_move
from headjudge.io.choices import columns_of
from headjudge.io.scenario_yaml import line
from headjudge.io.scenarios import choices_to_mapping, handles_of
from headjudge.kernels import vocabulary as v
from headjudge.kernels.catalogue import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from headjudge.boards import Boards
    from headjudge.io.scenarios import Scenario
    from headjudge.kernels.tables import Choices

#: What each rule does to the object or player it names.
_HAPPENS: Final = {
    "life_zero": "has 0 or less life and loses the game",
    "empty_draw": "tried to draw from an empty library and loses the game",
    "poison": "has ten or more poison counters and loses the game",
    "team_life_zero": "loses the game with the team, whose life total is 0 or less",
    "team_poison": "loses the game with the team, which has too many poison counters",
    "commander_damage": "was dealt 21 or more combat damage by one commander and loses the game",
    "highest_life": "does not have the highest life total and loses the game",
    "start_engines": "gets speed 1",
    "token_off_battlefield": "ceases to exist",
    "copy_off_zone": "ceases to exist",
    "toughness_zero": "has toughness 0 or less",
    "lethal_damage": "has lethal damage and is destroyed",
    "deathtouch_damage": "was dealt damage by a source with deathtouch and is destroyed",
    "loyalty_zero": "has no loyalty left",
    "legend_rule": "is not the one of its name that is kept",
    "world_rule": "is not the one permanent that has been world for the shortest time",
    "illegal_aura": "is attached to nothing that it may enchant",
    "illegal_equipment": "becomes unattached",
    "illegal_attachment": "becomes unattached",
    "counters_cancel": "loses {amount} +1/+1 and {amount} -1/-1",
    "counter_limit": "has {counters} beyond its limit",
    "saga_finished": "is sacrificed after its final chapter",
    "dungeon_completed": "is completed and leaves the game",
    "sector": "gets the sector {sector}",
    "siege_defense_zero": "has no defense left",
    "battle_defense_zero": "has no defense left",
    "battle_no_protector": "needs a protector",
    "battle_illegal_protector": "needs another protector",
    "extra_role": "is not the newest Role of its controller there",
    "commander_zone": "goes to the command zone",
    "scheme_turned_down": "is turned face down",
    "phenomenon": "is over, and the planar controller planeswalks away",
    "player_leaves": "{leaves}",
    "bestow_ends": "is no longer bestowed",
    "removed_from_combat": "is removed from combat",
    "regenerated": "regenerates",
    "umbra_armor": "is saved by {aura}",
    "city_blessing": "gets the city's blessing",
    "enduring_story": "gets an enduring story",
    "dies_trigger": "triggers, because it died",
    "leaves_trigger": "triggers, because it left the battlefield",
    "trigger_ceases": "ceases to exist",
    "exiled_from_stack": "is exiled",
    "ability_ceases": "ceases to exist",
    "effect_expires": "ends",
    "skipped_to": "goes directly to: {step}",
}
#: Where what a rule says of a permanent leads.
_AS_IT_SAYS: Final = ("battlefield", "graveyard", "none")
#: Where what a procedure does stands in the rules, if that is not what the catalogue says.
_NUMBERS: Final = {
    "end_turn": {"effect_expires": "500.5a", "removed_from_combat": "724.1d"},
    "end_combat_phase": {
        "trigger_ceases": "724.2a",
        "exiled_from_stack": "724.2b",
        "ability_ceases": "724.2b",
        "removed_from_combat": "724.2d",
        "skipped_to": "724.2d",
    },
    "cleanup": {"effect_expires": "514.2"},
}
_LOST: Final = {"settled": "Nothing more applies.", "loop": "The board after this pass was there before: a loop."}


@dataclass(frozen=True)
class Explanation:
    """What happened on one board: as text for a judge, and as the mapping that is the full result in JSON."""

    tell: Callable[[], str]
    mapping: dict[str, Any]

    @cached_property
    def text(self) -> str:
        """The text, made when it is first asked for: on large boards that takes far longer than settling."""
        return self.tell()


def explain(
    boards: Boards,
    choices: Choices | None = None,
    do: str = "settle",
    handles: Sequence[str] | None = None,
    *,
    effect_ids: Sequence[str] | None = None,
    id: str | None = None,  # noqa: A002 (the key of the mapping)
    title: str | None = None,
) -> Explanation:
    """Explain what becomes of a batch of one state.

    Parameters
    ----------
    boards
        The board.
    choices
        What the players choose; the defaults where nothing is chosen.
    do
        What is done to it: a word of `headjudge.kernels.vocabulary.PROCEDURES`.
    handles
        Names for the objects; by default they are made from the cards' names.
    effect_ids
        Names for the effects that have no source.
    id, title
        What to call it; by default the state's id.
    """
    handles = handles_of(boards) if handles is None else handles
    called = id or f"state-{boards.states.state_id[0]}"
    choices = columns_of([]) if choices is None else choices
    result = carry_out(boards, choices, do, effect_ids)

    def tell() -> str:
        return _text(f"{called}: {title}" if title else called, boards, choices, do, result, handles, effect_ids)

    return Explanation(tell, {**result.mapping(called, handles), "reason": result.result["reason"]})


def _text(
    heading: str,
    boards: Boards,
    choices: Choices,
    do: str,
    result: FullResult,
    handles: Sequence[str],
    effect_ids: Sequence[str] | None,
) -> str:
    name = wording.Namer(boards, handles, effect_ids)
    standing = _standing(boards, name, result)
    sentence = partial(_sentence, result=result, boards=boards, name=name, do=do)
    course = Course(boards, choices, do, result, name, sentence).blocks()
    parts = [one_line(heading), standing, *_chosen(boards, choices, name), *course, _end(result, do, standing)]
    if course:
        after = result.boards_after
        left = effect_ids and [result.effects[number] for number in after.effects.effect_id.tolist()]
        parts.append(f"Afterwards\n{_standing(after, wording.Namer(after, handles, left), result)}")
    return "\n\n".join(parts)


def explain_scenario(scenario: Scenario) -> Explanation:
    """Explain what becomes of the board of a scenario."""
    return explain(
        scenario.boards,
        scenario.choices,
        scenario.do,
        scenario.handles,
        effect_ids=scenario.effect_ids,
        id=scenario.id,
        title=scenario.title,
    )


def _standing(boards: Boards, name: wording.Namer, result: FullResult) -> str:
    """Return the board as it stands, and what effects make of it."""
    lines = [display.one(boards, name)]
    if result.result["status"] != "rejected":
        from headjudge.replay import Moment

        changed = attribution.lines(attribution.Pictures(Moment.of(boards)), name)
        which = "" if attribution.can_try(boards) else f" (which of them is told only up to {attribution.LIMITS})"
        lines += (
            [f"What effects make of it{which}", *(f"    {one_line(change)}" for change in changed)] if changed else []
        )
    return "\n".join(lines)


def _chosen(boards: Boards, choices: Choices, name: wording.Namer) -> list[str]:
    """Return a block with the choices that are given, as scenarios write them; none where none is."""
    if not len(choices.choice):
        return []
    objects = [name(row) for row in range(len(boards.objects.zone))]
    effects = [name.effect(row) for row in range(len(boards.effects.text))]
    chosen = choices_to_mapping(choices, objects, effects)
    return ["\n".join(["Choices", *(f"  {line(choice, made)}" for choice, made in chosen.items())])]


def _sentence(action: Mapping[str, Any], result: FullResult, boards: Boards, name: wording.Namer, do: str) -> str:
    rule = BY_NAME[action["rule"]]
    number = rulebook.number(rule)
    if action["kind"] == "procedure":
        number = _NUMBERS[do].get(rule.name, number)
    if rule.name == "player_leaves" and action["object"] is not None and not action["leaving"]:
        number = "800.4c"  # control goes back to a player who left before
    cited = number if number.startswith("MTR") else f"CR {number}"
    if rule.subject == "game":
        step = wording.spaced(result.result["next_step"])
        return f"{cited} {rule.name}: the game {_HAPPENS[rule.name].format(step=step)}"
    if rule.subject == "effect":
        source = action["object"] is not None
        subject = f"{'the effect of ' if source else ''}{name.effect_of(action['amount'])}"
        return f"{cited} {rule.name}: {subject} {_HAPPENS[rule.name]}"
    subject = f"player {action['seat']}" if action["object"] is None else name(action["object"])
    known = _last_known(action)
    return f"{cited} {rule.name}: {subject}{f' ({known})' if known else ''} {_happens(action, boards, name)}"


def _last_known(action: Mapping[str, Any]) -> str:
    """Return what the object was like before the event (CR 704.8)."""
    facts = [] if action["power"] is None else [wording.size(action["power"], action["toughness"])]
    facts += [f"{action['damage']} damage"] if action["damage"] else []
    facts += [f"{count} {kind}" for kind, count in _counters(action).items() if count]
    return ", ".join(facts)


def _counters(action: Mapping[str, Any]) -> dict[str, int]:
    """Return the counters that the object had before the event."""
    others: dict[str, int] = json.loads(action["other_counters"] or "{}")
    return {kind: action[column] for column, kind in v.COUNTER_COLUMNS.items()} | others


def _happens(action: Mapping[str, Any], boards: Boards, name: wording.Namer) -> str:
    rule, amount = action["rule"], action["amount"]
    aura = sector = counters = ""
    if rule == "umbra_armor":
        aura = name(boards.objects.object_id.tolist().index(amount))
    if rule == "sector":
        sector = v.SECTORS[amount]
    if rule == "counter_limit":
        counters = _beyond_limits(action, boards)
    leaves = "is exiled" if action["to_zone"] == "exile" else "leaves the game"
    words = _HAPPENS[rule].format(amount=amount, aura=aura, sector=sector, counters=counters, leaves=leaves)
    protected = rule in ("battle_no_protector", "battle_illegal_protector") and amount is not None
    words += f" and gets player {amount}" if protected else ""
    if (protected or rule == "sector") and action["from_zone"] != action["to_zone"]:
        return f"{words}, but something else in the event moves it"
    if rule == "token_off_battlefield" and action["to_zone"] != "none":
        return "goes on without its tokens, which cease to exist"
    if action["replaced_by"] in INSTEAD:
        words = words.replace("is destroyed", "would be destroyed").replace("loses the game", "would lose the game")
        return f"{words}, replaced by {wording.spaced(action['replaced_by'])}"
    moves = tells_a_move(action)
    if moves:
        words += f": {action['from_zone']} -> {wording.zone(action['to_zone'])}"
    if action["replaced_by"]:
        words += f", replaced by {wording.spaced(action['replaced_by'])}"
        words += ", which is replaced in turn (CR 903.9b)" if action["to_zone"] == "command" else ""
    elif (
        moves
        and action["kind"] == "sba"
        and action["from_zone"] == "battlefield"
        and action["to_zone"] not in _AS_IT_SAYS
    ):
        words += ", where something else in the event moves it"
    return words


def _beyond_limits(action: Mapping[str, Any], boards: Boards) -> str:
    """Return the counters that the limits of an object take."""
    had = _counters(action)
    limits = boards.lexicon.traits[boards.objects.traits[action["object"]]].counter_limits
    beyond = ((had.get(kind, 0) - most, kind) for kind, most in limits)
    return wording.enumerated(wording.counted(count, f"{kind} counter") for count, kind in beyond if count > 0)


def _end(result: FullResult, do: str, standing: str) -> str:
    row = result.result
    if row["status"] == "rejected":
        return "Rejected." if row["reason"] in standing else f"Rejected: {row['reason']}"
    if do == "end_combat_phase" and row["next_step"] is None and row["outcome"] == "ongoing":
        return "There is no combat phase to end, and nothing happens (CR 724.2g)."
    passes = row["passes"]
    counted = wording.counted(passes, "pass", "passes") if passes else "no pass"
    over = row["status"] == "settled" and row["outcome"] != "ongoing"  # then nobody looks at the board again
    lines = [] if over else [_LOST[row["status"]]]
    lines.append(f"{counted[0].upper()}{counted[1:]} in all.")
    if row["lost"]:
        lines.append(f"Lost: {wording.enumerated(f'player {seat}' for seat in row['lost'])}.")
    match row["outcome"]:
        case "draw":
            lines.append("The game is a draw.")
        case "win":
            lines.append(f"The game is won by {wording.enumerated(f'player {seat}' for seat in row['winners'])}.")
        case _:
            lines.append("The game goes on.")
    if row["next_step"] is not None:
        priority = "players get" if row["players_get_priority"] else "nobody gets"
        lines.append(f"Next is {wording.spaced(row['next_step'])}, where {priority} priority.")
    return " ".join(lines)
