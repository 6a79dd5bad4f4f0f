"""The commands of the command line, one module each.

A module has `register`, which adds its parser, and `run`, which does the work and returns the exit code. What is slow
to import is imported in `run`: ``--help`` must answer at once.
"""
