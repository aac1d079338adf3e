"""The commands that search, count, export, and look after files."""

import json
import re
from pathlib import Path

import pytest
from support.commands import run
from support.session_lines import append, header, line


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".pi/agent/sessions/--w--"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(
        header("aaa111") + line("one", None, "Where is the needle?") + line("two", "one", "Here.")
    )
    return tmp_path


def file_of(home: Path) -> Path:
    return home / ".pi/agent/sessions/--w--/a.jsonl"


def test_search_prints_the_matching_message_and_how_to_show_it(home: Path):
    found = run(home, "search", "needle", cwd=home)
    assert found.returncode == 0
    assert found.stdout.splitlines() == [
        "2026-01-01 00:00  Where is the needle?  /w",
        "  user: Where is the needle?",
        "    sessiond show aaa111 --around one",
    ]
    nothing = run(home, "search", "haystack", cwd=home)
    assert (nothing.returncode, nothing.stdout) == (1, "")


def test_search_shows_how_to_open_the_message_with_the_most_words(home: Path):
    with file_of(home).open("a") as file:
        file.write(line("three", "two", "The needle is in the haystack."))
    found = run(home, "search", "needle haystack", cwd=home)
    assert found.stdout.splitlines()[-1] == "    sessiond show aaa111 --around three"


def test_search_finds_what_was_done(home: Path):
    call = {"type": "toolCall", "name": "edit", "arguments": {"path": "src/api.ts", "new": "x = 1"}}
    sent = {"role": "assistant", "timestamp": 1_764_000_000_000, "content": [call]}
    entry = {"type": "message", "id": "three", "parentId": "two", "message": sent}
    with file_of(home).open("a") as file:
        file.write(json.dumps(entry) + "\n")
    for arguments in (
        ["--file", "api.ts"],
        ["x = 1", "--tool", "edit"],
        ["x", "--in", "calls"],
        ["new: x", "--in", "all"],
    ):
        found = run(home, "search", *arguments, cwd=home)
        assert found.returncode == 0, found.stderr
        assert found.stdout.splitlines()[1:] == [
            "  2025-11-24 16:00 edit src/api.ts: edit path: src/api.ts new: x = 1",
            "    sessiond show aaa111 --around three",
        ]
    for arguments in (
        ["--file", "other.ts"],
        ["x", "--role", "user"],
        ["x", "--until", "1999-01-01"],
    ):
        assert run(home, "search", *arguments, cwd=home).returncode == 1
    elsewhere = run(home, "search", "new: x", cwd=home).stderr
    assert "1 session has it in calls: `sessiond search 'new: x' --in calls`" in elsewhere
    within = run(home, "search", "needle", "--since", "1999-01-01", cwd=home)
    assert "user: Where is the needle?" in within.stdout
    assert "time zone UTC" in within.stderr
    assert "expected QUERY" in run(home, "search", cwd=home).stderr


def test_a_hit_is_one_block_that_opens_where_it_was_said(home: Path):
    uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
    said = [line(f"e{at}", f"e{at - 1}" if at else "two", f"Line {at}.") for at in range(60)]
    said.insert(31, line(uuid, "e30", "A needle and a thread."))
    said[32] = line("e31", uuid, "Line 31.")
    with file_of(home).open("a") as file:
        file.write("".join(said))
    hit = run(home, "search", "needle", cwd=home).stdout.splitlines()
    assert hit[1:] == [
        "  user: Where is the needle?",
        "  user: A needle and a thread.",
        "    sessiond show aaa111 --around one",
    ]
    hit = run(home, "search", "thread", cwd=home).stdout.splitlines()
    assert hit[-1] == "    sessiond show aaa111 --around 0f8fad5b"
    shown = run(home, "show", "aaa111", "--around", "0f8fad5b", "-n", "4", cwd=home).stdout
    assert re.findall(r"Line [0-9]+\.|thread", shown) == [
        *("Line 29.", "Line 30.", "thread", "Line 31.")
    ]
    refusal = run(home, "show", "aaa111", "--around", "one", "--leaf", "two", cwd=home)
    assert (refusal.returncode, refusal.stdout) == (2, "")
    unknown = run(home, "show", "aaa111", "--around", "nothing", cwd=home)
    assert "Entry nothing not found" in unknown.stderr


def test_stats_counts(home: Path):
    counted = json.loads(run(home, "stats", "aaa", "--json", cwd=home).stdout)
    assert counted["messages"]["byRole"] == {"user": 2}
    assert "messages, user\t2" in run(home, "stats", "aaa", cwd=home).stdout.splitlines()


@pytest.mark.parametrize("kind", ["markdown", "jsonl", "html"])
def test_export_prints_or_writes(home: Path, kind: str):
    printed = run(home, "export", "aaa", "--format", kind, cwd=home)
    assert "Where is the needle?" in printed.stdout
    target = home / f"x.{kind}"
    wrote = run(home, "export", "aaa", "--format", kind, "-o", str(target), cwd=home)
    assert wrote.stdout == f"{target}\n"
    assert "Where is the needle?" in target.read_text()


def test_damage_is_found_reported_and_repaired_with_a_backup(home: Path):
    file = file_of(home)
    assert run(home, "check", "--all", cwd=home).returncode == 0
    append(file, '{"torn\n' + line("three", "two", "After."))
    before = file.read_text()
    checked = run(home, "check", "--all", cwd=home)
    assert checked.returncode == 1
    assert f"{file}: problems" in checked.stdout
    assert "line 4: malformedLine" in checked.stdout
    told = run(home, "repair", "aaa", cwd=home)
    assert (told.returncode, file.read_text()) == (0, before)
    assert "malformedLine" in told.stdout
    done = run(home, "repair", "aaa", "--apply", cwd=home)
    (backup,) = file.parent.glob("a.jsonl.bak-*")
    assert str(backup) in done.stderr
    assert backup.read_text() == before
    assert run(home, "check", "--all", cwd=home).returncode == 0
    assert "After." in file.read_text()
    assert run(home, "repair", "aaa", "--apply", cwd=home).stderr == "nothing to repair\n"


def test_a_session_is_named_deleted_and_restored(home: Path):
    file = file_of(home)
    assert run(home, "rename", "aaa", "Needles", cwd=home).returncode == 0
    assert run(home, "list", "--all", cwd=home).stdout.rstrip().endswith("Needles")
    content = file.read_bytes()
    deleted = run(home, "delete", "aaa", cwd=home)
    assert (deleted.returncode, file.exists()) == (0, False)
    restored = run(home, "restore", str(file), cwd=home)
    assert (restored.returncode, file.read_bytes()) == (0, content)
    again = run(home, "restore", str(file), cwd=home)
    assert again.returncode == 3
    assert again.stderr.startswith("sessiond: ")


def test_help_names_these_commands_as_well(home: Path):
    shown = run(home, "help").stdout
    for name in ("search", "stats", "export", "check", "repair", "rename", "delete", "restore"):
        assert re.search(rf"^  (\w+, )?{name}\b", shown, re.MULTILINE)


@pytest.mark.parametrize("command", ["show", "tree"])
def test_damage_is_mentioned_with_the_command_that_explains_it(home: Path, command: str):
    assert run(home, command, "aaa111", cwd=home).stderr == ""
    with file_of(home).open("a") as file:
        file.write('{"type":"mess\n' + line("three", "two", "Thanks."))
    shown = run(home, command, "aaa111", cwd=home)
    assert shown.returncode == 0
    assert "Thanks." in shown.stdout
    assert shown.stderr == "sessiond: the file has 1 problem; see `sessiond check aaa111`\n"
    assert run(home, command, "aaa111", "--json", cwd=home).stderr == ""
