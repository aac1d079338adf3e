from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta, timezone
from importlib.metadata import version

import pytest

import sessiond_client
from sessiond_client import as_datetime
from sessiond_client.connection import find
from sessiond_client.failures import DaemonMissing


def program(folder):
    folder.mkdir()
    path = folder / "sessiond"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_daemon_beside_this_python_is_preferred_to_the_one_on_path(tmp_path, monkeypatch):
    beside, on_path = program(tmp_path / "venv"), program(tmp_path / "bin")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    environment = {"PATH": str(tmp_path / "bin")}
    assert find(None, environment) == beside
    assert find(on_path, environment) == on_path
    assert find(None, {**environment, "SESSIOND": on_path}) == on_path
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find(None, environment) == on_path
    with pytest.raises(DaemonMissing):
        find(None, {"PATH": ""})


def test_everything_can_be_imported_from_the_package():
    assert sessiond_client.__version__ == version("sessiond-client")
    names = sessiond_client.__all__
    assert len(set(names)) == len(names)
    assert {"UserMessage", "LeafConflict", "SessionMessageEntry", "Lost"} <= set(names)
    assert [name for name in names if not hasattr(sessiond_client, name)] == []


def test_times_are_given_as_datetime_where_asked_for():
    half = timedelta(milliseconds=500)
    assert as_datetime("2025-06-01T10:00:00.500Z") == datetime(2025, 6, 1, 10, tzinfo=UTC) + half
    east = timezone(timedelta(hours=2))
    assert as_datetime("2025-06-01T12:00:00+02:00") == datetime(2025, 6, 1, 12, tzinfo=east)
    assert as_datetime(1748772000500) == datetime(2025, 6, 1, 10, tzinfo=UTC) + half
    with pytest.raises(ValueError, match="yesterday"):
        as_datetime("yesterday")
