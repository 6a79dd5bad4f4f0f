"""Compiling beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headjudge import compiling
from headjudge.commands.common import compile_first
from headjudge.kernels import jit

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.compiled


MODULES = list(compiling.WORK)


def test_nothing_is_missing_afterwards() -> None:
    compiling.compile_all(MODULES)
    assert [module for module in MODULES if jit.needs_compiling(module)] == []


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    (tmp_path / "screen.look_run-1.py311.1.nbc").touch()
    assert [module for module in MODULES if jit.needs_compiling(module)] == ["settling", "generation"]


def test_without_a_cache_everything_is_compiled_here(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    monkeypatch.setattr(compiling, "WORK", {name: lambda name=name: done.append(name) for name in MODULES})
    compiling.compile_all(MODULES)
    assert done == MODULES


def test_it_is_said_what_is_compiled_each_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiling, "compile_all", lambda modules: None)
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    compile_first()
    assert "the first run of this version on this machine" in capsys.readouterr().err
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    compile_first()
    assert "each time: HEADJUDGE_CACHE_DIR may name a folder that can be written" in capsys.readouterr().err
