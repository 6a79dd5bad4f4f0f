"""What the comparison in bench/ compares: everything finds the same."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench import chart, comparison

import headjudge
from headjudge.kernels import bits as b

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.compiled


def test_all_contenders_find_the_same(tmp_path: Path) -> None:
    boards = headjudge.generate(500, seed=1, profile="midgame")
    o = boards.objects
    beyond = (o.flags & b.BESTOWED != 0) | (o.keywords & b.RECONFIGURE != 0)  # columns alone can't say what those are
    boards = boards[np.flatnonzero(~np.logical_or.reduceat(beyond, boards.objects_start[:-1]))]
    found = {it.name: it.found for it in comparison.judging_columns(boards, tmp_path)}
    assert len(found) >= 3
    assert set(map(str, found.values())) == {str(comparison.found_by_headjudge(boards))}
    assert all(found["NumPy"].values())
    assert len(comparison.oracle(boards[:3])()) == 3


def test_a_chart_is_xml() -> None:
    root = ET.fromstring(chart.bars({"a < b": 0.5, "c": 2000.0}, "µs"))
    assert [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")][-5] == "a < b"
