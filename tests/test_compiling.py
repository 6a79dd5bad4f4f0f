"""Compiling beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headjudge import compiling
from headjudge.kernels import jit

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.compiled


def test_nothing_is_missing_afterwards() -> None:
    compiling.compile_all(list(compiling.WORK))
    assert compiling.missing() == []


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    assert compiling.missing() == list(compiling.WORK)
    (tmp_path / "screen.look_run-1.py311.1.nbc").touch()
    assert compiling.missing(["settling", "screen"]) == ["settling"]


def test_without_a_cache_everything_is_compiled_here(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    monkeypatch.setattr(compiling, "WORK", {name: lambda name=name: done.append(name) for name in compiling.WORK})
    compiling.compile_all(compiling.missing())
    assert done == list(compiling.WORK)
