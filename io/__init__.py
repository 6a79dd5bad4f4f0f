"""What comes in and goes out: Parquet and Arrow tables, scenario files, generated boards."""
