"""``python -m headjudge``."""

import sys

from headjudge.cli import main

sys.exit(main())
