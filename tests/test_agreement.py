"""Kernels against the oracle: the same boards, settled both ways, end the same."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config

from bulk import compare, random_choices, report
from comparison import differences
from headjudge.kernels.vocabulary import PROCEDURES
from headjudge.testing.strategies import boards, choices
from wild_boards import wild_boards

if TYPE_CHECKING:
    from headjudge.boards import Boards

#: Interpreted kernels are some hundred times slower.
INTERPRETED = bool(config.DISABLE_JIT)
CHUNK = 1_000
SOAK_BOARDS = int(os.environ.get("HEADJUDGE_SOAK_BOARDS", "200000"))


@pytest.mark.parametrize(
    ("profile", "count", "interpreted_count"),
    [("dense", 5_000, 150), ("effects", 2_000, 80), ("midgame", 1_000, 60), ("quiet", 1_000, 20)],
)
def test_generated_boards(profile: str, count: int, interpreted_count: int) -> None:
    count = interpreted_count if INTERPRETED else count
    for first in range(0, count, CHUNK):
        if found := compare(profile, 704 + first, min(CHUNK, count - first)):
            pytest.fail(found)


@pytest.mark.parametrize("profile", ["dense", "effects"])
def test_generated_boards_with_choices(profile: str) -> None:
    if found := compare(profile, 616, 60 if INTERPRETED else CHUNK, with_choices=True):
        pytest.fail(found)


@pytest.mark.parametrize("do", PROCEDURES)
def test_wild_boards(do: str) -> None:
    seed = 613 + PROCEDURES.index(do)
    batch = wild_boards(seed, 40 if INTERPRETED else 400)
    chosen = random_choices(batch, seed)
    if found := differences(batch, chosen, do, threads=1):
        pytest.fail(report(batch, found, chosen))


@given(boards(effects=False), st.data())
def test_any_board(board: Boards, data: st.DataObject) -> None:
    assert_agreement(board, data)


@given(boards(), st.data())
def test_any_board_with_effects(board: Boards, data: st.DataObject) -> None:
    assert_agreement(board, data)


def assert_agreement(board: Boards, data: st.DataObject) -> None:
    chosen = data.draw(choices(board))
    if found := differences(board, chosen, threads=1):
        pytest.fail(report(board, found, chosen))


@pytest.mark.soak
@pytest.mark.parametrize(("profile", "with_choices"), list(product(["dense", "effects"], [False, True])))
def test_generated_boards_in_bulk(profile: str, with_choices: bool) -> None:
    count = SOAK_BOARDS // 4 if with_choices else SOAK_BOARDS
    seeds = range(1_000_000, 1_000_000 + count, CHUNK)
    jobs = [[profile] * len(seeds), seeds, [CHUNK] * len(seeds), [with_choices] * len(seeds)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for found in filter(None, pool.map(compare, *jobs)):
            pytest.fail(found)
