"""Parquet that is damaged, or made to do harm: it is refused in words, never misread, and the process lives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from damage import OTHER, REFUSED, SAME
from headjudge.errors import DataError
from headjudge.io import parquet
from headjudge.io.parquet import DataSet, load, save
from random_boards import plain, random_boards

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE = 100_000


def outcomes(place: Path, first: int, last: int) -> list[tuple[str, str]]:
    """Return what came of damaged variants, which a process of its own has read."""
    call = [sys.executable, str(Path(__file__).with_name("damage.py")), str(place), str(first), str(last)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"ended with {done.returncode} at {lines[-1:]}: {done.stderr}"
    return list(zip(lines[::2], lines[1::2], strict=True))


@pytest.mark.parametrize(
    ("first", "last"), [(0, 240), pytest.param(240, 5_000, marks=pytest.mark.soak)], ids=["some", "many"]
)
def test_damaged_files(tmp_path: Path, first: int, last: int) -> None:
    found = outcomes(tmp_path / "sets", first, last)
    assert len(found) == last - first
    assert {outcome for _, outcome in found} <= {REFUSED, SAME, OTHER}
    # Of files without checksums nobody can tell that a number in them is another one.
    assert [variant for variant, outcome in found if outcome == OTHER and "headjudge/" in variant] == []
    assert sum(outcome == REFUSED for _, outcome in found) > len(found) / 2


def test_wrong_page_checksum(tmp_path: Path) -> None:
    """Files of other tools have no seal; their pages may have checksums."""
    save(random_boards(1), tmp_path / "set")
    file = tmp_path / "set/objects/part-00000.parquet"
    pq.write_table(pq.read_table(file), file, compression="none", write_page_checksum=True, use_dictionary=False)
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(0)
    data = bytearray(file.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size - 1] ^= 1
    file.write_bytes(data)
    with pytest.raises(DataError, match=r"objects/part-00000\.parquet: expected a Parquet file.*CRC checksum"):
        load(tmp_path / "set")


def test_seal_is_passed_over_by_other_tools_and_left_out_when_they_write(tmp_path: Path) -> None:
    boards = random_boards(2)
    save(boards, tmp_path / "set")
    for file in (tmp_path / "set").glob("*/*.parquet"):
        assert b"headjudge seal" in file.read_bytes()
        pq.write_table(pq.read_table(file), file)
        assert b"headjudge seal" not in file.read_bytes()
    assert plain(load(tmp_path / "set")) == plain(boards)


@pytest.mark.parametrize("place", ["words", "sums", "body", "footer"])
def test_broken_seals(tmp_path: Path, place: str) -> None:
    save(random_boards(3), tmp_path / "set")
    file = tmp_path / "set/states/part-00000.parquet"
    data = bytearray(file.read_bytes())
    words = data.rindex(b"headjudge seal")
    data[{"words": words + 3, "sums": words + 17, "body": words - 40, "footer": words + 60}[place]] ^= 4
    file.write_bytes(data)
    with pytest.raises(DataError, match=r"states/part-00000\.parquet: expected the bytes that were written"):
        load(tmp_path / "set")


def test_too_large_row_groups_are_refused_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(random_boards(4, states=30), tmp_path / "set")
    monkeypatch.setattr(parquet, "_MOST_VALUES", 29)
    with pytest.raises(DataError, match="expected row groups of at most 29 values, found one of"):
        DataSet.open(tmp_path / "set")


def not_utf8(rows: int) -> pa.Array:
    text = pa.array([b"\xff\xfe"] * rows, pa.binary())
    return pa.Array.from_buffers(pa.string(), rows, text.buffers())


#: A column of `objects` (or of `effects`, for `affects`) and what stands in it; then what is said about it.
REFUSALS: dict[str, tuple[str, Callable[[int], Any], str]] = {
    "nested lists": ("types", lambda n: pa.array([[["creature"]]] * n), "expected strings or lists of strings"),
    "structs": ("name", lambda n: pa.array([{"a": 1}] * n), "expected strings, found struct"),
    "floats": ("power", lambda n: pa.array([1.5] * n), "expected a whole number, found 1.5"),
    "no UTF-8": ("name", not_utf8, "cannot be read"),
    "null keys": ("object_id", lambda n: pa.nulls(n, pa.int32()), "object_id: expected a number, found null"),
    "too large keys": ("object_id", lambda n: pa.array([2**64 - 1] * n, pa.uint64()), "expected a number up to"),
    "states of no table": ("state_id", lambda n: pa.array([-(2**63)] * n), "expected a state of the table states"),
}
REJECTIONS: dict[str, tuple[str, Callable[[int], Any], str]] = {
    "long lists": ("types", lambda n: pa.array([[f"type {i}" for i in range(LARGE)], *[[]] * (n - 1)]), "types"),
    "long words": ("keywords", lambda n: pa.array(["flying," * LARGE] * n), "keywords"),
    "large numbers": ("power", lambda n: pa.array([2**63 - 1] * n), "power: expected a number from"),
    "negative ids": ("attached_to", lambda n: pa.array([-(2**63)] * n), "attached_to: expected an object_id"),
    "deep JSON": ("enchant", lambda n: pa.array(["[" * LARGE] * n), "enchant"),
    "deep JSON that ends": ("enchant", lambda n: pa.array(["[" * LARGE + "]" * LARGE] * n), "enchant"),
    "deep objects": ("counter_limits", lambda n: pa.array(['{"a":' * LARGE] * n), "counter_limits"),
    "long numbers": ("counter_limits", lambda n: pa.array(['{"time": ' + "9" * LARGE + "}"] * n), "counter_limits"),
    "zero bytes": ("zone", lambda n: pa.array(["\0"] * n), "zone"),
}


def with_column(folder: Path, column: str, make: Callable[[int], Any]) -> Path:
    save(random_boards(5, states=6), folder)
    file = folder / "objects/part-00000.parquet"
    table = pq.read_table(file)
    others = table.drop([column]) if column in table.column_names else table
    pq.write_table(others.append_column(column, make(table.num_rows)), file)
    return file


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    column, make, words = REFUSALS[name]
    with_column(tmp_path / "set", column, make)
    with pytest.raises(DataError) as error:
        load(tmp_path / "set")
    assert words in str(error.value)
    assert str(tmp_path / "set") in str(error.value)


@pytest.mark.parametrize("name", REJECTIONS)
def test_what_boards_are_rejected_for(tmp_path: Path, name: str) -> None:
    column, make, words = REJECTIONS[name]
    with_column(tmp_path / "set", column, make)
    problems = load(tmp_path / "set").problems
    assert problems
    assert words in problems[0].reason


@pytest.mark.parametrize("column", ["affects", "per"])
def test_deep_filters(tmp_path: Path, column: str) -> None:
    save(random_boards(5, states=6), tmp_path / "set")
    file = tmp_path / "set/effects/part-00000.parquet"
    table = pq.read_table(file)
    others = table.drop([column]) if column in table.column_names else table
    deep = ['{"matching": ' * LARGE] * table.num_rows
    pq.write_table(others.append_column(column, pa.array(deep)), file)
    assert load(tmp_path / "set").problems


def test_tables_of_other_lengths(tmp_path: Path) -> None:
    """Rows of players and effects that belong to no state are not dropped, nor are states that come twice."""
    for table in ("players", "objects", "effects", "counters"):
        folder = tmp_path / table
        save(random_boards(6, states=12), folder)
        state_ids = pq.read_table(folder / table / "part-00000.parquet")["state_id"].to_pylist()
        states = pq.read_table(folder / "states/part-00000.parquet")
        keep = pa.array([state != state_ids[-1] for state in states["state_id"].to_pylist()])
        pq.write_table(states.filter(keep), folder / "states/part-00000.parquet")
        with pytest.raises(DataError, match="state_id: expected a state of the table states, found"):
            load(folder)


def test_files_without_rows_groups_or_columns(tmp_path: Path) -> None:
    save(random_boards(7, states=6), tmp_path / "set")
    file = tmp_path / "set/objects/part-00001.parquet"
    schema = pq.read_schema(tmp_path / "set/objects/part-00000.parquet")
    with pq.ParquetWriter(file, schema):
        pass
    assert plain(load(tmp_path / "set")) == plain(random_boards(7, states=6))
    pq.write_table(pa.table({}), file)
    with pytest.raises(DataError, match=r"part-00001\.parquet: expected"):
        load(tmp_path / "set")
