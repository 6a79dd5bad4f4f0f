"""pytest-benchmark suites: ``pytest bench``. The ratios come from ``python -m bench``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import headjudge

SEED = 2026
Benchmark = Callable[..., Any]


@pytest.fixture(scope="module", params=["quiet", "midgame", "dense", "effects"])
def boards(request: pytest.FixtureRequest) -> headjudge.Boards:
    """A batch of a profile, settled once: compile time is never measured."""
    batch = headjudge.generate(20_000, seed=SEED, profile=request.param)
    headjudge.settle(batch)
    return batch


def test_settle(benchmark: Benchmark, boards: headjudge.Boards) -> None:
    assert benchmark(headjudge.settle, boards, after=False).results.num_rows == len(boards)


def test_settle_with_after(benchmark: Benchmark, boards: headjudge.Boards) -> None:
    assert len(benchmark(headjudge.settle, boards, after=True).after) == len(boards)


def test_settle_one_board(benchmark: Benchmark, boards: headjudge.Boards) -> None:
    assert benchmark(headjudge.settle, boards[0], threads=1).results.num_rows == 1


@pytest.mark.parametrize("size", [10, 100, 1_000, 10_000, 100_000])
def test_settle_tokens(benchmark: Benchmark, size: int) -> None:
    """One battlefield of tokens: time must grow with its size alone."""
    batch = headjudge.generate(1, seed=SEED, profile="tokens", size=size)
    headjudge.settle(batch)
    assert benchmark(headjudge.settle, batch, threads=1, after=False).results.num_rows == 1


@pytest.mark.parametrize("profile", ["quiet", "midgame", "dense", "effects"])
def test_generate(benchmark: Benchmark, profile: str) -> None:
    headjudge.generate(1, seed=SEED, profile=profile)
    assert len(benchmark(headjudge.generate, 20_000, seed=SEED, profile=profile)) == 20_000


def test_through_parquet(
    benchmark: Benchmark, boards: headjudge.Boards, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("boards") / "saved"
    boards.save(folder)
    assert len(benchmark(headjudge.load, folder)) == len(boards)
