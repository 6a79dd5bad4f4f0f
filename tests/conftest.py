"""Settings of the whole suite."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadlines: the first example of a test may compile.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", _COMMON, max_examples=50)
settings.register_profile("ci", _COMMON, max_examples=200, derandomize=True, print_blob=True)
settings.register_profile("nightly", _COMMON, max_examples=20_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
