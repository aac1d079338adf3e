"""Settings and fixtures of all test modules."""

import os
import tempfile
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings
from reference.fixture import daemon, older_pi, pi, roots

__all__ = ["daemon", "older_pi", "pi", "roots"]

# Agents that take long to install: `make test-agents`.
collect_ignore = [] if os.environ.get("SESSIOND_AGENTS") else ["real_agents"]

# Each process of the tests has its own, so that no other one on the machine, with a store whose
# sessions have the same names, is seen as using them. The path of a socket must be short.
_runtime = tempfile.TemporaryDirectory(prefix="sd-run-")
os.environ["XDG_RUNTIME_DIR"] = _runtime.name

# The machine may be busy: a slow example is no finding, a test that hangs meets its deadline.
settings.register_profile(
    "tests", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# What a release is tried with once a week: HYPOTHESIS_PROFILE=thorough.
settings.register_profile(
    "thorough", max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tests"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Replace lone surrogates in what a test printed: a process cannot send them to another one."""
    try:
        report = yield
    except SystemError:
        # Python 3.11 counts recursion wrongly after some errors, and then parses no source any more.
        item.config.option.tbstyle = "native"
        report = pytest.TestReport.from_item_and_call(item, call)
    report.sections = [(name, sendable(text)) for name, text in report.sections]
    if report.longrepr is not None and sendable(str(report.longrepr)) != str(report.longrepr):
        report.longrepr = sendable(str(report.longrepr))
    return report


def sendable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()
