"""Settings and fixtures of all test modules."""

import os

from hypothesis import HealthCheck, settings
from reference.fixture import daemon, older_pi, pi, roots

__all__ = ["daemon", "older_pi", "pi", "roots"]

# Agents that take long to install: `make test-agents`.
collect_ignore = [] if os.environ.get("SESSIOND_AGENTS") else ["agents"]

# The machine may be busy: a slow example is no finding, a test that hangs meets its deadline.
settings.register_profile(
    "tests", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")
