"""The command line that other processes see: OpenClaw looks for an argument `openclaw` in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.process import DEADLINE, Daemon, isolated_environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")


def arguments(pid: int) -> list[str]:
    """Read arguments as OpenClaw does: split at NULs, trimmed, without empty ones."""
    shown = Path(f"/proc/{pid}/cmdline").read_text()
    return [each.strip() for each in shown.split("\0") if each.strip()]


def is_respected(pid: int) -> bool:
    return "openclaw" in arguments(pid)


def by_ps(pid: int) -> str:
    command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().strip()


OPTIONS: list[tuple[Sequence[str], dict[str, str]]] = [
    (["--profile=openclaw"], {}),
    (["--profile", "openclaw"], {}),
    ([], {"SESSIOND_PROFILE": "openclaw"}),
    (["--agent-id=ops", "--profile=openclaw", "--watch", "off"], {}),
    (["--agent-id=ops", "--watch", "off"], {"SESSIOND_PROFILE": "openclaw"}),
]


@pytest.mark.parametrize(("options", "env"), OPTIONS, ids=str)
def test_the_command_line_carries_the_profile(
    tmp_path: Path, options: Sequence[str], env: dict[str, str]
):
    with Daemon(tmp_path, *options, env=env) as daemon:
        daemon.request("daemon/status")
        pid = daemon.process.pid
        assert is_respected(pid)
        assert "sessiond" in by_ps(pid)
        # What was given is still there, `=` or not.
        told = " ".join(arguments(pid)).replace("=", " ")
        assert " ".join(options).replace("=", " ") in told


def test_a_profile_chosen_in_initialize_applies(tmp_path: Path):
    # A confined daemon reads and writes files below its root only.
    with Daemon(tmp_path, "--watch", "off", "--root", str(tmp_path)) as daemon:
        daemon.request("daemon/status")
        pid = daemon.process.pid
        assert not is_respected(pid)
        daemon.request("initialize", profile="openclaw")
        assert is_respected(pid)
        assert "sessiond" in by_ps(pid)
        assert "--watch off" in " ".join(arguments(pid))


@pytest.mark.parametrize("profile", ["pi", "coderclaw"])
def test_other_profiles_do_not_change_the_command_line(tmp_path: Path, profile: str):
    with Daemon(tmp_path, f"--profile={profile}") as daemon:
        daemon.request("initialize", profile=profile)
        shown = arguments(daemon.process.pid)
    assert shown == [sys.executable, "-m", "sessiond", f"--profile={profile}"]


CARRY = """
import os, sys
from sessiond.commandline import carry_argument
print(carry_argument("openclaw"), carry_argument("openclaw"))
print(open("/proc/self/cmdline").read().split("\\0"))
print(os.environ["MARK"], sys.argv)
"""


@pytest.mark.parametrize("name", ["python", "a/very/long/path/to/python"])
def test_the_shortest_command_lines_have_room(tmp_path: Path, name: str):
    script = tmp_path / "sessiond"
    script.write_text(CARRY)
    command = [name, str(script), "--x"]
    env = isolated_environment(tmp_path, MARK="environment", PYTHONPATH=os.pathsep.join(sys.path))
    found = subprocess.run(
        command,
        executable=sys.executable,
        env=env,
        stdout=subprocess.PIPE,
        check=True,
        timeout=DEADLINE,
    )
    said, shown, kept = found.stdout.decode().splitlines()
    assert said == "True True"
    assert "'openclaw'" in shown
    assert "--x" in shown
    assert "sessiond" in shown
    # Neither the environment behind the arguments nor our own copy of them is touched.
    assert kept == f"environment {[str(script), '--x']}"


def test_a_command_line_without_room_does_not_change(tmp_path: Path):
    env = isolated_environment(tmp_path, MARK="environment", PYTHONPATH=os.pathsep.join(sys.path))
    found = subprocess.run(
        ["p", "-c", CARRY.replace('"openclaw"', '"openclaw" * 4000')],
        executable=sys.executable,
        env=env,
        stdout=subprocess.PIPE,
        check=True,
        timeout=DEADLINE,
    )
    assert found.stdout.decode().splitlines()[0] == "False False"
