"""Help for those who test with headjudge; needs ``pip install headjudge[testing]``."""
