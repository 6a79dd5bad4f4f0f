"""What happens on the board: compiled functions on columns, without I/O and without Python objects."""
