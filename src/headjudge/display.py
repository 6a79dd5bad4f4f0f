"""Boards as people read them: in a terminal, and as a table in a notebook."""

from __future__ import annotations

import html as markup
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from headjudge import wording
from headjudge.errors import one_line
from headjudge.io.board_records import effect_records, name_of, player_records, state_record
from headjudge.kernels import vocabulary as v
from headjudge.validation import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from headjudge.boards import Boards

#: Boards of a batch that are shown in full.
_BOARDS: Final = 3
_ROWS_IN_NOTEBOOK: Final = 10
#: Objects of one player in one zone, players, and effects, that get a line of their own.
_LINES: Final = 40
#: Kinds of object that a summary counts.
_SUMMED: Final = 12
_TITLES: Final = {"none": "out of the game"}


class _Block(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    sections: list[tuple[str, list[str]]]


def text(boards: Boards) -> str:
    """Return the first boards of a batch in words, and how many more there are."""
    shown = [one(board, wording.Namer(board)) for board in boards[:_BOARDS]]
    if not shown:
        return "no boards"
    more = len(boards) - len(shown)
    return "\n\n".join(shown) + (f"\n\n... and {wording.counted(more, 'more board')}" if more else "")


def one(board: Boards, name: wording.Namer) -> str:
    """Return a batch of one state in words, its objects and effects named by `name`."""
    title, blocks = _sheet(board, name)
    lines = [title]
    for heading, sections in blocks:
        lines.append(heading)
        for zone, entries in sections:
            lines += ([f"  {zone}"] if zone else []) + [f"    {one_line(entry)}" for entry in entries]
    return "\n".join(lines)


def html(boards: Boards) -> str:
    """Return a table for notebooks: of one board its players and objects, of several a row each."""
    return _one_html(boards) if len(boards) == 1 else _several_html(boards)


def _one_html(board: Boards) -> str:
    title, blocks = _sheet(board, wording.Namer(board))
    rows = []
    for heading, sections in blocks:
        rows.append(f'<tr><th colspan="2" style="text-align:left">{markup.escape(heading)}</th></tr>')
        for zone, entries in sections:
            cell = "<br>".join(map(markup.escape, entries))
            rows.append(
                f'<tr><td style="vertical-align:top">{markup.escape(zone)}</td>'
                f'<td style="text-align:left">{cell}</td></tr>'
            )
    return f"<table><caption>{markup.escape(title)}</caption>{''.join(rows)}</table>"


def _several_html(boards: Boards) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("state_id", "step", "life", "objects", "battlefield", "effects"))
    rows = []
    for board in boards[:_ROWS_IN_NOTEBOOK]:
        lives = board.players.life[:_LINES].tolist()
        cells = (
            board.states.state_id[0],
            v.STEPS[board.states.step[0]],
            ", ".join(map(str, lives)) + (", ..." if len(lives) < len(board.players.life) else ""),
            len(board.objects.zone),
            np.count_nonzero(board.objects.zone == v.ZONES.index("battlefield")),
            len(board.effects.text),
        )
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = len(boards) - len(rows)
    caption = f"{wording.counted(len(boards), 'board')}" + (f", the first {len(rows)}" if more else "")
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{''.join(rows)}</table>"


def _sheet(board: Boards, name: wording.Namer) -> tuple[str, list[_Block]]:
    problems = [_Block(f"cannot be judged: {problem.reason}", []) for problem in board.problems]
    try:
        title = f"Board {board.states.state_id[0]}: {wording.state_facts(state_record(board))}"
        return title, [*problems, *_players(board, name), *_effects(board, name)]
    except IndexError:  # a number stands for nothing
        reasons = [problem.reason for problem in Check.of(board, 1).unreadable()]
        return f"Board {board.states.state_id[0]}", [_Block(f"cannot be judged: {reason}", []) for reason in reasons]


def _players(board: Boards, name: wording.Namer) -> Iterator[_Block]:
    zones = board.objects.zone
    with_owner = np.isin(zones, [v.ZONES.index(zone) for zone in wording.OWNERS_ZONES])
    seats = np.where(with_owner, board.objects.owner, board.objects.controller)
    seated = sorted({*range(min(len(board.players.life), _LINES)), *np.unique(seats).tolist()})
    records = player_records(board)
    in_teams = any(record["team"] != seat for seat, record in enumerate(records))
    for seat in seated:
        facts = wording.player_facts(records[seat], name, in_teams) if 0 <= seat < len(records) else "not there"
        mine = seats == seat
        sections = []
        for code in np.unique(zones[mine]).tolist():
            rows = np.flatnonzero(mine & (zones == code))
            zone = v.ZONES[code]
            sections.append((_TITLES.get(zone, zone), _objects(board, rows.tolist(), name)))
        yield _Block(f"Player {seat}: {facts}", sections)
    others = len(records) - len([seat for seat in seated if seat < len(records)])
    if others > 0:
        yield _Block(f"... and {wording.counted(others, 'more player')}", [])


def _objects(board: Boards, rows: Sequence[int], name: wording.Namer) -> list[str]:
    if len(rows) <= _LINES:
        lines = Counter(wording.object_lines(board, rows, name))
        return [line if times == 1 else f"{times} x {line}" for line, times in lines.items()]
    index = np.array(rows)
    alike, times = np.unique(
        np.stack([board.objects.name[index], board.objects.kind[index]]), axis=1, return_counts=True
    )
    largest = np.argsort(-times, kind="stable")[:_SUMMED]
    summary = [
        f"{times[i]:,} x {name_of(board, int(alike[0, i])) or 'nameless'} ({wording.spaced(v.KINDS[alike[1, i]])})"
        for i in largest.tolist()
    ]
    rest = len(rows) - int(times[largest].sum())
    return [f"{len(rows):,} objects:", *summary, *([f"... and {wording.counted(rest, 'other')}"] if rest else [])]


def _effects(board: Boards, name: wording.Namer) -> Iterator[_Block]:
    total = len(board.effects.text)
    if total:
        effects = effect_records(board, _LINES)
        lines = [wording.effect_line(effect, name.effect(row), name) for row, effect in enumerate(effects)]
        more = [f"... and {wording.counted(total - len(lines), 'more effect')}"] if total > len(lines) else []
        yield _Block("Effects", [("", lines + more)])
