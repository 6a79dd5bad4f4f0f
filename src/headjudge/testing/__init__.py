"""Help for those who test with headjudge; needs ``pip install '.[testing]'`` in a checkout."""
