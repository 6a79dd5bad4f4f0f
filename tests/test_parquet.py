"""Data sets and results on disk, as headjudge and as other tools write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headjudge
from headjudge.boards import Boards
from headjudge.errors import DataError
from headjudge.io.arrow import boards_to_arrow, schema_in_use
from headjudge.io.parquet import (
    DataSet,
    load,
    load_resolution,
    read_parts,
    save,
    save_resolution,
    write_part,
    write_result_part,
)
from headjudge.results import ACTIONS, RESULTS, Resolution
from random_boards import plain, random_boards

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = st.integers(0, 2**32 - 1)
#: Few examples, for each writes a dozen files and waits for the disk.
in_folders = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)


def fresh(tmp_path: Path) -> Path:
    """Return a path where nothing is yet: Hypothesis runs many examples in one folder."""
    return tmp_path / f"set{len(list(tmp_path.iterdir()))}"


@in_folders
@given(SEEDS, st.integers(4, 13))
def test_round_trip(tmp_path: Path, seed: int, part_size: int) -> None:
    boards = random_boards(seed, first_id=seed % 3 * 2**40)
    path = fresh(tmp_path)
    save(boards, path, part_size=part_size)
    assert plain(load(path)) == plain(boards)
    parts = list(read_parts(path))
    assert [part.number for part in parts] == list(range(-(-len(boards) // part_size)))
    assert [row for part in parts for row in plain(part.boards)] == plain(boards)


def test_boards_know_how(tmp_path: Path) -> None:
    boards = random_boards(0)
    boards.save(tmp_path / "set", part_size=5)
    assert plain(headjudge.load(str(tmp_path / "set"))) == plain(boards)


def test_layout(tmp_path: Path) -> None:
    boards = random_boards(3, states=20)
    save(boards, tmp_path / "set", part_size=8)
    assert [file.name for file in sorted((tmp_path / "set/states").iterdir())] == [
        "part-00000.parquet", "part-00001.parquet", "part-00002.parquet",
    ]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["set"]  # nothing is left behind
    metadata = pq.read_schema(tmp_path / "set/objects/part-00001.parquet").metadata
    assert metadata[b"headjudge.format"] == b"1"
    assert metadata[b"headjudge.version"] == headjudge.__version__.encode()
    assert metadata[b"headjudge.rules"] == headjudge.RULES_VERSION.encode()


def test_unsorted_boards_are_sorted(tmp_path: Path) -> None:
    boards = random_boards(4)
    save(boards[np.arange(len(boards))[::-1]], tmp_path / "set", part_size=5)
    assert plain(load(tmp_path / "set")) == plain(boards)


def test_no_states(tmp_path: Path) -> None:
    save(random_boards(0)[:0], tmp_path / "set")
    boards = load(tmp_path / "set")
    assert len(boards) == 0
    assert len(list(read_parts(tmp_path / "set"))) == 1


def test_a_table_may_lack_parts(tmp_path: Path) -> None:
    boards = [random_boards(seed, first_id=seed * 1000) for seed in range(3)]
    boards[1] = Boards.of(boards[1].states, {}, boards[1].lexicon)
    schema = schema_in_use(Boards.concat(boards))
    for number, part in enumerate(boards):
        write_part(tmp_path / "set", number, part, schema)
    assert not (tmp_path / "set/counters/part-00001.parquet").exists()
    (tmp_path / "set/objects/part-00001.parquet").unlink()
    assert plain(load(tmp_path / "set")) == plain(Boards.concat(boards))


@pytest.mark.parametrize("cut", [1, 5, 7, 100])
@pytest.mark.parametrize("statistics", [True, False])
def test_other_names_and_boundaries(tmp_path: Path, cut: int, statistics: bool) -> None:
    boards = random_boards(5, states=40)
    for name, table in boards_to_arrow(boards).items():
        (tmp_path / name).mkdir()
        size = table.num_rows // cut + 1 if name == "objects" else 11
        for i, start in enumerate(range(0, table.num_rows, size)):
            file = tmp_path / name / (f"part-{i:05}.parquet" if cut == 5 else f"{i:03}_{name}.parquet")
            pq.write_table(table.slice(start, size), file, row_group_size=cut, write_statistics=statistics)
    assert plain(load(tmp_path)) == plain(boards)
    assert sum(len(part.boards) for part in read_parts(tmp_path)) == len(boards)


def test_files_with_states_of_each_other(tmp_path: Path) -> None:
    """One worker wrote the even states, another the odd ones."""
    boards = random_boards(6, states=30)
    schema = schema_in_use(boards)
    for number in range(2):
        write_part(tmp_path, number, boards[np.arange(number, 30, 2)], schema)
    assert plain(load(tmp_path)) == plain(boards)


def test_files_in_any_order(tmp_path: Path) -> None:
    boards = random_boards(7, states=30)
    schema = schema_in_use(boards)
    for number, start in enumerate((20, 0, 10)):
        write_part(tmp_path, number, boards[start : start + 10], schema)
    assert plain(load(tmp_path)) == plain(boards)
    assert len(DataSet.open(tmp_path)) == 3


def test_many_row_groups_are_read_together(tmp_path: Path) -> None:
    boards = random_boards(8, states=30)
    for name, table in boards_to_arrow(boards).items():
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "all.parquet", row_group_size=4)
    data_set = DataSet.open(tmp_path)
    assert len(data_set) == 1
    assert data_set.states == 30
    assert plain(load(tmp_path)) == plain(boards)


def wide(boards: Boards) -> dict[str, pa.Table]:
    """Return tables of plain strings and 64 bit numbers."""

    def widened(dtype: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(dtype):
            return pa.string()
        return pa.int64() if pa.types.is_integer(dtype) else dtype

    return {
        name: table.cast(pa.schema([pa.field(field.name, widened(field.type)) for field in table.schema]))
        for name, table in boards_to_arrow(boards).items()
    }


def written_by_duckdb(table: pa.Table, folder: Path) -> None:
    connection = duckdb.connect()
    connection.register("source", table)
    connection.execute(f"copy source to '{folder}/data_0.parquet' (format parquet, row_group_size 2048)")


def written_by_polars(table: pa.Table, folder: Path) -> None:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    words = [name for name in ("kind", "zone", "name", "types") if name in frame.columns]
    frame.with_columns(pl.col(words).cast(pl.Categorical)).write_parquet(folder / "a.parquet", row_group_size=300)


def written_by_pandas(table: pa.Table, folder: Path) -> None:
    frame = table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get)
    if "zone" in frame:
        frame["zone"] = frame["zone"].astype("category")
    frame.to_parquet(folder / "frame.parquet", index=False, row_group_size=500)


def written_by_pandas_with_its_index(table: pa.Table, folder: Path) -> None:
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    frame[frame["state_id"] < 500].to_parquet(folder / "a.parquet")
    frame[frame["state_id"] >= 500].to_parquet(folder / "b.parquet", index=False)


@pytest.mark.parametrize(
    "write", [written_by_duckdb, written_by_polars, written_by_pandas, written_by_pandas_with_its_index]
)
def test_written_by_other_tools(tmp_path: Path, write: Any) -> None:
    boards = random_boards(9, states=900)
    for name, table in wide(boards).items():
        (tmp_path / name).mkdir()
        write(table, tmp_path / name)
    again = load(tmp_path)
    assert again.problems == ()
    assert plain(again) == plain(boards)


def test_read_by_other_tools(tmp_path: Path) -> None:
    boards = random_boards(10, states=90)
    save(boards, tmp_path / "set", part_size=20)
    expected = {name: table.to_pylist() for name, table in boards_to_arrow(boards, all_columns=True).items()}
    for name, rows in expected.items():
        files = f"{tmp_path}/set/{name}/*.parquet"
        assert duckdb.sql(f"select * from '{files}'").fetchall() == [tuple(row.values()) for row in rows]
        assert pl.read_parquet(files).to_dicts() == rows
        frame = pd.read_parquet(tmp_path / "set" / name, dtype_backend="pyarrow")
        assert frame.astype(object).where(frame.notna(), None).to_dict("records") == rows


def test_choices_travel_with_their_part(tmp_path: Path) -> None:
    boards = random_boards(11, states=30)
    save(boards, tmp_path / "set", part_size=10)
    ids = boards.states.state_id[[3, 25]]
    (tmp_path / "set/choices").mkdir()
    pq.write_table(
        pa.table({"state_id": ids, "choice": ["keep"] * 2, "object_id": [1, 2]}), tmp_path / "set/choices/a.parquet"
    )
    assert [part.choices["object_id"].to_pylist() for part in read_parts(tmp_path / "set")] == [[1], [], [2]]


def edit(path: Path, change: Any) -> None:
    pq.write_table(change(pq.read_table(path)), path)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def _damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4:300] = bytes(296)
    path.write_bytes(data)


BROKEN: list[tuple[str, Any, str]] = [
    ("objects/part-00001.parquet", _truncate, "objects/part-00001.parquet: expected a Parquet file"),
    ("objects/part-00001.parquet", _damage, "objects/part-00001.parquet: expected the bytes that were written"),
    (
        "objects/part-00001.parquet",
        lambda f: f.write_text("state_id,object_id\n1,2\n"),
        "objects/part-00001.parquet: expected a Parquet file",
    ),
    ("objects/part-00001.parquet", lambda f: f.write_bytes(b""), "objects/part-00001.parquet: expected a Parquet file"),
    (
        "objects/part-00001.csv",
        lambda f: f.write_text("a"),
        "objects/part-00001.csv: expected nothing but files *.parquet",
    ),
    ("objekts", lambda f: f.mkdir(), "unknown table 'objekts'; expected 'objects'"),
    ("objects.parquet", lambda f: f.write_text("a"), "objects.parquet: expected a folder for each table"),
    (
        "effects/part-00000.parquet",
        lambda f: [x.unlink() for x in f.parent.iterdir()],
        "effects: expected files *.parquet, found none",
    ),
    (
        "objects/part-00001.parquet",
        lambda f: edit(f, lambda t: t.drop(["damage"])),
        "found damage of type none instead of int32",
    ),
    (
        "objects/part-00001.parquet",
        lambda f: edit(f, lambda t: t.set_column(t.column_names.index("damage"), "damage", t["damage"].cast("int64"))),
        "found damage of type int64 instead of int32",
    ),
    ("objects/part-00001.parquet", lambda f: edit(f, lambda t: t.drop(["state_id"])), "part-00001.parquet: expected"),
    (
        "objects/part-00001.parquet",
        lambda f: edit(f, lambda t: t.slice(0, 1).set_column(0, "state_id", pa.array([10**6]))),
        "state_id: expected a state of the table states, found 1000000",
    ),
    (
        "objects/part-00001.parquet",
        lambda f: edit(f, lambda t: t.set_column(0, "state_id", pa.nulls(t.num_rows, pa.int64()))),
        "state_id: expected a number, found null",
    ),
    (
        "objects/part-00001.parquet",
        lambda f: edit(f, lambda t: t.set_column(0, "state_id", pa.array([None, *t["state_id"].to_pylist()[1:]]))),
        "state_id: expected a number, found null",
    ),
    (
        "states/part-00001.parquet",
        lambda f: edit(f, lambda t: t.replace_schema_metadata({"headjudge.format": "2"})),
        "expected format 1, found 2",
    ),
    (
        "states/part-00009.parquet",
        lambda f: f.write_bytes((f.parent / "part-00000.parquet").read_bytes()),
        "state_id: expected each state once",
    ),
]


@pytest.mark.parametrize(("file", "change", "message"), BROKEN)
def test_broken_data_sets(tmp_path: Path, file: str, change: Any, message: str) -> None:
    save(random_boards(12, states=30), tmp_path / "set", part_size=10)
    change(tmp_path / "set" / file)
    with pytest.raises(DataError) as error:
        load(tmp_path / "set")
    assert message in str(error.value)
    assert str(tmp_path) in str(error.value)


def test_what_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected the folder of a data set, found nothing"):
        load(tmp_path / "nowhere")
    with pytest.raises(DataError, match="expected a data set with a folder states, found no folders"):
        load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="expected the folder of a data set, found a file"):
        load(tmp_path / "file")


def test_other_files_beside_the_tables_do_not_matter(tmp_path: Path) -> None:
    boards = random_boards(13)
    save(boards, tmp_path / "set")
    (tmp_path / "set/README.md").write_text("about")
    (tmp_path / "set/_SUCCESS").touch()
    (tmp_path / "set/.git").mkdir()
    (tmp_path / "set/states/_SUCCESS").touch()
    assert plain(load(tmp_path / "set")) == plain(boards)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    save(random_boards(14), tmp_path / "set")  # an empty folder is as good as none
    with pytest.raises(DataError, match="set: expected nothing or an empty folder, found files"):
        save(random_boards(14), tmp_path / "set")
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="file: expected nothing or an empty folder, found a file"):
        save(random_boards(14), tmp_path / "file")


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    boards = random_boards(15)
    with pytest.raises(DataError, match="state_id: expected each state once, found"):
        save(Boards.concat([boards, boards]), tmp_path / "set")
    bad = Boards.from_arrow({"states": pa.table({"state_id": [1, 2], "step": ["end", "never"]})})
    with pytest.raises(DataError, match="found 1 that could not, such as that of state_id 2: states, state_id 2, step"):
        save(bad, tmp_path / "set")
    with pytest.raises(DataError, match="part_size: expected a number of states, found 0"):
        save(boards, tmp_path / "set", part_size=0)
    assert list(tmp_path.iterdir()) == []


def resolution(boards: Boards, after: bool = True) -> Resolution:
    """Return a result as settling could give it."""
    n = len(boards)
    words = pa.array(["ongoing"] * n).dictionary_encode().cast(RESULTS.field("outcome").type)
    lists = pa.array([[0], []] * n, RESULTS.field("lost").type)[:n]
    values = {
        "state_id": pa.array(boards.states.state_id),
        "outcome": words,
        "status": words,
        "winners": lists,
        "lost": lists,
    }
    results = pa.Table.from_arrays(
        [values.get(f.name, pa.nulls(n, f.type) if f.nullable else pa.array(np.zeros(n, np.int32))) for f in RESULTS],
        schema=RESULTS,
    )
    return Resolution(results, ACTIONS.empty_table(), boards if after else None)


@pytest.mark.parametrize("after", [True, False])
def test_results(tmp_path: Path, after: bool) -> None:
    boards = random_boards(16)
    saved = resolution(boards, after)
    save_resolution(saved, tmp_path / "out")
    again = load_resolution(tmp_path / "out")
    assert again.results == saved.results
    assert again.actions == saved.actions
    assert (again.after is not None) == after
    assert again.after is None or plain(again.after) == plain(boards)
    assert pq.read_schema(tmp_path / "out/results/part-00000.parquet").metadata[b"headjudge.rules"]
    with pytest.raises(DataError, match="expected nothing or an empty folder"):
        save_resolution(saved, tmp_path / "out")


def test_results_in_parts(tmp_path: Path) -> None:
    boards = random_boards(17, states=30)
    for number in range(3):
        write_result_part(tmp_path, number, resolution(boards[number * 10 : number * 10 + 10]))
    again = load_resolution(tmp_path)
    assert again.results == resolution(boards).results
    assert again.after is not None
    assert plain(again.after) == plain(boards)


def test_what_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected the folder of a result with a folder results"):
        load_resolution(tmp_path)
    save_resolution(resolution(random_boards(18)), tmp_path / "out")
    edit(tmp_path / "out/results/part-00000.parquet", lambda t: t.drop(["passes"]))
    with pytest.raises(DataError, match="results: expected the columns state_id, passes"):
        load_resolution(tmp_path / "out")


@pytest.mark.parametrize("rising", [True, False])
def test_large_row_groups_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rising: bool) -> None:
    boards = random_boards(19, states=40)
    for name, table in boards_to_arrow(boards).items():
        (tmp_path / name).mkdir()
        rows = table.take(np.arange(table.num_rows)[::-1]) if name == "states" and not rising else table
        pq.write_table(rows, tmp_path / name / "all.parquet", row_group_size=7 if name == "effects" else 10**6)
    monkeypatch.setattr("headjudge.io.parquet.PART_SIZE", 11)
    data_set = DataSet.open(tmp_path)
    parts = list(read_parts(tmp_path))
    assert [len(part.boards) for part in parts] == ([14, 14, 12] if rising else [40])
    assert len(data_set) == len(parts)
    assert [row for part in parts for row in plain(part.boards)] == plain(boards)


def test_parts_are_smaller_where_boards_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boards = random_boards(19, states=40)
    save(boards, tmp_path / "set")
    rows = max(len(boards.table(name)[0][0]) for name in ("players", "objects", "counters", "effects"))
    monkeypatch.setattr("headjudge.io.parquet.PART_ROWS", rows // 4)
    assert 3 <= len(DataSet.open(tmp_path / "set")) <= 5
    assert plain(load(tmp_path / "set")) == plain(boards)
