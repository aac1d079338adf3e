"""Commands that delete sessions, bring them back, and start other programs on them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.session_lines import header, line

from sessiond.catalog.export.target import MARK
from sessiond.cli.settings import arguments, environment

OLD, NEW = "aaaa1111-0000", "aaaa2222-0000"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    folder = tmp_path / f".pi/agent/sessions/--{str(work).lstrip('/').replace('/', '-')}--"
    folder.mkdir(parents=True)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    (folder / "old.jsonl").write_text(header(OLD, str(work)) + line("one", None, "Old"))
    new = header(NEW, str(work)) + line("one", None, "New")
    (folder / "new.jsonl").write_text(new.replace("2026-01-01T00:00:00.000Z", now))
    return tmp_path


def files(home: Path) -> list[str]:
    return sorted(path.name for path in (home / ".pi/agent/sessions").rglob("*.jsonl"))


def answered(home: Path, answer: str, *arguments: str) -> int:
    """The exit code of a command on a terminal where a person types `answer`."""
    parent, child = pty.openpty()
    with subprocess.Popen(
        [*SESSIOND, *arguments],
        env=isolated_environment(home),
        cwd=home / "work",
        stdin=child,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(child)
        os.write(parent, f"{answer}\n".encode())
        code = process.wait(30)
    os.close(parent)
    return code


def test_the_trash_is_listed_restored_from_by_id_and_emptied(home: Path):
    for session in (OLD, NEW):
        assert run(home, "delete", session, cwd=home).returncode == 0
    assert files(home) == []
    listed = run(home, "trash", "list", cwd=home)
    assert sorted(row.split("\t")[1] for row in listed.stdout.splitlines()) == [OLD, NEW]
    ambiguous = run(home, "restore", "aaaa", cwd=home)
    assert (ambiguous.returncode, ambiguous.stderr.count("\n  aaaa")) == (3, 2)
    assert run(home, "restore", "aaaa1", cwd=home).returncode == 0
    assert files(home) == ["old.jsonl"]
    other = home / ".local/share/Trash/files/letter.txt"
    other.write_text("Not a session")
    assert run(home, "trash", "empty", cwd=home).returncode == 2
    assert run(home, "--read-only", "trash", "empty", "--yes", cwd=home).returncode == 3
    assert run(home, "trash", "empty", "--yes", cwd=home).returncode == 0
    assert run(home, "trash", "list", cwd=home).returncode == 1
    assert run(home, "restore", NEW, cwd=home).returncode == 3
    assert other.read_text() == "Not a session"


@pytest.mark.parametrize("which", ["last", "@1"])
@pytest.mark.parametrize("command", [["delete"], ["rename"], ["repair", "--apply"]])
def test_only_a_session_of_this_directory_is_changed(home: Path, which: str, command: list[str]):
    words = [*command, which, *(["a name"] if command == ["rename"] else [])]
    before = {path: path.read_bytes() for path in home.rglob("*.jsonl")}
    done = run(home, *words, cwd=home)
    assert done.returncode == 3
    assert "--all" in done.stderr
    assert {path: path.read_bytes() for path in home.rglob("*.jsonl")} == before
    assert run(home, "show", which, cwd=home).returncode == 0
    assert run(home, *words, "--all", cwd=home).returncode == 0


def test_a_session_that_a_program_writes_is_deleted_only_by_force(home: Path):
    (path,) = (home / ".pi").rglob("old.jsonl")
    env = isolated_environment(home)
    with subprocess.Popen(
        SESSIOND, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as daemon:
        assert daemon.stdin is not None
        assert daemon.stdout is not None
        for number, method, params in (
            (1, "initialize", {"clientInfo": {"name": "my editor"}}),
            (2, "session/open", {"path": str(path)}),
        ):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            daemon.stdin.write(json.dumps(request).encode() + b"\n")
            daemon.stdin.flush()
            daemon.stdout.readline()
        refused = run(home, "delete", OLD, cwd=home)
        assert refused.returncode == 3
        program = f"my editor (process {daemon.pid})"
        expected = (
            f"Session is open for writing in {program}: {path}; delete it anyway with --force"
        )
        assert expected in refused.stderr
        assert run(home, "delete", OLD, "--force", cwd=home).returncode == 0
        daemon.stdin.close()
    assert files(home) == ["new.jsonl"]


def test_deleting_permanently_asks_or_wants_a_whole_name(home: Path):
    assert run(home, "delete", "aaaa1", "--permanently", cwd=home).returncode == 2
    assert run(home, "delete", "@1", "--permanently", cwd=home / "work").returncode == 2
    assert answered(home, "n", "delete", "aaaa1", "--permanently") == 1
    assert files(home) == ["new.jsonl", "old.jsonl"]
    assert answered(home, "y", "delete", "aaaa1", "--permanently") == 0
    assert files(home) == ["new.jsonl"]
    assert run(home, "delete", NEW, "--permanently", cwd=home).returncode == 0
    assert (files(home), run(home, "trash", "list", cwd=home).returncode) == ([], 1)


def test_older_than_deletes_all_old_sessions(home: Path):
    work = home / "work"
    assert run(home, "delete", "--older-than", "30d", cwd=work).returncode == 2
    assert run(home, "delete", "--older-than", "30d", "--yes", cwd=home).returncode == 1
    assert answered(home, "n", "delete", "--older-than", "30d") == 1
    assert files(home) == ["new.jsonl", "old.jsonl"]
    assert run(home, "delete", "--older-than", "30d", "--yes", cwd=work).returncode == 0
    assert files(home) == ["new.jsonl"]
    assert run(home, "trash", "list", cwd=home).stdout.split("\t")[1] == OLD


def empty(home: Path, name: str) -> None:
    (folder,) = (home / ".pi/agent/sessions").iterdir()
    (folder / f"{name}.jsonl").write_text(header(name, str(home / "work")))


def test_several_sessions_are_deleted_and_brought_back_together(home: Path):
    work = home / "work"
    empty(home, "eeee")
    # Counted before the first is deleted.
    done = run(home, "delete", "@1", "@2", cwd=work)
    assert (done.returncode, files(home)) == (0, ["eeee.jsonl"]), done.stderr
    assert "`sessiond undo`" in done.stderr
    assert run(home, "rename", "eeee", "A name", cwd=work).returncode == 0
    listed = run(home, "trash", "list", cwd=work).stdout.splitlines()
    assert sorted(row.split("\t")[3] for row in listed) == ["New", "Old"]
    # The last change first.
    assert run(home, "undo", cwd=work).returncode == 0
    assert "A name" not in run(home, "list", cwd=work).stdout
    assert files(home) == ["eeee.jsonl"]
    assert run(home, "undo", cwd=work).returncode == 0
    assert files(home) == ["eeee.jsonl", "new.jsonl", "old.jsonl"]
    nothing = run(home, "undo", cwd=work)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "nothing is left to undo" in nothing.stderr


def test_the_session_that_was_deleted_last_is_restored(home: Path):
    for session in (OLD, NEW):
        assert run(home, "delete", session, cwd=home).returncode == 0
    assert run(home, "restore", "last", cwd=home).returncode == 0
    assert files(home) == ["new.jsonl"]
    assert run(home, "restore", OLD, cwd=home).returncode == 0
    assert run(home, "restore", "last", cwd=home).returncode == 3


def test_empty_sessions_are_deleted(home: Path):
    work = home / "work"
    for name in ("eeee", "ffff"):
        empty(home, name)
    assert run(home, "delete", "--empty", "--yes", cwd=home).returncode == 1
    assert run(home, "delete", "--empty", "--older-than", "999y", "--yes", cwd=work).returncode == 1
    assert run(home, "delete", "--empty", "--yes", cwd=work).returncode == 0
    assert files(home) == ["new.jsonl", "old.jsonl"]


def test_what_cannot_be_deleted_stops_no_other(home: Path):
    missing = str(home / "none.jsonl")
    done = run(home, "delete", missing, OLD, cwd=home)
    assert done.returncode == 3
    assert missing in done.stderr
    assert files(home) == ["new.jsonl"]


def test_nothing_outside_the_root_is_written_to_undo(home: Path):
    done = run(home, "--root", str(home / ".pi"), "delete", OLD, "--permanently", cwd=home)
    assert done.returncode == 0
    assert not (home / ".local/state").exists()


@pytest.mark.parametrize("arguments", [[], ["aaaa1", "--older-than", "3d"], ["aaaa1", "--all"]])
def test_exactly_one_option_selects_the_sessions_to_delete(home: Path, arguments: list[str]):
    assert run(home, "delete", *arguments, cwd=home).returncode == 2
    assert files(home) == ["new.jsonl", "old.jsonl"]


def test_resume_starts_the_agent_in_the_directory_of_the_session(home: Path):
    told = "import os, sys; print(os.getcwd(), sys.argv[1:])"
    file = next((home / ".pi/agent/sessions").rglob("old.jsonl"))
    agent = f"{sys.executable} -c '{told}' --session {{file}}"
    done = run(home, "resume", "aaaa1", "--agent", agent, cwd=home)
    assert done.stdout == f"{home / 'work'} {['--session', str(file)]}\n"
    here = run(home, "resume", "aaaa1", "--here", "--agent", agent, cwd=home)
    assert here.stdout.split()[0] == str(home)
    (home / "work").rmdir()
    gone = run(home, "resume", "aaaa1", "--agent", agent, cwd=home)
    assert (gone.returncode, gone.stdout) == (3, "")
    assert "--here" in gone.stderr
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    forked = run(home, "resume", "aaaa1", "--fork", "--agent", agent, cwd=elsewhere)
    copy = next(
        path
        for path in (home / ".pi/agent/sessions/").rglob("*.jsonl")
        if "elsewhere" in str(path.parent)
    )
    assert forked.stdout == f"{elsewhere} {['--session', str(copy)]}\n"
    assert json.loads(copy.read_text().splitlines()[0])["cwd"] == str(elsewhere)
    assert "Old" in copy.read_text()
    missing = run(home, "resume", "aaaa1", "--here", "--agent", "no-such-agent", cwd=home)
    assert missing.returncode == 3
    assert "no-such-agent: No such file or directory" in missing.stderr


@pytest.mark.parametrize("which", ["last", "@1"])
@pytest.mark.parametrize("option", [[], ["--fork"], ["--here"]])
def test_only_a_session_of_this_project_is_resumed(home: Path, which: str, option: list[str]):
    words = ["resume", which, *option, "--agent", "echo"]
    refused = run(home, *words, cwd=home)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert f"{which} does not exist: this project has no sessions; `--all`" in refused.stderr
    assert files(home) == ["new.jsonl", "old.jsonl"]
    assert run(home, *words, "--all", cwd=home).returncode == 0
    assert run(home, "resume", which, "--agent", "echo", cwd=home / "work").returncode == 0


def test_resume_passes_the_agent_directory_to_the_agent(home: Path):
    told = 'import os; print(os.environ.get("PI_CODING_AGENT_DIR"))'
    agent = f"{sys.executable} -c '{told}'"
    (home / ".pi/agent").rename(home / "other")
    done = run(home, "--agent-dir", "other", "resume", "aaaa1", "--agent", agent, cwd=home)
    assert done.stdout == f"{home / 'other'}\n"
    done = run(
        home, "resume", str(next((home / "other").rglob("old.jsonl"))), "--agent", agent, cwd=home
    )
    assert done.stdout == "None\n"


def picked(home: Path, keys: bytes, *arguments: str) -> tuple[int, str]:
    """Exit code and standard output of `pick` on a terminal where these keys are typed."""
    parent, child = pty.openpty()
    environment = isolated_environment(home, TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
    with subprocess.Popen(
        [*SESSIOND, "pick", *arguments],
        env=environment,
        cwd=home / "work",
        stdin=child,
        stdout=subprocess.PIPE,
        stderr=child,
        start_new_session=True,
    ) as process:
        os.close(child)
        shown = b""
        while b"Esc leave" not in shown:
            shown += os.read(parent, 4096)
        os.write(parent, keys)
        while True:
            try:
                if not os.read(parent, 4096):
                    break
            except OSError:
                break
        assert process.stdout is not None
        said = process.stdout.read().decode()
        code = process.wait(30)
    os.close(parent)
    return code, said


def test_a_session_is_picked_by_typing(home: Path):
    assert picked(home, b"\r") == (0, f"{NEW}\n")
    assert picked(home, b"old\r") == (0, f"{OLD}\n")
    assert picked(home, b"\x1b[B\r") == (0, f"{OLD}\n")
    assert picked(home, b"\x03") == (130, "")
    code, shown = picked(home, b"old\r", "--run", "show")
    assert (code, shown.splitlines()[:3]) == (0, ["Old", "User", "  Old"])
    assert run(home, "pick", cwd=home).returncode == 2


def test_open_shows_the_page_in_the_browser(home: Path, tmp_path: Path):
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > "$HOME/shown"\n')
    browser.chmod(0o755)
    env = isolated_environment(home, BROWSER=f"{browser} %s", TMPDIR=str(tmp_path))
    done = subprocess.run(
        [*SESSIOND, "open", "aaaa1"],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    page = Path(done.stdout.strip())
    assert (home / "shown").read_text() == page.as_uri()
    assert "Old" in page.read_text()
    assert page.stat().st_mode & 0o077 == 0


def test_an_export_follows_the_ending_and_makes_no_directories(home: Path):
    for name, beginning in (("s.html", "<!doctype"), ("s.md", "# "), ("s.jsonl", "{")):
        assert run(home, "export", "aaaa1", "-o", str(home / name), cwd=home).returncode == 0
        assert (home / name).read_text().lower().startswith(beginning)
    typo = run(home, "export", "aaaa1", "-o", str(home / "none/s.md"), cwd=home)
    assert (typo.returncode, (home / "none").exists()) == (3, False)
    printed = run(home, "export", "aaaa1", "-o", "-", "--leaf", "on", cwd=home)
    # In a file the first line says that an export may replace it.
    assert printed.stdout == (home / "s.md").read_text().replace(f" {MARK.decode()}", "")


def test_a_password_of_a_store_is_never_an_argument_of_a_process():
    url = "postgresql://me:secret@host/db"
    given = {"profile": "pi", "store": url, "root": ("/a", "/b"), "read_only": True}
    assert arguments(given) == ["--profile=pi", "--root=/a", "--root=/b", "--read-only"]
    # Another process takes them from there.
    assert environment(given) == {"SESSIOND_STORE": url}


def test_what_could_not_be_taken_back_can_be_tried_again(home: Path):
    (old,) = (home / ".pi").rglob("old.jsonl")
    assert run(home, "delete", OLD, NEW, cwd=home).returncode == 0
    old.write_text("in the way\n")
    first = run(home, "undo", cwd=home)
    assert first.returncode == 3
    assert "File exists already" in first.stderr
    old.unlink()
    assert run(home, "undo", cwd=home).returncode == 0
    assert files(home) == ["new.jsonl", "old.jsonl"]
    assert run(home, "undo", cwd=home).returncode == 1


def test_a_session_that_left_the_trash_does_not_stop_earlier_changes(home: Path):
    assert run(home, "rename", NEW, "A name", cwd=home).returncode == 0
    assert run(home, "delete", OLD, cwd=home).returncode == 0
    assert run(home, "trash", "empty", "--yes", cwd=home).returncode == 0
    assert run(home, "undo", cwd=home).returncode == 3
    assert run(home, "undo", cwd=home).returncode == 0
    assert "A name" not in run(home, "list", "--all", cwd=home).stdout


def test_a_newer_name_stays(home: Path):
    assert run(home, "rename", NEW, "by the command", cwd=home).returncode == 0
    (named,) = (home / ".pi").rglob("new.jsonl")
    with named.open("a") as file:
        file.write('{"type":"session_info","id":"z","parentId":null,"name":"newer"}\n')
    done = run(home, "undo", cwd=home)
    assert "'newer' since, which stays" in done.stderr
    assert "newer" in run(home, "list", "--all", cwd=home).stdout


def test_changes_of_commands_that_run_at_once_are_all_noted(home: Path):
    names = [f"{letter * 4}" for letter in "efghij"]
    for name in names:
        empty(home, name)
    env = isolated_environment(home)
    started = [subprocess.Popen([*SESSIOND, "delete", name], env=env, cwd=home) for name in names]
    assert [each.wait(30) for each in started] == [0] * len(names)
    for _ in names:
        assert run(home, "undo", cwd=home).returncode == 0
    assert files(home) == sorted([*(f"{name}.jsonl" for name in names), "new.jsonl", "old.jsonl"])
