"""Boards from Arrow tables and back: the tables of a data set, in memory."""

from headjudge.io.table_reading import boards_from_arrow
from headjudge.io.table_schema import FULL, Schema
from headjudge.io.table_writing import boards_to_arrow, schema_in_use

__all__ = ["FULL", "Schema", "boards_from_arrow", "boards_to_arrow", "schema_in_use"]
