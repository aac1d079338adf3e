"""`sessiond sync` as people use it, in a folder and over ssh."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from machines import Machine
from support.process import isolated_environment
from support.session_lines import append, line

A, B, C, X = line("a"), line("b", "a"), line("c", "b"), line("x", "b")


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return _machine(tmp_path / "laptop/me")


@pytest.fixture
def desktop(tmp_path: Path) -> Machine:
    return _machine(tmp_path / "desktop/me")


def _machine(home: Path) -> Machine:
    home.mkdir(parents=True)
    return Machine(home)


@pytest.fixture
def programs(tmp_path: Path, desktop: Machine) -> dict[str, str]:
    """Variables with which `ssh` runs a command on the desktop, and counts what it gets."""
    folder = tmp_path / "bin"
    folder.mkdir()
    env = " ".join(f"{name}=" for name in os.environ if name.startswith(("PI_", "XDG_CACHE")))
    (folder / "ssh").write_text(
        f'#!/bin/sh\n[ "$1 $2 $3 $4" = "-T -C -- box" ] || exit 7\necho motd: welcome\n'
        f"cd {desktop.home}\nexport {env} HOME={desktop.home} XDG_CACHE_HOME={desktop.home}/c\n"
        f'tee {tmp_path}/sent | sh -c "$5" | tee {tmp_path}/received\n'
    )
    (folder / "sessiond").write_text(f'#!/bin/sh\nexec {sys.executable} -m sessiond "$@"\n')
    for program in folder.iterdir():
        program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def run(machine: Machine, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sessiond", "sync", *words],
        env=isolated_environment(machine.home, **env),
        cwd=machine.home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_two_machines_over_ssh(laptop: Machine, desktop: Machine, programs: dict[str, str]):
    laptop.write("one", A, B, C)
    desktop.write("one", A, B, X)
    desktop.write("two", A)
    trial = run(laptop, "box", "--dry-run", **programs)
    assert trial.returncode == 0, trial.stderr
    assert laptop.entries() == {"one": ["a", "b", "c"]}
    done = run(laptop, "box", **programs)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "->  entries 1  one  ~/shop",
        "<-  entries 1  one  ~/shop",
        "<-  session 1  two  ~/shop",
    ]
    assert done.stderr == "2 sessions compared, 3 moved\n"
    assert laptop.entries() == {"one": ["a", "b", "x", "c"], "two": ["a"]}
    assert desktop.entries() == {"one": ["a", "b", "c", "x"], "two": ["a"]}
    again = run(laptop, "box", "--json", **programs)
    assert json.loads(again.stdout) == {"moves": [], "problems": [], "compared": 2}


def test_a_large_session_that_grew_sends_little(
    tmp_path: Path, laptop: Machine, desktop: Machine, programs: dict[str, str]
):
    """At most 10 kB, without the compression of ssh."""
    many = [line(f"e{n}", f"e{n - 1}" if n else None, "x" * 200) for n in range(20_000)]
    path = laptop.write("one", *many)
    run(laptop, "box", **programs)
    append(path, line("new", "e19999", "y" * 1000))
    assert run(laptop, "box", **programs).stdout == "->  entries 1  one  ~/shop\n"
    assert desktop.entries()["one"][-1] == "new"
    sent = (tmp_path / "sent").stat().st_size + (tmp_path / "received").stat().st_size
    assert sent < 10_000


def test_a_folder_named_with_a_slash(laptop: Machine, desktop: Machine, tmp_path: Path):
    laptop.write("one", A)
    folder = str(tmp_path / "cloud")
    assert run(laptop, folder, "--pull").stdout == ""
    assert run(laptop, folder, "--push", "--agent", "pi").returncode == 0
    done = run(desktop, folder, "--json")
    assert json.loads(done.stdout)["moves"] == [
        {"session": "one", "agent": "pi", "kind": "session", "direction": "pull"}
        | {"cwd": "~/shop", "entries": 1}
    ]
    listed = subprocess.run(
        [sys.executable, "-m", "sessiond", "list", "--all", "--json"],
        env=isolated_environment(desktop.home),
        capture_output=True,
        check=True,
    )
    assert [each["id"] for each in json.loads(listed.stdout)["sessions"]] == ["one"]


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ([], 2, "name HOST or a directory"),
        (["./x", "--pull", "--push"], 2, "--pull goes without --push"),
        (["./x", "--map", "/a"], 2, "/a is not OLD=NEW"),
        (["./x", "--agent", "nobody"], 2, "nobody"),
        (["./x", "--agent", "opencode"], 2, "keeps no files that can be synced"),
        (["--", "-oProxyCommand=x"], 2, "does not begin with a hyphen"),
        (["./.pi"], 3, "not separate"),
        (["nobody"], 3, "Cannot read nobody: no sessiond that can sync answers there"),
    ],
)
def test_wrong_usage_is_explained(
    laptop: Machine, programs: dict[str, str], words: list[str], code: int, text: str
):
    laptop.write("one", A)
    done = run(laptop, *words, **programs)
    assert (done.returncode, text in done.stderr) == (code, True), done.stderr


def test_a_daemon_that_only_reads_changes_nothing(laptop: Machine, tmp_path: Path):
    laptop.write("one", A)
    done = subprocess.run(
        [sys.executable, "-m", "sessiond", "--read-only", "sync", str(tmp_path / "x")],
        env=isolated_environment(laptop.home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert not (tmp_path / "x").exists()


INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("sessiond", run_name="__main__", alter_sys=True)
"""
"""The program as a terminal starts it; tests in the background inherit that SIGINT is ignored."""


def test_watching_goes_on_with_what_changes(laptop: Machine, tmp_path: Path):
    path = laptop.write("one", A)
    folder = tmp_path / "cloud"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "sync", str(folder), "--watch"],
        env=isolated_environment(laptop.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    with process:
        try:
            assert process.stdout.readline() == "->  session 1  one  ~/shop\n"
            append(path, B)
            assert process.stdout.readline() == "->  entries 1  one  ~/shop\n"
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 130
