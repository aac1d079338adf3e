"""The commands for people, run as they are run."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import click
import pytest
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.session_lines import append, header, line

from sessiond.agents import NAMES
from sessiond.agents.registry import AGENTS
from sessiond.cli.main import command_line


@pytest.fixture
def home(tmp_path: Path) -> Path:
    sessions = tmp_path / ".pi/agent/sessions"
    work = tmp_path / "work"
    work.mkdir()
    encoded = f"--{str(work).lstrip('/').replace('/', '-')}--"
    (sessions / encoded).mkdir(parents=True)
    (sessions / "--other--").mkdir()
    (sessions / encoded / "a.jsonl").write_text(
        header("aaa111", str(work))
        + line("one", None, "What is this?")
        + line("two", "one", "\x1b[31mred\x1b[0m and\ttabs")
        + line("three", "one", "another way")
    )
    (sessions / "--other--" / "b.jsonl").write_text(
        header("bbb222", "/other") + line("x", None, "elsewhere")
    )
    return tmp_path


def test_list_shows_this_directory_and_all_of_them(home: Path):
    here = run(home, "list", cwd=home / "work")
    assert here.returncode == 0
    cells = here.stdout.rstrip("\n").split("\t")
    assert (cells[1], cells[3], cells[4]) == ("3", "aaa111", "What is this?")
    everywhere = run(home, "list", "--all", cwd=home)
    assert {each.split("\t")[3] for each in everywhere.stdout.splitlines()} == {"aaa111", "bbb222"}
    assert run(home, "list", cwd=home).returncode == 1


def test_json_is_the_answer_of_the_daemon(home: Path):
    listed = json.loads(run(home, "list", "--all", "--json", cwd=home).stdout)
    assert listed["total"] == 2
    branch = json.loads(run(home, "show", "bbb", "--json", cwd=home).stdout)
    assert [entry["id"] for entry in branch["entries"]] == ["x"]


@pytest.mark.parametrize("name", ["aaa111", "aaa", "path"])
def test_a_session_is_found_by_path_id_or_the_beginning_of_one(home: Path, name: str):
    if name == "path":
        name = str(next((home / ".pi/agent/sessions").glob("--*work--/a.jsonl")))
    shown = run(home, "show", name, cwd=home)
    assert shown.returncode == 0
    assert shown.stdout.splitlines() == [
        "What is this?",
        "User",
        "  What is this?",
        "User",
        "  another way",
    ]


def test_a_missing_session_is_reported_with_code_3(home: Path):
    done = run(home, "show", "zzz", cwd=home)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("sessiond: no session has the id zzz")
    done = run(home, "show", "/no/such.jsonl", cwd=home)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "sessiond: Session file not found: /no/such.jsonl\n"


def test_wrong_usage_is_code_2(home: Path):
    assert run(home, "show").returncode == 2
    assert run(home, "nonsense").returncode == 2


def test_the_tree_marks_the_leaf_and_indents_branches(home: Path):
    drawn = run(home, "tree", "aaa", cwd=home)
    assert drawn.stdout.splitlines() == [
        "● one user: What is this?",
        "├─ ○ two user: red and tabs",
        "└─ ◆ three user: another way ← here",
    ]


def test_nothing_in_a_session_steers_the_terminal(home: Path):
    parent, child = pty.openpty()
    environment = isolated_environment(home, TERM="xterm-256color", PYTHONUTF8="1")
    with subprocess.Popen(
        [*SESSIOND, "show", "aaa", "--leaf", "two"],
        env=environment,
        cwd=home,
        stdout=child,
        stderr=child,
    ) as process:
        os.close(child)
        shown = b""
        while True:
            try:
                chunk = os.read(parent, 4096)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        process.wait(30)
    os.close(parent)
    assert b"\x1b[31mred" not in shown
    assert b"red" in shown


def test_tail_without_a_session_follows_the_latest_of_the_project(tmp_path: Path):
    work = tmp_path / "work"
    work.mkdir()
    folder = tmp_path / ".pi/agent/sessions" / f"--{str(work).strip('/').replace('/', '-')}--"
    folder.mkdir(parents=True)
    one, other = folder / "1.jsonl", folder / "2.jsonl"
    one.write_text(header("one", str(work)) + line("u1", None, "first of one"))
    with subprocess.Popen(
        [*SESSIOND, "tail", "-f"],
        env=isolated_environment(tmp_path, PYTHONUTF8="1"),
        cwd=work,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        printed = iter(process.stdout.readline, "")
        try:
            assert [next(printed) for _ in range(2)] == ["User\n", "  first of one\n"]
            append(one, line("u2", "u1", "second of one"))
            assert next(line for line in printed if "of one" in line) == "  second of one\n"
            later = "2027-01-01T00:00:00.000Z"
            other.write_text(
                header("other", str(work), time=later)
                + line("u1", None, "first of other", timestamp=later)
            )
            assert next(line for line in printed if "of other" in line) == "· first of other\n"
            assert next(line for line in printed if "of other" in line) == "  first of other\n"
            append(other, line("u2", "u1", "second of other", timestamp=later))
            assert next(line for line in printed if "of" in line) == "  second of other\n"
        finally:
            process.kill()


def test_tail_prints_the_last_entries_and_follows(home: Path):
    file = next((home / ".pi/agent/sessions").glob("--*work--/a.jsonl"))
    assert run(home, "tail", "aaa", "-n", "1", cwd=home).stdout == "User\n  another way\n"
    with subprocess.Popen(
        [*SESSIOND, "tail", "aaa", "-n", "1", "-f"],
        env=isolated_environment(home, PYTHONUNBUFFERED="1"),
        cwd=home,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["User\n", "  another way\n"]
        append(file, line("four", "three", "just now"))
        assert [process.stdout.readline() for _ in range(2)] == ["User\n", "  just now\n"]
        process.terminate()
        process.wait(30)


def test_call_prints_the_results_of_methods_as_lines(home: Path):
    done = run(
        home,
        "call",
        *("session/open", '{"id": "aaa111", "leafId": null}'),
        *(
            "session/appendMessage",
            '{"session": "s1", "message": {"role": "user", "content": "new"}}',
        ),
        *("session/getLeafId", '{"session": "s1"}', "session/listAll"),
        cwd=home,
    )
    state, appended, leaf, listed = map(json.loads, done.stdout.splitlines())
    assert (state["sessionId"], state["leafId"]) == ("aaa111", None)
    assert (appended["parentId"], leaf["leafId"]) == (None, appended["id"])
    assert listed["total"] == 2


def test_call_follows_notifications(home: Path):
    file = next((home / ".pi/agent/sessions").glob("--*work--/a.jsonl"))
    with subprocess.Popen(
        [*SESSIOND, "call", "--follow", "session/open", json.dumps({"path": str(file)})],
        env=isolated_environment(home, PYTHONUNBUFFERED="1"),
        cwd=home,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["sessionId"] == "aaa111"
        append(file, line("four", "three", "just now"))
        told = json.loads(process.stdout.readline())
        assert told["method"] == "session/didChange"
        assert [entry["id"] for entry in told["params"]["entries"]] == ["four"]
        process.terminate()
        process.wait(30)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nonsense"], 2, "no method is called nonsense"),
        (["initialize"], 2, "no method is called initialize"),
        (["session/list", "[1]"], 2, "params must be an object"),
        (['{"cwd": "."}'], 2, "follow no method"),
        (["session/list", '{"cwd": ".", "cwdx": 1}'], 2, "$.cwdx: unknown param"),
        (["session/open", '{"id": "none"}'], 3, "No session has the id none"),
    ],
)
def test_call_says_what_is_wrong(home: Path, words: list[str], code: int, said: str):
    done = run(home, "call", *words, cwd=home)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_a_reader_of_the_output_may_stop_reading(home: Path):
    file = next((home / ".pi/agent/sessions").glob("--*work--/a.jsonl"))
    append(file, "".join(line(f"n{number}", "three", "x" * 1000) for number in range(500)))
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(SESSIOND)} tail aaa -n 500 | head -1"],
        env=isolated_environment(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("User\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_completion(home: Path, shell: str):
    done = run(home, "completion", shell, cwd=home)
    assert done.returncode == 0
    assert "_SESSIOND_COMPLETE" in done.stdout


def test_help_names_every_command(home: Path):
    lines = run(home, "help").stdout.partition("\nRead:\n")[2].split("\n")
    # In the first column, some with commas between them.
    words = {word for line in lines for word in line[2:].partition("  ")[0].split(", ")}
    assert words >= set(command_line.list_commands(click.Context(command_line))) - {"serve"}


@pytest.mark.parametrize("words", [[], ["trash"], ["gateway"], ["daemon"], ["store"]])
def test_help_cuts_no_sentence(home: Path, words: list[str]):
    listed = run(home, "help", *words).stdout.partition("\n\n")[2]
    assert listed
    assert "..." not in listed


def test_without_a_command_the_daemon_serves(home: Path):
    asked = '{"jsonrpc":"2.0","id":1,"method":"daemon/status"}\n'
    done = run(home, input=asked, cwd=home)
    assert json.loads(done.stdout)["id"] == 1


@pytest.mark.parametrize("count", [0, 1, 3, 7, 60])
@pytest.mark.parametrize("command", ["show", "tail"])
def test_the_last_entries_are_shown_however_many_have_no_lines(
    home: Path, command: str, count: int
):
    # Most entries are results of tools, which are not shown.
    lines, parent = [header("dddd")], None
    for number in range(400):
        role = "user" if number % 8 == 0 else "toolResult"
        message = {"role": role, "content": f"said {number}."}
        lines.append(line(f"e{number}", parent, message=message))
        parent = f"e{number}"
    (home / "long.jsonl").write_text("".join(lines))
    shown = run(home, command, str(home / "long.jsonl"), "-n", str(count), "--no-tools", cwd=home)
    said = [int(number) for number in re.findall(r"  said (\d+)\.", shown.stdout)]
    assert said == list(range(0, 400, 8))[-count or 400 :]


def test_everything_is_what_search_and_usage_show(home: Path):
    for command in (["search", "What"], ["usage", "--by", "session"]):
        alone, everything = run(home, *command), run(home, *command, "--all")
        assert (everything.returncode, everything.stdout) == (alone.returncode, alone.stdout)
        assert run(home, *command, "--all", "--cwd", ".").returncode == 2


def test_a_list_tells_how_many_sessions_match(home: Path):
    shown = json.loads(run(home, "list", "--all", "--json", "--since", "999w", "-n", "1").stdout)
    every = json.loads(run(home, "list", "--all", "--json").stdout)
    assert len(shown["sessions"]) == 1
    assert shown["total"] == every["total"] == 2


def test_help_cuts_no_sentence_and_names_the_agents(home: Path):
    shown = run(home, "help").stdout
    assert "..." not in shown.partition("\nRead:\n")[2]
    assert list(AGENTS) == list(NAMES)
    assert all(name in shown for name in AGENTS)


def test_the_heading_of_a_session_without_messages_is_no_id(home: Path):
    (home / "empty.jsonl").write_text(header("dddd"))
    for command in (["show"], ["export"]):
        done = run(home, *command, str(home / "empty.jsonl"), cwd=home)
        assert done.stdout.splitlines()[0].removeprefix("# ") == "(no messages)"
